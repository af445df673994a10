/*
 * fd.h - file descriptors: the one place where EINTR is handled.
 *
 * Every function returns -1 with errno on failure, as the system call does, and
 * retries when a signal interrupts it.
 */
#ifndef STET_FD_H
#define STET_FD_H

#include "base/str.h"

#include <sys/types.h>

#define auto_fd cleanup(fd_drop) int

/* Close *@fd, unless it is negative, and set it to -1; errno is kept. */
void fd_drop(int *fd);

/* Take the descriptor out of *@fd, which then does not close it. */
static inline int fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Read up to @n bytes; 0 at the end of the file. */
must_check ssize_t fd_read(int fd, void *to, size_t n);

/* Read @n bytes at @offset, or fewer at the end of the file. */
must_check ssize_t fd_pread(int fd, void *to, size_t n, off_t offset);

/* A single pread(): the number of bytes read, or -1. */
must_check ssize_t fd_pread_once(int fd, void *to, size_t n, off_t offset);

/* Write all of @bytes; 0 or -1. */
must_check int fd_write(int fd, struct str bytes);

/* A single write(): the number of bytes written, or -1. */
must_check ssize_t fd_write_once(int fd, struct str bytes);

/* Write all of @bytes at @offset; 0 or -1. */
must_check int fd_pwrite(int fd, struct str bytes, off_t offset);

must_check int fd_fsync(int fd);
must_check int fd_fdatasync(int fd);
must_check int fd_openat(int dir, const char *path, int flags, unsigned mode);

#endif
