/* One connection: reading, answering, and when it ends. */

#include "io/http_local.h"

#include <stdlib.h>

enum {
	DRAIN_BYTES = 1024 * 1024, /* of a body that was refused */
	DRAIN_MS = 1000,
	UNKNOWN_READ = 16 * 1024,  /* at a time, of an unknown peer */
	STALL_BYTES = 1024 * 1024, /* unread, of one who has shown a token */
};

static void feed(struct conn *c, struct str bytes);
static void say_bye(struct conn *c);

static size_t conn_bytes(const struct conn *c)
{
	return sizeof(*c) + c->x.head.cap + c->x.body.cap + c->rest.cap +
	       c->out.cap + c->queued;
}

void conn_count(struct conn *c)
{
	charge_set(&c->held, conn_bytes(c));
}

bool conn_affords(struct conn *c, size_t more)
{
	size_t bytes = size_add(conn_bytes(c), more);

	return charge_raise(&c->held, bytes) ||
	       (is_unknown(c) && admit_memory(c, more) &&
		charge_raise(&c->held, bytes));
}

static void on_closed(uv_handle_t *handle)
{
	struct conn *c = (struct conn *)handle;

	exchange_free(&c->x);
	buf_free(&c->rest);
	charge_set(&c->held, 0);
	free(c);
}

static void not_ready(struct conn *c)
{
	struct conn **at = &c->http->ready;

	while (*at && *at != c)
		at = &(*at)->next_ready;
	if (*at)
		*at = c->next_ready;
}

void conn_close(struct conn *c)
{
	const struct http_handler *handler = &c->http->options.handler;

	if (c->closing)
		return;
	conn_flush(c);
	c->closing = true;
	charge_move(&c->held, &c->http->closing_budget);
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	c->http->counts.connections--;
	admit_closed(c);
	not_ready(c);
	if (c->x.given && c->x.answer != ANSWER_DONE) {
		c->x.answer = ANSWER_DONE;
		handler->gone(handler->ctx, &c->x);
	}
	uv_close((uv_handle_t *)&c->tcp, on_closed);
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct conn *c = (struct conn *)handle;

	*buf = uv_buf_init(c->http->read_room,
			   is_unknown(c) ? UNKNOWN_READ
					 : sizeof(c->http->read_room));
}

/* Nothing more is read while much waits; of an unknown peer, anything. */
static bool rest_has_room(const struct conn *c)
{
	return c->rest.len <=
	       (is_unknown(c) ? 0 : c->http->options.limits.head);
}

/* Behind a request that is being answered: keep it, but not for ever. */
static void keep_rest(struct conn *c, struct str bytes)
{
	if (is_unknown(c) && !conn_affords(c, bytes.len)) {
		c->starved = true; /* closed as soon as it is answered */
		return;
	}
	buf_add(&c->rest, bytes);
	conn_count(c);
	if (!rest_has_room(c)) {
		(void)uv_read_stop((uv_stream_t *)&c->tcp);
		c->reading = false;
	}
}

/* It says no more; what it asked for before, it may still be reading. */
static void on_end(struct conn *c, ssize_t why)
{
	conn_flush(c);
	if (why != UV_EOF || !c->queued || c->x.answer != ANSWER_DONE) {
		conn_close(c);
		return;
	}
	(void)uv_read_stop((uv_stream_t *)&c->tcp);
	c->reading = false;
	c->ended = true;
	if (!c->drains)
		say_bye(c);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct conn *c = (struct conn *)stream;

	if (n < 0) {
		on_end(c, n);
		return;
	}
	c->http->counts.bytes_in += (uint64_t)n;
	if (c->drains) {
		c->drained += (size_t)n;
		if (c->drained > DRAIN_BYTES)
			conn_close(c);
		return;
	}
	if (c->rest.len || (c->busy && c->deadline == 0))
		keep_rest(c, str_make(buf->base, (size_t)n));
	else
		feed(c, str_make(buf->base, (size_t)n));
}

