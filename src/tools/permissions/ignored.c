/*
 * ignored.c - searches the ignore files of a project from the root down to a
 * file.
 *
 * Each name of ignore file is decided on its own. One budget for the whole
 * call (patterns.h): what cannot be decided within it counts as ignored,
 * because that forbids.
 */
#include "tools/permissions/ignored.h"

#include "files/path.h"
#include "tools/permissions/patterns.h"

#define NAMES ".stetignore", ".claudeignore", ".cursorignore", ".aiexclude"
const char *const ignore_file_names[] = { NAMES, NULL };
const char *const ignore_file_names_with_gitignore[] = { NAMES, ".gitignore",
							 NULL };
#undef NAMES

/* Lists of one name: from the root down, and above the root. */
enum { MOST_LISTS = 2 * PATTERNS_MAX_LEVELS };

/* State of one decision; lists and files are those of one name. */
struct ignoring {
	struct workspace *ws;
	const struct rules *rules;
	struct str root;
	/* Lists are relative to this: root, or a directory above with a list. */
	struct str base;
	struct arena *mem;
	struct ignored_cache *cache; /* or NULL */
	struct patterns_budget left;
	struct glob_budget effort;
	struct ignore_list lists[MOST_LISTS];
	struct patterns *files[MOST_LISTS]; /* NULL = read with the rules */
	size_t n;
};

/* A directory between the root and the file. */
struct level {
	struct str dir; /* relative to the root; "" = the root */
	unsigned names; /* bit set of ignore files that may exist there */
};

struct ignore_levels {
	struct level level[PATTERNS_MAX_LEVELS];
	size_t n;
	bool any;      /* some ignore file may exist */
	bool too_deep; /* more than PATTERNS_MAX_LEVELS */
};

static struct str path_in_root(const struct ignoring *g, struct str dir,
			       const char *name)
{
	if (dir.len)
		dir = path_join(g->mem, g->root, dir);
	else
		dir = g->root;
	return name ? path_join(g->mem, dir, str_of(name)) : dir;
}

/* Find the directories that may have ignore files; mostly there are none. */
static void find_levels(struct ignoring *g, const char *const *names,
			struct str part, struct ignore_levels *ret)
{
	struct level at;

	ret->n = 0;
	ret->any = ret->too_deep = false;
	for (size_t i = 0; i < part.len; i++) {
		if (i && part.ptr[i] != '/')
			continue;
		at.dir = str_head(part, i);
		at.names = ws_present(g->ws, path_in_root(g, at.dir, NULL),
				      names, g->mem)
				   .names;
		ret->any = ret->any || at.names;
		ret->too_deep = ret->n == PATTERNS_MAX_LEVELS;
		if (ret->too_deep && ret->any)
			return;
		if (!ret->too_deep)
			ret->level[ret->n++] = at;
	}
}

static bool is_cached(const struct ignoring *g, struct str dir)
{
	const struct ignored_cache *cache = g->cache;

	return cache->levels && cache->names == g->rules->ignore_files &&
	       str_eq(cache->root, g->root) && str_eq(cache->dir, dir);
}

/* The levels of @part, which are those of every file in its directory. */
static const struct ignore_levels *levels_of(struct ignoring *g,
					     struct str part,
					     struct ignore_levels *room)
{
	const char *const *names = g->rules->ignore_files;
	size_t end = part.len;

	if (!g->cache) {
		find_levels(g, names, part, room);
		return room;
	}
	while (end && part.ptr[end - 1] != '/')
		end--;
	if (!is_cached(g, str_head(part, end))) {
		struct ignore_levels *found =
			arena_new(g->mem, struct ignore_levels);

		find_levels(g, names, part, found);
		*g->cache =
			(struct ignored_cache){ names, g->root,
						str_head(part, end), found };
	}
	return g->cache->levels;
}

static void drop_files(struct ignoring *g)
{
	while (g->n)
		patterns_drop(g->files[--g->n]);
}

/* @path relative to the base. */
static struct str from_base(const struct ignoring *g, struct str path)
{
	struct str rest;

	return path_beneath(path, g->base, &rest) ? rest : STR("");
}

/* Add a list from above the root; returns why it is unusable, or "". */
static struct str add_above(struct ignoring *g, const struct ignore_above *file)
{
	if (file->unusable.len)
		return file->unusable;
	g->files[g->n] = NULL;
	g->lists[g->n] = file->list;
	g->lists[g->n++].dir = from_base(g, file->dir);
	return STR("");
}

/* Add the ignore file at @path; returns why it is unusable, or "". */
static struct str add_file(struct ignoring *g, struct str dir, struct str path)
{
	struct patterns *file;
	struct str why;

