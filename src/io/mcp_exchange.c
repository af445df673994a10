/*
 * mcp_exchange.c - the answer to an MCP request: JSON, or a stream of events.
 *
 * The response becomes a stream (SSE) when a message precedes the reply.
 * Events of a session are kept, within limits, so that a client can resume a
 * stream with Last-Event-ID. Messages come from any thread as mail; everything
 * else is for the loop's thread.
 */

#include "base/clock.h"
#include "io/endpoint_local.h"
#include "io/loop.h"

#include <stdlib.h>

enum {
	RETRY_MS = 1000, /* "retry:" of SSE, the delay before reconnecting */
	MOST_KEPT =
		64 * 1024 * 1024, /* bytes of kept events, of all sessions */
	KEEP_ALIVE_MS = 15 * 1000,
};

static const struct str stream_headers =
	STR_INIT("Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n");

/* A message to send, or a pause, posted from any thread. */
struct exchange_mail {
	struct mail mail;              /* first: it is cast */
	struct mcp_exchange *exchange; /* NULL: for the stream of GET */
	struct mcp_session *session;
	bool pause;
	size_t len;
	char bytes[];
};

struct mcp_exchange *mcp_exchange_new(struct mcp_session *s,
				      struct http_exchange *x, struct job *job)
{
	struct mcp_exchange *exchange = calloc(1, sizeof(*exchange));

	if (!exchange)
		out_of_memory();
	atomic_init(&exchange->refs, 1);
	atomic_fetch_add(&s->refs, 1);
	exchange->session = s;
	exchange->x = x;
	exchange->job = job;
	exchange->since = clock_ms();
	exchange->next = s->exchanges;
	exchange->link = &s->exchanges;
	if (exchange->next)
		exchange->next->link = &exchange->next;
	s->exchanges = exchange;
	http_set(x, exchange);
	if (job)
		job->holder = exchange;
	return exchange;
}

static void exchange_unref(struct mcp_exchange *exchange)
{
	struct mcp_session *s = exchange->session;

	if (atomic_fetch_sub(&exchange->refs, 1) != 1)
		return;
	free(exchange);
	mcp_session_unref(s);
}

/* Undelivered mail holds a reference, and is dropped because of @done. */
static void exchange_close(struct mcp_exchange *exchange)
{
	struct job *job = exchange->job;

	exchange->done = true;
	*exchange->link = exchange->next;
	if (exchange->next)
		exchange->next->link = exchange->link;
	if (exchange->x)
		http_set(exchange->x, NULL);
	exchange->x = NULL;
	exchange->job = NULL;
	if (job)
		endpoint_put_job(exchange->session->endpoint, job);
	exchange_unref(exchange);
}

static void kept_event_drop(struct mcp_session *s)
{
	struct kept_event *event = s->kept;

	s->kept = event->next;
	if (!s->kept)
		s->kept_end = &s->kept;
	s->kept_bytes -= event->len;
	s->account->kept_bytes -= event->len;
	s->endpoint->kept_bytes -= event->len;
	charge_set(&s->endpoint->kept, s->endpoint->kept_bytes);
	free(event);
}

void mcp_session_drop_events(struct mcp_session *s, size_t down_to)
{
	while (s->kept && s->kept_bytes > down_to)
		kept_event_drop(s);
}

static void kept_event_add(struct mcp_session *s, unsigned stream,
			   uint64_t number, struct str bytes, bool last)
{
	struct endpoint *e = s->endpoint;
	struct kept_event *event;

	if (s->ended || bytes.len > e->options.kept)
		return;
	mcp_session_drop_events(s, e->options.kept - bytes.len);
	while (e->kept_bytes + bytes.len > MOST_KEPT ||
	       !charge_raise(&e->kept, e->kept_bytes + bytes.len))
		if (!mcp_session_evict_events(e))
			return;
	event = malloc(sizeof(*event) + bytes.len);
	if (!event)
		return;
	*event = (struct kept_event){ .stream = stream,
				      .number = number,
				      .last = last,
				      .len = bytes.len };
	memcpy(event->bytes, bytes.ptr, bytes.len);
	*s->kept_end = event;
	s->kept_end = &event->next;
	s->kept_bytes += bytes.len;
	s->account->kept_bytes += bytes.len;
	e->kept_bytes += bytes.len;
}

/* Write to the client, if it is still connected. */
static void exchange_write(struct mcp_exchange *exchange, struct str bytes)
{
	if (!exchange->x)
		return;
	exchange->since = clock_ms();
	if (!http_send(exchange->x, bytes))
		exchange->x = NULL;
}

static void exchange_write_event(struct mcp_exchange *exchange,
				 struct str message, bool last)
{
	struct mcp_session *s = exchange->session;
	auto_buf out = BUF_INIT;

	exchange->events++;
	buf_lit(&out, "event: message\n");
	if (s->has_id)
		buf_addf(&out, "id: %u-%llu\n", exchange->stream,
			 (unsigned long long)exchange->events);
	buf_lit(&out, "data: ");
	buf_add(&out, message);
	buf_lit(&out, "\n\n");
	if (s->has_id)
		kept_event_add(s, exchange->stream, exchange->events,
			       buf_str(&out), last);
	exchange_write(exchange, buf_str(&out));
}

