/*
 * spawner.c - the fork server and its monitors.
 *
 * Three processes: the server sends a request (spawner_run), the spawner checks
 * it and forks a monitor, the monitor starts the command and waits. They talk
 * over SOCK_SEQPACKET sockets, which keep messages apart. Threads share nothing
 * here but the socket to the spawner, on which each request is one message.
 *
 * The processes are forked by _Fork(), which skips pthread_atfork() handlers:
 * those of libuv would close descriptors that have been reused since.
 */
#include "base/spawner.h"

#include "base/buf.h"
#include "base/child.h"
#include "base/fd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MOST_REQUEST = 128 * 1024,
	MOST_VARIABLES = 64,
	GIVEN = 4, /* descriptors of a request: stdio, and the monitor's socket */
	OLD_KERNEL_MS = 20, /* poll interval without pidfd */
	START_MS = 10000,   /* for the first message of a monitor */
};

static const char *const *const *allowed;
static size_t allowed_count;
static int server_end = -1; /* the server's socket to the spawner */

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(GIVEN * sizeof(int))];
};

/* The header of a request; the variables of the command follow. */
struct request_head {
	uint32_t which;   /* index into the list of commands */
	uint32_t own_env; /* 1: use the spawner's own */
};

/* The command that a monitor watches. */
struct watched {
	pid_t pid;
	int server, pidfd;
	bool reported; /* the end was reported */
};

static void send_status(int fd, struct spawner_status said)
{
	(void)!send(fd, &said, sizeof(said), MSG_NOSIGNAL);
}

static void report_end(struct watched *w)
{
	siginfo_t info = { 0 };

	if (w->reported ||
	    waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	    !info.si_pid)
		return;
	w->reported = true;
	fd_drop(&w->pidfd);
	send_status(w->server,
		    (struct spawner_status){ 0, info.si_code, info.si_status });
}

/* Forward signals and report the end, until the server closes its socket. */
static void watch_command(struct watched *w)
{
	int number;

	while (true) {
		struct pollfd fds[] = { { w->server, POLLIN, 0 },
					{ w->pidfd, POLLIN, 0 } };
		bool blind = w->pidfd < 0 && !w->reported;

		(void)poll(fds, COUNT_OF(fds), blind ? OLD_KERNEL_MS : -1);
		report_end(w);
		if (!fds[0].revents)
			continue;
		if (recv(w->server, &number, sizeof(number), 0) !=
		    sizeof(number))
			return;
		(void)kill(-w->pid, number);
	}
}

static void run_monitor(const char *const *argv, const char *const *env,
			const int given[GIVEN])
{
	struct watched w = { .server = given[GIVEN - 1], .pidfd = -1 };
	int error;

	(void)signal(SIGCHLD, SIG_DFL);
	error = child_spawn(argv, env, given, &w.pid);
	send_status(w.server, (struct spawner_status){ .error = error });
	if (error)
		return;
	for (int i = 0; i < GIVEN - 1;
	     i++) /* or the pipes would never be closed */
		(void)close(given[i]);
	w.pidfd = (int)syscall(SYS_pidfd_open, w.pid, 0);
	watch_command(&w);
	(void)kill(-w.pid, SIGKILL);
	(void)waitpid(w.pid, NULL, 0);
}

/* May a command have this variable? One of our environment, or STET_*. */
static bool is_allowed_variable(const char *variable)
{
	if (str_starts(str_of(variable), STR("STET_")))
		return true;
	for (char **own = environ; *own; own++)
		if (!strcmp(*own, variable))
			return true;
	return false;
}

/*
 * Parse a request: the command and its variables; NULL when it is not allowed.
 */
static const char *const *read_request(const char *bytes, size_t n,
				       const char **env, bool *own_env)
{
	size_t count = 0, at = sizeof(struct request_head);
	struct request_head head;

	if (n < sizeof(head) || (n > sizeof(head) && bytes[n - 1]))
		return NULL;
	memcpy(&head, bytes, sizeof(head));
	if (head.which >= allowed_count)
		return NULL;
	for (; at < n; at += strlen(bytes + at) + 1) {
		if (count == MOST_VARIABLES || !is_allowed_variable(bytes + at))
			return NULL;
		env[count++] = bytes + at;
	}
	env[count] = NULL;
	*own_env = head.own_env;
	return allowed[head.which];
}

static ssize_t receive_request(int fd, char *bytes, int given[GIVEN])
{
	struct iovec part = { bytes, MOST_REQUEST };
	union control control;
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	const struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	for (int i = 0; i < GIVEN; i++)
		given[i] = -1;
	c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(given, CMSG_DATA(c),
		       size_min(c->cmsg_len - CMSG_LEN(0),
				GIVEN * sizeof(int)));
	return n;
}

