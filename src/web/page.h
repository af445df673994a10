/*
 * page.h - the web page: its API, its event stream, its files.
 *
 *	GET  /                          the page, and /page.css, /page.js ...
 *	GET  /api/status                version, clients, counters
 *	GET  /api/approvals             open questions
 *	POST /api/approvals/ID          the answer to one
 *	GET  /api/grants                standing permissions
 *	POST /api/grants/revoke
 *	GET  /api/settings              rules, roots, hooks, and their sources
 *	GET  /api/rules/check           the rule that decides for a path
 *	POST /api/rules, /api/rules/remove
 *	GET  /api/tokens                tokens of clients
 *	POST /api/tokens, /api/tokens/revoke
 *	POST /api/link                  a key to sign in another device
 *	GET  /api/activity              running and recent calls
 *	GET  /api/files                 the roots as agents see them
 *	GET  /api/history, /api/history/ID, /api/chart
 *	POST /api/history/ID/undo, /api/history/ID/redo, /api/restore
 *	GET  /api/live                  Server-Sent Events, see sse.h
 *	GET  /metrics                   counters for Prometheus
 *
 * All functions belong to the loop's thread. Handlers that use the store or
 * files run on a worker; the peer may have disconnected when they return.
 * (struct web_page, because a struct page is some lines of a file: workspace.h.)
 */
#ifndef STET_PAGE_H
#define STET_PAGE_H

#include "io/endpoint.h"
#include "web/activity.h"
#include "web/guard.h"
#include "web/settings.h"

struct web_page;

struct page_options {
	struct server *server;
	struct http *http;
	struct endpoint *endpoint; /* whose clients are shown; NULL = none */
	struct activity *activity; /* an event sink of the server */
	struct str url;            /* "http://127.0.0.1:7717/" */
	/* Optional: without one of these the page lacks that function. */
	const struct settings_source *settings;
	struct tokens *tokens; /* tokens of clients */
	struct guard *guard;   /* makes links to sign in */
	struct str state_dir;  /* to find the store when the history is off */
	struct str phone;      /* the address for other machines; "" = none */
};

struct web_page *page_new(const struct page_options *options);

/* After http_run() and before http_free(). */
void page_free(struct web_page *p);

/* Headers of every answer, with "Cache-Control: no-store". */
struct str page_headers(void);

/*
 * The authentication that a request needs: the files of the page are public,
 * its API is the owner's.
 */
enum auth page_auth(struct str method, struct str path);

/*
 * Is it a browser's request for an unknown HTML page? Then the response is a
 * page with status 404, with or without authentication.
 */
bool page_is_lost(const struct http_exchange *x);

/* Serve an authenticated request; false: no route or file of that path. */
must_check bool page_request(struct web_page *p, struct http_exchange *x,
			     const struct principal *who);

/* Reply with @status and a sentence. */
void page_refuse(struct http_exchange *x, unsigned status, struct str why);

/* The peer of @x has disconnected; an unknown exchange is ignored. */
void page_gone(struct web_page *p, struct http_exchange *x);
void page_tick(struct web_page *p); /* several times a second */

#endif
