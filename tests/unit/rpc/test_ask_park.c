/*
 * test_ask_park.c - parked calls: elicitation/create to an older client, and
 * questions by the transport (ASK_DIRECT).
 */
#include "ask_fixture.h"

#include "base/clock.h"

/* The response to the question that was sent last. */
static void respond(struct ask_fixture *x, const char *what)
{
	struct json asked = ask_parse(x, buf_str(&x->sent));
	struct job *job = ask_run_message(
		x, arena_printf(&x->mem,
				"{\"jsonrpc\":\"2.0\",\"id\":" STR_FMT ",%s}",
				STR_ARG(json_raw(json_get(asked, "id"))), what)
			   .ptr);

	assert_int_equal(job->reply.len, 0);
	job_free(job);
}

#define RESULT(what) "\"result\":" what

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

/* A52 C60 T58: elicitation/create is sent, and the answer decides. */
static void an_older_client_is_asked_by_a_request(void **state)
{
	struct ask_fixture *x = *state;

	x->link.elicits = true;
	for (size_t i = 0; i < COUNT_OF(responses); i++) {
		struct job *job = ask_run_message(x, ask_older(x, 1, "/a/f"));
		struct json asked = ask_parse(x, buf_str(&x->sent)), v;

		assert_ptr_equal(x->link.parked, job);
		assert_true(json_str_is(json_get(asked, "method"),
					"elicitation/create"));
		assert_true(ask_says(asked, "-a\\n+b\\n"));
		assert_null(ask_next(&x->link));
		respond(x, responses[i].response);
		v = ask_next_reply(x);
		assert_int_equal(ask_code(v), responses[i].code);
		assert_true(ask_says(v, responses[i].says));
		assert_null(x->link.parked);
	}
	assert_int_equal(edits, 1);
}

/* Was a form dismissed by a person, or by a client without one? */
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
		/* Once a person has answered, a fast decline is theirs. */
		l.has_person = true;
		if (rows[i].answer == ASK_DECLINED)
			assert_int_equal(ask_judge(&l, ASK_DECLINED, 0),
					 ASK_DENY);
	}
}

/* Equal calls share a question; a response with a guessed id is ignored. */
static void equal_calls_ask_once(void **state)
{
	struct ask_fixture *x = *state;

	x->link.elicits = true;
	(void)ask_run_message(x, ask_older(x, 1, "/a/f"));
	(void)ask_run_message(x, ask_older(x, 2, "/a/f"));
	assert_int_equal(x->sends, 1);
	job_free(ask_run_message(
		x, "{\"jsonrpc\":\"2.0\",\"id\":\"guess\",\"result\":" SAYS(
			   "allow once") "}"));
	assert_null(ask_next(&x->link));
	respond(x, RESULT(SAYS("allow once")));
	assert_int_equal(ask_code(ask_next_reply(x)), 0);
	assert_int_equal(ask_code(ask_next_reply(x)), 0);
	assert_int_equal(edits, 2);
	/* a late response is ignored */
	respond(x, RESULT(SAYS("allow once")));
	assert_int_equal(edits, 2);
}

/* X03: a cancelled call withdraws its question. */
static void a_parked_call_can_be_cancelled(void **state)
{
	struct ask_fixture *x = *state;
	struct job *one, *two;

	x->link.elicits = true;
	one = ask_run_message(x, ask_older(x, 1, "/a/f"));
	two = ask_run_message(x, ask_older(x, 2, "/a/f"));
	assert_null(ask_cancel(&x->link, STR("3")));
	assert_ptr_equal(ask_cancel(&x->link, STR("1")), one);
	assert_int_equal(x->sends, 1); /* the other call still waits */
	assert_ptr_equal(ask_cancel(&x->link, STR("2")), two);
	assert_int_equal(x->sends, 2);
	assert_true(ask_says(ask_parse(x, buf_str(&x->sent)),
			     "notifications/cancelled"));
	job_drop(one);
	job_drop(two);
	job_free(one);
	job_free(two);
}