static bool session_primes(const struct mcp_session *s)
{
	return s->has_id && s->queue.link.dialect &&
	       s->queue.link.dialect->primes;
}

static void exchange_begin_stream(struct mcp_exchange *exchange)
{
	auto_buf out = BUF_INIT;

	http_stream(exchange->x, "text/event-stream", stream_headers);
	if (!session_primes(exchange->session))
		return;
	buf_addf(&out, "id: %u-%llu\nretry: %d\ndata: \n\n", exchange->stream,
		 (unsigned long long)exchange->events, RETRY_MS);
	exchange_write(exchange, buf_str(&out));
}

/* Begin a stream of events, unless the client does not accept one. */
static void mcp_exchange_stream(struct mcp_exchange *exchange)
{
	if (exchange->streaming || !exchange->takes_events)
		return;
	exchange->streaming = true;
	if (exchange->job)
		exchange->stream = ++exchange->session->streams;
	if (exchange->x)
		exchange_begin_stream(exchange);
}

void mcp_exchange_keep_alive(struct mcp_exchange *exchange)
{
	if (!exchange->x || clock_ms() < exchange->since + KEEP_ALIVE_MS)
		return;
	mcp_exchange_stream(exchange);
	if (exchange->streaming)
		exchange_write(exchange, STR(": still here\n\n"));
}

static void exchange_answer(struct mcp_exchange *exchange)
{
	const struct job *job = exchange->job;
	struct mcp_session *s = exchange->session;
	auto_buf headers = BUF_INIT;

	if (!job->reply.len) {
		http_reply(exchange->x, 202, NULL, STR(""), STR(""));
		return;
	}
	if (exchange->hello && s->queue.link.dialect)
		buf_addf(&headers, "Mcp-Session-Id: %s\r\n", s->id);
	http_reply(exchange->x, job->status, "application/json",
		   buf_str(&headers), buf_str(&job->reply));
}

void mcp_exchange_finish(struct mcp_exchange *exchange)
{
	struct buf *reply = &exchange->job->reply;

	if (exchange->streaming && reply->len)
		exchange_write_event(exchange, buf_str(reply), true);
	if (exchange->x && exchange->streaming)
		http_end(exchange->x);
	else if (exchange->x)
		exchange_answer(exchange);
	exchange->x = NULL;
	exchange_close(exchange);
}

void mcp_exchange_end(struct mcp_exchange *exchange)
{
	if (exchange->x && exchange->streaming)
		http_end(exchange->x);
	else if (exchange->x)
		http_reply(exchange->x, 404, "text/plain", STR(""),
			   STR("The session has ended\n"));
	exchange->x = NULL;
	if (exchange->job)
		call_queue_abandon(&exchange->session->queue, exchange->job);
	else
		exchange_close(exchange);
}

void mcp_exchange_disconnected(struct mcp_exchange *exchange)
{
	exchange->x = NULL;
	if (!exchange->job)
		exchange_close(exchange);
	else if (exchange->modern)
		call_queue_abandon(&exchange->session->queue, exchange->job);
}

static void exchange_deliver(struct exchange_mail *m)
{
	struct mcp_exchange *exchange = m->exchange;

	if (exchange->done)
		return;
	if (!m->pause) {
		mcp_exchange_stream(exchange);
		if (exchange->streaming)
			exchange_write_event(exchange,
					     str_make(m->bytes, m->len), false);
		return;
	}
	if (!session_primes(exchange->session))
		return;
	mcp_exchange_stream(exchange);
	if (exchange->x && exchange->streaming) {
		http_set(exchange->x, NULL);
		http_end(exchange->x);
		exchange->x = NULL;
	}
}

static struct mcp_exchange *session_listener(struct mcp_session *s)
{
	struct mcp_exchange *exchange = s->exchanges;

	while (exchange && exchange->job)
		exchange = exchange->next;
	return exchange;
}

/* On the stream of GET; without one, the event is only kept. */
static void session_deliver(const struct exchange_mail *m)
{
	struct mcp_session *s = m->session;
	struct mcp_exchange *exchange = session_listener(s),
			    nobody = { .session = s };

	if (s->ended)
		return;
	if (!exchange)
		exchange = &nobody;
	exchange->events = s->general;
	exchange_write_event(exchange, str_make(m->bytes, m->len), false);
	s->general = exchange->events;
}

static void on_exchange_mail(struct mail *mail)
{
	struct exchange_mail *m = (struct exchange_mail *)mail;

	if (m->exchange) {
		exchange_deliver(m);
		exchange_unref(m->exchange);
	} else {
		session_deliver(m);
		mcp_session_unref(m->session);
	}
	free(m);
}

static void exchange_post_mail(struct mcp_session *s,
			       struct mcp_exchange *exchange,
			       struct str message, bool pause)
{
	struct exchange_mail *m = malloc(sizeof(*m) + message.len);

