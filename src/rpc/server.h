/*
 * server.h - what all clients of one process share, and what is remembered
 * of each of them.
 *
 * A client that speaks 2026-07-28 says everything in each message and nothing
 * is remembered. One that came in by `initialize` has a struct link that
 * keeps what it said then. A link is touched by the loop thread only.
 */
#ifndef STET_SERVER_H
#define STET_SERVER_H

#include "base/uuid.h"
#include "rpc/catalog.h"
#include "rpc/peer.h"
#include "rpc/state.h"
#include "tools/events.h"

#define MCP_MODERN "2026-07-28"
#define MCP_META   "io.modelcontextprotocol/" /* before keys of _meta */

struct job;

/* How the failure of a tool is told: see A06 in docs/requirements.md. */
enum tool_errors { TOOL_ERRORS_AUTO, TOOL_ERRORS_JSONRPC, TOOL_ERRORS_RESULT };

/* --ask-by: who puts a question to the person. */
enum ask_by {
	ASK_BY_AUTO, /* the client, if it can and really asks; else the queue */
	ASK_BY_CLIENT, /* the client alone */
	ASK_BY_PAGE,   /* the queue alone: the page, `stet approvals` */
	ASK_BY_BOTH,   /* both at once, and the first answer counts */
};

struct server {
	const char *version;
	struct tool_options tools;
	bool results_auto; /* their form is chosen for each client */
	enum tool_errors tool_errors;
	bool light_changes;  /* a change does not wait for the disk */
	const bool *offered; /* beside all_tools; NULL = all of them */
	struct workspace *ws;
	struct event_sink *events;     /* may be NULL */
	const struct catalog *catalog; /* what else there is; NULL = nothing */
	struct readers readers;        /* who is told when that changes */
	struct state_book states;      /* of questions that clients carry */
	struct budget *budget; /* of all that clients make us hold; NULL */
	struct budget *caches; /* the part of it for what can be dropped */
	enum ask_by ask_by;
	uint64_t ask_ms;       /* how long a question to a client waits */
	uint64_t approval_ms;  /* how long a call waits for the queue */
	bool dialogs_may_last; /* an answer there may outlive its session */
	/* The directories that a client declared; NULL = nobody asks. */
	void (*take_roots)(struct server *, const struct str *dirs, size_t n);
	/*
	 * Called once, by the loop thread, before the first call of a tool is
	 * run and so before any other thread is there; may be NULL.
	 */
	void (*before_work)(struct server *);
};

struct dialect {
	struct str version;
	bool batches;
	bool elicits; /* it has elicitation/create */
	bool primes;  /* its streams begin with an empty event */
};

/* The row of that version, or NULL. */
const struct dialect *dialect_named(struct str version);
extern const struct dialect *const dialect_newest;

enum roots_state {
	ROOTS_SETTLED, /* nothing to wait for */
	ROOTS_ASKED,   /* calls wait for the answer, up to a deadline */
};

struct link {
	struct peer *peer;      /* NULL: each job has its own, or none */
	struct str door;        /* how it came in, for its scope: "stdio" */
	struct str client;      /* what it said of itself; "" */
	struct str client_name; /* the first part of that */
	char session[UUID_TEXT + 1];
	struct readstate *reads; /* what it has read; NULL = nothing yet */
	struct arena mem;        /* of what is kept */
	struct budget *budget;   /* the client's own; NULL = the server's */
	struct budget *caches;   /* for what it has read; NULL = no limit */
	const struct dialect *dialect; /* NULL before initialize */
	bool has_roots;                /* the client declared it */
	enum roots_state roots;
	uint64_t roots_until;    /* clock_ms() of the deadline */
	unsigned roots_asked;    /* how often: makes the request's id */
	bool elicits;            /* the client puts questions to the person */
	bool has_person;         /* and somebody was seen to answer: ask.h */
	bool samples;            /* and to its model */
	enum log_gravity wanted; /* log messages from this on */
	struct reader reader;
	bool ended;         /* it will say no more */
	struct job *parked; /* calls that wait for the person: see ask.h */
	size_t parked_count;
	/*
	 * ASK_DIRECT: put the question of a parked job to the person, and that
	 * its answer is not wanted any more: the job is gone. NULL = nobody.
	 */
	void (*ask)(void *ctx, struct job *);
	void (*unask)(void *ctx, struct job *);
	void *ask_ctx;
};

/* Who a message of @l is from; @info is its clientInfo, if it brings one. */
struct caller link_caller(struct link *l, struct json info, struct arena *mem);

/* Keep what the client said of itself in `initialize`. */
void link_meet(struct link *l, struct json info);

/* Give back what it holds, once no call of it runs any more. */
void link_free(struct link *l);

bool server_offers(const struct server *s, const struct tool *t);

/* serverInfo, instructions and capabilities, as both eras have them. */
void server_put_info(const struct server *s, struct json_out *o);
void server_put_instructions(const struct server *s, struct json_out *o);

#endif
