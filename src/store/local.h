/*
 * local.h - shared by the files of this layer.
 *
 * A store has two connections: one of the writer (writer.c), and one that all
 * callers share, one at a time, for queries, approvals and grants.
 */
#ifndef STET_STORE_LOCAL_H
#define STET_STORE_LOCAL_H

#include "store/db.h"
#include "store/process.h"
#include "store/store.h"

#include <pthread.h>

struct grant;
struct writer;

struct store {
	struct store_options options; /* options.dir is in @mem */
	struct process_id self;
	int held; /* from process_hold(); -1 = not opened for writing */

	pthread_mutex_t message_lock; /* for the next three */
	struct arena mem;             /* options.dir, and messages of faults */
	struct kept_message *messages;
	struct str aside; /* path that a corrupt database was renamed to */

	pthread_mutex_t shared_db_lock;
	struct db shared_db;

	pthread_mutex_t writer_lock; /* for the pointer only */
	struct writer *writer;       /* NULL until something is written */
};

/*
 * A message for a fault, which lives as long as the store. Equal messages are
 * kept once, so that they do not pile up.
 */
struct str store_message(struct store *s, const char *format, ...) prints(2, 3);

/* Remember that a damaged database was renamed to @path. */
void store_note_aside(struct store *s, const char *path);

/*
 * Open the shared connection and lock it. Everything that was submitted so far
 * is committed, and the logs of other processes are replayed.
 */
must_check enum err shared_db_acquire(struct store *s, struct db **ret,
				      struct fault *f);

/*
 * The same without flush and replay: for questions and answers, which are never
 * in a write-ahead log.
 */
must_check enum err shared_db_acquire_unreplayed(struct store *s,
						 struct db **ret,
						 struct fault *f);

/* Declared with this, the connection is released at every return. */
#define auto_shared_db cleanup(shared_db_release) struct db *
void shared_db_release(struct db **db);

/* Add @g within a transaction of the caller's: its id and time are made. */
must_check enum err grant_put(struct db *db, struct grant *g, struct fault *f);

#endif
