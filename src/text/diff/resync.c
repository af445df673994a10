/*
 * resync.c - resynchronise two long texts after each difference.
 *
 * Equal parts are skipped with common_prefix(), at memory speed. Skips are
 * tried in the order of their length, so the fewest lines become a difference.
 */
#include "text/diff/resync.h"

#include "text/diff/common_prefix.h"
#include "text/lines/lines.h"

/* The rest of both texts. */
struct pair {
	struct str a, b;
};

static struct pair skip(struct pair p, size_t a, size_t b)
{
	return (struct pair){ str_skip(p.a, a), str_skip(p.b, b) };
}

/* The common prefix in whole lines; all of it when the texts are equal. */
static size_t same_lines(struct pair p)
{
	size_t same = common_prefix(p.a, p.b);
	size_t line;

	if (same == p.a.len && same == p.b.len)
		return same;
	line = str_rfind(str_head(p.a, same), '\n');
	return line == same ? 0 : line + 1;
}

static bool is_equal_again(struct pair p)
{
	size_t most = RESYNC_SAME;

	if (p.a.len < most || p.b.len < most)
		return str_eq(p.a, p.b);
	return str_eq(str_head(p.a, most), str_head(p.b, most));
}

/* Are the texts equal again after @a and @b lines? Then *@p moves there. */
static bool try_skip(struct pair *p, size_t a, size_t b)
{
	struct pair rest = skip(*p, lines_after(p->a, a), lines_after(p->b, b));

	if (!is_equal_again(rest))
		return false;
	*p = rest;
	return true;
}

/* The rest of the texts from where they are equal again. */
static struct pair next_equal(struct pair p)
{
	for (size_t n = 1; n <= RESYNC_LINES; n++)
		if (try_skip(&p, n, 0) || try_skip(&p, 0, n) ||
		    try_skip(&p, n, n))
			return p;
	return skip(p, p.a.len, p.b.len);
}

struct splice *resync(struct str a, struct str b, struct arena *mem,
		      size_t *ret_count)
{
	struct splice *list = NULL;
	struct pair at = { a, b };
	size_t n = 0, room = 0;

	for (;;) {
		size_t same = same_lines(at);
		struct pair differ = skip(at, same, same);

		if (!differ.a.len && !differ.b.len)
			break;
		if (n == room) {
			room = size_max(16, room * 2);
			list = arena_grow(mem, list, n * sizeof(*list),
					  room * sizeof(*list));
		}
		at = next_equal(differ);
		list[n++] =
			(struct splice){ a.len - differ.a.len, a.len - at.a.len,
					 str_head(differ.b,
						  differ.b.len - at.b.len) };
	}
	*ret_count = n;
	return list;
}
