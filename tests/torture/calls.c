#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

struct calls calls = { .countdown = -1 };

/* Is this the call to hit? Does not return when the process is killed. */
static bool hit(void)
{
	if (calls.countdown < 0 || calls.countdown-- > 0)
		return false;
	calls.was_hit = true;
	calls.names_asked_at_hit = calls.names_asked;
	if (calls.hit == HIT_KILLS)
		(void)kill(getpid(), SIGKILL);
	if (calls.hit == HIT_MEDDLES) {
		calls.countdown = -1;
		calls.meddle();
		return false;
	}
	errno = calls.error;
	return true;
}

/* The same for a call that changes something, which for_good also hits. */
static bool hit_change(void)
{
	if (!calls.for_good || !calls.was_hit)
		return hit();
	errno = calls.error;
	return true;
}

#define WRAP(type, name, params, args, is_hit) \
	type __real_##name params;             \
	type __wrap_##name params;             \
	type __wrap_##name params              \
	{                                      \
		if (is_hit())                  \
			return -1;             \
		return __real_##name args;     \
	}
#define CALL(type, name, params, args) WRAP(type, name, params, args, hit)
#define CHANGE(type, name, params, args) \
	WRAP(type, name, params, args, hit_change)
#include "calls.def"
#undef CHANGE
#undef CALL

static bool is_in_root(int fd)
{
	char link[32], to[4096] = "";

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return readlink(link, to, sizeof(to) - 1) > 0 && strstr(to, "/root");
}

ssize_t __real_readlinkat(int fd, const char *p, char *to, size_t n);
ssize_t __wrap_readlinkat(int fd, const char *p, char *to, size_t n);
ssize_t __wrap_readlinkat(int fd, const char *p, char *to, size_t n)
{
	if (hit())
		return -1;
	calls.names_asked++;
	return __real_readlinkat(fd, p, to, n);
}

/* A root on a filesystem without locks; the state directory has them. */
int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);
int __wrap_flock(int fd, int how)
{
	if (hit())
		return -1;
	if (calls.flock_error && is_in_root(fd)) {
		errno = calls.flock_error;
		return -1;
	}
	return __real_flock(fd, how);
}

/* Only taking the private lock can fail; releasing it is passed on. */
int __real_fcntl64(int fd, int command, struct flock *lock);
int __wrap_fcntl64(int fd, int command, struct flock *lock);
int __wrap_fcntl64(int fd, int command, struct flock *lock)
{
	if (command == F_OFD_SETLK && lock->l_type != F_UNLCK && hit())
		return -1;
	if (command == F_OFD_SETLK && lock->l_type == F_WRLCK &&
	    calls.locks < COUNT_OF(calls.locked))
		calls.locked[calls.locks++] = (uint64_t)lock->l_start;
	return __real_fcntl64(fd, command, lock);
}

/* No test cuts the power, so the flush itself is left out. */
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	if (hit_change())
		return -1;
	if (++calls.fsyncs != calls.bad_fsync)
		return 0;
	errno = EIO;
	return -1;
}

int __real_openat64(int dir, const char *path, int flags, mode_t mode);
int __wrap_openat64(int dir, const char *path, int flags, ...);
int __wrap_openat64(int dir, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (flags & (O_CREAT | O_RDWR) ? hit_change() : hit())
		return -1;
	if (calls.beside_error && flags & O_EXCL) {
		errno = calls.beside_error;
		return -1;
	}
	if (calls.always && (flags & (O_CREAT | O_RDWR))) {
		errno = calls.always;
		return -1;
	}
	return __real_openat64(dir, path, flags, mode);
}

ssize_t __real_pwrite64(int fd, const void *from, size_t n, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *from, size_t n, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *from, size_t n, off_t at)
{
	if (calls.countdown == 0 && calls.hit != HIT_MEDDLES)
		(void)!__real_pwrite64(fd, from, n / 2, at);
	if (hit_change())
		return -1;
	return __real_pwrite64(fd, from, n, at);
}

/* A write that is interrupted returns EINTR or a short count. */
ssize_t __real_write(int fd, const void *from, size_t n);
ssize_t __wrap_write(int fd, const void *from, size_t n);
ssize_t __wrap_write(int fd, const void *from, size_t n)
{
	bool tears = calls.countdown == 0 && calls.hit != HIT_MEDDLES;
	ssize_t half = 0;

	if (tears && !(calls.hit == HIT_FAILS && calls.error == EINTR))
		half = __real_write(fd, from, n / 2);
	if (hit_change())
		return calls.error == ENOSPC && half ? half : -1;
	return __real_write(fd, from, n);
}

int __real_linkat(int a, const char *p, int b, const char *q, int how);
int __wrap_linkat(int a, const char *p, int b, const char *q, int how);
int __wrap_linkat(int a, const char *p, int b, const char *q, int how)
{
	if (hit_change())
		return -1;
	if (calls.linkat_error && how & AT_EMPTY_PATH) {
		errno = calls.linkat_error;
		return -1;
	}
	return __real_linkat(a, p, b, q, how);
}

int __real_renameat2(int a, const char *p, int b, const char *q, unsigned how);
int __wrap_renameat2(int a, const char *p, int b, const char *q, unsigned how);
int __wrap_renameat2(int a, const char *p, int b, const char *q, unsigned how)
{
	void (*before)(void) = calls.before_exchange;
	void (*after)(void) = calls.after_exchange;
	int e;

	if (hit_change())
		return -1;
	if (calls.rename_error) {
		errno = calls.rename_error;
		return -1;
	}
	calls.renames++;
	calls.before_exchange = NULL;
	if (before)
		before();
	e = __real_renameat2(a, p, b, q, how);
	if (e || !after)
		return e;
	calls.after_exchange = NULL;
	after();
	return e;
}