static void start_reading(struct conn *c)
{
	if (!c->reading && !c->closing && !c->ended)
		c->reading = !uv_read_start((uv_stream_t *)&c->tcp, give_room,
					    on_read);
}

static void next_request(struct conn *c)
{
	exchange_clear(&c->x);
	conn_count(c);
	c->scan = (struct head_scan){ 0 };
	c->busy = false;
	c->deadline = uv_now(&c->http->loop) + c->http->options.limits.idle_ms;
}

static void bad_request(struct conn *c, bool too_long)
{
	c->busy = true;
	c->drains = true;
	c->http->counts.bad++;
	c->x.request.method = STR("");
	http_reply(&c->x, too_long ? 431 : 400, "text/plain; charset=utf-8",
		   STR(""),
		   too_long ? STR("The head of the request is too long\n")
			    : STR("This is not an HTTP/1.1 request\n"));
}

/* A whole request is there: hand it over. */
static void hand_over(struct conn *c)
{
	const struct http_handler *handler = &c->http->options.handler;

	c->x.given = true;
	handler->request(handler->ctx, &c->x);
}

/* The lines of the head; false when they are not as they must be. */
static bool scan_head(struct conn *c, struct str bytes)
{
	bool before = c->scan.place <= HEAD_BEFORE_CR;
	enum head_place place =
		head_scan(&c->scan, bytes, c->http->options.limits.head);

	/* Empty lines before it buy no time. */
	if (before && place > HEAD_BEFORE_CR)
		c->deadline = uv_now(&c->http->loop) +
			      c->http->options.limits.head_ms;
	if (place <= HEAD_WHOLE)
		return true;
	bad_request(c, place == HEAD_LONG);
	return false;
}

/* Does what ends at @end, a body in chunks, end with CR LF? */
static bool ends_well(const struct conn *c, struct str bytes, const char *end)
{
	char before = end > bytes.ptr + 1 ? end[-2] : c->last_byte;

	return !(c->parser.flags & F_CHUNKED) || before == '\r';
}

/* Parse up to the end of a request, and hand that over. */
static void feed_one(struct conn *c, struct str bytes)
{
	enum llhttp_errno error;
	const char *stop;

	if (!scan_head(c, bytes))
		return;
	error = llhttp_execute(&c->parser, bytes.ptr, bytes.len);
	if (c->closing)
		return;
	if (error == HPE_OK) {
		c->last_byte = bytes.ptr[bytes.len - 1];
		return;
	}
	if (error != HPE_PAUSED && error != HPE_PAUSED_UPGRADE) {
		if (!c->drains && c->x.answer == ANSWER_NONE)
			bad_request(c, error == HPE_USER);
		return;
	}
	if (c->drains)
		return;
	stop = llhttp_get_error_pos(&c->parser);
	if (stop && !ends_well(c, bytes, stop)) {
		bad_request(c, false);
		return;
	}
	if (stop && stop < bytes.ptr + bytes.len)
		keep_rest(c, str_skip(bytes, (size_t)(stop - bytes.ptr)));
	hand_over(c);
}

/* What came behind a request is next as soon as that one is answered. */
static void feed(struct conn *c, struct str bytes)
{
	auto_buf rest = BUF_INIT;

	c->feeding = true;
	if (bytes.len)
		feed_one(c, bytes);
	while (c->rest.len && !c->busy && !c->closing && !c->drains) {
		buf_free(&rest);
		rest = c->rest;
		c->rest = (struct buf)BUF_INIT;
		feed_one(c, buf_str(&rest));
	}
	c->feeding = false;
	if (rest_has_room(c))
		start_reading(c);
}

/* All is with the peer, or with its system. */
static void on_bye(uv_shutdown_t *bye, int status)
{
	struct conn *c = (struct conn *)bye->handle;

	free(bye);
	if (c->closing)
		return;
	if (c->ended)
		conn_close(c);
	else
		c->deadline = uv_now(&c->http->loop) + DRAIN_MS;
}

