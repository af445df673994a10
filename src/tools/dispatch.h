/*
 * dispatch.h - the walk of one tool call: row, arguments, handler, events.
 *
 *	struct dispatch d = { .options = ..., .ws = ..., .mem = ... };
 *	e = dispatch_begin(&d, name, arguments);
 *	if (!e)
 *		e = dispatch_run(&d, patience);
 *
 * ERR_LATER from dispatch_run() means: call it again, with more patience, on
 * a thread that may block. Any other answer is final, and d.fault explains.
 */
#ifndef STET_DISPATCH_H
#define STET_DISPATCH_H

#include "tools/events.h"

struct dispatch {
	/* filled in by the caller */
	const struct tool_options *options;
	struct workspace *ws;
	struct arena *mem;
	struct errand errand;      /* its patience is set by dispatch_run() */
	struct event_sink *events; /* may be NULL */
	struct str id;             /* of the call, for events */
	bool (*offers)(void *ctx, const struct tool *); /* NULL = all */
	void *ctx;

	/* filled in here */
	struct call call;
	struct fault fault;
	struct json arguments;
};

/* ERR_NO_TOOL, ERR_BAD_ARGS, or one of the checks of the contract. */
must_check enum err dispatch_begin(struct dispatch *d, struct str name,
				   struct json arguments);

/* Run the handler; @patience as in struct errand. */
must_check enum err dispatch_run(struct dispatch *d, uint64_t patience);

/* End it without having run: somebody gave it up. */
void dispatch_drop(struct dispatch *d);

#endif
