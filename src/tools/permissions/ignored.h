/*
 * ignored.h - the ignore files of a project (.stetignore, .claudeignore ...).
 *
 * They are looked up for every call, through the workspace, from the root down
 * to the directory of the file, as git does with .gitignore; compiled files are
 * cached (patterns.h). Each name of ignore file decides on its own: none can
 * negate another.
 */
#ifndef STET_IGNORED_H
#define STET_IGNORED_H

#include "tools/permissions/rules.h"

/* Names that are always looked for; with_gitignore has .gitignore too. */
extern const char *const ignore_file_names[];
extern const char *const ignore_file_names_with_gitignore[];

/*
 * The file and line that ignore the file of @d, "/w/src/.stetignore:3", for
 * d->ignored; "" = none does. An ignore file that cannot be read, or not within
 * the budgets of patterns.h, ignores everything beneath it: then the text says
 * what is wrong with it. action_place() has filled in @d. If @progress (may be
 * NULL) cancels, the result is undefined.
 */
struct str ignored_by(const struct rules *r, struct workspace *ws,
		      const struct action *d, const struct progress *progress,
		      struct arena *mem);

/*
 * The ignore files that may exist above the file that was decided last: a call
 * that decides on many looks for them once in each directory. Starts as { 0 },
 * and lasts as long as the arena and the paths.
 */
struct ignored_cache {
	const char *const *names;
	struct str root, dir;
	const struct ignore_levels *levels;
};

/* The same, for one of many files. */
struct str ignored_by_cached(const struct rules *r, struct workspace *ws,
			     const struct action *d,
			     const struct progress *progress, struct arena *mem,
			     struct ignored_cache *cache);

#endif
