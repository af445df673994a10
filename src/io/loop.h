/*
 * loop.h - one thread that waits for things to happen.
 *
 * All functions are for that thread, but for loop_later() and loop_stop().
 */
#ifndef STET_LOOP_H
#define STET_LOOP_H

#include "base/arena.h"

struct loop;

struct loop *loop_new(void);
void loop_free(struct loop *l);

/* Until loop_stop(). */
void loop_run(struct loop *l);

/* From any thread, or a signal handler. */
void loop_stop(struct loop *l);

/* From any thread: call @run on the loop's thread, soon, in order. */
struct loop_task {
	struct loop_task *next;
	void (*run)(struct loop_task *);
};
void loop_later(struct loop *l, struct loop_task *task);

/* After @ms, once, unless it is stopped before. */
struct loop_timer;
struct loop_timer *loop_after(struct loop *l, uint64_t ms,
			      void (*run)(void *ctx), void *ctx);
void loop_timer_stop(struct loop_timer *t); /* NULL is fine */

/* Call @run for SIGTERM, SIGINT and SIGHUP; SIGPIPE is ignored. */
void loop_signals(struct loop *l, void (*run)(void *ctx), void *ctx);

/*
 * Bytes from a pipe or socket, and to one. The descriptors become the
 * stream's; @out may be the same as @in, or -1. NULL when they are none of
 * these.
 */
struct stream;
struct stream_handler {
	void (*bytes)(void *ctx, struct str bytes);
	/* No more will come: the end, or an error. Called once. */
	void (*ended)(void *ctx);
	void *ctx;
};
struct stream *stream_open(struct loop *l, int in, int out,
			   const struct stream_handler *handler);

/* Written in order, whenever there is room; false when nobody reads. */
must_check bool stream_write(struct stream *s, struct str bytes);
size_t stream_queued(const struct stream *s);    /* bytes not yet taken */
void stream_pause(struct stream *s, bool pause); /* reads no more, or again */
void stream_finish(struct stream *s);            /* nothing more goes out */
void stream_close(struct stream *s);             /* ended() is not called */

/* A socket in the file system that listens: fd's for @came. */
struct listening;
struct listening *loop_listen(struct loop *l, int fd,
			      void (*came)(void *ctx, int fd), void *ctx);
void loop_listen_end(struct listening *s);

/*
 * A program that ends when we do: argv[0] is a path; its stdin and stdout are
 * a stream, its stderr comes in pieces to @said. When there is a spawner
 * (base/spawner.h), that one starts it, and the program has a group of its own
 * that ends as a whole.
 */
struct process;
struct process_want {
	const char *const *argv; /* ends with NULL */
	const char *const *env;  /* "NAME=value", ends with NULL; NULL: ours */
	struct stream_handler out;
	void (*said)(void *ctx, struct str bytes);
	/* An exit status, or 128 + the signal. After the last of both. */
	void (*exited)(void *ctx, int status);
	void *ctx;
};

/* NULL with errno. */
struct process *process_start(struct loop *l, const struct process_want *want);
struct stream *process_stream(struct process *p);

/* Close its input, SIGTERM after @ms, SIGKILL after as many more. */
void process_end(struct process *p, uint64_t ms);

/* Once it has exited; or to end it at once, by SIGKILL. */
void process_free(struct process *p);

#endif
