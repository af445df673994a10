/*
 * bridge_proxy.c - `stet serve --bridge`: copies lines from and to the agent.
 *
 * Sends the secret of its session only to the process named by STET_BRIDGE_PID,
 * which is checked by SO_PEERCRED.
 */
#include "acp/bridge.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/fd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CONNECT_MS = 5000, DRAIN_MS = 5000, RETRY_MS = 50 };

static bool connect_once(int fd, const struct sockaddr_un *at)
{
	while (connect(fd, (const struct sockaddr *)at, sizeof(*at)))
		if (errno != EINTR)
			return false;
	return true;
}

static void sleep_before_retry(void)
{
	struct timespec t = { .tv_nsec = RETRY_MS * 1000000L };

	(void)nanosleep(&t, NULL);
}

/* Retry while the backlog is full; fail at once if nobody listens. */
static int connect_until(const char *path, uint64_t until)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	auto_fd fd =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct str p = str_of(path);

	if (fd < 0 || !p.len || p.len >= sizeof(at.sun_path))
		return -1;
	memcpy(at.sun_path, p.ptr, p.len);
	while (!connect_once(fd, &at)) {
		if (errno != EAGAIN || clock_ms() >= until)
			return -1;
		sleep_before_retry();
	}
	return fd_take(&fd);
}

/* Is the listener the agent, not another process with the same path? */
static bool is_agent(int fd, const char *agent)
{
	struct ucred who;
	socklen_t len = sizeof(who);
	char pid[16];

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) ||
	    who.uid != geteuid())
		return false;
	(void)snprintf(pid, sizeof(pid), "%ld", (long)who.pid);
	return !strcmp(pid, agent);
}

/* Wait until @fd is ready; false after the deadline. */
static bool poll_until(int fd, short what, uint64_t until)
{
	struct pollfd ready = { fd, what, 0 };
	uint64_t now;
	int n;

	do {
		now = clock_ms();
		n = poll(&ready, 1, until > now ? (int)(until - now) : 0);
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

/* Send the secret and wait for "ok". */
static bool authenticate(int fd, const struct bridge_env *to, uint64_t until)
{
	static const char ok[] = "ok\n";
	char said[sizeof(ok) - 1];
	size_t have = 0;
	ssize_t n;

	if (!is_agent(fd, to->agent) || fd_write(fd, str_of(to->secret)) ||
	    fd_write(fd, STR("\n")))
		return false;
	while (have < sizeof(said)) {
		if (!poll_until(fd, POLLIN, until))
			return false;
		n = fd_read(fd, said + have, sizeof(said) - have);
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return !memcmp(said, ok, sizeof(said));
}

static bool copy_available(int from, int to);

/*
 * Wait until @to is writable. To avoid a deadlock, output of the agent is
 * copied meanwhile. False when that ends.
 */
static bool wait_for_space(int to)
{
	bool agent = to != STDOUT_FILENO;
	struct pollfd ready = { to, agent ? POLLIN | POLLOUT : POLLOUT, 0 };

	if (poll(&ready, 1, DRAIN_MS) > 0 && agent && (ready.revents & POLLIN))
		return copy_available(to, STDOUT_FILENO);
	return true;
}

/* Copy available bytes from @from to @to; false at the end of either. */
static bool copy_available(int from, int to)
{
	not_zeroed char room[64 * 1024];
	ssize_t n = fd_read(from, room, sizeof(room));
	struct str left;

	if (n < 0 && errno == EAGAIN)
		return true;
	if (n <= 0)
		return false;
	for (left = str_make(room, (size_t)n); left.len;) {
		n = fd_write_once(to, left);
		if (n >= 0)
			left = str_skip(left, (size_t)n);
		else if (errno != EAGAIN || !wait_for_space(to))
			return false;
	}
	return true;
}

static void copy_lines(int fd)
{
	struct pollfd fds[] = { { STDIN_FILENO, POLLIN, 0 },
				{ fd, POLLIN, 0 } };
	uint64_t last = UINT64_MAX, now;

	while ((now = clock_ms()) < last) {
		int wait = last == UINT64_MAX ? -1 : (int)(last - now);

		if (poll(fds, COUNT_OF(fds), wait) < 0)
			continue; /* EINTR */
		if (fds[1].revents && !copy_available(fd, STDOUT_FILENO))
			return;
		if (fds[0].revents && !copy_available(STDIN_FILENO, fd)) {
			/* running calls may still be answered */
			(void)shutdown(fd, SHUT_WR);
			fds[0].fd = -1;
			fds[0].revents = 0;
			last = clock_ms() + DRAIN_MS;
		}
	}
}

/* From here on only open descriptors are used. */
static void drop_privileges(void)
{
	struct confine_state ignored;

	confine(&(struct confine_options){ .landlock = true, .seccomp = true },
		&ignored);
}

bool bridge_proxy_run(const struct bridge_env *to, bool confined)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	uint64_t until = clock_ms() + CONNECT_MS;
	auto_fd fd = -1;
	bool heard;

	if (confined)
		confine_memory(); /* /proc/PID/environ has the secret */
	fd = connect_until(to->socket, until);
	(void)sigaction(SIGPIPE, &ignore, NULL);
	heard = fd >= 0 && authenticate(fd, to, until);
	explicit_bzero(to->secret, strlen(to->secret));
	if (!heard)
		return false;
	if (confined)
		drop_privileges();
	copy_lines(fd);
	return true;
}
