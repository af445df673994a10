/*
 * activity.h - what the clients are doing: the calls that run, and the latest
 * ones that ended.
 *
 * One more sink of the server's events. Calls tell it from any thread; it
 * keeps a few words of each, never what a file holds. Somebody may listen: he
 * is told of each call when it begins, asks and ends, on the thread of the
 * call, and must be quick.
 */
#ifndef STET_ACTIVITY_H
#define STET_ACTIVITY_H

#include "rpc/server.h"

struct activity;

enum {
	ACTIVITY_KEPT = 200,  /* calls that ended */
	ACTIVITY_CHANGE = 64, /* bytes of a call id; longer ones are left out */
};

enum activity_state {
	ACTIVITY_RUNNING,
	ACTIVITY_ASKING, /* it waits for the person */
	ACTIVITY_OK,
	ACTIVITY_FAILED,
	ACTIVITY_DENIED, /* by a rule or the person: not a fault of the call */
	ACTIVITY_ASKED,  /* it ended, and its question waits for the person */
};

struct activity_call {
	uint64_t number; /* from 1, in the order in which they began */
	const char *tool;
	struct str path;            /* as it was given; "" = none */
	struct str client, session; /* as in struct caller */
	struct str who;             /* client_words() */
	struct str name;            /* of its token, or "stdio" */
	bool has_token;             /* @name is that of its token */
	uint64_t began_ms;          /* unix time */
	uint64_t ms;                /* how long, once it has ended */
	uint64_t bytes_in, bytes_out;
	enum activity_state state;
	char change[ACTIVITY_CHANGE + 1]; /* id of a call that changes, or "" */
	int code;                         /* of a failure, and its sentence */
	struct str message;
};

struct activity_counts {
	uint64_t calls, failed, denied, asked, created, updated, removed;
	uint64_t lines_added, lines_removed;
};

struct activity *activity_new(void);

/* Not before the last call of the server has ended, and it has left. */
void activity_free(struct activity *a);

/* Hear of the calls of @s from now on, and no more; while none of them runs. */
void activity_join(struct activity *a, struct server *s);
void activity_leave(struct activity *a, struct server *s);

typedef void activity_listener(void *ctx, const struct activity_call *call);

/* NULL = nobody. The one before is not called any more once this returns. */
void activity_listen(struct activity *a, activity_listener *heard, void *ctx);

/* Those that run and the latest that ended, oldest first, in @mem. */
void activity_list(struct activity *a, struct arena *mem,
		   struct activity_call **ret, size_t *ret_n);

struct activity_counts activity_counts(struct activity *a);

/* A call as the page and programs read it. */
void activity_put(struct json_out *o, const struct activity_call *call);

#endif
