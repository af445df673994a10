/*
 * child_process.c - a program that ends when we do, with pipes on a loop.
 *
 * It is a child of ours, watched by its pidfd; or, when we are confined, one of
 * the spawner's, watched by the socket to its monitor. exited() is called when
 * the process and both of its output pipes have ended.
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

struct child_process {
	struct loop *loop;
	struct child_process_options options;
	pid_t pid; /* 0: a child of the spawner */
	struct stream *stream, *err_stream;
	uv_poll_t *exit; /* polls @watched */
	int watched;     /* the pidfd, or the socket to the monitor */
	struct loop_timer *timer;
	uint64_t wait_ms;
	bool exited, out_ended, err_ended, reported;
	int status;
};

enum { IN, OUT, ERR, PIPES };

static void no_bytes(void *ctx, struct str bytes)
{
}

/* The process and both pipes have ended: report it, once. */
static void process_check_exited(struct child_process *p)
{
	if (!p->exited || !p->out_ended || !p->err_ended || p->reported)
		return;
	p->reported = true;
	loop_timer_stop(p->timer);
	p->timer = NULL;
	p->options.exited(p->options.ctx, p->status);
}

static void on_out(void *ctx, struct str bytes)
{
	struct child_process *p = ctx;

	p->options.out.bytes(p->options.out.ctx, bytes);
}

static void on_out_ended(void *ctx)
{
	struct child_process *p = ctx;

	p->out_ended = true;
	if (p->options.out.ended)
		p->options.out.ended(p->options.out.ctx);
	process_check_exited(p);
}

static void on_err(void *ctx, struct str bytes)
{
	struct child_process *p = ctx;

	p->options.err_bytes(p->options.ctx, bytes);
}

static void on_err_ended(void *ctx)
{
	struct child_process *p = ctx;

	p->err_ended = true;
	process_check_exited(p);
}

static void free_handle(uv_handle_t *handle)
{
	free(handle);
}

/* A grandchild may hold the pipes open: do not wait for it. */
static void on_pipes_timeout(void *ctx)
{
	struct child_process *p = ctx;

	p->timer = NULL;
	p->out_ended = p->err_ended = true;
	process_check_exited(p);
}

/* @ret: an exit status, or 128 + the signal. */
static bool process_has_exited(const struct child_process *p, int *ret)
{
	struct spawner_status said;
	int how;

	if (p->pid) {
		if (waitpid(p->pid, &how, WNOHANG) != p->pid)
			return false;
		*ret = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
		return true;
	}
	if (!spawner_read_status(p->watched, /* wait= */ false, &said))
		return false;
	if (said.error) /* the monitor is gone: no status to be had */
		*ret = 128 + SIGKILL;
	else
		*ret = said.code == CLD_EXITED ? said.status
					       : 128 + said.status;
	return true;
}

static void process_signal(const struct child_process *p, int number)
{
	if (p->pid)
		(void)kill(p->pid, number);
	else
		spawner_signal(p->watched, number);
}

static void on_exit_fd(uv_poll_t *uv, int status, int events)
{
	enum { PIPES_MS = 200 };
	struct child_process *p = uv->data;

	if (!process_has_exited(p, &p->status))
		return;
	p->exited = true;
	uv_close((uv_handle_t *)p->exit, free_handle);
	p->exit = NULL;
	fd_drop(&p->watched);
	loop_timer_stop(p->timer);
	p->timer = loop_after(p->loop, PIPES_MS, on_pipes_timeout, p);
	process_check_exited(p);
}

/* In the child, between fork and exec: async-signal-safe calls only. */
static void process_exec(const struct child_process_options *options,
			 const int fds[PIPES], pid_t parent)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t none;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* the parent ended before prctl() */
		(void)raise(SIGKILL);
	for (int i = IN; i < PIPES; i++)
		if (dup2(fds[i], i) < 0)
			(void)raise(SIGKILL);
	(void)sigaction(SIGPIPE, &standard, NULL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)execve(options->argv[0], (char *const *)options->argv,
		     options->env ? (char *const *)options->env : environ);
	(void)raise(SIGKILL);
}

struct process_pipes {
	int ours[PIPES], theirs[PIPES];
};

static void process_pipes_drop(struct process_pipes *w)
{
	for (int i = IN; i < PIPES; i++) {
		fd_drop(&w->ours[i]);
		fd_drop(&w->theirs[i]);
	}
}

