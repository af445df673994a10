/*
 * http_local.h - shared by the files of the HTTP server.
 */
#ifndef STET_HTTP_LOCAL_H
#define STET_HTTP_LOCAL_H

#include "io/http.h"
#include "io/loop_local.h"
#include "io/pool.h"

#include <llhttp.h>

struct http_conn;

enum answer {
	ANSWER_NONE,   /* not yet */
	ANSWER_STREAM, /* under way */
	ANSWER_DONE,
};

/* Position in the head of a request; HEAD_WHOLE and later are final. */
enum head_place {
	HEAD_BEFORE, /* the request line: empty lines may precede it */
	HEAD_BEFORE_CR,
	HEAD_LINE,
	HEAD_CR,
	HEAD_START, /* at the first byte of a line */
	HEAD_LAST_CR,
	HEAD_WHOLE,
	HEAD_BAD,
	HEAD_LONG,
};

struct head_scan {
	enum head_place place;
	unsigned spaces;   /* in the request line so far */
	unsigned protocol; /* characters of its last word, "HTTP/1.1" */
	bool in_fields;    /* after the request line */
	size_t len;        /* bytes of the head so far */
};

/* Offsets of a header's name and value in http_exchange.head. */
struct head_line {
	size_t name, name_len, value, value_len;
};

struct http_exchange {
	struct http_conn *conn;
	struct arena mem;
	struct buf head; /* request target, then names and values */
	struct buf body;
	size_t most_body;
	size_t target_len;
	struct head_line *lines;
	size_t line_count, line_room;
	uint16_t first_header
		[HTTP_NAMES]; /* index + 1 of the first of that name; 0 = none */
	uint16_t counts[HTTP_NAMES];
	bool in_value; /* the parser is in the value of the last line */
	struct http_request request;
	enum answer answer;
	bool chunked;     /* the streamed response */
	bool given;       /* handler.request() was called */
	struct str extra; /* header lines of http_extra() */
	void *own;        /* of http_set() */
};

struct http_conn {
	uv_tcp_t tcp; /* first */
	struct http *http;
	struct http_conn *next, **link;
	struct http_conn *next_ready;
	/* in http.anonymous; not there: anonymous_link is NULL */
	struct http_conn *next_anonymous, **anonymous_link;
	llhttp_t parser;
	struct head_scan scan;
	struct http_exchange x;
	struct buf rest; /* pipelined bytes after the current request */
	struct buf out;  /* small writes, sent at the end of the loop's turn */
	size_t queued;   /* bytes that libuv has not written yet */
	struct charge held; /* memory of the connection */
	uint64_t written;   /* bytes given to libuv, in total */
	uint64_t taken;     /* of those, accepted by the system */
	uint64_t
		taken_at; /* uv_now() when @taken last grew or nothing was left */
	uint64_t deadline; /* uv_now() to close at; 0 = none */
	struct http_conn *next_out,
		**out_link; /* list http.outs; NULL: @out is empty */
	uint64_t body_since;
	char last_byte; /* last byte given to the parser */
	bool reading;
	bool peer_ended;     /* the peer closed its half, but may still read */
	bool has_request;    /* a request is being read or answered */
	bool is_last;        /* close after this response */
	bool discards_input; /* responded before the body was read: skip it */
	size_t discarded;
	bool feeding;       /* in http_conn_feed(), which goes on with @rest */
	bool out_of_budget; /* a response did not fit into the budget: close */
	bool stalled; /* the peer has too much unread for the next request */
	bool closing;
	bool authenticated; /* a request had a valid token or session */
	struct budget *client_budget; /* of the client that is authenticated */
};