/*
 * Say goodbye, and wait for the peer to hang up: closing at once with bytes
 * unread would take the answer back.
 */
static void say_bye(struct conn *c)
{
	uv_shutdown_t *bye = malloc(sizeof(*bye));

	if (!bye)
		out_of_memory();
	conn_flush(c);
	c->drains = true;
	c->deadline = 0; /* it has the time that it takes to be read */
	if (uv_shutdown(bye, (uv_stream_t *)&c->tcp, on_bye)) {
		free(bye);
		c->deadline = uv_now(&c->http->loop) + DRAIN_MS;
	}
	start_reading(c);
}

static void go_on(struct conn *c)
{
	llhttp_resume(&c->parser);
	next_request(c);
	if (rest_has_room(c))
		start_reading(c);
	if (c->feeding || !c->rest.len)
		return;
	/* Not from here: who answers is not to be asked the next thing. */
	c->next_ready = c->http->ready;
	c->http->ready = c;
	(void)uv_async_send(&c->http->wake);
}

void conn_go_on(struct http *h)
{
	struct conn *c;

	while ((c = h->ready)) {
		h->ready = c->next_ready;
		feed(c, STR(""));
	}
}

/*
 * Too much is unread to begin with the next request. Of an unknown peer that
 * is any byte that the system's buffer for the socket did not take.
 */
static bool leaves_too_much(const struct conn *c)
{
	return c->queued > (is_unknown(c) ? 0 : STALL_BYTES);
}

void conn_answered(struct conn *c)
{
	if (c->closing)
		return;
	if (c->starved) /* half an answer is none */
		conn_close(c);
	else if (c->drains || c->last || c->http->stopping)
		say_bye(c);
	else if (leaves_too_much(c))
		c->stalled = true;
	else
		go_on(c);
}

void conn_drained(struct conn *c)
{
	if (c->closing || !c->stalled || leaves_too_much(c))
		return;
	c->stalled = false;
	go_on(c);
}

/* The peer has left for long what we have for it. */
static bool is_stuck(struct conn *c, uint64_t now)
{
	size_t waiting = uv_stream_get_write_queue_size((uv_stream_t *)&c->tcp);
	uint64_t taken = c->written - waiting;

	if (!waiting || taken != c->taken) {
		c->taken = taken;
		c->taken_at = now;
	}
	return now - c->taken_at > c->http->options.limits.taken_ms;
}

void conn_check(struct conn *c, uint64_t now)
{
	conn_flush(c);
	if (c->starved) {
		conn_close(c);
		return;
	}
	if (is_stuck(c, now)) {
		c->http->counts.timeouts++;
		conn_close(c);
		return;
	}
	if (c->http->stopping && !c->busy && !c->queued) {
		conn_close(c);
		return;
	}
	if (!c->deadline || now < c->deadline)
		return;
	if (!c->drains && (c->busy || c->x.head.len))
		c->http->counts.timeouts++;
	conn_close(c);
}

void conn_accept(struct http *h, uv_tcp_t *listener)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (!c)
		out_of_memory();
	c->http = h;
	c->x.conn = c;
	c->held.budget = &h->unknown_budget;
	if (uv_tcp_init(&h->loop, &c->tcp)) {
		free(c);
		return;
	}
	c->next = h->conns;
	c->link = &h->conns;
	if (c->next)
		c->next->link = &c->next;
	h->conns = c;
	h->counts.accepted++;
	h->counts.connections++;
	if (uv_accept((uv_stream_t *)listener, (uv_stream_t *)&c->tcp) ||
	    !admit_new(c)) {
		conn_close(c);
		return;
	}
	conn_count(c);
	(void)uv_tcp_nodelay(&c->tcp, 1);
	llhttp_init(&c->parser, HTTP_REQUEST, conn_settings());
	c->parser.data = c;
	c->taken_at = uv_now(&h->loop);
	c->deadline = c->taken_at + h->options.limits.head_ms;
	start_reading(c);
}
