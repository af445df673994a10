/*
 * mcp.c - the table of MCP methods, the checks before a method is called, and
 * the reply to a tool call.
 *
 * Methods run on the loop thread. They answer at once, or set job->handler and
 * leave the rest to job_run(); server->extension may add methods (method.h).
 */
#include "rpc/mcp.h"

#include "base/clock.h"
#include "rpc/clients.h"
#include "rpc/instructions.h"
#include "rpc/reply.h"
#include "rpc/roots.h"
#include "tools/call/result.h"
#include "tools/call/schema.h"

void mcp_fail(struct job *job, const struct fault *f)
{
	message_error(&job->reply, job->message.id, f);
}

static void put_capabilities(const struct job *job, struct json_out *o)
{
	struct extension *extension = job->server->extension;

	if (extension) {
		extension->put_capabilities(extension, o);
		return;
	}
	json_key(o, "capabilities");
	json_put_raw(o, STR("{\"tools\":{}}"));
}

static enum job_schedule on_initialize(struct job *job)
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
	link_set_client(l, json_get(params, "clientInfo"));
	l->elicits = l->dialect->elicits && input_can_elicit(can);
	l->samples = json_is(json_get(can, "sampling"), JSON_OBJECT);
	o = reply_open(job);
	json_key(&o, "protocolVersion");
	json_put_str(&o, l->dialect->version);
	put_capabilities(job, &o);
	json_key(&o, "serverInfo");
	server_put_info(job->server, &o);
	put_instructions(job, &o);
	message_result_end(&o);
	return JOB_DONE;
}

static enum job_schedule on_discover(struct job *job)
{
	struct json_out o = reply_open(job);

	json_key(&o, "supportedVersions");
	json_put_raw(&o, STR("[\"" MCP_MODERN "\"]"));
	put_capabilities(job, &o);
	put_instructions(job, &o);
	reply_put_cache(job, &o);
	message_result_end(&o);
	return JOB_DONE;
}

static enum job_schedule on_tools_list(struct job *job)
{
	const struct tool_options *options = client_options(job);
	struct offer offer = client_offer(job);
	struct json_out o;

	if (json_kind(json_get(job->message.params, "cursor")) > JSON_NULL)
		return reply_bad_params(
			job, "Unknown cursor: the list has one page");
	o = reply_open(job);
	json_key(&o, "tools");
	json_open(&o, '[');
	for (size_t i = 0; i < all_tools_count; i++)
		if (offer_lists(&offer, all_tools[i]))
			schema_tool(&o, offer_face(&offer, all_tools[i]),
				    options);
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

/* notifications/progress, rate limited. Runs on the worker of the call. */
static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
	enum { FIRST_MS = 200, EVERY_MS = 100 };
	struct job *job = ctx;
	uint64_t now = clock_ms();
	auto_buf out = BUF_INIT;
	struct json_out o;

	if (now < job->started + FIRST_MS || now < job->reported + EVERY_MS)
		return;
	job->reported = now;
	o = message_notification(&out, "notifications/progress");
	json_key(&o, "progressToken");
	json_put_raw(&o, job->progress);
	json_key(&o, "progress");
	json_put_int(&o, (int64_t)done);
	if (total) {
		json_key(&o, "total");
		json_put_int(&o, (int64_t)total);
	}
	message_notification_end(&o);
	job->peer->send(job->peer, buf_str(&out));
}

static const struct tool *offered(void *ctx, const struct tool *t)
{
	struct offer *offer = ctx;

	if (!offer) /* --tools was not given: every tool may be called */
		return t;
	return offer_calls(offer, t) ? offer_face(offer, t) : NULL;
}

/* What the client may call; NULL = everything. */
static struct offer *callable(struct job *job)
{
	struct offer *offer;

	if (client_may_call_all(job))
		return NULL;
	offer = arena_new(&job->mem, struct offer);
	*offer = client_offer(job);
	return offer;
}

