/*
 * test_round.c - handlers of a catalog that send requests to their client, in
 * both eras; and their logs and progress.
 */
#include "talk.h"

static enum err say(struct round *r, struct str text)
{
	json_key(r->out, "content");
	json_open(r->out, '[');
	json_open(r->out, '{');
	json_key(r->out, "type");
	json_put_str(r->out, STR("text"));
	json_key(r->out, "text");
	json_put_str(r->out, text);
	json_close(r->out, '}');
	json_close(r->out, ']');
	return ERR_OK;
}

#define FORM      \
	STR_INIT( \
		"{\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}")

static const struct round_want first = { STR_INIT("first"), INPUT_ELICIT,
					 FORM };
static const struct round_want second = {
	STR_INIT("second"), INPUT_SAMPLE,
	STR_INIT("{\"messages\":[],\"maxTokens\":1}")
};
static const struct round_want third = { STR_INIT("third"), INPUT_ROOTS,
					 STR_INIT("{}") };

/* Two questions at once. */
static enum err both(struct round *r)
{
	const struct round_want wants[] = { first, second };
	struct json got[COUNT_OF(wants)];
	enum err e = round_ask(r, wants, COUNT_OF(wants), got);

	if (e)
		return e;
	return say(r, arena_printf(r->mem, STR_FMT STR_FMT "%s",
				   STR_ARG(json_raw(got[0])),
				   STR_ARG(json_raw(got[1])),
				   r->carried ? "+" : ""));
}

/* One after the other. */
static enum err steps(struct round *r)
{
	const struct round_want wants[] = { first, third };
	struct json got[COUNT_OF(wants)];
	enum err e;

	for (size_t i = 0; i < COUNT_OF(wants); i++) {
		e = round_ask(r, &wants[i], 1, &got[i]);
		if (e)
			return e;
	}
	return say(r, arena_printf(r->mem, STR_FMT STR_FMT,
				   STR_ARG(json_raw(got[0])),
				   STR_ARG(json_raw(got[1]))));
}

static enum err chatty(struct round *r)
{
	if (!round_may_wait(r))
		return ERR_LATER;
	round_log(r, LOG_LEVEL_INFO, STR("one"));
	round_progress(r, 1, 2);
	round_pause(r);
	round_log(r, LOG_LEVEL_ERROR, STR("two"));
	return say(r, STR("done"));
}

static enum err fails(struct round *r)
{
	json_key(r->out, "half");
	json_put_int(r->out, 1);
	return fail(&r->fault, ERR_INTERNAL, .text = STR("no"));
}

/* A bug: ERR_LATER also on a worker. */
static enum err leaks(struct round *r)
{
	return ERR_LATER;
}

static const struct catalog_tool tools[] = {
	{ "both", "", "{\"type\":\"object\"}", both },
	{ "steps", "", "{\"type\":\"object\"}", steps },
	{ "chatty", "", "{\"type\":\"object\"}", chatty },
	{ "fails", "", "{\"type\":\"object\"}", fails },
	{ "leaks", "", "{\"type\":\"object\"}", leaks },
	{ 0 },
};
static const struct catalog catalog = { .tools = tools };

static int set_up(void **state)
{
	*state = talk_new(&catalog);
	return 0;
}

static int tear_down(void **state)
{
	talk_free(*state);
	return 0;
}

#define CAN_ALL "{\"elicitation\":{},\"sampling\":{},\"roots\":{}}"
#define ACCEPT  "{\"action\":\"accept\",\"content\":{\"a\":1}}"
#define WORD \
	"{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"w\"},\"model\":\"m\"}"
#define ROOTS "{\"roots\":[]}"

static struct json modern(struct talk *t, const char *tool, const char *more)
{
	return talk_ask(t, "tools/call",
			arena_printf(&t->mem,
				     "\"name\":\"%s\"%s," MODERN_META(CAN_ALL),
				     tool, more)
				.ptr);
}

static bool asks(struct json reply)
{
	return json_str_is(json_get(json_get(reply, "result"), "resultType"),
			   "input_required");
}

static struct json asked(struct json reply)
{
	assert_true(asks(reply));
	return json_get(json_get(reply, "result"), "inputRequests");
}

/* The members of the repeated call: responses and requestState. */
static const char *again(struct talk *t, struct json reply, const char *given)
{
	struct json state = json_get(json_get(reply, "result"), "requestState");

	return arena_printf(&t->mem,
			    ",\"inputResponses\":%s,\"requestState\":" STR_FMT,
			    given, STR_ARG(json_raw(state)))
		.ptr;
}

