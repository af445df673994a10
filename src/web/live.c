/* The loop's half: streams, and what goes out on them. */

#include "web/live.h"

#include "base/clock.h"
#include "web/live_local.h"

#include <stdlib.h>

enum {
	MOST_NEWS = 4 * 1024 * 1024, /* bytes that wait to be sent */
	MOST_LISTENERS = 64,
	COMMENT_MS = 15 * 1000,
	CLIENTS_MS = 1000,
};

void live_post(struct live *l)
{
	if (l->posted)
		return;
	l->posted = true;
	http_later(l->page->options.http, &l->task);
}

void live_tell(struct live *l, const char *event, const struct buf *data)
{
	(void)pthread_mutex_lock(&l->lock);
	if (l->news.len + data->len > MOST_NEWS) {
		l->lost = true;
	} else {
		buf_addf(&l->news, "event: %s\ndata: ", event);
		buf_add(&l->news, buf_str(data));
		buf_lit(&l->news, "\n\n");
	}
	live_post(l);
	(void)pthread_mutex_unlock(&l->lock);
}

void live_lose(struct live *l)
{
	(void)pthread_mutex_lock(&l->lock);
	l->lost = true;
	live_post(l);
	(void)pthread_mutex_unlock(&l->lock);
}

void live_look(struct live *l)
{
	(void)pthread_mutex_lock(&l->lock);
	l->look = true;
	(void)pthread_cond_signal(&l->wake);
	(void)pthread_mutex_unlock(&l->lock);
}

static bool anybody(struct live *l)
{
	bool is;

	(void)pthread_mutex_lock(&l->lock);
	is = l->count > 0;
	(void)pthread_mutex_unlock(&l->lock);
	return is;
}

/* On the thread of the call. */
static void heard(void *ctx, const struct activity_call *call)
{
	struct live *l = ctx;
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	if (!anybody(l))
		return;
	activity_put(&o, call);
	live_tell(l, "call", &data);
	if (call->state != ACTIVITY_RUNNING)
		live_look(l);
}

static void set_count(struct live *l, int by)
{
	(void)pthread_mutex_lock(&l->lock);
	l->count = (unsigned)((int)l->count + by);
	if (!l->count) {
		l->ready = false;
		buf_clear(&l->news, 0);
	}
	(void)pthread_cond_signal(&l->wake);
	(void)pthread_mutex_unlock(&l->lock);
}

/* Take it off the list; the caller has its next one already. */
static void drop(struct live *l, struct listener *gone)
{
	struct listener **at = &l->listeners;

	while (*at != gone)
		at = &(*at)->next;
	*at = gone->next;
	free(gone);
	set_count(l, -1);
}

static void send_to_all(struct live *l, struct str bytes)
{
	struct listener *n, *next;

	for (n = l->listeners; n; n = next) {
		next = n->next;
		if (n->greeted && !http_send(n->x, bytes))
			drop(l, n);
	}
}

static void greet_all(struct live *l)
{
	struct listener *n, *next;

	for (n = l->listeners; n; n = next) {
		next = n->next;
		if (n->greeted)
			continue;
		n->greeted = true;
		if (!http_send(n->x, STR("event: hello\ndata: {}\n\n")))
			drop(l, n);
	}
}

static void hang_up_all(struct live *l)
{
	while (l->listeners) {
		struct http_exchange *x = l->listeners->x;

		drop(l, l->listeners);
		http_end(x);
	}
}

static void on_news(struct http_task *task)
{
	struct live *l =
		(struct live *)((char *)task - offsetof(struct live, task));
	struct buf news;
	bool ready, lost;

	(void)pthread_mutex_lock(&l->lock);
	news = l->news;
	l->news = (struct buf)BUF_INIT;
	ready = l->ready;
	lost = l->lost;
	l->posted = l->lost = false;
	(void)pthread_mutex_unlock(&l->lock);
	if (lost)
		hang_up_all(l);
	if (ready)
		greet_all(l);
	if (news.len)
		send_to_all(l, buf_str(&news));
	buf_free(&news);
}

