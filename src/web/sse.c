/*
 * sse.c - the streams of Server-Sent Events, and what is sent on them.
 *
 * This half belongs to the loop's thread: it owns the list of streams. Events
 * are queued from any thread under the mutex of struct sse, and mailed to the
 * loop, which sends them. A queue that grows too long closes all streams; each
 * page connects again and fetches the lists. sse_poll.c looks for events in the
 * store.
 */
#include "web/sse.h"

#include "base/clock.h"
#include "io/loop.h"
#include "web/sse_local.h"

#include <stdlib.h>

enum {
	MOST_PENDING = 4 * 1024 * 1024, /* bytes that wait to be sent */
	MOST_STREAMS = 64,
	COMMENT_MS = 15 * 1000,
	CLIENTS_MS = 1000,
};

void sse_wake_loop(struct sse *l)
{
	if (l->posted)
		return;
	l->posted = true;
	loop_post(http_loop(l->page->options.http), &l->mail);
}

void sse_send(struct sse *l, const char *event, const struct buf *data)
{
	(void)pthread_mutex_lock(&l->lock);
	if (l->pending.len + data->len > MOST_PENDING) {
		l->overflowed = true;
	} else {
		buf_addf(&l->pending, "event: %s\ndata: ", event);
		buf_add(&l->pending, buf_str(data));
		buf_lit(&l->pending, "\n\n");
	}
	sse_wake_loop(l);
	(void)pthread_mutex_unlock(&l->lock);
}

void sse_overflow(struct sse *l)
{
	(void)pthread_mutex_lock(&l->lock);
	l->overflowed = true;
	sse_wake_loop(l);
	(void)pthread_mutex_unlock(&l->lock);
}

void sse_poll_now(struct sse *l)
{
	(void)pthread_mutex_lock(&l->lock);
	l->poll = true;
	(void)pthread_cond_signal(&l->wake);
	(void)pthread_mutex_unlock(&l->lock);
}

static bool has_streams(struct sse *l)
{
	bool is;

	(void)pthread_mutex_lock(&l->lock);
	is = l->count > 0;
	(void)pthread_mutex_unlock(&l->lock);
	return is;
}

/* On the thread of the call. */
static void on_activity(void *ctx, const struct activity_call *call)
{
	struct sse *l = ctx;
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	if (!has_streams(l))
		return;
	activity_put(&o, call);
	sse_send(l, "call", &data);
	if (call->state != ACTIVITY_RUNNING)
		sse_poll_now(l);
}

static void add_count(struct sse *l, int by)
{
	(void)pthread_mutex_lock(&l->lock);
	l->count = (unsigned)((int)l->count + by);
	if (!l->count) {
		l->ready = false;
		buf_clear(&l->pending, 0);
	}
	(void)pthread_cond_signal(&l->wake);
	(void)pthread_mutex_unlock(&l->lock);
}

/* Remove it from the list; the caller has saved its successor. */
static void sse_stream_close(struct sse *l, struct sse_stream *gone)
{
	struct sse_stream **at = &l->streams;

	while (*at != gone)
		at = &(*at)->next;
	*at = gone->next;
	free(gone);
	add_count(l, -1);
}

static void send_to_all(struct sse *l, struct str bytes)
{
	struct sse_stream *n, *next;

	for (n = l->streams; n; n = next) {
		next = n->next;
		if (n->hello_sent && !http_send(n->x, bytes))
			sse_stream_close(l, n);
	}
}

static void send_hello(struct sse *l)
{
	struct sse_stream *n, *next;

	for (n = l->streams; n; n = next) {
		next = n->next;
		if (n->hello_sent)
			continue;
		n->hello_sent = true;
		if (!http_send(n->x, STR("event: hello\ndata: {}\n\n")))
			sse_stream_close(l, n);
	}
}

static void close_all(struct sse *l)
{
	while (l->streams) {
		struct http_exchange *x = l->streams->x;

		sse_stream_close(l, l->streams);
		http_end(x);
	}
}

static void on_mail(struct mail *mail)
{
	struct sse *l =
		(struct sse *)((char *)mail - offsetof(struct sse, mail));
	struct buf pending;
	bool ready, overflowed;

	(void)pthread_mutex_lock(&l->lock);
	pending = l->pending;
	l->pending = (struct buf)BUF_INIT;
	ready = l->ready;
	overflowed = l->overflowed;
	l->posted = l->overflowed = false;
	(void)pthread_mutex_unlock(&l->lock);
	if (overflowed)
		close_all(l);
	if (ready)
		send_hello(l);
	if (pending.len)
		send_to_all(l, buf_str(&pending));
	buf_free(&pending);
}

