#include "rpc/mcp.h"

#include "base/clock.h"
#include "rpc/clients.h"
#include "rpc/reply.h"
#include "rpc/roots.h"
#include "tools/result.h"
#include "tools/schema.h"

void mcp_fail(struct job *job, const struct fault *f)
{
	message_error(&job->reply, job->message.id, f);
}

static enum job_next on_initialize(struct job *job)
{
	struct json params = job->message.params;
	struct json can = json_get(params, "capabilities");
	struct link *l = job->link;
	struct str version;
	struct json_out o;

	if (!json_text(json_get(params, "protocolVersion"), &job->mem,
		       &version))
		return reply_bad_params(job,
					"protocolVersion must be a string");
	l->dialect = dialect_named(version);
	if (!l->dialect)
		l->dialect = dialect_newest;
	l->has_roots = json_is(json_get(can, "roots"), JSON_OBJECT);
	link_meet(l, json_get(params, "clientInfo"));
	l->elicits = l->dialect->elicits && input_can_elicit(can);
	l->samples = json_is(json_get(can, "sampling"), JSON_OBJECT);
	o = reply_open(job);
	json_key(&o, "protocolVersion");
	json_put_str(&o, l->dialect->version);
	catalog_put_capabilities(&o, job->server->catalog);
	json_key(&o, "serverInfo");
	server_put_info(job->server, &o);
	server_put_instructions(job->server, &o);
	message_result_end(&o);
	return JOB_DONE;
}

static enum job_next on_discover(struct job *job)
{
	struct json_out o = reply_open(job);

	json_key(&o, "supportedVersions");
	json_put_raw(&o, STR("[\"" MCP_MODERN "\"]"));
	catalog_put_capabilities(&o, job->server->catalog);
	server_put_instructions(job->server, &o);
	reply_put_cache(job, &o);
	message_result_end(&o);
	return JOB_DONE;
}

static enum job_next on_tools_list(struct job *job)
{
	const struct server *s = job->server;
	const struct tool_options *options = client_options(job);
	struct json_out o;

	if (json_kind(json_get(job->message.params, "cursor")) > JSON_NULL)
		return reply_bad_params(
			job, "Unknown cursor: the list has one page");
	o = reply_open(job);
	json_key(&o, "tools");
	json_open(&o, '[');
	catalog_put_tools(&o, s->catalog);
	for (size_t i = 0; i < all_tools_count; i++)
		if (server_offers(s, all_tools[i]))
			schema_tool(&o, all_tools[i], options);
	json_close(&o, ']');
	reply_put_cache(job, &o);
	message_result_end(&o);
	return JOB_DONE;
}

static bool is_cancelled(void *ctx)
{
	struct job *job = ctx;

	return atomic_load_explicit(&job->cancelled, memory_order_relaxed);
}

/* Tell of long work, now and then, to those who asked for it. */
static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
	enum { FIRST_MS = 200, EVERY_MS = 100 };
	struct job *job = ctx;
	uint64_t now = clock_ms();
	auto_buf out = BUF_INIT;
	struct json_out o;

	if (now < job->started + FIRST_MS || now < job->told + EVERY_MS)
		return;
	job->told = now;
	o = message_notice(&out, "notifications/progress");
	json_key(&o, "progressToken");
	json_put_raw(&o, job->progress);
	json_key(&o, "progress");
	json_put_int(&o, (int64_t)done);
	json_key(&o, "total");
	json_put_int(&o, (int64_t)total);
	message_notice_end(&o);
	job->peer->send(job->peer, buf_str(&out));
}

static bool offers(void *ctx, const struct tool *t)
{
	return server_offers(ctx, t);
}

/* The name that events give the call: the client's own, if it has one. */
static struct str call_id(struct job *job, struct json meta)
{
	enum { MOST = 1024 };
	struct str id;

	if (json_text(json_get(meta, "callId"), &job->mem, &id) && id.len &&
	    id.len <= MOST)
		return id;
	return job->message.id;
}

/* A progress token goes out again and again: a long one is not taken. */
static bool is_token(struct json v)
{
	enum { MOST = 1024 };

	return (json_is(v, JSON_STRING) || json_is(v, JSON_NUMBER)) &&
	       json_raw(v).len <= MOST;
}

static enum job_next on_tools_call(struct job *job)
{
	struct json params = job->message.params;
	struct json meta = json_get(params, "_meta");
	struct json token = json_get(meta, "progressToken");
	enum job_next next;
	struct str name;
	enum err e;

	struct fault f;

