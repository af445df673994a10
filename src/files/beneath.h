/*
 * beneath.h - from a path to a descriptor, never leaving the roots.
 *
 * The common case, a path without links on the root's own filesystem, is one
 * openat2 from the root's descriptor. Whatever the kernel does not want to
 * decide like that (links, other mounts, an out-and-back "..") and kernels
 * without openat2 go through follow.h. There is no check of a name that is
 * then used again: what is opened was reached through descriptors.
 */
#ifndef STET_BENEATH_H
#define STET_BENEATH_H

#include "base/err.h"
#include "files/follow.h"

struct opened {
	int fd; /* for reading */
	struct stat st;
	struct str key; /* as soon as it is known, also when it then fails */
};

#define auto_opened cleanup(opened_drop) struct opened

void opened_drop(struct opened *o);

/*
 * Open the regular file at @path. Everything else is ERR_NOT_A_FILE, without
 * waiting for a FIFO's other end or waking a device.
 */
must_check enum err beneath_open(const struct roots *roots, struct str path,
				 struct arena *mem, struct opened *ret,
				 struct fault *f);

/*
 * Where a file of that name is or would be; its directory must be there,
 * else ERR_NO_PARENT. The directory is opened for reading if it may be.
 */
must_check enum err beneath_place(const struct roots *roots, struct str path,
				  struct arena *mem, struct place *ret,
				  struct fault *f);

/*
 * The same for a path that was found to have no links (a key): nothing is
 * resolved a second time, so what is judged by its key is what is opened. A
 * link on the way by now is ERR_CHANGED.
 */
must_check enum err beneath_place_key(const struct roots *roots, struct str key,
				      struct arena *mem, struct place *ret,
				      struct fault *f);

/*
 * Is what is open at @fd, at this moment, the file or directory called @key?
 * Asked right before something is changed through a descriptor, because what
 * was opened may have been moved since, or the root with all that is in it.
 * A move after the answer is the same as one after the change.
 */
must_check bool beneath_is_at(const struct roots *roots, int fd, struct str key,
			      struct arena *mem);

/*
 * Where @path leads, as far as it has a directory to be in; *@ret_rest is
 * what follows, "" when that is all of it.
 */
must_check enum err beneath_nearest(const struct roots *roots, struct str path,
				    struct arena *mem, struct place *ret,
				    struct str *ret_rest, struct fault *f);

/*
 * The same, with the key of all of @path. ERR_NO_PARENT when no file can be
 * made there: after what is missing comes a "..", or a slash at the end.
 */
must_check enum err beneath_key(const struct roots *roots, struct str path,
				struct arena *mem, struct place *ret,
				struct str *ret_rest, struct str *ret_key,
				struct fault *f);

/* beneath_nearest() for a key. */
must_check enum err beneath_nearest_key(const struct roots *roots,
					struct str key, struct arena *mem,
					struct place *ret, struct str *ret_rest,
					struct fault *f);

/*
 * The directory at @rest beneath @root, to look into, where no link leads
 * there; else -1, whatever the reason.
 */
int beneath_directory(const struct root *root, struct str rest,
		      struct arena *mem);

/* For tests: as if the kernel had no openat2. */
void beneath_slowly(bool always);

#endif
