/*
 * input.h - requests of a call to its client: elicitation, sampling, roots.
 *
 * A client of 2026-07-28 gets all of them in one input_required result; an
 * older client gets one JSON-RPC request each, with a random id.
 */
#ifndef STET_INPUT_H
#define STET_INPUT_H

#include "base/json.h"

struct job;
struct peer;

enum input_kind {
	INPUT_ELICIT, /* elicitation/create */
	INPUT_SAMPLE, /* sampling/createMessage */
	INPUT_ROOTS,  /* roots/list */
};

enum { INPUT_ID = 32 }; /* hex digits of a request's id */

struct input {
	struct str key;     /* name of the request within the call */
	struct str params;  /* of the request: a JSON object */
	struct json result; /* JSON_NONE = none yet, or an error */
	enum input_kind kind;
	bool settled;          /* the response has arrived */
	char id[INPUT_ID + 1]; /* JSON-RPC id; "" = not sent */
};

struct inputs {
	struct input *items;
	size_t count;
};

/* Did the client of this job declare the capability? */
bool input_can(const struct job *job, enum input_kind kind);

/* Do these capabilities include elicitation forms? */
bool input_can_elicit(struct json capabilities);

/* The name of the capability. */
const char *input_capability(enum input_kind kind);

/* Is @result a valid result of such a request? */
bool input_is_right(enum input_kind kind, struct json result);

/* @key and @params must outlive it. */
void inputs_add(struct inputs *in, struct str key, enum input_kind kind,
		struct str params, struct arena *mem);

/* The object of an input_required result's inputRequests. */
void inputs_put(struct json_out *o, const struct inputs *in);

/* Send them as JSON-RPC requests. */
void inputs_send(struct inputs *in, struct peer *peer);

/* The request with this id (raw JSON); NULL = none of these. */
struct input *inputs_find(const struct inputs *in, struct str raw_id);

/* Store the response; @result is copied to @mem. */
void input_settle(struct input *in, struct json result, struct arena *mem);
bool inputs_are_settled(const struct inputs *in);

/* Send notifications/cancelled for it, so that the client closes its form. */
void input_withdraw(const struct input *in, struct peer *peer);

#endif