	if (job_admit(job, &f)) {
		job->status = 503;
		mcp_fail(job, &f);
		return JOB_DONE;
	}
	if (!json_text(json_get(params, "name"), &job->mem, &name))
		return reply_bad_params(job, "name must be a string");
	if (catalog_call_tool(job, name, &next))
		return next;
	if (is_token(token))
		job->progress = json_raw(token);
	job->started = clock_ms();
	job->caller =
		link_caller(job->link, json_get(meta, MCP_META "clientInfo"),
			    &job->mem);
	job->dispatch = (struct dispatch){
		.options = client_options(job),
		.ws = job->server->ws,
		.mem = &job->mem,
		.errand = { .stop = is_cancelled,
			    .moved = job->progress.len && job->peer
					     ? on_progress
					     : NULL,
			    .ctx = job },
		.events = job->server->events,
		.id = call_id(job, meta),
		.caller = &job->caller,
		.offers = offers,
		.ctx = job->server,
	};
	if (!ask_begin(job, name))
		return JOB_DONE;
	e = dispatch_begin(&job->dispatch, name, json_get(params, "arguments"));
	if (e) {
		mcp_answer_call(job, e);
		return JOB_DONE;
	}
	return job_call_kind(job);
}

/* The client wants the failure as a result rather than as an error. */
static bool as_result(struct job *job, enum err e)
{
	const struct tool *t = job->dispatch.call.tool;

	if (err_is_coded(e) || (t && t->soft && !err_is_rpc(e)))
		return true;
	return client_wants_result(job, e);
}

/* Clients hang up on a longer message: better to tell them. */
static void check_length(struct job *job, size_t before)
{
	const struct tool *t = job->dispatch.call.tool;
	uint64_t max = job->server->tools.max_reply;

	if (job->reply.len <= max) /* also all of a batch together */
		return;
	job->reply.len = before;
	mcp_fail(
		job,
		&(struct fault){
			.err = ERR_INTERNAL,
			.text = effects_change(t->effects)
					? STR("Done, but the reply is longer than clients accept")
					: STR("The reply is longer than clients accept") });
}

/*
 * What has been sent cannot be taken back: only a reply that will not be too
 * long is sent while it is made.
 */
static struct json_flow *flow_of(const struct job *job)
{
	enum { LONG_ID = 1024, SMALL = 64 * 1024 };
	bool fits = job->dispatch.call.fits && !job->batched &&
		    job->message.id.len < LONG_ID &&
		    job->server->tools.max_reply > SMALL;

	return fits ? job->flow : NULL;
}

void mcp_answer_call(struct job *job, enum err e)
{
	const struct fault *f = &job->dispatch.fault;
	size_t before = job->reply.len;
	struct json_out o;

	if (e == ERR_CANCELLED && is_cancelled(job))
		return;
	if (job->ask.state.len) {
		o = reply_open_as(job, "input_required");
		ask_put_result(&o, job);
		message_result_end(&o);
		return;
	}
	if (e && !as_result(job, e)) {
		mcp_fail(job, f);
		return;
	}
	o = reply_open(job);
	if (!e)
		o.flow = flow_of(job);
	if (e)
		result_put_fault(&o, f, job->dispatch.options->results);
	else
		result_put(&o, &job->dispatch.call);
	message_result_end(&o);
	if (!e && !o.flow)
		check_length(job, before);
}

static enum job_next on_initialized(struct job *job)
{
	news_link(job->server, job->link);
	roots_ask(job);
	return JOB_DONE;
}

static enum job_next on_cancelled(struct job *job)
{
	job->cancels = json_raw(json_get(job->message.params, "requestId"));
	return JOB_DONE;
}

static const struct method requests[] = {
	{ "initialize", LEGACY, true, on_initialize },
	{ "ping", LEGACY, true, reply_empty },
	{ "server/discover", MODERN, false, on_discover },
	{ "tools/call", LEGACY | MODERN, false, on_tools_call },
	{ "tools/list", LEGACY | MODERN, false, on_tools_list },
};

static const struct method notices[] = {
	{ "notifications/cancelled", LEGACY | MODERN, true, on_cancelled },
	{ "notifications/initialized", LEGACY, true, on_initialized },
	{ "notifications/roots/list_changed", LEGACY, true, on_initialized },
};

