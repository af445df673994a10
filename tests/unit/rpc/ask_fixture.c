/*
 * ask_fixture.c - a server with a tool that always asks, in place of the real
 * tools, and a real store (ask_fixture.h).
 */
#include "ask_fixture.h"

#include "files/ws_local.h"
#include "tools/permissions/gate.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

struct edit_args {
	struct str path;
};

struct edit_out {
	int64_t count;
};

int edits;
const char *edit_diff;

/* As the gate: use an earlier answer or a grant, else ask. */
static enum err edit_run(struct call *c)
{
	const struct edit_args *a = c->args;
	struct store *store = c->options->store;
	struct grant_use use = { .client = c->caller->name,
				 .declared = c->caller->declared,
				 .root = STR("/"),
				 .tool = STR("edit"),
				 .path = a->path,
				 .session = c->caller->session,
				 .changes = true };
	struct approval approval;
	struct fault ignored;
	struct uuid grant = { 0 };
	bool may;

	c->question = (struct question){ .path = a->path,
					 .summary = STR("edit wants to"),
					 .diff = str_of(edit_diff),
					 .reason = STR("a rule"),
					 .root = STR("/"),
					 .digest = json_raw(c->arguments) };
	may = c->granted && digest_eq(c->shown, question_digest(&c->question));
	if (!may && store && !grant_covers(store, &use, &grant, &ignored))
		may = !uuid_is_zero(grant);
	if (!may && store &&
	    !approval_take(store, c->question.digest, c->question.binding,
			   c->mem, &approval, &ignored)) {
		may = approval.state == APPROVAL_ALLOWED;
		if (approval.state == APPROVAL_DENIED)
			return fail(c->fault, ERR_REFUSED,
				    .text = approval.note);
	}
	if (!may)
		return fail(c->fault, ERR_ASK, .path = a->path);
	((struct edit_out *)c->out)->count = ++edits;
	return ERR_OK;
}

