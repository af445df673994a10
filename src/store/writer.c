#include "store/writer.h"

#include "base/clock.h"
#include "base/thread.h"
#include "store/daybook.h"
#include "store/local.h"
#include "store/notes.h"
#include "store/pack.h"
#include "store/reserve.h"
#include "store/trim.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum {
	LATE_MOST = 1000,      /* notes that wait for better times */
	REST_MS = 300,         /* after that long without work there is time */
	FEW = 8,               /* intents, for which a book is not worth it */
	SOON_MS = 2,           /* so long nobody has come who takes it along */
	CARRY_MS = 50,         /* or, when it is in the book, many are */
	LOG_PAGES = 1000,      /* in the log, to be brought home then */
	LOG_PAGES_MOST = 8000, /* and when it cannot wait */
	TRIM_MS = 10,          /* for others, between two steps */
	STACK_SIZE = 512 * 1024,
};

/*
 * Where an intent need not be on disk, whoever waits for it writes it down
 * himself: that takes less time than to wake the thread and to be woken. The
 * thread carries over what is in the daybook; it brings to the disk what has
 * to be there, and writes what is large, while the caller writes the file; and
 * it does the chores.
 */
struct writer {
	struct store *store;
	pthread_t thread;
	struct uuid name; /* of the daybook */

	pthread_mutex_t turn; /* for the next two; taken before the lock */
	struct db db;
	struct recent recent;

	pthread_mutex_t lock; /* for all below */
	pthread_cond_t work, done;
	struct daybook *book;           /* NULL = there is none yet */
	struct note *first, **last;     /* that the database is to have */
	struct note *up;                /* the first that is not in the book */
	struct note *failed;            /* and somebody will ask */
	struct note *late, **late_last; /* that could not be written yet */
	size_t lates;
	uint64_t intents, book_due; /* how many came; a book after so many */
	size_t syncing;    /* how many bring something to the disk just now */
	uint64_t given;    /* numbers: of the newest, */
	uint64_t settled;  /* of what is kept, in the book at the least, */
	uint64_t carried;  /* and of what the database has */
	uint64_t soon;     /* when the thread takes what is left */
	uint64_t rest_due; /* when there is time for chores */
	bool running, ending, chores;
	bool hurry;   /* somebody waits until it is on disk */
	bool torn;    /* the book is not what it should be: no more of it */
	bool loose;   /* somebody is writing what is not in the book */
	bool busy;    /* the thread does what may take a while */
	bool asleep;  /* it must be woken; else it looks by itself */
	bool crowded; /* the log is to be brought home now */
	bool crammed; /* there is more than may be: the oldest goes now */
	uint64_t trim_due;

	struct trim trim; /* in our turn */
};

static void wait_until(struct writer *w, uint64_t ms)
{
	const struct timespec at = { (time_t)(ms / 1000),
				     (long)(ms % 1000) * 1000000L };

	(void)pthread_cond_timedwait(&w->work, &w->lock, &at);
}

enum next { PUT, WRITE, BEGIN, TRIM, REST, LEAVE };

/*
 * Under the lock. What is to be written at once is told by a signal. Else,
 * to save the caller that, we look now and then while there is something to
 * be expected, and sleep when there was nothing for long.
 */
static void wait_for_more(struct writer *w)
{
	const uint64_t next = clock_ms() + CARRY_MS;

	if (w->first) {
		wait_until(w, w->crammed ? size_min(w->soon, w->trim_due)
					 : w->soon);
	} else if (w->crammed) {
		wait_until(w, w->trim_due);
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

		if (w->hurry)
			return PUT;
		if (w->crowded || (w->first && now >= w->soon))
			return WRITE;
		if (w->ending)
			return w->first ? WRITE : LEAVE;
		if (!w->book && w->intents >= w->book_due)
			return BEGIN;
		if (w->crammed && now >= w->trim_due)
			return TRIM;
		if (!w->first && w->chores && now >= w->rest_due)
			return REST;
		wait_for_more(w);
	}
}

/*
 * Under the lock: into the book with all that is neither there nor with
 * somebody who is writing it. When something could not be carried over nothing
 * more is promised.
 */
static bool put_down(struct writer *w)
{
	if (!w->up || !w->book || w->torn || w->late || w->loose)
		return false;
	if (!daybook_put(w->book, w->up)) {
		daybook_turn(w->book);
		if (!daybook_put(w->book, w->up))
			return false;
	}
	w->up = NULL;
	if (daybook_is_full(w->book) && w->soon) {
		w->soon = 0;
		(void)pthread_cond_signal(&w->work);
	}
	return true;
}

/* Under the lock: some of it has to be on disk, or is just brought there. */
static bool wants_disk(const struct writer *w)
{
	return w->hurry || w->syncing;
}

/* Under the lock: all that was handed over is kept, where that is all. */
static bool keep(struct writer *w)
{
	if (wants_disk(w) || !put_down(w))
		return false;
	w->settled = w->given;
	return true;
}

