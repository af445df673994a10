/*
 * jsonrpc.h - a JSON-RPC connection: requests both ways, a line a message.
 *
 * Each request of ours gets exactly one response: the peer's, or one made here
 * when its timeout passes or the connection ends. All functions are for the
 * loop's thread.
 */
#ifndef STET_JSONRPC_H
#define STET_JSONRPC_H

#include "base/err.h"
#include "base/json.h"
#include "io/loop.h"

struct jsonrpc;

/* A request or notification of the peer; valid during message() only. */
struct jsonrpc_message {
	struct str method;
	struct str id; /* raw JSON; "" = a notification */
	struct json params;
	struct arena *mem;
};

enum jsonrpc_outcome {
	JSONRPC_RESULT,
	JSONRPC_ERROR,
	JSONRPC_TIMEOUT,
	JSONRPC_DISCONNECTED
};

struct jsonrpc_response {
	enum jsonrpc_outcome end;
	struct json result; /* JSONRPC_RESULT */
	int64_t code;       /* JSONRPC_ERROR */
	struct str message;
	struct json data;
	struct arena *mem;
};

typedef void jsonrpc_done(void *ctx, const struct jsonrpc_response *answer);

struct jsonrpc_handler {
	void (*message)(void *ctx, const struct jsonrpc_message *m);
	/* Each line in either direction, for a trace; may be NULL. */
	void (*line)(void *ctx, bool in, struct str line);
	void *ctx;
};

struct jsonrpc_options {
	struct jsonrpc_handler handler;
	bool bare;       /* messages have no "jsonrpc":"2.0", as in Codex */
	size_t max_line; /* bytes of an incoming message */
};

struct jsonrpc *jsonrpc_new(struct loop *l,
			    const struct jsonrpc_options *options);

/* Send to @out from now on; the owner reads it: jsonrpc_receive(). */
void jsonrpc_connect(struct jsonrpc *r, struct stream *out);
void jsonrpc_receive(struct jsonrpc *r, struct str bytes);

/* The peer is gone: open requests end with JSONRPC_DISCONNECTED. */
void jsonrpc_disconnect(struct jsonrpc *r);
void jsonrpc_free(struct jsonrpc *r);

/* Send a notification. @params is a JSON text, or "". */
void jsonrpc_notify(struct jsonrpc *r, const char *method, struct str params);

/*
 * Send a request; @done is called once, never from within this function.
 * @timeout_ms 0 = none. Returns its id, for jsonrpc_forget().
 */
uint64_t jsonrpc_request(struct jsonrpc *r, const char *method,
			 struct str params, uint64_t timeout_ms,
			 jsonrpc_done *done, void *ctx);

/* Drop the request without calling its @done. */
void jsonrpc_forget(struct jsonrpc *r, uint64_t number);

/* Respond to the request @id, raw JSON, with a result or an error. */
void jsonrpc_reply(struct jsonrpc *r, struct str id, struct str result);
void jsonrpc_error(struct jsonrpc *r, struct str id, int code,
		   struct str message, struct str data);

/* Send a message that is JSON already. */
void jsonrpc_send_line(struct jsonrpc *r, struct str line);

#endif
