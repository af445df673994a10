/*
 * site.c - everything on the port: routes, authentication, the endpoint.
 *
 * on_head() authenticates when the headers are there, before a body is read;
 * on_request() hands the request to the endpoint or to the page. All callbacks
 * run on the loop's thread.
 */
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
	struct web_page *page;     /* NULL = no page */
	struct budget page_budget; /* of connections with the owner's session */
};

/* Limit of the body in bytes; for AUTH_CLIENT it is --max-message. */
static const size_t most_body[] = {
	[AUTH_SIGN_IN] = 4096, [AUTH_OWNER] = 1024 * 1024
};

enum site_route { ROUTE_MCP, ROUTE_HEALTH, ROUTE_SIGN_IN, ROUTE_PAGE };

static const struct {
	const char *path;
	enum site_route route;
	enum auth auth;
} routes[] = {
	{ "/mcp", ROUTE_MCP, AUTH_CLIENT },
	{ "/healthz", ROUTE_HEALTH, AUTH_NONE },
	{ "/api/signin", ROUTE_SIGN_IN, AUTH_SIGN_IN },
};

/* An authenticated request, kept from on_head() to on_request(). */
struct site_request {
	enum site_route route;
	struct principal who;
};

static enum site_route route_of(const struct http_exchange *x, enum auth *auth)
{
	const struct http_request *r = http_request(x);

	for (size_t i = 0; i < COUNT_OF(routes); i++)
		if (str_is(r->path, routes[i].path)) {
			*auth = routes[i].auth;
			return routes[i].route;
		}
	*auth = page_is_lost(x) ? AUTH_NONE : page_auth(r->method, r->path);
	return ROUTE_PAGE;
}

static void site_refuse(struct http_exchange *x, enum site_route route,
			unsigned status, struct str why)
{
	struct fault f = { .err = ERR_BAD_REQUEST, .text = why };
	auto_buf out = BUF_INIT;

	if (route == ROUTE_PAGE || route == ROUTE_SIGN_IN) {
		page_refuse(x, status, why);
		return;
	}
	message_error(&out, STR(""), &f);
	http_reply(x, status, "application/json", guard_header(status),
		   buf_str(&out));
}

/* A CORS preflight request. */
static bool is_preflight(const struct http_exchange *x)
{
	return str_is(http_request(x)->method, "OPTIONS") &&
	       http_header(x, HTTP_CORS_METHOD).len;
}

/* CORS: the guard has accepted this origin, tell the browser. */
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

/*
 * Charge the memory of the connection to the budget of its client; false: that
 * budget is used up.
 */
static bool charge_connection(struct site *s, struct http_exchange *x,
			      enum auth auth, const struct principal *who)
{
	bool fits;

	if (auth != AUTH_CLIENT && auth != AUTH_OWNER)
		return true;
	fits = http_charge(x, auth == AUTH_OWNER ? &s->page_budget
						 : endpoint_budget(s->endpoint,
								   who->name));
	http_authenticated(x);
	return fits;
}

static bool on_head(void *ctx, struct http_exchange *x)
{
	struct site_request *req = arena_new(http_mem(x), struct site_request);
	struct site *s = ctx;
	bool preflight;
	enum auth auth;
	unsigned status;
	struct str why;

	req->route = route_of(x, &auth);
	preflight = req->route == ROUTE_MCP && is_preflight(x);
	if (preflight)
		auth = AUTH_NONE;
	status = guard_check(s->guard, x, auth, &req->who, &why);
	if (status) {
		site_refuse(x, req->route, status, why);
		return false;
	}
	if (req->route != ROUTE_MCP)
		http_most_body(x, most_body[auth]);
	if (!charge_connection(s, x, auth, &req->who)) {
		site_refuse(
			x, req->route, 503,
			STR("This client has used up its memory limit: read the replies, or try again later"));
		return false;
	}
	if (req->route == ROUTE_MCP)
		allow_origin(x);
	if (preflight) {
		answer_preflight(x);
		return false;
	}
	http_set(x, req);
	return true;
}

static bool read_key(struct http_exchange *x, struct str *ret)
{
	static const struct json_limits limits = { .max_depth = 2,
						   .max_nodes = 8 };
	struct json_error error;
	struct json body;

	return str_is(http_request(x)->method, "POST") &&
	       !json_parse(http_request(x)->body, &limits, http_mem(x), &body,
			   &error) &&
	       json_text(json_get(body, "key"), http_mem(x), ret);
}

static void sign_in(struct site *s, struct http_exchange *x)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);
	struct str key, session, why;

	if (!read_key(x, &key))
		key = STR("");
	if (!guard_sign_in(s->guard, key, http_mem(x), &session, &why)) {
		page_refuse(x, 403, why);
		return;
	}
	http_authenticated(x);
	json_open(&o, '{');
	json_text_member(&o, "session", session);
	json_close(&o, '}');
	http_reply(x, 200, "application/json", page_headers(), buf_str(&out));
}

