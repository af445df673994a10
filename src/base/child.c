/*
 * child.c - run a command as a child process.
 *
 * The command is started by us with posix_spawn() or, when we are confined, by
 * the spawner (base/spawner.h); then messages of its monitor replace waitid()
 * and kill(). The child stays a zombie until the very end, so that its process
 * id cannot be reused while we may still signal it.
 */
#include "base/child.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/fd.h"
#include "base/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	TICK_MS = 20,     /* poll interval of stop() */
	GRACE_MS = 500,   /* between SIGTERM and SIGKILL */
	LAST_MS = 5000,   /* for the process to end after SIGKILL */
	CHUNK = 64 << 10, /* capacity of a pipe */
	LAST_CHUNKS = 16, /* read after the end */
};

struct child {
	const struct child_options *want;
	pid_t pid;   /* 0 = started by the spawner */
	int watch;   /* pidfd; -1 = old kernel */
	int monitor; /* socket; -1 = our own child */
	bool heard;  /* the monitor has reported the end */
	struct spawner_status last;
	int from[2];          /* stdout and stderr; -1 = closed */
	struct buf output[2]; /* their output, up to the limit */
};

/* Never 0, 1 or 2, which dup2() would overwrite one after the other. */
static int above_stdio(int fd)
{
	int moved;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	fd_drop(&fd);
	return moved;
}

/*
 * The input as a memory file: the child may leave it unread without blocking
 * us.
 */
static int input_file(struct str input)
{
	auto_fd fd = above_stdio(memfd_create("stet-input", MFD_CLOEXEC));

	if (fd < 0 || fd_write(fd, input) || lseek(fd, 0, SEEK_SET))
		return -1;
	return fd_take(&fd);
}

static bool make_pipe(int *ours, int *theirs)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return false;
	*ours = above_stdio(ends[0]);
	*theirs = above_stdio(ends[1]);
	return *ours >= 0 && *theirs >= 0 && !fcntl(*ours, F_SETFL, O_NONBLOCK);
}

int child_spawn(const char *const *argv, const char *const *env,
		const int stdio[3], pid_t *ret)
{
	short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
		      POSIX_SPAWN_SETSIGDEF;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int error = 0;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawnattr_init(&attributes);
	for (int i = 0; !error && i < 3; i++)
		error = posix_spawn_file_actions_adddup2(&actions, stdio[i], i);
	if (!error)
		error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	(void)posix_spawnattr_setflags(&attributes, flags);
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawnattr_setsigdefault(&attributes, &all);
	if (!error)
		error = posix_spawn(ret, argv[0], &actions, &attributes,
				    (char *const *)argv, (char *const *)env);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	return error;
}

/* 0, or an errno value. */
static int spawn_child(struct child *c, const int stdio[3])
{
	const struct child_options *w = c->want;
	int error;

	if (spawner_is_running())
		return spawner_run(w->argv, w->env, stdio, &c->monitor);
	if (confine_now()
		    .seccomp) /* no spawner, so no commands were registered */
		return EPERM;
	error = child_spawn(w->argv, w->env, stdio, &c->pid);
	if (!error)
		c->watch = (int)syscall(SYS_pidfd_open, c->pid, 0);
	return error;
}

static int start_child(struct child *c)
{
	auto_fd in = input_file(c->want->input);
	auto_fd out = -1;
	auto_fd err = -1;

	if (in < 0 || !make_pipe(&c->from[0], &out) ||
	    !make_pipe(&c->from[1], &err))
		return errno;
	return spawn_child(c, (const int[3]){ in, out, err });
}

/* Read once from an output pipe. False: nothing there, or closed. */
static bool read_output(struct child *c, int i)
{
	struct buf *output = &c->output[i];
	not_zeroed char chunk[CHUNK];
	ssize_t got = fd_read(c->from[i], chunk, sizeof(chunk));
	size_t room = c->want->most - output->len;

	if (got > 0)
		buf_add(output, str_make(chunk, size_min((size_t)got, room)));
	else if (got == 0 || errno != EAGAIN)
		fd_drop(&c->from[i]);
	return got > 0;
}

