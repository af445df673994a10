#include "web/site.h"

#include "rpc/message.h"

#include "web/activity.h"
#include "web/page.h"

#include <stdlib.h>

struct site {
	struct site_options options;
	struct arena mem;
	struct http *http;
	struct endpoint *endpoint;
	struct guard *guard;
	struct activity *activity;
	struct web_page *page; /* NULL = there is none */
};

enum { PAGE_BODY = 1024 * 1024 }; /* bytes; of strangers, none */

enum route { ROUTE_MCP, ROUTE_HEALTH, ROUTE_SIGN_IN, ROUTE_PAGE };

static const struct {
	const char *path;
	enum route route;
	enum door door;
} routes[] = {
	{ "/mcp", ROUTE_MCP, DOOR_MCP },
	{ "/healthz", ROUTE_HEALTH, DOOR_OPEN },
	{ "/signin", ROUTE_SIGN_IN, DOOR_OPEN },
};

/* A request that the guard let in, on its way to its route. */
struct visit {
	enum route route;
	struct visitor who;
};

static enum route route_of(const struct http_request *r, enum door *door)
{
	for (size_t i = 0; i < COUNT_OF(routes); i++)
		if (str_is(r->path, routes[i].path)) {
			*door = routes[i].door;
			return routes[i].route;
		}
	*door = page_door(r->method, r->path);
	return ROUTE_PAGE;
}

static void refuse(struct http_exchange *x, enum route route, unsigned status,
		   struct str why)
{
	struct fault f = { .err = ERR_BAD_REQUEST, .text = why };
	auto_buf out = BUF_INIT;

	if (route == ROUTE_PAGE) {
		page_refuse(x, status, why);
		return;
	}
	message_error(&out, STR(""), &f);
	http_reply(x, status, "application/json", guard_header(status),
		   buf_str(&out));
}

/* A browser asks whether a page of another origin may ask. */
static bool is_preflight(const struct http_exchange *x)
{
	return str_is(http_request(x)->method, "OPTIONS") &&
	       http_header(x, HTTP_CORS_METHOD).len;
}

/* The guard has let this origin in: the browser is to know it. */
static void allow_origin(struct http_exchange *x)
{
	struct str origin = http_header(x, HTTP_ORIGIN);

	if (origin.len)
		http_extra(
			x,
			arena_printf(
				http_mem(x),
				"Access-Control-Allow-Origin: " STR_FMT "\r\n"
				"Access-Control-Expose-Headers: Mcp-Session-Id\r\n"
				"Vary: Origin\r\n",
				STR_ARG(origin)));
}

static void answer_preflight(struct http_exchange *x)
{
	static const struct str allowed = STR_INIT(
		"Access-Control-Allow-Methods: POST, GET, DELETE\r\n"
		"Access-Control-Allow-Headers: Authorization, Content-Type, Accept, "
		"Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name\r\n"
		"Access-Control-Max-Age: 600\r\n");

	http_reply(x, 204, NULL, allowed, STR(""));
}

static bool on_head(void *ctx, struct http_exchange *x)
{
	struct visit *visit = arena_new(http_mem(x), struct visit);
	struct site *s = ctx;
	bool preflight;
	enum door door;
	unsigned status;
	struct str why;

	visit->route = route_of(http_request(x), &door);
	preflight = visit->route == ROUTE_MCP && is_preflight(x);
	if (preflight)
		door = DOOR_OPEN;
	status = guard_check(s->guard, x, door, &visit->who, &why);
	if (status) {
		refuse(x, visit->route, status, why);
		return false;
	}
	if (visit->route == ROUTE_MCP && !preflight &&
	    !http_charge(x, endpoint_budget(s->endpoint, visit->who.name))) {
		refuse(x, visit->route, 503,
		       STR("This client holds all the memory that it may have: read the answers, or try again later"));
		return false;
	}
	if (visit->route == ROUTE_MCP)
		allow_origin(x);
	if (preflight) {
		answer_preflight(x);
		return false;
	}
	if (visit->route != ROUTE_MCP)
		http_most_body(x, door == DOOR_OPEN ? 0 : PAGE_BODY);
	http_set(x, visit);
	return true;
}

