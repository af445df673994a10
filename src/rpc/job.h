/*
 * job.h - one message on its way to one reply.
 *
 *	job->text		the message, put there by io
 *	job_read(job)		parse it; what needs no file is answered at once
 *	job_run(job, n)		the rest: a tool call, perhaps off the loop
 *	job->reply		the answer, or empty: then there is none
 *
 * A batch is one job: job_run() then runs one of its calls, answers JOB_MORE
 * and job_more() goes on to the next. Whoever has to see the message before
 * it chooses a link calls job_parse() and job_take() in place of job_read().
 *
 * A job owns the memory of its call and is used again for the next one.
 */
#ifndef STET_JOB_H
#define STET_JOB_H

#include "rpc/ask.h"
#include "rpc/headers.h"
#include "rpc/message.h"
#include "rpc/round.h"
#include "rpc/server.h"
#include "tools/dispatch.h"

#include <stdatomic.h>

enum job_ran {
	JOB_RAN,    /* the reply is there, if there is one */
	JOB_LATER,  /* run it again with patience 0, where it may block */
	JOB_PARKED, /* it waits for the person: ask_park() it */
	JOB_MORE,   /* one of a batch has run: job_more() */
};

enum job_era {
	JOB_MODERN, /* the message stands alone */
	JOB_HELLO,  /* it is an `initialize` */
	JOB_LEGACY, /* it belongs to what an `initialize` has begun */
};

struct job {
	struct job *next;     /* for whoever holds it */
	struct job *run_next; /* the same, while it runs */
	bool running;
	bool batched; /* its messages are answered together */
	struct server *server;
	struct link *link;
	struct peer *peer; /* who is told what comes before; NULL = nobody */
	void *holder;      /* for whoever holds it */
	const struct headers *headers; /* NULL = it came without */
	unsigned status;               /* of HTTP, for the reply */
	struct arena mem;
	struct buf text, reply;
	struct charge held; /* for the memory of these two */
	struct json root;   /* what the text is */
	struct json_walk batch;
	size_t mark; /* of the reply: before that to the current message */
	struct json_flow *flow; /* takes its front while it is made; or NULL */

	/* of the message being handled */
	struct message message;
	bool modern; /* it speaks 2026-07-28 */
	struct caller caller;
	struct dispatch dispatch;
	struct str progress; /* the token, raw JSON; "" = not wanted */
	uint64_t started, told;
	atomic_bool cancelled;
	struct str cancels; /* this message cancels the request of that id */
	enum job_next kind;
	enum job_ran ran;  /* how it went, for whoever holds it */
	bool answer_later; /* job_run() leaves the reply to job_answer() */
	enum err outcome;  /* for that */
	struct ask ask;
	struct round round;   /* if it is a call of the catalog */
	struct reader reader; /* if it is JOB_LISTENS */
};

struct job *job_new(struct server *s);
void job_free(struct job *job);

/* Make it ready for the next message: keeps some memory. */
void job_clear(struct job *job);

/* Only the reply is needed from now on: give back what else is large. */
void job_answered(struct job *job);

/*
 * Is there memory for what the message asks for? Strings are copied when they
 * are decoded, so about twice the message is needed. ERR_NO_MEMORY.
 */
must_check enum err job_admit(struct job *job, struct fault *f);

enum job_next job_read(struct job *job, struct link *link);

/* The two halves of that. False: it is no JSON, and the reply says so. */
must_check bool job_parse(struct job *job);
enum job_next job_take(struct job *job, struct link *link);

/* After job_parse(): whose it is. */
enum job_era job_era(const struct job *job);

/* After JOB_MORE: the next of the batch. */
enum job_next job_more(struct job *job);

/* What the call made ready in it is: JOB_READS or JOB_CHANGES. */
enum job_next job_call_kind(const struct job *job);

/*
 * Run the call. JOB_LATER: it would take longer than @patience bytes allow.
 */
enum job_ran job_run(struct job *job, uint64_t patience);

/* Make the reply of a call that ran with answer_later. */
void job_answer(struct job *job);

/* A change that may be run so: it does not wait for the disk. */
bool job_is_light(const struct job *job);

/* Give a call up that has not run. No reply. */
void job_drop(struct job *job);

#endif
