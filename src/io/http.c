/*
 * http.c - the HTTP server: listeners, ticks, stopping.
 *
 * Stands on io/loop: its mailbox wakes the thread, loop_stop() begins an
 * orderly end. Connections are in http_conn.c, admission in http_admit.c.
 */
#include "io/http.h"

#include "io/http_local.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
	BACKLOG = 511,
	WORK_THREADS = 4,
	TICK_MS = 250,
	TICKS = 4,
	ANONYMOUS_PART = 16,
	ANONYMOUS_LEAST = 1024 * 1024,
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
	h->stop_at = uv_now(h->uv) + h->options.limits.stop_ms;
	for (size_t i = 0; i < COUNT_OF(h->listeners); i++)
		uv_close((uv_handle_t *)&h->listeners[i], NULL);
}

static void check_all(struct http *h, uint64_t now)
{
	struct http_conn *next;

	for (struct http_conn *c = h->conns; c; c = next) {
		next = c->next;
		if (h->stopping && now >= h->stop_at)
			http_conn_close(c);
		else
			http_conn_check(c, now);
	}
	if (h->stopping && !h->conns)
		uv_stop(h->uv);
}

static void on_tick(uv_timer_t *timer)
{
	struct http *h = timer->data;

	if (h->options.handler.tick)
		h->options.handler.tick(h->options.handler.ctx);
	if (h->ticks++ % TICKS) /* the rest is done once a second */
		return;
	set_date(h);
	check_all(h, uv_now(h->uv));
}

static void on_turn(uv_prepare_t *turn)
{
	struct http *h = turn->data;

	http_conn_flush_all(h);
	admit_turn(h);
	h->turns++;
}

static void on_stop(void *ctx)
{
	struct http *h = ctx;

	begin_stop(h);
	check_all(h, uv_now(h->uv));
}

struct loop *http_loop(struct http *h)
{
	return h->loop;
}

void http_work(struct http *h, void (*run)(void *ctx), void (*done)(void *ctx),
	       void *ctx)
{
	if (!h->pool)
		h->pool = pool_new(WORK_THREADS, loop_mailbox(h->loop));
	pool_run(h->pool, run, done, ctx);
}

void http_stop(struct http *h)
{
	loop_stop(h->loop);
}

void http_uncharge(struct http *h)
{
	for (struct http_conn *c = h->conns; c; c = c->next)
		charge_move(&c->held, &h->anonymous_budget);
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

/* True also if this machine does not have such an address. */
static bool bind_also(struct http *h, const char *host)
{
	int error = bind_to(&h->listeners[1], host, h->port);

	return !error || error == UV_EADDRNOTAVAIL || error == UV_EAFNOSUPPORT;
}

/*
 * Anonymous and closing connections have budgets of their own, beside that for
 * clients: neither can use up what the other needs.
 */
static void open_budgets(struct http *h)
{
	const struct budget *all = h->options.budget;
	size_t anonymous = 0, closing = 0;

	if (all && all->max) {
		anonymous =
			size_max(all->max / ANONYMOUS_PART, ANONYMOUS_LEAST);
		closing = size_max(all->max / CLOSING_PART, CLOSING_LEAST);
	}
	budget_open(&h->anonymous_budget, NULL, anonymous);
	budget_open(&h->closing_budget, NULL, closing);
}

struct http *http_new(const struct http_options *options, struct arena *mem,
		      struct str *why)
{
	struct http *h = calloc(1, sizeof(*h));
	int error;

	if (!h)
		out_of_memory();
	h->loop = loop_new();
	h->loop->on_stop = on_stop;
	h->loop->stop_ctx = h;
	h->uv = &h->loop->uv;
	h->options = *options;
	h->ready_mail.deliver = http_conn_go_on;
	open_budgets(h);
	admit_open(h);
	if (uv_tcp_init(h->uv, &h->listeners[0]) ||
	    uv_tcp_init(h->uv, &h->listeners[1]) ||
	    uv_timer_init(h->uv, &h->timer) ||
	    uv_prepare_init(h->uv, &h->turn) ||
	    uv_prepare_start(&h->turn, on_turn))
		out_of_memory();
	h->listeners[0].data = h->listeners[1].data = h;
	h->timer.data = h->turn.data = h;
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
	(void)signal(SIGPIPE,
		     SIG_IGN); /* a write to a closed socket must not end us */
	(void)uv_timer_start(&h->timer, on_tick, TICK_MS, TICK_MS);
	loop_run(h->loop);
}

void http_free(struct http *h)
{
	if (!h)
		return;
	while (h->conns)
		http_conn_close(h->conns);
	pool_free(h->pool, POOL_RUN_QUEUED);
	loop_free(h->loop);
	admit_free(h);
	buf_free(&h->head);
	arena_free(&h->spare);
	free(h);
}
