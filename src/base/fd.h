/*
 * fd.h - descriptors: the one place where EINTR is handled.
 *
 * Every call here returns -1 with errno on failure, as the system does, and
 * retries when a signal came in between.
 */
#ifndef STET_FD_H
#define STET_FD_H

#include "base/str.h"

#include <sys/types.h>

#define auto_fd cleanup(fd_drop) int

/* Close *@fd if it is one and make it -1; errno stays as it was. */
void fd_drop(int *fd);

/* What *@fd holds, which is then no longer its to close. */
static inline int fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Read up to @n bytes; 0 at the end. */
must_check ssize_t fd_read(int fd, void *to, size_t n);

/* Read @n bytes from @offset, or fewer where the file ends. */
must_check ssize_t fd_pread(int fd, void *to, size_t n, off_t offset);

/* A single read: how much of @n it gave, or -1. */
must_check ssize_t fd_pread_once(int fd, void *to, size_t n, off_t offset);

/* Write all of @bytes: 0, or -1. */
must_check int fd_write(int fd, struct str bytes);

/* A single write: how much of @bytes it took, or -1. */
must_check ssize_t fd_write_once(int fd, struct str bytes);

/* All of them at @offset. */
must_check int fd_pwrite(int fd, struct str bytes, off_t offset);

must_check int fd_fsync(int fd);
must_check int fd_fdatasync(int fd);
must_check int fd_openat(int dir, const char *path, int flags, unsigned mode);

#endif
