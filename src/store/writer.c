/*
 * writer.c - operations on their way into the history: what callers call.
 *
 * An operation, an intent or an end, goes through these states. Three numbers
 * in struct writer say how far all of them are: submitted, logged, committed.
 *
 *    writer_add()
 *         |
 *         v
 *    SUBMITTED ---- wal_append() ----> LOGGED ------ transaction ---> COMMITTED
 *         |        (and a sync, if       |                               ^
 *         |         it must be on disk)  +-- failed --> RETRY -----------+
 *         |                                            (when idle, and at
 *         |                                             the end)
 *         |   no log yet, the log is unusable,
 *         +-- or the content is large: transaction ----------------> COMMITTED
 *                                        |
 *                                        +-- failed --> FAILED, an intent:
 *                                        |              writer_wait() says so
 *                                        +-- failed --> RETRY, an end
 *
 * writer_wait() returns when the operation is LOGGED or COMMITTED, and LOGGED
 * is as good: other processes replay the log (wal.h).
 *
 * Who does it: where an intent need not be on disk, the caller that waits logs
 * or commits it itself, because that takes less time than to wake the thread
 * and to be woken. The thread (writer_thread.c) commits what is logged, syncs
 * and writes large contents while the caller writes the file, and does what has
 * time. Locks: db_lock for the database, then lock for the queue.
 */
#include "store/writer.h"

#include "base/clock.h"
#include "base/thread.h"
#include "store/local.h"
#include "store/writer_local.h"

#include <stdlib.h>

enum { STACK_SIZE = 512 * 1024 };

static struct writer *writer_new(struct store *s)
{
	struct writer *w = calloc(1, sizeof(*w));
	pthread_condattr_t attr;

	if (!w)
		out_of_memory();
	s->self = process_self();
	w->store = s;
	w->db = (struct db){ .store = s, .dir = -1 };
	w->wal_name = uuid_new(clock_unix_ms());
	w->queue_end = &w->queue;
	w->retry_end = &w->retry;
	w->wal_due = WAL_AFTER;
	w->trim.max = s->options.max_bytes;
	(void)pthread_mutex_init(&w->db_lock, NULL);
	(void)pthread_mutex_init(&w->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&w->work, &attr);
	(void)pthread_cond_init(&w->done, NULL);
	(void)pthread_condattr_destroy(&attr);
	w->has_thread = thread_start(&w->thread, STACK_SIZE, writer_run, w);
	return w;
}

struct writer *writer_of(struct store *s)
{
	struct writer *w;

	(void)pthread_mutex_lock(&s->writer_lock);
	if (!s->writer)
		s->writer = writer_new(s);
	w = s->writer;
	(void)pthread_mutex_unlock(&s->writer_lock);
	return w;
}

struct uuid writer_wal_name(struct store *s)
{
	struct uuid none = { 0 }, name;

	(void)pthread_mutex_lock(&s->writer_lock);
	name = s->writer ? s->writer->wal_name : none;
	(void)pthread_mutex_unlock(&s->writer_lock);
	return name;
}

/* Large: writing it takes longer than waking the thread. */
static bool is_large(const struct pending_op *p)
{
	return p->before.bytes.len > BLOB_IN_FILE ||
	       p->after.bytes.len > BLOB_IN_FILE;
}

/* Under the lock: true when the thread must be signalled. */
static bool writer_enqueue(struct writer *w, struct pending_op *p)
{
	const bool large = is_large(p);
	const bool create_wal =
		!w->wal && !p->end && ++w->intents == w->wal_due;

	if (!w->queue)
		w->commit_due =
			clock_ms() + (w->wal ? COMMIT_LOGGED_MS : COMMIT_MS);
	if (large)
		w->commit_due = 0;
	w->sync_wanted |= w->store->options.durable && !p->end && p->op.existed;
	if (!w->unlogged)
		w->unlogged = p;
	*w->queue_end = p;
	w->queue_end = &p->next;
	return large || create_wal || w->sync_wanted || w->thread_asleep ||
	       w->checkpoint_wanted;
}

/* Under the lock, which is released meanwhile: commit in this thread. */
static void writer_commit_now(struct writer *w)
{
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_mutex_lock(&w->db_lock);
	writer_commit_batch(w);
	(void)pthread_mutex_unlock(&w->db_lock);
	(void)pthread_mutex_lock(&w->lock);
}

/*
 * Under the lock, which is released meanwhile. An operation that is not in the
 * queue any more is in a batch, whose writer holds db_lock: once we hold that,
 * the operation is committed or still in the queue.
 */
static void wait_until_logged(struct writer *w, uint64_t number)
{
	while (w->logged < number) {
		if (writer_log_unsynced(w))
			break;
		if (!writer_sync_is_pending(w) || !w->has_thread)
			writer_commit_now(w);
		else if (!(w->sync_wanted && w->thread_busy &&
			   writer_log_and_sync(w)))
			(void)pthread_cond_wait(&w->done, &w->lock);
	}
}

uint64_t writer_add(struct writer *w, struct pending_op *p)
{
	uint64_t number;
	bool signal;

	p->by = w->store->self;
	(void)pthread_mutex_lock(&w->lock);
	number = p->number = ++w->submitted;
	signal = writer_enqueue(w, p);
	if (p->end) /* other processes see it in the log */
		(void)writer_log_unsynced(w);
	while (!w->has_thread &&
	       w->committed < number) /* no thread to commit it */
		writer_commit_now(w);
	(void)pthread_mutex_unlock(&w->lock);
	if (signal)
		(void)pthread_cond_signal(&w->work);
	return number;
}

static struct pending_op *take_failed(struct writer *w, uint64_t number)
{
	struct pending_op **link = &w->failed, *found;

	while (*link && (*link)->number != number)
		link = &(*link)->next;
	found = *link;
	if (found)
		*link = found->next;
	return found;
}

enum err writer_wait(struct writer *w, uint64_t number, struct fault *f)
{
	struct pending_op *p;
	enum err e;

	(void)pthread_mutex_lock(&w->lock);
	wait_until_logged(w, number);
	p = take_failed(w, number);
	(void)pthread_mutex_unlock(&w->lock);
	if (!p)
		return ERR_OK;
	e = fault_set(f, &p->fault);
	free(p);
	return e;
}

void writer_flush(struct store *s)
{
	struct writer *w;
	uint64_t number;

	(void)pthread_mutex_lock(&s->writer_lock);
	w = s->writer;
	(void)pthread_mutex_unlock(&s->writer_lock);
	if (!w)
		return;
	(void)pthread_mutex_lock(&w->lock);
	number = w->submitted;
	while (w->committed < number)
		writer_commit_now(w);
	(void)pthread_mutex_unlock(&w->lock);
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	(void)pthread_mutex_lock(&w->lock);
	w->stopping = true;
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_cond_signal(&w->work);
	if (w->has_thread)
		(void)pthread_join(w->thread, NULL);
	db_close(&w->db);
	recent_drop(&w->recent);
	pending_ops_free(w->failed);
	pending_ops_free(w->retry);
	(void)pthread_mutex_destroy(&w->db_lock);
	(void)pthread_mutex_destroy(&w->lock);
	(void)pthread_cond_destroy(&w->work);
	(void)pthread_cond_destroy(&w->done);
	free(w);
}
