/*
 * whole.h - all bytes of an open file.
 */
#ifndef STET_WHOLE_H
#define STET_WHOLE_H

#include "files/workspace.h"

#include <sys/stat.h>

/* Is somebody still waiting for it? ERR_CANCELLED when not. */
must_check enum err errand_goes_on(const struct errand *errand, uint64_t done,
				   uint64_t total, struct fault *f);

/* ERR_LATER when @bytes are more than can be waited for here. */
must_check enum err errand_patience(const struct errand *errand, uint64_t bytes,
				    struct fault *f);

/*
 * Read @fd, of which @st was just taken, to its end into @mem. A file that
 * changes meanwhile is read again, a few times, so that a mix of two states
 * is not returned unless somebody never stops writing.
 */
must_check enum err whole_read(int fd, struct stat *st, uint64_t max,
			       const struct errand *errand, struct arena *mem,
			       struct str *ret, struct fault *f);

/*
 * The hash of all bytes of @fd: 0, or -1 with errno. When it is small and has
 * the @size that is expected, one read is enough to see that it ends there.
 */
must_check int whole_hash(int fd, off_t size, struct hash *ret);

/* The same for a caller who may give up: ECANCELED. @errand may be NULL. */
must_check int whole_hash_for(const struct errand *errand, int fd, off_t size,
			      struct hash *ret);

/* Does @fd hold exactly @bytes? 1, 0, or -1 with errno. */
must_check int whole_is(int fd, struct str bytes);

#endif
