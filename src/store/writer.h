/*
 * writer.h - the thread that writes operations down.
 *
 * Only intents are waited for, and may have to be on disk. Small operations go
 * into the write-ahead log first (wal.h), and from there into the database,
 * many in one transaction. Large ones, and the first few of a process, before
 * it has a log, are committed to the database at once.
 */
#ifndef STET_WRITER_H
#define STET_WRITER_H

#include "store/blobs.h"
#include "store/history.h"
#include "store/process.h"

struct writer;

enum { NO_SEGMENT = -1 };

/*
 * An intent or an end that waits to be written: one allocation, with all its
 * strings behind it.
 */
struct pending_op {
	struct pending_op *next;
	uint64_t number; /* position in the order of commits */
	int segment;     /* of the write-ahead log that has it; or NO_SEGMENT */
	bool end;        /* else an intent */
	bool again;      /* from a replayed log: the database may have it */
	struct process_id by; /* the process that made the operation */
	struct op op;
	enum op_state state; /* result, if it is an end */
	bool has_after;      /* an end with a content of its own */
	struct content before, after;
	enum err err; /* result of writing it */
	struct fault fault;
};

/* The writer of @s, which is started at the first call. */
struct writer *writer_of(struct store *s);

/* The file name of its write-ahead log; zero while there is no writer. */
struct uuid writer_wal_name(struct store *s);

/*
 * Submit an operation, which the writer then owns. An intent must be waited
 * for: its failure is kept until then.
 */
uint64_t writer_add(struct writer *w, struct pending_op *p);
must_check enum err writer_wait(struct writer *w, uint64_t number,
				struct fault *f);

/* Commit everything that was submitted to the database. */
void writer_flush(struct store *s);
void writer_free(struct writer *w);

#endif
