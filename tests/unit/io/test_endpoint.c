/*
 * test_endpoint.c - MCP over HTTP, on loopback sockets.
 *
 * MCP over HTTP, by real sockets on loopback: both eras, sessions, streams
 * and coming back to them.
 */
#include "../unit.h"

#include "../memory.h"
#include "base/clock.h"
#include "base/fd.h"
#include "io/endpoint.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct fixture {
	struct http *http;
	struct endpoint *endpoint;
	struct server server;
	struct memory memory;
	pthread_t thread;
	bool stopped;
	struct arena mem;
};

static bool on_head(void *ctx, struct http_exchange *x)
{
	return true;
}

/* The test authenticates clients by a header of its own. */
static void on_request(void *ctx, struct http_exchange *x)
{
	struct fixture *t = ctx;

	endpoint_request(t->endpoint, x, http_other_header(x, "x-client"));
}

static void on_gone(void *ctx, struct http_exchange *x)
{
	struct fixture *t = ctx;

	endpoint_gone(t->endpoint, x);
}

static void on_tick(void *ctx)
{
	struct fixture *t = ctx;

	endpoint_tick(t->endpoint);
}

static void *run(void *arg)
{
	struct fixture *t = arg;

	http_run(t->http);
	return NULL;
}

static int set_up(void **state)
{
	struct fixture *t = test_calloc(1, sizeof(*t));
	struct http_options options = {
		.host = "127.0.0.1",
		.limits = http_limits_default,
		.handler = { on_head, on_request, on_gone, on_tick, t },
	};
	struct endpoint_options endpoint = endpoint_options_default;
	struct memory memory = MEMORY({ "/f", STR_INIT("one\n") });
	struct str why;

	t->memory = memory;
	t->server = (struct server){
		.version = "1",
		.tools = { .max_file = 1 << 20, .max_reply = 1 << 20 },
		.ws = &t->memory.ws,
	};
	request_state_issuer_open(&t->server.request_states, 60 * 1000);
	t->http = http_new(&options, &t->mem, &why);
	assert_non_null(t->http);
	endpoint.server = &t->server;
	endpoint.sessions = 8;
	endpoint.sessions_each = 4;
	t->endpoint = endpoint_new(&endpoint, t->http);
	assert_int_equal(pthread_create(&t->thread, NULL, run, t), 0);
	*state = t;
	return 0;
}

/* The loop runs no more: its data may be looked at from here. */
static void stop(struct fixture *t)
{
	if (t->stopped)
		return;
	t->stopped = true;
	http_stop(t->http);
	(void)pthread_join(t->thread, NULL);
}

static int tear_down(void **state)
{
	struct fixture *t = *state;

	stop(t);
	endpoint_free(t->endpoint);
	http_free(t->http);
	arena_free(&t->memory.mem);
	arena_free(&t->mem);
	test_free(t);
	return 0;
}

static int dial(struct fixture *t)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons(http_port(t->http)),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

/* Read until the peer closes or the text has @until. */
static struct str hear(struct fixture *t, int fd, const char *until)
{
	struct buf got = BUF_INIT;
	char bytes[4096];
	struct str all;

	for (;;) {
		struct pollfd p = { fd, POLLIN, 0 };
		ssize_t n;

		assert_int_equal(poll(&p, 1, 10 * 1000), 1);
		n = read(fd, bytes, sizeof(bytes));
		if (n <= 0)
			break;
		buf_add(&got, str_make(bytes, (size_t)n));
		buf_addc(&got, '\0');
		got.len--;
		if (until && strstr(got.ptr, until))
			break;
	}
	buf_addc(&got, '\0');
	all = arena_copy(&t->mem, buf_str(&got));
	buf_free(&got);
	return all;
}

static int begin(struct fixture *t, const char *method, const char *headers,
		 const char *body)
{
	int fd = dial(t);
	struct str text = arena_printf(
		&t->mem,
		"%s /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
		"Content-Type: application/json\r\n"
		"Accept: application/json, text/event-stream\r\n"
		"%sContent-Length: %zu\r\n\r\n%s",
		method, headers, strlen(body), body);

	assert_int_equal(fd_write(fd, text), 0);
	return fd;
}

static const char *ask(struct fixture *t, const char *method,
		       const char *headers, const char *body)
{
	int fd = begin(t, method, headers, body);
	struct str all = hear(t, fd, NULL);

	fd_drop(&fd);
	return all.ptr;
}

static bool has(const char *reply, const char *what)
{
	return strstr(reply, what);
}

#define META                                                                     \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define MODERN "MCP-Protocol-Version: 2026-07-28\r\n"
#define HELLO(version)                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":" \
	"{\"protocolVersion\":\"" version "\",\"capabilities\":{},"           \
	"\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"
#define LIST "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"

static void modern_messages_stand_alone(void **state)
{
	const char *r =
		ask(*state, "POST", MODERN "Mcp-Method: server/discover\r\n",
		    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":"
		    "\"server/discover\",\"params\":{" META "}}");

	assert_true(has(r, "HTTP/1.1 200 OK"));
	assert_true(has(r, "application/json"));
	assert_true(has(r, "\"supportedVersions\":[\"2026-07-28\"]"));
	assert_false(has(r, "Mcp-Session-Id"));
}

