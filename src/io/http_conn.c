/*
 * http_conn.c - one connection: reading, pipelining, deadlines and closing.
 *
 * One request at a time is parsed and answered; bytes that come after it wait
 * in @rest. A connection is closed by shutdown first, so that the peer gets
 * the whole response.
 */
#include "io/http_local.h"

#include <stdlib.h>

enum {
	DISCARD_BYTES = 1024 * 1024, /* of a request that was refused early */
	DISCARD_MS = 1000,
	ANONYMOUS_READ = 16 * 1024, /* at a time, of an anonymous peer */
	STALL_BYTES = 1024 * 1024,  /* unread by an authenticated peer */
};

static void http_conn_feed(struct http_conn *c, struct str bytes);
static void http_conn_shutdown(struct http_conn *c);

static size_t http_conn_bytes(const struct http_conn *c)
{
	return sizeof(*c) + c->x.head.cap + c->x.body.cap + c->rest.cap +
	       c->out.cap + c->queued;
}

void http_conn_count(struct http_conn *c)
{
	charge_set(&c->held, http_conn_bytes(c));
}

bool http_conn_affords(struct http_conn *c, size_t more)
{
	size_t bytes = size_add(http_conn_bytes(c), more);

	return charge_raise(&c->held, bytes) ||
	       (is_anonymous(c) && admit_memory(c, more) &&
		charge_raise(&c->held, bytes));
}

static void on_closed(uv_handle_t *handle)
{
	struct http_conn *c = (struct http_conn *)handle;

	exchange_free(&c->x);
	buf_free(&c->rest);
	charge_set(&c->held, 0);
	free(c);
}

static void ready_remove(struct http_conn *c)
{
	struct http_conn **at = &c->http->ready;

	while (*at && *at != c)
		at = &(*at)->next_ready;
	if (*at)
		*at = c->next_ready;
}

void http_conn_close(struct http_conn *c)
{
	const struct http_handler *handler = &c->http->options.handler;

	if (c->closing)
		return;
	http_conn_flush(c);
	c->closing = true;
	charge_move(&c->held, &c->http->closing_budget);
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	c->http->counts.connections--;
	admit_closed(c);
	ready_remove(c);
	if (c->x.given && c->x.answer != ANSWER_DONE) {
		c->x.answer = ANSWER_DONE;
		handler->gone(handler->ctx, &c->x);
	}
	uv_close((uv_handle_t *)&c->tcp, on_closed);
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct http_conn *c = (struct http_conn *)handle;

	*buf = uv_buf_init(c->http->read_room,
			   is_anonymous(c) ? ANONYMOUS_READ
					   : sizeof(c->http->read_room));
}

/* Stop reading while pipelined bytes wait: any of an anonymous peer. */
static bool rest_has_room(const struct http_conn *c)
{
	return c->rest.len <=
	       (is_anonymous(c) ? 0 : c->http->options.limits.head);
}

/* Keep bytes after the current request; stop reading when they are many. */
static void rest_add(struct http_conn *c, struct str bytes)
{
	if (is_anonymous(c) && !http_conn_affords(c, bytes.len)) {
		c->out_of_budget = true; /* closed after the response */
		return;
	}
	buf_add(&c->rest, bytes);
	http_conn_count(c);
	if (!rest_has_room(c)) {
		(void)uv_read_stop((uv_stream_t *)&c->tcp);
		c->reading = false;
	}
}

/* End of input: the peer may still be reading a response. */
static void on_peer_end(struct http_conn *c, ssize_t why)
{
	http_conn_flush(c);
	if (why != UV_EOF || !c->queued || c->x.answer != ANSWER_DONE) {
		http_conn_close(c);
		return;
	}
	(void)uv_read_stop((uv_stream_t *)&c->tcp);
	c->reading = false;
	c->peer_ended = true;
	if (!c->discards_input)
		http_conn_shutdown(c);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct http_conn *c = (struct http_conn *)stream;

	if (n < 0) {
		on_peer_end(c, n);
		return;
	}
	c->http->counts.bytes_in += (uint64_t)n;
	if (c->discards_input) {
		c->discarded += (size_t)n;
		if (c->discarded > DISCARD_BYTES)
			http_conn_close(c);
		return;
	}
	if (c->rest.len || (c->has_request && c->deadline == 0))
		rest_add(c, str_make(buf->base, (size_t)n));
	else
		http_conn_feed(c, str_make(buf->base, (size_t)n));
}

