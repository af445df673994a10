/*
 * writer_local.h - what writer.c, writer_commit.c and writer_thread.c share.
 */
#ifndef STET_WRITER_LOCAL_H
#define STET_WRITER_LOCAL_H

#include "store/db.h"
#include "store/pending_op.h"
#include "store/trim.h"
#include "store/writer.h"

#include <pthread.h>

struct wal;

enum {
	COMMIT_MS = 2,           /* delay of a commit, for more to join it */
	COMMIT_LOGGED_MS = 50,   /* the same when the operations are logged */
	IDLE_MS = 300,           /* without work, before idle work begins */
	WAL_AFTER = 8,           /* intents; for fewer a log is not worth it */
	CHECKPOINT_PAGES = 1000, /* in SQLite's log: checkpoint when idle */
	CHECKPOINT_PAGES_MAX = 8000, /* in SQLite's log: checkpoint now */
};

struct writer {
	struct store *store;
	pthread_t thread;
	bool has_thread; /* false when none could be started */
	struct uuid wal_name;

	/* The right to write to the database; taken before @lock. */
	pthread_mutex_t db_lock;
	struct db db;         /* under db_lock */
	struct recent recent; /* under db_lock */
	struct trim trim;     /* under db_lock */

	pthread_mutex_t lock; /* for everything below */
	pthread_cond_t work;  /* the thread has something to do */
	pthread_cond_t done;  /* @logged has grown */
	struct wal *wal;      /* NULL = not created yet */

	struct pending_op *queue, **queue_end; /* to be committed */
	struct pending_op *unlogged; /* the first in the queue not in the log */
	struct pending_op *failed;   /* intents whose callers will ask */
	struct pending_op *retry, **retry_end; /* to be tried again when idle */
	size_t retries;                        /* how many are in @retry */

	uint64_t submitted; /* number of the newest operation */
	uint64_t logged;    /* last one in the log or the database */
	uint64_t committed; /* up to this one the database has them */

	uint64_t intents,
		wal_due; /* number so far; log is created at wal_due */
	uint64_t commit_due, trim_due, idle_due; /* clock_ms() */
	size_t syncs;                            /* fsyncs under way */
	bool stopping;                           /* writer_free() was called */
	bool sync_wanted;       /* an intent in the queue must be on disk */
	bool batch_unlogged;    /* a batch that is not in the log is written */
	bool wal_unusable;      /* a sync failed or the file is gone */
	bool thread_busy;       /* the thread is in a step that may be long */
	bool thread_asleep;     /* the thread waits for a signal, not a time */
	bool idle_work;         /* there may be something for STEP_IDLE */
	bool checkpoint_wanted; /* SQLite's log is too long to wait */
	bool trim_urgent;       /* the history is over its limit */
};

/* Under the lock: must an operation be on disk, or is a sync under way? */
bool writer_sync_is_pending(const struct writer *w);

/*
 * Under the lock: log everything that was submitted, where a copy in the page
 * cache is enough; false when it is not, or when it cannot be logged.
 */
bool writer_log_unsynced(struct writer *w);

/* The same with a sync. Under the lock, which is released meanwhile. */
bool writer_log_and_sync(struct writer *w);

/* Under db_lock, without the lock: commit all that is in the queue. */
void writer_commit_batch(struct writer *w);

/* The body of the thread; @arg is the writer. */
void *writer_run(void *arg);

#endif
