/*
 * dispatch.h - runs one tool call: row, arguments, handler, events.
 *
 *	struct dispatch d = { .options = ..., .ws = ..., .mem = ... };
 *	e = dispatch_begin(&d, name, arguments);
 *	if (!e)
 *		e = dispatch_run(&d, byte_limit);
 *
 * ERR_LATER from dispatch_run() means: call it again with byte_limit 0, on a
 * thread that may block, where it is never returned. ERR_ASK means that the
 * person has to be asked first. Any other result is final, and d.fault explains
 * it. A tool whose row says light may be run on the event loop first: everything
 * that could block is found before the file is changed.
 */
#ifndef STET_DISPATCH_H
#define STET_DISPATCH_H

#include "tools/call/events.h"

struct dispatch {
	/* filled in by the caller */
	const struct tool_options *options;
	struct workspace *ws;
	struct arena *mem;
	struct progress progress;    /* byte_limit is set by dispatch_run() */
	struct event_sink *events;   /* may be NULL */
	struct str id;               /* of the call, for events and history */
	const struct caller *caller; /* NULL = anonymous */
	bool granted;                /* the question was approved */
	struct digest shown;         /* question_digest() of that question */
	/*
	 * The row that serves a tool of all.def, NULL = it is not offered;
	 * without the callback every tool is offered by its own row.
	 */
	const struct tool *(*offered)(void *ctx, const struct tool *);
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
 * Run the handler; @byte_limit as in struct progress. With ERR_ASK the person has
 * to answer d->call.question. Approved: set d->granted and d->shown (the digest
 * of the question) and run it again. Refused: dispatch_refuse(). The call is not
 * over before one of them; it asks again if its effect has changed meanwhile.
 */
must_check enum err dispatch_run(struct dispatch *d, uint64_t byte_limit);

/* The approval was refused, or nobody could be asked: end it with @why. */
enum err dispatch_refuse(struct dispatch *d, const struct fault *why);

/* End a call that was cancelled before it ran. */
void dispatch_drop(struct dispatch *d);

#endif
