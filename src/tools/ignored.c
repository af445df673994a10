#include "tools/ignored.h"

#include "files/path.h"
#include "tools/patterns.h"

/*
 * The ignore files on the way to a file, one name after the other. All of a
 * call is on one budget (patterns.h), and what cannot be decided within it is
 * left alone.
 */

#define NAMES ".stetignore", ".claudeignore", ".cursorignore", ".aiexclude"
const char *const ignore_file_names[] = { NAMES, NULL };
const char *const ignore_file_names_with_gitignore[] = { NAMES, ".gitignore",
							 NULL };
#undef NAMES

/* Of one name: from the root down, and above the root. */
enum { MOST_LISTS = 2 * PATTERNS_MAX_LEVELS };

/* What a decision needs; lists and files are those of one name. */
struct ignoring {
	struct workspace *ws;
	const struct rules *rules;
	struct str root;
	/* What names in lists are from: root, or a directory above with a list. */
	struct str base;
	struct arena *mem;
	struct patterns_budget left;
	struct glob_effort effort;
	struct ignore_list lists[MOST_LISTS];
	struct patterns *files[MOST_LISTS]; /* NULL = read with the rules */
	size_t n;
};

/* A directory between the root and the file. */
struct level {
	struct str dir; /* from the root; "" = the root */
	unsigned names; /* those of the ignore files that may be there */
};

struct way {
	struct level levels[PATTERNS_MAX_LEVELS];
	size_t n;
	bool any;      /* there is an ignore file */
	bool too_deep; /* for all of its levels to be here */
};

static struct str path_of(const struct ignoring *g, struct str dir,
			  const char *name)
{
	if (dir.len)
		dir = path_join(g->mem, g->root, dir);
	else
		dir = g->root;
	return name ? path_join(g->mem, dir, str_of(name)) : dir;
}

/* Where ignore files may be on the way down: mostly there are none. */
static void find_way(struct ignoring *g, const char *const *names,
		     struct str part, struct way *ret)
{
	struct level at;

	ret->n = 0;
	ret->any = ret->too_deep = false;
	for (size_t i = 0; i < part.len; i++) {
		if (i && part.ptr[i] != '/')
			continue;
		at.dir = str_head(part, i);
		at.names = ws_present(g->ws, path_of(g, at.dir, NULL), names,
				      g->mem)
				   .names;
		ret->any = ret->any || at.names;
		ret->too_deep = ret->n == PATTERNS_MAX_LEVELS;
		if (ret->too_deep && ret->any)
			return;
		if (!ret->too_deep)
			ret->levels[ret->n++] = at;
	}
}

static void drop_files(struct ignoring *g)
{
	while (g->n)
		patterns_drop(g->files[--g->n]);
}

/* What follows the base, in a path that is beneath it. */
static struct str from_base(const struct ignoring *g, struct str path)
{
	struct str rest;

	return path_beneath(path, g->base, &rest) ? rest : STR("");
}

/* Add the list of a directory above the root, or say why it cannot be. */
static struct str add_above(struct ignoring *g, const struct ignore_above *file)
{
	if (file->unusable.len)
		return file->unusable;
	g->files[g->n] = NULL;
	g->lists[g->n] = file->list;
	g->lists[g->n++].dir = from_base(g, file->dir);
	return STR("");
}

/* Add the file at @path to those that decide; else why it cannot be. */
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
	g->lists[g->n].dir = from_base(g, path_of(g, dir, NULL));
	g->lists[g->n++].source = path;
	return STR("");
}

static struct str decide(struct ignoring *g, struct str part)
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

/* What the files of one name, the @index'th, say. */
static struct str by_name(struct ignoring *g, const struct way *way,
			  unsigned index, const char *name, struct str part)
{
	const struct rules *r = g->rules;
	struct str found = STR("");
	unsigned bit = 1u << index;

	for (size_t i = 0; i < r->ignore_above_count && !found.len; i++)
		if (r->ignore_above[i].name == index &&
		    is_above(g, &r->ignore_above[i]))
			found = add_above(g, &r->ignore_above[i]);
	for (size_t i = 0; i < way->n && !found.len; i++)
		if (way->levels[i].names & bit)
			found = add_file(g, way->levels[i].dir,
					 path_of(g, way->levels[i].dir, name));
	if (!found.len)
		found = decide(g, from_base(g, path_of(g, part, NULL)));
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
	struct way way;

	find_way(g, names, part, &way);
	if (!find_base(g) && !way.any)
		return found;
	if (way.too_deep && way.any)
		return arena_printf(g->mem,
				    "its directory is too deep for ignore "
				    "files (limit %d levels)",
				    PATTERNS_MAX_LEVELS);
	for (unsigned i = 0; names[i] && !found.len; i++)
		found = by_name(g, &way, i, names[i], part);
	return found;
}

struct str ignored_by(const struct rules *r, struct workspace *ws,
		      const struct deed *d, const struct errand *errand,
		      struct arena *mem)
{
	struct ignoring g = {
		.ws = ws,
		.root = d->root,
		.mem = mem,
		.left = PATTERNS_BUDGET(errand),
		.effort = { .steps = IGNORE_MAX_STEPS },
	};
	struct str found;

	g.rules = r = rules_now(r);
	if (!r->ignore_files || !d->root.len)
		return STR("");
	if (errand) {
		g.effort.stop = errand->stop;
		g.effort.ctx = errand->ctx;
	}
	found = by_files(&g, d->key_part);
	g.root = d->path_root;
	if (!found.len && d->part.len && !deed_same_name(d))
		found = by_files(&g, d->part);
	return found;
}
