/*
 * Asking the person, each way: with a tool that always asks, in place of the
 * real ones, and a real store.
 */
#include "../unit.h"

#include "base/clock.h"
#include "files/ws_local.h"
#include "rpc/job.h"
#include "store/approvals.h"
#include "tools/gate.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

struct edit_args {
	struct str path;
};

struct edit_out {
	int64_t count;
};

static int done;          /* how often the tool did it */
static const char *shown; /* what it would do */

/* As the gate does: what was said before, else the question. */
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
	bool may;

	c->question = (struct question){ .path = a->path,
					 .summary = STR("edit wants to"),
					 .diff = str_of(shown),
					 .reason = STR("a rule"),
					 .root = STR("/"),
					 .digest = json_raw(c->arguments) };
	may = c->granted && digest_eq(c->shown, question_digest(&c->question));
	if (!may && store)
		(void)!grant_covers(store, &use, &may, &ignored);
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
	((struct edit_out *)c->out)->count = ++done;
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

/* In place of those of src/tools/all.c. */
const struct tool *const all_tools[] = { &tool_edit };
const size_t all_tools_count = 1;

const struct tool *tool_named(struct str name)
{
	return str_is(name, "edit") ? &tool_edit : NULL;
}

struct fixture {
	struct peer peer; /* first */
	struct buf sent;
	unsigned sends;
	struct server server;
	struct link link;
	struct arena mem;
	char dir[32];
};

static void on_send(struct peer *peer, struct str message)
{
	struct fixture *x = (struct fixture *)peer;

	buf_clear(&x->sent, SIZE_MAX);
	buf_add(&x->sent, message);
	x->sends++;
}

static int set_up(void **state)
{
	struct fixture *x = test_calloc(1, sizeof(*x));

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
	state_book_open(&x->server.states, 600000);
	x->link = (struct link){ .peer = &x->peer, .dialect = dialect_newest };
	done = 0;
	shown = "-a\n+b\n";
	*state = x;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind,
		      struct FTW *at)
{
	return remove(path);
}

