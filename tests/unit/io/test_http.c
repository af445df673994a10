/*
 * test_http.c - the HTTP server, on loopback sockets.
 *
 * HTTP over real sockets on loopback: valid and invalid requests, and the
 * limits for a peer.
 */
#include "../unit.h"

#include "base/buf.h"
#include "base/fd.h"
#include "io/http_local.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BIG = 16 * 1024 * 1024 };

/* The server under test echoes requests. */
struct fixture {
	struct http *http;
	pthread_t thread;
	atomic_int gone;
	struct http_exchange
		*waiting;         /* not answered until the peer disconnects */
	struct budget clients[2]; /* by the value of X-Token */
};

static bool on_head(void *ctx, struct http_exchange *x)
{
	struct str token = http_other_header(x, "x-token");
	struct fixture *t = ctx;

	if (token.ptr) {
		assert_true(http_charge(x, &t->clients[str_is(token, "2")]));
		http_authenticated(x);
	}
	if (!str_is(http_request(x)->path, "/refused"))
		return true;
	http_reply(x, 401, "text/plain", STR("X-Why: early\r\n"), STR("no\n"));
	return false;
}

/* In one write: byte by byte takes seconds under a sanitizer. */
static void fill(struct buf *b, char c, size_t n)
{
	memset(buf_room(b, n), c, n);
	b->len += n;
}

static void on_request(void *ctx, struct http_exchange *x)
{
	const struct http_request *r = http_request(x);
	struct fixture *t = ctx;
	struct str said;

	if (str_is(r->path, "/wait")) {
		t->waiting = x;
		return;
	}
	if (str_is(r->path, "/stream")) {
		http_stream(x, "text/event-stream", STR(""));
		assert_true(http_send(x, STR("one\n")));
		assert_true(http_send(x, STR("two\n")));
		http_end(x);
		return;
	}
	if (str_is(r->path, "/big")) {
		auto_buf much = BUF_INIT;

		fill(&much, 'x', BIG);
		http_reply(x, 200, "text/plain", STR(""), buf_str(&much));
		return;
	}
	if (str_is(r->path, "/flood")) {
		auto_buf much = BUF_INIT;

		http_stream(x, "text/plain", STR(""));
		fill(&much, 'x', 1024 * 1024);
		for (int i = 0; i < 64; i++)
			if (!http_send(x, buf_str(&much))) {
				atomic_store(&t->gone, 2);
				return;
			}
		http_end(x);
		return;
	}
	if (str_is(r->path, "/large")) {
		auto_buf much = BUF_INIT;

		fill(&much, 'y', 100 * 1024);
		buf_lit(&much, "end of large\n");
		http_reply(x, 200, "text/plain", STR(""), buf_str(&much));
		return;
	}
	said = arena_printf(http_mem(x), "%.*s %.*s?%.*s [%.*s] %zu\n",
			    STR_ARG(r->method), STR_ARG(r->path),
			    STR_ARG(r->query),
			    STR_ARG(http_other_header(x, "x-a")), r->body.len);
	http_reply(x, 200, "text/plain", STR(""), said);
}

static void on_gone(void *ctx, struct http_exchange *x)
{
	struct fixture *t = ctx;

	assert_ptr_equal(t->waiting, x);
	atomic_store(&t->gone, 1);
}

static void *run(void *http)
{
	http_run(http);
	return NULL;
}

static void start(struct fixture *t, struct http_limits limits)
{
	struct http_options options = {
		.host = "127.0.0.1",
		.limits = limits,
		.handler = { on_head, on_request, on_gone, NULL, t },
	};
	auto_arena mem = ARENA_INIT;
	struct str why;

	*t = (struct fixture){ 0 };
	t->http = http_new(&options, &mem, &why);
	assert_non_null(t->http);
	assert_int_equal(pthread_create(&t->thread, NULL, run, t->http), 0);
}

