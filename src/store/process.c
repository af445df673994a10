/*
 * process.c - liveness of processes by OFD locks (fcntl F_OFD_SETLK).
 *
 * These belong to an open file and not to a process: two stores of one process
 * are two holders, and closing one descriptor drops no lock of another. They
 * are shared locks, so that each store of a process can have one; nobody else
 * ever locks the same byte.
 */
#include "store/process.h"

#include "base/fd.h"
#include "base/secret.h"
#include "base/str.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PROCESSES "processes"

/* Slots are this plus a smaller number, so that JSON can carry them. */
static const uint64_t SLOTS = 1ULL << 52;

static pthread_mutex_t self_lock = PTHREAD_MUTEX_INITIALIZER;
static struct process_id self; /* under self_lock */

struct process_id process_self(void)
{
	const int64_t pid = getpid();
	struct process_id now;

	(void)pthread_mutex_lock(&self_lock);
	if (self.pid != pid) { /* the first time, or after fork() */
		self.pid = pid;
		secret_random(&self.slot, sizeof(self.slot));
		self.slot = SLOTS + self.slot % SLOTS;
	}
	now = self;
	(void)pthread_mutex_unlock(&self_lock);
	return now;
}

static int set_lock(int fd, uint64_t slot)
{
	struct flock byte = { .l_type = F_RDLCK,
			      .l_whence = SEEK_SET,
			      .l_start = (off_t)slot,
			      .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &byte);
}

int process_hold(int state_dir)
{
	auto_fd fd =
		fd_openat(state_dir, PROCESSES,
			  O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);

	if (fd < 0 || set_lock(fd, process_self().slot))
		return -1;
	return fd_take(&fd);
}

static bool is_locked(int state_dir, uint64_t slot)
{
	auto_fd fd = fd_openat(state_dir, PROCESSES,
			       O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	struct flock byte = { .l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_start = (off_t)slot,
			      .l_len = 1 };

	return fd >= 0 && !fcntl(fd, F_OFD_GETLK, &byte) &&
	       byte.l_type != F_UNLCK;
}

/*
 * NEXT: what follows is for records of versions without slots. It can go when
 * no process of version 0.1 can be running any more.
 */

enum { STARTED = 22, STAT_MAX = 1024 }; /* proc(5): fields count from 1 */

/*
 * Start time of the process in clock ticks; 0 = it has ended, or is not
 * visible. The second field is the program's name in brackets, which may hold
 * blanks and brackets itself: what counts comes after the last one.
 */
static uint64_t ticks_in(const char *stat)
{
	const char *at = strrchr(stat, ')');

	if (at && (at[2] == 'Z' || at[2] == 'X'))
		return 0;
	for (int field = 2; at && field < STARTED; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

static uint64_t ticks_of(int64_t pid)
{
	char name[64], stat[STAT_MAX];
	ssize_t n;

	(void)snprintf(name, sizeof(name), "/proc/%lld/stat", (long long)pid);
	auto_fd fd = fd_openat(AT_FDCWD, name, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	n = fd_read(fd, stat, sizeof(stat) - 1);
	if (n <= 0)
		return 0;
	stat[n] = '\0';
	return ticks_in(stat);
}

/* A confined server sees no other process in /proc: they count as dead. */
static bool is_seen(int64_t pid, uint64_t ticks)
{
	const uint64_t now = pid > 0 ? ticks_of(pid) : 0;

	return now && (!ticks || now == ticks);
}

bool process_is_there(int state_dir, struct process_id p)
{
	if (p.slot < SLOTS)
		return is_seen(p.pid, p.slot);
	return is_locked(state_dir, p.slot);
}