static int tear_down(void **state)
{
	struct fixture *x = *state;

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

static void forget_store(struct fixture *x)
{
	store_free(x->server.tools.store);
	x->server.tools.store = NULL;
}

/* A message as far as it goes; the job is the caller's. */
static struct job *begin(struct fixture *x, const char *message)
{
	struct job *job = job_new(&x->server);
	enum job_next next;

	buf_add(&job->text, str_of(message));
	next = job_read(job, &x->link);
	while (next != JOB_DONE && job_run(job, 0) == JOB_MORE)
		next = job_more(job);
	if (job->ran == JOB_PARKED)
		ask_park(job);
	return job;
}

static struct json parse(struct fixture *x, struct str text)
{
	struct json_limits limits = { 0 };
	struct json_error error;
	struct json v;

	assert_int_equal(json_parse(arena_copy(&x->mem, text), &limits, &x->mem,
				    &v, &error),
			 ERR_OK);
	return v;
}

static struct json reply_of(struct fixture *x, struct job *job)
{
	struct json v = parse(x, buf_str(&job->reply));

	job_free(job);
	return v;
}

static struct json ask(struct fixture *x, const char *message)
{
	return reply_of(x, begin(x, message));
}

static int64_t code_of(struct json reply)
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

static bool says(struct json v, const char *text)
{
	struct str raw = json_raw(v);

	return memmem(raw.ptr, raw.len, text, strlen(text));
}

#define META                                                      \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" \
	"\"2026-07-28\",\"io.modelcontextprotocol/clientInfo\":"  \
	"{\"name\":\"test\"},"                                    \
	"\"io.modelcontextprotocol/clientCapabilities\":"

/* A modern call, with the capabilities and the members given. */
static const char *modern(struct fixture *x, const char *can, const char *path,
			  const char *more)
{
	return arena_printf(
		       &x->mem,
		       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"edit\",\"arguments\":{\"path\":\"%s\"}," META
		       "%s}%s}}",
		       path, can, more)
		.ptr;
}

#define CAN "{\"elicitation\":{}}"

static struct str state_of(struct fixture *x, struct json reply)
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

static const char *answer(struct fixture *x, struct str state,
			  const char *response)
{
	return arena_printf(&x->mem,
			    ",\"requestState\":\"" STR_FMT
			    "\",\"inputResponses\":{\"approval\":%s}",
			    STR_ARG(state), response)
		.ptr;
}

#define SAYS(word) \
	"{\"action\":\"accept\",\"content\":{\"decision\":\"" word "\"}}"

/* A52 C60: the question comes as input_required, and the answer decides. */
static void a_modern_client_is_asked_by_its_result(void **state)
{
	struct fixture *x = *state;
	struct json v = ask(x, modern(x, CAN, "/a/f", ""));
	struct json form = json_get(json_get(json_get(json_get(v, "result"),
						      "inputRequests"),
					     "approval"),
				    "params");
	struct str token = state_of(x, v);

	assert_true(says(form, "edit wants to"));
	assert_true(says(form, "-a\\n+b\\n"));
	assert_true(says(form, "a rule"));
	assert_true(says(form, "\"allow for this directory\""));
	assert_int_equal(done, 0);
	v = ask(x,
		modern(x, CAN, "/a/f", answer(x, token, SAYS("allow once"))));
	assert_int_equal(code_of(v), 0);
	assert_int_equal(done, 1);
	/* once is once: the next call asks again */
	(void)state_of(x, ask(x, modern(x, CAN, "/a/f", "")));
	assert_int_equal(done, 1);
}

/* T58: nothing is done, and -32007 says so. */
static void no_is_no(void **state)
{
	static const char *const noes[] = {
		SAYS("deny"),
		"{\"action\":\"decline\"}",
		"{\"action\":\"cancel\"}",
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < COUNT_OF(noes); i++) {
		struct str token =
			state_of(x, ask(x, modern(x, CAN, "/a/f", "")));
		struct json v = ask(x, modern(x, CAN, "/a/f",
					      answer(x, token, noes[i])));

		assert_int_equal(code_of(v), -32007);
		assert_true(says(v, "Denied by user: edit wants to"));
	}
	assert_int_equal(done, 0);
}

/* Answers that are none lead to the question again, never to the deed. */
static void what_is_no_answer_is_asked_again(void **state)
{
	static const char *const wrong[] = {
		"{}",
		"null",
		"[]",
		"{\"action\":\"accept\"}",
		"{\"action\":\"accept\",\"content\":{}}",
		SAYS("yes"),
		SAYS("allow"),
		"{\"action\":\"accept\",\"content\":{\"decision\":true}}",
		"{\"action\":\"ACCEPT\",\"content\":{\"decision\":\"allow once\"}}",
		"{\"content\":{\"decision\":\"allow once\"}}",
	};
	struct fixture *x = *state;
	struct str token = state_of(x, ask(x, modern(x, CAN, "/a/f", "")));

	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		token = state_of(x, ask(x, modern(x, CAN, "/a/f",
						  answer(x, token, wrong[i]))));
	assert_int_equal(done, 0);
}

/* A requestState that is not right for this call is an error. */
static void a_forged_state_is_refused(void **state)
{
	struct fixture *x = *state;
	struct str token = state_of(x, ask(x, modern(x, CAN, "/a/f", "")));
	char *bent = arena_cstr(&x->mem, token);
	const char *said = answer(x, token, SAYS("allow once"));
	struct json v;

	/* other arguments */
	v = ask(x, modern(x, CAN, "/a/g", said));
	assert_int_equal(code_of(v), -32602);
	/* every single character of it matters, or it is not one any more */
	for (size_t i = 0; i < token.len; i += 7) {
		bent[i] ^= 1;
		v = ask(x, modern(x, CAN, "/a/f",
				  answer(x, str_make(bent, token.len),
					 SAYS("allow once"))));
		assert_int_equal(code_of(v), -32602);
		bent[i] ^= 1;
	}
	v = ask(x, modern(x, CAN, "/a/f", ",\"requestState\":7"));
	assert_int_equal(code_of(v), -32602);
	v = ask(x, modern(x, CAN, "/a/f", ",\"requestState\":\"\""));
	assert_int_equal(code_of(v), -32602);
	assert_int_equal(done, 0);
	/* the right one still is; but only once */
	assert_int_equal(code_of(ask(x, modern(x, CAN, "/a/f", said))), 0);
	v = ask(x, modern(x, CAN, "/a/f", said));
	assert_int_equal(code_of(v), -32602);
	assert_true(says(v, "used before"));
	assert_int_equal(done, 1);
}

/* What would happen is not what was shown: they are asked about that. */
static void only_what_was_shown_is_done(void **state)
{
	struct fixture *x = *state;
	struct str token = state_of(x, ask(x, modern(x, CAN, "/a/f", "")));
	struct json v;

	shown = "-a\n+rm -rf\n";
	v = ask(x,
		modern(x, CAN, "/a/f", answer(x, token, SAYS("allow once"))));
	token = state_of(x, v);
	assert_true(says(v, "+rm -rf"));
	assert_int_equal(done, 0);
	v = ask(x,
		modern(x, CAN, "/a/f", answer(x, token, SAYS("allow once"))));
	assert_int_equal(done, 1);
}

static const struct {
	const char *word, *path, *other; /* the other one asks all the same */
	enum grant_reach reach;
	bool lasting; /* it was offered, as dialogs may last */
} wide[] = {
	{ "allow for this file", "/a/f", "/a/g", GRANT_FILE, false },
	{ "allow for this directory", "/a/b/f", "/b/f", GRANT_DIRECTORY,
	  false },
	{ "allow for this session", "/any", NULL, GRANT_SESSION, false },
	/* not offered, and not to be had by a client that says it anyway */
	{ "allow always", "/any", NULL, GRANT_SESSION, false },
	{ "allow for this file", "/a/f", "/a/g", GRANT_FILE, true },
	{ "allow always", "/any", NULL, GRANT_ALWAYS, true },
};

/* An answer in a client's dialog ends with the session, if not said else. */
static void ends_with_the_session(struct fixture *x, const struct grant *g,
				  bool lasting)
{
	char session[UUID_TEXT + 1];

	assert_str(g->channel, "dialog");
	assert_str(g->client, "test");
	assert_true(g->declared);
	assert_str(g->root, "/");
	assert_int_equal(g->session.len != 0, !lasting);
	assert_int_equal(g->until_ms != 0, !lasting);
	memcpy(session, x->link.session, sizeof(session));
	/* the same client, come again */
	x->link.session[0] ^= 1;
	if (lasting)
		assert_int_equal(code_of(ask(x, modern(x, CAN, "/a/f", ""))),
				 0);
	else
		(void)state_of(x, ask(x, modern(x, CAN, "/a/f", "")));
	memcpy(x->link.session, session, sizeof(session));
}

static struct json say_word(struct fixture *x, struct str token,
			    const char *word)
{
	return ask(x,
		   modern(x, CAN, "/a/f",
			  answer(x, token,
				 arena_printf(&x->mem, SAYS("%s"), word).ptr)));
}

/* 14.1: what covers a root counts when its reach was shown and said again. */
static void say_again(struct fixture *x, struct json v, bool lasting)
{
	struct str token = state_of(x, v);

	assert_int_equal(done, 0);
	assert_true(says(v, "on every file in"));
	assert_true(says(v, "test (as it calls itself)"));
	assert_true(says(v, lasting ? "until you revoke it"
				    : "while its session lasts"));
	assert_true(says(v, lasting ? "[\"allow once\",\"allow always\","
				      "\"deny\"]"
				    : "[\"allow once\",\"allow for this "
				      "session\",\"deny\"]"));
	(void)say_word(x, token,
		       lasting ? "allow always" : "allow for this session");
}

static void a_wide_answer_holds_for_what_it_says(void **state)
{
	struct fixture *x = *state;
	struct json v;

	for (size_t i = 0; i < COUNT_OF(wide); i++) {
		struct str token =
			state_of(x, ask(x, modern(x, CAN, "/a/f", "")));
		struct grant *list;
		struct fault f;
		size_t n;

		done = 0;
		x->server.dialogs_may_last = wide[i].lasting;
		v = say_word(x, token, wide[i].word);
		if (wide[i].reach >= GRANT_SESSION)
			say_again(x, v, wide[i].lasting);
		assert_int_equal(done, 1);
		assert_int_equal(code_of(ask(x,
					     modern(x, CAN, wide[i].path, ""))),
				 0);
		assert_int_equal(done, 2);
		if (wide[i].other)
			(void)state_of(x, ask(x, modern(x, CAN, wide[i].other,
							"")));
		assert_int_equal(grant_list(x->server.tools.store, &x->mem,
					    &list, &n, &f),
				 ERR_OK);
		assert_int_equal(n, 1);
		assert_int_equal(list[0].reach, wide[i].reach);
		ends_with_the_session(x, &list[0], wide[i].lasting);
		assert_int_equal(grant_remove(x->server.tools.store, list[0].id,
					      &f),
				 ERR_OK);
	}
}

/* The second form takes a smaller answer, or none; no grant is left then. */
static void the_second_form_can_be_declined(void **state)
{
	static const struct {
		const char *word;
		unsigned done;
	} rows[] = { { "allow once", 1 }, { "deny", 0 } };
	struct fixture *x = *state;
	struct str token;
	struct grant *list;
	struct fault f;
	struct json v;
	size_t n;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		done = 0;
		token = state_of(x, ask(x, modern(x, CAN, "/a/f", "")));
		v = say_word(x, token, "allow for this session");
		(void)say_word(x, state_of(x, v), rows[i].word);
		assert_int_equal(done, rows[i].done);
		assert_int_equal(grant_list(x->server.tools.store, &x->mem,
					    &list, &n, &f),
				 ERR_OK);
		assert_int_equal(n, 0);
	}
}

