/*
 * pool.h - a thread pool for work that may block, with a callback on the loop.
 *
 * Threads are started when there is work and none is idle, so a process that
 * never needs one has none. All functions are for the loop's thread.
 */
#ifndef STET_POOL_H
#define STET_POOL_H

#include "io/mailbox.h"

struct pool;

/* @box is the mailbox of the loop whose thread calls pool_run(). */
struct pool *pool_new(unsigned max_threads, struct mailbox *box);

/*
 * Call @run(@ctx) on a thread of the pool, then @done(@ctx) on the loop's.
 * Where no thread can be started @run is called at once, by the caller.
 */
void pool_run(struct pool *p, void (*run)(void *ctx), void (*done)(void *ctx),
	      void *ctx);

/*
 * The same for work that may take seconds: on POOL_SLOW_THREADS threads of its
 * own, in the order of the calls, so that other work does not wait for it.
 */
enum { POOL_SLOW_THREADS = 2 };

void pool_run_slow(struct pool *p, void (*run)(void *ctx),
		   void (*done)(void *ctx), void *ctx);

/* What happens to work that is queued and has not begun. */
enum pool_queued {
	POOL_DROP_QUEUED, /* neither run() nor done() is called */
	POOL_RUN_QUEUED,
};

/*
 * Wait for the threads, then drain the mailbox: done() of all work that has
 * run is called before this returns. NULL is fine.
 */
void pool_free(struct pool *p, enum pool_queued queued);

#endif
