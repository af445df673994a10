/*
 * activity.h - what the clients are doing: the calls that run, and the latest
 * ones that ended.
 *
 * An event sink of the server, called from any thread. It keeps a short
 * description of each call, never the content of a file. One listener can be
 * set; it is called on the thread of the call when a call begins, asks and
 * ends, and must not block.
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
	ACTIVITY_ASKING, /* waiting for an approval */
	ACTIVITY_OK,
	ACTIVITY_FAILED,
	ACTIVITY_DENIED, /* denied by a rule or the person */
	ACTIVITY_ASKED,  /* ended, with its question still open */
};

struct activity_call {
	uint64_t number; /* from 1, in the order in which they began */
	const char *tool;
	struct str path;            /* path of the arguments; "" = none */
	struct str client, session; /* as in struct caller */
	struct str name;            /* of its token, or "stdio" */
	bool has_token;             /* @name is that of its token */
	uint64_t began_ms;          /* unix time */
	uint64_t ms;                /* how long, once it has ended */
	uint64_t bytes_in, bytes_out;
	size_t files; /* that it changed, or would have; known at its end */
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

/* Call it after activity_leave() and the last call of the server. */
void activity_free(struct activity *a);

/* Start and stop receiving events of @s; not while calls run. */
void activity_join(struct activity *a, struct server *s);
void activity_leave(struct activity *a, struct server *s);

typedef void activity_listener(void *ctx, const struct activity_call *call);

/*
 * NULL = none. The previous listener is not called any more once this returns.
 */
void activity_listen(struct activity *a, activity_listener *listener,
		     void *ctx);

/* Those that run and the latest that ended, oldest first, in @mem. */
void activity_list(struct activity *a, struct arena *mem,
		   struct activity_call **ret, size_t *ret_n);

struct activity_counts activity_counts(struct activity *a);

/* A call as the page and programs read it. */
void activity_put(struct json_out *o, const struct activity_call *call);

#endif
