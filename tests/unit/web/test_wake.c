/*
 * test_wake.c - an answer on the page resumes the call that waits for it: a
 * server with both, whose calls poll the queue once an hour, and whose endpoint
 * has no ticks (desk.h). So nothing but the wake-up can resume the call, and
 * without it the stream stays silent, which desk_read() gives up on.
 */
#define DESK_ENDPOINT
#include "desk.h"

#include "io/stdio.h"

#include <fcntl.h>

enum { HOUR_MS = 3600 * 1000 };

/* tools/call of write_text_file. */
static void put_call(struct buf *out, struct desk *d, const char *name)
{
	buf_addf(
		out,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"write_text_file\","
		"\"arguments\":{\"path\":\"" STR_FMT "\",\"content\":\"new\"},"
		"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
		"\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
		STR_ARG(scratch_str(&d->scratch, name)));
}

/* The call over HTTP, sent but not answered yet. */
static int begin_write(struct desk *d, const char *name)
{
	auto_buf body = BUF_INIT, ask = BUF_INIT;
	int fd = desk_dial(d);

	put_call(&body, d, name);
	buf_addf(&ask,
		 "POST /mcp HTTP/1.1\r\nHost: x\r\n"
		 "Content-Type: application/json\r\n"
		 "Accept: application/json, text/event-stream\r\n"
		 "MCP-Protocol-Version: 2026-07-28\r\n"
		 "Mcp-Method: tools/call\r\nMcp-Name: write_text_file\r\n"
		 "Content-Length: %zu\r\n\r\n",
		 body.len);
	buf_add(&ask, buf_str(&body));
	desk_say(fd, buf_str(&ask));
	return fd;
}

/* Wait for the only question; returns its id. */
static struct str wait_for_question(struct desk *d)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	struct json list;

	for (int i = 0; i < 1000; i++) {
		list = desk_at(desk_get(d, "/api/approvals"), "approvals");
		if (json_count(list))
			return desk_text(d, list, "0.id");
		(void)nanosleep(&pause, NULL);
	}
	assert_true(false); /* no question was asked */
	return STR("");
}

static void answer(struct desk *d, const char *what)
{
	struct str id = wait_for_question(d);

	assert_int_equal(desk_post(d,
				   arena_printf(&d->mem,
						"/api/approvals/" STR_FMT,
						STR_ARG(id))
					   .ptr,
				   arena_printf(&d->mem, "{\"answer\":\"%s\"}",
						what)
					   .ptr),
			 200);
}

static void an_answer_on_the_page_resumes_the_call(void **state)
{
	static const struct {
		const char *answer, *says;
	} rows[] = {
		{ "deny", "Denied by user" },
		{ "once", "\"structuredContent\"" },
	};
	auto_desk d;
	int fd;

	desk_begin(&d);
	d.server.approval_ms = HOUR_MS;
	d.server.poll_ms = HOUR_MS;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		fd = begin_write(&d, "root/ask");
		answer(&d, rows[i].answer);
		buf_clear(&d.got, 4096);
		assert_true(desk_read(&d, fd, rows[i].says));
		(void)close(fd);
	}
	assert_file(&d, "root/ask", "new");
}

/* A second transport of the process, with a server struct of its own. */
struct pipes {
	struct server server;
	int to[2], from[2];
	pthread_t thread;
};

static void *serve_pipes(void *arg)
{
	struct pipes *p = arg;

	stdio_serve(&p->server,
		    &(struct stdio_options){ .in = p->to[0],
					     .out = p->from[1],
					     .max_message = 1 << 20,
					     .stop_ms = 20 * 1000 });
	return NULL;
}

static void pipes_begin(struct pipes *p, struct desk *d)
{
	*p = (struct pipes){ .server = { .version = "9.9",
					 .ws = d->server.ws,
					 .tools = d->server.tools,
					 .approval_ms = HOUR_MS,
					 .poll_ms = HOUR_MS } };
	d->server.beside = &p->server;
	assert_int_equal(pipe2(p->to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(p->from, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&p->thread, NULL, serve_pipes, p), 0);
}

static void pipes_end(struct pipes *p)
{
	(void)close(p->to[1]);
	assert_int_equal(pthread_join(p->thread, NULL), 0);
	(void)close(p->to[0]);
	(void)close(p->from[0]);
	(void)close(p->from[1]);
}

static void an_answer_on_the_page_resumes_a_call_over_stdio(void **state)
{
	auto_buf call = BUF_INIT;
	struct pipes p;
	auto_desk d;

	desk_begin(&d);
	pipes_begin(&p, &d);
	put_call(&call, &d, "root/ask");
	buf_lit(&call, "\n");
	assert_int_equal(write(p.to[1], call.ptr, call.len), call.len);
	answer(&d, "once");
	buf_clear(&d.got, 4096);
	assert_true(desk_read(&d, p.from[0], "\"structuredContent\""));
	assert_file(&d, "root/ask", "new");
	pipes_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_on_the_page_resumes_the_call),
		cmocka_unit_test(
			an_answer_on_the_page_resumes_a_call_over_stdio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
