/*
 * process.c - a program that ends when we do.
 *
 * It is a child of ours, told of by its pidfd; or, when we are confined, one
 * of the spawner's, told of by the socket to its monitor.
 */

#include "base/fd.h"
#include "base/spawner.h"
#include "io/loop_local.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct process {
	struct loop *loop;
	struct process_want want;
	pid_t pid; /* 0 = it has a monitor */
	struct stream *stream, *said;
	uv_poll_t *exit; /* of the next */
	int watched;     /* its pidfd, or the socket to its monitor */
	struct loop_timer *timer;
	uint64_t wait_ms;
	bool exited, out_ended, said_ended, told;
	int status;
};

enum { IN, OUT, ERR, WAYS };

static void no_bytes(void *ctx, struct str bytes)
{
}

/* All three are over: tell, once. */
static void check(struct process *p)
{
	if (!p->exited || !p->out_ended || !p->said_ended || p->told)
		return;
	p->told = true;
	loop_timer_stop(p->timer);
	p->timer = NULL;
	p->want.exited(p->want.ctx, p->status);
}

static void on_out(void *ctx, struct str bytes)
{
	struct process *p = ctx;

	p->want.out.bytes(p->want.out.ctx, bytes);
}

static void on_out_ended(void *ctx)
{
	struct process *p = ctx;

	p->out_ended = true;
	if (p->want.out.ended)
		p->want.out.ended(p->want.out.ctx);
	check(p);
}

static void on_said(void *ctx, struct str bytes)
{
	struct process *p = ctx;

	p->want.said(p->want.ctx, bytes);
}

static void on_said_ended(void *ctx)
{
	struct process *p = ctx;

	p->said_ended = true;
	check(p);
}

static void free_handle(uv_handle_t *handle)
{
	free(handle);
}

/* A grandchild may hold its pipes open: what it says is not waited for. */
static void on_late(void *ctx)
{
	struct process *p = ctx;

	p->timer = NULL;
	p->out_ended = p->said_ended = true;
	check(p);
}

/* Has it ended? Then *@ret is how: an exit status, or 128 + the signal. */
static bool has_ended(const struct process *p, int *ret)
{
	struct spawner_said said;
	int how;

	if (p->pid) {
		if (waitpid(p->pid, &how, WNOHANG) != p->pid)
			return false;
		*ret = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
		return true;
	}
	if (!spawner_hear(p->watched, /* wait= */ false, &said))
		return false;
	if (said.error) /* the monitor is gone, and ends it no more */
		*ret = 128 + SIGKILL;
	else
		*ret = said.code == CLD_EXITED ? said.status
					       : 128 + said.status;
	return true;
}

static void send_signal(const struct process *p, int number)
{
	if (p->pid)
		(void)kill(p->pid, number);
	else
		spawner_signal(p->watched, number);
}

static void on_exit_fd(uv_poll_t *uv, int status, int events)
{
	enum { LAST_WORDS_MS = 200 };
	struct process *p = uv->data;

	if (!has_ended(p, &p->status))
		return;
	p->exited = true;
	uv_close((uv_handle_t *)p->exit, free_handle);
	p->exit = NULL;
	fd_drop(&p->watched);
	loop_timer_stop(p->timer);
	p->timer = loop_after(p->loop, LAST_WORDS_MS, on_late, p);
	check(p);
}

/* In the child, between fork and exec: only what is safe there. */
static void become(const struct process_want *want, const int fds[WAYS],
		   pid_t parent)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t none;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* gone before that */
		(void)raise(SIGKILL);
	for (int i = IN; i < WAYS; i++)
		if (dup2(fds[i], i) < 0)
			(void)raise(SIGKILL);
	(void)sigaction(SIGPIPE, &standard, NULL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)execve(want->argv[0], (char *const *)want->argv,
		     want->env ? (char *const *)want->env : environ);
	(void)raise(SIGKILL);
}

struct ways {
	int ours[WAYS], theirs[WAYS];
};

static void drop_ways(struct ways *w)
{
	for (int i = IN; i < WAYS; i++) {
		fd_drop(&w->ours[i]);
		fd_drop(&w->theirs[i]);
	}
}