/* Past the deadline, too many parked, or the client is gone. */
static void a_question_does_not_wait_for_ever(void **state)
{
	struct ask_fixture *x = *state;
	struct json v;

	x->link.elicits = true;
	x->server.ask_ms = 0;
	(void)ask_run_message(x, ask_older(x, 1, "/a/f"));
	assert_true(ask_until(&x->link) <= clock_ms());
	v = ask_next_reply(x);
	assert_int_equal(ask_code(v), -32007);
	assert_true(ask_says(v, "Approval required"));
	assert_true(ask_says(ask_parse(x, buf_str(&x->sent)),
			     "notifications/cancelled"));
	x->server.ask_ms = 600000;
	for (int i = 0; i < 64; i++)
		(void)ask_run_message(x, ask_older(x, i, "/a/f"));
	assert_null(ask_next(&x->link));
	(void)ask_run_message(x, ask_older(x, 64, "/a/f"));
	assert_int_equal(ask_code(ask_next_reply(x)), -32007);
	assert_null(ask_next(&x->link));
	ask_end(&x->link);
	for (int i = 0; i < 64; i++)
		assert_int_equal(ask_code(ask_next_reply(x)), -32007);
	(void)ask_run_message(x, ask_older(x, 65, "/a/f"));
	assert_int_equal(ask_code(ask_next_reply(x)), -32007);
	assert_int_equal(edits, 0);
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

static void ask_by(struct ask_fixture *x, struct carrier *c)
{
	*c = (struct carrier){ 0 };
	x->link.ask = carry;
	x->link.unask = uncarry;
	x->link.ask_ctx = c;
}

/* X12: ASK_DIRECT: the transport asks, and the client gets nothing. */
static void a_carrier_asks_by_itself(void **state)
{
	static const struct {
		enum ask_answer answer;
		int64_t code;
		int edits;
	} answers[] = { { ASK_ONCE, 0, 1 },
			{ ASK_DENY, -32007, 1 },
			{ ASK_NOBODY, -32007, 1 },
			{ ASK_SESSION, 0, 2 } };
	struct ask_fixture *x = *state;
	struct carrier c;
	struct job *job;

	ask_by(x, &c);
	x->link.elicits = true;
	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		job = ask_run_message(x, ask_older(x, 1, "/a/f"));
		assert_ptr_equal(c.asked, job);
		assert_null(ask_next(&x->link));
		ask_answer(job, answers[i].answer);
		assert_ptr_equal(ask_next(&x->link), job);
		assert_int_equal(job->schedule, JOB_CHANGES);
		if (answers[i].answer ==
		    ASK_SESSION) { /* 14.1: the second form */
			assert_int_equal(job_run(job, 0), JOB_PARKED);
			assert_int_equal(job->ask.confirm, ASK_SESSION);
			ask_park(job);
			ask_answer(job, ASK_SESSION);
			assert_ptr_equal(ask_next(&x->link), job);
		}
		assert_int_equal(job_run(job, 0), JOB_RAN);
		assert_int_equal(ask_code(ask_reply_of(x, job)),
				 answers[i].code);
		assert_int_equal(edits, answers[i].edits);
	}
	/* the last answer granted the session */
	assert_int_equal(ask_code(ask_call(x, ask_older(x, 1, "/a/f"))), 0);
	assert_int_equal(c.asks, COUNT_OF(answers) + 1);
	assert_int_equal(x->sends + c.unasks, 0);
}

/* The transport has a pointer to the job: unask() before it is freed. */
static void a_carrier_is_told_when_nobody_waits(void **state)
{
	struct ask_fixture *x = *state;
	struct carrier c;
	struct job *job;

	ask_by(x, &c);
	job = ask_run_message(x, ask_older(x, 1, "/a/f"));
	assert_ptr_equal(ask_cancel(&x->link, STR("1")), job);
	assert_int_equal(c.unasks, 1);
	job_free(job);
	job = ask_run_message(x, ask_older(x, 2, "/a/f"));
	job->ask.until = clock_ms();
	assert_ptr_equal(ask_next(&x->link), job);
	assert_int_equal(c.unasks, 2);
	job_free(job);
	job = ask_run_message(x, ask_older(x, 3, "/a/f"));
	ask_end(&x->link);
	assert_int_equal(c.unasks, 3);
	assert_ptr_equal(ask_next(&x->link), job);
	assert_int_equal(job_run(job, 0), JOB_RAN);
	assert_int_equal(ask_code(ask_reply_of(x, job)), -32007);
	assert_int_equal(edits, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ASK_CASE(an_older_client_is_asked_by_a_request),
		ASK_CASE(a_client_without_a_person_is_recognised),
		ASK_CASE(equal_calls_ask_once),
		ASK_CASE(a_parked_call_can_be_cancelled),
		ASK_CASE(a_question_does_not_wait_for_ever),
		ASK_CASE(a_carrier_asks_by_itself),
		ASK_CASE(a_carrier_is_told_when_nobody_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
