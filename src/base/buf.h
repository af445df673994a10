/*
 * buf.h - bytes that grow, up to a limit.
 *
 * Adding past the limit adds nothing and sets @full, which stays set: write
 * as much as you like and look once at the end. buf_clear() keeps the memory.
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
 * Room for @n more bytes, where to write them; NULL when that would pass the
 * limit. What was written is made part of the buffer by adding to b->len.
 */
static inline must_check char *buf_room(struct buf *b, size_t n)
{
	if (n < b->cap - b->len && !b->max) /* as nearly always */
		return b->ptr + b->len;
	return buf_make_room(b, n);
}

void buf_add(struct buf *b, struct str s);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *format, ...) prints(2, 3);
void buf_addv(struct buf *b, const char *format, va_list args) prints(2, 0);

/* Remove the first @n bytes. */
void buf_drop(struct buf *b, size_t n);

/* Empty it, keeping at most @keep bytes of memory. */
void buf_clear(struct buf *b, size_t keep);

void buf_free(struct buf *b);

#define buf_lit(b, lit) buf_add((b), STR(lit))

#endif
