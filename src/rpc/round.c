#include "rpc/round.h"

#include "base/clock.h"
#include "rpc/mcp.h"
#include "rpc/reply.h"

enum { MOST_ANSWERS = 64 }; /* of one call */

static const char *const gravities[] = {
	[GRAVITY_DEBUG] = "debug",   [GRAVITY_INFO] = "info",
	[GRAVITY_NOTICE] = "notice", [GRAVITY_WARNING] = "warning",
	[GRAVITY_ERROR] = "error",   [GRAVITY_CRITICAL] = "critical",
	[GRAVITY_ALERT] = "alert",   [GRAVITY_EMERGENCY] = "emergency",
};

enum log_gravity gravity_named(struct json word)
{
	for (size_t i = 0; i < COUNT_OF(gravities); i++)
		if (json_str_is(word, gravities[i]))
			return (enum log_gravity)i;
	return GRAVITY_NONE;
}

enum job_next round_set_level(struct job *job)
{
	struct json level = json_get(job->message.params, "level");
	enum log_gravity wanted = gravity_named(level);

	if (wanted == GRAVITY_NONE)
		return reply_bad_params(job, "level must be one of the levels");
	job->link->wanted = wanted;
	return reply_empty(job);
}

static void add_answer(struct round *r, struct str key, struct json result)
{
	size_t size = sizeof(*r->answers);

	r->answers = arena_grow(r->mem, r->answers, r->answers_count * size,
				(r->answers_count + 1) * size);
	r->answers[r->answers_count++] =
		(struct round_answer){ .key = key, .result = result };
}

/* Those that came first stay: they were sealed, or are the same. */
static void add_answers(struct round *r, struct json object)
{
	struct json_walk w = json_walk(object);
	struct str key;

	if (!json_is(object, JSON_OBJECT))
		return;
	while (json_step(&w) && r->answers_count < MOST_ANSWERS)
		if (json_text(w.key, r->mem, &key))
			add_answer(r, key, w.value);
}

static struct json answer_to(const struct round *r,
			     const struct round_want *want)
{
	for (size_t i = 0; i < r->answers_count; i++)
		if (str_eq(r->answers[i].key, want->key) &&
		    input_is_right(want->kind, r->answers[i].result))
			return r->answers[i].result;
	return (struct json){ 0 };
}

/* The answers so far come back from the client inside its requestState. */
static const char *take_state(struct job *job, struct json given)
{
	static const struct json_limits limits = { 0 };
	struct round *r = &job->round;
	auto_buf context = BUF_INIT;
	struct json_error ignored;
	struct state state;
	struct json carried;
	const char *wrong;
	struct str text;

	if (!json_text(given, &job->mem, &text))
		return "requestState must be a string";
	ask_put_context(&context, job, r->name);
	wrong = state_take(&job->server->states, text, buf_str(&context),
			   clock_ms(), &job->mem, &state);
	if (wrong)
		return wrong;
	if (json_parse(state.summary, &limits, &job->mem, &carried, &ignored))
		return "requestState is not one of this call";
	r->carried = true;
	add_answers(r, carried);
	return NULL;
}

static enum log_gravity wanted_of(const struct job *job, struct json meta)
{
	if (!job->modern)
		return job->link->wanted;
	return gravity_named(json_get(meta, MCP_META "logLevel"));
}

static void begin_modern(struct job *job, const char **wrong)
{
	struct json params = job->message.params;
	struct json state = json_get(params, "requestState");

	*wrong = NULL;
	if (!json_is(state, JSON_NONE))
		*wrong = take_state(job, state);
	add_answers(&job->round, json_get(params, "inputResponses"));
}

enum job_next round_begin(struct job *job, enum err (*run)(struct round *))
{
	struct json meta = json_get(job->message.params, "_meta");
	struct json token = json_get(meta, "progressToken");
	struct round *r = &job->round;
	const char *wrong = NULL;

	r->job = job;
	r->mem = &job->mem;
	r->wanted = wanted_of(job, meta);
	if (json_kind(token) == JSON_STRING || json_kind(token) == JSON_NUMBER)
		job->progress = json_raw(token);
	job->caller =
		link_caller(job->link, json_get(meta, MCP_META "clientInfo"),
			    &job->mem);
	job->ask.channel = job->modern ? ASK_RESULT : ASK_REQUEST;
	if (job->modern)
		begin_modern(job, &wrong);
	if (wrong)
		return reply_bad_params(job, wrong);
	r->run = run;
	return JOB_READS;
}

bool round_can(const struct round *r, enum input_kind kind)
{
	return input_can(r->job, kind);
}

static enum err fail_capability(struct round *r, enum input_kind kind)
{
	const char *name = input_capability(kind);
	struct str data =
		arena_printf(r->mem, "{\"requiredCapabilities\":{\"%s\":{}}}",
			     name);

