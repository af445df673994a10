#include "files/locks.h"

#include "base/clock.h"
#include "base/fd.h"
#include "files/private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

static void pause_ns(long ns)
{
	const struct timespec t = { .tv_nsec = ns };

	(void)nanosleep(&t, NULL);
}

/*
 * Asking again and again, with pauses that grow to 5 ms: a flock that waits
 * can only be ended by a signal.
 */
int lock_file(int fd, uint64_t wait_ms)
{
	uint64_t until = 0;
	long ns = 50 * 1000;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return -1;
		if (!until)
			until = clock_ms() + wait_ms;
		if (clock_ms() >= until) {
			errno = EWOULDBLOCK;
			return -1;
		}
		pause_ns(ns);
		ns = ns < 2500 * 1000 ? ns * 2 : 5000 * 1000;
	}
	return 0;
}

bool lock_impossible(int error)
{
	switch (error) {
	case EBADF: /* O_PATH: we may not read it */
	case EOPNOTSUPP:
	case ENOSYS:
	case EINVAL:
	case ENOLCK:
		return true;
	default:
		return false;
	}
}

static int open_stand_in(int dir, struct str stand_in)
{
	auto_fd private = private_open(stand_in, /* make= */ true);
	char name[PRIVATE_NAME];
	struct stat st;

	if (private < 0 || fstat(dir, &st))
		return -1;
	private_name(st.st_dev, st.st_ino, name);
	return fd_openat(private, name, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
}

enum err lock_take(struct lock *l, int dir, struct str stand_in,
		   uint64_t wait_ms, struct str path, struct fault *f)
{
	l->fd = dir;
	l->ours = l->alone = false;
	if (!lock_file(dir, wait_ms))
		return ERR_OK;
	if (lock_impossible(errno)) {
		l->fd = open_stand_in(dir, stand_in);
		l->ours = l->alone = true;
		if (l->fd >= 0 && !lock_file(l->fd, wait_ms))
			return ERR_OK;
	}
	if (errno == EWOULDBLOCK)
		return fail(f, ERR_BUSY, .path = path, .os = errno);
	return fail_os(f, errno, path);
}

void lock_drop(struct lock *l)
{
	if (l->ours)
		fd_drop(&l->fd);
	else if (l->fd >= 0)
		(void)flock(l->fd, LOCK_UN);
	l->fd = -1;
}