static const struct method *find(const struct method *rows, size_t n,
				 struct str name, enum eras era)
{
	for (size_t i = 0; i < n; i++)
		if ((rows[i].eras & era) && str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

static struct json meta_of(const struct job *job, const char *key)
{
	return json_get(json_get(job->message.params, "_meta"), key);
}

/*
 * It is modern when it names a version in its _meta, however wrong; only
 * `initialize` needs a right one, because an old client that happens to send
 * such a key still wants the handshake.
 */
bool mcp_is_modern(struct json message)
{
	struct json meta = json_get(json_get(message, "params"), "_meta");
	struct json version = json_get(meta, MCP_META "protocolVersion");

	if (json_is(version, JSON_NONE))
		return false;
	return !json_str_is(json_get(message, "method"), "initialize") ||
	       json_str_is(version, MCP_MODERN);
}

static void unsupported(struct job *job, struct json version)
{
	struct fault f = { .err = ERR_BAD_VERSION };
	auto_buf data = BUF_INIT;
	struct json_out o = json_out(&data);

	if (!json_text(version, &job->mem, &f.text))
		f.text = STR("?");
	json_open(&o, '{');
	json_key(&o, "supported");
	json_put_raw(&o, STR("[\"" MCP_MODERN "\"]"));
	json_key(&o, "requested");
	json_put(&o, version);
	json_close(&o, '}');
	f.data = buf_str(&data);
	job->status = 400;
	mcp_fail(job, &f);
}

/*
 * The two things that every modern request must carry, and headers that say
 * the same. What contradicts itself is refused before what we do not know.
 */
static bool check_modern(struct job *job)
{
	struct json version = meta_of(job, MCP_META "protocolVersion");
	struct json caps = meta_of(job, MCP_META "clientCapabilities");
	const char *wrong = NULL;

	if (!json_is(version, JSON_STRING)) {
		reply_refuse(job, ERR_BAD_ARGS,
			     "_meta[\"" MCP_META
			     "protocolVersion\"] must be a string");
		return false;
	}
	if (job->headers)
		wrong = headers_contradict(job->headers, version,
					   job->message.method, &job->mem);
	if (wrong) {
		reply_refuse(job, ERR_BAD_HEADERS, wrong);
		return false;
	}
	if (!json_is(caps, JSON_OBJECT)) {
		reply_refuse(job, ERR_BAD_ARGS,
			     "_meta[\"" MCP_META
			     "clientCapabilities\"] must be an object");
		return false;
	}
	if (!json_str_is(version, MCP_MODERN)) {
		unsupported(job, version);
		return false;
	}
	if (job->headers)
		wrong = headers_incomplete(job->headers, job->message.method,
					   job->message.params, &job->mem);
	if (wrong)
		reply_refuse(job, ERR_BAD_HEADERS, wrong);
	return !wrong;
}

/* Versions are dates, which sort. */
static bool is_modern_version(struct str version)
{
	static const struct str first = STR_INIT(MCP_MODERN);

	return version.len == first.len &&
	       memcmp(version.ptr, first.ptr, first.len) >= 0;
}

/* An older message by HTTP: does the header fit it? */
static bool check_legacy(struct job *job)
{
	struct str version = job->headers->version;

	if (!version.ptr || dialect_named(version))
		return true;
	if (!is_modern_version(version))
		reply_refuse(job, ERR_BAD_REQUEST,
			     "Unsupported MCP-Protocol-Version header");
	else if (str_is(job->message.method, "initialize"))
		reply_refuse(
			job, ERR_BAD_HEADERS,
			"MCP-Protocol-Version names a version without initialize");
	else
		reply_refuse(job, ERR_BAD_ARGS,
			     "params._meta must have " MCP_META
			     "protocolVersion and " MCP_META
			     "clientCapabilities");
	return false;
}

/* There is no such method here, or not yet. */
static enum job_next refuse_method(struct job *job)
{
	static const struct str early = STR_INIT(
		"Not initialized: send initialize first, or name a protocol version in params._meta");
	struct fault f = { .err = ERR_NO_METHOD, .name = job->message.method };

	if (job->modern)
		job->status = 404;
	else if (!job->link->dialect &&
		 !str_is(job->message.method, "server/discover"))
		f = (struct fault){ .err = ERR_BAD_REQUEST, .text = early };
	mcp_fail(job, &f);
	return JOB_DONE;
}

static enum job_next handle_request(struct job *job)
{
	enum eras era = job->modern ? MODERN : LEGACY;
	const struct method *m =
		find(requests, COUNT_OF(requests), job->message.method, era);

	if (job->modern && !check_modern(job))
		return JOB_DONE;
	if (!m)
		m = catalog_method(job->server->catalog, job->message.method,
				   era);
	if (!m || !(job->modern || m->early || job->link->dialect))
		return refuse_method(job);
	if (json_kind(job->message.params) > JSON_NULL &&
	    !json_is(job->message.params, JSON_OBJECT))
		return reply_bad_params(job, "params must be an object");
	return m->handle(job);
}

enum job_next mcp_handle(struct job *job)
{
	const struct method *m;

	job->modern =
		mcp_is_modern(job->batched ? job->batch.value : job->root);
	if (job->headers && !job->modern && !check_legacy(job))
		return JOB_DONE;
	switch (job->message.kind) {
	case MESSAGE_REQUEST:
		return handle_request(job);
	case MESSAGE_RESPONSE:
		roots_answer(job);
		ask_take_response(job);
		return JOB_DONE;
	case MESSAGE_NOTIFICATION:
		m = find(notices, COUNT_OF(notices), job->message.method,
			 LEGACY);
		return m ? m->handle(job) : JOB_DONE;
	}
	return JOB_DONE;
}
