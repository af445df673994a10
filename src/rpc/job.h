/*
 * job.h - one incoming message, from its bytes to its reply.
 *
 *	job->text		the message, put there by io
 *	job_read(job)		parse it; what needs no file is answered at once
 *	job_run(job, n)		run a tool call, on the loop or on a worker
 *	job->reply		the reply; empty for a notification
 *
 * A batch is one job: job_run() runs one of its calls, returns JOB_MORE, and
 * job_more() goes on to the next. A transport that chooses the link by the
 * message calls job_parse() and job_take() in place of job_read().
 *
 * A job owns the memory of its call and is reused for the next message.
 */
#ifndef STET_JOB_H
#define STET_JOB_H

#include "rpc/ask.h"
#include "rpc/headers.h"
#include "rpc/message.h"
#include "rpc/server.h"
#include "tools/call/dispatch.h"

#include <stdatomic.h>

enum job_ran {
	JOB_RAN,    /* finished: send job->reply, unless it is empty */
	JOB_LATER,  /* run it again with byte_limit 0 on a worker */
	JOB_PARKED, /* waiting for an answer: call ask_park() */
	JOB_MORE,   /* one call of a batch has run: call job_more() */
};

enum job_era {
	JOB_MODERN, /* 2026-07-28 or later: stateless */
	JOB_HELLO,  /* `initialize`: begins a session */
	JOB_LEGACY, /* part of a session that `initialize` began */
};

struct job {
	struct job *next;     /* list link of the current owner */
	struct job *run_next; /* list of a call queue's jobs on workers */
	struct server *server;
	struct link *link;
	struct peer *peer; /* for messages before the reply; NULL = none */
	void *holder;      /* the transport's own record of the job */
	const struct headers *headers; /* of HTTP; NULL = another transport */
	unsigned status;               /* HTTP status of the reply */
	bool running; /* on a worker, or returned but not taken yet */
	bool batched; /* a JSON-RPC batch */
	bool light;   /* a change that may be tried on the loop thread */
	bool slow;    /* a search, for the pool's threads of such calls */
	struct arena mem;
	struct buf text, reply;
	struct charge held;     /* budget charge of text and reply */
	struct json root;       /* the parsed text */
	struct json_walk batch; /* position in a batch */
	size_t mark; /* length of a batch's reply before this message */
	struct json_flush *flush; /* sends the reply while it is made; NULL */

	/* of the message being handled, one of several in a batch */
	struct message message;
	bool modern; /* 2026-07-28 or later */
	struct caller caller;
	struct dispatch dispatch;
	struct str progress;   /* progressToken, raw JSON; "" = none */
	uint64_t started;      /* clock_ms() of the call */
	uint64_t reported;     /* clock_ms() of the last progress message */
	atomic_bool cancelled; /* set by the loop thread, read by workers */
	struct str cancels;    /* id of the request to be cancelled; "" */
	enum job_schedule schedule;      /* of the next run */
	enum job_schedule call_schedule; /* of the call itself */
	enum job_ran ran;                /* result of the last job_run() */
	bool answer_later; /* the caller calls job_answer() itself */
	enum err outcome;  /* of the handler, for job_answer() */
	struct ask ask;
	const struct job_handler *handler; /* runs it, unless JOB_DONE */
	void *handler_data; /* of an extension's handler, in job->mem */
};

struct job *job_new(struct server *s);
void job_free(struct job *job);

/* Reset for the next message. Keeps some of its memory. */
void job_clear(struct job *job);

/* Free large memory other than the reply, which is still to be sent. */
void job_answered(struct job *job);

/*
 * Is there memory for what the message asks for? Strings are copied when they
 * are decoded, so about twice the message is needed. ERR_NO_MEMORY.
 */
must_check enum err job_admit(struct job *job, struct fault *f);

enum job_schedule job_read(struct job *job, struct link *link);

/* The two halves of job_read(). False = invalid JSON; the reply is made. */
must_check bool job_parse(struct job *job);
enum job_schedule job_take(struct job *job, struct link *link);

/* After job_parse(). */
enum job_era job_era(const struct job *job);

/*
 * After job_parse(): the client's own name, from the clientInfo of a message
 * that stands alone; "" = it has none. job_introduce() tells it to @link.
 */
struct str job_client_name(struct job *job);
void job_introduce(const struct job *job, struct link *link);

/* Reply that the message had more than @max bytes; its text is not there. */
void job_refuse_long(struct job *job, size_t max);

/* After JOB_MORE: handle the next message of the batch. */
enum job_schedule job_more(struct job *job);

/*
 * Run the call. JOB_LATER: it exceeds @byte_limit, see struct progress.
 */
enum job_ran job_run(struct job *job, uint64_t byte_limit);

/* Make the reply of a call that ran with answer_later. */
void job_answer(struct job *job);

/* Cancel a call that has not run. There is no reply. */
void job_drop(struct job *job);

#endif
