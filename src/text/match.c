#include "text/match.h"

#include "text/kernels.h"

/*
 * The text is filtered by two bytes of the needle, rare ones where it has
 * them, many positions at a time; what passes is compared. A text made to
 * pass the filter again and again costs more in comparing than in reading:
 * then memmem(), slower but linear, takes over.
 */
struct plan {
	struct str needle;
	size_t first, gap; /* the two bytes: at first, and gap after it */
};

enum {
	LOOK = 256,   /* how much of the needle is searched for rare bytes */
	PATIENCE = 8, /* bytes compared for each byte read */
	GRACE = 4096, /* compared before anybody counts */
};

/* How common a byte is in source and prose; only the order matters. */
static const uint8_t common[256] = {
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

static unsigned commonness(char c)
{
	return common[(unsigned char)c];
}

static struct plan plan_for(struct str needle)
{
	size_t look = size_min(needle.len, LOOK), best = 0, next = SIZE_MAX;

	for (size_t i = 1; i < look; i++)
		if (commonness(needle.ptr[i]) < commonness(needle.ptr[best]))
			best = i;
	for (size_t i = 0; i < look; i++) {
		if (i == best || needle.ptr[i] == needle.ptr[best])
			continue;
		if (next == SIZE_MAX ||
		    commonness(needle.ptr[i]) < commonness(needle.ptr[next]))
			next = i;
	}
	if (next == SIZE_MAX)
		next = needle.len - 1; /* all one byte: as far as can be */
	return (struct plan){
		.needle = needle,
		.first = size_min(best, next),
		.gap = size_max(best, next) - size_min(best, next),
	};
}

/* How many bytes @a and @b have in common from their start, up to @n. */
static size_t agree(const char *a, const char *b, size_t n)
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

static size_t find(struct str text, const struct plan *p, size_t from)
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
		same = agree(text.ptr + from, needle.ptr, needle.len);
		if (same == needle.len)
			return from;
		compared += same;
		if (compared > GRACE + PATIENCE * (from - start))
			return find_linear(text, needle, from + 1);
	}
	return MATCH_NONE;
}

size_t match_find(struct str text, struct str needle, size_t from)
{
	struct plan p;

	if (!needle.len || needle.len > text.len)
		return MATCH_NONE;
	p = plan_for(needle);
	return find(text, &p, from);
}

size_t match_count(struct str text, struct str needle)
{
	size_t count = 0, at = 0;
	struct plan p;

	if (!needle.len || needle.len > text.len)
		return 0;
	if (needle.len == 1)
		return kernels()->count(text.ptr, text.len, needle.ptr[0]);
	p = plan_for(needle);
	while ((at = find(text, &p, at)) != MATCH_NONE) {
		count++;
		at += needle.len;
	}
	return count;
}
