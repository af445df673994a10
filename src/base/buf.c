/*
 * buf.c - a growable byte buffer.
 *
 * Capacity grows by half at least, so appending is linear in total. Running out
 * of memory ends the program (base/arena.h).
 */
#include "base/buf.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_CAP = 256 };

/* Allocate room for @n more bytes, regardless of the limit. */
static void buf_grow(struct buf *b, size_t n)
{
	size_t need = size_add(b->len, n), cap;
	char *p;

	if (need <= b->cap && b->ptr)
		return;
	cap = size_max(need, size_add(b->cap, b->cap / 2));
	cap = size_max(cap, FIRST_CAP);
	p = realloc(b->ptr, cap);
	if (!p)
		out_of_memory();
	b->ptr = p;
	b->cap = cap;
}

char *buf_make_room(struct buf *b, size_t n)
{
	if (b->full || (b->max && size_add(b->len, n) > b->max)) {
		b->full = true;
		return NULL;
	}
	buf_grow(b, n);
	return b->ptr + b->len;
}

void buf_add(struct buf *b, struct str s)
{
	char *p = buf_room(b, s.len);

	if (!p)
		return;
	if (s.len)
		memcpy(p, s.ptr, s.len);
	b->len += s.len;
}

void buf_addc(struct buf *b, char c)
{
	char *p = buf_room(b, 1);

	if (!p)
		return;
	*p = c;
	b->len++;
}

void buf_addv(struct buf *b, const char *format, va_list args)
{
	not_zeroed char few[512];
	char *p;
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(few, sizeof(few), format, again);
	va_end(again);
	if (n < 0)
		return;
	if ((size_t)n < sizeof(few)) {
		buf_add(b, str_make(few, (size_t)n));
		return;
	}
	/*
	 * vsnprintf() needs room for a NUL, which does not count towards the
	 * limit.
	 */
	p = buf_room(b, (size_t)n);
	if (!p)
		return;
	b->len += (size_t)n;
	buf_grow(b, 1);
	(void)vsnprintf(b->ptr + b->len - (size_t)n, (size_t)n + 1, format,
			args);
}

void buf_addf(struct buf *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_addv(b, format, args);
	va_end(args);
}

void buf_drop(struct buf *b, size_t n)
{
	n = size_min(n, b->len);
	if (n && n < b->len)
		memmove(b->ptr, b->ptr + n, b->len - n);
	b->len -= n;
}

void buf_clear(struct buf *b, size_t keep)
{
	b->len = 0;
	b->full = false;
	if (b->cap <= keep)
		return;
	free(b->ptr);
	b->ptr = NULL;
	b->cap = 0;
}

void buf_free(struct buf *b)
{
	free(b->ptr);
	*b = (struct buf){ .max = b->max };
}