/* Where nothing can be kept, nothing is offered that would have to be. */
static void without_a_store_there_is_once_or_not(void **state)
{
	struct fixture *x = *state;
	struct json v;

	forget_store(x);
	v = ask(x, modern(x, CAN, "/a/f", ""));
	assert_true(says(v, "[\"allow once\",\"deny\"]"));
}

static const struct {
	const char *can;
	bool asks;
} capabilities[] = {
	{ "{}", false },
	{ "{\"elicitation\":{}}", true },
	{ "{\"elicitation\":{\"form\":{}}}", true },
	{ "{\"elicitation\":{\"form\":{},\"url\":{}}}", true },
	{ "{\"elicitation\":{\"url\":{}}}", false },
	{ "{\"elicitation\":true}", false },
	{ "{\"elicitation\":null}", false },
};

/* A53: who cannot ask is told at once, with what the person can do. */
static void who_cannot_ask_gets_an_approval_at_once(void **state)
{
	struct fixture *x = *state;

	for (size_t i = 0; i < COUNT_OF(capabilities); i++) {
		struct json v =
			ask(x, modern(x, capabilities[i].can, "/a/f", ""));

		if (capabilities[i].asks) {
			(void)state_of(x, v);
			continue;
		}
		assert_int_equal(code_of(v), -32007);
		assert_true(says(v, "Approval required: edit wants to"));
		assert_true(says(v, "The person has been asked"));
		assert_false(says(v, "stet approvals"));
	}
	assert_int_equal(done, 0);
}

