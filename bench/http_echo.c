/*
 * http_echo.c - the least time of an HTTP request: the floor below
 * `stet serve --http`.
 *
 *	http_echo BYTES
 *
 * One thread with libuv and llhttp, the same libraries that stet has. Every
 * request gets 200 and a body of BYTES, on a connection that stays open; what
 * it asked for is read and not looked at. Prints the port, serves until a
 * signal ends it.
 */
#include <llhttp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { BACKLOG = 511, ROOM = 64 * 1024, MOST_BODY = 16 * 1024 * 1024 };

struct conn {
	uv_tcp_t tcp; /* first member: the handle is cast to the struct */
	llhttp_t parser;
};

struct pending {
	uv_write_t write; /* first member: the request is cast */
	char *rest;
};

static char room[ROOM]; /* shared: each read is parsed before the next */
static char *answer;
static size_t answer_len;

static void must(int error, const char *what)
{
	if (!error)
		return;
	(void)fprintf(stderr, "http_echo: %s: %s\n", what, uv_strerror(error));
	exit(1);
}

static void *must_have(void *ptr)
{
	if (!ptr)
		must(UV_ENOMEM, "memory");
	return ptr;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

static void drop(struct conn *c)
{
	if (!uv_is_closing((uv_handle_t *)&c->tcp))
		uv_close((uv_handle_t *)&c->tcp, on_closed);
}

static void on_written(uv_write_t *write, int status)
{
	struct pending *p = (struct pending *)write;

	free(p->rest);
	free(p);
}

static int on_complete(llhttp_t *parser)
{
	struct conn *c = parser->data;
	uv_buf_t all = uv_buf_init(answer, (unsigned)answer_len);
	int sent = uv_try_write((uv_stream_t *)&c->tcp, &all, 1);
	struct pending *p;

	if (sent < 0)
		sent = 0;
	if ((size_t)sent == answer_len)
		return 0;
	p = must_have(calloc(1, sizeof(*p)));
	p->rest = must_have(malloc(answer_len - (size_t)sent));
	memcpy(p->rest, answer + sent, answer_len - (size_t)sent);
	all = uv_buf_init(p->rest, (unsigned)(answer_len - (size_t)sent));
	if (uv_write(&p->write, (uv_stream_t *)&c->tcp, &all, 1, on_written))
		on_written(&p->write, UV_ECANCELED);
	return 0;
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	*buf = uv_buf_init(room, sizeof(room));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct conn *c = (struct conn *)stream;

	if (n < 0 || llhttp_execute(&c->parser, buf->base, (size_t)n))
		drop(c);
}

static void on_connection(uv_stream_t *listener, int status)
{
	static const llhttp_settings_t settings = {
		.on_message_complete = on_complete,
	};
	struct conn *c;

	if (status < 0)
		return;
	c = must_have(calloc(1, sizeof(*c)));
	must(uv_tcp_init(listener->loop, &c->tcp), "socket");
	llhttp_init(&c->parser, HTTP_REQUEST, &settings);
	c->parser.data = c;
	if (uv_accept(listener, (uv_stream_t *)&c->tcp) ||
	    uv_tcp_nodelay(&c->tcp, 1) ||
	    uv_read_start((uv_stream_t *)&c->tcp, give_room, on_read))
		drop(c);
}

static void make_answer(size_t bytes)
{
	char head[128];
	int n = snprintf(head, sizeof(head),
			 "HTTP/1.1 200 OK\r\n"
			 "Content-Type: application/json\r\n"
			 "Content-Length: %zu\r\n\r\n",
			 bytes);

	answer_len = (size_t)n + bytes;
	answer = must_have(malloc(answer_len));
	memcpy(answer, head, (size_t)n);
	memset(answer + n, 'x', bytes);
}

static unsigned port_of(const uv_tcp_t *tcp)
{
	struct sockaddr_in at;
	int len = sizeof(at);

	must(uv_tcp_getsockname(tcp, (struct sockaddr *)&at, &len), "port");
	return ntohs(at.sin_port);
}

int main(int argc, char **argv)
{
	size_t bytes = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	struct sockaddr_in at;
	uv_tcp_t listener;

	if (!bytes || bytes > MOST_BODY) {
		(void)fprintf(stderr, "usage: http_echo BYTES\n");
		return 2;
	}
	make_answer(bytes);
	must(uv_ip4_addr("127.0.0.1", 0, &at), "address");
	must(uv_tcp_init(uv_default_loop(), &listener), "socket");
	must(uv_tcp_bind(&listener, (struct sockaddr *)&at, 0), "bind");
	must(uv_listen((uv_stream_t *)&listener, BACKLOG, on_connection),
	     "listen");
	(void)printf("%u\n", port_of(&listener));
	(void)fflush(stdout);
	return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