static void stop(struct fixture *t)
{
	http_stop(t->http);
	assert_int_equal(pthread_join(t->thread, NULL), 0);
	http_free(t->http);
}

static int dial(const struct fixture *t)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port =
					  htons((uint16_t)http_port(t->http)),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

/*
 * All that comes until the other end closes, or nothing does for a while. A
 * busy machine may take long to begin.
 */
static void listen_to(int fd, struct buf *out, int timeout_ms)
{
	enum { FIRST_MS = 20 * 1000 };
	struct pollfd p = { fd, POLLIN, 0 };
	char room[64 * 1024];
	ssize_t n;

	if (poll(&p, 1, FIRST_MS) != 1)
		return;
	while (poll(&p, 1, timeout_ms) == 1 &&
	       (n = read(fd, room, sizeof(room))) > 0)
		buf_add(out, str_make(room, (size_t)n));
}

static void say(int fd, struct str bytes)
{
	(void)!send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
}

static bool has(const struct buf *got, const char *what)
{
	return got->len && memmem(got->ptr, got->len, what, strlen(what));
}

/* Send @ask, at once or byte by byte, and return the response. */
static void exchange(const struct fixture *t, struct str ask, bool whole,
		     struct buf *got)
{
	int fd = dial(t);
	int on = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	for (size_t i = 0; !whole && i < ask.len; i++)
		say(fd, str_sub(ask, i, i + 1));
	if (whole)
		say(fd, ask);
	listen_to(fd, got, 300);
	(void)close(fd);
}