static const struct field edit_fields[] = {
	{ "path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct edit_args, path), .doc = "The file" },
	FIELDS_END,
};

static const struct field edit_outs[] = {
	{ "count", FIELD_INT, .required = true,
	  .offset = offsetof(struct edit_out, count), .doc = "How many" },
	FIELDS_END,
};

static const struct tool tool_edit = {
	.name = "edit",
	.fields = edit_fields,
	.out = edit_outs,
	.args_size = sizeof(struct edit_args),
	.out_size = sizeof(struct edit_out),
	.effects = TOOL_EDITS,
	.run = edit_run,
};

/* A bug: ERR_LATER also on a worker. */
static enum err leak_run(struct call *c)
{
	return ERR_LATER;
}

static const struct tool tool_leak = {
	.name = "leak",
	.fields = edit_fields,
	.out = edit_outs,
	.args_size = sizeof(struct edit_args),
	.out_size = sizeof(struct edit_out),
	.effects = TOOL_READS,
	.run = leak_run,
};

/* In place of those of src/tools/call/all.c. */
const struct tool *const all_tools[] = { &tool_edit, &tool_leak };
const size_t all_tools_count = COUNT_OF(all_tools);

const struct tool *tool_named(struct str name)
{
	for (size_t i = 0; i < all_tools_count; i++)
		if (str_is(name, all_tools[i]->name))
			return all_tools[i];
	return NULL;
}

static void on_send(struct peer *peer, struct str message)
{
	struct ask_fixture *x = (struct ask_fixture *)peer;

	buf_clear(&x->sent, SIZE_MAX);
	buf_add(&x->sent, message);
	x->sends++;
}

int ask_set_up(void **state)
{
	struct ask_fixture *x = test_calloc(1, sizeof(*x));

	(void)snprintf(x->dir, sizeof(x->dir), "/tmp/stet-ask-XXXXXX");
	assert_non_null(mkdtemp(x->dir));
	x->peer.send = on_send;
	x->server = (struct server){
		.version = "1",
		.tools = { .max_reply = 1 << 20,
			   .store = store_new(&(struct store_options){
				   .dir = str_of(x->dir) }) },
		.ask_ms = 600000,
	};
	x->server.ws = ws_local_new(&(struct ws_local_options){ 0 });
	request_state_issuer_open(&x->server.request_states, 600000);
	x->link = (struct link){ .peer = &x->peer, .dialect = dialect_newest };
	edits = 0;
	edit_diff = "-a\n+b\n";
	*state = x;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *at)
{
	return remove(path);
}

int ask_tear_down(void **state)
{
	struct ask_fixture *x = *state;

	assert_null(x->link.parked);
	ws_local_free(x->server.ws);
	store_free(x->server.tools.store);
	assert_int_equal(nftw(x->dir, remove_one, 8, FTW_PHYS | FTW_DEPTH), 0);
	buf_free(&x->sent);
	link_free(&x->link);
	arena_free(&x->mem);
	test_free(x);
	return 0;
}

void ask_forget_store(struct ask_fixture *x)
{
	store_free(x->server.tools.store);
	x->server.tools.store = NULL;
}

struct job *ask_run_message(struct ask_fixture *x, const char *message)
{
	struct job *job = job_new(&x->server);
	enum job_schedule next;

	buf_add(&job->text, str_of(message));
	next = job_read(job, &x->link);
	while (next != JOB_DONE && job_run(job, 0) == JOB_MORE)
		next = job_more(job);
	if (job->ran == JOB_PARKED)
		ask_park(job);
	return job;
}

struct json ask_parse(struct ask_fixture *x, struct str text)
{
	struct json_limits limits = { 0 };
	struct json_error error;
	struct json v;

	assert_int_equal(json_parse(arena_copy(&x->mem, text), &limits, &x->mem,
				    &v, &error),
			 ERR_OK);
	return v;
}

struct json ask_reply_of(struct ask_fixture *x, struct job *job)
{
	struct json v = ask_parse(x, buf_str(&job->reply));

	job_free(job);
	return v;
}

struct json ask_call(struct ask_fixture *x, const char *message)
{
	return ask_reply_of(x, ask_run_message(x, message));
}

int64_t ask_code(struct json reply)
{
	int64_t code = 0;

	if (!json_int(json_get(json_get(reply, "error"), "code"), &code))
		(void)!json_int(json_get(json_get(json_get(json_get(reply,
								    "result"),
							   "structuredContent"),
						  "error"),
					 "code"),
				&code);
	return code;
}

bool ask_says(struct json v, const char *text)
{
	struct str raw = json_raw(v);

	return memmem(raw.ptr, raw.len, text, strlen(text));
}

#define META                                                      \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" \
	"\"2026-07-28\",\"io.modelcontextprotocol/clientInfo\":"  \
	"{\"name\":\"test\"},"                                    \
	"\"io.modelcontextprotocol/clientCapabilities\":"

const char *ask_modern(struct ask_fixture *x, const char *can, const char *path,
		       const char *more)
{
	return arena_printf(
		       &x->mem,
		       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"edit\",\"arguments\":{\"path\":\"%s\"}," META
		       "%s}%s}}",
		       path, can, more)
		.ptr;
}

struct str ask_state_of(struct ask_fixture *x, struct json reply)
{
	struct str state;

	assert_true(
		json_str_is(json_get(json_get(reply, "result"), "resultType"),
			    "input_required"));
	assert_true(
		json_text(json_get(json_get(reply, "result"), "requestState"),
			  &x->mem, &state));
	return state;
}

const char *ask_answer_members(struct ask_fixture *x, struct str state,
			       const char *response)
{
	return arena_printf(&x->mem,
			    ",\"requestState\":\"" STR_FMT
			    "\",\"inputResponses\":{\"approval\":%s}",
			    STR_ARG(state), response)
		.ptr;
}

struct approval ask_only_pending(struct ask_fixture *x)
{
	struct approval *list;
	struct fault f;
	size_t n;

	assert_int_equal(approval_list(x->server.tools.store, false, &x->mem,
				       &list, &n, &f),
			 ERR_OK);
	assert_int_equal(n, 1);
	return list[0];
}

void ask_decide(struct ask_fixture *x, enum approval_state what)
{
	struct approval a = ask_only_pending(x);
	struct fault f;

	assert_int_equal(approval_decide(x->server.tools.store, a.id, what,
					 STR("not now"), STR(""), &f),
			 ERR_OK);
}

const char *ask_older(struct ask_fixture *x, int id, const char *path)
{
	return arena_printf(
		       &x->mem,
		       "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"edit\",\"arguments\":{\"path\":\"%s\"}}}",
		       id, path)
		.ptr;
}

struct json ask_next_reply(struct ask_fixture *x)
{
	struct job *job = ask_next(&x->link);

	assert_non_null(job);
	assert_int_equal(job->schedule, JOB_CHANGES);
	assert_int_equal(job_run(job, 0), JOB_RAN);
	return ask_reply_of(x, job);
}
