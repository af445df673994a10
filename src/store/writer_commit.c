/*
 * writer_commit.c - from the queue into the write-ahead log and the database.
 *
 * Run by the writer's thread or by a caller that waits: the one with db_lock.
 * See writer.c for the states of an operation.
 */
#include "base/clock.h"
#include "store/local.h"
#include "store/wal.h"
#include "store/writer_local.h"

#include <stdlib.h>

enum { RETRIES_MAX = 1000 }; /* operations that are kept to be tried again */

/*
 * Under the lock: append everything that is neither in the log nor in a batch
 * that is being written. While an operation waits to be retried nothing is
 * appended: what could not be committed either must not be confirmed.
 */
static bool append_to_wal(struct writer *w)
{
	if (!w->unlogged || !w->wal || w->wal_unusable || w->retry ||
	    w->batch_unlogged)
		return false;
	if (!wal_append(w->wal, w->unlogged)) {
		wal_switch_segment(w->wal);
		if (!wal_append(w->wal, w->unlogged))
			return false;
	}
	w->unlogged = NULL;
	if (wal_is_filling(w->wal) && w->commit_due) {
		w->commit_due = 0;
		(void)pthread_cond_signal(&w->work);
	}
	return true;
}

bool writer_sync_is_pending(const struct writer *w)
{
	return w->sync_wanted || w->syncs;
}

bool writer_log_unsynced(struct writer *w)
{
	if (writer_sync_is_pending(w) || !append_to_wal(w))
		return false;
	w->logged = w->submitted;
	return true;
}

bool writer_log_and_sync(struct writer *w)
{
	const uint64_t number = w->submitted;
	bool done;

	if (!append_to_wal(w))
		return false;
	w->sync_wanted = false;
	w->syncs++;
	(void)pthread_mutex_unlock(&w->lock);
	done = !wal_sync(w->wal);
	(void)pthread_mutex_lock(&w->lock);
	w->syncs--;
	w->wal_unusable |= !done;
	if (done && w->logged < number)
		w->logged = number;
	(void)pthread_cond_broadcast(&w->done);
	return done;
}

/*
 * Under the lock: empty the queue into one list, operations to be retried
 * first. The batch is in the log then, or nothing is appended until it is
 * written: a log with an operation and without those before it could not be
 * replayed after a crash.
 */
static struct pending_op *take_batch(struct writer *w)
{
	struct pending_op *list;

	w->batch_unlogged = w->unlogged && !append_to_wal(w);
	*w->retry_end = w->queue;
	list = w->retry;
	w->retry = NULL;
	w->retry_end = &w->retry;
	w->retries = 0;
	w->queue = w->unlogged = NULL;
	w->sync_wanted = false;
	w->queue_end = &w->queue;
	if (w->wal)
		wal_switch_segment(w->wal);
	return list;
}

/* Under the lock. */
static void retry_later(struct writer *w, struct pending_op *p)
{
	if (w->retries == RETRIES_MAX) {
		free(p);
		return;
	}
	p->next = NULL;
	*w->retry_end = p;
	w->retry_end = &p->next;
	w->retries++;
}

/*
 * Under the lock. A failed intent is reported to the caller that waits for it.
 * An operation in the log was already confirmed, and a change without its end
 * looks as if it had not happened: both are retried. If the last retry fails
 * they stay in the log, for the next reader.
 */
static void finish_op(struct writer *w, struct pending_op *p)
{
	if (!p->err) {
		if (p->segment != NO_SEGMENT)
			wal_note_committed(w->wal, p);
		free(p);
	} else if (p->end || p->segment != NO_SEGMENT) {
		retry_later(w, p);
	} else {
		p->next = w->failed;
		w->failed = p;
	}
}

/* Under the lock. */
static void finish_batch(struct writer *w, struct pending_op *list)
{
	while (list) {
		struct pending_op *p = list;

		list = p->next;
		if (w->committed < p->number)
			w->committed = p->number;
		finish_op(w, p);
	}
	w->batch_unlogged = false;
	if (w->logged < w->committed)
		w->logged = w->committed;
	(void)pthread_cond_broadcast(&w->done);
}

/* Under db_lock: empty the segment whose records are committed. */
static void recycle_segment(struct writer *w)
{
	bool can;

	(void)pthread_mutex_lock(&w->lock);
	can = w->wal && wal_can_recycle(w->wal);
	(void)pthread_mutex_unlock(&w->lock);
	if (!can || (w->store->options.durable && db_sync(&w->db)))
		return;
	(void)pthread_mutex_lock(&w->lock);
	wal_recycle(w->wal);
	(void)pthread_mutex_unlock(&w->lock);
}

void writer_commit_batch(struct writer *w)
{
	const bool durable = w->store->options.durable;
	struct pending_op *list;
	uint64_t logged;

	(void)pthread_mutex_lock(&w->lock);
	list = take_batch(w);
	logged = w->logged;
	w->syncs += durable;
	(void)pthread_mutex_unlock(&w->lock);
	if (list)
		pending_ops_write(&w->db, &w->recent, list, logged);
	trim_note(&w->trim, pending_ops_bytes(list));
	(void)pthread_mutex_lock(&w->lock);
	w->syncs -= durable;
	finish_batch(w, list);
	w->wal_unusable |= w->wal && wal_is_unlinked(w->wal);
	(void)pthread_mutex_unlock(&w->lock);
	if (!list)
		return;
	recycle_segment(w);
	(void)pthread_mutex_lock(&w->lock);
	w->idle_work = w->db.sql || w->retry;
	w->idle_due = clock_ms() + IDLE_MS;
	w->checkpoint_wanted = w->db.sqlite_wal_pages > CHECKPOINT_PAGES_MAX;
	w->trim_urgent = trim_is_urgent(&w->trim);
	(void)pthread_mutex_unlock(&w->lock);
}