/* The id of the call in events: the client's callId, else the request's. */
static struct str call_id(struct job *job, struct json meta)
{
	enum { MOST = 1024 };
	struct str id;

	if (json_text(json_get(meta, "callId"), &job->mem, &id) && id.len &&
	    id.len <= MOST)
		return id;
	return job->message.id;
}

/* Each notification repeats the token, so a long one is ignored. */
static bool is_token(struct json v)
{
	enum { MOST = 1024 };

	return (json_is(v, JSON_STRING) || json_is(v, JSON_NUMBER)) &&
	       json_raw(v).len <= MOST;
}

static void drop_call(struct job *job)
{
	dispatch_drop(&job->dispatch);
}

static const struct job_handler tool_handler = {
	.waits = ask_waits,
	.run = ask_run,
	.answer = mcp_answer_call,
	.drop = drop_call,
	.read_answer = ask_read_answer,
};

enum job_schedule mcp_call_tool(struct job *job)
{
	struct json params = job->message.params;
	struct json meta = json_get(params, "_meta");
	struct json token = json_get(meta, "progressToken");
	const struct tool *tool;
	struct str name;
	struct fault f;
	enum err e;

	if (job_admit(job, &f)) {
		job->status = 503;
		mcp_fail(job, &f);
		return JOB_DONE;
	}
	if (!json_text(json_get(params, "name"), &job->mem, &name))
		return reply_bad_params(job, "name must be a string");
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
		.progress = { .stop = is_cancelled,
			      .report = job->progress.len && job->peer
						? on_progress
						: NULL,
			      .ctx = job },
		.events = job->server->events,
		.id = call_id(job, meta),
		.caller = &job->caller,
		.offered = offered,
		.ctx = callable(job),
	};
	if (!ask_begin(job, name))
		return JOB_DONE;
	e = dispatch_begin(&job->dispatch, name, json_get(params, "arguments"));
	if (e) {
		mcp_answer_call(job, e);
		return JOB_DONE;
	}
	tool = job->dispatch.call.tool;
	job->handler = &tool_handler;
	job->light = job->server->light_changes && tool->light;
	job->slow = tool->searches;
	return effects_change(tool->effects) ? JOB_CHANGES : JOB_READS;
}

/* Is the failure to be a result with isError rather than an error? */
static bool wants_result(struct job *job, enum err e)
{
	const struct tool *t = job->dispatch.call.tool;

	if (err_is_coded(e) || (t && t->fails_as_result && !err_is_rpc(e)))
		return true;
	return client_wants_result(job, e);
}

/* Clients disconnect on a message that is too long: send an error instead. */
static void check_length(struct job *job, size_t before)
{
	const struct tool *t = job->dispatch.call.tool;
	uint64_t max = job->server->tools.max_reply;

	if (job->reply.len <= max) /* in a batch: the sum of all replies */
		return;
	job->reply.len = before;
	mcp_fail(
		job,
		&(struct fault){
			.err = ERR_INTERNAL,
			.text = effects_change(t->effects)
					? STR("Done, but the reply exceeds the size that clients accept")
					: STR("The reply exceeds the size that clients accept") });
}

/*
 * A reply can be sent while it is made only if it cannot turn out to be too
 * long, since what has been sent cannot be replaced by an error.
 */
static struct json_flush *flush_of(const struct job *job)
{
	enum { LONG_ID = 1024, SMALL = 64 * 1024 };
	bool fits = job->dispatch.call.fits && !job->batched &&
		    job->message.id.len < LONG_ID &&
		    job->server->tools.max_reply > SMALL;

	return fits ? job->flush : NULL;
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
	if (e && !wants_result(job, e)) {
		mcp_fail(job, f);
		return;
	}
	o = reply_open(job);
	if (!e)
		o.flush = flush_of(job);
	if (e)
		result_put_fault(&o, f, job->dispatch.options->results);
	else
		result_put(&o, &job->dispatch.call);
	message_result_end(&o);
	if (!e && !o.flush)
		check_length(job, before);
}