static struct str text_of(struct talk *t, struct json reply)
{
	return talk_text(t, json_get(reply, "result"));
}

/* SEP-2322: input_required, and the call repeated with the responses. */
static void a_modern_call_is_made_again_with_the_answers(void **state)
{
	struct talk *t = *state;
	struct json v = modern(t, "both", "");

	assert_int_equal(json_count(asked(v)), 2);
	assert_true(json_str_is(json_get(json_get(asked(v), "first"), "method"),
				"elicitation/create"));
	assert_true(
		json_str_is(json_get(json_get(asked(v), "second"), "method"),
			    "sampling/createMessage"));
	v = modern(t, "both",
		   again(t, v,
			 "{\"first\":" ACCEPT ",\"second\":" WORD
			 ",\"stranger\":5}"));
	assert_str(text_of(t, v), ACCEPT WORD "+");
	/* no requestState is needed: there were no earlier answers */
	v = modern(t, "both",
		   ",\"inputResponses\":{\"first\":" ACCEPT ",\"second\":" WORD
		   "}");
	assert_str(text_of(t, v), ACCEPT WORD);
	assert_int_equal(t->sends, 0);
}

static const struct {
	const char *given;
	size_t left; /* requests that are made again */
} half[] = {
	{ "{\"first\":" ACCEPT "}", 1 },
	{ "{\"second\":" WORD "}", 1 },
	{ "{\"first\":{\"action\":\"decline\"},\"second\":5}", 1 },
	{ "{\"first\":12345}", 2 },
	{ "{\"first\":{\"action\":\"accept\"}}", 2 },
	{ "{\"first\":{\"action\":\"maybe\"}}", 2 },
	{ "{\"second\":{\"content\":\"w\"}}", 2 },
	{ "{\"other\":" ACCEPT "}", 2 },
	{ "null", 2 },
	{ "[]", 2 },
	{ "{}", 2 },
};

static void what_is_wrong_or_missing_is_asked_anew(void **state)
{
	for (size_t i = 0; i < COUNT_OF(half); i++) {
		struct talk *t = *state;
		struct json v =
			modern(t, "both",
			       arena_printf(&t->mem, ",\"inputResponses\":%s",
					    half[i].given)
				       .ptr);

		assert_int_equal(json_count(asked(v)), half[i].left);
	}
}

/* Answers of one round come back in the next one's requestState. */
static void answers_are_carried_from_round_to_round(void **state)
{
	struct talk *t = *state;
	struct json one = modern(t, "steps", ""), two, v;

	assert_true(json_is(json_get(asked(one), "first"), JSON_OBJECT));
	two = modern(t, "steps", again(t, one, "{\"first\":" ACCEPT "}"));
	assert_int_equal(json_count(asked(two)), 1);
	assert_true(json_is(json_get(asked(two), "third"), JSON_OBJECT));
	assert_false(str_eq(json_raw(json_get(json_get(one, "result"),
					      "requestState")),
			    json_raw(json_get(json_get(two, "result"),
					      "requestState"))));
	/* a signed answer cannot be replaced by a response */
	v = modern(t, "steps",
		   again(t, two,
			 "{\"third\":" ROOTS
			 ",\"first\":{\"action\":\"cancel\"}}"));
	assert_str(text_of(t, v), ACCEPT ROOTS);
}

static int64_t code_of(struct json reply)
{
	int64_t code = 0;

	(void)!json_int(json_get(json_get(reply, "error"), "code"), &code);
	return code;
}

static void a_state_is_for_one_call_and_once(void **state)
{
	struct talk *t = *state;
	struct json v = modern(t, "steps", "");
	const char *good = again(t, v, "{\"first\":" ACCEPT "}");
	struct str raw =
		json_raw(json_get(json_get(v, "result"), "requestState"));

	assert_int_equal(code_of(modern(t, "both", good)), -32602);
	assert_int_equal(
		code_of(modern(t, "steps",
			       arena_printf(&t->mem,
					    "%s,\"arguments\":{\"a\":1}", good)
				       .ptr)),
		-32602);
	assert_int_equal(
		code_of(modern(t, "steps",
			       arena_printf(&t->mem,
					    ",\"requestState\":" STR_FMT
					    "-TAMPERED\"",
					    STR_ARG(str_head(raw, raw.len - 1)))
				       .ptr)),
		-32602);
	assert_int_equal(code_of(modern(t, "steps", ",\"requestState\":5")),
			 -32602);
	assert_true(asks(modern(t, "steps", good)));
	assert_int_equal(code_of(modern(t, "steps", good)), -32602);
}

