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
 * So can a tool be run that is light: whatever may keep it waiting is found
 * before anything is changed.
 */
#ifndef STET_DISPATCH_H
#define STET_DISPATCH_H

#include "tools/events.h"

struct dispatch {
	/* filled in by the caller */
	const struct tool_options *options;
	struct workspace *ws;
	struct arena *mem;
	struct errand errand;        /* its patience is set by dispatch_run() */
	struct event_sink *events;   /* may be NULL */
	struct str id;               /* of the call, for events and history */
	const struct caller *caller; /* NULL = somebody */
	bool granted;                /* the person has said yes to this call */
	struct digest shown;         /* when they were shown this */
	bool (*offers)(void *ctx, const struct tool *); /* NULL = all */
	void *ctx;

	/* filled in here */
	struct call call;
	struct fault fault;
	struct json arguments;
	uint64_t began; /* clock_ms() */
};

/* ERR_NO_TOOL, ERR_BAD_ARGS, or one of the checks of the contract. */
must_check enum err dispatch_begin(struct dispatch *d, struct str name,
				   struct json arguments);

/*
 * Run the handler; @patience as in struct errand. ERR_ASK: d->call.question
 * is to be put to the person; set d->granted, and d->shown to its digest, and
 * run it again, or end it by dispatch_refuse(). The call goes on until then,
 * and asks again when it would now do something else.
 */
must_check enum err dispatch_run(struct dispatch *d, uint64_t patience);

/* The person was not asked or said no: end it with this fault. */
enum err dispatch_refuse(struct dispatch *d, const struct fault *why);

/* End it without having run: somebody gave it up. */
void dispatch_drop(struct dispatch *d);

#endif
