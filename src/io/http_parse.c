/* From bytes to a request: what llhttp finds goes into the exchange. */

#include "io/http_local.h"

#include <strings.h>

enum {
	ANSWER_ROOM = 64 * 1024,
	SMALL_HEAD = 4096, /* what nobody is refused for want of memory */
};

static struct conn *conn_of(llhttp_t *p)
{
	return p->data;
}

/*
 * Most requests are answered before the next one is read, on whatever
 * connection that comes: their memory goes from one to the other, and those
 * that wait for a request have none.
 */
static void pass_on(struct arena *mem, struct arena *spare)
{
	enum { KEEP = 64 * 1024 };

	arena_free(spare);
	*spare = *mem;
	*mem = (struct arena)ARENA_INIT;
	arena_reset(spare, KEEP);
}

void exchange_clear(struct http_exchange *x)
{
	enum { KEEP = 16 * 1024 };

	pass_on(&x->mem, &x->conn->http->spare);
	buf_clear(&x->head, KEEP);
	buf_clear(&x->body, KEEP);
	x->target_len = x->line_count = 0;
	x->lines = NULL;
	x->line_room = 0;
	memset(x->known, 0, sizeof(x->known));
	memset(x->counts, 0, sizeof(x->counts));
	x->in_value = x->chunked = x->given = false;
	x->request = (struct http_request){ 0 };
	x->answer = ANSWER_NONE;
	x->extra = STR("");
	x->own = NULL;
}

void exchange_free(struct http_exchange *x)
{
	arena_free(&x->mem);
	buf_free(&x->head);
	buf_free(&x->body);
}

static int add_to_head(struct conn *c, const char *at, size_t n)
{
	struct http_exchange *x = &c->x;
	size_t had;

	if (x->head.len + n > c->http->options.limits.head)
		return HPE_USER;
	had = x->head.cap;
	if (x->head.len + n > size_max(had, SMALL_HEAD) && !conn_affords(c, n))
		return HPE_USER;
	buf_add(&x->head, str_make(at, n));
	if (x->head.cap != had)
		conn_count(c);
	return 0;
}

static int on_begin(llhttp_t *p)
{
	struct conn *c = conn_of(p);
	struct arena *spare = &c->http->spare;

	arena_free(&c->x.mem);
	c->x.mem = *spare;
	*spare = (struct arena)ARENA_INIT;
	return 0;
}

static int on_url(llhttp_t *p, const char *at, size_t n)
{
	struct conn *c = conn_of(p);

	if (add_to_head(c, at, n))
		return HPE_USER;
	c->x.target_len += n;
	return 0;
}

static int on_name(llhttp_t *p, const char *at, size_t n)
{
	struct conn *c = conn_of(p);
	struct http_exchange *x = &c->x;
	struct head_line *line;

	if (c->busy)
		return HPE_STRICT; /* behind the body: nobody needs those */
	if (!x->line_count || x->in_value) {
		if (x->line_count >= c->http->options.limits.headers)
			return HPE_USER;
		if (x->line_count == x->line_room) {
			size_t room = x->line_room ? 2 * x->line_room : 16;

			x->lines = arena_grow(&x->mem, x->lines,
					      x->line_room * sizeof(*x->lines),
					      room * sizeof(*x->lines));
			x->line_room = room;
		}
		line = &x->lines[x->line_count++];
		*line = (struct head_line){ .name = x->head.len };
		x->in_value = false;
	}
	line = &x->lines[x->line_count - 1];
	if (add_to_head(c, at, n))
		return HPE_USER;
	line->name_len += n;
	return 0;
}

static int on_value(llhttp_t *p, const char *at, size_t n)
{
	struct conn *c = conn_of(p);
	struct http_exchange *x = &c->x;
	struct head_line *line;

	if (c->busy || !x->line_count)
		return HPE_STRICT;
	line = &x->lines[x->line_count - 1];
	if (!x->in_value)
		line->value = x->head.len;
	x->in_value = true;
	if (add_to_head(c, at, n))
		return HPE_USER;
	line->value_len += n;
	return 0;
}

static struct str trimmed(struct str s)
{
	while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
		s.len--;
	return s;
}

static const struct str names[] = {
#define HTTP_NAME(id, name) STR_INIT(name),
#include "io/http_names.def"
#undef HTTP_NAME
};

/* Names are not empty, and begin with a letter, but for a few odd ones. */
static bool same_name(struct str a, struct str b)
{
	return a.len == b.len && (*a.ptr | 0x20) == (*b.ptr | 0x20) &&
	       !strncasecmp(a.ptr, b.ptr, a.len);
}

/* Header number @i, from 1 on: is it one that we go by? */
static void note_known(struct http_exchange *x, struct str name, size_t i)
{
	for (size_t k = 0; k < HTTP_NAMES; k++) {
		if (!same_name(name, names[k]))
			continue;
		if (!x->counts[k]++)
			x->known[k] = (uint16_t)i;
		return;
	}
}

static void make_request(struct http_exchange *x, const char *method)
{
	struct http_request *r = &x->request;
	struct http_header *headers =
		arena_array(&x->mem, struct http_header, x->line_count);
	struct str head = buf_str(&x->head);
	struct str target = str_head(head, x->target_len);
	size_t mark = str_find(target, '?');

	for (size_t i = 0; i < x->line_count; i++) {
		const struct head_line *l = &x->lines[i];

		headers[i].name = str_sub(head, l->name, l->name + l->name_len);
		note_known(x, headers[i].name, i + 1);
		headers[i].value = trimmed(
			str_sub(head, l->value, l->value + l->value_len));
	}
	*r = (struct http_request){ .method = str_of(method),
				    .path = str_head(target, mark),
				    .query =
					    mark < target.len
						    ? str_skip(target, mark + 1)
						    : STR(""),
				    .headers = headers,
				    .header_count = x->line_count };
}

