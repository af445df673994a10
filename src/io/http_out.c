/*
 * http_out.c - responses: heads, bodies and chunks to the socket.
 *
 * Small writes are collected until the end of the loop's turn; what the socket
 * does not take is copied and charged to the budget of the connection.
 */
#include "io/http_local.h"

#include <stdlib.h>

enum {
	SMALL = 16 * 1024, /* bytes that wait for the end of the turn, ... */
	LONG_NS = 1000 * 1000, /* ... for at most this time */
	HEAD_KEEP = 64 * 1024, /* of memory, kept for the next response */
};

struct http_write {
	uv_write_t write; /* first */
	struct http_conn *conn;
	size_t len;
	char bytes[];
};

static void on_written(uv_write_t *write, int status)
{
	struct http_write *p = (struct http_write *)write;

	p->conn->queued -= p->len;
	http_conn_count(p->conn);
	if (status < 0)
		http_conn_close(p->conn);
	else
		http_conn_writable(p->conn);
	free(p);
}

static bool write_rest(struct http_conn *c, const uv_buf_t *bufs, unsigned n)
{
	struct http_write *p;
	size_t len = 0, at = 0;
	uv_buf_t all;

	for (unsigned i = 0; i < n; i++)
		len += bufs[i].len;
	/* The peer does not read, and its budget has no room. */
	if (len > SMALL && !http_conn_affords(c, len))
		return false;
	p = malloc(sizeof(*p) + len);
	if (!p)
		return false;
	p->conn = c;
	p->len = len;
	for (unsigned i = 0; i < n; i++) {
		memcpy(p->bytes + at, bufs[i].base, bufs[i].len);
		at += bufs[i].len;
	}
	all = uv_buf_init(p->bytes, (unsigned)len);
	c->queued += len;
	http_conn_count(c);
	if (uv_write(&p->write, (uv_stream_t *)&c->tcp, &all, 1, on_written)) {
		c->queued -= len;
		free(p);
	}
	return true;
}

/* Write what the socket takes now, queue the rest. */
static bool write_now(struct http_conn *c, const struct str *parts, size_t n)
{
	enum { MOST = 4 };
	uv_buf_t bufs[MOST];
	unsigned count = 0, first = 0;
	uint64_t before = c->written;
	long sent = 0;

	if (c->closing || c->out_of_budget)
		return false;
	for (size_t i = 0; i < n && count < MOST; i++)
		if (parts[i].len)
			bufs[count++] = uv_buf_init((char *)parts[i].ptr,
						    (unsigned)parts[i].len);
	if (!count)
		return true;
	for (unsigned i = 0; i < count; i++)
		c->written += bufs[i].len;
	c->http->counts.bytes_out += c->written - before;
	if (!c->queued)
		sent = uv_try_write((uv_stream_t *)&c->tcp, bufs, count);
	if (sent < 0)
		sent = 0; /* EAGAIN, or an error that uv_write() reports */
	for (; first < count && (size_t)sent >= bufs[first].len; first++)
		sent -= (long)bufs[first].len;
	if (first == count)
		return true;
	bufs[first].base += sent;
	bufs[first].len -= (size_t)sent;
	if (!write_rest(c, bufs + first, count - first)) {
		c->http->counts.dropped++;
		c->out_of_budget = true;
		return false;
	}
	return c->queued <= c->http->options.limits.queued;
}

static void out_list_remove(struct http_conn *c)
{
	*c->out_link = c->next_out;
	if (c->next_out)
		c->next_out->out_link = c->out_link;
	c->out_link = NULL;
}

void http_conn_flush(struct http_conn *c)
{
	struct str bytes = buf_str(&c->out);

	if (!c->out_link)
		return;
	out_list_remove(c);
	(void)write_now(c, &bytes, 1);
	buf_free(&c->out);
}

void http_conn_flush_all(struct http *h)
{
	while (h->outs)
		http_conn_flush(h->outs);
}

static void out_list_add(struct http_conn *c)
{
	struct http *h = c->http;
	uint64_t now = uv_hrtime();

	if (!h->outs)
		h->out_since = now;
	if (!c->out_link) {
		c->next_out = h->outs;
		c->out_link = &h->outs;
		if (c->next_out)
			c->next_out->out_link = &c->next_out;
		h->outs = c;
	}
	if (now - h->out_since >= LONG_NS)
		http_conn_flush_all(h);
}

