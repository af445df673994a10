#include "io/endpoint.h"

#include "base/clock.h"
#include "io/endpoint_local.h"

#include <stdlib.h>
#include <strings.h>

enum {
	MOST_SPARE = 16,   /* jobs kept for the next messages */
	TICKS = 4,         /* a second */
	CLIENT_PART = 2,   /* of all memory, for one client */
	SHARES_PART = 4,   /* of all memory, for the shares of clients */
	MOST_SHARES = 256, /* there are no more tokens at a time */
};

const struct endpoint_options endpoint_options_default = {
	.sessions = 20 * 1000,
	.sessions_each = 10 * 1000,
	.idle_ms = 24 * 3600 * 1000,
	.kept = 1024 * 1024,
};

/*
 * What clients hold beyond their shares: it leaves room for those, and for
 * caches, so that all of it together is no more than the server's budget.
 */
static void open_shared(struct endpoint *e)
{
	const struct server *s = e->options.server;
	size_t caches = s->caches ? s->caches->max : 0;
	size_t max = s->budget ? s->budget->max : 0;

	budget_open(&e->shared, s->budget, max - max / SHARES_PART - caches);
}

struct endpoint *endpoint_new(const struct endpoint_options *options,
			      struct http *http)
{
	struct endpoint *e = calloc(1, sizeof(*e));

	if (!e)
		out_of_memory();
	e->options = *options;
	e->http = http;
	e->kept.budget = options->server->caches;
	open_shared(e);
	return e;
}

/* There is one for each token that was ever used: those are few. */
struct account *endpoint_account(struct endpoint *e, struct str name)
{
	const struct server *s = e->options.server;
	struct account *a = e->accounts;

	while (a && !str_eq(a->name, name))
		a = a->next;
	if (a)
		return a;
	a = arena_new(&e->mem, struct account);
	a->name = arena_copy(&e->mem, name);
	budget_open(&a->budget, &e->shared,
		    s->budget ? s->budget->max / CLIENT_PART : 0);
	if (s->budget)
		budget_share(&a->budget,
			     s->budget->max / SHARES_PART / MOST_SHARES);
	budget_open(&a->caches, s->caches,
		    s->caches ? s->caches->max / CLIENT_PART : 0);
	a->next = e->accounts;
	e->accounts = a;
	return a;
}

struct budget *endpoint_budget(struct endpoint *e, struct str client)
{
	return &endpoint_account(e, client)->budget;
}

struct job *endpoint_job(struct endpoint *e)
{
	struct job *job = e->spare;

	if (!job)
		return job_new(e->options.server);
	e->spare = job->next;
	e->spares--;
	job->next = NULL;
	return job;
}

void endpoint_put_job(struct endpoint *e, struct job *job)
{
	if (e->spares >= MOST_SPARE) {
		job_free(job);
		return;
	}
	job_clear(job);
	job->next = e->spare;
	e->spare = job;
	e->spares++;
}

/* An error of ours, for a message that did not become one. */
static void refuse(struct http_exchange *x, unsigned status, struct str headers,
		   const char *text)
{
	struct fault f = { .err = ERR_BAD_REQUEST, .text = str_of(text) };
	auto_buf out = BUF_INIT;

	message_error(&out, STR(""), &f);
	http_reply(x, status, "application/json", headers, buf_str(&out));
}

/* A media type without its parameters. */
static struct str bare(struct str item)
{
	item = str_head(item, str_find(item, ';'));
	while (item.len && (*item.ptr == ' ' || *item.ptr == '\t'))
		item = str_skip(item, 1);
	while (item.len && (item.ptr[item.len - 1] == ' ' ||
			    item.ptr[item.len - 1] == '\t'))
		item.len--;
	return item;
}

static bool same(struct str a, struct str b)
{
	return a.len == b.len && !strncasecmp(a.ptr, b.ptr, b.len);
}

/* Is the media type @type in the header's list, or a range that has it? */
static bool accepts(struct str list, struct str type)
{
	struct str item, any = str_head(type, str_find(type, '/') + 1);

	while (str_split(&list, ',', &item)) {
		item = bare(item);
		if (same(item, type))
			return true;
		if (str_is(item, "*/*") ||
		    (item.len == any.len + 1 && str_starts(item, any) &&
		     item.ptr[any.len] == '*'))
			return true;
	}
	return false;
}

static bool takes(const struct http_exchange *x, struct str type)
{
	struct str list = http_header(x, HTTP_ACCEPT);

	return !list.ptr || accepts(list, type);
}

static const struct str json_type = STR_INIT("application/json");
static const struct str event_type = STR_INIT("text/event-stream");

/* A response that is in the way of none. */
static bool check_post(struct http_exchange *x)
{
	struct str type = http_header(x, HTTP_CONTENT_TYPE);

	if (!same(bare(type), json_type))
		refuse(x, 415, STR(""),
		       "Content-Type must be application/json");
	else if (!takes(x, json_type) && !takes(x, event_type))
		refuse(x, 406, STR(""),
		       "Accept must have application/json and text/event-stream");
	else
		return true;
	return false;
}