static struct approval only_pending(struct fixture *x)
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

static void decide(struct fixture *x, enum approval_state what)
{
	struct approval a = only_pending(x);
	struct fault f;

	assert_int_equal(approval_decide(x->server.tools.store, a.id, what,
					 STR("not now"), STR(""), &f),
			 ERR_OK);
}

/* A53 T59: asked once however often it is tried; then it passes, once. */
static void the_queue_passes_a_call_once(void **state)
{
	struct fixture *x = *state;
	const char *call = modern(x, "{}", "/a/f", "");

	for (int i = 0; i < 3; i++)
		assert_int_equal(code_of(ask(x, call)), -32007);
	assert_str(only_pending(x).diff, shown);
	assert_str(only_pending(x).path, "/a/f");
	decide(x, APPROVAL_ALLOWED);
	assert_int_equal(code_of(ask(x, call)), 0);
	assert_int_equal(done, 1);
	assert_int_equal(code_of(ask(x, call)), -32007);
	assert_int_equal(done, 1);
	decide(x, APPROVAL_DENIED);
	assert_true(says(ask(x, call), "Denied by user: not now"));
	assert_int_equal(done, 1);
}

/* A53: no channel at all: refused, with a hint and no id. */
static void without_any_channel_it_fails_closed(void **state)
{
	struct fixture *x = *state;
	struct json v;

	forget_store(x);
	v = ask(x, modern(x, "{}", "/a/f", ""));
	assert_int_equal(code_of(v), -32007);
	assert_true(says(v, "--approve"));
	assert_int_equal(done, 0);
}

/* A call of the older era. */
static const char *older(struct fixture *x, int id, const char *path)
{
	return arena_printf(
		       &x->mem,
		       "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"edit\",\"arguments\":{\"path\":\"%s\"}}}",
		       id, path)
		.ptr;
}