static void refuse(struct http_exchange *x, unsigned status, const char *why)
{
	x->conn->http->counts.bad++;
	http_reply(x, status, "text/plain; charset=utf-8", STR(""),
		   arena_printf(&x->mem, "%s\n", why));
}

static bool is_sound(struct http_exchange *x)
{
	const struct head_rule *broken = head_broken_rule(x);

	if (broken)
		refuse(x, broken->status, broken->why);
	return !broken;
}

static bool fits(struct http_exchange *x, uint64_t len)
{
	if (len <= x->most_body)
		return true;
	refuse(x, 413, "The body is too long");
	return false;
}

/* Memory for the body, and for a word of answer. */
static bool has_room(struct conn *c)
{
	if (conn_affords(c, size_add(c->parser.content_length, ANSWER_ROOM)))
		return true;
	refuse(&c->x, 503, "There is not enough memory now: try again later");
	return false;
}

static void invite_body(struct conn *c)
{
	static const struct str go_on =
		STR_INIT("HTTP/1.1 100 Continue\r\n\r\n");

	if (http_header(&c->x, HTTP_EXPECT).len && c->parser.http_minor)
		(void)conn_write(c, &go_on, 1);
}

/* 1 tells the parser that there is no body: we have answered already. */
static int on_head(llhttp_t *p)
{
	struct conn *c = conn_of(p);
	const struct http_handler *handler = &c->http->options.handler;
	const struct http_limits *limits = &c->http->options.limits;

	c->last = !llhttp_should_keep_alive(p);
	c->busy = true;
	c->http->counts.requests++;
	make_request(&c->x, llhttp_method_name(p->method));
	c->x.most_body = limits->body;
	if (!is_sound(&c->x) || !handler->head(handler->ctx, &c->x) ||
	    !fits(&c->x, p->content_length) || !has_room(c)) {
		c->drains = true;
		return HPE_PAUSED;
	}
	p->upgrade = 0; /* there is nothing to upgrade to: it stays HTTP */
	c->body_since = uv_now(&c->http->loop);
	c->deadline = c->body_since + limits->body_ms;
	invite_body(c);
	return 0;
}

/* Not long without a byte; and a byte buys no more than a millisecond. */
static uint64_t body_deadline(const struct conn *c)
{
	const struct http_limits *limits = &c->http->options.limits;
	uint64_t now = uv_now(&c->http->loop);

	return limits->body_ms +
	       (uint64_t)size_min(now, c->body_since + c->x.body.len);
}

static int on_body(llhttp_t *p, const char *at, size_t n)
{
	struct conn *c = conn_of(p);

	if (!fits(&c->x, c->x.body.len + n)) {
		c->drains = true;
		return HPE_PAUSED;
	}
	/* One in chunks has not said how long it is. */
	if (c->x.body.len + n > c->x.body.cap &&
	    !conn_affords(c, size_max(c->parser.content_length,
				      c->x.body.cap / 2 + n))) {
		refuse(&c->x, 503, "There is not enough memory now");
		c->drains = true;
		return HPE_PAUSED;
	}
	buf_add(&c->x.body, str_make(at, n));
	c->deadline = body_deadline(c);
	return 0;
}

/* Pause: the next request waits until this one has its answer. */
static int on_complete(llhttp_t *p)
{
	struct conn *c = conn_of(p);

	c->deadline = 0;
	c->x.request.body = buf_str(&c->x.body);
	return HPE_PAUSED;
}

const llhttp_settings_t *conn_settings(void)
{
	static const llhttp_settings_t settings = {
		.on_message_begin = on_begin,
		.on_url = on_url,
		.on_header_field = on_name,
		.on_header_value = on_value,
		.on_headers_complete = on_head,
		.on_body = on_body,
		.on_message_complete = on_complete,
	};

	return &settings;
}

const struct http_request *http_request(const struct http_exchange *x)
{
	return &x->request;
}

struct str http_header(const struct http_exchange *x, enum http_name name)
{
	size_t i = x->known[name];

	return i ? x->request.headers[i - 1].value : (struct str){ NULL, 0 };
}

size_t http_header_count(const struct http_exchange *x, enum http_name name)
{
	return x->counts[name];
}

struct str http_name(enum http_name name)
{
	return names[name];
}

struct str http_other_header(const struct http_exchange *x, const char *name)
{
	struct str want = str_of(name);

	for (size_t i = 0; i < x->request.header_count; i++)
		if (same_name(x->request.headers[i].name, want))
			return x->request.headers[i].value;
	return (struct str){ NULL, 0 };
}

uint64_t http_turn(const struct http_exchange *x)
{
	return x->conn->http->turns;
}

void http_take_body(struct http_exchange *x, struct buf *to)
{
	struct buf other = *to;

	*to = x->body;
	other.len = 0;
	x->body = other;
	x->request.body = STR("");
	conn_count(x->conn);
}

bool http_charge(struct http_exchange *x, struct budget *b)
{
	struct conn *c = x->conn;
	uint64_t len = c->parser.content_length;

	if (len > x->most_body) /* it will be refused for that */
		len = 0;
	charge_move(&c->held, b);
	return conn_affords(c, size_add(len, ANSWER_ROOM));
}

void http_most_body(struct http_exchange *x, size_t bytes)
{
	x->most_body = size_min(x->most_body, bytes);
}

struct arena *http_mem(struct http_exchange *x)
{
	return &x->mem;
}

void http_extra(struct http_exchange *x, struct str lines)
{
	x->extra = lines;
}

void http_set(struct http_exchange *x, void *own)
{
	x->own = own;
}

void *http_get(const struct http_exchange *x)
{
	return x->own;
}
