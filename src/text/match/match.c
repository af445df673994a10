/*
 * match.c - exact substring search with SIMD kernels.
 *
 * The text is filtered by two bytes of the needle, rare ones where it has them,
 * many positions at a time (kernels.h); what passes is compared. An adversarial
 * text that passes the filter again and again makes comparing cost more than
 * reading; then memmem(), slower but linear, takes over.
 */
#include "text/match/match.h"

#include "text/lines/kernels.h"

enum {
	RARE_SEARCH = 256,     /* bytes of the needle searched for rare ones */
	COMPARED_PER_BYTE = 8, /* limit of bytes compared per byte read, */
	COMPARED_FREE = 4096,  /* above this many */
};

/*
 * Rank of a byte's frequency in source code and prose; only the order matters.
 */
static const uint8_t frequency[256] = {
	[' '] = 100, ['e'] = 90, ['t'] = 89,  ['a'] = 88,  ['o'] = 87,
	['i'] = 86,  ['n'] = 85, ['s'] = 84,  ['r'] = 83,  ['l'] = 82,
	['c'] = 81,  ['d'] = 80, ['u'] = 79,  ['p'] = 78,  ['m'] = 77,
	['f'] = 76,  ['h'] = 75, ['g'] = 74,  ['b'] = 73,  ['y'] = 72,
	['v'] = 71,  ['w'] = 70, ['x'] = 69,  ['k'] = 68,  ['z'] = 67,
	['j'] = 66,  ['q'] = 65, ['\n'] = 80, ['\t'] = 80, ['('] = 50,
	[')'] = 50,  ['_'] = 50, ['.'] = 50,  [','] = 50,  [';'] = 50,
	['='] = 50,  ['"'] = 50, ['\''] = 50, ['-'] = 50,  ['/'] = 50,
	['*'] = 50,  ['0'] = 40, ['1'] = 40,  ['2'] = 40,  ['3'] = 40,
	['4'] = 40,  ['5'] = 40, ['6'] = 40,  ['7'] = 40,  ['8'] = 40,
	['9'] = 40,
};

static unsigned frequency_of(char c)
{
	return frequency[(unsigned char)c];
}

struct match_plan match_plan(struct str needle)
{
	size_t look = size_min(needle.len, RARE_SEARCH), best = 0,
	       next = SIZE_MAX;

	for (size_t i = 1; i < look; i++)
		if (frequency_of(needle.ptr[i]) <
		    frequency_of(needle.ptr[best]))
			best = i;
	for (size_t i = 0; i < look; i++) {
		if (i == best || needle.ptr[i] == needle.ptr[best])
			continue;
		if (next == SIZE_MAX || frequency_of(needle.ptr[i]) <
						frequency_of(needle.ptr[next]))
			next = i;
	}
	if (next == SIZE_MAX)
		next = needle.len - 1; /* all bytes are equal */
	return (struct match_plan){
		.needle = needle,
		.first = size_min(best, next),
		.gap = size_max(best, next) - size_min(best, next),
	};
}

/* The length of the common prefix of @a and @b, up to @n. */
static size_t common_bytes(const char *a, const char *b, size_t n)
{
	uint64_t x, y;
	size_t i = 0;

	for (; n - i >= sizeof(x); i += sizeof(x)) {
		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		if (x != y)
			break;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

static size_t find_linear(struct str text, struct str needle, size_t from)
{
	const char *at = memmem(text.ptr + from, text.len - from, needle.ptr,
				needle.len);

	return at ? (size_t)(at - text.ptr) : MATCH_NONE;
}

size_t match_planned(struct str text, const struct match_plan *p, size_t from)
{
	struct str needle = p->needle;
	size_t compared = 0, start = from, end;
	char a = needle.ptr[p->first], b = needle.ptr[p->first + p->gap];

	if (text.len < needle.len || from > text.len - needle.len)
		return MATCH_NONE;
	for (end = text.len - needle.len + 1; from < end; from++) {
		const char *at = text.ptr + from + p->first;
		size_t same;

		from += kernels()->find_pair(at, end - from, p->gap, a, b);
		if (from == end)
			break;
		same = common_bytes(text.ptr + from, needle.ptr, needle.len);
		if (same == needle.len)
			return from;
		compared += same;
		if (compared >
		    COMPARED_FREE + COMPARED_PER_BYTE * (from - start))
			return find_linear(text, needle, from + 1);
	}
	return MATCH_NONE;
}

size_t match_find(struct str text, struct str needle, size_t from)
{
	struct match_plan p;

	if (!needle.len || needle.len > text.len)
		return MATCH_NONE;
	p = match_plan(needle);
	return match_planned(text, &p, from);
}

size_t match_count(struct str text, struct str needle)
{
	size_t count = 0, at = 0;
	struct match_plan p;

	if (!needle.len || needle.len > text.len)
		return 0;
	if (needle.len == 1)
		return kernels()->count(text.ptr, text.len, needle.ptr[0]);
	p = match_plan(needle);
	while ((at = match_planned(text, &p, at)) != MATCH_NONE) {
		count++;
		at += needle.len;
	}
	return count;
}

static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

static bool caseless_at(const char *text, struct str needle)
{
	size_t i = 0;

	while (i < needle.len && lower(text[i]) == needle.ptr[i])
		i++;
	return i == needle.len;
}

size_t match_caseless(struct str text, const struct match_plan *p, size_t from)
{
	struct str needle = p->needle;
	char a = (char)(needle.ptr[p->first] | 0x20);
	char b = (char)(needle.ptr[p->first + p->gap] | 0x20);
	size_t end;

	if (text.len < needle.len || from > text.len - needle.len)
		return MATCH_NONE;
	for (end = text.len - needle.len + 1; from < end; from++) {
		const char *at = text.ptr + from + p->first;

		from += kernels()->find_pair_caseless(at, end - from, p->gap, a,
						      b);
		if (from < end && caseless_at(text.ptr + from, needle))
			return from;
	}
	return MATCH_NONE;
}
