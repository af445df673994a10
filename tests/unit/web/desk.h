/*
 * desk.h - a server with a page on a real port, a project and a history.
 *
 * Replaces the endpoint (the list of clients) and the authentication: every
 * request is accepted.
 */
#ifndef STET_TEST_DESK_H
#define STET_TEST_DESK_H

#include "../files/scratch.h"
#include "../parsed.h"

#include "base/clock.h"
#include "rpc/ask_queue.h"
#include "tools/call/dispatch.h"
#include "tools/permissions/rules.h"
#include "web/page.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct desk {
	struct scratch scratch;
	struct rule rule;
	struct rules rules;
	struct server server;
	struct activity *activity;
	struct http *http;
	struct endpoint *endpoint;
	struct web_page *page;
	pthread_t thread;
	struct arena mem;
	struct buf got; /* the whole answer */
};

#define auto_desk cleanup(desk_end) struct desk

/* With DESK_ENDPOINT the endpoint is a real one, at /mcp. */
#ifndef DESK_ENDPOINT
static atomic_uint desk_clients; /* number of connected clients */

void endpoint_clients(const struct endpoint *e, struct arena *mem,
		      struct endpoint_client **ret, size_t *ret_n)
{
	*ret_n = atomic_load(&desk_clients);
	*ret = arena_array(mem, struct endpoint_client, *ret_n);
	for (size_t i = 0; i < *ret_n; i++)
		(*ret)[i] = (struct endpoint_client){
			.name = STR("alice"),
			.client = STR("codex 1.0"),
			.session = arena_printf(mem, "s%zu", i),
			.version = STR(MCP_MODERN),
			.calls = 3,
			.running = 1
		};
}
#endif

static bool desk_head(void *ctx, struct http_exchange *x)
{
	return true;
}

static void desk_request(void *ctx, struct http_exchange *x)
{
	struct desk *d = ctx;
	struct str who = http_other_header(x, "x-who");

#ifdef DESK_ENDPOINT
	if (str_is(http_request(x)->path, "/mcp")) {
		endpoint_request(d->endpoint, x, STR("alice"));
		return;
	}
#endif
	if (str_is(who, "nobody"))
		page_refuse(x, 401, STR("Who are you?"));
	else if (!page_request(d->page, x,
			       &(struct principal){ who, !who.len }))
		http_reply(x, 404, "text/plain", STR(""), STR("none\n"));
}

static void desk_gone(void *ctx, struct http_exchange *x)
{
#ifdef DESK_ENDPOINT
	if (str_is(http_request(x)->path, "/mcp")) {
		endpoint_gone(((struct desk *)ctx)->endpoint, x);
		return;
	}
#endif
	page_gone(((struct desk *)ctx)->page, x);
}

/*
 * The endpoint has no ticks: they would look after parked calls as well, and
 * send comments that keep a silent stream alive.
 */
static void desk_tick(void *ctx)
{
	page_tick(((struct desk *)ctx)->page);
}

static void *desk_run(void *http)
{
	http_run(http);
	return NULL;
}

/* Changes of files named ask* need approval. */
static void desk_rules(struct desk *d)
{
	struct fault f;

	d->rule.verdict = VERDICT_ASK;
	d->rule.origin = STR("--ask");
	assert_int_equal(rule_parse(STR("write(ask*)"), &d->mem, &d->rule, &f),
			 ERR_OK);
	d->rules.rule = &d->rule;
	d->rules.count = 1;
}

