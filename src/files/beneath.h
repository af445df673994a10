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
	struct str key;
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
 * The same for as much of @path as has a directory to be in; *@ret_rest is
 * what follows, "" when that is all of it.
 */
must_check enum err beneath_nearest(const struct roots *roots, struct str path,
				    struct arena *mem, struct place *ret,
				    struct str *ret_rest, struct fault *f);

/*
 * The directory at @rest beneath @root, to look into, where no link leads
 * there; else -1, whatever the reason.
 */
int beneath_directory(const struct root *root, struct str rest,
		      struct arena *mem);

/* For tests: as if the kernel had no openat2. */
void beneath_slowly(bool always);

#endif
