/*
 * similar_names.c - "did you mean" for paths, by edit distance of the names in
 * one directory: that of the file, or of the first directory of the path that
 * does not exist. Each candidate is a file that passes the gate before it is
 * named.
 */
#include "tools/handlers/similar_names.h"

#include "text/display/caseless.h"
#include "tools/permissions/gate.h"

enum { MOST_NAMED = 3, MOST_TRIED = 12, MOST_MISSING = 8 };

struct near_name {
	struct str name;
	size_t distance;
};

/* Edit distance; larger than @most means too far. */
static size_t name_distance(struct str wanted, struct str name, size_t most)
{
	if (caseless_eq(wanted, name))
		return 0;
	/* "config" for "config.toml" */
	if (str_starts(name, wanted) && name.ptr[wanted.len] == '.')
		return 1;
	return str_distance(wanted, name, most);
}

static bool comes_after(struct str a, struct str b)
{
	int order = memcmp(a.ptr, b.ptr, size_min(a.len, b.len));

	return order > 0 || (!order && a.len > b.len);
}

/* Insert in order of distance, then of name. */
static size_t nearest_insert(struct near_name *best, size_t n,
			     struct near_name one)
{
	size_t at = n;

	while (at && (best[at - 1].distance > one.distance ||
		      (best[at - 1].distance == one.distance &&
		       comes_after(best[at - 1].name, one.name))))
		at--;
	if (at == MOST_TRIED)
		return n;
	if (n < MOST_TRIED)
		n++;
	for (size_t i = n - 1; i > at; i--)
		best[i] = best[i - 1];
	best[at] = one;
	return n;
}

static size_t find_nearest(const struct names *all, struct str wanted,
			   struct near_name best[MOST_TRIED])
{
	size_t most = size_min(1 + wanted.len / 4, 4), n = 0, far;

	for (size_t i = 0; i < all->count; i++) {
		far = name_distance(wanted, all->name[i], most);
		if (far <= most)
			n = nearest_insert(best, n,
					   (struct near_name){ all->name[i],
							       far });
	}
	return n;
}

/* Does the file exist, and may the caller know that? */
static bool may_suggest(struct call *c, struct str key)
{
	struct file_info info;
	struct fault ignored;

	return !ws_stat(c->ws, key, c->mem, &info, &ignored) && info.exists &&
	       info.is_file && str_eq(info.key, key) && gate_may_name(c, key);
}

/* A path, split after the deepest directory of it that exists. */
struct missing_name {
	struct names beside; /* names in that directory */
	struct str name;     /* the next name of the path, which is not there */
	struct str rest;     /* what follows it: "/main.c", or "" */
};

static bool find_missing(struct call *c, struct str path,
			 struct missing_name *ret)
{
	struct str head = path;

	for (int i = 0; i < MOST_MISSING && head.len; i++) {
		size_t slash = str_rfind(head, '/');

		ret->name = str_skip(head, slash + 1);
		ret->rest = str_skip(path, head.len);
		ret->beside =
			ws_names(c->ws, head,
				 /* directories= */ ret->rest.len > 0, c->mem);
		if (ret->beside.dir.len)
			return ret->name.len > 0;
		head = str_head(head, slash);
	}
	return false;
}

void similar_names_suggest(struct call *c)
{
	struct near_name best[MOST_TRIED];
	struct str path = c->fault->path;
	struct missing_name missing;
	size_t n, named = 0;
	auto_buf out = BUF_INIT;

	if (!str_starts(path, STR("/")) || c->fault->hint.len ||
	    !find_missing(c, path, &missing))
		return;
	n = find_nearest(&missing.beside, missing.name, best);
	for (size_t i = 0; i < n && named < MOST_NAMED; i++) {
		struct str key =
			arena_join(c->mem,
				   (struct str[]){ missing.beside.dir, STR("/"),
						   best[i].name, missing.rest },
				   4);

		if (may_suggest(c, key))
			buf_addf(&out, "%s" STR_FMT,
				 named++ ? ", " : "Did you mean ",
				 STR_ARG(key));
	}
	if (!named)
		return;
	buf_addc(&out, '?');
	c->fault->hint = arena_copy(c->mem, buf_str(&out));
}
