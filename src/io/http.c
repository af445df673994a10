#include "io/http.h"

#include "io/http_local.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
	BACKLOG = 511,
	TICK_MS = 250,
	TICKS = 4,
	UNKNOWN_PART = 16,
	UNKNOWN_LEAST = 1024 * 1024,
	CLOSING_PART = 4,
	CLOSING_LEAST = 32 * 1024 * 1024,
};

const struct http_limits http_limits_default = {
	.head = 32 * 1024,
	.headers = 100,
	.body = 128 << 20,
	.queued = 32 << 20,
	.connections = 16 * 1024,
	.head_ms = 10 * 1000,
	.body_ms = 30 * 1000,
	.taken_ms = 60 * 1000,
	.idle_ms = 120 * 1000,
	.stop_ms = 5000,
};

static void on_connection(uv_stream_t *listener, int status)
{
	struct http *h = listener->data;

	if (status >= 0)
		admit_next(h, (uv_tcp_t *)listener != &h->listeners[0]);
}

static void set_date(struct http *h)
{
	time_t now = time(NULL);
	struct tm utc;

	(void)gmtime_r(&now, &utc);
	(void)strftime(h->date, sizeof(h->date), "%a, %d %b %Y %H:%M:%S GMT",
		       &utc);
}

static void begin_stop(struct http *h)
{
	if (h->stopping)
		return;
	h->stopping = true;
	h->stop_at = uv_now(&h->loop) + h->options.limits.stop_ms;
	for (size_t i = 0; i < COUNT_OF(h->listeners); i++)
		uv_close((uv_handle_t *)&h->listeners[i], NULL);
}

static void check_all(struct http *h, uint64_t now)
{
	struct conn *next;

	for (struct conn *c = h->conns; c; c = next) {
		next = c->next;
		if (h->stopping && now >= h->stop_at)
			conn_close(c);
		else
			conn_check(c, now);
	}
	if (h->stopping && !h->conns)
		uv_stop(&h->loop);
}

static void on_tick(uv_timer_t *timer)
{
	struct http *h = timer->data;

	if (h->options.handler.tick)
		h->options.handler.tick(h->options.handler.ctx);
	if (h->ticks++ % TICKS) /* once a second is enough for the rest */
		return;
	set_date(h);
	check_all(h, uv_now(&h->loop));
}

static void on_turn(uv_prepare_t *turn)
{
	struct http *h = turn->data;

	conn_flush_all(h);
	admit_turn(h);
	h->turns++;
}

static struct http_task *all_tasks(struct http *h)
{
	struct http_task *list;

	(void)pthread_mutex_lock(&h->lock);
	list = h->tasks;
	h->tasks = NULL;
	h->tasks_end = &h->tasks;
	(void)pthread_mutex_unlock(&h->lock);
	return list;
}

static bool run_tasks(struct http *h)
{
	struct http_task *first = all_tasks(h), *task, *next;

	for (task = first; task; task = next) {
		next = task->next;
		task->run(task);
	}
	return first;
}

void http_drain(struct http *h)
{
	while (run_tasks(h))
		;
}

static void on_wake(uv_async_t *wake)
{
	struct http *h = wake->data;

	(void)run_tasks(h);
	conn_go_on(h);
	if (atomic_load(&h->told_to_stop)) {
		begin_stop(h);
		check_all(h, uv_now(&h->loop));
	}
}

void http_later(struct http *h, struct http_task *task)
{
	task->next = NULL;
	(void)pthread_mutex_lock(&h->lock);
	*h->tasks_end = task;
	h->tasks_end = &task->next;
	(void)pthread_mutex_unlock(&h->lock);
	(void)uv_async_send(&h->wake);
}

static void on_work(uv_work_t *uv)
{
	struct http_work *work = uv->data;

	work->run(work);
}

static void on_work_done(uv_work_t *uv, int status)
{
	struct http_work *work = uv->data;

	free(uv);
	work->done(work);
}

void http_work(struct http *h, struct http_work *work)
{
	uv_work_t *uv = calloc(1, sizeof(*uv));

	if (!uv)
		out_of_memory();
	uv->data = work;
	if (uv_queue_work(&h->loop, uv, on_work, on_work_done)) {
		free(uv);
		out_of_memory();
	}
}

void http_stop(struct http *h)
{
	atomic_store(&h->told_to_stop, true);
	(void)uv_async_send(&h->wake);
}

