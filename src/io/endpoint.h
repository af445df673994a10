/*
 * endpoint.h - MCP over HTTP: POST, GET and DELETE of one path, both eras.
 *
 * A message of 2026-07-28 stands alone: its answer is the response, as JSON,
 * or as a stream of events when something is to be told before it; when the
 * client hangs up the call is cancelled. An older client has a session, made
 * by `initialize`: what it has missed waits there for it, and hanging up is
 * not giving up.
 *
 * All functions belong to the loop's thread. The caller of these has checked
 * who is asking.
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
	uint64_t idle_ms;       /* a session that is silent so long ends */
	size_t kept;            /* bytes of events kept for each session */
	/* May this client still be here? Looked at now and then; NULL = yes */
	bool (*knows)(void *ctx, struct str client);
	void *ctx;
};

extern const struct endpoint_options endpoint_options_default;

struct endpoint *endpoint_new(const struct endpoint_options *options,
			      struct http *http);

/* Waits for the calls that run; cancels the others. */
void endpoint_free(struct endpoint *e);

/* What counts for the client of that name. */
struct budget *endpoint_budget(struct endpoint *e, struct str client);

/* A request to the endpoint's path, by the client of that name. */
void endpoint_request(struct endpoint *e, struct http_exchange *x,
		      struct str client);
void endpoint_gone(struct endpoint *e, struct http_exchange *x);
void endpoint_tick(struct endpoint *e); /* about once a second */

/* Who is connected: for the status page. */
struct endpoint_client {
	struct str name;    /* of its token */
	struct str client;  /* what it says of itself */
	struct str session; /* as history names it; not the one it proves */
	struct str version; /* of the protocol */
	uint64_t since_ms, last_ms; /* unix time */
	uint64_t calls;
	unsigned running, waiting, asking, streams;
};

void endpoint_clients(const struct endpoint *e, struct arena *mem,
		      struct endpoint_client **ret, size_t *ret_n);

#endif
