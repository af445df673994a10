/*
 * beneath.h - open a path without ever leaving the roots.
 *
 * The common case, a path without symlinks on the root's own filesystem, is
 * one openat2(RESOLVE_BENEATH) from the root's descriptor. Symlinks, other
 * mounts, ".." above the root and kernels without openat2() take the slow path
 * of resolve.h. No name is checked and then used again: what is opened was
 * reached through descriptors.
 */
#ifndef STET_BENEATH_H
#define STET_BENEATH_H

#include "base/err.h"
#include "files/resolve.h"

struct opened {
	int fd; /* open for reading */
	struct stat st;
	struct str key; /* set as soon as it is known, even on failure */
};

#define auto_opened cleanup(opened_drop) struct opened

void opened_drop(struct opened *o);

/*
 * Open the regular file at @path for reading. Anything else is ERR_NOT_A_FILE,
 * without blocking on a FIFO or opening a device.
 */
must_check enum err beneath_open(const struct roots *roots, struct str path,
				 struct arena *mem, struct opened *ret,
				 struct fault *f);

/*
 * Resolve @path, whose last component need not exist. ERR_NO_PARENT when its
 * directory does not exist. The directory is opened for reading if permitted.
 */
must_check enum err beneath_resolve(const struct roots *roots, struct str path,
				    struct arena *mem, struct resolved *ret,
				    struct fault *f);

/*
 * The same for a key, a path without symlinks. No symlink is followed, so that
 * the file that was judged by its key is the one that is opened: a symlink on
 * the way is ERR_CHANGED.
 */
must_check enum err beneath_resolve_key(const struct roots *roots,
					struct str key, struct arena *mem,
					struct resolved *ret, struct fault *f);

/*
 * Is @fd, at this moment, the file or directory at @key? To be called right
 * before a change through a descriptor: the file, a directory above it or the
 * root may have been moved since it was opened. A move after this check has
 * the same effect as one after the change.
 */
must_check bool beneath_is_at(const struct roots *roots, int fd, struct str key,
			      struct arena *mem);

/*
 * Resolve the longest prefix of @path whose parent directory exists;
 * *@ret_rest is the remainder, "" when all of @path was resolved.
 */
must_check enum err beneath_nearest(const struct roots *roots, struct str path,
				    struct arena *mem, struct resolved *ret,
				    struct str *ret_rest, struct fault *f);

/*
 * The same, with the key of all of @path. ERR_NO_PARENT when no file can be
 * created there: ".." or a trailing slash after the missing component.
 */
must_check enum err beneath_key(const struct roots *roots, struct str path,
				struct arena *mem, struct resolved *ret,
				struct str *ret_rest, struct str *ret_key,
				struct fault *f);

/* beneath_nearest() for a key. */
must_check enum err beneath_nearest_key(const struct roots *roots,
					struct str key, struct arena *mem,
					struct resolved *ret,
					struct str *ret_rest, struct fault *f);

/*
 * O_PATH of the directory @rest below @root; -1 for any failure, among them a
 * symlink on the way.
 */
int beneath_directory(const struct root *root, struct str rest,
		      struct arena *mem);

/* For tests: behave as on a kernel without openat2(). */
void beneath_slowly(bool always);

#endif
