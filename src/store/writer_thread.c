/*
 * writer_thread.c - the thread of the writer: waits, and runs one step at a
 * time.
 *
 *                  +-----------------------------------------+
 *                  |                WAITING                  |<---+
 *                  +-----------------------------------------+    |
 *   sync_wanted    |-> STEP_SYNC_WAL: append and sync         ----+
 *                  |     (cannot be logged: as STEP_COMMIT)       |
 *   commit_due,    |-> STEP_COMMIT: write the queue to the        |
 *   log of SQLite  |     database, recycle a segment, perhaps     |
 *   too long       |     checkpoint SQLite's log              ----+
 *   wal_due        |-> STEP_CREATE_WAL: create the log        ----+
 *   trim_urgent    |-> STEP_TRIM: drop a few old operations   ----+
 *   idle_due       |-> STEP_IDLE: retry, trim, compress,          |
 *                  |     checkpoint, a little each time       ----+
 *   stopping and   |
 *   queue empty    +-> STEP_STOP: commit, close and remove the log
 *
 * The conditions are tested in this order. The lock is released while a step
 * runs; all steps but STEP_SYNC_WAL hold db_lock.
 */
#include "base/clock.h"
#include "store/compress.h"
#include "store/local.h"
#include "store/reserve.h"
#include "store/wal.h"
#include "store/writer_local.h"

#include <sched.h>
#include <time.h>

enum { TRIM_PAUSE_MS = 10 }; /* for other writers, between two trims */

enum writer_step {
	STEP_SYNC_WAL,
	STEP_COMMIT,
	STEP_CREATE_WAL,
	STEP_TRIM,
	STEP_IDLE,
	STEP_STOP,
};

static void sleep_until(struct writer *w, uint64_t ms)
{
	const struct timespec at = { (time_t)(ms / 1000),
				     (long)(ms % 1000) * 1000000L };

	(void)pthread_cond_timedwait(&w->work, &w->lock, &at);
}

/*
 * Under the lock. A caller signals only what must be done at once: a signal
 * costs it a system call. While more is to be expected the thread looks by
 * itself now and then; after a quiet time it sleeps until it is signalled.
 */
static void sleep_until_due(struct writer *w)
{
	const uint64_t next = clock_ms() + COMMIT_LOGGED_MS;

	if (w->queue) {
		sleep_until(w, w->trim_urgent
				       ? size_min(w->commit_due, w->trim_due)
				       : w->commit_due);
	} else if (w->trim_urgent) {
		sleep_until(w, w->trim_due);
	} else if (w->idle_work) {
		sleep_until(w, next < w->idle_due ? next : w->idle_due);
	} else {
		w->thread_asleep = true;
		(void)pthread_cond_wait(&w->work, &w->lock);
		w->thread_asleep = false;
	}
}

/* Under the lock: wait until there is something to do. */
static enum writer_step next_step(struct writer *w)
{
	for (;;) {
		const uint64_t now = clock_ms();

		if (w->sync_wanted)
			return STEP_SYNC_WAL;
		if (w->checkpoint_wanted || (w->queue && now >= w->commit_due))
			return STEP_COMMIT;
		if (w->stopping)
			return w->queue ? STEP_COMMIT : STEP_STOP;
		if (!w->wal && w->intents >= w->wal_due)
			return STEP_CREATE_WAL;
		if (w->trim_urgent && now >= w->trim_due)
			return STEP_TRIM;
		if (!w->queue && w->idle_work && now >= w->idle_due)
			return STEP_IDLE;
		sleep_until_due(w);
	}
}

/* Under db_lock. If that fails it is tried after as many intents again. */
static void step_create_wal(struct writer *w)
{
	struct wal *wal = NULL;

	if (w->db.sql)
		wal = wal_new(&w->db, w->wal_name, w->store->options.durable);
	(void)pthread_mutex_lock(&w->lock);
	w->wal = wal;
	w->wal_due = 2 * w->intents;
	(void)pthread_mutex_unlock(&w->lock);
}

/* Under db_lock. The checkpoint is left to the thread: no caller waits. */
static void step_commit(struct writer *w)
{
	writer_commit_batch(w);
	if (w->db.sqlite_wal_pages > CHECKPOINT_PAGES_MAX)
		db_checkpoint(&w->db, false);
	(void)pthread_mutex_lock(&w->lock);
	w->checkpoint_wanted = false;
	(void)pthread_mutex_unlock(&w->lock);
}

/* Under db_lock; true when there is more to trim. */
static bool step_trim(struct writer *w)
{
	bool more = false;

	if (!db_open(&w->db, NULL))
		(void)!trim_some(&w->db, &w->trim, &more, NULL);
	(void)pthread_mutex_lock(&w->lock);
	w->trim_urgent = trim_is_urgent(&w->trim);
	w->trim_due = clock_ms() + TRIM_PAUSE_MS;
	(void)pthread_mutex_unlock(&w->lock);
	return more;
}

/*
 * Under db_lock; true when there is more to do. A failure is not reported here:
 * the next use of the database meets it.
 */
static bool step_idle(struct writer *w)
{
	bool more;

	writer_commit_batch(w);
	recent_drop(&w->recent);
	if (step_trim(w))
		return true; /* do not compress what will be removed */
	if (db_open(&w->db, NULL) || compress_some(&w->db, &more, NULL))
		return false;
	reserve_make(&w->db);
	if (w->db.sqlite_wal_pages > CHECKPOINT_PAGES)
		db_checkpoint(&w->db, false);
	return more;
}

/* Under the lock, which is released meanwhile. */
static void run_step(struct writer *w, enum writer_step step)
{
	bool more = false;

	if (step == STEP_SYNC_WAL && writer_log_and_sync(w))
		return;
	w->thread_busy = true;
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_mutex_lock(&w->db_lock);
	switch (step) {
	case STEP_SYNC_WAL:
	case STEP_COMMIT:
		step_commit(w);
		break;
	case STEP_CREATE_WAL:
		step_create_wal(w);
		break;
	case STEP_TRIM:
		(void)step_trim(w);
		break;
	case STEP_IDLE:
		more = step_idle(w);
		break;
	case STEP_STOP:
		break;
	}
	(void)pthread_mutex_unlock(&w->db_lock);
	(void)pthread_mutex_lock(&w->lock);
	w->thread_busy = false;
	if (step == STEP_IDLE)
		w->idle_work = more || w->retry;
}

/* Under db_lock. A log whose records may not be on disk elsewhere is left. */
static void close_wal(struct writer *w)
{
	const bool durable = w->store->options.durable;

	wal_free(w->wal, w->wal && durable && db_sync(&w->db));
	w->wal = NULL;
}

void *writer_run(void *arg)
{
	static const struct sched_param none = { 0 };
	struct writer *w = arg;
	enum writer_step step;

	/*
	 * A thread that is woken must not preempt the caller: the caller has a
	 * file to write, and the log need not be on disk before that is.
	 */
	(void)sched_setscheduler(0, SCHED_BATCH, &none);
	(void)pthread_mutex_lock(&w->lock);
	while ((step = next_step(w)) != STEP_STOP)
		run_step(w, step);
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_mutex_lock(&w->db_lock);
	writer_commit_batch(w);
	close_wal(w);
	db_close(&w->db);
	(void)pthread_mutex_unlock(&w->db_lock);
	return NULL;
}
