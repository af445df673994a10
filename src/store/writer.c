#include "store/writer.h"

#include "base/clock.h"
#include "base/thread.h"
#include "store/local.h"
#include "store/notes.h"
#include "store/pack.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum {
	LATE_MOST = 1000,      /* ends that wait for better times */
	REST_MS = 300,         /* after that long without work there is time */
	SOON_MS = 2,           /* so long nobody has come who takes it along */
	LOG_PAGES = 1000,      /* in the log, to be brought home then */
	LOG_PAGES_MOST = 8000, /* and when it cannot wait */
	STACK_SIZE = 512 * 1024,
};

/*
 * Where an intent need not be on disk, whoever waits for it writes it down
 * himself: that takes less time than to wake the thread and to be woken, and
 * the ends that have come since go into the same transaction. The thread then
 * only writes what nobody has taken along, and what is large, while the caller
 * writes the file; and it does the chores.
 */
struct writer {
	struct store *store;
	pthread_t thread;
	bool together; /* who waits writes; else the thread does */

	pthread_mutex_t turn; /* for the next two; taken before the lock */
	struct db db;
	struct recent recent;

	pthread_mutex_t lock; /* for all below */
	pthread_cond_t work, done;
	struct note *first, **last; /* to be written */
	struct note *kept;          /* written, and somebody will ask */
	struct note *late;          /* ends that could not be written yet */
	size_t lates;
	uint64_t given, settled; /* numbers: of the newest, and written */
	uint64_t soon;           /* when the thread takes what is left */
	uint64_t rest_due;       /* when there is time for chores */
	bool running, ending, chores;
	bool asleep;  /* it must be woken; else it looks by itself */
	bool crowded; /* the log is to be brought home now */
};

struct note *note_new(const struct op *op, size_t room, char **ret_room)
{
	const size_t strings = op->path.len + op->tool.len + op->client.len +
			       op->session.len + op->scope.len + op->call.len;
	struct note *n = calloc(1, sizeof(*n) + strings + room);
	struct str *parts[6];
	char *at = (char *)(n + 1);

	if (!n)
		out_of_memory();
	large_pages(n, sizeof(*n) + strings + room);
	n->op = *op;
	parts[0] = &n->op.path;
	parts[1] = &n->op.tool;
	parts[2] = &n->op.client;
	parts[3] = &n->op.session;
	parts[4] = &n->op.scope;
	parts[5] = &n->op.call;
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (parts[i]->len)
			memcpy(at, parts[i]->ptr, parts[i]->len);
		parts[i]->ptr = at;
		at += parts[i]->len;
	}
	if (ret_room)
		*ret_room = at;
	return n;
}

static void wait_until(struct writer *w, uint64_t ms)
{
	const struct timespec at = { (time_t)(ms / 1000),
				     (long)(ms % 1000) * 1000000L };

	(void)pthread_cond_timedwait(&w->work, &w->lock, &at);
}

enum next { WRITE, REST, LEAVE };

/*
 * Under the lock. What is to be written at once is told by a signal. Else,
 * to save the caller that, we look now and then while there is something to
 * be expected, and sleep when there was nothing for long.
 */
static void wait_for_more(struct writer *w)
{
	uint64_t next = clock_ms() + SOON_MS;

	if (w->first) {
		wait_until(w, w->soon);
	} else if (w->chores) {
		wait_until(w, next < w->rest_due ? next : w->rest_due);
	} else {
		w->asleep = true;
		(void)pthread_cond_wait(&w->work, &w->lock);
		w->asleep = false;
	}
}

/* Under the lock: wait for something to do. */
static enum next wait_for_work(struct writer *w)
{
	for (;;) {
		const uint64_t now = clock_ms();

		if (w->crowded || (w->first && now >= w->soon))
			return WRITE;
		if (w->ending)
			return w->first ? WRITE : LEAVE;
		if (!w->first && w->chores && now >= w->rest_due)
			return REST;
		wait_for_more(w);
	}
}