struct live *live_new(struct web_page *p)
{
	struct live *l = calloc(1, sizeof(*l));
	pthread_condattr_t clock;

	if (!l)
		out_of_memory();
	l->page = p;
	l->task.run = on_news;
	(void)pthread_mutex_init(&l->lock, NULL);
	(void)pthread_condattr_init(&clock);
	(void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&l->wake, &clock);
	(void)pthread_condattr_destroy(&clock);
	activity_listen(p->options.activity, heard, l);
	return l;
}

void live_free(struct live *l)
{
	activity_listen(l->page->options.activity, NULL, NULL);
	(void)pthread_mutex_lock(&l->lock);
	l->ends = true;
	(void)pthread_cond_signal(&l->wake);
	(void)pthread_mutex_unlock(&l->lock);
	if (l->started)
		(void)pthread_join(l->thread, NULL);
	while (l->listeners)
		drop(l, l->listeners);
	(void)pthread_cond_destroy(&l->wake);
	(void)pthread_mutex_destroy(&l->lock);
	free(l->looked.approvals);
	free(l->looked.waits);
	free(l->looked.grants);
	free(l->looked.ops);
	arena_free(&l->clients_mem);
	buf_free(&l->news);
	free(l);
}

static bool start(struct live *l)
{
	if (!l->started)
		l->started = !pthread_create(&l->thread, NULL, live_watch, l);
	return l->started;
}

static bool is_ready(struct live *l)
{
	bool ready;

	(void)pthread_mutex_lock(&l->lock);
	ready = l->ready;
	(void)pthread_mutex_unlock(&l->lock);
	return ready;
}

void live_open(struct live *l, struct http_exchange *x)
{
	struct listener *n;

	if (l->count >= MOST_LISTENERS || !start(l)) {
		page_refuse(x, 503, STR("Too many pages are open"));
		return;
	}
	n = calloc(1, sizeof(*n));
	if (!n)
		out_of_memory();
	n->x = x;
	n->next = l->listeners;
	l->listeners = n;
	set_count(l, 1);
	http_stream(x, "text/event-stream", page_headers());
	if (is_ready(l))
		greet_all(l);
}

void live_gone(struct live *l, struct http_exchange *x)
{
	struct listener *n = l->listeners;

	while (n && n->x != x)
		n = n->next;
	if (n)
		drop(l, n);
}

static const struct endpoint_client *find(const struct endpoint_client *in,
					  size_t n, struct endpoint_client who)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(in[i].session, who.session) &&
		    str_eq(in[i].name, who.name) &&
		    str_eq(in[i].client, who.client))
			return &in[i];
	return NULL;
}

static void tell_client(struct live *l, const struct endpoint_client *c,
			bool gone)
{
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	json_open(&o, '{');
	put_client(&o, c);
	put_flag(&o, "gone", gone);
	json_close(&o, '}');
	live_tell(l, "client", &data);
}

/* Who came, and who went, since the last time. */
static void look_at_clients(struct live *l)
{
	struct endpoint_client *now;
	struct arena mem = ARENA_INIT;
	size_t n;

	if (!l->page->options.endpoint)
		return;
	endpoint_clients(l->page->options.endpoint, &mem, &now, &n);
	for (size_t i = 0; i < n; i++)
		if (!find(l->clients, l->client_count, now[i]))
			tell_client(l, &now[i], false);
	for (size_t i = 0; i < l->client_count; i++)
		if (!find(now, n, l->clients[i]))
			tell_client(l, &l->clients[i], true);
	arena_free(&l->clients_mem);
	l->clients_mem = mem;
	l->clients = now;
	l->client_count = n;
}

void live_tick(struct live *l)
{
	uint64_t now = clock_ms();

	if (http_is_stopping(l->page->options.http))
		hang_up_all(l);
	if (!l->listeners)
		return;
	if (now >= l->clients_at) {
		l->clients_at = now + CLIENTS_MS;
		look_at_clients(l);
	}
	if (now >= l->comment_at) {
		l->comment_at = now + COMMENT_MS;
		send_to_all(l, STR(": \n\n"));
	}
}