bool http_conn_write(struct http_conn *c, const struct str *parts, size_t n)
{
	size_t len = 0;

	if (c->closing)
		return false;
	for (size_t i = 0; i < n; i++)
		len += parts[i].len;
	if (c->queued || c->out.len + len > SMALL) {
		http_conn_flush_all(c->http);
		return write_now(c, parts, n);
	}
	if (!len || !buf_room(&c->out, len)) /* room for all parts, or none */
		return true;
	for (size_t i = 0; i < n; i++)
		buf_add(&c->out, parts[i]);
	out_list_add(c);
	return true;
}

static const char *reason_phrase(unsigned status)
{
	static const struct {
		unsigned status;
		const char *phrase;
	} rows[] = {
		{ 200, "OK" },
		{ 202, "Accepted" },
		{ 204, "No Content" },
		{ 303, "See Other" },
		{ 304, "Not Modified" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 406, "Not Acceptable" },
		{ 409, "Conflict" },
		{ 413, "Content Too Large" },
		{ 415, "Unsupported Media Type" },
		{ 421, "Misdirected Request" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 503, "Service Unavailable" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].status == status)
			return rows[i].phrase;
	return "Unknown";
}

/* printf would take longer than the rest of the response. */
static void put_decimal(struct buf *out, size_t n)
{
	char digits[20], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	buf_add(out, str_make(at, (size_t)(digits + sizeof(digits) - at)));
}

/* In a buffer shared by all responses: write it before the next. */
static struct buf *write_head(struct http_exchange *x, unsigned status,
			      const char *type, struct str headers)
{
	struct http_conn *c = x->conn;
	struct buf *out = &c->http->head;

	buf_clear(out, HEAD_KEEP);
	buf_lit(out, "HTTP/1.1 ");
	put_decimal(out, status);
	buf_addc(out, ' ');
	buf_add(out, str_of(reason_phrase(status)));
	buf_lit(out, "\r\nDate: ");
	buf_add(out, str_of(c->http->date));
	if (type) {
		buf_lit(out, "\r\nContent-Type: ");
		buf_add(out, str_of(type));
	}
	buf_lit(out, "\r\nX-Content-Type-Options: nosniff\r\n");
	buf_add(out, x->extra);
	buf_add(out, headers);
	if (c->is_last || c->discards_input || c->http->stopping)
		buf_lit(out, "Connection: close\r\n");
	return out;
}

void http_reply(struct http_exchange *x, unsigned status, const char *type,
		struct str headers, struct str body)
{
	bool bare = str_is(x->request.method, "HEAD") || status == 204 ||
		    status == 304;
	struct buf *head;

	if (x->answer != ANSWER_NONE)
		return;
	x->answer = ANSWER_DONE;
	if (!x->given) /* responded before the body was read */
		x->conn->discards_input = true;
	head = write_head(x, status, type, headers);
	if (status != 204 && status != 304) {
		buf_lit(head, "Content-Length: ");
		put_decimal(head, body.len);
		buf_lit(head, "\r\n");
	}
	buf_lit(head, "\r\n");
	(void)http_conn_write(x->conn,
			      (struct str[]){ buf_str(head),
					      bare ? STR("") : body },
			      2);
	http_conn_answered(x->conn);
}

void http_stream(struct http_exchange *x, const char *type, struct str headers)
{
	struct buf *head;
	struct str bytes;

	if (x->answer != ANSWER_NONE)
		return;
	x->answer = ANSWER_STREAM;
	x->chunked = x->conn->parser.http_minor >= 1;
	if (!x->chunked)
		x->conn->is_last = true;
	head = write_head(x, 200, type, headers);
	if (x->chunked)
		buf_lit(head, "Transfer-Encoding: chunked\r\n");
	buf_lit(head, "\r\n");
	bytes = buf_str(head);
	(void)http_conn_write(x->conn, &bytes, 1);
}

bool http_send(struct http_exchange *x, struct str bytes)
{
	static const struct str end = STR_INIT("\r\n");
	auto_buf size = BUF_INIT;
	bool fits;

	if (x->answer != ANSWER_STREAM || !bytes.len)
		return x->answer == ANSWER_STREAM;
	buf_addf(&size, "%zx\r\n", bytes.len);
	if (x->chunked)
		fits = http_conn_write(x->conn,
				       (struct str[]){ buf_str(&size), bytes,
						       end },
				       3);
	else
		fits = http_conn_write(x->conn, &bytes, 1);
	if (fits)
		return true;
	x->answer = ANSWER_DONE; /* so that gone() is not called */
	http_conn_close(x->conn);
	return false;
}

void http_end(struct http_exchange *x)
{
	static const struct str end = STR_INIT("0\r\n\r\n");

	if (x->answer != ANSWER_STREAM)
		return;
	x->answer = ANSWER_DONE;
	if (x->chunked)
		(void)http_conn_write(x->conn, &end, 1);
	http_conn_answered(x->conn);
}