/*
 * Handle a request in the spawner. Returns true in the forked monitor, when it
 * is done.
 */
static bool handle_request(const char *bytes, size_t n, int given[GIVEN])
{
	static const char *env[MOST_VARIABLES + 1];
	bool own_env = false;
	const char *const *argv = read_request(bytes, n, env, &own_env);
	pid_t pid = -1;

	if (given[GIVEN - 1] < 0)
		return false;
	if (!argv)
		send_status(given[GIVEN - 1],
			    (struct spawner_status){ .error = EPERM });
	else
		pid = _Fork();
	if (argv && pid < 0)
		send_status(given[GIVEN - 1],
			    (struct spawner_status){ .error = errno });
	if (!pid)
		run_monitor(argv, own_env ? (const char *const *)environ : env,
			    given);
	for (int i = 0; i < GIVEN; i++)
		fd_drop(&given[i]);
	return !pid;
}

static void spawner_main(int fd)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE,
				       SIGCHLD };
	static char bytes[MOST_REQUEST];
	int given[GIVEN];
	ssize_t n;

	child_close_fds(fd);
	/*
	 * A signal to the server's group must not kill the monitors, which end
	 * their commands.
	 */
	(void)setsid();
	/* The spawner ends when the server closes its socket; no zombies are left. */
	for (size_t i = 0; i < COUNT_OF(ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)prctl(PR_SET_NAME, "stet-spawner");
	while ((n = receive_request(fd, bytes, given)) > 0)
		if (handle_request(bytes, (size_t)n, given))
			return;
}

bool spawner_start(const char *const *const *commands, size_t n)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	allowed = commands;
	allowed_count = n;
	pid = _Fork();
	if (!pid) {
		(void)close(ends[0]);
		spawner_main(ends[1]);
		_Exit(0);
	}
	(void)close(ends[1]);
	if (pid < 0)
		(void)close(ends[0]);
	else
		server_end = ends[0];
	return pid > 0;
}

bool spawner_is_running(void)
{
	return server_end >= 0;
}

static bool argv_equal(const char *const *a, const char *const *b)
{
	for (; *a && *b; a++, b++)
		if (strcmp(*a, *b) != 0)
			return false;
	return !*a && !*b;
}

static bool find_command(const char *const *argv, uint32_t *ret)
{
	for (size_t i = 0; i < allowed_count; i++)
		if (argv_equal(allowed[i], argv)) {
			*ret = (uint32_t)i;
			return true;
		}
	return false;
}

static int send_request(struct str request, const int given[GIVEN])
{
	struct iovec part = { (void *)request.ptr, request.len };
	union control control = { 0 };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(GIVEN * sizeof(int));
	memcpy(CMSG_DATA(c), given, GIVEN * sizeof(int));
	return sendmsg(server_end, &m, MSG_NOSIGNAL) < 0 ? errno : 0;
}

int spawner_run(const char *const *argv, const char *const *env,
		const int stdio[3], int *ret_monitor)
{
	struct spawner_status said = { .error = ECHILD };
	struct request_head head = { .own_env = !env };
	auto_buf request = BUF_INIT;
	int ends[2], error;

	if (!find_command(argv, &head.which))
		return EPERM;
	buf_add(&request, str_make((const char *)&head, sizeof(head)));
	for (; env && *env; env++)
		buf_add(&request, str_make(*env, strlen(*env) + 1));
	if (request.len > MOST_REQUEST)
		return E2BIG;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return errno;
	error = send_request(buf_str(&request),
			     (const int[GIVEN]){ stdio[0], stdio[1], stdio[2],
						 ends[1] });
	(void)close(ends[1]);
	if (!error && !spawner_read_status(ends[0], /* wait= */ true, &said))
		said.error = ECHILD;
	if (!error)
		error = said.error;
	if (error)
		(void)close(ends[0]);
	else
		*ret_monitor = ends[0];
	return error;
}

bool spawner_read_status(int monitor_fd, bool wait, struct spawner_status *ret)
{
	struct pollfd fd = { monitor_fd, POLLIN, 0 };
	ssize_t n;

	if (wait)
		(void)poll(&fd, 1, START_MS);
	n = recv(monitor_fd, ret, sizeof(*ret), MSG_DONTWAIT);
	if (n == 0) /* the monitor is gone, and the command with it */
		*ret = (struct spawner_status){ .error = ECHILD };
	return n == 0 || n == sizeof(*ret);
}

void spawner_signal(int monitor_fd, int number)
{
	(void)!send(monitor_fd, &number, sizeof(number), MSG_NOSIGNAL);
}
