/*
 * tmpfile_pool.c - a thread that creates O_TMPFILE files ahead of their use.
 *
 * All state is under p->lock, which is released around open() and close():
 * callers on the event loop must never wait for the disk. The thread is
 * started at the first need and ends with tmpfile_pool_free().
 */
#include "files/tmpfile_pool.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/thread.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

enum {
	REFILL_AT = TMPFILE_POOL_SIZE / 2, /* files left when a refill starts */
	IDLE_MS = 1000, /* without use, then all are closed */
	STACK_SIZE = 128 * 1024,
};

void tmpfile_pool_init(struct tmpfile_pool *p)
{
	pthread_condattr_t attr;

	*p = (struct tmpfile_pool){ .dir = -1 };
	(void)pthread_mutex_init(&p->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&p->wakeup, &attr);
	(void)pthread_condattr_destroy(&attr);
}

/* Called under the lock, which is released during each close(). */
static void pool_close_replaced(struct tmpfile_pool *p)
{
	while (p->to_close_count) {
		int fd = p->to_close[--p->to_close_count];

		(void)pthread_mutex_unlock(&p->lock);
		fd_drop(&fd);
		(void)pthread_mutex_lock(&p->lock);
	}
	p->close_now = false;
}

/* Called under the lock. */
static void pool_clear(struct tmpfile_pool *p)
{
	while (p->count)
		fd_drop(&p->fd[--p->count]);
	fd_drop(&p->dir);
	p->unsupported = p->refill = false;
}

/* Called under the lock, which is released while the file is created. */
static void pool_add_one(struct tmpfile_pool *p)
{
	auto_fd dir = fcntl(p->dir, F_DUPFD_CLOEXEC, 0);
	auto_fd made = -1;
	dev_t dev = p->dev;
	ino_t ino = p->ino;

	(void)pthread_mutex_unlock(&p->lock);
	if (dir >= 0)
		made = fd_openat(dir, ".", O_RDWR | O_TMPFILE, 0600);
	(void)pthread_mutex_lock(&p->lock);
	/* The pool may belong to another directory by now. */
	if (p->dir < 0 || p->dev != dev || p->ino != ino)
		return;
	if (made < 0)
		p->unsupported = true;
	else if (p->count < TMPFILE_POOL_SIZE)
		p->fd[p->count++] = fd_take(&made);
}

static bool pool_has_work(const struct tmpfile_pool *p)
{
	return p->refill || p->close_now || p->ending;
}

/* Called under the lock. False when IDLE_MS have passed without work. */
static bool pool_wait(struct tmpfile_pool *p)
{
	const uint64_t until = clock_ms() + IDLE_MS;
	const struct timespec at = { (time_t)(until / 1000),
				     (long)(until % 1000) * 1000000L };

	while (!pool_has_work(p) && clock_ms() < until)
		(void)pthread_cond_timedwait(&p->wakeup, &p->lock, &at);
	return pool_has_work(p);
}

static void *tmpfile_pool_run(void *arg)
{
	struct tmpfile_pool *p = arg;

	(void)pthread_mutex_lock(&p->lock);
	while (!p->ending) {
		while (p->refill && !p->unsupported &&
		       p->count < TMPFILE_POOL_SIZE)
			pool_add_one(p);
		p->refill = false;
		pool_close_replaced(p);
		if (p->dir >= 0 && !pool_wait(p))
			pool_clear(p);
		/* ending may be set while pool_close_replaced() unlocks */
		else if (p->dir < 0 && !p->ending)
			(void)pthread_cond_wait(&p->wakeup, &p->lock);
	}
	(void)pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Called under the lock. False when no thread can be started. */
static bool pool_start(struct tmpfile_pool *p)
{
	if (!p->running)
		p->running = thread_start(&p->thread, STACK_SIZE,
					  tmpfile_pool_run, p);
	return p->running;
}

/*
 * Called under the lock. True when the thread is to be woken. The pool opens
 * the directory itself: a duplicate of @dir would share its flock().
 */
static bool pool_want_refill(struct tmpfile_pool *p, int dir)
{
	if (p->refill || p->unsupported || p->count > REFILL_AT)
		return false;
	if (p->dir < 0)
		p->dir = fd_openat(dir, ".", O_PATH | O_DIRECTORY, 0);
	p->refill = pool_start(p) && p->dir >= 0;
	return p->refill;
}

int tmpfile_pool_take(struct tmpfile_pool *p, int dir)
{
	struct stat st;
	bool wake = false;
	int fd = -1;

	if (fstat(dir, &st))
		return -1;
	(void)pthread_mutex_lock(&p->lock);
	if (p->dev != st.st_dev || p->ino != st.st_ino) {
		pool_clear(p);
		p->dev = st.st_dev;
		p->ino = st.st_ino;
	} else {
		if (p->count)
			fd = p->fd[--p->count];
		wake = pool_want_refill(p, dir);
	}
	(void)pthread_mutex_unlock(&p->lock);
	if (wake)
		(void)pthread_cond_signal(&p->wakeup);
	return fd;
}

/* A small file waits until the thread is idle, at most IDLE_MS. */
void tmpfile_pool_close_later(struct tmpfile_pool *p, int *fd, bool large)
{
	(void)pthread_mutex_lock(&p->lock);
	if (p->to_close_count < TMPFILE_POOL_SIZE &&
	    (large ? pool_start(p) : p->dir >= 0 && p->running)) {
		p->to_close[p->to_close_count++] = fd_take(fd);
		p->close_now |= large;
	}
	(void)pthread_mutex_unlock(&p->lock);
	if (large)
		(void)pthread_cond_signal(&p->wakeup);
	fd_drop(fd);
}

void tmpfile_pool_free(struct tmpfile_pool *p)
{
	(void)pthread_mutex_lock(&p->lock);
	p->ending = true;
	(void)pthread_mutex_unlock(&p->lock);
	(void)pthread_cond_signal(&p->wakeup);
	if (p->running)
		(void)pthread_join(p->thread, NULL);
	(void)pthread_mutex_lock(&p->lock);
	pool_close_replaced(p);
	pool_clear(p);
	(void)pthread_mutex_unlock(&p->lock);
	(void)pthread_mutex_destroy(&p->lock);
	(void)pthread_cond_destroy(&p->wakeup);
}
