/*
 * endpoint.c - MCP over HTTP: checks requests and finds their session.
 *
 * Checks headers, finds or makes the session, hands the message to a job and the
 * job to the session's call queue; mcp_exchange.c sends the answer. Runs on the
 * loop's thread, except on_decision().
 */
#include "io/endpoint.h"

#include "base/clock.h"
#include "io/endpoint_local.h"
#include "io/loop.h"

#include <stdlib.h>
#include <strings.h>

enum {
	MOST_FREE_JOBS = 16, /* jobs kept for reuse */
	TICKS = 4,           /* a second */
	CLIENT_PART = 2,     /* one client may use 1/2 of the budget */
	SHARES_PART = 4,     /* 1/4 of the budget is reserved as shares */
	MOST_SHARES = 256,   /* tokens that can exist at a time */
};

const struct endpoint_options endpoint_options_default = {
	.sessions = 20 * 1000,
	.sessions_each = 10 * 1000,
	.idle_ms = 24 * 3600 * 1000,
	.kept = 1024 * 1024,
};

/*
 * The budget for what clients hold beyond their reserved shares: the server's,
 * less those shares and the caches.
 */
static void open_shared(struct endpoint *e)
{
	const struct server *s = e->options.server;
	size_t caches = s->caches ? s->caches->max : 0;
	size_t max = s->budget ? s->budget->max : 0;

	budget_open(&e->shared, s->budget, max - max / SHARES_PART - caches);
}

/* On the loop thread, after on_decision(). */
static void start_parked(struct mail *mail)
{
	struct endpoint *e =
		(struct endpoint *)((char *)mail -
				    offsetof(struct endpoint, wake));
	struct mcp_session *next;

	atomic_store(&e->woken, false);
	for (size_t i = mcp_session_bucket(e, 0); i < BUCKETS;
	     i = mcp_session_bucket(e, i + 1))
		for (struct mcp_session *s = e->table[i]; s; s = next) {
			next = s->next;
			atomic_fetch_add(&s->refs, 1);
			if (s->queue.link.parked)
				call_queue_start_ready(&s->queue);
			mcp_session_unref(s);
		}
}

/* Any thread: a question was decided. Has parked calls poll the queue. */
static void on_decision(void *ctx)
{
	struct endpoint *e = ctx;

	if (!atomic_exchange(&e->woken, true))
		loop_post(http_loop(e->http), &e->wake);
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
	e->wake.deliver = start_parked;
	ask_on_decision(options->server, on_decision, e);
	return e;
}

/* One for each token that was used, freed with the endpoint. */
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
	struct job *job = e->free_jobs;

	if (!job)
		return job_new(e->options.server);
	e->free_jobs = job->next;
	e->n_free_jobs--;
	job->next = NULL;
	return job;
}

void endpoint_put_job(struct endpoint *e, struct job *job)
{
	if (e->n_free_jobs >= MOST_FREE_JOBS) {
		job_free(job);
		return;
	}
	job_clear(job);
	job->next = e->free_jobs;
	e->free_jobs = job;
	e->n_free_jobs++;
}

/* Respond with a JSON-RPC error to a request that is no message. */
static void http_refuse(struct http_exchange *x, unsigned status,
			struct str headers, const char *text)
{
	struct fault f = { .err = ERR_BAD_REQUEST, .text = str_of(text) };
	auto_buf out = BUF_INIT;

	message_error(&out, STR(""), &f);
	http_reply(x, status, "application/json", headers, buf_str(&out));
}

/* "text/html; q=0.5" is "text/html": no parameters, no blanks. */
static struct str media_type(struct str item)
{
	item = str_head(item, str_find(item, ';'));
	while (item.len && (*item.ptr == ' ' || *item.ptr == '\t'))
		item = str_skip(item, 1);
	while (item.len && (item.ptr[item.len - 1] == ' ' ||
			    item.ptr[item.len - 1] == '\t'))
		item.len--;
	return item;
}

