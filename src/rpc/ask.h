/*
 * ask.h - puts the question of a call (tools/permissions/gate) to the person.
 *
 * A handler that needs an approval returns ERR_ASK. The channel is the first
 * that applies:
 *
 *	ASK_DIRECT   the transport asks (link->ask; an editor, by ACP): the job
 *	             is parked until ask_answer()
 *	ASK_RESULT   the client speaks 2026-07-28 and has elicitation: the call
 *	             ends with an input_required result, and the client makes it
 *	             again with the answer
 *	ASK_REQUEST  an older client that has elicitation: elicitation/create
 *	             is sent, and the job is parked until the response arrives
 *	ASK_QUEUE    any other client: the question becomes an approval in the
 *	             store, for the page and `stet approvals`; the call fails
 *	             with its id, or is parked for server->approval_ms
 *
 * --ask-by chooses otherwise: the queue alone, the client alone, or both at
 * once. With both, the approval is in the store as well (ask.queued): the
 * first answer counts, and the question is withdrawn from the other.
 *
 * A client without a person declines a form automatically. A form that was
 * declined or cancelled faster than anybody can read it, by a client that has
 * never shown a sign of a person, goes to the queue (ask_judge()).
 *
 * A call that waits for the queue polls it, with backoff, for decisions of
 * other processes. A decision of this process wakes the calls (ask_decided()).
 *
 * An answer holds for exactly what was shown: if the call would do something
 * else by then, the person is asked again. An answer that covers a whole root
 * counts only after a second form has spelled out its reach (ask.confirm).
 *
 * A parked job is in its link's list, so that other calls go on. Functions that
 * take a link belong to the loop thread. A handler of an extension (method.h)
 * can park its jobs there as well.
 */
#ifndef STET_ASK_H
#define STET_ASK_H

#include "base/digest.h"
#include "base/uuid.h"
#include "rpc/input.h"

struct job;
struct link;
struct server;

enum ask_channel { ASK_QUEUE, ASK_RESULT, ASK_REQUEST, ASK_DIRECT };

/* Ordered: ASK_ONCE to ASK_ALWAYS are yes, from narrow to wide. */
enum ask_answer {
	ASK_NOTHING, /* no answer yet */
	ASK_ONCE,
	ASK_FILE,
	ASK_DIRECTORY,
	ASK_SESSION,
	ASK_ALWAYS,
	ASK_DENY,
	ASK_DECLINED, /* the client dismissed the form without a person */
	ASK_NOBODY,   /* no channel to the person, or timeout */
};

/* The state of a job's question. */
struct ask {
	enum ask_channel channel;
	enum ask_answer answer;
	struct digest shown; /* of the question that the person has seen */
	/* Wide answer whose reach the last form spelled out, or ASK_NOTHING. */
	enum ask_answer confirm;
	struct str summary; /* of the question, one line */
	struct str state;   /* requestState; "" = no input_required result */

	struct inputs inputs; /* requests to the client */
	struct str digest; /* equal calls share a question; "" = they do not */
	uint64_t wait_ms;  /* how long the client has to answer */

	bool queued;   /* with ASK_BY_BOTH: the question is also in the queue */
	bool declined; /* the client declined without asking the person */

	/* while the job is parked */
	uint64_t asked;   /* clock_ms() when the question was asked */
	uint64_t until;   /* clock_ms() deadline for the answer */
	uint64_t waits;   /* the same in unix time, for the row of the queue */
	uint64_t poll_at; /* clock_ms() of the next poll of the queue */
	unsigned decisions;   /* server->decisions.count at the last poll */
	bool polling;         /* the next run only polls the queue */
	struct uuid approval; /* id of the row of the queue */
};

/*
 * Before the call begins: choose the channel, and read the answer that the
 * message may have. False: the message is invalid, and the reply is made.
 */
must_check bool ask_begin(struct job *job, struct str tool);

/* Will ask_run() block, on the store or in the workspace? */
bool ask_waits(const struct job *job);

/*
 * Run the call, as dispatch_run() does. ERR_ASK: park the job. Otherwise the
 * call has ended; if job->ask.state is set, the reply is ask_put_result().
 */
must_check enum err ask_run(struct job *job, uint64_t byte_limit);

/*
 * How a client's answer, @took milliseconds after the question, counts:
 * ASK_DECLINED if no person can have given it, ASK_DENY if a person declined.
 */
enum ask_answer ask_judge(struct link *l, enum ask_answer answer,
			  uint64_t took);

/* The answer in the client's response to the question of a parked job. */
enum ask_answer ask_read_answer(struct job *job);

/* The client has not asked a person: put the question into the queue. */
void ask_fall_back(struct job *job);

/* The members of an input_required result. */
void ask_put_result(struct json_out *o, const struct job *job);

/*
 * The context that a requestState is signed for: caller, method, @name (the
 * tool) and arguments.
 */
void ask_put_context(struct buf *out, const struct job *job, struct str name);

/* Park a job until it has an answer. Sends a question of channel REQUEST. */
void ask_park(struct job *job);

/*
 * From any thread: this process has decided a question of the queue, which may
 * be one of @s or of the server beside it.
 */
void ask_decided(struct server *s);

/*
 * Have @wake called after each such decision, from any thread: it makes the
 * loop thread call ask_next() for every link. NULL = unset; on return no
 * call of @wake is running.
 */
void ask_on_decision(struct server *s, void (*wake)(void *ctx), void *ctx);

/* Unpark a job that can go on, with its kind set; NULL = none. */
struct job *ask_next(struct link *l);

/* The next deadline or poll: clock_ms(), or UINT64_MAX. */
uint64_t ask_until(const struct link *l);

/* Unpark the job of a cancelled request; NULL = it is not parked. */
struct job *ask_cancel(struct link *l, struct str request);

/* Unpark a cancelled job; false = it is not parked. */
must_check bool ask_give_up(struct job *job);

/* The client is gone: all parked jobs go on, without an answer. */
void ask_end(struct link *l);

/* Take a response of the client, if it answers a parked job. */
void ask_take_response(struct job *response);

/* ASK_DIRECT: the answer to a parked job. Then call call_queue_start_ready(). */
void ask_answer(struct job *job, enum ask_answer answer);

#endif
