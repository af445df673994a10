/*
 * fuzz_port.c - a whole server on a port: MCP and the page.
 *
 * For any bytes, with the owner's token or without, the server keeps running,
 * each response is HTTP, and nothing outside the root is read or changed.
 */
#include "world.h"

#include "app/listen.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { MOST = 32 * 1024, WAIT_US = 50 * 1000 };

static unsigned port;

static unsigned free_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	must(fd >= 0 && !bind(fd, (struct sockaddr *)&at, len));
	must(!getsockname(fd, (struct sockaddr *)&at, &len));
	(void)close(fd);
	return ntohs(at.sin_port);
}

static void start(void)
{
	static struct config config;
	static struct arena mem;
	struct http_listener *listener;
	struct server *server;
	struct fault f;

	(void)world_base();
	port = free_port();
	config = config_default;
	config.durability = 1; /* "process": no fsync */
	config.approval_wait = 0;
	config.http = arena_printf(&mem, "127.0.0.1:%u", port).ptr;
	server = world_server(&config, &mem);
	must(server);
	listener = listen_open(&config, server, &mem, &f);
	must(listener);
	listen_start(listener);
}

/* Close with a reset, so that no port stays in TIME_WAIT. */
static int dial(void)
{
	const struct linger reset = { .l_onoff = 1 };
	const struct timeval wait = { .tv_usec = WAIT_US };
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	must(fd >= 0);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	must(!connect(fd, (struct sockaddr *)&to, sizeof(to)));
	return fd;
}

/* Read until the end, or until an event stream pauses. */
static struct str talk(struct str bytes, struct arena *mem)
{
	auto_buf answers = BUF_INIT;
	char room[4096];
	int fd = dial();
	ssize_t n;

	(void)!send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
	(void)shutdown(fd, SHUT_WR);
	while ((n = recv(fd, room, sizeof(room), 0)) > 0)
		buf_add(&answers, str_make(room, (size_t)n));
	(void)close(fd);
	return arena_copy(mem, buf_str(&answers));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	auto_arena mem = ARENA_INIT;
	struct str said;

	if (!port)
		start();
	if (!len || len > MOST)
		return 0;
	world_reset();
	said = talk(world_input(bytes, len, &mem), &mem);
	must(!said.len || str_starts(said, STR("HTTP/1.1 ")));
	world_is_whole(said);
	return 0;
}
