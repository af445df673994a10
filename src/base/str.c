/*
 * str.c - searching in views, and the edit distance of names.
 */
#include "base/str.h"

size_t str_find(struct str s, char c)
{
	const char *at = s.len ? memchr(s.ptr, c, s.len) : NULL;

	return at ? (size_t)(at - s.ptr) : s.len;
}

size_t str_rfind(struct str s, char c)
{
	const char *at = s.len ? memrchr(s.ptr, c, s.len) : NULL;

	return at ? (size_t)(at - s.ptr) : s.len;
}

bool str_split(struct str *rest, char sep, struct str *part)
{
	size_t n;

	if (!rest->ptr)
		return false;
	n = str_find(*rest, sep);
	*part = str_head(*rest, n);
	if (n < rest->len)
		*rest = str_skip(*rest, n + 1);
	else
		*rest = (struct str){ NULL, 0 };
	return true;
}

enum { NAME_MAX_LEN = 64 };

/* The cheapest of a deletion, an insertion and a change. */
static size_t best_step(size_t up, size_t left, size_t across, bool same)
{
	size_t step = size_min(up, left) + 1;

	return size_min(step, across + (same ? 0 : 1));
}

size_t str_distance(struct str a, struct str b, size_t most)
{
	size_t rows[3][NAME_MAX_LEN + 1];
	size_t *older = rows[0], *last = rows[1], *now = rows[2], *spare;

	if (a.len > NAME_MAX_LEN || b.len > NAME_MAX_LEN)
		return most + 1;
	for (size_t j = 0; j <= b.len; j++)
		older[j] = last[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		now[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			now[j] = best_step(last[j], now[j - 1], last[j - 1],
					   a.ptr[i - 1] == b.ptr[j - 1]);
			if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
			    a.ptr[i - 2] == b.ptr[j - 1])
				now[j] = size_min(now[j], older[j - 2] + 1);
		}
		spare = older;
		older = last;
		last = now;
		now = spare;
	}
	return size_min(last[b.len], most + 1);
}
