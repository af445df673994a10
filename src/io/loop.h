/*
 * loop.h - an event loop: mail, timers, signals, streams and processes.
 *
 * All functions are for the thread that calls loop_run(), except loop_post()
 * and loop_stop().
 */
#ifndef STET_LOOP_H
#define STET_LOOP_H

#include "base/arena.h"
#include "io/mailbox.h"

struct loop;

struct loop *loop_new(void);
void loop_free(struct loop *l);

/* Until loop_stop(). */
void loop_run(struct loop *l);

/* From any thread, or a signal handler. */
void loop_stop(struct loop *l);

/* Mail posted from any thread is delivered by the loop's thread. */
struct mailbox *loop_mailbox(struct loop *l);
void loop_post(struct loop *l, struct mail *mail);

/* Call @run once after @ms, unless it is stopped before. */
struct loop_timer;
struct loop_timer *loop_after(struct loop *l, uint64_t ms,
			      void (*run)(void *ctx), void *ctx);
void loop_timer_stop(struct loop_timer *t); /* NULL is fine */

/* Call @run for SIGTERM, SIGINT and SIGHUP; SIGPIPE is ignored. */
void loop_signals(struct loop *l, void (*run)(void *ctx), void *ctx);

/*
 * A pipe or socket to read from, and one to write to. The stream owns the
 * descriptors; @out may be the same as @in, or -1. NULL: they are of another
 * kind.
 */
struct stream;
struct stream_handler {
	void (*bytes)(void *ctx, struct str bytes);
	/* End of input, or an error. Called once. */
	void (*ended)(void *ctx);
	void *ctx;
};
struct stream *stream_open(struct loop *l, int in, int out,
			   const struct stream_handler *handler);

/* Queue bytes; false: the other end is closed. */
must_check bool stream_write(struct stream *s, struct str bytes);
size_t stream_queued(const struct stream *s);    /* bytes not yet written */
void stream_pause(struct stream *s, bool pause); /* stop or resume reading */
void stream_finish(struct stream *s);            /* close the writing half */
void stream_close(struct stream *s);             /* without a call of ended() */

/* Accept connections at a listening socket: @accepted owns their fd. */
struct loop_listener;
struct loop_listener *loop_listen(struct loop *l, int fd,
				  void (*accepted)(void *ctx, int fd),
				  void *ctx);
void loop_listen_end(struct loop_listener *s);

/*
 * A program that ends when we do. argv[0] is a path; stdin and stdout are a
 * stream, stderr goes to @err_bytes. When there is a spawner (base/spawner.h),
 * it starts the program, in a process group that is killed as a whole.
 */
struct child_process;
struct child_process_options {
	const char *const *argv; /* NULL at the end */
	const char *const
		*env; /* "NAME=value", NULL at the end; NULL: our own */
	struct stream_handler out;
	void (*err_bytes)(void *ctx, struct str bytes); /* may be NULL */
	/* @status: exit status, or 128 + signal. After the end of both pipes. */
	void (*exited)(void *ctx, int status);
	void *ctx;
};

/* NULL: errno is set. */
struct child_process *
child_process_start(struct loop *l, const struct child_process_options *want);
struct stream *child_process_stream(struct child_process *p);

/* Close its stdin, SIGTERM after @ms, SIGKILL after @ms more. */
void child_process_end(struct child_process *p, uint64_t ms);

/* Kills it (SIGKILL) if it has not exited. */
void child_process_free(struct child_process *p);

#endif
