/*
 * cancel.h - has the call that this thread runs been cancelled?
 *
 * Code that works on bytes knows no callers, but on a file of some hundred
 * megabytes its loops take seconds. Such a loop polls every CANCEL_STRIDE bytes
 * or so and, when the call is cancelled, ends early with any well-formed
 * result, which is never used: cancellation stays set until cancel_end(),
 * dispatch (tools/call/dispatch.c) turns the outcome into ERR_CANCELLED, and no
 * change is made from then on (tools/change/change.c; the caller's struct
 * progress is polled once more right before a commit).
 *
 * Data that outlives a call (an index, a cache) must not be built from a loop
 * that was cut short: keep nothing when cancel_seen().
 */
#ifndef STET_CANCEL_H
#define STET_CANCEL_H

#include "base/base.h"

enum { CANCEL_STRIDE = 256 * 1024 };

/* The call on this thread is cancelled when @stop returns true. */
void cancel_begin(bool (*stop)(void *ctx), void *ctx);

/* The call has ended; what follows cannot be cancelled. */
void cancel_end(void);

/* Poll; false outside of a call. */
bool cancel_asked(void);

/* Was a loop of this call cancelled? Does not poll. */
bool cancel_seen(void);

/* In a loop: poll when @at has passed *@next, and advance *@next. */
static inline bool cancel_every(size_t at, size_t *next)
{
	if (at < *next)
		return false;
	*next = at + CANCEL_STRIDE;
	return cancel_asked();
}

#endif