struct sse *sse_new(struct web_page *p)
{
	struct sse *l = calloc(1, sizeof(*l));
	pthread_condattr_t clock;

	if (!l)
		out_of_memory();
	l->page = p;
	l->mail.deliver = on_mail;
	(void)pthread_mutex_init(&l->lock, NULL);
	(void)pthread_condattr_init(&clock);
	(void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&l->wake, &clock);
	(void)pthread_condattr_destroy(&clock);
	activity_listen(p->options.activity, on_activity, l);
	return l;
}

void sse_free(struct sse *l)
{
	activity_listen(l->page->options.activity, NULL, NULL);
	(void)pthread_mutex_lock(&l->lock);
	l->ends = true;
	(void)pthread_cond_signal(&l->wake);
	(void)pthread_mutex_unlock(&l->lock);
	if (l->started)
		(void)pthread_join(l->thread, NULL);
	while (l->streams)
		sse_stream_close(l, l->streams);
	/* The mail may be on its way. */
	mailbox_drain(loop_mailbox(http_loop(l->page->options.http)));
	(void)pthread_cond_destroy(&l->wake);
	(void)pthread_mutex_destroy(&l->lock);
	free(l->snapshot.approvals);
	free(l->snapshot.waits);
	free(l->snapshot.grants);
	free(l->snapshot.unused);
	free(l->snapshot.ops);
	arena_free(&l->clients_mem);
	buf_free(&l->pending);
	free(l);
}

static bool start_thread(struct sse *l)
{
	if (!l->started)
		l->started =
			!pthread_create(&l->thread, NULL, sse_poll_thread, l);
	return l->started;
}

static bool is_ready(struct sse *l)
{
	bool ready;

	(void)pthread_mutex_lock(&l->lock);
	ready = l->ready;
	(void)pthread_mutex_unlock(&l->lock);
	return ready;
}

void sse_open(struct sse *l, struct http_exchange *x)
{
	struct sse_stream *n;

	if (l->count >= MOST_STREAMS || !start_thread(l)) {
		page_refuse(x, 503, STR("Too many pages are open"));
		return;
	}
	n = calloc(1, sizeof(*n));
	if (!n)
		out_of_memory();
	n->x = x;
	n->next = l->streams;
	l->streams = n;
	add_count(l, 1);
	http_stream(x, "text/event-stream", page_headers());
	if (is_ready(l))
		send_hello(l);
}

void sse_gone(struct sse *l, struct http_exchange *x)
{
	struct sse_stream *n = l->streams;

	while (n && n->x != x)
		n = n->next;
	if (n)
		sse_stream_close(l, n);
}

static const struct endpoint_client *client_find(
	const struct endpoint_client *in, size_t n, struct endpoint_client who)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(in[i].session, who.session) &&
		    str_eq(in[i].name, who.name) &&
		    str_eq(in[i].client, who.client))
			return &in[i];
	return NULL;
}

static void send_client(struct sse *l, const struct endpoint_client *c,
			bool gone)
{
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	json_open(&o, '{');
	put_client(&o, c);
	put_flag(&o, "gone", gone);
	json_close(&o, '}');
	sse_send(l, "client", &data);
}

/* Reports clients that connected or disconnected since the last poll. */
static void poll_clients(struct sse *l)
{
	struct endpoint_client *now;
	struct arena mem = ARENA_INIT;
	size_t n;

	if (!l->page->options.endpoint)
		return;
	endpoint_clients(l->page->options.endpoint, &mem, &now, &n);
	for (size_t i = 0; i < n; i++)
		if (!client_find(l->clients, l->client_count, now[i]))
			send_client(l, &now[i], false);
	for (size_t i = 0; i < l->client_count; i++)
		if (!client_find(now, n, l->clients[i]))
			send_client(l, &l->clients[i], true);
	arena_free(&l->clients_mem);
	l->clients_mem = mem;
	l->clients = now;
	l->client_count = n;
}

void sse_tick(struct sse *l)
{
	uint64_t now = clock_ms();

	if (http_is_stopping(l->page->options.http))
		close_all(l);
	if (!l->streams)
		return;
	if (now >= l->clients_at) {
		l->clients_at = now + CLIENTS_MS;
		poll_clients(l);
	}
	if (now >= l->comment_at) {
		l->comment_at = now + COMMENT_MS;
		send_to_all(l, STR(": \n\n"));
	}
}