	r->job->status = r->job->modern ? 400 : r->job->status;
	return fail(&r->fault,
		    r->job->modern ? ERR_NO_CAPABILITY : ERR_BAD_REQUEST,
		    .text = r->job->modern
				    ? str_of(name)
				    : arena_printf(r->mem,
						   "The client has no %s",
						   name),
		    .data = data);
}

enum err round_ask(struct round *r, const struct round_want *wants, size_t n,
		   struct json *got)
{
	struct inputs *in = &r->job->ask.inputs;

	for (size_t i = 0; i < n; i++) {
		got[i] = answer_to(r, &wants[i]);
		if (!json_is(got[i], JSON_NONE))
			continue;
		if (!round_can(r, wants[i].kind))
			return fail_capability(r, wants[i].kind);
		inputs_add(in, arena_copy(r->mem, wants[i].key), wants[i].kind,
			   wants[i].params, r->mem);
	}
	return in->count ? ERR_ASK : ERR_OK;
}

bool round_may_wait(const struct round *r)
{
	return !r->patience;
}

bool round_is_cancelled(const struct round *r)
{
	return atomic_load(&r->job->cancelled);
}

static void send(const struct round *r, struct buf *out)
{
	struct peer *peer = r->job->peer;

	if (peer)
		peer->send(peer, buf_str(out));
}

void round_log(const struct round *r, enum log_gravity gravity, struct str text)
{
	auto_buf out = BUF_INIT;
	struct json_out o;

	if (gravity < r->wanted)
		return;
	o = message_notice(&out, "notifications/message");
	json_key(&o, "level");
	json_put_str(&o, str_of(gravities[gravity]));
	json_key(&o, "data");
	json_put_str(&o, text);
	message_notice_end(&o);
	send(r, &out);
}

void round_progress(const struct round *r, int64_t done, int64_t total)
{
	auto_buf out = BUF_INIT;
	struct json_out o;

	if (!r->job->progress.len)
		return;
	o = message_notice(&out, "notifications/progress");
	json_key(&o, "progressToken");
	json_put_raw(&o, r->job->progress);
	json_key(&o, "progress");
	json_put_int(&o, done);
	json_key(&o, "total");
	json_put_int(&o, total);
	message_notice_end(&o);
	send(r, &out);
}

void round_pause(const struct round *r)
{
	struct peer *peer = r->job->peer;

	if (peer && peer->pause)
		peer->pause(peer);
}

void round_changed(const struct round *r, enum news what, struct str uri)
{
	news_tell(r->job->server, what, uri);
}

/* What the client answered while the job was parked. */
static void keep_answers(struct round *r)
{
	const struct inputs *in = &r->job->ask.inputs;

	for (size_t i = 0; i < in->count; i++)
		add_answer(r, in->items[i].key, in->items[i].result);
}

static struct str seal_answers(const struct round *r)
{
	auto_buf context = BUF_INIT, text = BUF_INIT;
	struct json_out o = json_out(&text);
	struct state state = { 0 };

	json_open(&o, '{');
	for (size_t i = 0; i < r->answers_count; i++) {
		json_key_str(&o, r->answers[i].key);
		json_put(&o, r->answers[i].result);
	}
	json_close(&o, '}');
	state.summary = buf_str(&text);
	ask_put_context(&context, r->job, r->name);
	return state_make(&r->job->server->states, &state, buf_str(&context),
			  clock_ms(), r->mem);
}

static void answer_with_requests(struct job *job)
{
	struct json_out o;

	job->ask.state = seal_answers(&job->round);
	o = reply_open_as(job, "input_required");
	ask_put_result(&o, job);
	message_result_end(&o);
}

/* One round; the reply is there only if it is the last. */
static enum err run_once(struct job *job)
{
	struct round *r = &job->round;
	size_t before = job->reply.len;
	struct json_out o = reply_open(job);
	enum err e;

	r->out = &o;
	e = r->run(r);
	if (r->cached)
		reply_put_cache(job, &o);
	message_result_end(&o);
	if (e || round_is_cancelled(r))
		job->reply.len = before;
	return e;
}

enum err round_run(struct job *job, uint64_t patience)
{
	struct round *r = &job->round;
	enum err e;

	r->patience = patience;
	if (job->ask.answer == ASK_NOBODY)
		e = fail(&r->fault, ERR_INTERNAL,
			 .text = STR("The client did not answer"));
	else {
		if (job->ask.answer == ASK_ONCE)
			keep_answers(r);
		job->ask.answer = ASK_NOTHING;
		job->ask.inputs = (struct inputs){ 0 };
		e = run_once(job);
	}
	if (e == ERR_ASK && job->modern)
		answer_with_requests(job);
	else if (e == ERR_ASK)
		return patience ? ERR_LATER : ERR_ASK;
	else if (e && e != ERR_LATER && !round_is_cancelled(r))
		mcp_fail(job, &r->fault);
	return e == ERR_LATER ? ERR_LATER : ERR_OK;
}