/* Move a descriptor above 2, so that dup2() in the child overwrites none. */
static int fd_lift(int fd)
{
	int lifted = fcntl(fd, F_DUPFD_CLOEXEC, PIPES);

	(void)close(fd);
	return lifted;
}

static bool process_pipes_open(struct process_pipes *w)
{
	for (int i = IN; i < PIPES; i++)
		w->ours[i] = w->theirs[i] = -1;
	for (int i = IN; i < PIPES; i++) {
		int fds[2];

		if (pipe2(fds, O_CLOEXEC))
			return false;
		w->theirs[i] = fd_lift(fds[i == IN ? 0 : 1]);
		w->ours[i] = fd_lift(fds[i == IN ? 1 : 0]);
		if (w->theirs[i] < 0 || w->ours[i] < 0)
			return false;
	}
	return true;
}

static void process_watch(struct child_process *p)
{
	p->exit = calloc(1, sizeof(*p->exit));
	if (!p->exit || p->watched < 0 ||
	    uv_poll_init(&p->loop->uv, p->exit, p->watched))
		out_of_memory();
	p->exit->data = p;
	(void)uv_poll_start(p->exit, UV_READABLE, on_exit_fd);
}

static void process_attach(struct child_process *p, struct process_pipes *w)
{
	p->stream = stream_open(p->loop, fd_take(&w->ours[OUT]),
				fd_take(&w->ours[IN]),
				&(struct stream_handler){ on_out, on_out_ended,
							  p });
	p->err_stream =
		stream_open(p->loop, fd_take(&w->ours[ERR]), -1,
			    &(struct stream_handler){
				    p->options.err_bytes ? on_err : no_bytes,
				    on_err_ended, p });
}

/* False with errno. */
static bool process_spawn(struct child_process *p,
			  const struct process_pipes *w)
{
	const struct child_process_options *options = &p->options;
	pid_t parent = getpid();

	if (spawner_is_running()) {
		errno = spawner_run(options->argv, options->env, w->theirs,
				    &p->watched);
		return !errno;
	}
	p->pid = fork();
	if (!p->pid)
		process_exec(options, w->theirs, parent);
	if (p->pid > 0)
		p->watched = (int)syscall(SYS_pidfd_open, p->pid, 0);
	return p->pid > 0;
}

struct child_process *
child_process_start(struct loop *l, const struct child_process_options *options)
{
	struct child_process *p = calloc(1, sizeof(*p));
	struct process_pipes w;

	if (!p)
		out_of_memory();
	*p = (struct child_process){ .loop = l,
				     .options = *options,
				     .watched = -1 };
	if (access(options->argv[0], X_OK)) {
		free(p);
		return NULL;
	}
	if (!process_pipes_open(&w) || !process_spawn(p, &w)) {
		int error = errno;

		process_pipes_drop(&w);
		free(p);
		errno = error;
		return NULL;
	}
	process_attach(p, &w);
	process_pipes_drop(&w);
	process_watch(p);
	return p;
}

struct stream *child_process_stream(struct child_process *p)
{
	return p->stream;
}

static void process_kill(void *ctx)
{
	struct child_process *p = ctx;

	p->timer = NULL;
	if (!p->exited)
		process_signal(p, SIGKILL);
}

static void process_terminate(void *ctx)
{
	struct child_process *p = ctx;

	p->timer = NULL;
	if (p->exited)
		return;
	process_signal(p, SIGTERM);
	p->timer = loop_after(p->loop, p->wait_ms, process_kill, p);
}

void child_process_end(struct child_process *p, uint64_t ms)
{
	if (p->exited)
		return;
	p->wait_ms = ms;
	stream_finish(p->stream);
	loop_timer_stop(p->timer);
	p->timer = loop_after(p->loop, ms, process_terminate, p);
}

static void process_wait(const struct child_process *p)
{
	struct spawner_status said;
	int how;

	if (p->pid)
		(void)waitpid(p->pid, &how, 0);
	else
		(void)!spawner_read_status(p->watched, /* wait= */ true, &said);
}

void child_process_free(struct child_process *p)
{
	if (!p)
		return;
	if (!p->exited) {
		process_signal(p, SIGKILL);
		process_wait(p);
	}
	loop_timer_stop(p->timer);
	stream_close(p->stream);
	stream_close(p->err_stream);
	if (p->exit)
		uv_close((uv_handle_t *)p->exit, free_handle);
	fd_drop(&p->watched);
	free(p);
}
