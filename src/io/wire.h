/*
 * wire.h - JSON-RPC both ways over lines.
 *
 * Either side asks, tells and answers. A question has one answer: the other
 * side's, or ours when it is too late, or when the wire is cut. All functions
 * are for the loop's thread.
 */
#ifndef STET_WIRE_H
#define STET_WIRE_H

#include "base/err.h"
#include "base/json.h"
#include "io/loop.h"

struct wire;

/* A message that came in; its values last as long as the call. */
struct wire_message {
	struct str method;
	struct str id; /* raw JSON; "" = nobody waits for an answer */
	struct json params;
	struct arena *mem;
};

enum wire_end { WIRE_ANSWERED, WIRE_REFUSED, WIRE_LATE, WIRE_CUT };

/* What became of a question. */
struct wire_answer {
	enum wire_end end;
	struct json result; /* WIRE_ANSWERED */
	int64_t code;       /* WIRE_REFUSED */
	struct str message;
	struct json data;
	struct arena *mem;
};

typedef void wire_done(void *ctx, const struct wire_answer *answer);

struct wire_handler {
	void (*message)(void *ctx, const struct wire_message *m);
	void (*cut)(void *ctx); /* no more will come */
	/* Each line, as it is, for a trace; may be NULL. */
	void (*line)(void *ctx, bool in, struct str line);
	void *ctx;
};

struct wire_options {
	struct wire_handler handler;
	bool bare;       /* without "jsonrpc":"2.0" */
	size_t max_line; /* of what comes in */
};

struct wire *wire_new(struct loop *l, const struct wire_options *options);

/* Its bytes go there; those that come in are given to wire_take(). */
void wire_connect(struct wire *w, struct stream *out);
void wire_take(struct wire *w, struct str bytes);

/* Nothing comes any more: every open question is answered WIRE_CUT. */
void wire_cut(struct wire *w);
void wire_free(struct wire *w);

/* @params is whole JSON. */
void wire_tell(struct wire *w, const char *method, struct str params);

/* 0 = no limit. Returns a number for wire_forget(). */
uint64_t wire_ask(struct wire *w, const char *method, struct str params,
		  uint64_t limit_ms, wire_done *done, void *ctx);

/* Nobody wants that answer any more: @done is not called. */
void wire_forget(struct wire *w, uint64_t number);

/* The answer to @id, which may be kept: it is copied by nobody. */
void wire_reply(struct wire *w, struct str id, struct str result);
void wire_refuse(struct wire *w, struct str id, int code, struct str message,
		 struct str data);

/* A whole line, made by others. */
void wire_put(struct wire *w, struct str line);

#endif
