/*
 * absent.c - "did you mean" for paths: the names of one directory, the nearest
 * of them, and the gate's word on each before it is told.
 */
#include "tools/absent.h"

#include "text/caseless.h"
#include "tools/gate.h"

enum { MOST_TOLD = 3, MOST_TRIED = 12 };

struct near_name {
	struct str name;
	size_t distance;
};

/* How far @name is from @wanted; more than @most: too far. */
static size_t distance(struct str wanted, struct str name, size_t most)
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

/* Keep the nearest, in order; of equals the first by the alphabet. */
static size_t keep(struct near_name *best, size_t n, struct near_name one)
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

static size_t nearest(const struct names *all, struct str wanted,
		      struct near_name best[MOST_TRIED])
{
	size_t most = size_min(1 + wanted.len / 4, 4), n = 0, far;

	for (size_t i = 0; i < all->count; i++) {
		far = distance(wanted, all->name[i], most);
		if (far <= most)
			n = keep(best, n,
				 (struct near_name){ all->name[i], far });
	}
	return n;
}

/* Is it there for this caller, and may it be named? */
static bool may_tell(struct call *c, struct str key)
{
	struct look look;
	struct fault ignored;

	return !ws_look(c->ws, key, c->mem, &look, &ignored) && look.exists &&
	       look.is_file && str_eq(look.key, key) && gate_may_name(c, key);
}

void absent_explain(struct call *c)
{
	struct near_name best[MOST_TRIED];
	struct str path = c->fault->path, wanted;
	size_t slash = str_rfind(path, '/'), n, told = 0;
	auto_buf out = BUF_INIT;
	struct names all;

	if (!str_starts(path, STR("/")) || c->fault->hint.len)
		return;
	wanted = str_skip(path, slash + 1);
	all = ws_names(c->ws, path, c->mem);
	n = nearest(&all, wanted, best);
	for (size_t i = 0; i < n && told < MOST_TOLD; i++) {
		struct str key = arena_join(c->mem,
					    (struct str[]){ all.dir, STR("/"),
							    best[i].name },
					    3);

		if (may_tell(c, key))
			buf_addf(&out, "%s" STR_FMT,
				 told++ ? ", " : "Did you mean ", STR_ARG(key));
	}
	if (!told)
		return;
	buf_addc(&out, '?');
	c->fault->hint = arena_copy(c->mem, buf_str(&out));
}
