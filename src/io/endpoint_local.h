/*
 * endpoint_local.h - what the files of the endpoint share.
 *
 *	endpoint.c   requests: what they are and whose
 *	party.c      whose: sessions, and clients that have none
 *	post.c       answers: as a whole, or as a stream of events
 */
#ifndef STET_ENDPOINT_LOCAL_H
#define STET_ENDPOINT_LOCAL_H

#include "io/endpoint.h"
#include "io/lane.h"

enum {
	SESSION_ID = 32, /* hex digits */
	BUCKETS = 4096,
	MOST_CLIENTS = 1024, /* without a session */
};

/* Of a stream: kept, because the client may come back for it. */
struct event {
	struct event *next;
	unsigned stream;
	uint64_t number; /* in its stream */
	bool last;       /* the stream ends with it */
	size_t len;
	char bytes[];
};

/* What one client, of whatever sessions, makes us hold. */
struct account {
	struct account *next;
	struct str name;
	struct budget budget; /* with a share that nobody else can use */
	struct budget caches; /* part of the server's for caches */
	unsigned parties[2];  /* without a session, and with one */
	size_t kept_bytes;    /* of events, of all its sessions */
};

/* A session; or, for messages that stand alone, a client by its name. */
struct party {
	struct lane lane; /* first: it is cast */
	struct peer peer; /* what concerns no request: the stream of GET */
	struct endpoint *endpoint;
	struct party *next;      /* in its bucket */
	atomic_uint refs;        /* the table, each post, each parcel */
	struct str key;          /* in the table */
	struct account *account; /* of the token */
	struct str name;         /* of the token */
	struct charge held;      /* for itself */
	bool session;
	bool ended; /* it is in the table no more */
	char id[SESSION_ID + 1];
	uint64_t since_ms, last_ms; /* unix time */
	uint64_t used;              /* clock_ms() */
	uint64_t turn;              /* the same, in order */
	uint64_t calls;
	struct post *posts;
	unsigned streams; /* that ever were; number 0 is that of GET */
	uint64_t general; /* events of number 0 */
	struct event *kept, **kept_end;
	size_t kept_bytes;
};

/* A request that is being answered, or the stream of a GET. */
struct post {
	struct peer peer; /* first: it is cast */
	struct party *party;
	struct post *next, **link; /* of its party */
	atomic_uint refs;          /* the party, each parcel */
	struct http_exchange *x;   /* NULL: nobody is there */
	struct job *job;           /* NULL: the stream of a GET */
	struct headers headers;
	struct http_task back; /* the job is, from the pool */
	uint64_t since;        /* clock_ms() of the last that was sent */
	uint64_t events;
	unsigned stream; /* its number, once it is one */
	bool modern;
	bool hello;        /* its answer gives the session away */
	bool takes_events; /* the client can read a stream */
	bool streaming;    /* it is one */
	bool done;
};

struct endpoint {
	struct endpoint_options options;
	struct http *http;
	struct pool *pool;
	struct party *table[BUCKETS];
	unsigned sessions, clients;
	uint64_t turns;
	size_t kept_bytes;    /* of all */
	struct charge kept;   /* for those */
	struct budget shared; /* what accounts hold beyond their shares */
	struct arena mem;     /* of accounts */
	struct account *accounts;
	struct job *spare;
	unsigned spares, ticks;
	bool stopping;
};

/* party.c */

/* A client without a session, by what it calls itself; NULL: too many. */
struct party *party_stateless(struct endpoint *e, struct str name,
			      struct json client_info, struct arena *mem);

/* A new session; NULL when there are too many. */
struct party *party_session(struct endpoint *e, struct str name);

/* The session of that id, if it is this client's. */
struct party *party_find(struct endpoint *e, struct str id, struct str name);

/* No more of it: its calls are given up, its streams end. */
void party_end(struct party *p);
void party_unref(struct party *p);

/*
 * Forget the events of the session that is silent longest, of the client that
 * most are kept for; false: there are none.
 */
must_check bool party_forget_events(struct endpoint *e);

/* Those that have been silent for long, or may be here no more. */
void party_sweep(struct endpoint *e);
void party_halt_all(struct endpoint *e);
void party_end_all(struct endpoint *e);

extern const struct lane_host party_host;

/* post.c */

/* For a request; @job may be NULL. */
struct post *post_new(struct party *p, struct http_exchange *x,
		      struct job *job);

/* The job has its reply, or none: answer, and give both back. */
void post_finish(struct post *post);

/* Nobody is there any more. */
void post_gone(struct post *post);

/* End it, whatever it is. */
void post_end(struct post *post);

/* Let it be a stream from now on. */
void post_stream(struct post *post);

/* A sign of life, for what is on the way. */
void post_still_here(struct post *post);

/* A GET: go on behind that event; false when it is not known any more. */
must_check bool post_resume(struct party *p, struct http_exchange *x,
			    struct str last_event);

/* From any thread: of a post's peer, and of its party's. */
void post_send(struct peer *peer, struct str message);
void post_pause(struct peer *peer);
void post_send_general(struct peer *peer, struct str message);

/* A GET: what concerns no request. */
void post_general(struct party *p, struct http_exchange *x);

void post_forget_events(struct party *p, size_t down_to);

/* endpoint.c */
struct account *endpoint_account(struct endpoint *e, struct str name);
struct job *endpoint_job(struct endpoint *e);
void endpoint_put_job(struct endpoint *e, struct job *job);

#endif
