/*
 * pool.h - a few threads for work that may block.
 *
 * Threads are made when there is work and none is idle, so a process that
 * never needs one has none.
 */
#ifndef STET_POOL_H
#define STET_POOL_H

#include "rpc/job.h"

struct pool;

/*
 * @run is called on a thread of the pool for each job, @done after it, also
 * there.
 */
struct pool *pool_new(unsigned most, void (*run)(void *ctx, struct job *),
		      void (*done)(void *ctx, struct job *), void *ctx);
void pool_add(struct pool *p, struct job *job);

/* Wait for the work that is under way; what has not begun is not begun. */
void pool_free(struct pool *p);

#endif
