/*
 * resolve.h - path resolution within the roots, one component at a time.
 *
 * The slow path of beneath.h, for paths with symlinks and for kernels without
 * openat2(). Each component is opened O_PATH|O_NOFOLLOW from the descriptor of
 * its parent, and the target of a symlink is resolved by the same rules, so
 * that nothing is reached but through the descriptor of a root. Directories
 * outside the roots are never accessed: there a path is compared as text, and
 * may only lead back into a root through directories known to be above one.
 */
#ifndef STET_RESOLVE_H
#define STET_RESOLVE_H

#include "files/roots.h"

#include <sys/stat.h>

/* A resolved path: the parent directory and the last component. */
struct resolved {
	int dir;        /* O_PATH or open for reading */
	char *name;     /* in dir, never a symlink; "" = dir itself */
	struct str key; /* the absolute path without symlinks */
	bool exists;
	struct stat st; /* valid if it exists */
};

#define RESOLVED_INIT      \
	{                  \
		.dir = -1, \
	}
#define auto_resolved cleanup(resolved_drop) struct resolved

void resolved_drop(struct resolved *r);

/*
 * 0 or an errno value: EXDEV = leads out of the roots, ENOENT = the parent
 * directory does not exist, ELOOP = too many symlinks, or one of /proc.
 */
must_check int resolve_path(const struct roots *roots, struct str path,
			    struct arena *mem, struct resolved *ret);

/* The same for a key, which has no symlinks: ELOOP if there is one now. */
must_check int resolve_key(const struct roots *roots, struct str key,
			   struct arena *mem, struct resolved *ret);

#endif
