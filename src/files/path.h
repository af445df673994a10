/*
 * path.h - paths as text.
 *
 * Nothing here looks at the disk, so nothing here may decide what a link or
 * a ".." leads to: that is for beneath.h.
 */
#ifndef STET_PATH_H
#define STET_PATH_H

#include "base/arena.h"

/* Starts with "/" and holds no NUL byte. */
bool path_absolute(struct str path);

/*
 * Take the next name off the front of @rest; slashes before it and names
 * "." are left out. False when there is none. What follows the name stays,
 * with its slash.
 */
bool path_next(struct str *rest, struct str *name);

/* Is one of the names in @path @name? */
bool path_has(struct str path, const char *name);

/*
 * Is @path the directory @dir or beneath it, name by name? Then *@rest is
 * what follows, without the slash; "" for @dir itself. A ".." in that part
 * of @path never matches.
 */
bool path_beneath(struct str path, struct str dir, struct str *rest);

/*
 * @dir with @rest after it, written the short way: no ".", no double
 * slashes, ".." taken back (not above @dir). True to the disk only where
 * @rest is known to go through no links.
 */
struct str path_join(struct arena *mem, struct str dir, struct str rest);

/* The directory that holds @path, which is written the short way. */
struct str path_parent(struct str path);

/* @path without its last name, however it is written; "" when it has none. */
struct str path_cut(struct str path);

#endif