static inline void desk_begin(struct desk *d)
{
	struct http_options options = {
		.host = "127.0.0.1",
		.limits = http_limits_default,
		.handler = { desk_head, desk_request, desk_gone, desk_tick, d },
	};
	struct str why;

	*d = (struct desk){ .scratch = scratch_make() };
	desk_rules(d);
	d->server = (struct server){ .version = "9.9", .ws = d->scratch.ws };
	d->server.tools = (struct tool_options){
		.max_file = 1 << 20,
		.max_reply = 1 << 20,
		.rules = &d->rules,
		.store = store_new(&(struct store_options){
			.dir = scratch_str(&d->scratch, "state/stet") }),
	};
	d->activity = activity_new();
	activity_join(d->activity, &d->server);
	d->http = http_new(&options, &d->mem, &why);
	assert_non_null(d->http);
	d->endpoint = (struct endpoint *)d;
#ifdef DESK_ENDPOINT
	struct endpoint_options mcp = endpoint_options_default;

	mcp.server = &d->server;
	d->endpoint = endpoint_new(&mcp, d->http);
#endif
	d->page = page_new(&(struct page_options){
		.server = &d->server,
		.http = d->http,
		.endpoint = d->endpoint,
		.activity = d->activity,
		.url = STR("http://127.0.0.1:1/"),
	});
	assert_int_equal(pthread_create(&d->thread, NULL, desk_run, d->http),
			 0);
}

static inline void desk_end(struct desk *d)
{
	http_stop(d->http);
	assert_int_equal(pthread_join(d->thread, NULL), 0);
#ifdef DESK_ENDPOINT
	endpoint_free(d->endpoint);
#endif
	page_free(d->page);
	http_free(d->http);
	activity_leave(d->activity, &d->server);
	activity_free(d->activity);
	store_free(d->server.tools.store);
	scratch_end(&d->scratch);
	buf_free(&d->got);
	arena_free(&d->mem);
}

static inline int desk_dial(struct desk *d)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port =
					  htons((uint16_t)http_port(d->http)),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static inline bool desk_has(const struct desk *d, const char *what)
{
	return d->got.len && memmem(d->got.ptr, d->got.len, what, strlen(what));
}

/*
 * Read until @what has arrived; false at the end of the connection or after a
 * timeout.
 */
static inline bool desk_read(struct desk *d, int fd, const char *what)
{
	struct pollfd p = { fd, POLLIN, 0 };
	char room[16 * 1024];
	ssize_t n;

	while (!what || !desk_has(d, what)) {
		if (poll(&p, 1, 20 * 1000) != 1)
			return false;
		n = read(fd, room, sizeof(room));
		if (n <= 0)
			return false;
		buf_add(&d->got, str_make(room, (size_t)n));
	}
	return true;
}

static inline void desk_say(int fd, struct str bytes)
{
	assert_int_equal(send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL),
			 bytes.len);
}

/* One request; returns its status. The body is in d->got. */
static inline unsigned desk_ask(struct desk *d, const char *method,
				const char *path, const char *headers,
				const char *body)
{
	static const struct str end = STR_INIT("\r\n\r\n");
	auto_buf ask = BUF_INIT;
	int fd = desk_dial(d);

	buf_addf(&ask,
		 "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s"
		 "Content-Length: %zu\r\n\r\n%s",
		 method, path, headers, strlen(body), body);
	buf_clear(&d->got, 4096);
	desk_say(fd, buf_str(&ask));
	(void)desk_read(d, fd, NULL);
	(void)close(fd);
	assert_true(str_starts(buf_str(&d->got), STR("HTTP/1.1 ")));
	assert_true(desk_has(d, end.ptr));
	return (unsigned)strtoul(d->got.ptr + sizeof("HTTP/1.1"), NULL, 10);
}

/* The body of the last answer. */
static inline struct json desk_json(struct desk *d)
{
	const char *at = memmem(d->got.ptr, d->got.len, "\r\n\r\n", 4);
	struct str text =
		str_make(at + 4, d->got.len - (size_t)(at + 4 - d->got.ptr));

	return parsed(arena_copy(&d->mem, text), &d->mem);
}

static inline struct json desk_get(struct desk *d, const char *path)
{
	if (desk_ask(d, "GET", path, "", "") != 200)
		assert_string_equal(arena_cstr(&d->mem, buf_str(&d->got)), "");
	return desk_json(d);
}

