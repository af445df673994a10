/*
 * local.h - what the files of this layer share.
 *
 * A store has two connections: that of the writer's thread, and one that is
 * in front, for all who look and for the person's answers, one at a time.
 */
#ifndef STET_STORE_LOCAL_H
#define STET_STORE_LOCAL_H

#include "store/db.h"
#include "store/process.h"
#include "store/store.h"

#include <pthread.h>

struct writer;

struct store {
	struct store_options options; /* the dir is ours */
	struct process self;
	int held; /* by process_hold(): others see us; -1 = nothing written */

	pthread_mutex_t words_lock;
	struct arena words; /* of faults: they live as long as the store */
	struct words *said;
	struct str aside; /* where a corrupt database went */

	pthread_mutex_t front_lock;
	struct db front;

	pthread_mutex_t writer_lock; /* for this pointer */
	struct writer *writer;       /* NULL until it is needed */
};

/*
 * A sentence for a fault, kept as long as the store. The same one is kept
 * once, so they do not pile up.
 */
struct str store_words(struct store *s, const char *format, ...) prints(2, 3);

/* A damaged database is now @path. */
void store_note_aside(struct store *s, const char *path);

/* The front, open and ours alone; all that was written so far is there. */
must_check enum err front_take(struct store *s, struct db **ret,
			       struct fault *f);

/* Declared with this, it is given back at every return. */
#define auto_front cleanup(front_give) struct db *
void front_give(struct db **db);

#endif