/* A missing capability is an error that names it. */
static void only_what_was_declared_is_asked_for(void **state)
{
	struct talk *t = *state;
	struct json v = talk_ask(t, "tools/call",
				 "\"name\":\"both\"," MODERN_META(
					 "{\"elicitation\":{}}"));
	struct json data = json_get(json_get(v, "error"), "data");

	assert_int_equal(code_of(v), -32021);
	assert_int_equal(t->status, 400);
	assert_str(json_raw(json_get(data, "requiredCapabilities")),
		   "{\"sampling\":{}}");
	talk_greet(t, "{\"elicitation\":{}}");
	assert_int_equal(talk_code(t, "tools/call", "\"name\":\"both\""),
			 -32600);
	assert_int_equal(t->sends, 0);
	assert_int_equal(t->status, 200);
}

/* The response to a request of ours. */
static void respond(struct talk *t, size_t request, const char *what)
{
	struct str id = json_raw(json_get(talk_sent(t, request), "id"));
	struct job *job =
		talk_begin(t,
			   arena_printf(&t->mem,
					"{\"jsonrpc\":\"2.0\",\"id\":" STR_FMT
					",%s}",
					STR_ARG(id), what));

	assert_int_equal(job->reply.len, 0);
	job_free(job);
}

static struct job *begin_older(struct talk *t, const char *tool)
{
	return talk_begin(t, talk_request(t, "tools/call",
					  arena_printf(&t->mem,
						       "\"name\":\"%s\"", tool)
						  .ptr));
}

/* Run the next job that can go on; park it again if it asks again. */
static struct job *go_on(struct talk *t)
{
	struct job *job = ask_next(&t->link);

	if (job && job_run(job, 0) == JOB_PARKED)
		ask_park(job);
	return job;
}

/* Before 2026-07-28: JSON-RPC requests, answered in any order. */
static void an_older_client_is_sent_requests(void **state)
{
	struct talk *t = *state;
	struct job *job;

	talk_greet(t, CAN_ALL);
	job = begin_older(t, "both");
	assert_ptr_equal(t->link.parked, job);
	assert_int_equal(t->sends, 2);
	assert_true(json_str_is(json_get(talk_sent(t, 0), "method"),
				"elicitation/create"));
	respond(t, 1, "\"result\":" WORD);
	assert_null(ask_next(&t->link));
	respond(t, 1, "\"result\":{}"); /* a second response is ignored */
	respond(t, 0, "\"result\":" ACCEPT);
	assert_ptr_equal(go_on(t), job);
	assert_str(text_of(t, talk_reply(t, job)), ACCEPT WORD);
	assert_int_equal(t->sends, 2);
}

static void an_older_client_is_asked_twice(void **state)
{
	struct talk *t = *state;
	struct job *job;

	talk_greet(t, CAN_ALL);
	job = begin_older(t, "steps");
	respond(t, 0, "\"result\":" ACCEPT);
	assert_ptr_equal(go_on(t), job);
	assert_ptr_equal(t->link.parked, job);
	assert_int_equal(t->sends, 2);
	respond(t, 1, "\"result\":" ROOTS);
	assert_ptr_equal(go_on(t), job);
	assert_str(text_of(t, talk_reply(t, job)), ACCEPT ROOTS);
}

static const char *const no_answers[] = {
	"\"error\":{\"code\":-1,\"message\":\"no\"}",
	"\"result\":{}",
	"\"result\":{\"action\":\"accept\"}",
};

static void no_answer_is_an_error(void **state)
{
	struct talk *t = *state;

	talk_greet(t, CAN_ALL);
	for (size_t i = 0; i < COUNT_OF(no_answers); i++) {
		struct job *job = begin_older(t, "steps");

		respond(t, t->sends - 1, no_answers[i]);
		assert_ptr_equal(go_on(t), job);
		assert_int_equal(code_of(talk_reply(t, job)), -32603);
	}
}

