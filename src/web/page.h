/*
 * page.h - the person's page: what it asks for, what it is told, its files.
 *
 *	GET  /                          the page, and /page.css, /page.js ...
 *	GET  /api/status                who, what, how many
 *	GET  /api/approvals             questions that wait
 *	POST /api/approvals/ID          an answer
 *	GET  /api/grants                what was allowed beyond one call
 *	POST /api/grants/revoke         and is no more
 *	GET  /api/activity              what the clients do
 *	GET  /api/files                 the roots as agents see them
 *	GET  /api/history, /api/history/ID, /api/chart
 *	POST /api/history/ID/undo, /api/history/ID/redo, /api/restore
 *	GET  /api/live                  what happens, as it happens (events)
 *	GET  /metrics                   counters for Prometheus
 *
 * All functions belong to the loop's thread. Whatever looks at the store or at
 * a file does so on another one; the peer may be gone by then. (A struct page
 * is some lines of a file, in workspace.h: this one has another name.)
 */
#ifndef STET_PAGE_H
#define STET_PAGE_H

#include "io/endpoint.h"
#include "web/activity.h"
#include "web/guard.h"

struct web_page;

struct page_options {
	struct server *server;
	struct http *http;
	struct endpoint *endpoint; /* whose clients are shown; NULL = none */
	struct activity *activity; /* has joined the server */
	struct str url;            /* "http://127.0.0.1:7717/" */
};

struct web_page *page_new(const struct page_options *options);

/* After http_run() and before http_free(). */
void page_free(struct web_page *p);

/* Headers of every answer, with "Cache-Control: no-store". */
struct str page_headers(void);

/*
 * Which door a request has to come through: the page's own files are for
 * everybody, what is on it is the owner's.
 */
enum door page_door(struct str method, struct str path);

/*
 * Is it a browser's request for something to look at that is not there? Then
 * everybody gets the same page with status 404.
 */
bool page_is_lost(const struct http_exchange *x);

/* One that came through: false when there is nothing of that name. */
must_check bool page_request(struct web_page *p, struct http_exchange *x,
			     const struct visitor *who);

/* One that did not: @status and a sentence. */
void page_refuse(struct http_exchange *x, unsigned status, struct str why);

/* Its peer went away; of an exchange that it does not know, nothing. */
void page_gone(struct web_page *p, struct http_exchange *x);
void page_tick(struct web_page *p); /* some times a second */

#endif
