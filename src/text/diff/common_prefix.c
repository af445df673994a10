/*
 * common_prefix.c - the length of the common prefix and suffix of two texts.
 *
 * memcmp() over blocks does most of the work; only the last, differing block is
 * compared byte by byte.
 */
#include "text/diff/common_prefix.h"

enum { BLOCK = 4096, STEP = 8 };

size_t common_prefix(struct str a, struct str b)
{
	size_t max = size_min(a.len, b.len), n = 0;

	while (max - n >= BLOCK && !memcmp(a.ptr + n, b.ptr + n, BLOCK))
		n += BLOCK;
	while (max - n >= STEP && !memcmp(a.ptr + n, b.ptr + n, STEP))
		n += STEP;
	while (n < max && a.ptr[n] == b.ptr[n])
		n++;
	return n;
}

/* Are the @n bytes in front of the last @done bytes equal? */
static bool same_before(struct str a, struct str b, size_t done, size_t n)
{
	return !memcmp(a.ptr + (a.len - done - n), b.ptr + (b.len - done - n),
		       n);
}

size_t common_suffix(struct str a, struct str b)
{
	size_t max = size_min(a.len, b.len), n = 0;

	while (max - n >= BLOCK && same_before(a, b, n, BLOCK))
		n += BLOCK;
	while (max - n >= STEP && same_before(a, b, n, STEP))
		n += STEP;
	while (n < max && same_before(a, b, n, 1))
		n++;
	return n;
}
