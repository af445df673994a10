/*
 * statefile.h - small files in the state directory, for their user alone.
 *
 * They hold what lets somebody in, so one that others may read is refused and
 * not used. A write is one step: whoever reads sees the old or the new bytes,
 * also after a power cut. Whoever writes holds the lock; nobody needs it to
 * read. The words of faults are in @mem.
 */
#ifndef STET_STATEFILE_H
#define STET_STATEFILE_H

#include "base/err.h"

enum { STATEFILE_MOST = 256 * 1024 }; /* bytes */

struct statedir {
	struct str path;
	int fd; /* -1 = not open */
};

/* Not one: for files that the person names. */
extern const struct statedir statedir_here;

#define STATEDIR_INIT    \
	{                \
		.fd = -1 \
	}
#define auto_statedir cleanup(statedir_close) struct statedir

/* ERR_NOT_FOUND when it is not there; @make: then it is made. */
must_check enum err statedir_open(struct str path, bool make,
				  struct statedir *ret, struct arena *mem,
				  struct fault *f);
void statedir_close(struct statedir *d);

/* Alone among those who write here, until *@ret is closed. */
must_check enum err statedir_lock(const struct statedir *d, int *ret,
				  struct arena *mem, struct fault *f);

/* The same without waiting: false when another has it. */
must_check bool statedir_try_lock(const struct statedir *d, int *ret);

/*
 * All of a file. ERR_NOT_FOUND when there is none; ERR_BAD_CONFIG when it is
 * not to be used. @ret_fd, if it is not NULL, stays open.
 */
must_check enum err statefile_read(const struct statedir *d, const char *name,
				   struct arena *mem, struct str *ret,
				   int *ret_fd, struct fault *f);

/* Under the lock. @durable: it is on the disk before this returns. */
must_check enum err statefile_write(const struct statedir *d, const char *name,
				    struct str bytes, bool durable,
				    struct arena *mem, struct fault *f);

#endif