struct http {
	struct http_options options;
	struct loop *loop;
	uv_loop_t *uv;         /* the same, for libuv */
	struct pool *pool;     /* for http_work(); NULL before the first */
	uv_tcp_t listeners[2]; /* the second is for options.also */
	bool accept_waits[2];  /* a connection waits for the next turn */
	bool holds_also;
	uv_timer_t timer;
	uv_prepare_t turn; /* called before the loop polls */
	uint64_t turns;
	unsigned port;
	struct http_conn *conns;
	struct http_conn *anonymous, **anonymous_end; /* list, oldest first */
	unsigned authenticated;       /* number of such connections */
	struct client_conns *clients; /* connections per client */
	size_t client_count, client_room;
	unsigned accepted;       /* connections, in this turn of the loop */
	struct http_conn *ready; /* list of connections with pipelined bytes */
	struct mail ready_mail;  /* to ourselves: http_conn_go_on() */
	bool ready_posted;
	struct http_conn *outs; /* list of connections with bytes in @out */
	uint64_t out_since;     /* uv_hrtime() when @outs became non-empty */
	struct http_counts counts;
	struct budget anonymous_budget; /* for connections without a token */
	struct budget
		closing_budget; /* for closed ones, freed at the end of the turn */
	char date[40];
	struct buf head;    /* of the response being written */
	struct arena spare; /* memory of the last exchange, for the next */
	char read_room[64 * 1024]; /* shared: what is read is parsed at once */
	bool stopping;
	unsigned ticks;
	uint64_t stop_at;
};

/* http_admit.c; call this first. */
void admit_open(struct http *h);

/* The number of authenticated connections of a client, named by its budget. */
struct client_conns {
	struct budget *client;
	unsigned count;
};

/* Count a new connection; false: the table is full, close it. */
must_check bool admit_new(struct http_conn *c);
void admit_closed(struct http_conn *c);
void admit_free(struct http *h);

/* No request on this connection had a valid token or session. */
bool is_anonymous(const struct http_conn *c);

/*
 * Close other anonymous connections until their budget has room for @more
 * bytes of @c. False: that is not enough.
 */
must_check bool admit_memory(struct http_conn *c, size_t more);

/*
 * Accept the connection that waits at @listener, now or, after many in this
 * turn of the loop, in the next: those already accepted are read first.
 */
void admit_next(struct http *h, unsigned listener);
void admit_turn(struct http *h);

/*
 * Update the charge for the memory of the connection. http_conn_affords():
 * may it grow by @more bytes?
 */
void http_conn_count(struct http_conn *c);
must_check bool http_conn_affords(struct http_conn *c, size_t more);

void http_conn_accept(struct http *h, uv_tcp_t *listener);
void http_conn_close(struct http_conn *c);

/* The response is complete: close, or go on with the next request. */
void http_conn_answered(struct http_conn *c);

/* Queued bytes were written: a stalled connection may go on. */
void http_conn_writable(struct http_conn *c);

/* Parse pipelined bytes of the connections in http.ready. */
void http_conn_go_on(struct mail *ready_mail);

/* Close it if its deadline has passed, or when stopping and idle. */
void http_conn_check(struct http_conn *c, uint64_t now);

/*
 * Write; false: the peer leaves too much unread. Small writes are sent at the
 * end of the loop's turn, so that a peer with several responses wakes once.
 */
bool http_conn_write(struct http_conn *c, const struct str *parts, size_t n);

/* Send them now. */
void http_conn_flush(struct http_conn *c);
void http_conn_flush_all(struct http *h);

/* http_head.c: scan the next bytes, up to the end of the head. */
enum head_place head_scan(struct head_scan *s, struct str bytes, size_t most);

/* A rule for the head of every request. */
struct head_rule {
	bool (*holds)(const struct http_exchange *x);
	unsigned status;
	const char *why;
};
/* The first rule that is broken, or NULL. */
const struct head_rule *head_broken_rule(const struct http_exchange *x);

/* Make the exchange ready for the next request of its connection. */
void exchange_clear(struct http_exchange *x);
void exchange_free(struct http_exchange *x);

extern const llhttp_settings_t *http_conn_settings(void);

#endif
