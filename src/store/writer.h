/*
 * writer.h - the thread that writes operations down.
 *
 * What comes in while it is at work is gathered, and goes into one
 * transaction. Only intents are waited for, and may have to be on disk.
 */
#ifndef STET_WRITER_H
#define STET_WRITER_H

#include "store/blobs.h"
#include "store/history.h"

struct writer;

/* An intent, or an end: one allocation, with all its strings behind it. */
struct note {
	struct note *next;
	uint64_t number; /* they are written in this order */
	bool end;
	struct op op;
	enum op_state state; /* of an end */
	bool has_after;      /* an end that brings other bytes */
	struct content before, after;
	enum err err; /* how it went */
	struct fault fault;
};

/* One with a copy of @op, and @room bytes at *@ret_room. */
struct note *note_new(const struct op *op, size_t room, char **ret_room);

/* The writer of @s, which is started at the first need. */
struct writer *writer_of(struct store *s);

/* Hand it over; an intent must be waited for, an end is freed by itself. */
uint64_t writer_add(struct writer *w, struct note *n);
must_check enum err writer_wait(struct writer *w, uint64_t number,
				struct fault *f);

/* Until all that was handed over is written. */
void writer_flush(struct store *s);
void writer_free(struct writer *w);

#endif
