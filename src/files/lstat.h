/*
 * lstat.h - resolve a name for itself: a symlink that has it is not followed,
 * those above it are, within the roots.
 *
 * struct resolved is as in resolve.h, but that its name may be a symlink's.
 */
#ifndef STET_LSTAT_H
#define STET_LSTAT_H

#include "base/err.h"
#include "files/resolve.h"

/*
 * ret->dir is -1 when the directory of the name does not exist; only the key is
 * known then. A root, which has no name below itself, has the name "".
 */
must_check enum err lstat_resolve(const struct roots *roots, struct str path,
				  struct arena *mem, struct resolved *ret,
				  struct fault *f);

/*
 * The same for a key: no symlink above is followed, ERR_CHANGED for one.
 * ERR_NO_PARENT when the directory does not exist.
 */
must_check enum err lstat_resolve_key(const struct roots *roots, struct str key,
				      struct arena *mem, struct resolved *ret,
				      struct fault *f);

/* Is it a root, or does a root lie beneath it? */
bool lstat_holds_root(const struct roots *roots, struct str key);

#endif
