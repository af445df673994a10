/*
 * locks.c - takes the private lock, then the shared one.
 *
 * The private lock is a byte of the lock file plus an entry in the list of
 * this process, the shared one is flock(). Relies on the kernel to release
 * both when a process dies.
 */
#include "files/locks.h"

#include "base/clock.h"
#include "base/fd.h"
#include "files/content.h"
#include "files/private_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * Both locks are polled, with backoff from 50 us to 5 ms: a blocking lock call
 * can only be interrupted by a signal, and a cancelled call must not wait.
 */
enum { FIRST_PAUSE_NS = 50 * 1000, LAST_PAUSE_NS = 5 * 1000 * 1000 };

static const char lock_file_name[] = "locks";

enum attempt {
	ATTEMPT_HELD,
	ATTEMPT_BUSY,       /* held by another thread or process */
	ATTEMPT_IMPOSSIBLE, /* locking does not work here */
};

void locks_init(struct locks *in, struct str dir)
{
	*in = (struct locks){ .dir = dir, .file = -1 };
	(void)pthread_mutex_init(&in->mutex, NULL);
}

void locks_free(struct locks *in)
{
	fd_drop(&in->file);
	(void)pthread_mutex_destroy(&in->mutex);
}

/* 62 bits, as it serves as an offset in the lock file. */
static uint64_t hash_identity(const struct stat *st)
{
	const uint64_t both[] = { st->st_dev, st->st_ino };

	return hash_of(str_make((const char *)both, sizeof(both))).low >> 2;
}

/*
 * The sticky bit tells programs that clean runtime directories and /tmp to
 * spare the file: processes with two lock files would not see each other.
 */
static int open_lock_file(struct str dir)
{
	static const int flags = O_RDWR | O_CREAT | O_NOFOLLOW;
	auto_fd private = private_dir_open(dir, /* make= */ true);

	if (private < 0)
		return -1;
	return fd_openat(private, lock_file_name, flags, S_ISVTX | 0600);
}

/* The lock file, opened at first use; -1 when it cannot be. */
static int lock_file_of(struct locks *in, uint64_t *ret_domain)
{
	struct stat st;
	int file;

	(void)pthread_mutex_lock(&in->mutex);
	if (in->file < 0) {
		in->file = open_lock_file(in->dir);
		if (in->file >= 0 && fstat(in->file, &st))
			fd_drop(&in->file);
		if (in->file >= 0)
			in->domain = hash_identity(&st) | 1;
	}
	file = in->file;
	*ret_domain = in->domain;
	(void)pthread_mutex_unlock(&in->mutex);
	return file;
}

/* Lock or unlock the byte at l->at; 0, or -1 with errno. */
static int set_byte(int file, const struct file_lock *l, short type)
{
	struct flock byte = { .l_type = type,
			      .l_whence = SEEK_SET,
			      .l_start = (off_t)l->at,
			      .l_len = 1 };

	return fcntl(file, F_OFD_SETLK, &byte);
}

/* Add to the list, unless another thread holds the same lock. */
static bool list_add(struct file_lock *l)
{
	struct locks *in = l->in;
	struct file_lock *other;

	(void)pthread_mutex_lock(&in->mutex);
	other = in->held;
	while (other && other->at != l->at)
		other = other->next;
	if (!other) {
		l->next = in->held;
		in->held = l;
	}
	(void)pthread_mutex_unlock(&in->mutex);
	return !other;
}

static void list_remove(struct file_lock *l)
{
	struct locks *in = l->in;
	struct file_lock **at;

	(void)pthread_mutex_lock(&in->mutex);
	at = &in->held;
	while (*at && *at != l)
		at = &(*at)->next;
	if (*at)
		*at = l->next;
	(void)pthread_mutex_unlock(&in->mutex);
}

static bool is_held_by_another(int error)
{
	return error == EAGAIN || error == EACCES;
}

/* Without a lock file, threads of this process still exclude each other. */
static enum attempt try_private(struct file_lock *l)
{
	int file;

