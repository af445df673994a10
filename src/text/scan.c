#include "text/scan.h"

/*
 * A plain vector of the compiler: an SSE2 register on any x86-64, and
 * whatever there is elsewhere. All of this waits for memory, so that wider
 * registers chosen at run time would bring nothing.
 */
typedef uint8_t vec __attribute__((vector_size(16)));

enum {
	VEC = sizeof(vec),
	ROUND = 255 * VEC, /* a lane counts to 255 */
	BLOCK = 4096,
	NEAR = 32, /* lines that are sooner found one by one */
};

/* Newlines in @n bytes, a multiple of VEC and at most ROUND. */
static size_t count_round(const char *p, size_t n)
{
	uint8_t lanes[VEC];
	vec sum = { 0 }, v;
	size_t total = 0;

	for (size_t i = 0; i < n; i += VEC) {
		memcpy(&v, p + i, VEC);
		sum -= (vec)(v == '\n'); /* true is -1 */
	}
	memcpy(lanes, &sum, VEC);
	for (size_t i = 0; i < VEC; i++)
		total += lanes[i];
	return total;
}

size_t scan_newlines(struct str s)
{
	size_t i = 0, total = 0;

	while (s.len - i >= VEC) {
		size_t n = size_min((s.len - i) / VEC * VEC, ROUND);

		total += count_round(s.ptr + i, n);
		i += n;
	}
	for (; i < s.len; i++)
		total += s.ptr[i] == '\n';
	return total;
}

size_t scan_lines(struct str s)
{
	return scan_newlines(s) + (s.len && s.ptr[s.len - 1] != '\n');
}

size_t scan_after(struct str s, size_t n)
{
	size_t at = 0;

	while (n > NEAR && s.len - at > BLOCK) {
		size_t found = scan_newlines(str_make(s.ptr + at, BLOCK));

		if (found >= n)
			break;
		n -= found;
		at += BLOCK;
	}
	for (; n && at < s.len; n--) {
		const char *nl = memchr(s.ptr + at, '\n', s.len - at);

		at = nl ? (size_t)(nl - s.ptr) + 1 : s.len;
	}
	return at;
}

size_t scan_same_head(struct str a, struct str b)
{
	size_t max = size_min(a.len, b.len), n = 0;

	while (max - n >= BLOCK && !memcmp(a.ptr + n, b.ptr + n, BLOCK))
		n += BLOCK;
	while (max - n >= VEC && !memcmp(a.ptr + n, b.ptr + n, VEC))
		n += VEC;
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

size_t scan_same_tail(struct str a, struct str b)
{
	size_t max = size_min(a.len, b.len), n = 0;

	while (max - n >= BLOCK && same_before(a, b, n, BLOCK))
		n += BLOCK;
	while (max - n >= VEC && same_before(a, b, n, VEC))
		n += VEC;
	while (n < max && same_before(a, b, n, 1))
		n++;
	return n;
}