/* Under the lock, which is given away meanwhile: and it is on disk. */
static bool put_on_disk(struct writer *w)
{
	const uint64_t number = w->given;
	bool done;

	if (!put_down(w))
		return false;
	w->hurry = false;
	w->syncing++;
	(void)pthread_mutex_unlock(&w->lock);
	done = !daybook_sync(w->book);
	(void)pthread_mutex_lock(&w->lock);
	w->syncing--;
	w->torn |= !done;
	if (done && w->settled < number)
		w->settled = number;
	(void)pthread_cond_broadcast(&w->done);
	return done;
}

/*
 * Under the lock: what is to be written now, what is late before the rest. It
 * is in the book then; or nothing goes in there until it is written, as after
 * a death one without those before it could not be told.
 */
static struct note *take(struct writer *w)
{
	struct note *list;

	w->loose = w->up && !put_down(w);
	*w->late_last = w->first;
	list = w->late;
	w->late = NULL;
	w->late_last = &w->late;
	w->lates = 0;
	w->first = w->up = NULL;
	w->hurry = false;
	w->last = &w->first;
	if (w->book)
		daybook_turn(w->book);
	return list;
}

/* Under the lock. */
static void keep_late(struct writer *w, struct note *n)
{
	if (w->lates == LATE_MOST) {
		free(n);
		return;
	}
	n->next = NULL;
	*w->late_last = n;
	w->late_last = &n->next;
	w->lates++;
}

/*
 * Under the lock. Who waits for an intent that could not be written is told.
 * The others, that he was told of before, and ends, without which what was
 * done looks like what was not, are tried again when there is time, and at
 * last before we go; then they are for whoever comes next, if they are in the
 * book.
 */
static void settle_one(struct writer *w, struct note *n)
{
	if (!n->err) {
		if (n->page != NO_PAGE)
			daybook_carried(w->book, n);
		free(n);
	} else if (n->end || n->page != NO_PAGE) {
		keep_late(w, n);
	} else {
		n->next = w->failed;
		w->failed = n;
	}
}

/* Under the lock. */
static void settle(struct writer *w, struct note *list)
{
	while (list) {
		struct note *n = list;

		list = n->next;
		if (w->carried < n->number)
			w->carried = n->number;
		settle_one(w, n);
	}
	w->loose = false;
	if (w->settled < w->carried)
		w->settled = w->carried;
	(void)pthread_cond_broadcast(&w->done);
}

/* In our turn: the page that was carried over is needed no more. */
static void clear_page(struct writer *w)
{
	bool can;

	(void)pthread_mutex_lock(&w->lock);
	can = w->book && daybook_is_carried(w->book);
	(void)pthread_mutex_unlock(&w->lock);
	if (!can || (w->store->options.durable && db_sync(&w->db)))
		return;
	(void)pthread_mutex_lock(&w->lock);
	daybook_clear(w->book);
	(void)pthread_mutex_unlock(&w->lock);
}

/* In our turn, without the lock: all that there is to be written. */
static void write_all(struct writer *w)
{
	const bool durable = w->store->options.durable;
	struct note *list;
	uint64_t kept;

	(void)pthread_mutex_lock(&w->lock);
	list = take(w);
	kept = w->settled;
	w->syncing += durable;
	(void)pthread_mutex_unlock(&w->lock);
	if (list)
		notes_write(&w->db, &w->recent, list, kept);
	trim_note(&w->trim, notes_bytes(list));
	(void)pthread_mutex_lock(&w->lock);
	w->syncing -= durable;
	settle(w, list);
	w->torn |= w->book && daybook_is_gone(w->book);
	(void)pthread_mutex_unlock(&w->lock);
	if (!list)
		return;
	clear_page(w);
	(void)pthread_mutex_lock(&w->lock);
	w->chores = w->db.sql || w->late;
	w->rest_due = clock_ms() + REST_MS;
	w->crowded = w->db.wal_pages > LOG_PAGES_MOST;
	w->crammed = trim_is_urgent(&w->trim);
	(void)pthread_mutex_unlock(&w->lock);
}

/* In our turn. */
static void begin_book(struct writer *w)
{
	struct daybook *book = NULL;

	if (w->db.sql)
		book = daybook_new(&w->db, w->name, w->store->options.durable);
	(void)pthread_mutex_lock(&w->lock);
	w->book = book;
	w->book_due = 2 * w->intents; /* unless there is one now */
	(void)pthread_mutex_unlock(&w->lock);
}

/* The thread's turn to write; what would keep a caller is done here. */
static void write_some(struct writer *w)
{
	write_all(w);
	if (w->db.wal_pages > LOG_PAGES_MOST)
		db_checkpoint(&w->db, false);
	(void)pthread_mutex_lock(&w->lock);
	w->crowded = false;
	(void)pthread_mutex_unlock(&w->lock);
}

