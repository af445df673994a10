/*
 * writer.h - the thread that writes operations down.
 *
 * Only intents are waited for, and may have to be on disk. What is small goes
 * into the daybook first, and from there into the database, with all that has
 * come in since in one transaction; what is not, and the first ones, before
 * there is a daybook, go there at once.
 */
#ifndef STET_WRITER_H
#define STET_WRITER_H

#include "store/blobs.h"
#include "store/history.h"
#include "store/process.h"

struct writer;

enum { NO_PAGE = -1 };

/* An intent, or an end: one allocation, with all its strings behind it. */
struct note {
	struct note *next;
	uint64_t number; /* they are written in this order */
	int page;        /* of the daybook that has it; NO_PAGE */
	bool end;
	bool again;        /* of another's daybook: it may be there already */
	struct process by; /* whose it is */
	struct op op;
	enum op_state state; /* of an end */
	bool has_after;      /* an end that brings other bytes */
	struct content before, after;
	enum err err; /* how it went */
	struct fault fault;
};

/* The writer of @s, which is started at the first need. */
struct writer *writer_of(struct store *s);

/* The name of its daybook; that of no book while there is no writer. */
struct uuid writer_book(struct store *s);

/* Hand it over; an intent must be waited for, an end is freed by itself. */
uint64_t writer_add(struct writer *w, struct note *n);
must_check enum err writer_wait(struct writer *w, uint64_t number,
				struct fault *f);

/* Until the database has all that was handed over. */
void writer_flush(struct store *s);
void writer_free(struct writer *w);

#endif