/* Past the deadline, or cancelled: notifications/cancelled. */
static void requests_are_withdrawn(void **state)
{
	struct talk *t = *state;
	struct job *job;

	talk_greet(t, CAN_ALL);
	job = begin_older(t, "both");
	respond(t, 0, "\"result\":" ACCEPT);
	assert_ptr_equal(ask_cancel(&t->link, STR("7")), job);
	assert_int_equal(t->sends, 3); /* for the request without a response */
	assert_true(json_str_is(json_get(talk_sent(t, 2), "method"),
				"notifications/cancelled"));
	job_drop(job);
	job_free(job);
	t->server.ask_ms = 0;
	job = begin_older(t, "both");
	assert_ptr_equal(go_on(t), job);
	assert_int_equal(t->sends, 7);
	assert_int_equal(code_of(talk_reply(t, job)), -32603);
}

/* Equal calls have separate requests. */
static void calls_do_not_share_their_questions(void **state)
{
	struct talk *t = *state;
	struct job *one, *two;

	talk_greet(t, CAN_ALL);
	one = begin_older(t, "steps");
	two = begin_older(t, "steps");
	assert_int_equal(t->sends, 2);
	respond(t, 1, "\"result\":" ACCEPT);
	assert_ptr_equal(go_on(t), two);
	assert_ptr_equal(ask_cancel(&t->link, STR("7")), one);
	assert_ptr_equal(ask_cancel(&t->link, STR("7")), two);
	job_free(one);
	job_free(two);
}

static const struct {
	const char *level;
	size_t messages;
} levels[] = {
	{ "debug", 2 }, { "info", 2 },     { "notice", 1 }, { "warning", 1 },
	{ "error", 1 }, { "critical", 0 }, { "alert", 0 },  { "emergency", 0 },
};

/* From the level the client set; in 2026-07-28 none without a level. */
static void logs_are_for_those_who_want_them(void **state)
{
	struct talk *t = *state;
	size_t before;

	talk_greet(t, "{}");
	for (size_t i = 0; i < COUNT_OF(levels); i++) {
		assert_int_equal(
			json_count(talk_result(t, "logging/setLevel",
					       arena_printf(&t->mem,
							    "\"level\":\"%s\"",
							    levels[i].level)
						       .ptr)),
			0);
		before = t->sends;
		(void)talk_result(t, "tools/call", "\"name\":\"chatty\"");
		assert_int_equal(t->sends - before, levels[i].messages);
		before = t->sends;
		(void)talk_result(
			t, "tools/call",
			arena_printf(
				&t->mem,
				"\"name\":\"chatty\"," MODERN_META(
					"{},\"io.modelcontextprotocol/logLevel\":\"%s\""),
				levels[i].level)
				.ptr);
		assert_int_equal(t->sends - before, levels[i].messages);
	}
	before = t->sends;
	(void)talk_result(t, "tools/call",
			  "\"name\":\"chatty\"," MODERN_META("{}"));
	assert_int_equal(t->sends, before);
	assert_int_equal(talk_code(t, "logging/setLevel", "\"level\":\"loud\""),
			 -32602);
}

static void progress_is_for_those_who_gave_a_token(void **state)
{
	struct talk *t = *state;

	(void)talk_result(t, "tools/call",
			  "\"name\":\"chatty\"," MODERN_META(
				  "{},\"progressToken\":0"));
	assert_int_equal(t->sends, 1);
	assert_str(
		t->sent[0],
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":0,\"progress\":1,\"total\":2}}");
	assert_int_equal(t->pauses, 1);
}

static void a_handler_that_fails_leaves_no_half_result(void **state)
{
	struct talk *t = *state;
	struct json v = modern(t, "fails", "");

	assert_int_equal(code_of(v), -32603);
	assert_true(json_is(json_get(v, "result"), JSON_NONE));
}

static void a_handler_that_does_not_end_is_answered(void **state)
{
	assert_int_equal(code_of(modern(*state, "leaks", "")), -32603);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(a_modern_call_is_made_again_with_the_answers),
		CASE(what_is_wrong_or_missing_is_asked_anew),
		CASE(answers_are_carried_from_round_to_round),
		CASE(a_state_is_for_one_call_and_once),
		CASE(only_what_was_declared_is_asked_for),
		CASE(an_older_client_is_sent_requests),
		CASE(an_older_client_is_asked_twice),
		CASE(no_answer_is_an_error),
		CASE(requests_are_withdrawn),
		CASE(calls_do_not_share_their_questions),
		CASE(logs_are_for_those_who_want_them),
		CASE(progress_is_for_those_who_gave_a_token),
		CASE(a_handler_that_fails_leaves_no_half_result),
		CASE(a_handler_that_does_not_end_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