static inline unsigned desk_post(struct desk *d, const char *path,
				 const char *body)
{
	return desk_ask(d, "POST", path, "Content-Type: application/json\r\n",
			body);
}

/* The text at a path of members: "approval.tool", "operations.0.id". */
static inline struct json desk_at(struct json v, const char *path)
{
	struct str rest = str_of(path), part;
	char name[64];

	while (str_split(&rest, '.', &part)) {
		assert_true(part.len < sizeof(name));
		memcpy(name, part.ptr, part.len);
		name[part.len] = '\0';
		if (json_is(v, JSON_ARRAY)) {
			struct json_walk w = json_walk(v);
			long n = strtol(name, NULL, 10);

			while (n-- >= 0)
				assert_true(json_step(&w));
			v = w.value;
		} else {
			v = json_get(v, name);
		}
	}
	return v;
}

static inline struct str desk_text(struct desk *d, struct json v,
				   const char *path)
{
	struct str text;

	assert_true(json_text(desk_at(v, path), &d->mem, &text));
	return text;
}

static inline int64_t desk_int(struct json v, const char *path)
{
	int64_t n;

	assert_true(json_int(desk_at(v, path), &n));
	return n;
}

static inline bool desk_bool(struct json v, const char *path)
{
	bool b;

	assert_true(json_bool(desk_at(v, path), &b));
	return b;
}

/* A call by a client, as it comes in over the wire; not granted is queued. */
static inline enum err desk_call(struct desk *d, const char *tool,
				 const char *arguments)
{
	static const struct caller caller = { .client = STR_INIT("codex 1.0"),
					      .session = STR_INIT("s1"),
					      .scope = STR_INIT(
						      "http:alice:codex"),
					      .name = STR_INIT("alice") };
	auto_arena mem = ARENA_INIT;
	struct dispatch run = { .options = &d->server.tools,
				.ws = d->server.ws,
				.mem = &mem,
				.events = d->server.events,
				.id = STR("7"),
				.caller = &caller };
	enum err e = dispatch_begin(&run, str_of(tool),
				    parsed(arena_copy(&mem, str_of(arguments)),
					   &mem));

	if (!e)
		e = dispatch_run(&run, 0);
	return e == ERR_ASK ? ask_queue_refuse(&run) : e;
}

static inline enum err desk_write(struct desk *d, const char *name,
				  const char *content)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	json_open(&o, '{');
	json_key(&o, "path");
	json_put_str(&o, scratch_str(&d->scratch, name));
	json_key(&o, "content");
	json_put_str(&o, str_of(content));
	json_close(&o, '}');
	buf_addc(&out, '\0');
	return desk_call(d, "write_text_file", out.ptr);
}

#define assert_file(d, name, want) \
	assert_string_equal(scratch_get(&(d)->scratch, (name)), (want))

/*
 * The list of pending approvals, which must have @n; *@path is the URL of the
 * first.
 */
static inline struct json desk_pending(struct desk *d, size_t n,
				       const char **path)
{
	struct json a = desk_get(d, "/api/approvals");

	assert_int_equal(json_count(desk_at(a, "approvals")), n);
	if (n)
		*path = arena_printf(&d->mem, "/api/approvals/%s",
				     arena_cstr(&d->mem,
						desk_text(d, a,
							  "approvals.0.id")))
				.ptr;
	return a;
}

/* Id of the newest operation. */
static inline const char *desk_newest_op(struct desk *d)
{
	struct json h = desk_get(d, "/api/history?limit=1");

	return arena_cstr(&d->mem, desk_text(d, h, "operations.0.id"));
}

static inline const char *desk_op_path(struct desk *d, const char *id,
				       const char *verb)
{
	return arena_printf(&d->mem, "/api/history/%s%s", id, verb).ptr;
}

#endif
