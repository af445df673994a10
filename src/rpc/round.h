/*
 * round.h - one call of something in a catalog, in as many rounds as it takes.
 *
 * A handler is a straight line that may be run several times: what it asks
 * its client for is not there in the first round, and the handler answers
 * ERR_ASK; when it is, the handler is run again from the start. Whether the
 * client made the call again with the answers (2026-07-28) or was sent
 * requests while the job was parked (before), it cannot tell.
 *
 *	e = round_ask(r, wants, COUNT_OF(wants), got);
 *	if (e)
 *		return e;
 *	... write the members of the result to r->out ...
 *	return ERR_OK;
 *
 * A handler that takes time answers ERR_LATER unless round_may_wait(), before
 * it has told anybody anything.
 */
#ifndef STET_ROUND_H
#define STET_ROUND_H

#include "rpc/input.h"
#include "rpc/method.h"
#include "rpc/news.h"

struct job;

/* How grave a log message is, as RFC 5424 has it. */
enum log_gravity {
	GRAVITY_DEBUG,
	GRAVITY_INFO,
	GRAVITY_NOTICE,
	GRAVITY_WARNING,
	GRAVITY_ERROR,
	GRAVITY_CRITICAL,
	GRAVITY_ALERT,
	GRAVITY_EMERGENCY,
	GRAVITY_NONE, /* nothing is wanted */
};

struct round_answer {
	struct str key;
	struct json result;
};

struct round {
	enum err (*run)(struct round *); /* NULL: the job is another call */
	struct job *job;
	struct arena *mem;
	struct json_out *out; /* for the members of the result */
	struct str name;      /* the tool, the prompt, or the URI */
	struct str part;      /* what a URI has in place of {...} */
	struct json arguments;
	struct round_answer *answers;
	size_t answers_count;
	uint64_t patience;
	enum log_gravity wanted; /* log messages from this on */
	bool carried;            /* the client brought our requestState */
	bool cached;             /* the result says how long it is good */
	struct fault fault;
};

struct round_want {
	struct str key; /* of the answer */
	enum input_kind kind;
	struct str params; /* of the request: a JSON object */
};

/*
 * The answers to all of these. ERR_ASK when some are not there: they will be
 * asked for. ERR_NO_CAPABILITY when the client cannot.
 */
must_check enum err round_ask(struct round *r, const struct round_want *wants,
			      size_t n, struct json *got);
bool round_can(const struct round *r, enum input_kind kind);

bool round_may_wait(const struct round *r);
bool round_is_cancelled(const struct round *r);

/* Tell the client, if it wants to know. */
void round_log(const struct round *r, enum log_gravity gravity,
	       struct str text);
void round_progress(const struct round *r, int64_t done, int64_t total);

/* Let the client hang up, and come back for the rest. */
void round_pause(const struct round *r);

/* Something that others may listen for has changed; @uri of a resource. */
void round_changed(const struct round *r, enum news what, struct str uri);

/*
 * Make job->round a call of @run. What @run is for, and its arguments, are in
 * job->round already. The answer is the job's kind; JOB_DONE = it was wrong.
 */
enum job_next round_begin(struct job *job, enum err (*run)(struct round *));

/* Run it. ERR_LATER and ERR_ASK as ask_run(); else the reply is there. */
must_check enum err round_run(struct job *job, uint64_t patience);

/* logging/setLevel, of older clients. */
enum job_next round_set_level(struct job *job);

/* The word of a client for how grave; GRAVITY_NONE = there is no such. */
enum log_gravity gravity_named(struct json word);

#endif