/* The response to the question that was sent last. */
static void respond(struct fixture *x, const char *what)
{
	struct json asked = parse(x, buf_str(&x->sent));
	struct job *job =
		begin(x, arena_printf(&x->mem,
				      "{\"jsonrpc\":\"2.0\",\"id\":" STR_FMT
				      ",%s}",
				      STR_ARG(json_raw(json_get(asked, "id"))),
				      what)
				 .ptr);

	assert_int_equal(job->reply.len, 0);
	job_free(job);
}

#define RESULT(what) "\"result\":" what

/* Run what may go on; its reply. */
static struct json next_reply(struct fixture *x)
{
	struct job *job = ask_next(&x->link);

	assert_non_null(job);
	assert_int_equal(job->kind, JOB_CHANGES);
	assert_int_equal(job_run(job, 0), JOB_RAN);
	return reply_of(x, job);
}

static const struct {
	const char *response;
	int64_t code;
	const char *says;
} responses[] = {
	{ RESULT(SAYS("allow once")), 0, "count" },
	{ RESULT(SAYS("deny")), -32007, "Denied by user" },
	{ RESULT("{\"action\":\"decline\"}"), -32007, "Denied by user" },
	{ RESULT("{\"action\":\"cancel\"}"), -32007, "Denied by user" },
	{ RESULT(SAYS("sure")), -32007, "Approval required" },
	{ RESULT("{}"), -32007, "Approval required" },
	{ "\"error\":{\"code\":-32601,\"message\":\"?\"}", -32007,
	  "Approval required" },
};

/* A52 C60 T58: elicitation/create goes out, others go on, the answer decides. */
static void an_older_client_is_asked_by_a_request(void **state)
{
	struct fixture *x = *state;

	x->link.elicits = true;
	for (size_t i = 0; i < COUNT_OF(responses); i++) {
		struct job *job = begin(x, older(x, 1, "/a/f"));
		struct json asked = parse(x, buf_str(&x->sent)), v;

		assert_ptr_equal(x->link.parked, job);
		assert_true(json_str_is(json_get(asked, "method"),
					"elicitation/create"));
		assert_true(says(asked, "-a\\n+b\\n"));
		assert_null(ask_next(&x->link));
		respond(x, responses[i].response);
		v = next_reply(x);
		assert_int_equal(code_of(v), responses[i].code);
		assert_true(says(v, responses[i].says));
		assert_null(x->link.parked);
	}
	assert_int_equal(done, 1);
}

