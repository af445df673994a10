/*
 * buf.h - a growable byte buffer with a size limit.
 *
 * Appending past the limit appends nothing and sets @full, which stays set:
 * append as often as you like and check once at the end. buf_clear() keeps the
 * memory.
 */
#ifndef STET_BUF_H
#define STET_BUF_H

#include "base/str.h"

#include <stdarg.h>

struct buf {
	char *ptr;
	size_t len, cap;
	size_t max; /* 0 = no limit */
	bool full;
};

#define BUF_INIT                     \
	{                            \
		NULL, 0, 0, 0, false \
	}
#define BUF_UPTO(max)                    \
	{                                \
		NULL, 0, 0, (max), false \
	}
#define auto_buf cleanup(buf_free) struct buf

static inline struct str buf_str(const struct buf *b)
{
	return str_make(b->ptr ? b->ptr : "", b->len);
}

must_check char *buf_make_room(struct buf *b, size_t n);

/*
 * A pointer to room for @n more bytes; NULL when that would exceed the limit.
 * The caller adds what it has written to b->len.
 */
static inline must_check char *buf_room(struct buf *b, size_t n)
{
	if (n < b->cap - b->len && !b->max) /* the fast path */
		return b->ptr + b->len;
	return buf_make_room(b, n);
}

void buf_add(struct buf *b, struct str s);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *format, ...) prints(2, 3);
void buf_addv(struct buf *b, const char *format, va_list args) prints(2, 0);

/* Remove the first @n bytes. */
void buf_drop(struct buf *b, size_t n);

/* Empty the buffer; free its memory if that is more than @keep bytes. */
void buf_clear(struct buf *b, size_t keep);

void buf_free(struct buf *b);

#define buf_lit(b, lit) buf_add((b), STR(lit))

#endif