	switch (patterns_get(g->ws, path, PATTERNS_IGNORE, &g->left, g->mem,
			     &file, &why)) {
	case PATTERNS_ABSENT:
		return STR("");
	case PATTERNS_UNUSABLE:
		why = why.len ? why : STR(" is outside the roots");
		return arena_printf(g->mem, "the ignore file " STR_FMT STR_FMT,
				    STR_ARG(path), STR_ARG(why));
	case PATTERNS_HERE:
		break;
	}
	g->files[g->n] = file;
	g->lists[g->n] = file->list;
	g->lists[g->n].dir = from_base(g, path_in_root(g, dir, NULL));
	g->lists[g->n++].source = path;
	return STR("");
}

static struct str decide_by_lists(struct ignoring *g, struct str part)
{
	struct ignore_cause cause;

	if (!ignore_decide_within(g->lists, g->n, part, false, &g->effort,
				  &cause))
		return STR("");
	if (g->effort.exhausted)
		return arena_printf(g->mem,
				    "the ignore file " STR_FMT
				    " takes too long to match, at line %zu "
				    "(limit %d steps)",
				    STR_ARG(cause.list->source),
				    cause.rule->line, IGNORE_MAX_STEPS);
	return arena_printf(g->mem, STR_FMT ":%zu", STR_ARG(cause.list->source),
			    cause.rule->line);
}

static bool is_above(const struct ignoring *g, const struct ignore_above *file)
{
	struct str rest;

	return path_beneath(g->root, file->dir, &rest);
}

/* Decide by the ignore files of one name, the @index'th. */
static struct str by_name(struct ignoring *g,
			  const struct ignore_levels *levels, unsigned index,
			  const char *name, struct str part)
{
	const struct rules *r = g->rules;
	struct str found = STR("");
	unsigned bit = 1u << index;

	for (size_t i = 0; i < r->ignore_above_count && !found.len; i++)
		if (r->ignore_above[i].name == index &&
		    is_above(g, &r->ignore_above[i]))
			found = add_above(g, &r->ignore_above[i]);
	for (size_t i = 0; i < levels->n && !found.len; i++)
		if (levels->level[i].names & bit)
			found = add_file(g, levels->level[i].dir,
					 path_in_root(g, levels->level[i].dir,
						      name));
	if (!found.len)
		found = decide_by_lists(g, from_base(g, path_in_root(g, part,
								     NULL)));
	drop_files(g);
	return found;
}

/* The outermost directory above the root that has a list; false: none has. */
static bool find_base(struct ignoring *g)
{
	const struct rules *r = g->rules;

	g->base = g->root;
	for (size_t i = 0; i < r->ignore_above_count; i++)
		if (is_above(g, &r->ignore_above[i])) {
			g->base = r->ignore_above[i].dir;
			return true;
		}
	return false;
}

static struct str by_files(struct ignoring *g, struct str part)
{
	const char *const *names = g->rules->ignore_files;
	struct str found = STR("");
	struct ignore_levels room;
	const struct ignore_levels *levels = levels_of(g, part, &room);

	if (!find_base(g) && !levels->any)
		return found;
	if (levels->too_deep && levels->any)
		return arena_printf(g->mem,
				    "its directory is too deep for ignore "
				    "files (limit %d levels)",
				    PATTERNS_MAX_LEVELS);
	for (unsigned i = 0; names[i] && !found.len; i++)
		found = by_name(g, levels, i, names[i], part);
	return found;
}

struct str ignored_by(const struct rules *r, struct workspace *ws,
		      const struct action *d, const struct progress *progress,
		      struct arena *mem)
{
	return ignored_by_cached(r, ws, d, progress, mem, NULL);
}

struct str ignored_by_cached(const struct rules *r, struct workspace *ws,
			     const struct action *d,
			     const struct progress *progress, struct arena *mem,
			     struct ignored_cache *cache)
{
	struct ignoring g = {
		.cache = cache,
		.ws = ws,
		.root = d->root,
		.mem = mem,
		.left = PATTERNS_BUDGET(progress),
		.effort = { .steps = IGNORE_MAX_STEPS },
	};
	struct str found;

	g.rules = r = rules_now(r);
	if (!r->ignore_files || !d->root.len)
		return STR("");
	if (progress) {
		g.effort.stop = progress->stop;
		g.effort.ctx = progress->ctx;
	}
	found = by_files(&g, d->key_part);
	g.root = d->path_root;
	if (!found.len && d->part.len && !action_same_name(d))
		found = by_files(&g, d->part);
	return found;
}