/* A form that is dismissed: by the person, or by a client without one? */
static void a_client_without_a_person_is_recognised(void **state)
{
	static const struct {
		enum ask_answer answer;
		uint64_t took;
		enum ask_answer want;
		bool person;
	} rows[] = {
		{ ASK_DECLINED, 0, ASK_DECLINED, false },
		{ ASK_DECLINED, 1499, ASK_DECLINED, false },
		{ ASK_DECLINED, 1500, ASK_DENY, true },
		{ ASK_DENY, 0, ASK_DENY, true },
		{ ASK_ONCE, 0, ASK_ONCE, true },
		{ ASK_ALWAYS, 5000, ASK_ALWAYS, true },
		{ ASK_NOTHING, 5000, ASK_NOTHING, false },
		{ ASK_NOBODY, 5000, ASK_NOBODY, false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct link l = { 0 };

		assert_int_equal(ask_judge(&l, rows[i].answer, rows[i].took),
				 rows[i].want);
		assert_int_equal(l.has_person, rows[i].person);
		/* Not every time any more: it was the person. */
		l.has_person = true;
		if (rows[i].answer == ASK_DECLINED)
			assert_int_equal(ask_judge(&l, ASK_DECLINED, 0),
					 ASK_DENY);
	}
}

/* Nothing is asked twice at a time; a stranger's answer is none. */
static void equal_calls_ask_once(void **state)
{
	struct fixture *x = *state;

	x->link.elicits = true;
	(void)begin(x, older(x, 1, "/a/f"));
	(void)begin(x, older(x, 2, "/a/f"));
	assert_int_equal(x->sends, 1);
	job_free(begin(x,
		       "{\"jsonrpc\":\"2.0\",\"id\":\"guess\",\"result\":" SAYS(
			       "allow once") "}"));
	assert_null(ask_next(&x->link));
	respond(x, RESULT(SAYS("allow once")));
	assert_int_equal(code_of(next_reply(x)), 0);
	assert_int_equal(code_of(next_reply(x)), 0);
	assert_int_equal(done, 2);
	/* a late one is for nobody */
	respond(x, RESULT(SAYS("allow once")));
	assert_int_equal(done, 2);
}

/* X03: given up by the client: its question is withdrawn. */
static void a_parked_call_can_be_cancelled(void **state)
{
	struct fixture *x = *state;
	struct job *one, *two;

	x->link.elicits = true;
	one = begin(x, older(x, 1, "/a/f"));
	two = begin(x, older(x, 2, "/a/f"));
	assert_null(ask_cancel(&x->link, STR("3")));
	assert_ptr_equal(ask_cancel(&x->link, STR("1")), one);
	assert_int_equal(x->sends, 1); /* the other still wants to know */
	assert_ptr_equal(ask_cancel(&x->link, STR("2")), two);
	assert_int_equal(x->sends, 2);
	assert_true(
		says(parse(x, buf_str(&x->sent)), "notifications/cancelled"));
	job_drop(one);
	job_drop(two);
	job_free(one);
	job_free(two);
}

/* Nobody hangs: too late, too many, or the client is gone. */
static void a_question_does_not_wait_for_ever(void **state)
{
	struct fixture *x = *state;
	struct json v;

	x->link.elicits = true;
	x->server.ask_ms = 0;
	(void)begin(x, older(x, 1, "/a/f"));
	assert_true(ask_until(&x->link) <= clock_ms());
	v = next_reply(x);
	assert_int_equal(code_of(v), -32007);
	assert_true(says(v, "Approval required"));
	assert_true(
		says(parse(x, buf_str(&x->sent)), "notifications/cancelled"));
	x->server.ask_ms = 600000;
	for (int i = 0; i < 64; i++)
		(void)begin(x, older(x, i, "/a/f"));
	assert_null(ask_next(&x->link));
	(void)begin(x, older(x, 64, "/a/f"));
	assert_int_equal(code_of(next_reply(x)), -32007);
	assert_null(ask_next(&x->link));
	ask_end(&x->link);
	for (int i = 0; i < 64; i++)
		assert_int_equal(code_of(next_reply(x)), -32007);
	(void)begin(x, older(x, 65, "/a/f"));
	assert_int_equal(code_of(next_reply(x)), -32007);
	assert_int_equal(done, 0);
}

/* One look at the queue by a call that waits for it. */
static enum job_ran look(struct fixture *x, struct job *job)
{
	job->ask.look = 0; /* it is time */
	assert_ptr_equal(ask_next(&x->link), job);
	assert_int_equal(job->kind, JOB_READS);
	assert_int_equal(job_run(job, 1), JOB_LATER); /* not on the loop */
	return job_run(job, 0);
}

/* --approval-wait: it is parked, looks now and then, and goes on. */
static void a_call_can_wait_for_the_queue(void **state)
{
	struct fixture *x = *state;
	struct job *job;

	x->server.approval_ms = 600000;
	job = begin(x, older(x, 1, "/a/f"));
	assert_ptr_equal(x->link.parked, job);
	for (int i = 0; i < 3; i++) {
		assert_null(ask_next(&x->link));
		assert_int_equal(look(x, job), JOB_PARKED);
		ask_park(job);
	}
	decide(x, APPROVAL_ALLOWED);
	assert_int_equal(look(x, job), JOB_PARKED);
	ask_park(job);
	assert_int_equal(code_of(next_reply(x)), 0);
	assert_int_equal(done, 1);
	/* and when nobody decides, it says what it waited for */
	job = begin(x, older(x, 1, "/a/f"));
	job->ask.until = 1;
	assert_int_equal(look(x, job), JOB_PARKED);
	ask_park(job);
	assert_true(says(next_reply(x), "\"approval\""));
	assert_int_equal(done, 1);
	/* a batch never waits */
	x->link.dialect = dialect_named(STR("2025-03-26"));
	assert_true(says(
		ask(x, arena_printf(&x->mem, "[%s]", older(x, 1, "/a/f")).ptr),
		"-32007"));
}

struct carrier {
	struct job *asked;
	unsigned asks, unasks;
};

static void carry(void *ctx, struct job *job)
{
	struct carrier *c = ctx;

	c->asked = job;
	c->asks++;
}

static void uncarry(void *ctx, struct job *job)
{
	struct carrier *c = ctx;

	assert_ptr_equal(job, c->asked);
	c->asked = NULL;
	c->unasks++;
}

static void ask_by(struct fixture *x, struct carrier *c)
{
	*c = (struct carrier){ 0 };
	x->link.ask = carry;
	x->link.unask = uncarry;
	x->link.ask_ctx = c;
}

/* X12: whoever carries the messages asks, and nothing goes to the client. */
static void a_carrier_asks_by_itself(void **state)
{
	static const struct {
		enum ask_answer answer;
		int64_t code;
		int done;
	} answers[] = { { ASK_ONCE, 0, 1 },
			{ ASK_DENY, -32007, 1 },
			{ ASK_NOBODY, -32007, 1 },
			{ ASK_SESSION, 0, 2 } };
	struct fixture *x = *state;
	struct carrier c;
	struct job *job;

	ask_by(x, &c);
	x->link.elicits = true;
	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		job = begin(x, older(x, 1, "/a/f"));
		assert_ptr_equal(c.asked, job);
		assert_null(ask_next(&x->link));
		ask_answer(job, answers[i].answer);
		assert_ptr_equal(ask_next(&x->link), job);
		assert_int_equal(job->kind, JOB_CHANGES);
		if (answers[i].answer ==
		    ASK_SESSION) { /* 14.1: it asks twice */
			assert_int_equal(job_run(job, 0), JOB_PARKED);
			assert_int_equal(job->ask.confirm, ASK_SESSION);
			ask_park(job);
			ask_answer(job, ASK_SESSION);
			assert_ptr_equal(ask_next(&x->link), job);
		}
		assert_int_equal(job_run(job, 0), JOB_RAN);
		assert_int_equal(code_of(reply_of(x, job)), answers[i].code);
		assert_int_equal(done, answers[i].done);
	}
	/* the last answer holds for the session */
	assert_int_equal(code_of(ask(x, older(x, 1, "/a/f"))), 0);
	assert_int_equal(c.asks, COUNT_OF(answers) + 1);
	assert_int_equal(x->sends + c.unasks, 0);
}

