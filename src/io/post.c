/* post.c - answers: as a whole, or as a stream of events. */

#include "base/clock.h"
#include "io/endpoint_local.h"

#include <stdlib.h>

enum {
	RETRY_MS = 1000,              /* before a client comes back */
	MOST_KEPT = 64 * 1024 * 1024, /* bytes of events, of all sessions */
	STILL_HERE_MS = 15 * 1000,
};

static const struct str stream_headers =
	STR_INIT("Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n");

/* Something for the loop's thread to send, or to do. */
struct parcel {
	struct http_task task; /* first: it is cast */
	struct post *post;     /* NULL: for the party's own stream */
	struct party *party;
	bool pause;
	size_t len;
	char bytes[];
};

struct post *post_new(struct party *p, struct http_exchange *x, struct job *job)
{
	struct post *post = calloc(1, sizeof(*post));

	if (!post)
		out_of_memory();
	atomic_init(&post->refs, 1);
	atomic_fetch_add(&p->refs, 1);
	post->party = p;
	post->x = x;
	post->job = job;
	post->since = clock_ms();
	post->next = p->posts;
	post->link = &p->posts;
	if (post->next)
		post->next->link = &post->next;
	p->posts = post;
	http_set(x, post);
	if (job)
		job->holder = post;
	return post;
}

static void unref(struct post *post)
{
	struct party *p = post->party;

	if (atomic_fetch_sub(&post->refs, 1) != 1)
		return;
	free(post);
	party_unref(p);
}

/* It is over: what is on its way to it from other threads is dropped. */
static void close_post(struct post *post)
{
	struct job *job = post->job;

	post->done = true;
	*post->link = post->next;
	if (post->next)
		post->next->link = post->link;
	if (post->x)
		http_set(post->x, NULL);
	post->x = NULL;
	post->job = NULL;
	if (job)
		endpoint_put_job(post->party->endpoint, job);
	unref(post);
}

static void drop_event(struct party *p)
{
	struct event *event = p->kept;

	p->kept = event->next;
	if (!p->kept)
		p->kept_end = &p->kept;
	p->kept_bytes -= event->len;
	p->account->kept_bytes -= event->len;
	p->endpoint->kept_bytes -= event->len;
	charge_set(&p->endpoint->kept, p->endpoint->kept_bytes);
	free(event);
}

void post_forget_events(struct party *p, size_t down_to)
{
	while (p->kept && p->kept_bytes > down_to)
		drop_event(p);
}

static void keep(struct party *p, unsigned stream, uint64_t number,
		 struct str bytes, bool last)
{
	struct endpoint *e = p->endpoint;
	struct event *event;

	if (p->ended || bytes.len > e->options.kept)
		return;
	post_forget_events(p, e->options.kept - bytes.len);
	while (e->kept_bytes + bytes.len > MOST_KEPT ||
	       !charge_raise(&e->kept, e->kept_bytes + bytes.len))
		if (!party_forget_events(e))
			return;
	event = malloc(sizeof(*event) + bytes.len);
	if (!event)
		return;
	*event = (struct event){ .stream = stream,
				 .number = number,
				 .last = last,
				 .len = bytes.len };
	memcpy(event->bytes, bytes.ptr, bytes.len);
	*p->kept_end = event;
	p->kept_end = &event->next;
	p->kept_bytes += bytes.len;
	p->account->kept_bytes += bytes.len;
	e->kept_bytes += bytes.len;
}

/* To whoever is there; that may be nobody any more. */
static void put(struct post *post, struct str bytes)
{
	if (!post->x)
		return;
	post->since = clock_ms();
	if (!http_send(post->x, bytes))
		post->x = NULL;
}