/* In our turn; is there more to do? */
static bool trim_a_little(struct writer *w)
{
	bool more = false;

	if (!db_open(&w->db, NULL))
		(void)!trim_some(&w->db, &w->trim, &more, NULL);
	(void)pthread_mutex_lock(&w->lock);
	w->crammed = trim_is_urgent(&w->trim);
	w->trim_due = clock_ms() + TRIM_MS;
	(void)pthread_mutex_unlock(&w->lock);
	return more;
}

/* One step at a time; a failure shows elsewhere. */
static bool do_chores(struct writer *w)
{
	bool more;

	write_all(w);
	recent_drop(&w->recent);
	if (trim_a_little(w))
		return true; /* what goes need not be packed */
	if (db_open(&w->db, NULL) || pack_some(&w->db, &more, NULL))
		return false;
	reserve_make(&w->db);
	if (w->db.wal_pages > LOG_PAGES)
		db_checkpoint(&w->db, false);
	return more;
}

/* Under the lock, which is given away meanwhile. */
static void take_step(struct writer *w, enum next next)
{
	bool more = false;

	if (next == PUT && put_on_disk(w))
		return;
	w->busy = true;
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_mutex_lock(&w->turn);
	if (next == REST)
		more = do_chores(w);
	else if (next == TRIM)
		(void)trim_a_little(w);
	else if (next == BEGIN)
		begin_book(w);
	else
		write_some(w);
	(void)pthread_mutex_unlock(&w->turn);
	(void)pthread_mutex_lock(&w->lock);
	w->busy = false;
	if (next == REST)
		w->chores = more || w->late;
}

/* In our turn, at the end. */
static void leave_book(struct writer *w)
{
	const bool durable = w->store->options.durable;

	/* What is not sure to last is left for whoever comes next. */
	daybook_free(w->book, w->book && durable && db_sync(&w->db));
	w->book = NULL;
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
	while ((next = wait_for_work(w)) != LEAVE)
		take_step(w, next);
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_mutex_lock(&w->turn);
	write_all(w);
	leave_book(w);
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
	w->name = uuid_new(clock_unix_ms());
	w->last = &w->first;
	w->late_last = &w->late;
	w->book_due = FEW;
	w->trim.max = s->options.max_bytes;
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

struct uuid writer_book(struct store *s)
{
	struct uuid none = { 0 }, name;

	(void)pthread_mutex_lock(&s->writer_lock);
	name = s->writer ? s->writer->name : none;
	(void)pthread_mutex_unlock(&s->writer_lock);
	return name;
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
	const bool large = is_large(n);
	const bool begin = !w->book && !n->end && ++w->intents == w->book_due;

	if (!w->first)
		w->soon = clock_ms() + (w->book ? CARRY_MS : SOON_MS);
	if (large)
		w->soon = 0;
	w->hurry |= w->store->options.durable && !n->end && n->op.existed;
	if (!w->up)
		w->up = n;
	*w->last = n;
	w->last = &n->next;
	return large || begin || w->hurry || w->asleep || w->crowded;
}

/* In our turn, for one who has the lock and gets it back. */
static void write_now(struct writer *w)
{
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_mutex_lock(&w->turn);
	write_all(w);
	(void)pthread_mutex_unlock(&w->turn);
	(void)pthread_mutex_lock(&w->lock);
}

/*
 * Under the lock, which is given away meanwhile. Whoever has our note has
 * the turn: when that is ours, the note is written or still in the list.
 */
static void wait_for(struct writer *w, uint64_t number)
{
	while (w->settled < number) {
		if (keep(w))
			break;
		if (!wants_disk(w) || !w->running)
			write_now(w);
		else if (!(w->hurry && w->busy && put_on_disk(w)))
			(void)pthread_cond_wait(&w->done, &w->lock);
	}
}

uint64_t writer_add(struct writer *w, struct note *n)
{
	uint64_t number;
	bool tell;

	n->by = w->store->self;
	(void)pthread_mutex_lock(&w->lock);
	number = n->number = ++w->given;
	tell = add(w, n);
	if (n->end) /* for others to see */
		(void)keep(w);
	while (!w->running && w->carried < number) /* the only way left */
		write_now(w);
	(void)pthread_mutex_unlock(&w->lock);
	if (tell)
		(void)pthread_cond_signal(&w->work);
	return number;
}

static struct note *take_failed(struct writer *w, uint64_t number)
{
	struct note **link = &w->failed, *found;

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
	n = take_failed(w, number);
	(void)pthread_mutex_unlock(&w->lock);
	if (!n)
		return ERR_OK;
	e = fault_set(f, &n->fault);
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
	while (w->carried < number)
		write_now(w);
	(void)pthread_mutex_unlock(&w->lock);
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
	notes_free(w->failed);
	notes_free(w->late);
	(void)pthread_mutex_destroy(&w->turn);
	(void)pthread_mutex_destroy(&w->lock);
	(void)pthread_cond_destroy(&w->work);
	(void)pthread_cond_destroy(&w->done);
	free(w);
}