static bool is_same_type(struct str a, struct str b)
{
	return str_eq(a, b) ||
	       (a.len == b.len && !strncasecmp(a.ptr, b.ptr, b.len));
}

/* Does the list of an Accept header have @type, or a range with it? */
static bool accept_has(struct str list, struct str type)
{
	struct str item, any = str_head(type, str_find(type, '/') + 1);

	while (str_split(&list, ',', &item)) {
		item = media_type(item);
		if (is_same_type(item, type))
			return true;
		if (str_is(item, "*/*") ||
		    (item.len == any.len + 1 && str_starts(item, any) &&
		     item.ptr[any.len] == '*'))
			return true;
	}
	return false;
}

static bool accepts_type(const struct http_exchange *x, struct str type)
{
	struct str list = http_header(x, HTTP_ACCEPT);

	return !list.ptr || accept_has(list, type);
}

static const struct str json_type = STR_INIT("application/json");
static const struct str event_type = STR_INIT("text/event-stream");

/* Refuse a POST whose Content-Type or Accept we cannot serve. */
static bool check_post_headers(struct http_exchange *x)
{
	struct str type = http_header(x, HTTP_CONTENT_TYPE);

	if (!is_same_type(media_type(type), json_type))
		http_refuse(x, 415, STR(""),
			    "Content-Type must be application/json");
	else if (!accepts_type(x, json_type) && !accepts_type(x, event_type))
		http_refuse(
			x, 406, STR(""),
			"Accept must include application/json and text/event-stream");
	else
		return true;
	return false;
}