static void wait_for_output(struct child *c, uint64_t ms)
{
	struct pollfd fds[] = {
		{ c->from[0], POLLIN, 0 },
		{ c->from[1], POLLIN, 0 },
		{ c->monitor < 0 ? c->watch : c->monitor, POLLIN, 0 },
	};

	if (poll(fds, COUNT_OF(fds), (int)ms) <= 0)
		return;
	for (int i = 0; i < 2; i++)
		if (fds[i].revents)
			(void)read_output(c, i);
}

/* WNOWAIT: the zombie keeps the process id reserved until reap(). */
static bool has_ended(struct child *c)
{
	siginfo_t info = { 0 };

	if (c->monitor >= 0) {
		c->heard = c->heard ||
			   spawner_read_status(c->monitor, /* wait= */ false,
					       &c->last);
		return c->heard;
	}
	return waitid(P_PID, (id_t)c->pid, &info,
		      WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid;
}

/* Wait until the child ends or @until has passed; polls stop() if @ask. */
static enum child_end wait_until(struct child *c, uint64_t until, bool ask)
{
	const struct child_options *w = c->want;
	uint64_t now;

	while (!has_ended(c)) {
		now = clock_ms();
		if (now >= until)
			return CHILD_TIMED_OUT;
		if (ask && w->stop && w->stop(w->ctx))
			return CHILD_CANCELLED;
		wait_for_output(c,
				until - now < TICK_MS ? until - now : TICK_MS);
	}
	return CHILD_EXITED;
}

static void signal_group(const struct child *c, int number)
{
	if (c->monitor >= 0)
		spawner_signal(c->monitor, number);
	else
		(void)kill(-c->pid, number);
}

/*
 * Read what is left in the pipes, but not forever: a daemon may hold them open.
 */
static void read_remaining_output(struct child *c)
{
	for (int i = 0; i < 2; i++)
		for (int n = 0; n < LAST_CHUNKS && c->from[i] >= 0; n++)
			if (!read_output(c, i))
				break;
}

/* How the child ended; false when that is unknown. */
static bool end_status(struct child *c, struct spawner_status *ret)
{
	siginfo_t info = { 0 };

	if (c->monitor >= 0) {
		*ret = c->last;
		return c->heard && !c->last.error;
	}
	if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG) ||
	    !info.si_pid)
		return false;
	*ret = (struct spawner_status){ 0, info.si_code, info.si_status };
	return true;
}

static void reap(struct child *c, struct child_result *ret)
{
	struct spawner_status end;

	if (!end_status(c, &end)) {
		if (ret->end == CHILD_EXITED)
			*ret = (struct child_result){ CHILD_FAILED, ECHILD };
		return;
	}
	ret->status = end.status;
	if (ret->end == CHILD_EXITED && end.code != CLD_EXITED)
		ret->end = CHILD_KILLED;
}

static void supervise(struct child *c, struct child_result *ret)
{
	ret->end = wait_until(c, clock_ms() + c->want->limit_ms, true);
	if (ret->end != CHILD_EXITED) {
		signal_group(c, SIGTERM);
		(void)wait_until(c, clock_ms() + GRACE_MS, false);
	}
	signal_group(c, SIGKILL);
	(void)wait_until(c, clock_ms() + LAST_MS, false);
	read_remaining_output(c);
	reap(c, ret);
}

void child_run(const struct child_options *want, struct arena *mem,
	       struct child_result *ret)
{
	struct child c = {
		.want = want, .watch = -1, .monitor = -1, .from = { -1, -1 }
	};
	int error = start_child(&c);

	*ret = (struct child_result){ CHILD_FAILED, error };
	if (!error)
		supervise(&c, ret);
	ret->out = arena_copy(mem, buf_str(&c.output[0]));
	ret->err = arena_copy(mem, buf_str(&c.output[1]));
	for (int i = 0; i < 2; i++) {
		fd_drop(&c.from[i]);
		buf_free(&c.output[i]);
	}
	fd_drop(&c.watch);
	fd_drop(&c.monitor);
}

void child_close_fds(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; i <= STDERR_FILENO; i++)
		(void)dup2(null, i);
	if (fd > STDERR_FILENO + 1)
		(void)syscall(SYS_close_range, STDERR_FILENO + 1, fd - 1, 0);
	(void)syscall(SYS_close_range, fd + 1, ~0U, 0);
}