static void sign_in(struct site *s, struct http_exchange *x)
{
	static const struct str home = STR_INIT(
		"Location: /\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n");
	auto_buf headers = BUF_INIT;
	struct str cookie;

	if (!guard_sign_in(s->guard, http_request(x)->query, http_mem(x),
			   &cookie)) {
		page_refuse(x, 403,
			    STR("This link was used before, or is too old."));
		return;
	}
	buf_add(&headers, home);
	buf_add(&headers, cookie);
	http_reply(x, 303, NULL, buf_str(&headers), STR(""));
}

static void on_request(void *ctx, struct http_exchange *x)
{
	struct visit *visit = http_get(x);
	struct site *s = ctx;

	http_set(x, NULL);
	switch (visit->route) {
	case ROUTE_MCP:
		endpoint_request(s->endpoint, x, visit->who.name);
		return;
	case ROUTE_HEALTH:
		http_reply(x, 200, "text/plain; charset=utf-8",
			   STR("Cache-Control: no-store\r\n"), STR("ok\n"));
		return;
	case ROUTE_SIGN_IN:
		if (s->page) {
			sign_in(s, x);
			return;
		}
		break;
	case ROUTE_PAGE:
		if (s->page && page_request(s->page, x, &visit->who))
			return;
		break;
	}
	http_reply(x, 404, "text/plain; charset=utf-8", STR(""),
		   STR("There is nothing here\n"));
}

static void on_gone(void *ctx, struct http_exchange *x)
{
	struct site *s = ctx;

	if (str_is(http_request(x)->path, "/mcp"))
		endpoint_gone(s->endpoint, x);
	else if (s->page)
		page_gone(s->page, x);
}

static void on_tick(void *ctx)
{
	struct site *s = ctx;

	if (s->options.guard.tokens)
		tokens_look(s->options.guard.tokens);
	endpoint_tick(s->endpoint);
	if (s->page)
		page_tick(s->page);
}

/* As somebody on this machine calls it. */
static struct str url_of(struct site *s)
{
	const char *host = s->options.host;

	if (!strcmp(host, "0.0.0.0"))
		host = "127.0.0.1";
	else if (!strcmp(host, "::"))
		host = "::1";

	return arena_printf(&s->mem,
			    strchr(host, ':') ? "http://[%s]:%u"
					      : "http://%s:%u",
			    host, http_port(s->http));
}

static void add_page(struct site *s)
{
	s->activity = activity_new();
	activity_join(s->activity, s->options.server);
	s->page = page_new(&(struct page_options){
		.server = s->options.server,
		.http = s->http,
		.endpoint = s->endpoint,
		.guard = s->guard,
		.activity = s->activity,
		.url = arena_printf(&s->mem, STR_FMT "/", STR_ARG(url_of(s))),
	});
}

/* Who is revoked is out, with all that is open. */
static bool is_known(void *ctx, struct str client)
{
	struct site *s = ctx;

	return tokens_has(s->options.guard.tokens, client);
}

struct site *site_new(const struct site_options *options, struct arena *mem,
		      struct str *why)
{
	struct site *s = calloc(1, sizeof(*s));
	struct http_options http = {
		.host = options->host,
		.port = options->port,
		.limits = options->limits,
		.budget = options->server->budget,
		.handler = { on_head, on_request, on_gone, on_tick, s },
	};

	if (!s)
		out_of_memory();
	s->options = *options;
	s->http = http_new(&http, mem, why);
	if (!s->http) {
		free(s);
		return NULL;
	}
	s->options.guard.port = http_port(s->http);
	s->options.endpoint.server = options->server;
	if (s->options.guard.tokens) {
		s->options.endpoint.knows = is_known;
		s->options.endpoint.ctx = s;
	}
	s->guard = guard_new(&s->options.guard);
	s->endpoint = endpoint_new(&s->options.endpoint, s->http);
	if (options->page)
		add_page(s);
	return s;
}

struct http *site_http(struct site *s)
{
	return s->http;
}

struct str site_url(struct site *s)
{
	return url_of(s);
}

void site_run(struct site *s)
{
	http_run(s->http);
}

void site_free(struct site *s)
{
	if (!s)
		return;
	endpoint_free(s->endpoint);
	if (s->page) {
		activity_leave(s->activity, s->options.server);
		page_free(s->page);
		activity_free(s->activity);
	}
	guard_free(s->guard);
	http_free(s->http);
	arena_free(&s->mem);
	free(s);
}
