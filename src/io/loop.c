#include "io/loop.h"

#include "io/loop_local.h"

#include <signal.h>
#include <stdlib.h>

struct loop_timer {
	uv_timer_t uv; /* first */
	void (*run)(void *ctx);
	void *ctx;
};

static const int ending[] = { SIGTERM, SIGINT, SIGHUP };

static void free_handle(uv_handle_t *handle)
{
	free(handle);
}

static struct loop_task *all_tasks(struct loop *l)
{
	struct loop_task *list;

	(void)pthread_mutex_lock(&l->lock);
	list = l->tasks;
	l->tasks = NULL;
	l->tasks_end = &l->tasks;
	(void)pthread_mutex_unlock(&l->lock);
	return list;
}

static void run_tasks(struct loop *l)
{
	struct loop_task *task, *next;

	while ((task = all_tasks(l)))
		for (; task; task = next) {
			next = task->next;
			task->run(task);
		}
}

static void on_wake(uv_async_t *wake)
{
	struct loop *l = wake->data;

	run_tasks(l);
	if (atomic_load(&l->told_to_stop))
		uv_stop(&l->uv);
}

struct loop *loop_new(void)
{
	struct loop *l = calloc(1, sizeof(*l));

	if (!l || uv_loop_init(&l->uv) ||
	    uv_async_init(&l->uv, &l->wake, on_wake))
		out_of_memory();
	l->wake.data = l;
	l->tasks_end = &l->tasks;
	(void)pthread_mutex_init(&l->lock, NULL);
	return l;
}

static void close_handle(uv_handle_t *handle, void *ctx)
{
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

/* Who opened a stream has closed it; what is left is the loop's own. */
void loop_free(struct loop *l)
{
	if (!l)
		return;
	run_tasks(l);
	uv_walk(&l->uv, close_handle, NULL);
	(void)uv_run(&l->uv, UV_RUN_DEFAULT);
	(void)uv_loop_close(&l->uv);
	(void)pthread_mutex_destroy(&l->lock);
	free(l);
}

void loop_run(struct loop *l)
{
	(void)uv_run(&l->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *l)
{
	atomic_store(&l->told_to_stop, true);
	(void)uv_async_send(&l->wake);
}

void loop_later(struct loop *l, struct loop_task *task)
{
	task->next = NULL;
	(void)pthread_mutex_lock(&l->lock);
	*l->tasks_end = task;
	l->tasks_end = &task->next;
	(void)pthread_mutex_unlock(&l->lock);
	(void)uv_async_send(&l->wake);
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
		uv_close((uv_handle_t *)&t->uv, free_handle);
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
	for (size_t i = 0; i < COUNT_OF(ending); i++) {
		if (uv_signal_init(&l->uv, &l->signals[i]))
			out_of_memory();
		l->signals[i].data = l;
		(void)uv_signal_start(&l->signals[i], on_signal, ending[i]);
		uv_unref((uv_handle_t *)&l->signals[i]);
	}
	(void)sigaction(SIGPIPE, &ignore, NULL);
}
