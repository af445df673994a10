/*
 * endpoint.h - MCP over HTTP: POST, GET and DELETE of one path, both eras.
 *
 * A message of 2026-07-28 stands alone: its answer is the response, as JSON,
 * or as an event stream when something is sent before it; when the client
 * disconnects, the call is cancelled. An older client has a session, made by
 * `initialize`: events it missed are kept for it, and a disconnect does not
 * cancel its calls.
 *
 * All functions belong to the loop's thread. Requests must be authenticated
 * before (web/guard).
 */
#ifndef STET_ENDPOINT_H
#define STET_ENDPOINT_H

#include "io/http.h"
#include "rpc/server.h"

struct endpoint;

struct endpoint_options {
	struct server *server;
	unsigned sessions;      /* at a time, of all clients */
	unsigned sessions_each; /* of one client */
	uint64_t idle_ms;       /* idle timeout of a session */
	size_t kept;            /* maximum bytes of stored events per session */
	/* Is the client's token still valid? Polled; NULL = always */
	bool (*knows)(void *ctx, struct str client);
	void *ctx;
};

extern const struct endpoint_options endpoint_options_default;

struct endpoint *endpoint_new(const struct endpoint_options *options,
			      struct http *http);

/* Waits for the calls that run; cancels the others. */
void endpoint_free(struct endpoint *e);

/* The memory budget of that client. */
struct budget *endpoint_budget(struct endpoint *e, struct str client);

/* A request to the endpoint's path, by the client of that name. */
void endpoint_request(struct endpoint *e, struct http_exchange *x,
		      struct str client);
void endpoint_gone(struct endpoint *e, struct http_exchange *x);
void endpoint_tick(struct endpoint *e); /* four times a second */

/* A connected client, for the status page. */
struct endpoint_client {
	struct str name;   /* of its token */
	struct str client; /* its clientInfo */
	struct str
		session; /* id in the history; not the secret Mcp-Session-Id */
	struct str version;         /* of the protocol */
	uint64_t since_ms, last_ms; /* unix time */
	uint64_t calls;
	unsigned running, waiting, asking, streams;
};

void endpoint_clients(const struct endpoint *e, struct arena *mem,
		      struct endpoint_client **ret, size_t *ret_n);

#endif
