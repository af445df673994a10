/*
 * http.h - HTTP/1.1 on a port: requests in, responses and streams out.
 *
 * One thread owns the loop, every socket and every exchange; all functions
 * here are for that thread, but for http_later() and http_stop(). What a peer
 * can make long, large, slow or many is bounded by struct http_limits.
 *
 * An exchange is one request and its answer. The handler answers it once, at
 * once or later: by http_reply(), or by http_stream(), any number of
 * http_send() and http_end(). When the peer goes away before that, gone() is
 * called and the exchange is not there any more.
 */
#ifndef STET_HTTP_H
#define STET_HTTP_H

#include "base/arena.h"
#include "base/buf.h"

struct http;
struct http_exchange;

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
	struct str path;   /* of the target, up to "?" */
	struct str query;  /* after it */
	const struct http_header *headers;
	size_t header_count;
	struct str body;
};

struct http_limits {
	size_t head;          /* bytes of the request line and all headers */
	size_t headers;       /* how many */
	size_t body;          /* bytes */
	size_t queued;        /* bytes that a peer may leave unread */
	unsigned connections; /* at a time: then those not http_known() go */
	unsigned head_ms;     /* to send the whole head */
	unsigned body_ms;     /* without a byte of the body */
	unsigned taken_ms;    /* without a byte of the answer being taken */
	unsigned idle_ms;     /* between requests */
	uint64_t stop_ms;     /* to finish calls after http_stop() */
};

extern const struct http_limits http_limits_default;

struct http_handler {
	/*
	 * The head is there and the body is not read yet: answer now to
	 * refuse, or return true to have the body.
	 */
	bool (*head)(void *ctx, struct http_exchange *x);
	void (*request)(void *ctx, struct http_exchange *x);
	void (*gone)(void *ctx, struct http_exchange *x);
	void (*tick)(void *ctx); /* four times a second; may be NULL */
	void *ctx;
};

struct http_options {
	const char *host; /* an address: "127.0.0.1", "::1" */
	const char *also; /* another one, same port, if it can be; or NULL */
	unsigned port;    /* 0 = any */
	struct http_limits limits;
	struct budget *budget; /* of clients; NULL = no limit */
	struct http_handler handler;
};

/*
 * Listen. NULL with a sentence in @why when that cannot be. The port is
 * http_port().
 */
struct http *http_new(const struct http_options *options, struct arena *mem,
		      struct str *why);
unsigned http_port(const struct http *h);

/*
 * Can no other program have the port of options.also? We have it, or there is
 * no such address here.
 */
bool http_holds_also(const struct http *h);

/* Serve until http_stop(); then end what is under way, up to stop_ms. */
void http_run(struct http *h);

/* After that: run what http_later() was given too late. */
void http_drain(struct http *h);
void http_free(struct http *h);

/* From any thread, or a signal handler: end. */
void http_stop(struct http *h);

/* It is about to end: a stream that waits for something is in the way. */
bool http_is_stopping(const struct http *h);

/* From any thread: call @run on the loop's thread, soon. */
struct http_task {
	struct http_task *next;
	void (*run)(struct http_task *);
};
void http_later(struct http *h, struct http_task *task);

/*
 * From the loop's thread: call @run on another thread, where it may take its
 * time, then @done on the loop's.
 */
struct http_work {
	void (*run)(struct http_work *);
	void (*done)(struct http_work *);
};
void http_work(struct http *h, struct http_work *work);

const struct http_request *http_request(const struct http_exchange *x);

/* The value of the first header of that name, or "" with .ptr NULL. */
struct str http_header(const struct http_exchange *x, enum http_name name);

/* The same of one that is not in http_names.def. */
struct str http_other_header(const struct http_exchange *x, const char *name);

/* In lower case. */
struct str http_name(enum http_name name);

/*
 * How often the loop had waited before it came to this request: those with
 * the same number were all there at the same time.
 */
uint64_t http_turn(const struct http_exchange *x);

/* How many headers have that name. */
size_t http_header_count(const struct http_exchange *x, enum http_name name);

/*
 * The sender of this is the client that http_charge() was told of: the
 * connection is not closed to make room for unknown ones, and for those of
 * other clients only while this client has the most.
 */
void http_known(struct http_exchange *x);

/* Take the body away, to keep it longer than the exchange. */
void http_take_body(struct http_exchange *x, struct buf *to);

/* In head(): have no longer body than that. */
void http_most_body(struct http_exchange *x, size_t bytes);

/*
 * In head(): what its connection holds is for @b to count from now on, which
 * is the client's. False: there is no room in it for the body, or for an
 * answer; the request is to be refused with 503.
 */
must_check bool http_charge(struct http_exchange *x, struct budget *b);

/* The budgets of clients are about to go: connections are nobody's again. */
void http_uncharge(struct http *h);

/* Memory that lasts as long as the exchange. */
struct arena *http_mem(struct http_exchange *x);

/* For the handler's own use. */
void http_set(struct http_exchange *x, void *own);
void *http_get(const struct http_exchange *x);

/* Lines that its answer will have, whatever that is; they must last. */
void http_extra(struct http_exchange *x, struct str lines);

/*
 * The whole answer. @type may be NULL when there is no body; @headers are
 * whole lines, each with its "\r\n". HEAD gets the head alone.
 */
void http_reply(struct http_exchange *x, unsigned status, const char *type,
		struct str headers, struct str body);

/* An answer in pieces. http_send() is false when the peer is too slow; the
 * exchange is then gone (gone() is not called). */
void http_stream(struct http_exchange *x, const char *type, struct str headers);
must_check bool http_send(struct http_exchange *x, struct str bytes);
void http_end(struct http_exchange *x);

/* What goes on: for the status page. */
struct http_counts {
	uint64_t connections, accepted, refused, requests, bad, timeouts;
	uint64_t dropped; /* for want of memory */
	uint64_t bytes_in, bytes_out;
};
struct http_counts http_counts(const struct http *h);

#endif
