#include "files/spare.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/thread.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

enum {
	FEW = SPARES / 2, /* then more are made, several at a time */
	KEPT_MS = 1000,   /* after that long without need they go */
	STACK_SIZE = 128 * 1024,
};

void spares_init(struct spares *s)
{
	pthread_condattr_t attr;

	*s = (struct spares){ .dir = -1 };
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&s->work, &attr);
	(void)pthread_condattr_destroy(&attr);
}

/* Under the lock, which is given away meanwhile. */
static void close_left(struct spares *s)
{
	while (s->left_count) {
		int fd = s->left[--s->left_count];

		(void)pthread_mutex_unlock(&s->lock);
		fd_drop(&fd);
		(void)pthread_mutex_lock(&s->lock);
	}
	s->hurry = false;
}

/* Under the lock. */
static void forget(struct spares *s)
{
	while (s->count)
		fd_drop(&s->fd[--s->count]);
	fd_drop(&s->dir);
	s->none = s->wanted = false;
}

/* Under the lock, which is given away while the file is made. */
static void make_one(struct spares *s)
{
	auto_fd dir = fcntl(s->dir, F_DUPFD_CLOEXEC, 0);
	auto_fd made = -1;
	dev_t dev = s->dev;
	ino_t ino = s->ino;

	(void)pthread_mutex_unlock(&s->lock);
	if (dir >= 0)
		made = fd_openat(dir, ".", O_RDWR | O_TMPFILE, 0600);
	(void)pthread_mutex_lock(&s->lock);
	/* Somebody may be at work in another directory by now. */
	if (s->dir < 0 || s->dev != dev || s->ino != ino)
		return;
	if (made < 0)
		s->none = true;
	else if (s->count < SPARES)
		s->fd[s->count++] = fd_take(&made);
}

static bool is_needed(const struct spares *s)
{
	return s->wanted || s->hurry || s->ending;
}

/* Under the lock: false when nobody has come for long. */
static bool wait_a_while(struct spares *s)
{
	const uint64_t until = clock_ms() + KEPT_MS;
	const struct timespec at = { (time_t)(until / 1000),
				     (long)(until % 1000) * 1000000L };

	while (!is_needed(s) && clock_ms() < until)
		(void)pthread_cond_timedwait(&s->work, &s->lock, &at);
	return is_needed(s);
}

static void *run(void *arg)
{
	struct spares *s = arg;

	(void)pthread_mutex_lock(&s->lock);
	while (!s->ending) {
		while (s->wanted && !s->none && s->count < SPARES)
			make_one(s);
		s->wanted = false;
		close_left(s);
		if (s->dir >= 0 && !wait_a_while(s))
			forget(s);
		else if (s->dir < 0 && !s->ending) /* said while we closed */
			(void)pthread_cond_wait(&s->work, &s->lock);
	}
	(void)pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Under the lock. */
static bool runs(struct spares *s)
{
	if (!s->running)
		s->running = thread_start(&s->thread, STACK_SIZE, run, s);
	return s->running;
}

/*
 * Under the lock: have more made; true when the thread is to be told. A
 * descriptor of its own, as @dir has the lock.
 */
static bool want_more(struct spares *s, int dir)
{
	if (s->wanted || s->none || s->count > FEW)
		return false;
	if (s->dir < 0)
		s->dir = fd_openat(dir, ".", O_PATH | O_DIRECTORY, 0);
	s->wanted = runs(s) && s->dir >= 0;
	return s->wanted;
}

int spare_take(struct spares *s, int dir)
{
	struct stat st;
	bool tell = false;
	int fd = -1;

	if (fstat(dir, &st))
		return -1;
	(void)pthread_mutex_lock(&s->lock);
	if (s->dev != st.st_dev || s->ino != st.st_ino) {
		forget(s);
		s->dev = st.st_dev;
		s->ino = st.st_ino;
	} else {
		if (s->count)
			fd = s->fd[--s->count];
		tell = want_more(s, dir);
	}
	(void)pthread_mutex_unlock(&s->lock);
	if (tell)
		(void)pthread_cond_signal(&s->work);
	return fd;
}

/* It comes by at the latest when it lets the spares go. */
void spare_leave(struct spares *s, int *fd, bool large)
{
	(void)pthread_mutex_lock(&s->lock);
	if (s->left_count < SPARES &&
	    (large ? runs(s) : s->dir >= 0 && s->running)) {
		s->left[s->left_count++] = fd_take(fd);
		s->hurry |= large;
	}
	(void)pthread_mutex_unlock(&s->lock);
	if (large)
		(void)pthread_cond_signal(&s->work);
	fd_drop(fd);
}

void spares_free(struct spares *s)
{
	(void)pthread_mutex_lock(&s->lock);
	s->ending = true;
	(void)pthread_mutex_unlock(&s->lock);
	(void)pthread_cond_signal(&s->work);
	if (s->running)
		(void)pthread_join(s->thread, NULL);
	(void)pthread_mutex_lock(&s->lock);
	close_left(s);
	forget(s);
	(void)pthread_mutex_unlock(&s->lock);
	(void)pthread_mutex_destroy(&s->lock);
	(void)pthread_cond_destroy(&s->work);
}
