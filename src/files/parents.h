/*
 * parents.h - create the missing directories above a new file.
 *
 * Each is created relative to the descriptor of its parent, resolved by
 * beneath.h, so that none can end up outside the roots. The mode is 0777 less
 * the umask. When the file is not created after all, they can be removed.
 */
#ifndef STET_PARENTS_H
#define STET_PARENTS_H

#include "base/err.h"
#include "files/roots.h"

struct parent {
	struct str path;
	uint64_t dev, ino;
};

struct parents {
	struct parent *made; /* from the top down */
	size_t n;
};

/*
 * Create the missing directories above @key. ERR_NO_PARENT when one of the
 * names is not a directory, ERR_CHANGED when it is a symlink. @ret lists what
 * was created, also on failure.
 */
must_check enum err parents_make(const struct roots *roots, struct str key,
				 bool durable, struct arena *mem,
				 struct parents *ret, struct fault *f);

/*
 * After a removal: remove the directories above @key that are empty now and
 * were created at @since_ms or later, up to the root. Without a birth time in
 * the filesystem a directory stays.
 */
void parents_prune(const struct roots *roots, struct str key, uint64_t since_ms,
		   struct arena *mem);

/* Remove the created directories that are still the same and empty. */
void parents_undo(const struct roots *roots, struct parents *p,
		  struct arena *mem);

#endif
