/*
 * http_parse.c - from bytes to a request: callbacks of llhttp, and accessors.
 *
 * The head and the body are bounded while they are read; a request that breaks
 * a rule (http_head.c) or a limit is answered before its body is read.
 */
#include "io/http_local.h"

#include <strings.h>

enum {
	ANSWER_ROOM = 64 * 1024,
	SMALL_HEAD = 4096, /* not refused for lack of memory */
};

static struct http_conn *http_conn_of(llhttp_t *p)
{
	return p->data;
}

/*
 * Most requests are answered before the next is read, on any connection: one
 * arena goes from each to the next, and idle connections have none.
 */
static void arena_pass_on(struct arena *mem, struct arena *spare)
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

	arena_pass_on(&x->mem, &x->conn->http->spare);
	buf_clear(&x->head, KEEP);
	buf_clear(&x->body, KEEP);
	x->target_len = x->line_count = 0;
	x->lines = NULL;
	x->line_room = 0;
	memset(x->first_header, 0, sizeof(x->first_header));
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

static int add_to_head(struct http_conn *c, const char *at, size_t n)
{
	struct http_exchange *x = &c->x;
	size_t had;

	if (x->head.len + n > c->http->options.limits.head)
		return HPE_USER;
	had = x->head.cap;
	if (x->head.len + n > size_max(had, SMALL_HEAD) &&
	    !http_conn_affords(c, n))
		return HPE_USER;
	buf_add(&x->head, str_make(at, n));
	if (x->head.cap != had)
		http_conn_count(c);
	return 0;
}

static int on_message_begin(llhttp_t *p)
{
	struct http_conn *c = http_conn_of(p);
	struct arena *spare = &c->http->spare;

	arena_free(&c->x.mem);
	c->x.mem = *spare;
	*spare = (struct arena)ARENA_INIT;
	return 0;
}

static int on_url(llhttp_t *p, const char *at, size_t n)
{
	struct http_conn *c = http_conn_of(p);

	if (add_to_head(c, at, n))
		return HPE_USER;
	c->x.target_len += n;
	return 0;
}

static int on_name(llhttp_t *p, const char *at, size_t n)
{
	struct http_conn *c = http_conn_of(p);
	struct http_exchange *x = &c->x;
	struct head_line *line;

	if (c->has_request)
		return HPE_STRICT; /* trailers are not supported */
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
	struct http_conn *c = http_conn_of(p);
	struct http_exchange *x = &c->x;
	struct head_line *line;

	if (c->has_request || !x->line_count)
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

static struct str trim_end(struct str s)
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

/* Names are not empty. Most differ in their first letter. */
static bool same_name(struct str a, struct str b)
{
	return a.len == b.len && (*a.ptr | 0x20) == (*b.ptr | 0x20) &&
	       !strncasecmp(a.ptr, b.ptr, a.len);
}

/* Note header @i, from 1 on, if it is one of http_names.def. */
static void header_note(struct http_exchange *x, struct str name, size_t i)
{
	for (size_t k = 0; k < HTTP_NAMES; k++) {
		if (!same_name(name, names[k]))
			continue;
		if (!x->counts[k]++)
			x->first_header[k] = (uint16_t)i;
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
		header_note(x, headers[i].name, i + 1);
		headers[i].value = trim_end(
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

static void refuse_request(struct http_exchange *x, unsigned status,
			   const char *why)
{
	x->conn->http->counts.bad++;
	http_reply(x, status, "text/plain; charset=utf-8", STR(""),
		   arena_printf(&x->mem, "%s\n", why));
}

static bool head_is_valid(struct http_exchange *x)
{
	const struct head_rule *broken = head_broken_rule(x);

	if (broken)
		refuse_request(x, broken->status, broken->why);
	return !broken;
}

static bool body_fits(struct http_exchange *x, uint64_t len)
{
	if (len <= x->most_body)
		return true;
	refuse_request(x, 413, "The body is too long");
	return false;
}

/* Is there memory for the body and a small response? */
static bool body_has_memory(struct http_conn *c)
{
	if (http_conn_affords(c,
			      size_add(c->parser.content_length, ANSWER_ROOM)))
		return true;
	refuse_request(&c->x, 503, "Not enough memory: try again later");
	return false;
}

static void send_continue(struct http_conn *c)
{
	static const struct str go_on =
		STR_INIT("HTTP/1.1 100 Continue\r\n\r\n");

	if (http_header(&c->x, HTTP_EXPECT).len && c->parser.http_minor)
		(void)http_conn_write(c, &go_on, 1);
}

/* Pausing here ends the parsing: the request was answered already. */
static int on_head(llhttp_t *p)
{
	struct http_conn *c = http_conn_of(p);
	const struct http_handler *handler = &c->http->options.handler;
	const struct http_limits *limits = &c->http->options.limits;

	c->is_last = !llhttp_should_keep_alive(p);
	c->has_request = true;
	c->http->counts.requests++;
	make_request(&c->x, llhttp_method_name(p->method));
	c->x.most_body = limits->body;
	if (!head_is_valid(&c->x) || !handler->head(handler->ctx, &c->x) ||
	    !body_fits(&c->x, p->content_length) || !body_has_memory(c)) {
		c->discards_input = true;
		return HPE_PAUSED;
	}
	p->upgrade = 0; /* Upgrade is ignored */
	c->body_since = uv_now(c->http->uv);
	c->deadline = c->body_since + limits->body_ms;
	send_continue(c);
	return 0;
}

/* body_ms after the last byte, but each byte extends it by at most 1 ms. */
static uint64_t body_deadline(const struct http_conn *c)
{
	const struct http_limits *limits = &c->http->options.limits;
	uint64_t now = uv_now(c->http->uv);

	return limits->body_ms +
	       (uint64_t)size_min(now, c->body_since + c->x.body.len);
}

static int on_body(llhttp_t *p, const char *at, size_t n)
{
	struct http_conn *c = http_conn_of(p);

	if (!body_fits(&c->x, c->x.body.len + n)) {
		c->discards_input = true;
		return HPE_PAUSED;
	}
	/* A chunked body has no Content-Length. */
	if (c->x.body.len + n > c->x.body.cap &&
	    !http_conn_affords(c, size_max(c->parser.content_length,
					   c->x.body.cap / 2 + n))) {
		refuse_request(&c->x, 503, "Not enough memory");
		c->discards_input = true;
		return HPE_PAUSED;
	}
	buf_add(&c->x.body, str_make(at, n));
	c->deadline = body_deadline(c);
	return 0;
}

/* Pause: the next request waits for the response to this one. */
static int on_complete(llhttp_t *p)
{
	struct http_conn *c = http_conn_of(p);

	c->deadline = 0;
	c->x.request.body = buf_str(&c->x.body);
	return HPE_PAUSED;
}

const llhttp_settings_t *http_conn_settings(void)
{
	static const llhttp_settings_t settings = {
		.on_message_begin = on_message_begin,
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
	size_t i = x->first_header[name];

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
	http_conn_count(x->conn);
}

bool http_charge(struct http_exchange *x, struct budget *b)
{
	struct http_conn *c = x->conn;
	uint64_t len = c->parser.content_length;

	if (len > x->most_body) /* body_fits() will refuse it */
		len = 0;
	charge_move(&c->held, b);
	return http_conn_affords(c, size_add(len, ANSWER_ROOM));
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
