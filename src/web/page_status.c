/*
 * page_status.c - API: the state of the server, and /metrics for Prometheus.
 *
 * Counters and clients belong to the loop's thread: page_status_gather() copies
 * them there, before a worker makes the reply.
 */
#include "base/clock.h"
#include "base/confine.h"
#include "store/client_name.h"
#include "tools/permissions/rules_json.h"
#include "web/page_local.h"

/* One row for each number: on the page, and for Prometheus. */
static const struct {
	const char *key, *metric, *type, *help;
	size_t offset;
} counters[] = {
#define COUNTER(key, member, metric, type, help)                              \
	{                                                                     \
		key, metric, type, help, offsetof(struct page_counts, member) \
	}
	COUNTER("calls", activity.calls, "stet_calls_total", "counter",
		"Tool calls"),
	COUNTER("failed", activity.failed, "stet_calls_failed_total", "counter",
		"Failed tool calls"),
	COUNTER("denied", activity.denied, "stet_calls_denied_total", "counter",
		"Tool calls denied by the user, a rule or a hook"),
	COUNTER("asked", activity.asked, "stet_calls_asked_total", "counter",
		"Tool calls that needed approval"),
	COUNTER("created", activity.created, "stet_files_created_total",
		"counter", "Files created"),
	COUNTER("updated", activity.updated, "stet_files_updated_total",
		"counter", "Files changed"),
	COUNTER("removed", activity.removed, "stet_files_removed_total",
		"counter", "Files removed"),
	COUNTER("lines_added", activity.lines_added, "stet_lines_added_total",
		"counter", "Lines added"),
	COUNTER("lines_removed", activity.lines_removed,
		"stet_lines_removed_total", "counter", "Lines removed"),
	COUNTER("bytes_in", http.bytes_in, "stet_http_received_bytes_total",
		"counter", "Bytes received over HTTP"),
	COUNTER("bytes_out", http.bytes_out, "stet_http_sent_bytes_total",
		"counter", "Bytes sent over HTTP"),
	COUNTER("requests", http.requests, "stet_http_requests_total",
		"counter", "HTTP requests"),
	COUNTER("connections", http.connections, "stet_http_connections",
		"gauge", "Open connections"),
	COUNTER("refused", http.refused, "stet_http_refused_total", "counter",
		"Connections refused or closed because of the limit"),
	COUNTER("timeouts", http.timeouts, "stet_http_timeouts_total",
		"counter", "Requests that timed out"),
#undef COUNTER
};

static uint64_t counter(const struct page_counts *c, size_t i)
{
	return *(const uint64_t *)((const char *)c + counters[i].offset);
}

static void copy_client(struct endpoint_client *c, struct arena *mem)
{
	c->name = arena_copy(mem, c->name);
	c->client = arena_copy(mem, c->client);
	c->session = arena_copy(mem, c->session);
	c->version = arena_copy(mem, c->version);
}

void page_status_gather(struct api_request *rq)
{
	const struct page_options *o = &rq->page->options;

	rq->counts = (struct page_counts){
		.activity = activity_counts(o->activity),
		.http = http_counts(o->http),
		.uptime_ms = clock_ms() - rq->page->began,
	};
	if (!o->endpoint)
		return;
	endpoint_clients(o->endpoint, &rq->mem, &rq->clients,
			 &rq->client_count);
	for (size_t i = 0; i < rq->client_count; i++)
		copy_client(&rq->clients[i], &rq->mem);
}

void put_client(struct json_out *o, const struct endpoint_client *c)
{
	auto_arena mem = ARENA_INIT;

	json_text_member(o, "name", c->name);
	json_text_member(o, "client", c->client);
	json_text_member(o, "token", c->name);
	json_text_member(o, "who", client_words_of(c->name, c->client, &mem));
	json_text_member(o, "session", c->session);
	json_text_member(o, "version", c->version);
	put_number(o, "since_ms", c->since_ms);
	put_number(o, "last_ms", c->last_ms);
	put_number(o, "calls", c->calls);
	put_number(o, "running", c->running);
	put_number(o, "waiting", c->waiting);
	put_number(o, "asking", c->asking);
	put_number(o, "streams", c->streams);
}

