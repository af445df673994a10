/*
 * path.h - paths as text.
 *
 * Nothing here accesses the disk, so nothing here can decide what a symlink or
 * a ".." leads to: that is for beneath.h.
 */
#ifndef STET_PATH_H
#define STET_PATH_H

#include "base/arena.h"

/* Starts with "/" and contains no NUL byte. */
bool path_absolute(struct str path);

/*
 * Remove the next component from the front of @rest, skipping slashes and "."
 * components. False when there is none. The remainder keeps its leading slash.
 */
bool path_next(struct str *rest, struct str *name);

/* Is @name one of the components of @path? */
bool path_has(struct str path, const char *name);

/*
 * Is @path the directory @dir or below it, component by component? Then *@rest
 * is the remainder, without the slash; "" for @dir itself. A ".." in the
 * compared part of @path never matches.
 */
bool path_beneath(struct str path, struct str dir, struct str *rest);

/*
 * @dir joined with @rest, normalised: no ".", no double slashes, ".." removed
 * with its parent (not above @dir). This equals path resolution only where
 * @rest contains no symlinks.
 */
struct str path_join(struct arena *mem, struct str dir, struct str rest);

/* The parent directory of a normalised @path. */
struct str path_parent(struct str path);

/* @path without its last component, normalised or not; "" when none. */
struct str path_cut(struct str path);

#endif