/* Above the three, so that giving them to the child overwrites none. */
static int lift(int fd)
{
	int lifted = fcntl(fd, F_DUPFD_CLOEXEC, WAYS);

	(void)close(fd);
	return lifted;
}

static bool open_ways(struct ways *w)
{
	for (int i = IN; i < WAYS; i++)
		w->ours[i] = w->theirs[i] = -1;
	for (int i = IN; i < WAYS; i++) {
		int fds[2];

		if (pipe2(fds, O_CLOEXEC))
			return false;
		w->theirs[i] = lift(fds[i == IN ? 0 : 1]);
		w->ours[i] = lift(fds[i == IN ? 1 : 0]);
		if (w->theirs[i] < 0 || w->ours[i] < 0)
			return false;
	}
	return true;
}

static void watch_exit(struct process *p)
{
	p->exit = calloc(1, sizeof(*p->exit));
	if (!p->exit || p->watched < 0 ||
	    uv_poll_init(&p->loop->uv, p->exit, p->watched))
		out_of_memory();
	p->exit->data = p;
	(void)uv_poll_start(p->exit, UV_READABLE, on_exit_fd);
}

static void attach(struct process *p, struct ways *w)
{
	p->stream = stream_open(p->loop, fd_take(&w->ours[OUT]),
				fd_take(&w->ours[IN]),
				&(struct stream_handler){ on_out, on_out_ended,
							  p });
	p->said = stream_open(p->loop, fd_take(&w->ours[ERR]), -1,
			      &(struct stream_handler){ p->want.said ? on_said
								     : no_bytes,
							on_said_ended, p });
}

/* False with errno. */
static bool spawn(struct process *p, const struct ways *w)
{
	const struct process_want *want = &p->want;
	pid_t parent = getpid();

	if (spawner_is_there()) {
		errno = spawner_run(want->argv, want->env, w->theirs,
				    &p->watched);
		return !errno;
	}
	p->pid = fork();
	if (!p->pid)
		become(want, w->theirs, parent);
	if (p->pid > 0)
		p->watched = (int)syscall(SYS_pidfd_open, p->pid, 0);
	return p->pid > 0;
}

struct process *process_start(struct loop *l, const struct process_want *want)
{
	struct process *p = calloc(1, sizeof(*p));
	struct ways w;

	if (!p)
		out_of_memory();
	*p = (struct process){ .loop = l, .want = *want, .watched = -1 };
	if (access(want->argv[0], X_OK)) {
		free(p);
		return NULL;
	}
	if (!open_ways(&w) || !spawn(p, &w)) {
		int error = errno;

		drop_ways(&w);
		free(p);
		errno = error;
		return NULL;
	}
	attach(p, &w);
	drop_ways(&w);
	watch_exit(p);
	return p;
}

struct stream *process_stream(struct process *p)
{
	return p->stream;
}

static void kill_it(void *ctx)
{
	struct process *p = ctx;

	p->timer = NULL;
	if (!p->exited)
		send_signal(p, SIGKILL);
}

static void tell_it(void *ctx)
{
	struct process *p = ctx;

	p->timer = NULL;
	if (p->exited)
		return;
	send_signal(p, SIGTERM);
	p->timer = loop_after(p->loop, p->wait_ms, kill_it, p);
}

void process_end(struct process *p, uint64_t ms)
{
	if (p->exited)
		return;
	p->wait_ms = ms;
	stream_finish(p->stream);
	loop_timer_stop(p->timer);
	p->timer = loop_after(p->loop, ms, tell_it, p);
}

static void await_end(const struct process *p)
{
	struct spawner_said said;
	int how;

	if (p->pid)
		(void)waitpid(p->pid, &how, 0);
	else
		(void)!spawner_hear(p->watched, /* wait= */ true, &said);
}

void process_free(struct process *p)
{
	if (!p)
		return;
	if (!p->exited) {
		send_signal(p, SIGKILL);
		await_end(p);
	}
	loop_timer_stop(p->timer);
	stream_close(p->stream);
	stream_close(p->said);
	if (p->exit)
		uv_close((uv_handle_t *)p->exit, free_handle);
	fd_drop(&p->watched);
	free(p);
}
