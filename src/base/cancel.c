/*
 * cancel.c - the cancel callback of the call that runs on a thread.
 *
 * Thread-local: a thread runs one call at a time. dispatch_run() begins and
 * ends it around every call.
 */
#include "base/cancel.h"

static _Thread_local struct {
	bool (*stop)(void *ctx);
	void *ctx;
	bool seen;
} current;

void cancel_begin(bool (*stop)(void *ctx), void *ctx)
{
	current.stop = stop;
	current.ctx = ctx;
	current.seen = false;
}

void cancel_end(void)
{
	cancel_begin(NULL, NULL);
}

bool cancel_asked(void)
{
	if (!current.seen && current.stop)
		current.seen = current.stop(current.ctx);
	return current.seen;
}

bool cancel_seen(void)
{
	return current.seen;
}
