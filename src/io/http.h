/*
 * http.h - an HTTP/1.1 server: requests in, responses and streams out.
 *
 * One thread owns the loop, every socket and every exchange; all functions
 * are for that thread, except http_stop(). What a peer can make long, large,
 * slow or many is bounded by struct http_limits.
 *
  * An exchange is one request and its response. The handler responds once,
 * now or later: by http_reply(), or by http_stream(), any number of
 * http_send() and http_end(). When the peer disconnects before that, gone() is
 * called and the exchange is not valid any more.
 */
#ifndef STET_HTTP_H
#define STET_HTTP_H

#include "base/arena.h"
#include "base/buf.h"

struct http;
struct http_exchange;
struct loop;

struct http_header {
	struct str name, value;
};

enum http_name {
#define HTTP_NAME(id, name) HTTP_##id,
#include "io/http_names.def"
#undef HTTP_NAME
	HTTP_NAMES
};

struct http_request {
	struct str method; /* "POST" */
	struct str path;   /* request target up to "?" */
	struct str query;  /* what follows "?" */
	const struct http_header *headers;
	size_t header_count;
	struct str body;
};

struct http_limits {
	size_t head;          /* bytes of the request line and all headers */
	size_t headers;       /* how many */
	size_t body;          /* bytes */
	size_t queued;        /* response bytes that a peer may leave unread */
	unsigned connections; /* at a time: then anonymous ones are closed */
	unsigned head_ms;     /* timeout for a complete head */
	unsigned body_ms;     /* between two bytes of the body */
	unsigned taken_ms;    /* without a byte of the response being read */
	unsigned idle_ms;     /* between requests */
	uint64_t stop_ms;     /* timeout for running calls after http_stop() */
};

extern const struct http_limits http_limits_default;

struct http_handler {
	/*
	 * The head is complete and the body is not read yet: respond now to
	 * refuse, or return true to read the body.
	 */
	bool (*head)(void *ctx, struct http_exchange *x);
	void (*request)(void *ctx, struct http_exchange *x);
	void (*gone)(void *ctx, struct http_exchange *x);
	void (*tick)(void *ctx); /* four times a second; may be NULL */
	void *ctx;
};

struct http_options {
	const char *host; /* an address: "127.0.0.1", "::1" */
	const char
		*also; /* a second address, same port, if possible; or NULL */
	unsigned port; /* 0 = any */
	struct http_limits limits;
	struct budget *budget; /* for all clients; NULL = no limit */
	struct http_handler handler;
};

/*
 * Listen on options.port; http_port() is the actual one. NULL: @why has a
 * message.
 */
struct http *http_new(const struct http_options *options, struct arena *mem,
		      struct str *why);
unsigned http_port(const struct http *h);

/*
 * True: no other program can listen on options.also, because we do, or this
 * machine has no such address.
 */
bool http_holds_also(const struct http *h);

/* Serve until http_stop(); then end what is under way, up to stop_ms. */
void http_run(struct http *h);

/* Waits for what http_work() was given. */
void http_free(struct http *h);

/* From any thread, or a signal handler: end http_run(). */
void http_stop(struct http *h);

/* http_stop() was called: end streams that only wait. */
bool http_is_stopping(const struct http *h);

/* Its loop; post mail to it from other threads. */
struct loop *http_loop(struct http *h);

/*
 * Call @run(@ctx) on a thread of the server's own pool, where it may block,
 * then @done(@ctx) on the loop's. Both are called, even while stopping.
 */
void http_work(struct http *h, void (*run)(void *ctx), void (*done)(void *ctx),
	       void *ctx);

const struct http_request *http_request(const struct http_exchange *x);

/* The value of the first header of that name, or "" with .ptr NULL. */
struct str http_header(const struct http_exchange *x, enum http_name name);

/* A header that is not in http_names.def. */
struct str http_other_header(const struct http_exchange *x, const char *name);

/* The header's name in lower case. */
struct str http_name(enum http_name name);

/*
 * The number of the loop's turn: requests with the same one had arrived when
 * the first of them was handled.
 */
uint64_t http_turn(const struct http_exchange *x);

/* How many headers have that name. */
size_t http_header_count(const struct http_exchange *x, enum http_name name);

/*
 * The request is authenticated as the client of http_charge(). Its connection
 * is not closed to make room for anonymous ones, and for those of other
 * clients only while this client has the most.
 */
void http_authenticated(struct http_exchange *x);

/* Move the body to @to, to keep it longer than the exchange. */
void http_take_body(struct http_exchange *x, struct buf *to);

/* In head(): limit the body further. */
void http_most_body(struct http_exchange *x, size_t bytes);

/*
 * In head(): charge the memory of the connection to @b, the client's budget.
 * False: it has no room for the body and a response; refuse with 503.
 */
must_check bool http_charge(struct http_exchange *x, struct budget *b);

/* Before the budgets of clients are freed: charge none of them any more. */
void http_uncharge(struct http *h);

/* Memory that lasts as long as the exchange. */
struct arena *http_mem(struct http_exchange *x);

/* For the handler's own use. */
void http_set(struct http_exchange *x, void *own);
void *http_get(const struct http_exchange *x);

/* Header lines for any response to it; @lines must outlive the exchange. */
void http_extra(struct http_exchange *x, struct str lines);

/*
 * A complete response. @type may be NULL when there is no body; @headers are
 * whole lines, each with its "\r\n". For HEAD the body is left out.
 */
void http_reply(struct http_exchange *x, unsigned status, const char *type,
		struct str headers, struct str body);

/*
 * A response in pieces. http_send() is false when the peer reads too slowly:
 * the exchange is then closed, without a call of gone().
 */
void http_stream(struct http_exchange *x, const char *type, struct str headers);
must_check bool http_send(struct http_exchange *x, struct str bytes);
void http_end(struct http_exchange *x);

/* Counters for the status page and /metrics. */
struct http_counts {
	uint64_t connections, accepted, refused, requests, bad, timeouts;
	uint64_t dropped; /* connections closed for lack of memory */
	uint64_t bytes_in, bytes_out;
};
struct http_counts http_counts(const struct http *h);

#endif
