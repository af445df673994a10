/*
 * test_ask.c - questions to a client of 2026-07-28: the input_required result,
 * its requestState, and the answer; and a handler that never ends.
 */
#include "ask_fixture.h"

/* A52 C60: the question comes as input_required, and the answer decides. */
static void a_modern_client_is_asked_by_its_result(void **state)
{
	struct ask_fixture *x = *state;
	struct json v = ask_call(x, ask_modern(x, CAN, "/a/f", ""));
	struct json form = json_get(json_get(json_get(json_get(v, "result"),
						      "inputRequests"),
					     "approval"),
				    "params");
	struct str token = ask_state_of(x, v);

	assert_true(ask_says(form, "edit wants to"));
	assert_true(ask_says(form, "-a\\n+b\\n"));
	assert_true(ask_says(form, "a rule"));
	assert_true(ask_says(form, "\"allow for this directory\""));
	assert_int_equal(edits, 0);
	v = ask_call(x, ask_modern(x, CAN, "/a/f",
				   ask_answer_members(x, token,
						      SAYS("allow once"))));
	assert_int_equal(ask_code(v), 0);
	assert_int_equal(edits, 1);
	/* "once" does not cover the next call */
	(void)ask_state_of(x, ask_call(x, ask_modern(x, CAN, "/a/f", "")));
	assert_int_equal(edits, 1);
}

/* T58: nothing is edits, and -32007 says so. */
static void no_is_no(void **state)
{
	static const char *const noes[] = {
		SAYS("deny"),
		"{\"action\":\"decline\"}",
		"{\"action\":\"cancel\"}",
	};
	struct ask_fixture *x = *state;

	for (size_t i = 0; i < COUNT_OF(noes); i++) {
		struct str token =
			ask_state_of(x, ask_call(x, ask_modern(x, CAN, "/a/f",
							       "")));
		struct json v =
			ask_call(x, ask_modern(x, CAN, "/a/f",
					       ask_answer_members(x, token,
								  noes[i])));

		assert_int_equal(ask_code(v), -32007);
		assert_true(ask_says(v, "Denied by user: edit wants to"));
	}
	assert_int_equal(edits, 0);
}

/* An invalid answer leads to the question again, never to the change. */
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
	struct ask_fixture *x = *state;
	struct str token =
		ask_state_of(x, ask_call(x, ask_modern(x, CAN, "/a/f", "")));

	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		token = ask_state_of(
			x,
			ask_call(x, ask_modern(x, CAN, "/a/f",
					       ask_answer_members(x, token,
								  wrong[i]))));
	assert_int_equal(edits, 0);
}

/* A requestState of another call, or a changed one, is an error. */
static void a_forged_state_is_refused(void **state)
{
	struct ask_fixture *x = *state;
	struct str token =
		ask_state_of(x, ask_call(x, ask_modern(x, CAN, "/a/f", "")));
	char *bent = arena_cstr(&x->mem, token);
	const char *said = ask_answer_members(x, token, SAYS("allow once"));
	struct json v;

	/* other arguments */
	v = ask_call(x, ask_modern(x, CAN, "/a/g", said));
	assert_int_equal(ask_code(v), -32602);
	/* any changed character */
	for (size_t i = 0; i < token.len; i += 7) {
		bent[i] ^= 1;
		v = ask_call(x, ask_modern(x, CAN, "/a/f",
					   ask_answer_members(
						   x, str_make(bent, token.len),
						   SAYS("allow once"))));
		assert_int_equal(ask_code(v), -32602);
		bent[i] ^= 1;
	}
	v = ask_call(x, ask_modern(x, CAN, "/a/f", ",\"requestState\":7"));
	assert_int_equal(ask_code(v), -32602);
	v = ask_call(x, ask_modern(x, CAN, "/a/f", ",\"requestState\":\"\""));
	assert_int_equal(ask_code(v), -32602);
	assert_int_equal(edits, 0);
	/* the right one is accepted, once */
	assert_int_equal(ask_code(
				 ask_call(x, ask_modern(x, CAN, "/a/f", said))),
			 0);
	v = ask_call(x, ask_modern(x, CAN, "/a/f", said));
	assert_int_equal(ask_code(v), -32602);
	assert_true(ask_says(v, "used before"));
	assert_int_equal(edits, 1);
}

/* The change differs from the one shown: the person is asked again. */
static void only_what_was_shown_is_done(void **state)
{
	struct ask_fixture *x = *state;
	struct str token =
		ask_state_of(x, ask_call(x, ask_modern(x, CAN, "/a/f", "")));
	struct json v;

	edit_diff = "-a\n+rm -rf\n";
	v = ask_call(x, ask_modern(x, CAN, "/a/f",
				   ask_answer_members(x, token,
						      SAYS("allow once"))));
	token = ask_state_of(x, v);
	assert_true(ask_says(v, "+rm -rf"));
	assert_int_equal(edits, 0);
	v = ask_call(x, ask_modern(x, CAN, "/a/f",
				   ask_answer_members(x, token,
						      SAYS("allow once"))));
	assert_int_equal(edits, 1);
}

/* ERR_LATER on a worker, where no rerun is possible: an error reply. */
static void a_call_that_does_not_end_is_answered(void **state)
{
	static const char message[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"leak\",\"arguments\":{\"path\":\"/a/f\"}}}";
	struct ask_fixture *x = *state;

	for (int later = 0; later < 2; later++) {
		struct job *job = job_new(&x->server);

		buf_add(&job->text, str_of(message));
		job->outcome = ERR_NOT_FOUND; /* of the message before */
		assert_int_equal(job_read(job, &x->link), JOB_READS);
		assert_int_equal(job_run(job, 1), JOB_LATER);
		job->answer_later = later;
		assert_int_equal(job_run(job, 0), JOB_RAN);
		/* an end, for the event sinks and `stet call` */
		assert_int_equal(job->outcome, ERR_INTERNAL);
		if (later)
			job_answer(job);
		assert_int_equal(ask_code(ask_reply_of(x, job)), -32603);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ASK_CASE(a_modern_client_is_asked_by_its_result),
		ASK_CASE(no_is_no),
		ASK_CASE(what_is_no_answer_is_asked_again),
		ASK_CASE(a_forged_state_is_refused),
		ASK_CASE(only_what_was_shown_is_done),
		ASK_CASE(a_call_that_does_not_end_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
