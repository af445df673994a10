/*
 * cancel.h - has the call that this thread works for been given up?
 *
 * What works on bytes knows no callers, but for a file of some hundred
 * megabytes some of its loops take seconds, and nobody wants to wait for an
 * answer that nobody will read. Such a loop asks every CANCEL_STRIDE bytes or
 * so and, when it is told so, ends early with anything that is well formed:
 * nobody looks at it. Once a thread was told so, it is told so until
 * cancel_end(): tools/dispatch.c turns whatever comes of the call into
 * ERR_CANCELLED, and no change is made from then on (tools/change.c, and the
 * caller's errand is asked once more right before a commit).
 *
 * What outlives a call (an index, a cache) must not be made from what a loop
 * has cut short: keep nothing when cancel_seen().
 */
#ifndef STET_CANCEL_H
#define STET_CANCEL_H

#include "base/base.h"

enum { CANCEL_STRIDE = 256 * 1024 };

/* This thread works for a caller who says with @stop that he gives up. */
void cancel_begin(bool (*stop)(void *ctx), void *ctx);

/* And not any more: what follows is to be finished. */
void cancel_end(void);

/* Ask now; false where nobody could give up. */
bool cancel_asked(void);

/* Was a loop of this call told to end? Asks nobody. */
bool cancel_seen(void);

/* In a loop: ask when @at has passed *@next, which moves on. */
static inline bool cancel_every(size_t at, size_t *next)
{
	if (at < *next)
		return false;
	*next = at + CANCEL_STRIDE;
	return cancel_asked();
}

#endif
