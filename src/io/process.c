/* process.c - a program that ends when we do. */

#include "base/fd.h"
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
	pid_t pid;
	struct stream *stream, *said;
	uv_poll_t *exit; /* of its pidfd */
	int pidfd;
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

static void on_exit_fd(uv_poll_t *uv, int status, int events)
{
	enum { LAST_WORDS_MS = 200 };
	struct process *p = uv->data;
	int how;

	if (waitpid(p->pid, &how, WNOHANG) != p->pid)
		return;
	p->status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	p->exited = true;
	uv_close((uv_handle_t *)p->exit, free_handle);
	p->exit = NULL;
	fd_drop(&p->pidfd);
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
		     (char *const *)want->env);
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
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	p->exit = calloc(1, sizeof(*p->exit));
	if (!p->exit || p->pidfd < 0 ||
	    uv_poll_init(&p->loop->uv, p->exit, p->pidfd))
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

struct process *process_start(struct loop *l, const struct process_want *want)
{
	struct process *p = calloc(1, sizeof(*p));
	pid_t parent = getpid();
	struct ways w;

	if (!p)
		out_of_memory();
	*p = (struct process){ .loop = l, .want = *want, .pidfd = -1 };
	if (access(want->argv[0], X_OK) || !open_ways(&w) ||
	    (p->pid = fork()) < 0) {
		free(p);
		return NULL;
	}
	if (!p->pid)
		become(want, w.theirs, parent);
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
		(void)kill(p->pid, SIGKILL);
}

static void tell_it(void *ctx)
{
	struct process *p = ctx;

	p->timer = NULL;
	if (p->exited)
		return;
	(void)kill(p->pid, SIGTERM);
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

void process_free(struct process *p)
{
	int how;

	if (!p)
		return;
	if (!p->exited) {
		(void)kill(p->pid, SIGKILL);
		(void)waitpid(p->pid, &how, 0);
	}
	loop_timer_stop(p->timer);
	stream_close(p->stream);
	stream_close(p->said);
	if (p->exit)
		uv_close((uv_handle_t *)p->exit, free_handle);
	fd_drop(&p->pidfd);
	free(p);
}