static void put_roots(struct json_out *o, struct api_request *rq)
{
	const struct str *roots;
	size_t n = 0;

	roots = ws_roots(rq->page->options.server->ws, &rq->mem, &n);
	json_key(o, "roots");
	json_open(o, '[');
	for (size_t i = 0; i < n; i++)
		json_put_str(o, roots[i]);
	json_close(o, ']');
}

static void put_rules(struct json_out *o, struct api_request *rq)
{
	static const struct rules none = { .mode = MODE_DEFAULT };
	const struct rules *r = rq->page->options.server->tools.rules;

	r = r ? rules_now(r) : &none;
	json_text_member(o, "mode", str_of(mode_name(r->mode)));
	json_key(o, "rules");
	rules_put_list(o, r);
}

static void put_clients(struct json_out *o, struct api_request *rq)
{
	json_key(o, "clients");
	json_open(o, '[');
	for (size_t i = 0; i < rq->client_count; i++) {
		json_open(o, '{');
		put_client(o, &rq->clients[i]);
		json_close(o, '}');
	}
	json_close(o, ']');
}

static void put_counters(struct json_out *o, struct api_request *rq)
{
	json_key(o, "counters");
	json_open(o, '{');
	for (size_t i = 0; i < COUNT_OF(counters); i++)
		put_number(o, counters[i].key, counter(&rq->counts, i));
	json_close(o, '}');
}

static void put_history(struct json_out *o, struct api_request *rq)
{
	struct store *s = rq->page->options.server->tools.store;
	struct str problem = STR("");

	if (s && store_usable(s, &rq->fault))
		problem = fault_text(&rq->fault, &rq->mem);
	else if (s && store_put_aside(s).len)
		problem = arena_printf(
			&rq->mem,
			"it was damaged and was moved to " STR_FMT
			"; the new one has what could be recovered",
			STR_ARG(store_put_aside(s)));
	json_key(o, "history");
	json_open(o, '{');
	put_flag(o, "on", s != NULL);
	json_text_member(o, "problem", problem);
	json_close(o, '}');
}

/* A description of the confinement in force. */
static void put_confined(struct json_out *o, struct api_request *rq)
{
	struct confine_state state = confine_now();
	auto_buf words = BUF_INIT;

	confine_describe(&state, &words);
	json_text_member(o, "confined", arena_copy(&rq->mem, buf_str(&words)));
}

void page_status(struct api_request *rq)
{
	struct json_out o = json_out(&rq->out);

	json_open(&o, '{');
	json_text_member(&o, "version",
			 str_of(rq->page->options.server->version));
	json_text_member(&o, "url", rq->page->options.url);
	put_number(&o, "uptime_ms", rq->counts.uptime_ms);
	put_roots(&o, rq);
	put_rules(&o, rq);
	put_clients(&o, rq);
	put_counters(&o, rq);
	put_history(&o, rq);
	put_confined(&o, rq);
	json_close(&o, '}');
}

void page_metrics(struct api_request *rq)
{
	rq->type = "text/plain; version=0.0.4; charset=utf-8";
	for (size_t i = 0; i < COUNT_OF(counters); i++)
		buf_addf(&rq->out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n",
			 counters[i].metric, counters[i].help,
			 counters[i].metric, counters[i].type,
			 counters[i].metric,
			 (unsigned long long)counter(&rq->counts, i));
	buf_addf(
		&rq->out,
		"# HELP stet_clients Clients that are connected\n# TYPE stet_clients gauge\nstet_clients %zu\n",
		rq->client_count);
	buf_addf(
		&rq->out,
		"# HELP stet_uptime_seconds Since the server started\n# TYPE stet_uptime_seconds gauge\nstet_uptime_seconds %llu\n",
		(unsigned long long)(rq->counts.uptime_ms / 1000));
}

void page_activity(struct api_request *rq)
{
	struct json_out o = json_out(&rq->out);
	struct activity_call *list;
	size_t n;

	activity_list(rq->page->options.activity, &rq->mem, &list, &n);
	json_open(&o, '{');
	json_key(&o, "calls");
	json_open(&o, '[');
	for (size_t i = 0; i < n; i++)
		activity_put(&o, &list[i]);
	json_close(&o, ']');
	json_close(&o, '}');
}
