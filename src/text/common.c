#include "text/common.h"

enum { BLOCK = 4096, STEP = 16 }; /* memcmp does the fast part */

size_t common_head(struct str a, struct str b)
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

/* Are the @n bytes before the last @done bytes the same? */
static bool same_before(struct str a, struct str b, size_t done, size_t n)
{
	return !memcmp(a.ptr + (a.len - done - n), b.ptr + (b.len - done - n),
		       n);
}

size_t common_tail(struct str a, struct str b)
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