/* Others on the way may go by the other one. */
static bool says_each_once(struct http_exchange *x)
{
	static const enum http_name names[] = {
		HTTP_MCP_SESSION_ID, HTTP_MCP_VERSION,  HTTP_MCP_METHOD,
		HTTP_MCP_NAME,       HTTP_CONTENT_TYPE, HTTP_LAST_EVENT_ID,
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (http_header_count(x, names[i]) > 1) {
			refuse(x, 400, STR(""),
			       "A header is there twice that may be there once");
			return false;
		}
	return true;
}

static struct json client_info(const struct job *job)
{
	return json_get(json_get(json_get(job->root, "params"), "_meta"),
			"io.modelcontextprotocol/clientInfo");
}

/* The session that the request names, or NULL and it is refused. */
static struct party *session_of(struct endpoint *e, struct http_exchange *x,
				struct str name)
{
	struct str id = http_header(x, HTTP_MCP_SESSION_ID);
	struct party *p;

	if (!id.ptr) {
		refuse(x, 400, STR(""),
		       "The header Mcp-Session-Id is missing: send initialize first, or name a protocol version in params._meta");
		return NULL;
	}
	p = party_find(e, id, name);
	if (!p)
		refuse(x, 404, STR(""),
		       "There is no such session (any more): send initialize");
	return p;
}

/* A message without a session that has a header of the newer era. */
static bool claims_modern(const struct http_exchange *x)
{
	struct str version = http_header(x, HTTP_MCP_VERSION);

	return version.ptr && !http_header(x, HTTP_MCP_SESSION_ID).ptr &&
	       !dialect_named(version);
}

static struct party *party_of(struct endpoint *e, struct http_exchange *x,
			      struct str name, struct job *job,
			      enum job_era era)
{
	struct party *p;

	if (era == JOB_LEGACY && !claims_modern(x))
		return session_of(e, x, name);
	p = era == JOB_HELLO
		    ? party_session(e, name)
		    : party_stateless(e, name, client_info(job), &job->mem);
	if (!p)
		refuse(x, 503, STR("Retry-After: 10\r\n"),
		       "There are too many sessions");
	return p;
}

/* While the message is taken, the exchange is there. */
static struct str find_header(const struct headers *h, const char *name)
{
	const struct post *post =
		(const struct post *)((const char *)h -
				      offsetof(struct post, headers));

	return http_other_header(post->x, name);
}

static void read_headers(const struct http_exchange *x, struct arena *mem,
			 struct headers *h)
{
	/* A job may outlive the exchange. */
	struct str values[] = { http_header(x, HTTP_MCP_VERSION),
				http_header(x, HTTP_MCP_METHOD),
				http_header(x, HTTP_MCP_NAME) };

	for (size_t i = 0; i < COUNT_OF(values); i++)
		if (values[i].ptr)
			values[i] = arena_copy(mem, values[i]);
	*h = (struct headers){ values[0], values[1], values[2], find_header };
}

/* It wants to hear what it cannot read. */
static void refuse_listener(struct post *post)
{
	struct http_exchange *x = post->x;

	http_set(x, NULL);
	post->x = NULL;
	job_drop(post->job);
	post_finish(post);
	refuse(x, 406, STR(""), "Accept must have text/event-stream");
}

static void take(struct post *post)
{
	struct party *p = post->party;
	struct job *job = post->job;
	enum job_next kind;

	p->calls++;
	kind = job_take(job, &p->lane.link);
	if (kind == JOB_LISTENS && !post->takes_events) {
		refuse_listener(post);
		return;
	}
	if (kind == JOB_LISTENS)
		post_stream(post);
	if (kind != JOB_DONE) {
		lane_add(&p->lane, job, kind);
		return;
	}
	if (job->cancels.len && p->session)
		lane_cancel(&p->lane, job->cancels);
	post_finish(post);
	lane_pump(&p->lane); /* it may have been what others waited for */
}

static void serve_post(struct endpoint *e, struct http_exchange *x,
		       struct str name)
{
	struct job *job = endpoint_job(e);
	struct post *post;
	struct party *p;
	enum job_era era;

	http_take_body(x, &job->text);
	if (!job_parse(job)) {
		http_reply(x, job->status, "application/json", STR(""),
			   buf_str(&job->reply));
		endpoint_put_job(e, job);
		return;
	}
	era = job_era(job);
	p = party_of(e, x, name, job, era);
	if (!p) {
		endpoint_put_job(e, job);
		return;
	}
	atomic_fetch_add(&p->refs, 1);
	post = post_new(p, x, job);
	post->modern = era == JOB_MODERN;
	post->hello = era == JOB_HELLO;
	post->takes_events = takes(x, event_type);
	post->peer = (struct peer){ .send = post_send, .pause = post_pause };
	read_headers(x, &job->mem, &post->headers);
	job->headers = &post->headers;
	job->peer = post->takes_events ? &post->peer : NULL;
	take(post);
	if (era == JOB_HELLO && !p->lane.link.dialect)
		party_end(p); /* it did not come to be */
	party_unref(p);
}

static void serve_get(struct endpoint *e, struct http_exchange *x,
		      struct str name)
{
	struct str last = http_header(x, HTTP_LAST_EVENT_ID);
	struct party *p;

	if (!http_header(x, HTTP_MCP_SESSION_ID).ptr) {
		refuse(x, 405, STR("Allow: POST\r\n"),
		       "Without a session there is nothing to listen to");
		return;
	}
	p = session_of(e, x, name);
	if (!p)
		return;
	if (!takes(x, event_type))
		refuse(x, 406, STR(""), "Accept must have text/event-stream");
	else if (!last.len)
		post_general(p, x);
	else if (!post_resume(p, x, last))
		refuse(x, 400, STR(""),
		       "Last-Event-ID is not known, or not any more");
}

static void serve_delete(struct endpoint *e, struct http_exchange *x,
			 struct str name)
{
	struct party *p = session_of(e, x, name);

	if (!p)
		return;
	party_end(p);
	http_reply(x, 204, NULL, STR(""), STR(""));
}

void endpoint_request(struct endpoint *e, struct http_exchange *x,
		      struct str client)
{
	struct str method = http_request(x)->method;

	http_set(x, NULL);
	if (!says_each_once(x))
		return;
	if (str_is(method, "POST")) {
		if (check_post(x))
			serve_post(e, x, client);
	} else if (str_is(method, "GET")) {
		serve_get(e, x, client);
	} else if (str_is(method, "DELETE")) {
		serve_delete(e, x, client);
	} else {
		refuse(x, 405, STR("Allow: POST, GET, DELETE\r\n"),
		       "Only POST, GET and DELETE are known here");
	}
}

void endpoint_gone(struct endpoint *e, struct http_exchange *x)
{
	struct post *post = http_get(x);

	if (post)
		post_gone(post);
}

/* There will be no more to hear. */
static void end_listeners(struct party *p)
{
	struct post *next;

	for (struct post *post = p->posts; post; post = next) {
		next = post->next;
		if (!post->job || lane_listens(&p->lane, post->job))
			post_end(post);
	}
}

static void tick_one(struct party *p, bool alive)
{
	struct post *next;

	atomic_fetch_add(&p->refs, 1);
	if (p->lane.link.parked)
		lane_pump(&p->lane);
	if (http_is_stopping(p->endpoint->http))
		end_listeners(p);
	for (struct post *post = alive ? p->posts : NULL; post; post = next) {
		next = post->next;
		post_still_here(post);
	}
	party_unref(p);
}

void endpoint_tick(struct endpoint *e)
{
	bool alive = ++e->ticks % TICKS == 0;
	struct party *next;

	for (size_t i = 0; i < BUCKETS; i++)
		for (struct party *p = e->table[i]; p; p = next) {
			next = p->next;
			tick_one(p, alive);
		}
	if (alive)
		party_sweep(e);
}

void endpoint_free(struct endpoint *e)
{
	struct job *job;

	if (!e)
		return;
	e->stopping = true;
	party_halt_all(e);
	if (e->pool)
		pool_free(e->pool);
	http_drain(e->http); /* what came back from it */
	party_end_all(e);
	http_drain(e->http);
	while ((job = e->spare)) {
		e->spare = job->next;
		job_free(job);
	}
	charge_set(&e->kept, 0);
	http_uncharge(e->http);
	arena_free(&e->mem);
	free(e);
}

static struct endpoint_client describe(const struct party *p, struct arena *mem)
{
	const struct link *l = &p->lane.link;
	struct endpoint_client c = {
		.name = arena_copy(mem, p->name),
		.client = arena_copy(mem, l->client),
		.session = arena_copy(mem, str_of(l->session)),
		.version = l->dialect ? l->dialect->version : STR(MCP_MODERN),
		.since_ms = p->since_ms,
		.last_ms = p->last_ms,
		.calls = p->calls,
		.running = p->lane.reads + p->lane.changes,
		.waiting = p->lane.waiting_count,
		.asking = (unsigned)l->parked_count,
	};

	for (const struct post *post = p->posts; post; post = post->next)
		c.streams += post->streaming;
	return c;
}

void endpoint_clients(const struct endpoint *e, struct arena *mem,
		      struct endpoint_client **ret, size_t *ret_n)
{
	size_t n = 0;

	*ret = arena_array(mem, struct endpoint_client,
			   e->sessions + e->clients);
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct party *p = e->table[i]; p; p = p->next)
			(*ret)[n++] = describe(p, mem);
	*ret_n = n;
}
