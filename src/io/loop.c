/*
 * loop.c - an event loop on libuv: mail, timers and signals.
 *
 * Streams, listeners and processes are in stream.c and child_process.c. Other
 * threads only touch the mailbox, the stop flag and uv_async_send().
 */
#include "io/loop.h"

#include "io/loop_local.h"

#include <signal.h>
#include <stdlib.h>

struct loop_timer {
	uv_timer_t uv; /* first */
	void (*run)(void *ctx);
	void *ctx;
};

static const int stop_signals[] = { SIGTERM, SIGINT, SIGHUP };

static void handle_free(uv_handle_t *handle)
{
	free(handle);
}

static void loop_wake(void *ctx)
{
	struct loop *l = ctx;

	(void)uv_async_send(&l->wake);
}

static void on_wake(uv_async_t *wake)
{
	struct loop *l = wake->data;

	(void)mailbox_deliver(&l->mailbox);
	if (!atomic_load(&l->stop_requested))
		return;
	if (l->on_stop)
		l->on_stop(l->stop_ctx);
	else
		uv_stop(&l->uv);
}

struct loop *loop_new(void)
{
	struct loop *l = calloc(1, sizeof(*l));

	if (!l || uv_loop_init(&l->uv) ||
	    uv_async_init(&l->uv, &l->wake, on_wake))
		out_of_memory();
	l->wake.data = l;
	mailbox_open(&l->mailbox, loop_wake, l);
	return l;
}

static void handle_close(uv_handle_t *handle, void *ctx)
{
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

/* Streams are closed by their owners before. */
void loop_free(struct loop *l)
{
	if (!l)
		return;
	mailbox_drain(&l->mailbox);
	uv_walk(&l->uv, handle_close, NULL);
	(void)uv_run(&l->uv, UV_RUN_DEFAULT);
	(void)uv_loop_close(&l->uv);
	mailbox_close(&l->mailbox);
	free(l);
}

void loop_run(struct loop *l)
{
	(void)uv_run(&l->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *l)
{
	atomic_store(&l->stop_requested, true);
	(void)uv_async_send(&l->wake);
}

struct mailbox *loop_mailbox(struct loop *l)
{
	return &l->mailbox;
}

void loop_post(struct loop *l, struct mail *mail)
{
	mailbox_post(&l->mailbox, mail);
}

static void on_time(uv_timer_t *uv)
{
	struct loop_timer *t = (struct loop_timer *)uv;
	void (*run)(void *ctx) = t->run;
	void *ctx = t->ctx;

	loop_timer_stop(t);
	run(ctx);
}

struct loop_timer *loop_after(struct loop *l, uint64_t ms,
			      void (*run)(void *ctx), void *ctx)
{
	struct loop_timer *t = calloc(1, sizeof(*t));

	if (!t || uv_timer_init(&l->uv, &t->uv))
		out_of_memory();
	t->run = run;
	t->ctx = ctx;
	uv_update_time(&l->uv);
	(void)uv_timer_start(&t->uv, on_time, ms, 0);
	return t;
}

void loop_timer_stop(struct loop_timer *t)
{
	if (t)
		uv_close((uv_handle_t *)&t->uv, handle_free);
}

static void on_signal(uv_signal_t *uv, int number)
{
	struct loop *l = uv->data;

	l->signalled(l->signal_ctx);
}

void loop_signals(struct loop *l, void (*run)(void *ctx), void *ctx)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	l->signalled = run;
	l->signal_ctx = ctx;
	for (size_t i = 0; i < COUNT_OF(stop_signals); i++) {
		if (uv_signal_init(&l->uv, &l->signals[i]))
			out_of_memory();
		l->signals[i].data = l;
		(void)uv_signal_start(&l->signals[i], on_signal,
				      stop_signals[i]);
		uv_unref((uv_handle_t *)&l->signals[i]);
	}
	(void)sigaction(SIGPIPE, &ignore, NULL);
}
