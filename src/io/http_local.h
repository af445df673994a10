/*
 * http_local.h - what the files of the HTTP server share.
 */
#ifndef STET_HTTP_LOCAL_H
#define STET_HTTP_LOCAL_H

#include "io/http.h"

#include <llhttp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <uv.h>

struct conn;

enum answer {
	ANSWER_NONE,   /* not yet */
	ANSWER_STREAM, /* under way */
	ANSWER_DONE,
};

/* Where in a head we are; from HEAD_WHOLE on, no further. */
enum head_place {
	HEAD_BEFORE, /* empty lines may come first */
	HEAD_BEFORE_CR,
	HEAD_LINE,
	HEAD_CR,
	HEAD_START, /* of a line */
	HEAD_LAST_CR,
	HEAD_WHOLE,
	HEAD_BAD,
	HEAD_LONG,
};

struct head_scan {
	enum head_place place;
	unsigned spaces;   /* of the request line */
	unsigned protocol; /* characters of its last word */
	bool in_fields;    /* the request line is over */
	size_t len;        /* bytes, all of them */
};

/* Where a name and its value are in the head's bytes. */
struct head_line {
	size_t name, name_len, value, value_len;
};

struct http_exchange {
	struct conn *conn;
	struct arena mem;
	struct buf head; /* target, then names and values */
	struct buf body;
	size_t most_body;
	size_t target_len;
	struct head_line *lines;
	size_t line_count, line_room;
	uint16_t known[HTTP_NAMES]; /* the first of that name, from 1 on */
	uint16_t counts[HTTP_NAMES];
	bool in_value; /* the line being read */
	struct http_request request;
	enum answer answer;
	bool chunked;     /* the stream is */
	bool given;       /* the handler has it */
	struct str extra; /* lines for the answer */
	void *own;
};

struct conn {
	uv_tcp_t tcp; /* first */
	struct http *http;
	struct conn *next, **link;
	struct conn *next_ready;
	/* in http.strangers; not there: stranger_link is NULL */
	struct conn *next_stranger, **stranger_link;
	llhttp_t parser;
	struct head_scan scan;
	struct http_exchange x;
	struct buf rest;    /* came behind the request that is being answered */
	struct buf out;     /* goes out at the end of the loop's turn */
	size_t queued;      /* bytes on their way out */
	struct charge held; /* for all that it holds */
	uint64_t written;   /* bytes, ever */
	uint64_t taken;     /* of those, by the peer, */
	uint64_t taken_at;  /* when there last was more, or nothing to take */
	uint64_t deadline;  /* loop time; 0 = none */
	struct conn *next_out, **out_link; /* NULL: there is nothing in @out */
	uint64_t body_since;
	char last_byte; /* that was parsed */
	bool reading;
	bool ended;  /* the peer says no more, but may listen */
	bool busy;   /* a request is there and not answered */
	bool last;   /* no further request */
	bool drains; /* answered early: reads the body away */
	size_t drained;
	bool feeding; /* in feed(): what is left is its to go on with */
	bool starved; /* an answer could not be kept for it: close */
	bool stalled; /* too much is unread to begin with the next request */
	bool closing;
	bool known; /* has shown a token: stays when there are too many */
	struct budget *known_for; /* the client that the token is of */
};

struct http {
	struct http_options options;
	uv_loop_t loop;
	uv_tcp_t listeners[2]; /* the second is for options.also */
	bool accept_waits[2];  /* one is there, for the next turn */
	bool holds_also;
	uv_async_t wake;
	uv_timer_t timer;
	uv_prepare_t turn; /* the loop has done all there was to do */
	uint64_t turns;
	unsigned port;
	struct conn *conns;
	struct conn *strangers, **strangers_end; /* not known, oldest first */
	unsigned known;                          /* how many connections are */
	struct holder *holders; /* the clients of known connections */
	size_t holder_count, holder_room;
	unsigned accepted;  /* in this turn of the loop */
	struct conn *ready; /* have more that came in, to go on with */
	struct conn *outs;  /* have something to send, ... */
	uint64_t out_since; /* ... the first of them since then, uv_hrtime() */
	struct http_counts counts;
	struct budget unknown_budget; /* of connections without a token */
	struct budget closing_budget; /* closed, freed when the turn ends */
	char date[40];
	struct buf head;           /* of the answer that is being written */
	struct arena spare;        /* of the last exchange, for the next one */
	char read_room[64 * 1024]; /* one for all: read and parsed at once */
	bool stopping;
	unsigned ticks;
	uint64_t stop_at;
	atomic_bool told_to_stop;

	pthread_mutex_t lock; /* for what is below */
	struct http_task *tasks, **tasks_end;
};

/* http_admit.c: before all others. */
void admit_open(struct http *h);

/* A client, by its budget, and how many known connections it has. */
struct holder {
	struct budget *client;
	unsigned count;
};

/* There is one more; false when it is to be closed itself. */
must_check bool admit_new(struct conn *c);
void admit_closed(struct conn *c);
void admit_free(struct http *h);

/* Has no request on this connection shown a token or the page's session? */
bool is_unknown(const struct conn *c);

/*
 * The budget of unknown connections has no room for @more bytes of @c: close
 * other unknown connections until it does. False: there are none to close.
 */
must_check bool admit_memory(struct conn *c, size_t more);

/*
 * One waits at that listener: it is accepted, now or in the next turn of the
 * loop, if in this one there were many. Those that were accepted are read
 * first.
 */
void admit_next(struct http *h, unsigned listener);
void admit_turn(struct http *h);

/*
 * What the connection holds is counted anew; conn_affords() asks first
 * whether there is room for @more.
 */
void conn_count(struct conn *c);
must_check bool conn_affords(struct conn *c, size_t more);

/* A new connection. */
void conn_accept(struct http *h, uv_tcp_t *listener);
void conn_close(struct conn *c);

/* The answer is complete: close, or go on with the next request. */
void conn_answered(struct conn *c);

/* There is room for more on its way out. */
void conn_drained(struct conn *c);

/* Go on with what came in behind a request that was answered since. */
void conn_go_on(struct http *h);

/* Deadlines; and when stopping, those who wait for nothing. */
void conn_check(struct conn *c, uint64_t now);

/*
 * Put bytes on their way; false when the peer leaves too much unread. What is
 * small goes out at the end of the loop's turn: whoever waits for several
 * answers is then woken up once.
 */
bool conn_write(struct conn *c, const struct str *parts, size_t n);

/* Do not wait for that: of one, and of all. */
void conn_flush(struct conn *c);
void conn_flush_all(struct http *h);

/* http_head.c: look at the next bytes, up to the end of the head. */
enum head_place head_scan(struct head_scan *s, struct str bytes, size_t most);

/* What every head must be like, whoever the request is for; NULL: it is. */
struct head_rule {
	bool (*holds)(const struct http_exchange *x);
	unsigned status;
	const char *why;
};
const struct head_rule *head_broken_rule(const struct http_exchange *x);

/* A new exchange for the next request; the old one's memory goes. */
void exchange_clear(struct http_exchange *x);
void exchange_free(struct http_exchange *x);

extern const llhttp_settings_t *conn_settings(void);

#endif