static void put_event(struct post *post, struct str message, bool last)
{
	struct party *p = post->party;
	auto_buf out = BUF_INIT;

	post->events++;
	buf_lit(&out, "event: message\n");
	if (p->session)
		buf_addf(&out, "id: %u-%llu\n", post->stream,
			 (unsigned long long)post->events);
	buf_lit(&out, "data: ");
	buf_add(&out, message);
	buf_lit(&out, "\n\n");
	if (p->session)
		keep(p, post->stream, post->events, buf_str(&out), last);
	put(post, buf_str(&out));
}

static bool primes(const struct party *p)
{
	return p->session && p->lane.link.dialect &&
	       p->lane.link.dialect->primes;
}

static void begin_stream(struct post *post)
{
	auto_buf out = BUF_INIT;

	http_stream(post->x, "text/event-stream", stream_headers);
	if (!primes(post->party))
		return;
	buf_addf(&out, "id: %u-%llu\nretry: %d\ndata: \n\n", post->stream,
		 (unsigned long long)post->events, RETRY_MS);
	put(post, buf_str(&out));
}

void post_stream(struct post *post)
{
	if (post->streaming || !post->takes_events)
		return;
	post->streaming = true;
	if (post->job)
		post->stream = ++post->party->streams;
	if (post->x)
		begin_stream(post);
}

void post_still_here(struct post *post)
{
	if (!post->x || clock_ms() < post->since + STILL_HERE_MS)
		return;
	post_stream(post);
	if (post->streaming)
		put(post, STR(": still here\n\n"));
}

static void answer(struct post *post)
{
	const struct job *job = post->job;
	struct party *p = post->party;
	auto_buf headers = BUF_INIT;

	if (!job->reply.len) {
		http_reply(post->x, 202, NULL, STR(""), STR(""));
		return;
	}
	if (post->hello && p->lane.link.dialect)
		buf_addf(&headers, "Mcp-Session-Id: %s\r\n", p->id);
	http_reply(post->x, job->status, "application/json", buf_str(&headers),
		   buf_str(&job->reply));
}

void post_finish(struct post *post)
{
	struct buf *reply = &post->job->reply;

	if (post->streaming && reply->len)
		put_event(post, buf_str(reply), true);
	if (post->x && post->streaming)
		http_end(post->x);
	else if (post->x)
		answer(post);
	post->x = NULL;
	close_post(post);
}

void post_end(struct post *post)
{
	if (post->x && post->streaming)
		http_end(post->x);
	else if (post->x)
		http_reply(post->x, 404, "text/plain", STR(""),
			   STR("The session has ended\n"));
	post->x = NULL;
	if (post->job)
		lane_give_up(&post->party->lane, post->job);
	else
		close_post(post);
}

void post_gone(struct post *post)
{
	post->x = NULL;
	if (!post->job)
		close_post(post);
	else if (post->modern)
		lane_give_up(&post->party->lane, post->job);
}

static void send_parcel(struct parcel *parcel)
{
	struct post *post = parcel->post;

	if (post->done)
		return;
	if (!parcel->pause) {
		post_stream(post);
		if (post->streaming)
			put_event(post, str_make(parcel->bytes, parcel->len),
				  false);
		return;
	}
	if (!primes(post->party))
		return;
	post_stream(post);
	if (post->x && post->streaming) {
		http_set(post->x, NULL);
		http_end(post->x);
		post->x = NULL;
	}
}

static struct post *general_of(struct party *p)
{
	struct post *post = p->posts;

	while (post && post->job)
		post = post->next;
	return post;
}

/* For the stream of GET: it waits there when nobody listens. */
static void send_general(const struct parcel *parcel)
{
	struct party *p = parcel->party;
	struct post *post = general_of(p), nobody = { .party = p };

	if (p->ended)
		return;
	if (!post)
		post = &nobody;
	post->events = p->general;
	put_event(post, str_make(parcel->bytes, parcel->len), false);
	p->general = post->events;
}

static void on_parcel(struct http_task *task)
{
	struct parcel *parcel = (struct parcel *)task;

	if (parcel->post) {
		send_parcel(parcel);
		unref(parcel->post);
	} else {
		send_general(parcel);
		party_unref(parcel->party);
	}
	free(parcel);
}

