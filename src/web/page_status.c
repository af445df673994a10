/* Who is there, what is served, how many of what. */

#include "base/clock.h"
#include "base/confine.h"
#include "store/client_name.h"
#include "tools/rules_json.h"
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
		"Calls of tools that began"),
	COUNTER("failed", activity.failed, "stet_calls_failed_total", "counter",
		"Calls of tools that failed"),
	COUNTER("denied", activity.denied, "stet_calls_denied_total", "counter",
		"Calls of tools that the person, a rule or a hook denied"),
	COUNTER("asked", activity.asked, "stet_calls_asked_total", "counter",
		"Calls of tools that ended with a question to the person"),
	COUNTER("created", activity.created, "stet_files_created_total",
		"counter", "Files that were created"),
	COUNTER("updated", activity.updated, "stet_files_updated_total",
		"counter", "Files that were changed"),
	COUNTER("removed", activity.removed, "stet_files_removed_total",
		"counter", "Files that were removed"),
	COUNTER("lines_added", activity.lines_added, "stet_lines_added_total",
		"counter", "Lines that were added"),
	COUNTER("lines_removed", activity.lines_removed,
		"stet_lines_removed_total", "counter",
		"Lines that were removed"),
	COUNTER("bytes_in", http.bytes_in, "stet_http_received_bytes_total",
		"counter", "Bytes that came in on the port"),
	COUNTER("bytes_out", http.bytes_out, "stet_http_sent_bytes_total",
		"counter", "Bytes that went out on the port"),
	COUNTER("requests", http.requests, "stet_http_requests_total",
		"counter", "HTTP requests"),
	COUNTER("connections", http.connections, "stet_http_connections",
		"gauge", "Connections that are open"),
	COUNTER("refused", http.refused, "stet_http_refused_total", "counter",
		"Connections that were one too many"),
	COUNTER("timeouts", http.timeouts, "stet_http_timeouts_total",
		"counter", "Requests that came too slowly"),
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

void page_status_gather(struct visit *v)
{
	const struct page_options *o = &v->page->options;

	v->counts = (struct page_counts){
		.activity = activity_counts(o->activity),
		.http = http_counts(o->http),
		.uptime_ms = clock_ms() - v->page->began,
	};
	if (!o->endpoint)
		return;
	endpoint_clients(o->endpoint, &v->mem, &v->clients, &v->client_count);
	for (size_t i = 0; i < v->client_count; i++)
		copy_client(&v->clients[i], &v->mem);
}

void put_client(struct json_out *o, const struct endpoint_client *c)
{
	auto_arena mem = ARENA_INIT;

	json_text_member(o, "name", c->name);
	json_text_member(o, "client", c->client);
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

static void put_roots(struct json_out *o, struct visit *v)
{
	const struct str *roots;
	size_t n = 0;

	roots = ws_roots(v->page->options.server->ws, &v->mem, &n);
	json_key(o, "roots");
	json_open(o, '[');
	for (size_t i = 0; i < n; i++)
		json_put_str(o, roots[i]);
	json_close(o, ']');
}

static void put_rules(struct json_out *o, struct visit *v)
{
	static const struct rules none = { .mode = MODE_DEFAULT };
	const struct rules *r = v->page->options.server->tools.rules;

	r = r ? rules_now(r) : &none;
	json_text_member(o, "mode", str_of(mode_name(r->mode)));
	json_key(o, "rules");
	rules_put_list(o, r);
}

static void put_clients(struct json_out *o, struct visit *v)
{
	json_key(o, "clients");
	json_open(o, '[');
	for (size_t i = 0; i < v->client_count; i++) {
		json_open(o, '{');
		put_client(o, &v->clients[i]);
		json_close(o, '}');
	}
	json_close(o, ']');
}

static void put_counters(struct json_out *o, struct visit *v)
{
	json_key(o, "counters");
	json_open(o, '{');
	for (size_t i = 0; i < COUNT_OF(counters); i++)
		put_number(o, counters[i].key, counter(&v->counts, i));
	json_close(o, '}');
}

static void put_history(struct json_out *o, struct visit *v)
{
	struct store *s = v->page->options.server->tools.store;
	struct str problem = STR("");

	if (s && store_usable(s, &v->fault))
		problem = fault_text(&v->fault, &v->mem);
	else if (s && store_put_aside(s).len)
		problem =
			arena_printf(&v->mem,
				     "it was damaged and is now " STR_FMT
				     "; a new one has what could be read of it",
				     STR_ARG(store_put_aside(s)));
	json_key(o, "history");
	json_open(o, '{');
	put_flag(o, "on", s != NULL);
	json_text_member(o, "problem", problem);
	json_close(o, '}');
}

/* What the kernel enforces, in words. */
static void put_confined(struct json_out *o, struct visit *v)
{
	struct confine_state state = confine_now();
	auto_buf words = BUF_INIT;

	confine_say(&state, &words);
	json_text_member(o, "confined", arena_copy(&v->mem, buf_str(&words)));
}

void page_status(struct visit *v)
{
	struct json_out o = json_out(&v->out);

	json_open(&o, '{');
	json_text_member(&o, "version",
			 str_of(v->page->options.server->version));
	json_text_member(&o, "url", v->page->options.url);
	put_number(&o, "uptime_ms", v->counts.uptime_ms);
	put_roots(&o, v);
	put_rules(&o, v);
	put_clients(&o, v);
	put_counters(&o, v);
	put_history(&o, v);
	put_confined(&o, v);
	json_close(&o, '}');
}

void page_metrics(struct visit *v)
{
	v->type = "text/plain; version=0.0.4; charset=utf-8";
	for (size_t i = 0; i < COUNT_OF(counters); i++)
		buf_addf(&v->out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n",
			 counters[i].metric, counters[i].help,
			 counters[i].metric, counters[i].type,
			 counters[i].metric,
			 (unsigned long long)counter(&v->counts, i));
	buf_addf(
		&v->out,
		"# HELP stet_clients Clients that are connected\n# TYPE stet_clients gauge\nstet_clients %zu\n",
		v->client_count);
	buf_addf(
		&v->out,
		"# HELP stet_uptime_seconds Since the server started\n# TYPE stet_uptime_seconds gauge\nstet_uptime_seconds %llu\n",
		(unsigned long long)(v->counts.uptime_ms / 1000));
}

void page_activity(struct visit *v)
{
	struct json_out o = json_out(&v->out);
	struct activity_call *list;
	size_t n;

	activity_list(v->page->options.activity, &v->mem, &list, &n);
	json_open(&o, '{');
	json_key(&o, "calls");
	json_open(&o, '[');
	for (size_t i = 0; i < n; i++)
		activity_put(&o, &list[i]);
	json_close(&o, ']');
	json_close(&o, '}');
}
