/*
 * record.h - a change and its entry in the history, made together.
 *
 *	record_begin(c, &r, &op, before, after)   the intent is on its way
 *	... r.ready is store_want.ready: waits until it is kept
 *	record_end(c, &r, e)                      how it ended
 *
 * A history that cannot be written does not stop the work (the reply says
 * that the change was not kept), unless --history=required says so.
 */
#ifndef STET_RECORD_H
#define STET_RECORD_H

#include "store/history.h"
#include "tools/tool.h"

struct record {
	struct call *call;
	struct op op;
	struct history_ticket ticket;
	bool begun;
	bool waited;
	struct str lost;  /* why it is not kept; "" = it is */
	struct str after; /* what the file gets, or what is appended */
	const struct splice *splices; /* that make it of what was; or NULL */
	size_t splice_count;
};

void record_begin(struct call *c, struct record *r, const struct op *op,
		  struct str before, struct str after);

/* For store_want.ready: @ctx is the record. */
must_check enum err record_ready(void *ctx, struct fault *f);

/*
 * For append_want.ready: begins it too, from r->op and r->after, as the
 * place of the bytes is not known before.
 */
must_check enum err record_ready_at(void *ctx, uint64_t at, struct fault *f);

/* The operation's name, for results. */
struct str record_name(const struct record *r);

/* The store has answered @e. */
void record_end(struct record *r, enum err e);

/* Who made the file what it is, for a caller who finds it changed. */
void record_tell_writer(struct call *c, struct str key, struct hash version);

#endif
