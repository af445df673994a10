/*
 * number.c - text with line numbers.
 *
 * The size of the result is known in advance, so there is one allocation and no
 * printf().
 */
#include "text/lines/number.h"

#include "text/lines/lines.h"

static size_t digits(size_t n)
{
	size_t count = 1;

	for (; n >= 10; n /= 10)
		count++;
	return count;
}

/* Write @n right aligned into @width bytes. */
static void put_padded(char *to, size_t width, size_t n)
{
	size_t i = width;

	do {
		to[--i] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	memset(to, ' ', i);
}

void number_lines(struct str text, size_t first, unsigned width,
		  struct buf *out)
{
	size_t more = lines_newlines(text), from = 0, end;
	size_t wide = size_max(width, digits(size_add(first, more)));
	char *p;

	p = buf_room(out, size_add(text.len, (more + 1) * (wide + 1)));
	if (!p)
		return;
	do {
		put_padded(p, wide, first++);
		p[wide] = '\t';
		p += wide + 1;
		end = from + str_find(str_skip(text, from), '\n');
		end = size_min(size_add(end, 1), text.len);
		if (end > from)
			memcpy(p, text.ptr + from, end - from);
		p += end - from;
		from = end;
	} while (more--);
	out->len = (size_t)(p - out->ptr);
}
