/*
 * site.h - everything on the port: routes, each with the authentication
 * that it needs.
 *
 *	/mcp        the endpoint
 *	/healthz    "ok"
 *	/metrics    counters for Prometheus
 *	/api/signin the page, with the key of a one-time link
 *	/api/...    API of the page (docs/page.md)
 *	/           the page
 */
#ifndef STET_SITE_H
#define STET_SITE_H

#include "io/endpoint.h"
#include "web/guard.h"
#include "web/settings.h"

struct site;

struct site_options {
	struct server *server;
	struct endpoint_options endpoint; /* its server is filled in */
	const char *host;
	unsigned port;
	struct http_limits limits;
	struct guard_options guard; /* its port and names are filled in */
	const struct settings_source *settings; /* for the page; NULL = none */
	struct str state_dir;                   /* likewise */
	bool page; /* false: /mcp and /healthz alone, for the fixture */
};

/* Listens. NULL with a sentence in @why. */
struct site *site_new(const struct site_options *options, struct arena *mem,
		      struct str *why);
struct http *site_http(struct site *s);
struct str site_url(struct site *s);      /* "http://127.0.0.1:7717" */
struct str site_page_url(struct site *s); /* where the page is opened */
struct str site_server_id(const struct site *s);

/* Serve until http_stop(site_http(s)). */
void site_run(struct site *s);
void site_free(struct site *s);

#endif