	if (!list_add(l))
		return ATTEMPT_BUSY;
	file = lock_file_of(l->in, &l->domain);
	if (file >= 0 && !set_byte(file, l, F_WRLCK))
		return ATTEMPT_HELD;
	l->domain = 0;
	if (file < 0 || !is_held_by_another(errno))
		return ATTEMPT_HELD;
	list_remove(l);
	return ATTEMPT_BUSY;
}

static enum attempt try_shared(int fd)
{
	int e;

	do
		e = flock(fd, LOCK_EX | LOCK_NB);
	while (e && errno == EINTR);
	if (!e)
		return ATTEMPT_HELD;
	return errno == EWOULDBLOCK ? ATTEMPT_BUSY : ATTEMPT_IMPOSSIBLE;
}

/* Sleep before the next attempt; ERR_BUSY after @until. */
static enum err lock_backoff(long *ns, uint64_t until,
			     const struct file_lock_wait *w, struct fault *f)
{
	const struct timespec t = { .tv_nsec = *ns };
	enum err e = progress_check(w->progress, 0, 0, f);

	if (e)
		return e;
	if (clock_ms() >= until)
		return fail(f, ERR_BUSY, .path = w->path, .os = EWOULDBLOCK);
	(void)nanosleep(&t, NULL);
	*ns = *ns < LAST_PAUSE_NS / 2 ? *ns * 2 : LAST_PAUSE_NS;
	return ERR_OK;
}

static enum err take_private(struct file_lock *l,
			     const struct file_lock_wait *w, struct fault *f)
{
	long ns = FIRST_PAUSE_NS;
	uint64_t until = 0;
	enum err e;

	while (try_private(l) == ATTEMPT_BUSY) {
		until = until ? until : clock_ms() + w->ms;
		l->waited = true;
		e = lock_backoff(&ns, until, w, f);
		if (e) {
			l->in = NULL;
			return e;
		}
	}
	return ERR_OK;
}

/* With a timeout, a held shared lock is not an error: go on without it. */
static enum err take_shared(struct file_lock *l, int fd,
			    const struct file_lock_wait *w, struct fault *f)
{
	uint64_t until = 0;
	long ns = FIRST_PAUSE_NS;
	enum attempt got;
	enum err e = ERR_OK;

	while ((got = try_shared(fd)) == ATTEMPT_BUSY && !e) {
		if (!until)
			until = clock_ms() + size_min(w->ms, LOCK_SHARED_MS);
		l->waited = true;
		e = lock_backoff(&ns, until, w, f);
	}
	l->shared = got == ATTEMPT_HELD ? fd : -1;
	l->alone = l->shared < 0;
	return e == ERR_BUSY && w->ms ? ERR_OK : e;
}

enum err file_lock_take(struct file_lock *l, struct locks *in, int fd,
			const struct file_lock_wait *wait, struct fault *f)
{
	struct stat st;
	enum err e;

	if (fstat(fd, &st))
		return fail_os(f, errno, wait->path);
	*l = (struct file_lock){ .in = in,
				 .at = hash_identity(&st),
				 .shared = -1 };
	e = take_private(l, wait, f);
	if (!e)
		e = take_shared(l, fd, wait, f);
	if (e)
		file_lock_drop(l);
	return e;
}

/* errno stays as it was: this runs at the end of functions that set it. */
void file_lock_drop(struct file_lock *l)
{
	int error = errno;

	if (l->shared >= 0)
		(void)flock(l->shared, LOCK_UN);
	if (l->in && l->domain)
		(void)set_byte(l->in->file, l, F_UNLCK);
	if (l->in)
		list_remove(l);
	l->in = NULL;
	l->shared = -1;
	errno = error;
}

/*
 * Without a private lock not even processes of this user see each other: the
 * process id keeps their temporary files apart.
 */
uint64_t file_lock_salt(const struct file_lock *l)
{
	if (!l->alone)
		return 0;
	return l->domain ? l->domain : (uint64_t)getpid() << 1;
}