/* One request per row; the start of its response and a part of it. */
static void one_request_one_answer(void **state)
{
	static const struct {
		const char *ask, *start, *has;
	} rows[] = {
		{ "GET /a?b=c HTTP/1.1\r\nHost: x\r\nX-A:  v \r\n\r\n",
		  "HTTP/1.1 200 ", "GET /a?b=c [v] 0\n" },
		{ "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
		  "HTTP/1.1 200 ", "POST /p? [] 3\n" },
		{ "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
		  "HTTP/1.1 200 ", "POST /p? [] 5\n" },
		{ "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 ",
		  "4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\n" },
		{ "GET /stream HTTP/1.0\r\n\r\n", "HTTP/1.1 200 ",
		  "Connection: close\r\n\r\none\ntwo\n" },
		{ "POST /p HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na",
		  "HTTP/1.1 100 ", "POST /p? [] 1\n" },
		/* pipelined requests: two responses, in order */
		{ "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n",
		  "HTTP/1.1 200 ", "GET /2? [] 0\n" },
		/* refused by the handler before the body arrives */
		{ "POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n",
		  "HTTP/1.1 401 ", "Connection: close\r\n" },
		/* not HTTP */
		{ "hello\r\n\r\n", "HTTP/1.1 400 ", "" },
		{ "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ", "Host" },
		{ "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		  "HTTP/1.1 400 ", "Host" },
		/* request smuggling */
		{ "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		  "HTTP/1.1 400 ", "" },
		{ "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
		  "HTTP/1.1 400 ", "" },
		{ "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
		  "HTTP/1.1 400 ", "" },
		{ "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nabcde",
		  "HTTP/1.1 400 ", "" },
		{ "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "HTTP/1.1 400 ", "" },
		/* compressed bodies: a small one may expand to a bomb */
		{ "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
		  "HTTP/1.1 415 ", "" },
		{ "GET / HTTP/1.1\nHost: x\r\n\r\n", "HTTP/1.1 400 ", "" },
		{ "GET / HTTP/1.1\r\nHost: x\nX-A: 1\r\n\r\n", "HTTP/1.1 400 ",
		  "" },
		{ "GET / HTTP/1.1\r\nHost: x\rX-A: 1\r\n\r\n", "HTTP/1.1 400 ",
		  "" },
		{ "GET / HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n 2\r\n\r\n",
		  "HTTP/1.1 400 ", "" },
		{ "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 ", "" },
		{ "GET / HTTP/1.1 \r\nHost: x\r\n\r\n", "HTTP/1.1 400 ", "" },
		{ "GET / HTTP/2.0\r\nHost: x\r\n\r\n", "HTTP/1.1 400 ", "" },
		{ "GET / RTSP/1.0\r\nHost: x\r\n\r\n", "HTTP/1.1 400 ", "" },
		{ "GET /\r\n\r\n", "HTTP/1.1 400 ", "" },
		{ "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 ",
		  "path" },
		{ "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 ",
		  "" },
		{ "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		  "HTTP/1.1 400 ", "" },
		{ "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		  "HTTP/1.1 400 ", "" },
		{ "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\n",
		  "HTTP/1.1 400 ", "" },
		/* trailers are refused */
		{ "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-A: 1\r\n\r\n",
		  "HTTP/1.1 400 ", "" },
		/* leading empty lines, empty values, and an ignored Upgrade */
		{ "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 ",
		  "GET /? [] 0\n" },
		{ "GET / HTTP/1.1\r\nX-B:\r\nX-A: 1\r\nHost: x\r\n\r\n",
		  "HTTP/1.1 200 ", "GET /? [1] 0\n" },
		{ "POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nab",
		  "HTTP/1.1 200 ", "POST /? [] 2\n" },
	};
	struct fixture t;

	start(&t, http_limits_default);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (int whole = 0; whole < 2; whole++) {
			auto_arena mem = ARENA_INIT;
			auto_buf got = BUF_INIT;

			exchange(&t, str_of(rows[i].ask), whole, &got);
			if (!str_starts(buf_str(&got), str_of(rows[i].start)) ||
			    !has(&got, rows[i].has))
				assert_string_equal(
					rows[i].ask,
					arena_printf(&mem, STR_FMT,
						     STR_ARG(buf_str(&got)))
						.ptr);
		}
	stop(&t);
}

/* A slow reader gets the whole response to its last request. */
static void a_long_answer_is_whole(void **state)
{
	auto_buf got = BUF_INIT;
	struct fixture t;
	int fd;

	start(&t, http_limits_default);
	for (int half = 0; half < 2; half++) {
		got.len = 0;
		fd = dial(&t);
		say(fd, half ? STR("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
			     : STR("GET /big HTTP/1.0\r\n\r\n"));
		(void)poll(NULL, 0, 300);
		if (half)
			assert_int_equal(shutdown(fd, SHUT_WR), 0);
		(void)poll(NULL, 0, 2700);
		listen_to(fd, &got, 5000);
		assert_true(got.len > BIG);
		(void)close(fd);
	}
	stop(&t);
}

/* A peer that reads nothing is disconnected. */
static void an_answer_that_nobody_takes_is_dropped(void **state)
{
	struct http_limits limits = http_limits_default;
	auto_buf got = BUF_INIT;
	struct fixture t;
	int deaf, fd;

	limits.taken_ms = 300;
	limits.connections = 1;
	start(&t, limits);
	deaf = dial(&t);
	say(deaf, STR("GET /big HTTP/1.1\r\nHost: x\r\nX-Token: 1\r\n\r\n"));
	for (int i = 0; i < 200 && !has(&got, "200 OK"); i++) {
		(void)poll(NULL, 0, 100);
		fd = dial(&t);
		say(fd,
		    STR("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
		listen_to(fd, &got, 5000);
		(void)close(fd);
	}
	assert_true(has(&got, "GET /a? [] 0"));
	(void)close(deaf);
	stop(&t);
}

static void what_is_too_much_is_refused(void **state)
{
	struct http_limits limits = http_limits_default;
	auto_buf ask = BUF_INIT, got = BUF_INIT;
	struct fixture t;
	int fd;

	limits.head = 1000;
	limits.headers = 5;
	limits.body = 100;
	start(&t, limits);
	/* a long head */
	buf_lit(&ask, "GET / HTTP/1.1\r\nHost: x\r\nA: ");
	for (int i = 0; i < 2000; i++)
		buf_addc(&ask, 'a');
	fd = dial(&t);
	say(fd, buf_str(&ask));
	listen_to(fd, &got, 300);
	assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 431 ")));
	(void)close(fd);
	/* many headers */
	got.len = 0;
	fd = dial(&t);
	say(fd,
	    STR("GET / HTTP/1.1\r\nHost: x\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\nE: 5\r\n\r\n"));
	listen_to(fd, &got, 300);
	assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 431 ")));
	(void)close(fd);
	/* a long body, with Content-Length and chunked */
	got.len = 0;
	fd = dial(&t);
	say(fd,
	    STR("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n"));
	listen_to(fd, &got, 300);
	assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 413 ")));
	(void)close(fd);
	got.len = 0;
	ask.len = 0;
	buf_lit(&ask,
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n");
	for (int i = 0; i < 101; i++)
		buf_addc(&ask, 'a');
	fd = dial(&t);
	say(fd, buf_str(&ask));
	listen_to(fd, &got, 300);
	assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 413 ")));
	(void)close(fd);
	stop(&t);
}

static void the_slow_are_hung_up_on(void **state)
{
	struct http_limits limits = http_limits_default;
	auto_buf got = BUF_INIT;
	struct fixture t;
	int slow, idle;

	limits.head_ms = 300;
	limits.idle_ms = 300;
	start(&t, limits);
	slow = dial(&t);
	say(slow, STR("GET / HTTP/1.1\r\nHos"));
	idle = dial(&t);
	/* The server closes without a response: read() returns 0. */
	listen_to(slow, &got, 20 * 1000);
	listen_to(idle, &got, 20 * 1000);
	assert_int_equal(got.len, 0);
	assert_int_equal(recv(slow, &(char){ 0 }, 1, MSG_DONTWAIT), 0);
	(void)close(slow);
	(void)close(idle);
	stop(&t);
	assert_int_equal(atomic_load(&t.gone), 0);
}

static void who_leaves_is_noticed(void **state)
{
	struct fixture t;
	int fd;

	start(&t, http_limits_default);
	fd = dial(&t);
	say(fd, STR("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n"));
	(void)poll(NULL, 0, 100);
	(void)close(fd);
	for (int i = 0; i < 200 && !atomic_load(&t.gone); i++)
		(void)poll(NULL, 0, 50);
	assert_int_equal(atomic_load(&t.gone), 1);
	stop(&t);
}

static void who_does_not_read_is_dropped(void **state)
{
	struct http_limits limits = http_limits_default;
	struct fixture t;
	int fd;

	limits.queued = 1024 * 1024;
	start(&t, limits);
	fd = dial(&t);
	say(fd, STR("GET /flood HTTP/1.1\r\nHost: x\r\n\r\n"));
	for (int i = 0; i < 200 && !atomic_load(&t.gone); i++)
		(void)poll(NULL, 0, 50);
	assert_int_equal(atomic_load(&t.gone), 2);
	(void)close(fd);
	stop(&t);
}

static size_t place_of(const struct buf *got, const char *what)
{
	const char *at = memmem(got->ptr, got->len, what, strlen(what));

	assert_non_null(at);
	return (size_t)(at - got->ptr);
}

/*
 * Small writes are delayed for a moment, large ones are not; the last one is
 * followed by the end of the response.
 */
static void answers_come_in_order_whatever_their_size(void **state)
{
	auto_buf got = BUF_INIT;
	struct fixture t;
	int fd;

	start(&t, http_limits_default);
	fd = dial(&t);
	say(fd, STR("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
		    "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n"
		    "GET /large HTTP/1.1\r\nHost: x\r\n\r\n"
		    "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n"
		    "GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
	listen_to(fd, &got, 10 * 1000);
	assert_true(place_of(&got, "GET /1?") < place_of(&got, "one\n"));
	assert_true(place_of(&got, "two\n") < place_of(&got, "yyyyyyyy"));
	assert_true(place_of(&got, "yyyyyyyy") + 100 * 1024 ==
		    place_of(&got, "end of large\n"));
	assert_true(place_of(&got, "end of large") < place_of(&got, "GET /2?"));
	assert_true(place_of(&got, "GET /2?") < place_of(&got, "GET /3?"));
	(void)close(fd);
	stop(&t);
}

/* The head is scanned in words of eight bytes: try every offset. */
static void no_control_character_is_in_a_field(void **state)
{
	enum { LEN = 20 };

	for (int c = 0; c < 256; c++)
		for (int at = 1; at < LEN; at++) {
			char text[] =
				"GET / HTTP/1.1\r\nX:yyyyyyyyyyyyyyyyyyyy";
			struct head_scan s = { 0 };
			bool bad = (c < ' ' && c != '\t' && c != '\r') ||
				   c == 0x7f || (c == '\r' && at + 1 < LEN);

			text[sizeof(text) - 1 - LEN + at] = (char)c;
			assert_int_equal(head_scan(&s,
						   str_make(text,
							    sizeof(text) - 1),
						   1000) == HEAD_BAD,
					 bad);
		}
}

static enum head_place in_pieces(struct str text, size_t piece)
{
	struct head_scan s = { 0 };

	for (size_t i = 0; i < text.len; i += piece)
		(void)head_scan(&s, str_head(str_skip(text, i), piece), 1000);
	return s.place;
}

/* Byte by byte there is no fast path: both must agree. */
static void a_head_is_the_same_in_any_pieces(void **state)
{
	static const char odd[] = "\r\n \t:a\x01\x7f\x80";
	static const char usual[] =
		"POST /mcp HTTP/1.1\r\nHost: a\r\nX: y\r\nAccept: text/plain\r\n"
		"Long-Name-Of-It: 0123456789\r\nZ: z\r\n\r\n";

	for (size_t at = 0; at < sizeof(usual) - 1; at++)
		for (size_t i = 0; i < sizeof(odd) - 1; i++) {
			char text[sizeof(usual)];
			struct str head = str_make(text, sizeof(usual) - 1);
			enum head_place slow;

			memcpy(text, usual, sizeof(text));
			text[at] = odd[i];
			slow = in_pieces(head, 1);
			for (size_t piece = 2; piece <= head.len; piece++)
				assert_int_equal(in_pieces(head, piece), slow);
		}
}

/* The server closes the connection without a response. */
static void assert_closed(int fd)
{
	struct pollfd p = { fd, POLLIN, 0 };

	assert_int_equal(poll(&p, 1, 60000), 1);
	assert_true(recv(fd, &(char){ 0 }, 1, 0) <= 0);
	(void)close(fd);
}

/* A request is answered and the connection stays open. */
static void assert_served(int fd, bool known)
{
	auto_buf got = BUF_INIT;
	char room[512];
	ssize_t n;

	say(fd, known ? STR("GET /a HTTP/1.1\r\nHost: x\r\nX-Token: 1\r\n\r\n")
		      : STR("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"));
	while (!has(&got, "GET /a? [] 0")) {
		n = recv(fd, room, sizeof(room), 0);
		assert_true(n > 0);
		buf_add(&got, str_make(room, (size_t)n));
	}
}

static void the_oldest_stranger_makes_room(void **state)
{
	struct http_limits limits = http_limits_default;
	struct fixture t;
	int fds[6];

	limits.connections = 3;
	start(&t, limits);
	for (size_t i = 0; i < COUNT_OF(fds); i++) {
		fds[i] = dial(&t);
		if (i == 1) /* half a head does not make it newer */
			say(fds[i], STR("GET /a HTTP/1.1\r\n"));
		if (i >= 3)
			assert_closed(fds[i - 3]);
	}
	for (size_t i = 3; i < COUNT_OF(fds); i++) {
		assert_served(fds[i], false);
		(void)close(fds[i]);
	}
	stop(&t);
}

static void who_is_known_stays(void **state)
{
	struct http_limits limits = http_limits_default;
	int known, stranger, last = -1;
	struct fixture t;

	limits.connections = 2;
	start(&t, limits);
	known = dial(&t);
	assert_served(known, true);
	for (int i = 0; i < 20; i++) {
		stranger = dial(&t);
		if (last >= 0)
			assert_closed(last);
		last = stranger;
	}
	assert_served(known, false); /* authenticated by an earlier request */
	assert_served(last, true);
	assert_closed(dial(&t)); /* all connections are authenticated */
	(void)close(known);
	(void)close(last);
	stop(&t);
}

/* Otherwise authenticated clients could not connect any more. */
static void those_who_are_known_leave_room_for_others(void **state)
{
	struct http_limits limits = http_limits_default;
	struct fixture t;
	int fds[4], next;

	limits.connections = COUNT_OF(fds);
	start(&t, limits);
	for (size_t i = 0; i < COUNT_OF(fds); i++) {
		fds[i] = dial(&t);
		assert_served(fds[i], true);
	}
	next = dial(&t);
	assert_closed(fds[COUNT_OF(fds) - 1]);
	assert_served(next, true);
	for (size_t i = 0; i < COUNT_OF(fds) - 1; i++) {
		assert_served(fds[i], true);
		(void)close(fds[i]);
	}
	(void)close(next);
	stop(&t);
}

static void who_has_the_most_makes_room_for_who_has_few(void **state)
{
	struct http_limits limits = http_limits_default;
	int fds[3], other, strangers[8];
	struct fixture t;

	limits.connections = 4;
	start(&t, limits);
	for (size_t i = 0; i < COUNT_OF(fds); i++) {
		fds[i] = dial(&t);
		assert_served(fds[i], true);
	}
	other = dial(&t);
	say(other,
	    STR("GET /stream HTTP/1.1\r\nHost: x\r\nX-Token: 2\r\n\r\n"));
	assert_closed(fds[0]);
	for (size_t i = 0; i < COUNT_OF(strangers); i++)
		strangers[i] = dial(&t);
	assert_served(fds[1], true);
	assert_served(strangers[COUNT_OF(strangers) - 1], false);
	assert_true(recv(other, &(char){ 0 }, 1, 0) == 1);
	for (size_t i = 0; i < COUNT_OF(strangers); i++)
		(void)close(strangers[i]);
	(void)close(fds[1]);
	(void)close(fds[2]);
	(void)close(other);
	stop(&t);
}

static void a_port_that_is_taken_is_told(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct fixture t;
	struct str why;

	start(&t, http_limits_default);
	assert_null(
		http_new(&(struct http_options){ .host = "127.0.0.1",
						 .port = http_port(t.http) },
			 &mem, &why));
	assert_non_null(memmem(why.ptr, why.len, "address already in use",
			       strlen("address already in use")));
	assert_null(http_new(&(struct http_options){ .host = "nowhere" }, &mem,
			     &why));
	stop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_request_one_answer),
		cmocka_unit_test(a_long_answer_is_whole),
		cmocka_unit_test(an_answer_that_nobody_takes_is_dropped),
		cmocka_unit_test(what_is_too_much_is_refused),
		cmocka_unit_test(the_slow_are_hung_up_on),
		cmocka_unit_test(who_leaves_is_noticed),
		cmocka_unit_test(who_does_not_read_is_dropped),
		cmocka_unit_test(answers_come_in_order_whatever_their_size),
		cmocka_unit_test(no_control_character_is_in_a_field),
		cmocka_unit_test(a_head_is_the_same_in_any_pieces),
		cmocka_unit_test(the_oldest_stranger_makes_room),
		cmocka_unit_test(who_is_known_stays),
		cmocka_unit_test(those_who_are_known_leave_room_for_others),
		cmocka_unit_test(who_has_the_most_makes_room_for_who_has_few),
		cmocka_unit_test(a_port_that_is_taken_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
