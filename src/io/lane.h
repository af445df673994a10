/*
 * lane.h - the calls of one client, in order.
 *
 * Calls of one client take effect in the order they came in: one that changes
 * files waits for those before it and is waited for by those after it; reads
 * run side by side. Quick reads run on the loop's thread, all else on a pool.
 * Calls that wait for the person are parked, so that others may go on.
 *
 * A lane belongs to the thread of its loop.
 */
#ifndef STET_LANE_H
#define STET_LANE_H

#include "io/pool.h"

struct lane;

/* What a transport does for its lanes. */
struct lane_host {
	/* The job has its reply, or none. It is the host's again. */
	void (*finish)(struct lane *, struct job *);
	/* The job was given up. Likewise. */
	void (*drop)(struct lane *, struct job *);
	/* Its client does not take its replies: begin no more. */
	bool (*clogged)(const struct lane *);
	/* Run it on the pool; then, on the loop's thread, lane_back(). */
	void (*to_pool)(struct lane *, struct job *);
	/* It has one client: nobody else waits while a small change is made. */
	bool alone;
	/*
	 * Who takes the reply of the job that is now run on the loop's
	 * thread, while it is made. NULL, or it answers NULL: nobody.
	 */
	struct json_flow *(*flow)(struct lane *);
};

struct lane {
	struct link link; /* first: job->link is its lane */
	const struct lane_host *host;
	struct job *waiting, **waiting_end;
	unsigned waiting_count;
	struct job *running;     /* on the pool, linked by run_next */
	unsigned reads, changes; /* how many of either run */
	struct job *listening;   /* open until their client gives them up */
	bool halted;             /* nothing is begun any more */
};

enum { LANE_THREADS = 4 }; /* for a pool */

void lane_open(struct lane *l, const struct lane_host *host);

static inline struct lane *lane_of(const struct job *job)
{
	return (struct lane *)job->link;
}

/* job_take() made it something to run, or to keep. */
void lane_add(struct lane *l, struct job *job, enum job_next kind);

/* It is back from the pool. */
void lane_back(struct lane *l, struct job *job);

/* Start what may start. */
void lane_pump(struct lane *l);

/* The client has given up the request of that id; or this job. */
void lane_cancel(struct lane *l, struct str id);
void lane_give_up(struct lane *l, struct job *job);

/* Is that one of those that are kept until their client gives them up? */
bool lane_listens(const struct lane *l, const struct job *job);

/* Nobody can answer a question any more. */
void lane_unasked(struct lane *l);

/* When lane_pump() has something to do by itself: clock_ms(). */
uint64_t lane_until(const struct lane *l);

bool lane_is_idle(const struct lane *l);

/*
 * Begin nothing any more, and cancel what runs. Then the pool is freed, what
 * comes back from it goes to lane_back(), and lane_close() has the rest.
 */
void lane_halt(struct lane *l);

/* Drop all that is left. */
void lane_close(struct lane *l);

#endif