static enum job_schedule on_initialized(struct job *job)
{
	roots_ask(job);
	return JOB_DONE;
}

static enum job_schedule on_cancelled(struct job *job)
{
	job->cancels = json_raw(json_get(job->message.params, "requestId"));
	return JOB_DONE;
}

static const struct method requests[] = {
	{ "initialize", LEGACY, true, on_initialize },
	{ "ping", LEGACY, true, reply_empty },
	{ "server/discover", MODERN, false, on_discover },
	{ "tools/call", LEGACY | MODERN, false, mcp_call_tool },
	{ "tools/list", LEGACY | MODERN, false, on_tools_list },
};

static const struct method notifications[] = {
	{ "notifications/cancelled", LEGACY | MODERN, true, on_cancelled },
	{ "notifications/initialized", LEGACY, true, on_initialized },
	{ "notifications/roots/list_changed", LEGACY, true, on_initialized },
};

static const struct method *find_row(const struct method *rows, size_t n,
				     struct str name, enum eras era)
{
	for (size_t i = 0; i < n; i++)
		if ((rows[i].eras & era) && str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

/* The row of the message's method: of the extension, or else of @rows. */
static const struct method *find_method(const struct job *job,
					const struct method *rows, size_t n,
					enum eras era)
{
	struct extension *extension = job->server->extension;
	const struct method *m = NULL;

	if (extension)
		m = extension->method(extension, job->message.method, era);
	return m ? m : find_row(rows, n, job->message.method, era);
}

static struct json meta_of(const struct job *job, const char *key)
{
	return json_get(json_get(job->message.params, "_meta"), key);
}

/*
 * A message is modern when it names any version in its _meta. `initialize`
 * needs the right one: an old client that happens to send such a key still
 * wants the handshake.
 */
bool mcp_is_modern(struct json params, bool initializes)
{
	struct json meta = json_get(params, "_meta");
	struct json version = json_get(meta, MCP_META "protocolVersion");

	if (json_is(version, JSON_NONE))
		return false;
	return !initializes || json_str_is(version, MCP_MODERN);
}

static void refuse_version(struct job *job, struct json version)
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
 * Every modern request has a protocol version and the client's capabilities,
 * and its headers repeat them. A contradiction is reported before an
 * unsupported version.
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
		refuse_version(job, version);
		return false;
	}
	if (job->headers)
		wrong = headers_incomplete(job->headers, job->message.method,
					   job->message.params, &job->mem);
	if (wrong)
		reply_refuse(job, ERR_BAD_HEADERS, wrong);
	return !wrong;
}

/* Versions are dates in ISO format: they compare as strings. */
static bool is_modern_version(struct str version)
{
	static const struct str first = STR_INIT(MCP_MODERN);

	return version.len == first.len &&
	       memcmp(version.ptr, first.ptr, first.len) >= 0;
}

/* Does MCP-Protocol-Version fit a message of the older era? */
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

/* Unknown method, or one before `initialize`. */
static enum job_schedule refuse_method(struct job *job)
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

static enum job_schedule handle_request(struct job *job)
{
	enum eras era = job->modern ? MODERN : LEGACY;
	const struct method *m =
		find_method(job, requests, COUNT_OF(requests), era);

	if (job->modern && !check_modern(job))
		return JOB_DONE;
	if (!m || !(job->modern || m->early || job->link->dialect))
		return refuse_method(job);
	if (json_kind(job->message.params) > JSON_NULL &&
	    !json_is(job->message.params, JSON_OBJECT))
		return reply_bad_params(job, "params must be an object");
	return m->handle(job);
}

enum job_schedule mcp_handle(struct job *job)
{
	const struct method *m;

	job->modern = mcp_is_modern(job->message.params,
				    str_is(job->message.method, "initialize"));
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
		m = find_method(job, notifications, COUNT_OF(notifications),
				LEGACY);
		return m ? m->handle(job) : JOB_DONE;
	}
	return JOB_DONE;
}