/* Under the lock: what is to be written now. */
static struct note *take(struct writer *w)
{
	struct note *list = w->first;

	w->first = NULL;
	w->last = &w->first;
	return list;
}

/*
 * Under the lock. Without its end, what was done looks like what was not: it
 * is tried again when there is time, and at last before we go.
 */
static void settle_end(struct writer *w, struct note *n)
{
	if (!n->err || w->lates == LATE_MOST) {
		free(n);
		return;
	}
	n->next = w->late;
	w->late = n;
	w->lates++;
}

/* Under the lock: intents are kept until they have been waited for. */
static void settle(struct writer *w, struct note *list)
{
	while (list) {
		struct note *n = list;

		list = n->next;
		if (w->settled < n->number)
			w->settled = n->number;
		if (n->end) {
			settle_end(w, n);
			continue;
		}
		n->next = w->kept;
		w->kept = n;
	}
	(void)pthread_cond_broadcast(&w->done);
}

/* In our turn, without the lock. */
static void write_late(struct writer *w)
{
	struct note *list;

	(void)pthread_mutex_lock(&w->lock);
	list = w->late;
	w->late = NULL;
	w->lates = 0;
	(void)pthread_mutex_unlock(&w->lock);
	if (!list)
		return;
	notes_write(&w->db, &w->recent, list);
	(void)pthread_mutex_lock(&w->lock);
	settle(w, list);
	(void)pthread_mutex_unlock(&w->lock);
}

/* In our turn, without the lock: all that there is to be written. */
static void write_all(struct writer *w)
{
	struct note *list;

	(void)pthread_mutex_lock(&w->lock);
	list = take(w);
	(void)pthread_mutex_unlock(&w->lock);
	if (!list)
		return;
	notes_write(&w->db, &w->recent, list);
	(void)pthread_mutex_lock(&w->lock);
	settle(w, list);
	w->chores = w->db.sql || w->late;
	w->rest_due = clock_ms() + REST_MS;
	w->crowded = w->db.wal_pages > LOG_PAGES_MOST;
	(void)pthread_mutex_unlock(&w->lock);
}

/* The thread's turn to write; what would keep a caller is done here. */
static void write_some(struct writer *w)
{
	write_all(w);
	if (w->db.wal_pages > LOG_PAGES_MOST)
		db_checkpoint(&w->db, false);
	if (!w->together)
		db_make_room(&w->db);
	(void)pthread_mutex_lock(&w->lock);
	w->crowded = false;
	(void)pthread_mutex_unlock(&w->lock);
}

/* One step at a time; a failure shows elsewhere. */
static bool do_chores(struct writer *w)
{
	bool more;

	write_late(w);
	recent_drop(&w->recent);
	if (db_open(&w->db, NULL) || pack_some(&w->db, &more, NULL))
		return false;
	if (w->db.wal_pages > LOG_PAGES)
		db_checkpoint(&w->db, false);
	return more;
}

static void *run(void *arg)
{
	static const struct sched_param none = { 0 };
	struct writer *w = arg;
	enum next next;

	/*
	 * Waking us must not push the caller off its processor: he has a file
	 * to write, and we have time until that is on disk.
	 */
	(void)sched_setscheduler(0, SCHED_BATCH, &none);
	(void)pthread_mutex_lock(&w->lock);
	while ((next = wait_for_work(w)) != LEAVE) {
		bool more = false;

		(void)pthread_mutex_unlock(&w->lock);
		(void)pthread_mutex_lock(&w->turn);
		if (next == WRITE)
			write_some(w);
		else
			more = do_chores(w);
		(void)pthread_mutex_unlock(&w->turn);
		(void)pthread_mutex_lock(&w->lock);
		if (next == REST)
			w->chores = more;
	}
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_mutex_lock(&w->turn);
	write_late(w);
	db_close(&w->db);
	(void)pthread_mutex_unlock(&w->turn);
	return NULL;
}

