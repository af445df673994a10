/*
 * record.h - the history entry of a change, written around it.
 *
 *	record_begin(c, &r, &op, before, after)   the intent is queued
 *	... store_want.ready = record_ready       waits until it is durable
 *	record_end(&r, e)                         the result
 *
 * A history that cannot be written does not stop the change (the reply says
 * that it was not kept), unless --history=required demands it.
 */
#ifndef STET_RECORD_H
#define STET_RECORD_H

#include "store/history.h"
#include "tools/call/tool.h"

struct record {
	struct call *call;
	struct op op;
	struct history_ticket ticket;
	bool begun;
	bool waited;
	struct str lost;  /* why it could not be recorded; "" = it was */
	struct str after; /* new content, or all bytes that were appended */
	const struct splice *splices; /* from old to new content; or NULL */
	size_t splice_count;
};

void record_begin(struct call *c, struct record *r, const struct op *op,
		  struct str before, struct str after);

/* For store_want.ready: @ctx is the record. */
must_check enum err record_ready(void *ctx, struct fault *f);

/*
 * For append_want.ready: also begins the record, from r->op, because the bytes
 * and their offset are not known before.
 */
must_check enum err record_ready_at(void *ctx, uint64_t at, struct str bytes,
				    struct fault *f);

/* The id of the operation as text, for results. */
struct str record_name(const struct record *r);

/* The workspace has returned @e: record how the operation ended. */
void record_end(struct record *r, enum err e);

/* Add to the fault which operation wrote @version of the file, if known. */
void record_report_writer(struct call *c, struct str key, struct hash version);

#endif