/* X02: contradictory headers are refused before unknown versions. */
static void headers_and_body_are_held_to_each_other(void **state)
{
	static const struct {
		const char *headers, *body, *status, *code;
	} rows[] = {
		{ "MCP-Protocol-Version: 2025-11-25\r\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META
		  "}}",
		  "400", "-32020" },
		{ MODERN "Mcp-Method: tools/call\r\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META
		  "}}",
		  "400", "-32020" },
		{ MODERN,
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META
		  "}}",
		  "400", "-32020" },
		{ MODERN "Mcp-Method: tools/list\r\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
		  "400", "-32602" },
		{ "MCP-Protocol-Version: v9\r\nMcp-Method: tools/list\r\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
		  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"v9\","
		  "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
		  "400", "-32022" },
		{ MODERN "Mcp-Method: nothing/such\r\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nothing/such\",\"params\":{" META
		  "}}",
		  "404", "-32601" },
		{ MODERN "Mcp-Method: tools/call\r\nMcp-Name: Hello\r\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"hello\"," META
		  "}}",
		  "400", "-32020" },
		{ MODERN "Mcp-Method: tools/call\r\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"hello\"," META
		  "}}",
		  "400", "-32020" },
		{ MODERN
		  "Mcp-Method: tools/call\r\nMcp-Name: =?base64?aGVsbG8=?=\r\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"hello\","
		  "\"arguments\":{}," META "}}",
		  "200", "\"resultType\":\"complete\"" },
		{ "", "{\"jsonrpc\":\"2.0\",\"id\":1", "400", "-32700" },
		{ "", "[]", "400", "-32600" },
		{ "", LIST, "400", "-32600" },
		{ "Mcp-Session-Id: 00000000000000000000000000000000\r\n", LIST,
		  "404", "-32600" },
		{ MODERN, HELLO("2025-11-25"), "400", "-32020" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *r =
			ask(*state, "POST", rows[i].headers, rows[i].body);

		if (strncmp(r + 9, rows[i].status, 3) || !has(r, rows[i].code))
			print_error("row %zu: %s\n", i, r);
		assert_memory_equal(r + 9, rows[i].status, 3);
		assert_true(has(r, rows[i].code));
	}
}

/* Send initialize; the Mcp-Session-Id header line for later requests. */
static const char *meet(struct fixture *t, const char *version,
			const char *client)
{
	const char *r = ask(
		t, "POST", client,
		arena_printf(
			&t->mem,
			"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
			"{\"protocolVersion\":\"%s\",\"capabilities\":{\"elicitation\":{}},"
			"\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
			version)
			.ptr);
	const char *id = strstr(r, "Mcp-Session-Id: ");

	assert_non_null(id);
	return arena_printf(&t->mem, "%s%.*s", client,
			    (int)(strstr(id, "\r\n") + 2 - id), id)
		.ptr;
}

/* Stateless clients are in the same hash table, under other keys. */
static void a_client_without_a_session_is_none(void **state)
{
	static const char key[] = "client me 3456789012345678901234";
	const char *r;

	assert_int_equal(strlen(key), 32); /* as long as a session id */
	r = ask(*state, "POST",
		"X-Client: me\r\n" MODERN "Mcp-Method: tools/list\r\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
		"\"params\":{\"_meta\":{"
		"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
		"\"io.modelcontextprotocol/clientCapabilities\":{},"
		"\"io.modelcontextprotocol/clientInfo\":{\"name\":"
		"\"3456789012345678901234\",\"version\":\"1\"}}}}");
	assert_true(has(r, " 200 "));
	r = arena_printf(&((struct fixture *)*state)->mem,
			 "X-Client: me\r\nMcp-Session-Id: %s\r\n", key)
		    .ptr;
	assert_true(has(ask(*state, "POST", r, LIST), " 404 "));
	assert_true(has(ask(*state, "DELETE", r, ""), " 404 "));
}

static void a_session_is_its_clients_alone(void **state)
{
	const char *mine = meet(*state, "2025-11-25", "X-Client: me\r\n");
	const char *theirs =
		arena_printf(&((struct fixture *)*state)->mem,
			     "X-Client: them\r\n%s", strstr(mine, "Mcp-"))
			.ptr;

	assert_true(has(ask(*state, "POST", mine, LIST), "\"tools\":["));
	assert_true(has(ask(*state, "POST", theirs, LIST), " 404 "));
	assert_true(has(ask(*state, "DELETE", theirs, ""), " 404 "));
	assert_true(has(ask(*state, "POST", mine,
			    "{\"jsonrpc\":\"2.0\",\"method\":"
			    "\"notifications/initialized\"}"),
			" 202 "));
	assert_true(has(ask(*state, "POST", mine,
			    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x\"}"),
			" 200 "));
	assert_true(has(ask(*state, "DELETE", mine, ""), " 204 "));
	assert_true(has(ask(*state, "POST", mine, LIST), " 404 "));
}

static void the_silent_make_room_for_new_ones(void **state)
{
	const char *first = meet(*state, "2025-11-25", "X-Client: a\r\n");
	const char *other = meet(*state, "2025-11-25", "X-Client: b\r\n");

	for (int i = 0; i < 4; i++)
		(void)meet(*state, "2025-11-25", "X-Client: a\r\n");
	assert_true(has(ask(*state, "POST", first, LIST), " 404 "));
	assert_true(has(ask(*state, "POST", other, LIST), " 200 "));
}

static void every_session_that_has_not_ended_is_listed(void **state)
{
	static const char *const clients[] = { "X-Client: a\r\n",
					       "X-Client: b\r\n" };
	struct fixture *t = *state;
	struct endpoint_client *list;
	const char *met[8];
	size_t n;

	for (size_t i = 0; i < COUNT_OF(met); i++)
		met[i] = meet(t, "2025-11-25", clients[i % 2]);
	for (size_t i = 0; i < 3; i++)
		assert_true(has(ask(t, "DELETE", met[i], ""), " 204 "));
	for (size_t i = 3; i < COUNT_OF(met); i++)
		assert_true(has(ask(t, "POST", met[i], LIST), " 200 "));
	stop(t);
	endpoint_clients(t->endpoint, &t->mem, &list, &n);
	assert_int_equal(n, COUNT_OF(met) - 3);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(list[i].calls, 2); /* initialize, too */
}

/* The limits here: eight sessions in all, four per client. */
static void nobody_makes_room_for_who_has_more(void **state)
{
	const char *alone = meet(*state, "2025-11-25", "X-Client: alone\r\n");
	const char *first = meet(*state, "2025-11-25", "X-Client: a\r\n");
	const char *third;

	for (int i = 0; i < 6; i++) {
		(void)meet(*state, "2025-11-25", "X-Client: a\r\n");
		(void)meet(*state, "2025-11-25", "X-Client: b\r\n");
	}
	assert_true(has(ask(*state, "POST", alone, LIST), " 200 "));
	assert_true(has(ask(*state, "POST", first, LIST), " 404 "));
	third = meet(*state, "2025-11-25", "X-Client: c\r\n");
	for (int i = 0; i < 6; i++)
		(void)meet(*state, "2025-11-25", "X-Client: b\r\n");
	assert_true(has(ask(*state, "POST", third, LIST), " 200 "));
	assert_true(has(ask(*state, "POST", alone, LIST), " 200 "));
}

/* X06: batches are for the one version that has them. */
static void a_batch_is_answered_together(void **state)
{
	static const char batch[] =
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},"
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
		"\"params\":{\"name\":\"hello\",\"arguments\":{}}},"
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}]";
	const char *r =
		ask(*state, "POST",
		    meet(*state, "2025-03-26", "X-Client: a\r\n"), batch);

	assert_true(has(r, " 200 "));
	assert_true(has(r, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"));
	assert_true(has(r, "\"id\":2,"));
	assert_true(has(r, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}]"));
	assert_true(
		has(ask(*state, "POST",
			meet(*state, "2025-11-25", "X-Client: a\r\n"), batch),
		    " 400 "));
}

static void a_stream_begins_with_a_place_to_come_back_to(void **state)
{
	struct fixture *t = *state;
	const char *mine = meet(t, "2025-11-25", "X-Client: me\r\n");
	int fd = begin(t, "GET", mine, "");
	const char *r = hear(t, fd, "data: \n\n").ptr;

	assert_true(has(r, "Content-Type: text/event-stream"));
	assert_true(has(r, "id: 0-0\nretry: 1000\ndata: \n\n"));
	fd_drop(&fd);
	assert_true(has(ask(t, "GET", "X-Client: me\r\n", ""), " 405 "));
	assert_true(has(
		ask(t, "GET",
		    arena_printf(&t->mem, "%sLast-Event-ID: 7-1\r\n", mine).ptr,
		    ""),
		" 400 "));
}

static void what_is_no_message_is_refused(void **state)
{
	struct fixture *t = *state;
	int fd = dial(t);
	struct str text =
		STR("POST /mcp HTTP/1.1\r\nHost: x\r\n"
		    "Content-Type: text/plain\r\n"
		    "Connection: close\r\nContent-Length: 2\r\n\r\n{}");

	assert_int_equal(fd_write(fd, text), 0);
	assert_true(has(hear(t, fd, NULL).ptr, " 415 "));
	fd_drop(&fd);
	assert_true(has(ask(t, "PUT", "", "{}"), "Allow: POST, GET, DELETE"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(modern_messages_stand_alone),
		TEST(headers_and_body_are_held_to_each_other),
		TEST(a_client_without_a_session_is_none),
		TEST(a_session_is_its_clients_alone),
		TEST(the_silent_make_room_for_new_ones),
		TEST(every_session_that_has_not_ended_is_listed),
		TEST(nobody_makes_room_for_who_has_more),
		TEST(a_batch_is_answered_together),
		TEST(a_stream_begins_with_a_place_to_come_back_to),
		TEST(what_is_no_message_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