static void post_parcel(struct party *p, struct post *post, struct str message,
			bool pause)
{
	struct parcel *parcel = malloc(sizeof(*parcel) + message.len);

	if (!parcel)
		out_of_memory();
	*parcel = (struct parcel){ .task.run = on_parcel,
				   .post = post,
				   .party = p,
				   .pause = pause,
				   .len = message.len };
	if (message.len)
		memcpy(parcel->bytes, message.ptr, message.len);
	atomic_fetch_add(post ? &post->refs : &p->refs, 1);
	http_later(p->endpoint->http, &parcel->task);
}

void post_send_general(struct peer *peer, struct str message)
{
	struct party *p =
		(struct party *)((char *)peer - offsetof(struct party, peer));

	post_parcel(p, NULL, message, false);
}

void post_send(struct peer *peer, struct str message)
{
	struct post *post = (struct post *)peer;

	post_parcel(post->party, post, message, false);
}

void post_pause(struct peer *peer)
{
	struct post *post = (struct post *)peer;

	post_parcel(post->party, post, STR(""), true);
}

/* "3-7": the event of number 7 in stream 3. */
static bool read_event_id(struct str id, unsigned *stream, uint64_t *number)
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

/* Is all there that came behind it? */
static bool has_all(const struct party *p, unsigned stream, uint64_t number,
		    uint64_t events)
{
	const struct event *event = p->kept;

	while (event && (event->stream != stream || event->number <= number))
		event = event->next;
	return event ? event->number == number + 1 : number == events;
}

/* The number of its last event; 0: it has not ended, or is forgotten. */
static uint64_t ended(const struct party *p, unsigned stream)
{
	for (const struct event *event = p->kept; event; event = event->next)
		if (event->stream == stream && event->last)
			return event->number;
	return 0;
}

static void replay(struct post *post, uint64_t number)
{
	const struct event *event = post->party->kept;

	for (; event && post->x; event = event->next)
		if (event->stream == post->stream && event->number > number)
			put(post, str_make(event->bytes, event->len));
}

/* The stream of a request that has its answer by now: a last look. */
static void resume_ended(struct party *p, struct http_exchange *x,
			 unsigned stream, uint64_t number)
{
	struct post *post = post_new(p, x, NULL);

	post->streaming = true;
	post->stream = stream;
	http_stream(x, "text/event-stream", stream_headers);
	replay(post, number);
	post_end(post);
}

/* The request is still being answered: whoever was there is no more. */
static void resume_open(struct post *post, struct http_exchange *x,
			uint64_t number)
{
	if (post->x) {
		http_set(post->x, NULL);
		http_end(post->x);
	}
	post->x = x;
	http_set(x, post);
	http_stream(x, "text/event-stream", stream_headers);
	replay(post, number);
}

static void open_general(struct party *p, struct http_exchange *x,
			 uint64_t number)
{
	struct post *post = general_of(p);

	if (post) /* a client has one of these: the newest */
		post_end(post);
	post = post_new(p, x, NULL);
	post->takes_events = true;
	post->events = number;
	post_stream(post);
	replay(post, number);
}

void post_general(struct party *p, struct http_exchange *x)
{
	open_general(p, x, p->general);
}

bool post_resume(struct party *p, struct http_exchange *x,
		 struct str last_event)
{
	struct post *post = p->posts;
	unsigned stream;
	uint64_t number;

	if (!read_event_id(last_event, &stream, &number))
		return false;
	if (!stream) {
		if (!has_all(p, 0, number, p->general))
			return false;
		open_general(p, x, number);
		return true;
	}
	while (post && (post->stream != stream || !post->job))
		post = post->next;
	if (post && has_all(p, stream, number, post->events))
		resume_open(post, x, number);
	else if (!post && ended(p, stream) &&
		 has_all(p, stream, number, ended(p, stream)))
		resume_ended(p, x, stream, number);
	else
		return false;
	return true;
}