/* The carrier holds the job: it must know when that is gone. */
static void a_carrier_is_told_when_nobody_waits(void **state)
{
	struct fixture *x = *state;
	struct carrier c;
	struct job *job;

	ask_by(x, &c);
	job = begin(x, older(x, 1, "/a/f"));
	assert_ptr_equal(ask_cancel(&x->link, STR("1")), job);
	assert_int_equal(c.unasks, 1);
	job_free(job);
	job = begin(x, older(x, 2, "/a/f"));
	job->ask.until = clock_ms();
	assert_ptr_equal(ask_next(&x->link), job);
	assert_int_equal(c.unasks, 2);
	job_free(job);
	job = begin(x, older(x, 3, "/a/f"));
	ask_end(&x->link);
	assert_int_equal(c.unasks, 3);
	assert_ptr_equal(ask_next(&x->link), job);
	assert_int_equal(job_run(job, 0), JOB_RAN);
	assert_int_equal(code_of(reply_of(x, job)), -32007);
	assert_int_equal(done, 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(a_modern_client_is_asked_by_its_result),
		CASE(no_is_no),
		CASE(what_is_no_answer_is_asked_again),
		CASE(a_forged_state_is_refused),
		CASE(only_what_was_shown_is_done),
		CASE(a_wide_answer_holds_for_what_it_says),
		CASE(the_second_form_can_be_declined),
		CASE(without_a_store_there_is_once_or_not),
		CASE(who_cannot_ask_gets_an_approval_at_once),
		CASE(the_queue_passes_a_call_once),
		CASE(without_any_channel_it_fails_closed),
		CASE(an_older_client_is_asked_by_a_request),
		CASE(a_client_without_a_person_is_recognised),
		CASE(equal_calls_ask_once),
		CASE(a_parked_call_can_be_cancelled),
		CASE(a_question_does_not_wait_for_ever),
		CASE(a_call_can_wait_for_the_queue),
		CASE(a_carrier_asks_by_itself),
		CASE(a_carrier_is_told_when_nobody_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
