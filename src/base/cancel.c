/*
 * The caller that the current thread works for, and whether he has given up.
 * Relies on dispatch_run() to begin and end it around every call.
 */
#include "base/cancel.h"

/* One call at a time runs on a thread. */
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