static void start_reading(struct http_conn *c)
{
	if (!c->reading && !c->closing && !c->peer_ended)
		c->reading = !uv_read_start((uv_stream_t *)&c->tcp, give_room,
					    on_read);
}

static void next_request(struct http_conn *c)
{
	exchange_clear(&c->x);
	http_conn_count(c);
	c->scan = (struct head_scan){ 0 };
	c->has_request = false;
	c->deadline = uv_now(c->http->uv) + c->http->options.limits.idle_ms;
}

static void refuse_bad_request(struct http_conn *c, bool too_long)
{
	c->has_request = true;
	c->discards_input = true;
	c->http->counts.bad++;
	c->x.request.method = STR("");
	http_reply(&c->x, too_long ? 431 : 400, "text/plain; charset=utf-8",
		   STR(""),
		   too_long ? STR("The head of the request is too long\n")
			    : STR("This is not an HTTP/1.1 request\n"));
}

static void http_conn_handle(struct http_conn *c)
{
	const struct http_handler *handler = &c->http->options.handler;

	c->x.given = true;
	handler->request(handler->ctx, &c->x);
}

/* Check the lines of the head; false: the request was refused. */
static bool scan_head(struct http_conn *c, struct str bytes)
{
	bool before = c->scan.place <= HEAD_BEFORE_CR;
	enum head_place place =
		head_scan(&c->scan, bytes, c->http->options.limits.head);

	/* Empty lines before the request do not extend its deadline. */
	if (before && place > HEAD_BEFORE_CR)
		c->deadline =
			uv_now(c->http->uv) + c->http->options.limits.head_ms;
	if (place <= HEAD_WHOLE)
		return true;
	refuse_bad_request(c, place == HEAD_LONG);
	return false;
}

/* Does a chunked body that ends at @end do so with CR LF? */
static bool ends_in_crlf(const struct http_conn *c, struct str bytes,
			 const char *end)
{
	char before = end > bytes.ptr + 1 ? end[-2] : c->last_byte;

	return !(c->parser.flags & F_CHUNKED) || before == '\r';
}

/* Parse up to the end of one request, and handle it. */
static void http_conn_feed_one(struct http_conn *c, struct str bytes)
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
		if (!c->discards_input && c->x.answer == ANSWER_NONE)
			refuse_bad_request(c, error == HPE_USER);
		return;
	}
	if (c->discards_input)
		return;
	stop = llhttp_get_error_pos(&c->parser);
	if (stop && !ends_in_crlf(c, bytes, stop)) {
		refuse_bad_request(c, false);
		return;
	}
	if (stop && stop < bytes.ptr + bytes.len)
		rest_add(c, str_skip(bytes, (size_t)(stop - bytes.ptr)));
	http_conn_handle(c);
}

/* Parse @bytes, then pipelined requests while each is answered at once. */
static void http_conn_feed(struct http_conn *c, struct str bytes)
{
	auto_buf rest = BUF_INIT;

	c->feeding = true;
	if (bytes.len)
		http_conn_feed_one(c, bytes);
	while (c->rest.len && !c->has_request && !c->closing &&
	       !c->discards_input) {
		buf_free(&rest);
		rest = c->rest;
		c->rest = (struct buf)BUF_INIT;
		http_conn_feed_one(c, buf_str(&rest));
	}
	c->feeding = false;
	if (rest_has_room(c))
		start_reading(c);
}

/* All bytes have been sent. */
static void on_shutdown(uv_shutdown_t *shutdown_request, int status)
{
	struct http_conn *c = (struct http_conn *)shutdown_request->handle;

	free(shutdown_request);
	if (c->closing)
		return;
	if (c->peer_ended)
		http_conn_close(c);
	else
		c->deadline = uv_now(c->http->uv) + DISCARD_MS;
}

