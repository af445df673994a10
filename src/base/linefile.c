/*
 * linefile.c - append lines to a shared file.
 *
 * Opened with O_NONBLOCK: a FIFO without a reader must not block the server.
 */
#include "base/linefile.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only the protocol may be written to stdout. */
static bool is_stdout(int fd)
{
	struct stat ours, its;

	return !fstat(STDOUT_FILENO, &ours) && !fstat(fd, &its) &&
	       !S_ISCHR(its.st_mode) && ours.st_dev == its.st_dev &&
	       ours.st_ino == its.st_ino;
}

int linefile_open(struct linefile *l, const char *path)
{
	static const int flags =
		O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY;
	auto_fd fd = fd_openat(AT_FDCWD, path, flags, 0600);

	if (fd < 0)
		return errno;
	if (is_stdout(fd))
		return EINVAL;
	l->fd = fd_take(&fd);
	l->incomplete = false;
	(void)pthread_mutex_init(&l->lock, NULL);
	return 0;
}

void linefile_close(struct linefile *l)
{
	fd_drop(&l->fd);
	(void)pthread_mutex_destroy(&l->lock);
}

void linefile_add(struct linefile *l, struct buf *line)
{
	auto_buf all = BUF_INIT;
	ssize_t took;

	(void)pthread_mutex_lock(&l->lock);
	if (l->incomplete)
		buf_addc(&all, '\n');
	buf_add(&all, buf_str(line));
	buf_addc(&all, '\n');
	do
		took = write(l->fd, all.ptr, all.len);
	while (took < 0 && errno == EINTR);
	if (took > 0)
		l->incomplete = all.ptr[took - 1] != '\n';
	(void)pthread_mutex_unlock(&l->lock);
	buf_clear(line, 0);
}