/* A proxy may act on the other copy of a repeated header: refuse. */
static bool check_single_headers(struct http_exchange *x)
{
	static const enum http_name names[] = {
		HTTP_MCP_SESSION_ID, HTTP_MCP_VERSION,  HTTP_MCP_METHOD,
		HTTP_MCP_NAME,       HTTP_CONTENT_TYPE, HTTP_LAST_EVENT_ID,
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (http_header_count(x, names[i]) > 1) {
			http_refuse(
				x, 400, STR(""),
				"A header is repeated that may occur only once");
			return false;
		}
	return true;
}

/* The session of Mcp-Session-Id; NULL: the request has been refused. */
static struct mcp_session *session_of_request(struct endpoint *e,
					      struct http_exchange *x,
					      struct str name)
{
	struct str id = http_header(x, HTTP_MCP_SESSION_ID);
	struct mcp_session *s;

	if (!id.ptr) {
		http_refuse(
			x, 400, STR(""),
			"The header Mcp-Session-Id is missing: send initialize first, or name a protocol version in params._meta");
		return NULL;
	}
	s = mcp_session_find(e, id, name);
	if (!s)
		http_refuse(x, 404, STR(""),
			    "Unknown or expired session: send initialize");
	return s;
}

/* Without a session id, but with a version that `initialize` does not know. */
static bool claims_modern(const struct http_exchange *x)
{
	struct str version = http_header(x, HTTP_MCP_VERSION);

	return version.ptr && !http_header(x, HTTP_MCP_SESSION_ID).ptr &&
	       !dialect_named(version);
}

static struct mcp_session *session_of_message(struct endpoint *e,
					      struct http_exchange *x,
					      struct str name, struct job *job,
					      enum job_era era)
{
	struct mcp_session *s;

	if (era == JOB_LEGACY && !claims_modern(x))
		return session_of_request(e, x, name);
	s = era == JOB_HELLO ? mcp_session_new(e, name)
			     : mcp_session_stateless(e, name, job);
	if (!s)
		http_refuse(x, 503, STR("Retry-After: 10\r\n"),
			    "There are too many sessions");
	return s;
}

/* Called during job_take() only, while the client is connected. */
static struct str request_header(const struct headers *h, const char *name)
{
	const struct mcp_exchange *exchange =
		(const struct mcp_exchange *)((const char *)h -
					      offsetof(struct mcp_exchange,
						       headers));

	return http_other_header(exchange->x, name);
}

static void read_headers(const struct http_exchange *x, struct arena *mem,
			 struct headers *h)
{
	/* Copies: the job may outlive the HTTP exchange. */
	struct str values[] = { http_header(x, HTTP_MCP_VERSION),
				http_header(x, HTTP_MCP_METHOD),
				http_header(x, HTTP_MCP_NAME) };

	for (size_t i = 0; i < COUNT_OF(values); i++)
		if (values[i].ptr)
			values[i] = arena_copy(mem, values[i]);
	*h = (struct headers){ values[0], values[1], values[2],
			       request_header };
}

static void exchange_take(struct mcp_exchange *exchange)
{
	struct mcp_session *s = exchange->session;
	struct job *job = exchange->job;
	enum job_schedule schedule;

	s->calls++;
	schedule = job_take(job, &s->queue.link);
	if (schedule != JOB_DONE) {
		call_queue_add(&s->queue, job);
		return;
	}
	if (job->cancels.len && s->has_id)
		call_queue_cancel(&s->queue, job->cancels);
	mcp_exchange_finish(exchange);
	/* An answer lets a parked call go on. */
	call_queue_start_ready(&s->queue);
}

static void serve_post(struct endpoint *e, struct http_exchange *x,
		       struct str name)
{
	struct job *job = endpoint_job(e);
	struct mcp_exchange *exchange;
	struct mcp_session *s;
	enum job_era era;

	http_take_body(x, &job->text);
	if (!job_parse(job)) {
		http_reply(x, job->status, "application/json", STR(""),
			   buf_str(&job->reply));
		endpoint_put_job(e, job);
		return;
	}
	era = job_era(job);
	s = session_of_message(e, x, name, job, era);
	if (!s) {
		endpoint_put_job(e, job);
		return;
	}
	atomic_fetch_add(&s->refs, 1);
	exchange = mcp_exchange_new(s, x, job);
	exchange->modern = era == JOB_MODERN;
	exchange->hello = era == JOB_HELLO;
	exchange->takes_events = accepts_type(x, event_type);
	exchange->peer = (struct peer){ .send = mcp_exchange_send,
					.pause = mcp_exchange_pause };
	read_headers(x, &job->mem, &exchange->headers);
	job->headers = &exchange->headers;
	job->peer = exchange->takes_events ? &exchange->peer : NULL;
	exchange_take(exchange);
	if (era == JOB_HELLO && !s->queue.link.dialect)
		mcp_session_end(s); /* `initialize` failed */
	mcp_session_unref(s);
}

static void serve_get(struct endpoint *e, struct http_exchange *x,
		      struct str name)
{
	struct str last = http_header(x, HTTP_LAST_EVENT_ID);
	struct mcp_session *s;

	if (!http_header(x, HTTP_MCP_SESSION_ID).ptr) {
		http_refuse(x, 405, STR("Allow: POST\r\n"),
			    "GET needs a session");
		return;
	}
	s = session_of_request(e, x, name);
	if (!s)
		return;
	if (!accepts_type(x, event_type))
		http_refuse(x, 406, STR(""),
			    "Accept must include text/event-stream");
	else if (!last.len)
		mcp_exchange_listen(s, x);
	else if (!mcp_exchange_resume(s, x, last))
		http_refuse(x, 400, STR(""),
			    "Last-Event-ID is unknown or too old");
}

static void serve_delete(struct endpoint *e, struct http_exchange *x,
			 struct str name)
{
	struct mcp_session *s = session_of_request(e, x, name);

	if (!s)
		return;
	mcp_session_end(s);
	http_reply(x, 204, NULL, STR(""), STR(""));
}

void endpoint_request(struct endpoint *e, struct http_exchange *x,
		      struct str client)
{
	struct str method = http_request(x)->method;

	http_set(x, NULL);
	if (!check_single_headers(x))
		return;
	if (str_is(method, "POST")) {
		if (check_post_headers(x))
			serve_post(e, x, client);
	} else if (str_is(method, "GET")) {
		serve_get(e, x, client);
	} else if (str_is(method, "DELETE")) {
		serve_delete(e, x, client);
	} else {
		http_refuse(x, 405, STR("Allow: POST, GET, DELETE\r\n"),
			    "Only POST, GET and DELETE are supported");
	}
}

void endpoint_gone(struct endpoint *e, struct http_exchange *x)
{
	struct mcp_exchange *exchange = http_get(x);

	if (exchange)
		mcp_exchange_disconnected(exchange);
}

/* The server stops: end the streams that wait for messages. */
static void session_end_listeners(struct mcp_session *s)
{
	struct mcp_exchange *next;

	for (struct mcp_exchange *exchange = s->exchanges; exchange;
	     exchange = next) {
		next = exchange->next;
		if (!exchange->job)
			mcp_exchange_end(exchange);
	}
}

static void session_tick(struct mcp_session *s, bool is_second)
{
	struct mcp_exchange *next;

	atomic_fetch_add(&s->refs, 1);
	if (s->queue.link.parked)
		call_queue_start_ready(&s->queue);
	if (http_is_stopping(s->endpoint->http))
		session_end_listeners(s);
	for (struct mcp_exchange *exchange = is_second ? s->exchanges : NULL;
	     exchange; exchange = next) {
		next = exchange->next;
		mcp_exchange_keep_alive(exchange);
	}
	mcp_session_unref(s);
}

void endpoint_tick(struct endpoint *e)
{
	bool is_second = ++e->ticks % TICKS == 0;
	struct mcp_session *next;

	for (size_t i = mcp_session_bucket(e, 0); i < BUCKETS;
	     i = mcp_session_bucket(e, i + 1))
		for (struct mcp_session *s = e->table[i]; s; s = next) {
			next = s->next;
			session_tick(s, is_second);
		}
	if (is_second)
		mcp_session_sweep(e);
}

void endpoint_free(struct endpoint *e)
{
	struct job *job;

	if (!e)
		return;
	ask_on_decision(e->options.server, NULL, NULL);
	e->stopping = true;
	mcp_session_halt_all(e);
	/* Halted calls end at once; one that never ran would keep its session. */
	pool_free(e->pool, POOL_RUN_QUEUED);
	mailbox_drain(loop_mailbox(http_loop(e->http)));
	mcp_session_end_all(e);
	mailbox_drain(loop_mailbox(http_loop(e->http)));
	while ((job = e->free_jobs)) {
		e->free_jobs = job->next;
		job_free(job);
	}
	charge_set(&e->kept, 0);
	http_uncharge(e->http);
	arena_free(&e->mem);
	free(e);
}

static struct endpoint_client describe_session(const struct mcp_session *s,
					       struct arena *mem)
{
	const struct link *l = &s->queue.link;
	struct endpoint_client c = {
		.name = arena_copy(mem, s->name),
		.client = arena_copy(mem, l->client),
		.session = arena_copy(mem, str_of(l->session)),
		.version = l->dialect ? l->dialect->version : STR(MCP_MODERN),
		.since_ms = s->since_ms,
		.last_ms = s->last_ms,
		.calls = s->calls,
		.running = s->queue.reads + s->queue.changes,
		.waiting = s->queue.waiting_count,
		.asking = (unsigned)l->parked_count,
	};

	for (const struct mcp_exchange *exchange = s->exchanges; exchange;
	     exchange = exchange->next)
		c.streams += exchange->streaming;
	return c;
}

void endpoint_clients(const struct endpoint *e, struct arena *mem,
		      struct endpoint_client **ret, size_t *ret_n)
{
	size_t n = 0;

	*ret = arena_array(mem, struct endpoint_client,
			   e->sessions + e->clients);
	for (size_t i = mcp_session_bucket(e, 0); i < BUCKETS;
	     i = mcp_session_bucket(e, i + 1))
		for (struct mcp_session *s = e->table[i]; s; s = s->next)
			(*ret)[n++] = describe_session(s, mem);
	*ret_n = n;
}
