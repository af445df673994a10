/*
 * parents.h - the directories above a file that is to be made.
 *
 * Each is made from the descriptor of the one above it, as beneath.h finds
 * it, so that none comes to be outside the roots. They get the mode that the
 * umask leaves. What was made for nothing can be taken back.
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
	struct parent *made; /* the upper ones first */
	size_t n;
};

/*
 * Make those above @key, a path without links, that are missing. ERR_NO_PARENT
 * where something else stands in the way, ERR_CHANGED where a link does. @ret
 * is true of what was made, also when it fails.
 */
must_check enum err parents_make(const struct roots *roots, struct str key,
				 bool durable, struct arena *mem,
				 struct parents *ret, struct fault *f);

/*
 * A file is gone: remove the directories above @key that are empty now and
 * were made at @since_ms or later, up to the root. One whose file system does
 * not say when it was made stays.
 */
void parents_prune(const struct roots *roots, struct str key, uint64_t since_ms,
		   struct arena *mem);

/* Remove those again that are still the same, and empty. */
void parents_undo(const struct roots *roots, struct parents *p,
		  struct arena *mem);

#endif
