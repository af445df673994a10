/*
 * bridge_carry.c - the other end: lines between Codex and our process. Says its
 * word to nobody but the process that Codex was started by (STET_BRIDGE_PID).
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

enum { REACH_MS = 5000, LAST_WORK_MS = 5000, AGAIN_MS = 50 };

static bool connect_once(int fd, const struct sockaddr_un *at)
{
	while (connect(fd, (const struct sockaddr *)at, sizeof(*at)))
		if (errno != EINTR)
			return false;
	return true;
}

static void doze(void)
{
	struct timespec t = { .tv_nsec = AGAIN_MS * 1000000L };

	(void)nanosleep(&t, NULL);
}

/* Full is worth waiting for; that nobody is there is not. */
static int reach(const char *path, uint64_t until)
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
		doze();
	}
	return fd_take(&fd);
}

/* The process that listens: it cannot be another one with the same path. */
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

/* Wait until @fd is ready; false when it is too late. */
static bool await(int fd, short what, uint64_t until)
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

/* Say the word, and hear that it is the right one. */
static bool introduce(int fd, const struct bridge_call *to, uint64_t until)
{
	static const char ok[] = "ok\n";
	char said[sizeof(ok) - 1];
	size_t have = 0;
	ssize_t n;

	if (!is_agent(fd, to->agent) || fd_write(fd, str_of(to->word)) ||
	    fd_write(fd, STR("\n")))
		return false;
	while (have < sizeof(said)) {
		if (!await(fd, POLLIN, until))
			return false;
		n = fd_read(fd, said + have, sizeof(said) - have);
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return !memcmp(said, ok, sizeof(said));
}

static bool carry_some(int from, int to);

/*
 * Wait for room. The agent may wait for us to read before it reads: what it
 * says is carried on meanwhile. False at the end of that.
 */
static bool make_room(int to)
{
	bool agent = to != STDOUT_FILENO;
	struct pollfd ready = { to, agent ? POLLIN | POLLOUT : POLLOUT, 0 };

	if (poll(&ready, 1, LAST_WORK_MS) > 0 && agent &&
	    (ready.revents & POLLIN))
		return carry_some(to, STDOUT_FILENO);
	return true;
}

/* What is there of @from, to @to; false at the end of either. */
static bool carry_some(int from, int to)
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
		else if (errno != EAGAIN || !make_room(to))
			return false;
	}
	return true;
}

static void carry(int fd)
{
	struct pollfd fds[] = { { STDIN_FILENO, POLLIN, 0 },
				{ fd, POLLIN, 0 } };
	uint64_t last = UINT64_MAX, now;

	while ((now = clock_ms()) < last) {
		int wait = last == UINT64_MAX ? -1 : (int)(last - now);

		if (poll(fds, COUNT_OF(fds), wait) < 0)
			continue; /* EINTR */
		if (fds[1].revents && !carry_some(fd, STDOUT_FILENO))
			return;
		if (fds[0].revents && !carry_some(STDIN_FILENO, fd)) {
			/* what is under way may still be answered */
			(void)shutdown(fd, SHUT_WR);
			fds[0].fd = -1;
			fds[0].revents = 0;
			last = clock_ms() + LAST_WORK_MS;
		}
	}
}

/* From here on it reads and writes what is open; no file is needed. */
static void give_up(void)
{
	struct confine_state ignored;

	confine(&(struct confine_want){ .landlock = true, .seccomp = true },
		&ignored);
}

bool bridge_carry(const struct bridge_call *to, bool confined)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	uint64_t until = clock_ms() + REACH_MS;
	auto_fd fd = -1;
	bool heard;

	if (confined)
		confine_memory(); /* nobody else reads /proc/PID/environ */
	fd = reach(to->socket, until);
	(void)sigaction(SIGPIPE, &ignore, NULL);
	heard = fd >= 0 && introduce(fd, to, until);
	explicit_bzero(to->word, strlen(to->word));
	if (!heard)
		return false;
	if (confined)
		give_up();
	carry(fd);
	return true;
}