void http_uncharge(struct http *h)
{
	for (struct conn *c = h->conns; c; c = c->next)
		charge_move(&c->held, &h->unknown_budget);
}

bool http_is_stopping(const struct http *h)
{
	return h->stopping;
}

static int bind_to(uv_tcp_t *listener, const char *host, unsigned port)
{
	struct sockaddr_storage at;
	int error = uv_ip4_addr(host, (int)port, (struct sockaddr_in *)&at);

	if (error)
		error = uv_ip6_addr(host, (int)port,
				    (struct sockaddr_in6 *)&at);
	if (!error)
		error = uv_tcp_bind(listener, (struct sockaddr *)&at, 0);
	if (!error)
		error = uv_listen((uv_stream_t *)listener, BACKLOG,
				  on_connection);
	return error;
}

static void find_port(struct http *h)
{
	struct sockaddr_storage at;
	int len = sizeof(at);

	if (uv_tcp_getsockname(&h->listeners[0], (struct sockaddr *)&at, &len))
		return;
	h->port = ntohs(at.ss_family == AF_INET6
				? ((struct sockaddr_in6 *)&at)->sin6_port
				: ((struct sockaddr_in *)&at)->sin_port);
}

/* An address that this machine does not have is nobody's. */
static bool bind_also(struct http *h, const char *host)
{
	int error = bind_to(&h->listeners[1], host, h->port);

	return !error || error == UV_EADDRNOTAVAIL || error == UV_EAFNOSUPPORT;
}

/*
 * Connections that nobody answers for have a share on top of the budget for
 * clients: neither can use up what the other one needs.
 */
static void open_budgets(struct http *h)
{
	const struct budget *all = h->options.budget;
	size_t unknown = 0, closing = 0;

	if (all && all->max) {
		unknown = size_max(all->max / UNKNOWN_PART, UNKNOWN_LEAST);
		closing = size_max(all->max / CLOSING_PART, CLOSING_LEAST);
	}
	budget_open(&h->unknown_budget, NULL, unknown);
	budget_open(&h->closing_budget, NULL, closing);
}

struct http *http_new(const struct http_options *options, struct arena *mem,
		      struct str *why)
{
	struct http *h = calloc(1, sizeof(*h));
	int error;

	if (!h || uv_loop_init(&h->loop))
		out_of_memory();
	h->options = *options;
	open_budgets(h);
	h->tasks_end = &h->tasks;
	admit_open(h);
	(void)pthread_mutex_init(&h->lock, NULL);
	if (uv_tcp_init(&h->loop, &h->listeners[0]) ||
	    uv_tcp_init(&h->loop, &h->listeners[1]) ||
	    uv_async_init(&h->loop, &h->wake, on_wake) ||
	    uv_timer_init(&h->loop, &h->timer) ||
	    uv_prepare_init(&h->loop, &h->turn) ||
	    uv_prepare_start(&h->turn, on_turn))
		out_of_memory();
	h->listeners[0].data = h->listeners[1].data = h;
	h->wake.data = h->timer.data = h->turn.data = h;
	set_date(h);
	error = bind_to(&h->listeners[0], options->host, options->port);
	if (error) {
		*why = arena_printf(mem, "cannot listen on %s port %u: %s",
				    options->host, options->port,
				    uv_strerror(error));
		http_free(h);
		return NULL;
	}
	find_port(h);
	if (options->also)
		h->holds_also = bind_also(h, options->also);
	return h;
}

bool http_holds_also(const struct http *h)
{
	return h->holds_also;
}

unsigned http_port(const struct http *h)
{
	return h->port;
}

struct http_counts http_counts(const struct http *h)
{
	return h->counts;
}

void http_run(struct http *h)
{
	(void)signal(SIGPIPE, SIG_IGN); /* a peer may leave: we stay */
	(void)uv_timer_start(&h->timer, on_tick, TICK_MS, TICK_MS);
	(void)uv_run(&h->loop, UV_RUN_DEFAULT);
}

static void close_handle(uv_handle_t *handle, void *ctx)
{
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

void http_free(struct http *h)
{
	if (!h)
		return;
	while (h->conns)
		conn_close(h->conns);
	uv_walk(&h->loop, close_handle, NULL);
	(void)uv_run(&h->loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&h->loop);
	(void)pthread_mutex_destroy(&h->lock);
	admit_free(h);
	buf_free(&h->head);
	arena_free(&h->spare);
	free(h);
}
