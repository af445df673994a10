/*
 * input.h - what a call asks its client for before it can go on: a form for
 * the person, a word of the model, the client's directories.
 *
 * To a client of 2026-07-28 all of them go in one input_required result; to
 * an older one each is a request of ours, with an id that nobody can guess.
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
	struct str key;     /* what the call knows it by */
	struct str params;  /* of the request: a JSON object */
	struct json result; /* JSON_NONE = not there, or it was an error */
	enum input_kind kind;
	bool settled;          /* the response has come */
	char id[INPUT_ID + 1]; /* of our request; "" = not sent */
};

struct inputs {
	struct input *items;
	size_t count;
};

/* Has the client of this job said that it can do that? */
bool input_can(const struct job *job, enum input_kind kind);

/* Do these capabilities have forms for the person? */
bool input_can_elicit(struct json capabilities);

/* The member of the client's capabilities that is needed. */
const char *input_capability(enum input_kind kind);

/* Is @result what such a request is answered with? */
bool input_is_right(enum input_kind kind, struct json result);

/* @key and @params must outlive it. */
void inputs_add(struct inputs *in, struct str key, enum input_kind kind,
		struct str params, struct arena *mem);

/* The object of an input_required result's inputRequests. */
void inputs_put(struct json_out *o, const struct inputs *in);

/* As requests of ours. */
void inputs_send(struct inputs *in, struct peer *peer);

/* The one with that id, as a response has it; NULL = it is another's. */
struct input *inputs_find(const struct inputs *in, struct str raw_id);

/* Keep the response, in @mem. */
void input_settle(struct input *in, struct json result, struct arena *mem);
bool inputs_are_settled(const struct inputs *in);

/* Nobody waits for this one any more: the client may close its form. */
void input_withdraw(const struct input *in, struct peer *peer);

#endif
