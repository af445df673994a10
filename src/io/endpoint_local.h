/*
 * endpoint_local.h - shared by the files of the endpoint.
 *
 *	endpoint.c      requests: checks, and which session they belong to
 *	mcp_session.c   sessions, and clients that have none
 *	mcp_exchange.c  answers: JSON, or a stream of events
 */
#ifndef STET_ENDPOINT_LOCAL_H
#define STET_ENDPOINT_LOCAL_H

#include "io/call_queue.h"
#include "io/endpoint.h"

enum {
	SESSION_ID = 32, /* hex digits */
	BUCKETS = 4096,
	MOST_CLIENTS = 1024, /* stateless ones, at a time */
};

/* An event kept for a client that resumes its stream. */
struct kept_event {
	struct kept_event *next;
	unsigned stream;
	uint64_t number; /* of the event in its stream */
	bool last;       /* the reply: the stream ends here */
	size_t len;
	char bytes[];
};

/* What all sessions of one token hold; made at its first request. */
struct account {
	struct account *next;
	struct str name;
	struct budget budget; /* with a share reserved for this token */
	struct budget caches; /* part of the server's for caches */
	unsigned sessions[2]; /* by mcp_session.has_id */
	size_t kept_bytes;    /* of events, of all its sessions */
};

/*
 * A session made by `initialize`; or, for messages that stand alone, a client
 * by its name (has_id is false).
 */
struct mcp_session {
	struct call_queue queue; /* first: it is cast */
	struct peer peer;        /* messages that belong to no request */
	struct endpoint *endpoint;
	struct mcp_session *next; /* in its hash bucket */
	atomic_uint refs;         /* by the table, each exchange, each mail */
	struct str key;           /* of the hash table */
	struct account *account;  /* of the token */
	struct str name;          /* of the token */
	struct charge held;       /* bytes of this struct */
	bool has_id;              /* false: a stateless client */
	bool ended;               /* not in the table any more */
	char id[SESSION_ID + 1];
	uint64_t since_ms, last_ms; /* unix time */
	uint64_t used;              /* clock_ms() of the last request */
	uint64_t turn;              /* of endpoint.turns: order of last use */
	uint64_t calls;
	struct mcp_exchange *exchanges;
	unsigned streams; /* number of the last one; 0 is the stream of GET */
	uint64_t general; /* number of the last event in stream 0 */
	struct kept_event *kept, **kept_end;
	size_t kept_bytes;
};

/* A request that is being answered, or the stream of a GET. */
struct mcp_exchange {
	struct peer peer; /* first: it is cast */
	struct mcp_session *session;
	struct mcp_exchange *next, **link; /* list of its session */
	atomic_uint refs;                  /* by the session, each mail */
	struct http_exchange *x; /* NULL: the client is not connected */
	struct job *job;         /* NULL: the stream of a GET */
	struct headers headers;
	uint64_t since; /* clock_ms() of the last bytes sent */
	uint64_t events;
	unsigned stream;   /* its number in the session, if @streaming */
	bool modern;       /* 2026-07-28: hanging up cancels */
	bool hello;        /* answers `initialize`: sends the session id */
	bool takes_events; /* Accept has text/event-stream */
	bool streaming;    /* the stream has begun */
	bool done;         /* closed: drop late mail */
};

struct endpoint {
	struct endpoint_options options;
	struct http *http;
	struct pool *pool;
	struct mcp_session *table[BUCKETS];
	uint64_t filled[BUCKETS / 64]; /* a bit for each that is not empty */
	unsigned sessions, clients;
	uint64_t turns;
	size_t kept_bytes;    /* of all sessions */
	struct charge kept;   /* for kept_bytes */
	struct budget shared; /* for what accounts hold beyond their shares */
	struct arena mem;     /* of accounts */
	struct account *accounts;
	struct mail wake;      /* posted when a question was decided */
	atomic_bool woken;     /* mail is posted and not delivered yet */
	struct job *free_jobs; /* reused for the next requests */
	unsigned n_free_jobs, ticks;
	bool stopping;
};

/* mcp_session.c */

/* The first bucket from @i on that has sessions; BUCKETS = none. */
size_t mcp_session_bucket(const struct endpoint *e, size_t i);

/* A stateless client, by the name in its message; NULL: there are too many. */
struct mcp_session *mcp_session_stateless(struct endpoint *e, struct str name,
					  struct job *job);

/* A new session; NULL when there are too many. */
struct mcp_session *mcp_session_new(struct endpoint *e, struct str name);

/* NULL: no such id, or it belongs to another token. */
struct mcp_session *mcp_session_find(struct endpoint *e, struct str id,
				     struct str name);

/* End it: abandon its calls, end its streams. */
void mcp_session_end(struct mcp_session *s);
void mcp_session_unref(struct mcp_session *s);

/*
 * Drop the kept events of one session: of the token with most bytes of them,
 * the session that is unused longest. False: there are no kept events.
 */
must_check bool mcp_session_evict_events(struct endpoint *e);

/* End sessions that are idle too long, or whose token was revoked. */
void mcp_session_sweep(struct endpoint *e);
void mcp_session_halt_all(struct endpoint *e);
void mcp_session_end_all(struct endpoint *e);

extern const struct call_queue_ops mcp_session_ops;

/* mcp_exchange.c */

/* @job is NULL for a GET. */
struct mcp_exchange *mcp_exchange_new(struct mcp_session *s,
				      struct http_exchange *x, struct job *job);

/* The job is done: send its reply, or 202, and free both. */
void mcp_exchange_finish(struct mcp_exchange *exchange);

/* The client hung up. */
void mcp_exchange_disconnected(struct mcp_exchange *exchange);

/* End the response and abandon the job. */
void mcp_exchange_end(struct mcp_exchange *exchange);

/* Send a comment when nothing went out for long, for proxies. */
void mcp_exchange_keep_alive(struct mcp_exchange *exchange);

/* A GET with Last-Event-ID; false: events after it are not kept any more. */
must_check bool mcp_exchange_resume(struct mcp_session *s,
				    struct http_exchange *x,
				    struct str last_event);

/* struct peer, from any thread: of an exchange, and of its session. */
void mcp_exchange_send(struct peer *peer, struct str message);
void mcp_exchange_pause(struct peer *peer);
void mcp_session_send(struct peer *peer, struct str message);

/* A GET: the stream for messages that belong to no request. */
void mcp_exchange_listen(struct mcp_session *s, struct http_exchange *x);

void mcp_session_drop_events(struct mcp_session *s, size_t down_to);

/* endpoint.c */
struct account *endpoint_account(struct endpoint *e, struct str name);
struct job *endpoint_job(struct endpoint *e);
void endpoint_put_job(struct endpoint *e, struct job *job);

#endif
