/*
 * fd.c - system calls on descriptors that are retried after EINTR.
 */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void fd_drop(int *fd)
{
	int error = errno;

	if (*fd >= 0)
		(void)close(*fd); /* Linux closes it even on EINTR */
	*fd = -1;
	errno = error;
}

ssize_t fd_read(int fd, void *to, size_t n)
{
	ssize_t got;

	do
		got = read(fd, to, n);
	while (got < 0 && errno == EINTR);
	return got;
}

ssize_t fd_pread_once(int fd, void *to, size_t n, off_t offset)
{
	ssize_t got;

	do
		got = pread(fd, to, n, offset);
	while (got < 0 && errno == EINTR);
	return got;
}

ssize_t fd_pread(int fd, void *to, size_t n, off_t offset)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = fd_pread_once(fd, (char *)to + done, n - done,
					    offset + (off_t)done);

		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

/* A write of no bytes is an error, or the loop would not end. */
static ssize_t fail_on_zero(ssize_t took)
{
	if (took == 0) {
		errno = EIO;
		return -1;
	}
	return took;
}

int fd_write(int fd, struct str bytes)
{
	while (bytes.len) {
		ssize_t took = fail_on_zero(write(fd, bytes.ptr, bytes.len));

		if (took < 0 && errno == EINTR)
			continue;
		if (took < 0)
			return -1;
		bytes = str_skip(bytes, (size_t)took);
	}
	return 0;
}

ssize_t fd_write_once(int fd, struct str bytes)
{
	ssize_t took;

	do
		took = write(fd, bytes.ptr, bytes.len);
	while (took < 0 && errno == EINTR);
	return took;
}

int fd_pwrite(int fd, struct str bytes, off_t offset)
{
	while (bytes.len) {
		ssize_t took =
			fail_on_zero(pwrite(fd, bytes.ptr, bytes.len, offset));

		if (took < 0 && errno == EINTR)
			continue;
		if (took < 0)
			return -1;
		offset += took;
		bytes = str_skip(bytes, (size_t)took);
	}
	return 0;
}

int fd_fsync(int fd)
{
	int done;

	do
		done = fsync(fd);
	while (done && errno == EINTR);
	return done;
}

int fd_fdatasync(int fd)
{
	int done;

	do
		done = fdatasync(fd);
	while (done && errno == EINTR);
	return done;
}

int fd_openat(int dir, const char *path, int flags, unsigned mode)
{
	int fd;

	do
		fd = openat(dir, path, flags | O_CLOEXEC, mode);
	while (fd < 0 && errno == EINTR);
	return fd;
}
