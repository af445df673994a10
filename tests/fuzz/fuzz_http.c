/*
 * fuzz_http.c - any bytes as HTTP requests.
 *
 * Every response is well formed, there are as many as requests were handed to
 * the handler, and the result does not depend on how the bytes are split.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "base/hash.h"
#include "io/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 16 * 1024, PIECES = 64 };

static struct http *http;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buf seen; /* under lock: the requests handed to the handler */
static unsigned handed; /* under lock */

static bool on_head(void *ctx, struct http_exchange *x)
{
	return true;
}

static void on_request(void *ctx, struct http_exchange *x)
{
	const struct http_request *r = http_request(x);

	(void)pthread_mutex_lock(&lock);
	handed++;
	buf_add(&seen, r->method);
	buf_addc(&seen, ' ');
	buf_add(&seen, r->path);
	buf_addc(&seen, '?');
	buf_add(&seen, r->query);
	for (size_t i = 0; i < r->header_count; i++) {
		must(r->headers[i].name.len);
		must(!memchr(r->headers[i].name.ptr, ' ',
			     r->headers[i].name.len));
		buf_addc(&seen, '\n');
		buf_add(&seen, r->headers[i].name);
		buf_addc(&seen, ':');
		buf_add(&seen, r->headers[i].value);
	}
	buf_addf(&seen, "\n%zu\n", r->body.len);
	buf_add(&seen, r->body);
	(void)pthread_mutex_unlock(&lock);
	http_reply(x, 200, "text/plain", STR(""), STR("served\n"));
}

static void on_gone(void *ctx, struct http_exchange *x)
{
	must(!"every request is answered at once");
}

static void *serve(void *arg)
{
	http_run(arg);
	return NULL;
}

static void start(void)
{
	static struct arena mem;
	struct http_options options = {
		.host = "127.0.0.1",
		.limits = http_limits_default,
		.handler = { on_head, on_request, on_gone, NULL, NULL },
	};
	pthread_t thread;
	struct str why;

	options.limits.head = 2048;
	options.limits.body = 4096;
	http = http_new(&options, &mem, &why);
	must(http && !pthread_create(&thread, NULL, serve, http));
	(void)pthread_detach(thread);
}

/* A used port is in TIME_WAIT for a minute: limit their number. */
static int dial(void)
{
	enum { AT_ONCE = 3000, PAUSE_US = 6000, TRIES = 50, TRY_US = 100000 };
	static unsigned turns;
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)http_port(http)),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	must(fd >= 0);
	if (turns++ > AT_ONCE)
		(void)usleep(PAUSE_US);
	for (int i = 0; connect(fd, (struct sockaddr *)&to, sizeof(to)); i++) {
		must(errno == EADDRNOTAVAIL && i < TRIES);
		(void)usleep(TRY_US);
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

/* Send in pieces of @piece bytes; returns the whole response. */
static void talk(const uint8_t *bytes, size_t len, size_t piece,
		 struct buf *answers)
{
	int fd = dial();
	char room[4096];
	ssize_t n;

	for (size_t at = 0; at < len; at += piece)
		(void)!send(fd, bytes + at, size_min(piece, len - at),
			    MSG_NOSIGNAL);
	(void)shutdown(fd, SHUT_WR);
	while ((n = recv(fd, room, sizeof(room), 0)) > 0)
		buf_add(answers, str_make(room, (size_t)n));
	(void)close(fd);
}

static unsigned count(const struct buf *in, const char *what)
{
	struct str rest = buf_str(in);
	size_t len = strlen(what);
	unsigned n = 0;

	for (; rest.len >= len; rest = str_skip(rest, 1))
		n += !memcmp(rest.ptr, what, len);
	return n;
}

static struct hash hand_over(const uint8_t *bytes, size_t len, size_t piece)
{
	auto_buf answers = BUF_INIT;
	struct hash hash;

	talk(bytes, len, piece, &answers);
	(void)pthread_mutex_lock(&lock);
	/* The last responses may be lost when the peer has hung up. */
	must(count(&answers, "HTTP/1.1 200 OK\r\n") <= handed);
	must(count(&answers, "HTTP/1.1 4") <= 1);
	hash = hash_of(buf_str(&seen));
	seen.len = 0;
	handed = 0;
	(void)pthread_mutex_unlock(&lock);
	return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct hash whole, pieces;

	(void)pthread_once(&once, start);
	if (!len || len > MOST)
		return 0;
	whole = hand_over(bytes, len, len);
	pieces = hand_over(bytes, len, 1 + len / PIECES);
	must(whole.low == pieces.low && whole.high == pieces.high);
	return 0;
}