static struct writer *writer_new(struct store *s)
{
	struct writer *w = calloc(1, sizeof(*w));
	pthread_condattr_t attr;

	if (!w)
		out_of_memory();
	s->self = process_self();
	w->store = s;
	w->db = (struct db){ .store = s, .dir = -1 };
	w->together = !s->options.durable;
	w->last = &w->first;
	(void)pthread_mutex_init(&w->turn, NULL);
	(void)pthread_mutex_init(&w->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&w->work, &attr);
	(void)pthread_cond_init(&w->done, NULL);
	(void)pthread_condattr_destroy(&attr);
	w->running = thread_start(&w->thread, STACK_SIZE, run, w);
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

/* What takes the thread longer than it takes to wake it. */
static bool is_large(const struct note *n)
{
	return n->before.bytes.len > BLOB_IN_FILE ||
	       n->after.bytes.len > BLOB_IN_FILE;
}

/* Under the lock: put it last, and say whether the thread must be told. */
static bool add(struct writer *w, struct note *n)
{
	const bool waits = (w->together || n->end) && !is_large(n);

	if (!w->first)
		w->soon = clock_ms() + SOON_MS;
	if (!waits)
		w->soon = 0;
	*w->last = n;
	w->last = &n->next;
	return !waits || w->asleep || w->crowded;
}

/*
 * Under the lock, which is given away meanwhile. Whoever has our note has
 * the turn: when that is ours, the note is written or still in the list.
 */
static void wait_for(struct writer *w, uint64_t number)
{
	while (w->settled < number) {
		if (!w->together && w->running) {
			(void)pthread_cond_wait(&w->done, &w->lock);
			continue;
		}
		(void)pthread_mutex_unlock(&w->lock);
		(void)pthread_mutex_lock(&w->turn);
		write_all(w);
		(void)pthread_mutex_unlock(&w->turn);
		(void)pthread_mutex_lock(&w->lock);
	}
}

uint64_t writer_add(struct writer *w, struct note *n)
{
	uint64_t number;
	bool tell;

	(void)pthread_mutex_lock(&w->lock);
	number = n->number = ++w->given;
	tell = add(w, n);
	if (!w->running) /* there is only one way left */
		wait_for(w, number);
	(void)pthread_mutex_unlock(&w->lock);
	if (tell)
		(void)pthread_cond_signal(&w->work);
	return number;
}

static struct note *take_kept(struct writer *w, uint64_t number)
{
	struct note **link = &w->kept, *found;

	while (*link && (*link)->number != number)
		link = &(*link)->next;
	found = *link;
	if (found)
		*link = found->next;
	return found;
}

enum err writer_wait(struct writer *w, uint64_t number, struct fault *f)
{
	struct note *n;
	enum err e;

	(void)pthread_mutex_lock(&w->lock);
	wait_for(w, number);
	n = take_kept(w, number);
	(void)pthread_mutex_unlock(&w->lock);
	if (!n)
		return fail(f, ERR_STORE, .text = STR("no such ticket"));
	e = n->err ? fault_set(f, &n->fault) : ERR_OK;
	free(n);
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
	number = w->given;
	if (w->settled < number) { /* there is somebody who waits now */
		w->soon = 0;
		(void)pthread_cond_signal(&w->work);
	}
	wait_for(w, number);
	(void)pthread_mutex_unlock(&w->lock);
}

static void free_notes(struct note *list)
{
	while (list) {
		struct note *n = list;

		list = n->next;
		free(n);
	}
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	(void)pthread_mutex_lock(&w->lock);
	w->ending = true;
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_cond_signal(&w->work);
	if (w->running)
		(void)pthread_join(w->thread, NULL);
	db_close(&w->db);
	recent_drop(&w->recent);
	free_notes(w->kept);
	free_notes(w->late);
	(void)pthread_mutex_destroy(&w->turn);
	(void)pthread_mutex_destroy(&w->lock);
	(void)pthread_cond_destroy(&w->work);
	(void)pthread_cond_destroy(&w->done);
	free(w);
}
