/*
 * ask.h - putting the question of a call to the person.
 *
 * A handler that needs the person's word answers ERR_ASK. How they are asked
 * depends on the client, in this order:
 *
 *	ASK_RESULT   it speaks 2026-07-28 and can ask: the call ends with an
 *	             input_required result and is made again, with the answer
 *	ASK_REQUEST  it is older and can ask: elicitation/create goes out, and
 *	             the job is parked until the response comes in
 *	ASK_DIRECT   whoever carries its messages asks (link->ask): the job is
 *	             parked until ask_answer()
 *	ASK_QUEUE    it cannot: a row in the store, for `stet approvals`, and
 *	             the call fails with its id, or is parked for a while
 *
 * --ask-by chooses otherwise: the queue alone, the client alone, or both at
 * once. Then there is a row in the store as well (ask.queued): the first answer
 * counts, and the question is withdrawn from the other.
 *
 * A client that runs without a person declines a form by itself, at once. A
 * form that was declined or cancelled faster than anybody can read it, by a
 * client that has never shown a sign of a person, was not put to one: the
 * question goes to the queue (ask_judge()).
 *
 * What is done is what the person was shown: when it would be something else
 * by the time they answer, they are asked anew. An answer that covers a whole
 * root is asked for again, with its reach spelled out, before it counts.
 *
 * A parked job waits in its link, so that others may go on; all functions
 * that take a link belong to the loop thread. Handlers of a catalog (round.h)
 * wait there likewise for what they have asked for.
 */
#ifndef STET_ASK_H
#define STET_ASK_H

#include "base/digest.h"
#include "base/uuid.h"
#include "rpc/input.h"

struct job;
struct link;

enum ask_channel { ASK_QUEUE, ASK_RESULT, ASK_REQUEST, ASK_DIRECT };

enum ask_answer {
	ASK_NOTHING, /* nobody has said anything yet */
	ASK_ONCE,    /* also: all that a round asked for is there */
	ASK_FILE,
	ASK_DIRECTORY,
	ASK_SESSION,
	ASK_ALWAYS,
	ASK_DENY,
	ASK_DECLINED, /* the form was declined or cancelled as such */
	ASK_NOBODY,   /* there is nobody who could answer */
};

/* Where a job stands with its question. */
struct ask {
	enum ask_channel channel;
	enum ask_answer answer;
	struct digest shown; /* what the person has been shown */
	/* Wide answer whose reach was spelled out last, or ASK_NOTHING. */
	enum ask_answer confirm;
	struct str summary;
	struct str state; /* for an input_required; "" = the reply is another */

	struct inputs inputs; /* what the client is asked for */

	bool queued; /* with ASK_BY_BOTH: the queue has the question as well */
	bool declined; /* the client declined without asking the person */

	/* while it is parked */
	uint64_t asked; /* clock_ms() when the client was asked */
	uint64_t until; /* clock_ms() at which nobody waits any more */
	uint64_t
		waits; /* unix time until which its row in the queue is waited for */
	uint64_t look; /* when to look for a decision in the queue */
	bool looking;  /* that is all it is run for */
	struct uuid approval;
};

/*
 * Before the call is begun: which way to ask, and the answer that the message
 * may carry. False: the message is wrong, and the reply says so.
 */
must_check bool ask_begin(struct job *job, struct str tool);

/*
 * Run the call, as dispatch_run() does. ERR_ASK: park it. Otherwise it has
 * ended; if job->ask.state is there, the reply is ask_put_result().
 */
must_check enum err ask_run(struct job *job, uint64_t patience);

/*
 * What a client's answer, given @took milliseconds after the question, is
 * worth: ASK_DECLINED if it came without a person, ASK_DENY if they declined.
 */
enum ask_answer ask_judge(struct link *l, enum ask_answer answer,
			  uint64_t took);

/* The client has asked nobody: the queue is to be asked in its place. */
void ask_fall_back(struct job *job);

/* The members of an input_required result. */
void ask_put_result(struct json_out *o, const struct job *job);

/*
 * What a requestState is good for: this caller, this method, what it names
 * and its arguments.
 */
void ask_put_context(struct buf *out, const struct job *job, struct str name);

/* Keep a job until there is an answer; sends the question, if it is new. */
void ask_park(struct job *job);

/* Take a parked job that may go on, with its kind set; NULL = none yet. */
struct job *ask_next(struct link *l);

/* When the next one may go on by itself: clock_ms(), or UINT64_MAX. */
uint64_t ask_until(const struct link *l);

/* Take the parked job of that request: its client has given it up. */
struct job *ask_cancel(struct link *l, struct str request);

/* Take this one out, if it is parked. */
must_check bool ask_give_up(struct job *job);

/* Nobody can answer any more: all that are parked may go on. */
void ask_end(struct link *l);

/* Is this response an answer? Then take it. */
void ask_take_response(struct job *response);

/*
 * ASK_DIRECT: what the person said to the question of a parked job. Then its
 * lane is to be pumped.
 */
void ask_answer(struct job *job, enum ask_answer answer);

#endif
