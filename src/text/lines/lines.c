/*
 * lines.c - count and find lines.
 *
 * A far line is found by counting the newlines of whole blocks with a kernel
 * and then searching one block; a near one by memchr().
 */
#include "text/lines/lines.h"

#include "text/lines/kernels.h"

/* A block is read twice, so it must fit into the L1 cache. */
enum {
	BLOCK = 8192,
	FEW_LINES = 16 /* so few are found faster one by one */
};

size_t lines_newlines(struct str s)
{
	return s.len ? kernels()->count(s.ptr, s.len, '\n') : 0;
}

size_t lines_scan(struct str s, bool *ret_ascii)
{
	*ret_ascii = true;
	return s.len ? kernels()->scan(s.ptr, s.len, ret_ascii) : 0;
}

size_t lines_count(struct str s)
{
	bool tail = s.len && s.ptr[s.len - 1] != '\n';

	return lines_newlines(s) + tail;
}

size_t lines_start(struct str s, size_t line)
{
	return line <= 1 ? 0 : lines_after(s, line - 1);
}

size_t lines_at(struct str s, size_t offset)
{
	return lines_newlines(str_head(s, offset)) + 1;
}

static size_t after_few(struct str s, size_t n)
{
	const char *end;
	size_t at = 0;

	for (; n && at < s.len; n--) {
		end = memchr(s.ptr + at, '\n', s.len - at);
		at = end ? (size_t)(end - s.ptr) + 1 : s.len;
	}
	return at;
}

size_t lines_after(struct str s, size_t n)
{
	const struct kernels *k = kernels();
	size_t at = 0;

	if (n <= FEW_LINES)
		return after_few(s, n);
	while (at < s.len) {
		size_t size = size_min(BLOCK, s.len - at);
		size_t seen = k->count(s.ptr + at, size, '\n');

		if (seen >= n)
			return at + k->nth(s.ptr + at, size, '\n', n) + 1;
		n -= seen;
		at += size;
	}
	return s.len;
}