	if (!m)
		out_of_memory();
	*m = (struct exchange_mail){ .mail.deliver = on_exchange_mail,
				     .exchange = exchange,
				     .session = s,
				     .pause = pause,
				     .len = message.len };
	if (message.len)
		memcpy(m->bytes, message.ptr, message.len);
	atomic_fetch_add(exchange ? &exchange->refs : &s->refs, 1);
	loop_post(http_loop(s->endpoint->http), &m->mail);
}

void mcp_session_send(struct peer *peer, struct str message)
{
	struct mcp_session *s =
		(struct mcp_session *)((char *)peer -
				       offsetof(struct mcp_session, peer));

	exchange_post_mail(s, NULL, message, false);
}

void mcp_exchange_send(struct peer *peer, struct str message)
{
	struct mcp_exchange *exchange = (struct mcp_exchange *)peer;

	exchange_post_mail(exchange->session, exchange, message, false);
}

void mcp_exchange_pause(struct peer *peer)
{
	struct mcp_exchange *exchange = (struct mcp_exchange *)peer;

	exchange_post_mail(exchange->session, exchange, STR(""), true);
}

/* "3-7": event 7 of stream 3. */
static bool event_id_read(struct str id, unsigned *stream, uint64_t *number)
{
	enum { MOST_DIGITS = 9 };
	size_t dash = str_find(id, '-');
	uint64_t parts[2] = { 0, 0 };
	struct str text[2] = { str_head(id, dash), str_skip(id, dash + 1) };

	for (int i = 0; i < 2; i++) {
		if (!text[i].len || text[i].len > MOST_DIGITS)
			return false;
		for (size_t k = 0; k < text[i].len; k++) {
			char c = text[i].ptr[k];

			if (c < '0' || c > '9')
				return false;
			parts[i] = parts[i] * 10 + (uint64_t)(c - '0');
		}
	}
	*stream = (unsigned)parts[0];
	*number = parts[1];
	return true;
}

/* Are all events of the stream after @number still kept? */
static bool kept_events_has_all(const struct mcp_session *s, unsigned stream,
				uint64_t number, uint64_t events)
{
	const struct kept_event *event = s->kept;

	while (event && (event->stream != stream || event->number <= number))
		event = event->next;
	return event ? event->number == number + 1 : number == events;
}

/* The number of a stream's last event; 0: it runs, or was dropped. */
static uint64_t kept_stream_end(const struct mcp_session *s, unsigned stream)
{
	for (const struct kept_event *event = s->kept; event;
	     event = event->next)
		if (event->stream == stream && event->last)
			return event->number;
	return 0;
}

static void exchange_replay(struct mcp_exchange *exchange, uint64_t number)
{
	const struct kept_event *event = exchange->session->kept;

	for (; event && exchange->x; event = event->next)
		if (event->stream == exchange->stream && event->number > number)
			exchange_write(exchange,
				       str_make(event->bytes, event->len));
}

/* The request was answered meanwhile: send the rest and end. */
static void resume_finished(struct mcp_session *s, struct http_exchange *x,
			    unsigned stream, uint64_t number)
{
	struct mcp_exchange *exchange = mcp_exchange_new(s, x, NULL);

	exchange->streaming = true;
	exchange->stream = stream;
	http_stream(x, "text/event-stream", stream_headers);
	exchange_replay(exchange, number);
	mcp_exchange_end(exchange);
}

/* The request still runs: its stream goes on at the new connection. */
static void resume_running(struct mcp_exchange *exchange,
			   struct http_exchange *x, uint64_t number)
{
	if (exchange->x) {
		http_set(exchange->x, NULL);
		http_end(exchange->x);
	}
	exchange->x = x;
	http_set(x, exchange);
	http_stream(x, "text/event-stream", stream_headers);
	exchange_replay(exchange, number);
}

static void open_listener(struct mcp_session *s, struct http_exchange *x,
			  uint64_t number)
{
	struct mcp_exchange *exchange = session_listener(s);

	if (exchange) /* a session has one: the newest */
		mcp_exchange_end(exchange);
	exchange = mcp_exchange_new(s, x, NULL);
	exchange->takes_events = true;
	exchange->events = number;
	mcp_exchange_stream(exchange);
	exchange_replay(exchange, number);
}

void mcp_exchange_listen(struct mcp_session *s, struct http_exchange *x)
{
	open_listener(s, x, s->general);
}

bool mcp_exchange_resume(struct mcp_session *s, struct http_exchange *x,
			 struct str last_event)
{
	struct mcp_exchange *exchange = s->exchanges;
	unsigned stream;
	uint64_t number;

	if (!event_id_read(last_event, &stream, &number))
		return false;
	if (!stream) {
		if (!kept_events_has_all(s, 0, number, s->general))
			return false;
		open_listener(s, x, number);
		return true;
	}
	while (exchange && (exchange->stream != stream || !exchange->job))
		exchange = exchange->next;
	if (exchange &&
	    kept_events_has_all(s, stream, number, exchange->events))
		resume_running(exchange, x, number);
	else if (!exchange && kept_stream_end(s, stream) &&
		 kept_events_has_all(s, stream, number,
				     kept_stream_end(s, stream)))
		resume_finished(s, x, stream, number);
	else
		return false;
	return true;
}
