/*
 * server.h - struct server, shared by all clients of the process, and struct
 * link, the state of one client's connection or session.
 *
 * A message of 2026-07-28 is stateless; its link holds only what the server
 * remembers of the client (files it has read, parked calls). For older clients
 * it also has what `initialize` negotiated. Links belong to the loop thread.
 */
#ifndef STET_SERVER_H
#define STET_SERVER_H

#include "base/mutex.h"
#include "base/uuid.h"
#include "rpc/method.h"
#include "rpc/peer.h"
#include "rpc/request_state.h"
#include "tools/call/events.h"
#include "tools/call/selection.h"

#include <stdatomic.h>

#define MCP_MODERN "2026-07-28"
#define MCP_META   "io.modelcontextprotocol/" /* before keys of _meta */

struct job;

/* --tool-errors: the form of a tool's failure; A06 in requirements.md. */
enum tool_errors { TOOL_ERRORS_AUTO, TOOL_ERRORS_JSONRPC, TOOL_ERRORS_RESULT };

/* --ask-by: by which way the person is asked. */
enum ask_by {
	ASK_BY_AUTO, /* the client if it really asks a person, else the queue */
	ASK_BY_CLIENT, /* the client alone */
	ASK_BY_PAGE,   /* the queue alone: the page, `stet approvals` */
	ASK_BY_BOTH,   /* both at once, and the first answer counts */
};

/*
 * Decisions of the person that were made in this process, for calls that wait
 * for one. Valid when zero-initialised. See ask_decided().
 */
struct decisions {
	atomic_uint count;
	struct mutex lock; /* protects wake and ctx; held while wake() runs */
	void (*wake)(void *ctx);
	void *ctx;
};

struct server {
	const char *version;
	struct tool_options tools;
	bool results_auto; /* the form of results depends on the client */
	enum tool_errors tool_errors;
	bool light_changes; /* changes are not fsynced, so they are quick */
	struct selection selection; /* --tools */
	struct workspace *ws;
	struct event_sink *events;   /* may be NULL */
	struct extension *extension; /* more methods; NULL = none */
	struct request_state_issuer request_states;
	struct budget *budget; /* memory for all clients; NULL = no limit */
	struct budget *caches; /* part of it, for memory that can be freed */
	enum ask_by ask_by;
	uint64_t ask_ms;      /* timeout of a question to a client */
	uint64_t approval_ms; /* timeout of a call that waits for the queue */
	uint64_t poll_ms; /* first interval of its polling; 0 = the default */
	struct decisions decisions;
	/* Another one of this process, with the same store; NULL = none. */
	struct server *beside;
	bool dialogs_may_last; /* dialogs of clients may give lasting grants */
	/* Called with the roots of a client; NULL = clients are not asked. */
	void (*take_roots)(struct server *, const struct str *dirs, size_t n);
	/*
	 * Called once, by the loop thread, before the first tool call runs and
	 * so before any other thread is started; may be NULL.
	 */
	void (*before_work)(struct server *);
};

struct dialect {
	struct str version;
	bool batches;
	bool elicits; /* has elicitation/create */
	bool primes;  /* SSE streams begin with an empty event */
};

/* The row of that version, or NULL. */
const struct dialect *dialect_named(struct str version);
extern const struct dialect *const dialect_newest;

enum roots_state {
	ROOTS_SETTLED, /* known, or not asked for */
	ROOTS_ASKED,   /* roots/list was sent: calls wait, up to a deadline */
};

struct link {
	struct peer *peer; /* NULL: each job has its own, or none */
	struct str
		transport; /* "stdio", "acp", or "http:" and the token's name */
	struct str client; /* clientInfo: name and version; "" */
	struct str client_name;      /* clientInfo: name */
	char session[UUID_TEXT + 1]; /* id in the history; "" = none yet */
	struct readstate *reads; /* files the client has read; NULL = none */
	struct arena mem;        /* for the strings of the link */
	struct budget *budget;   /* of this client; NULL = the server's */
	struct budget *caches;   /* for reads; NULL = no limit */
	const struct dialect *dialect; /* NULL before initialize */
	bool has_roots;                /* capability of the client */
	enum roots_state roots;
	uint64_t roots_until; /* clock_ms() of the deadline */
	unsigned roots_asked; /* counter for the request's id */
	bool elicits;         /* capability: elicitation */
	bool has_person;      /* a person has answered: see ask_judge() */
	bool samples;         /* capability: sampling */
	bool ended;           /* no more messages of the client */
	struct job *parked;   /* calls that wait for an answer: see ask.h */
	size_t parked_count;
	/*
	 * ASK_DIRECT: @ask puts the question of a parked job to the person;
	 * @unask cancels it before the job is freed. NULL = other channels.
	 */
	void (*ask)(void *ctx, struct job *);
	void (*unask)(void *ctx, struct job *);
	void *ask_ctx;
	/*
	 * An extension's own record of this client, and the function that frees
	 * it when the client has disconnected; both may be NULL.
	 */
	void *extension_data;
	void (*on_end)(struct link *);
};

/*
 * The caller of a message of @l; @info is the message's own clientInfo, or
 * JSON_NONE. The result points into @l and @mem.
 */
struct caller link_caller(struct link *l, struct json info, struct arena *mem);

/* Set client and client_name from clientInfo, unless they are set. */
void link_set_client(struct link *l, struct json info);

/* The client is gone, and so is its peer; calls of it may still run. */
void link_end(struct link *l);

/* Free the contents of a link, once none of its calls runs any more. */
void link_free(struct link *l);

/* The value of serverInfo, the same in both eras. */
void server_put_info(const struct server *s, struct json_out *o);

#endif
