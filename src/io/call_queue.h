/*
 * call_queue.h - the calls of one client, in order.
 *
 * Calls of one client start in the order of their arrival: a call that changes
 * files waits for those before it, and those after it wait for it; reads run in
 * parallel. Quick reads run on the loop's thread, other calls on a pool. A call
 * that waits for the person is parked and loses its place: later calls run
 * meanwhile, and it continues behind those that are waiting by then.
 *
 * A queue belongs to the thread of its loop.
 */
#ifndef STET_CALL_QUEUE_H
#define STET_CALL_QUEUE_H

#include "io/pool.h"
#include "rpc/job.h"

struct call_queue;

/* What a transport does for its queues. */
struct call_queue_ops {
	/* The job has ended; sends its reply, if any, and frees it. */
	void (*finish)(struct call_queue *, struct job *);
	/* The job was cancelled or abandoned; frees it. */
	void (*drop)(struct call_queue *, struct job *);
	/* The client does not read its replies: start no more calls. */
	bool (*output_full)(const struct call_queue *);
	/* The pool for calls that may block; not asked before there is one. */
	struct pool *(*pool)(struct call_queue *);
	/* The job is back from the pool: call call_queue_returned(). */
	void (*returned)(struct call_queue *, struct job *);
	/* Small changes may run on the loop: no other client waits for it. */
	bool single_client;
	/*
	 * Where the reply of the job that now runs on the loop's thread can be
	 * sent while it is written. May be NULL, or return NULL: nowhere.
	 */
	struct json_flush *(*flush)(struct call_queue *);
};

struct call_queue {
	struct link link; /* first: job->link is cast to its queue */
	const struct call_queue_ops *ops;
	struct job *waiting, **waiting_end;
	unsigned waiting_count;
	struct job *running;     /* on the pool, linked by run_next */
	unsigned reads, changes; /* calls on the pool, by kind */
	bool halted;             /* no call is started any more */
};

enum { CALL_THREADS = 4 }; /* of a pool for one client */

void call_queue_open(struct call_queue *q, const struct call_queue_ops *ops);

static inline struct call_queue *call_queue_of(const struct job *job)
{
	return (struct call_queue *)job->link;
}

/* A job for which job_take() returned JOB_READS or JOB_CHANGES. */
void call_queue_add(struct call_queue *q, struct job *job);

/* A job is back from the pool. */
void call_queue_returned(struct call_queue *q, struct job *job);

/* Start the calls whose turn it is. */
void call_queue_start_ready(struct call_queue *q);

/* The client cancelled a request; the transport has no use for a reply. */
void call_queue_cancel(struct call_queue *q, struct str id);
void call_queue_abandon(struct call_queue *q, struct job *job);

/* The client sends no more: a question to it gets no answer. */
void call_queue_no_answers(struct call_queue *q);

/* clock_ms() at which call_queue_start_ready() is to be called again. */
uint64_t call_queue_deadline(const struct call_queue *q);

bool call_queue_is_idle(const struct call_queue *q);

/*
 * Start no more calls and cancel those that run. Next the pool is freed, which
 * delivers them to call_queue_returned(); call_queue_close() drops the rest.
 */
void call_queue_halt(struct call_queue *q);

void call_queue_close(struct call_queue *q);

#endif