static void on_request(void *ctx, struct http_exchange *x)
{
	struct site_request *req = http_get(x);
	struct site *s = ctx;

	http_set(x, NULL);
	switch (req->route) {
	case ROUTE_MCP:
		endpoint_request(s->endpoint, x, req->who.name);
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
		if (s->page && page_request(s->page, x, &req->who))
			return;
		break;
	}
	http_reply(x, 404, "text/plain; charset=utf-8", STR(""),
		   STR("Not found\n"));
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
		tokens_refresh(s->options.guard.tokens);
	endpoint_tick(s->endpoint);
	if (s->page)
		page_tick(s->page);
}

static bool is_any(const char *host)
{
	return !strcmp(host, "0.0.0.0") || !strcmp(host, "::");
}

/* "[::1]" of "::1", as it is in a URL. */
static struct str address_of(const char *host, struct arena *mem)
{
	return arena_printf(mem, strchr(host, ':') ? "[%s]" : "%s", host);
}

/* The URL of the server for clients on this machine. */
static struct str url_of(struct site *s)
{
	const char *host = s->options.host;

	if (!strcmp(host, "0.0.0.0"))
		host = "127.0.0.1";
	else if (!strcmp(host, "::"))
		host = "::1";

	return arena_printf(&s->mem, "http://" STR_FMT ":%u",
			    STR_ARG(address_of(host, &s->mem)),
			    http_port(s->http));
}

/*
 * A random host name (origin) for the page. A service worker or cached page of
 * another server that used our port before belongs to that server's host name,
 * and cannot serve this one. Browsers resolve *.localhost to this machine
 * without DNS, ::1 first: "" unless we also hold our port there.
 */
static struct str new_page_name(const struct site *s, struct arena *mem)
{
	enum { DIGITS = 32 };
	char *digits = arena_alloc(mem, DIGITS + 1);

	if (!http_holds_also(s->http))
		return STR("");
	secret_random_hex(digits, DIGITS);
	return arena_printf(mem, "%s.localhost", digits);
}

static void add_names(struct site *s)
{
	struct guard_options *guard = &s->options.guard;

	guard->port = http_port(s->http);
	guard->page = new_page_name(s, &s->mem);
	if (!is_any(s->options.host))
		guard->address = address_of(s->options.host, &s->mem);
}

static bool is_loopback(const char *host)
{
	return !strncmp(host, "127.", 4) || !strcmp(host, "::1");
}

/*
 * Where another machine finds us: the address that we listen on or, with all of
 * them, the first name that the person has allowed. "" = nowhere.
 */
static struct str phone_url(const struct site *s, struct arena *mem)
{
	const struct guard_options *g = &s->options.guard;
	struct str name = g->address;

	if (is_loopback(s->options.host))
		return STR("");
	if (is_any(s->options.host)) {
		if (!g->host_count)
			return STR("");
		name = g->hosts[0];
		if (str_find(name, ':') < name.len) /* with its port */
			return arena_printf(mem, "http://" STR_FMT,
					    STR_ARG(name));
	}
	return arena_printf(mem, "http://" STR_FMT ":%u", STR_ARG(name),
			    g->port);
}

static void add_page(struct site *s)
{
	s->activity = activity_new();
	activity_join(s->activity, s->options.server);
	s->page = page_new(&(struct page_options){
		.server = s->options.server,
		.http = s->http,
		.endpoint = s->endpoint,
		.activity = s->activity,
		.url = arena_printf(&s->mem, STR_FMT "/", STR_ARG(url_of(s))),
		.settings = s->options.settings,
		.tokens = s->options.guard.tokens,
		.guard = s->guard,
		.state_dir = s->options.state_dir,
		.phone = phone_url(s, &s->mem),
	});
}

/* endpoint_options.knows: sessions of revoked tokens are ended. */
static bool is_known(void *ctx, struct str client)
{
	struct site *s = ctx;

	return tokens_has(s->options.guard.tokens, client);
}

/* A separate budget, so that clients cannot use up the page's memory. */
static void open_page_budget(struct site *s)
{
	enum { PART = 8, LEAST = 4 * 1024 * 1024 };
	const struct budget *all = s->options.server->budget;

	budget_open(&s->page_budget, NULL,
		    all && all->max ? size_max(all->max / PART, LEAST) : 0);
}

struct site *site_new(const struct site_options *options, struct arena *mem,
		      struct str *why)
{
	struct site *s = calloc(1, sizeof(*s));
	struct http_options http = {
		.host = options->host,
		.also = strcmp(options->host, "127.0.0.1") ? NULL : "::1",
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
	open_page_budget(s);
	add_names(s);
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

struct str site_page_url(struct site *s)
{
	struct str name = s->options.guard.page;

	return name.len ? arena_printf(&s->mem, "http://" STR_FMT ":%u",
				       STR_ARG(name), http_port(s->http))
			: url_of(s);
}

struct str site_server_id(const struct site *s)
{
	return guard_server_id(s->guard);
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