/*
 * Shut down our half and wait for the peer to close: closing with unread input
 * would reset the connection and lose the response.
 */
static void http_conn_shutdown(struct http_conn *c)
{
	uv_shutdown_t *shutdown_request = malloc(sizeof(*shutdown_request));

	if (!shutdown_request)
		out_of_memory();
	http_conn_flush(c);
	c->discards_input = true;
	c->deadline = 0; /* is_write_stuck() limits the time */
	if (uv_shutdown(shutdown_request, (uv_stream_t *)&c->tcp,
			on_shutdown)) {
		free(shutdown_request);
		c->deadline = uv_now(c->http->uv) + DISCARD_MS;
	}
	start_reading(c);
}

static void next_request_start(struct http_conn *c)
{
	struct http *h = c->http;

	llhttp_resume(&c->parser);
	next_request(c);
	if (rest_has_room(c))
		start_reading(c);
	if (c->feeding || !c->rest.len)
		return;
	/* By mail: a handler that responds must not get its next request here. */
	c->next_ready = h->ready;
	h->ready = c;
	if (!h->ready_posted)
		loop_post(h->loop, &h->ready_mail);
	h->ready_posted = true;
}

void http_conn_go_on(struct mail *ready_mail)
{
	struct http *h = (struct http *)((char *)ready_mail -
					 offsetof(struct http, ready_mail));
	struct http_conn *c;

	h->ready_posted = false;
	while ((c = h->ready)) {
		h->ready = c->next_ready;
		http_conn_feed(c, STR(""));
	}
}

/*
 * Too much is unread to begin with the next request: for an anonymous peer, any
 * byte that the socket's buffer did not take.
 */
static bool has_too_much_unread(const struct http_conn *c)
{
	return c->queued > (is_anonymous(c) ? 0 : STALL_BYTES);
}

void http_conn_answered(struct http_conn *c)
{
	if (c->closing)
		return;
	if (c->out_of_budget) /* the response is incomplete */
		http_conn_close(c);
	else if (c->discards_input || c->is_last || c->http->stopping)
		http_conn_shutdown(c);
	else if (has_too_much_unread(c))
		c->stalled = true;
	else
		next_request_start(c);
}

void http_conn_writable(struct http_conn *c)
{
	if (c->closing || !c->stalled || has_too_much_unread(c))
		return;
	c->stalled = false;
	next_request_start(c);
}

/* Has the peer read nothing for limits.taken_ms? */
static bool is_write_stuck(struct http_conn *c, uint64_t now)
{
	size_t waiting = uv_stream_get_write_queue_size((uv_stream_t *)&c->tcp);
	uint64_t taken = c->written - waiting;

	if (!waiting || taken != c->taken) {
		c->taken = taken;
		c->taken_at = now;
	}
	return now - c->taken_at > c->http->options.limits.taken_ms;
}

void http_conn_check(struct http_conn *c, uint64_t now)
{
	http_conn_flush(c);
	if (c->out_of_budget) {
		http_conn_close(c);
		return;
	}
	if (is_write_stuck(c, now)) {
		c->http->counts.timeouts++;
		http_conn_close(c);
		return;
	}
	if (c->http->stopping && !c->has_request && !c->queued) {
		http_conn_close(c);
		return;
	}
	if (!c->deadline || now < c->deadline)
		return;
	if (!c->discards_input && (c->has_request || c->x.head.len))
		c->http->counts.timeouts++;
	http_conn_close(c);
}

void http_conn_accept(struct http *h, uv_tcp_t *listener)
{
	struct http_conn *c = calloc(1, sizeof(*c));

	if (!c)
		out_of_memory();
	c->http = h;
	c->x.conn = c;
	c->held.budget = &h->anonymous_budget;
	if (uv_tcp_init(h->uv, &c->tcp)) {
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
		http_conn_close(c);
		return;
	}
	http_conn_count(c);
	(void)uv_tcp_nodelay(&c->tcp, 1);
	llhttp_init(&c->parser, HTTP_REQUEST, http_conn_settings());
	c->parser.data = c;
	c->taken_at = uv_now(h->uv);
	c->deadline = c->taken_at + h->options.limits.head_ms;
	start_reading(c);
}
