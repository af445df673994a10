/*
 * test_ask_queue.c - approvals in the queue: clients without elicitation, and
 * calls that wait for a decision.
 */
#include "ask_fixture.h"

#include "rpc/ask_queue.h"

#include <sqlite3.h>

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

/* A53: a client without elicitation gets the approval's id at once. */
static void who_cannot_ask_gets_an_approval_at_once(void **state)
{
	struct ask_fixture *x = *state;

	for (size_t i = 0; i < COUNT_OF(capabilities); i++) {
		struct json v = ask_call(x, ask_modern(x, capabilities[i].can,
						       "/a/f", ""));

		if (capabilities[i].asks) {
			(void)ask_state_of(x, v);
			continue;
		}
		assert_int_equal(ask_code(v), -32007);
		assert_true(ask_says(v, "Approval required: edit wants to"));
		assert_true(ask_says(v, "The person has been asked"));
		assert_false(ask_says(v, "stet approvals"));
	}
	assert_int_equal(edits, 0);
}

/* A53 T59: repeated calls ask once; a yes allows one call. */
static void the_queue_passes_a_call_once(void **state)
{
	struct ask_fixture *x = *state;
	const char *call = ask_modern(x, "{}", "/a/f", "");

	for (int i = 0; i < 3; i++)
		assert_int_equal(ask_code(ask_call(x, call)), -32007);
	assert_str(ask_only_pending(x).diff, edit_diff);
	assert_str(ask_only_pending(x).path, "/a/f");
	ask_decide(x, APPROVAL_ALLOWED);
	assert_int_equal(ask_code(ask_call(x, call)), 0);
	assert_int_equal(edits, 1);
	assert_int_equal(ask_code(ask_call(x, call)), -32007);
	assert_int_equal(edits, 1);
	ask_decide(x, APPROVAL_DENIED);
	assert_true(ask_says(ask_call(x, call), "Denied by user: not now"));
	assert_int_equal(edits, 1);
}

/* A53: no channel at all: refused, with a hint and no id. */
static void without_any_channel_it_fails_closed(void **state)
{
	struct ask_fixture *x = *state;
	struct json v;

	ask_forget_store(x);
	v = ask_call(x, ask_modern(x, "{}", "/a/f", ""));
	assert_int_equal(ask_code(v), -32007);
	assert_true(ask_says(v, "--approve"));
	assert_int_equal(edits, 0);
}

/* One poll of the queue. */
static enum job_ran look(struct ask_fixture *x, struct job *job)
{
	job->ask.poll_at = 0; /* the poll is due */
	assert_ptr_equal(ask_next(&x->link), job);
	assert_int_equal(job->schedule, JOB_READS);
	assert_int_equal(job_run(job, 1), JOB_LATER); /* not on the loop */
	return job_run(job, 0);
}

/* --approval-wait: a parked call polls, and goes on when decided. */
static void a_call_can_wait_for_the_queue(void **state)
{
	struct ask_fixture *x = *state;
	struct job *job;

	x->server.approval_ms = 600000;
	job = ask_run_message(x, ask_older(x, 1, "/a/f"));
	assert_ptr_equal(x->link.parked, job);
	for (int i = 0; i < 3; i++) {
		assert_null(ask_next(&x->link));
		assert_int_equal(look(x, job), JOB_PARKED);
		ask_park(job);
	}
	ask_decide(x, APPROVAL_ALLOWED);
	assert_int_equal(look(x, job), JOB_PARKED);
	ask_park(job);
	assert_int_equal(ask_code(ask_next_reply(x)), 0);
	assert_int_equal(edits, 1);
	/* past the deadline the error has the approval's id */
	job = ask_run_message(x, ask_older(x, 1, "/a/f"));
	job->ask.until = 1;
	assert_int_equal(look(x, job), JOB_PARKED);
	ask_park(job);
	assert_true(ask_says(ask_next_reply(x), "\"approval\""));
	assert_int_equal(edits, 1);
	/* a batch never waits */
	x->link.dialect = dialect_named(STR("2025-03-26"));
	assert_true(ask_says(ask_call(x, arena_printf(&x->mem, "[%s]",
						      ask_older(x, 1, "/a/f"))
						 .ptr),
			     "-32007"));
}

/* Polling does not grow the arena of the call. */
static void looking_takes_no_memory(void **state)
{
	enum { LOOKS = 10 * 1000 };
	struct ask_fixture *x = *state;
	struct job *job;
	size_t held, used;

	x->server.approval_ms = 600000;
	job = ask_run_message(x, ask_older(x, 1, "/a/f"));
	held = job->mem.held;
	used = job->mem.used;
	for (int i = 0; i < LOOKS; i++) {
		assert_int_equal(look(x, job), JOB_PARKED);
		ask_park(job);
	}
	assert_int_equal(job->mem.held, held);
	assert_int_equal(job->mem.used, used);
	assert_ptr_equal(ask_cancel(&x->link, STR("1")), job);
	job_drop(job);
	job_free(job);
}

/* The polling for decisions of other processes backs off. */
static void polling_backs_off(void **state)
{
	static const struct {
		uint64_t poll_ms, waited, interval;
	} rows[] = {
		{ 0, 0, 300 },
		{ 0, 4800, 300 },
		{ 0, 16000, 1000 },
		{ 0, 3600 * 1000, 2000 },
		{ 5000, 3600 * 1000, 5000 },
	};
	struct ask_fixture *x = *state;
	struct job *job = job_new(&x->server);

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		x->server.poll_ms = rows[i].poll_ms;
		job->ask.asked = 1000;
		assert_int_equal(ask_queue_next_poll(job,
						     1000 + rows[i].waited),
				 1000 + rows[i].waited + rows[i].interval);
	}
	job_free(job);
}

static void count_wakes(void *ctx)
{
	++*(unsigned *)ctx;
}

static void decide_here(struct ask_fixture *x, enum ask_answer answer)
{
	const struct ask_decision d = { .answer = answer,
					.channel = "page",
					.server = &x->server };
	char id[UUID_TEXT + 1];
	struct approval a;
	struct grant g;
	struct fault f;

	uuid_text(ask_only_pending(x).id, id);
	assert_int_equal(ask_queue_decide(x->server.tools.store, str_of(id), &d,
					  &x->mem, &a, &g, &f),
			 ERR_OK);
}

/* Without the wake-up the call would poll once an hour. */
static void a_decision_of_this_process_wakes_the_call(void **state)
{
	struct ask_fixture *x = *state;
	unsigned wakes = 0;
	struct job *job;

	ask_on_decision(&x->server, count_wakes, &wakes);
	x->server.approval_ms = 600000;
	x->server.poll_ms = 3600 * 1000;
	for (int i = 1; i < 3; i++) {
		job = ask_run_message(x, ask_older(x, 1, "/a/f"));
		assert_null(ask_next(&x->link));
		decide_here(x, ASK_ONCE);
		assert_int_equal(wakes, i);
		assert_ptr_equal(ask_next(&x->link), job);
		assert_int_equal(job_run(job, 0), JOB_PARKED); /* polled */
		ask_park(job);
		assert_int_equal(ask_code(ask_next_reply(x)), 0);
		assert_int_equal(edits, i);
	}
	ask_on_decision(&x->server, NULL, NULL);
	ask_decided(&x->server);
	assert_int_equal(wakes, 2);
}

/* A decision on another question: one poll, and the call waits on. */
static void another_decision_costs_one_look(void **state)
{
	struct ask_fixture *x = *state;
	struct job *job;

	x->server.approval_ms = 600000;
	x->server.poll_ms = 3600 * 1000;
	job = ask_run_message(x, ask_older(x, 1, "/a/f"));
	ask_decided(&x->server);
	assert_ptr_equal(ask_next(&x->link), job);
	assert_int_equal(job_run(job, 0), JOB_PARKED);
	ask_park(job);
	assert_null(ask_next(&x->link));
	assert_ptr_equal(ask_cancel(&x->link, STR("1")), job);
	job_drop(job);
	job_free(job);
}

/* Decided after the question was put, before the call is parked. */
static void an_early_decision_is_not_missed(void **state)
{
	struct ask_fixture *x = *state;
	struct job *job = job_new(&x->server);

	x->server.approval_ms = 600000;
	x->server.poll_ms = 3600 * 1000;
	buf_add(&job->text, str_of(ask_older(x, 1, "/a/f")));
	assert_int_equal(job_read(job, &x->link), JOB_CHANGES);
	assert_int_equal(job_run(job, 0), JOB_PARKED);
	decide_here(x, ASK_ONCE);
	ask_park(job);
	assert_ptr_equal(ask_next(&x->link), job);
	assert_int_equal(job_run(job, 0), JOB_PARKED);
	ask_park(job);
	assert_int_equal(ask_code(ask_next_reply(x)), 0);
	assert_int_equal(edits, 1);
}

/* A statement on the database, by a connection of our own. */
static void run_sql(struct ask_fixture *x, const char *text)
{
	sqlite3 *sql;

	assert_int_equal(
		sqlite3_open(arena_printf(&x->mem, "%s/history.db", x->dir).ptr,
			     &sql),
		SQLITE_OK);
	assert_int_equal(sqlite3_exec(sql, text, NULL, NULL, NULL), SQLITE_OK);
	(void)sqlite3_close(sql);
}

/*
 * One transaction: else a poll between the two would find neither a question
 * nor a grant, and ask again.
 */
static void a_decision_comes_with_its_grant_or_not_at_all(void **state)
{
	const struct ask_decision d = { .answer = ASK_SESSION,
					.channel = "page" };
	struct ask_fixture *x = *state;
	struct store *store = x->server.tools.store;
	char id[UUID_TEXT + 1];
	struct approval a;
	struct grant g, *grants;
	struct fault f;
	struct job *job;
	size_t n;

	x->server.approval_ms = 600000;
	job = ask_run_message(x, ask_older(x, 1, "/a/f"));
	uuid_text(ask_only_pending(x).id, id);
	run_sql(x, "CREATE TRIGGER no BEFORE INSERT ON may BEGIN"
		   " SELECT RAISE(ABORT, 'no'); END");
	assert_int_equal(ask_queue_decide(store, str_of(id), &d, &x->mem, &a,
					  &g, &f),
			 ERR_STORE);
	assert_int_equal(ask_only_pending(x).state, APPROVAL_PENDING);
	run_sql(x, "DROP TRIGGER no");
	assert_int_equal(ask_queue_decide(store, str_of(id), &d, &x->mem, &a,
					  &g, &f),
			 ERR_OK);
	assert_int_equal(a.state, APPROVAL_GRANTED);
	assert_int_equal(grant_list(store, &x->mem, &grants, &n, &f), ERR_OK);
	assert_int_equal(n, 1);
	assert_true(uuid_eq(grants[0].id, g.id));
	assert_str(grants[0].channel, "page");
	assert_int_equal(look(x, job), JOB_PARKED);
	ask_park(job);
	assert_int_equal(ask_code(ask_next_reply(x)), 0);
	assert_int_equal(edits, 1);
	/* decided once: no second grant */
	assert_int_equal(ask_queue_decide(store, str_of(id), &d, &x->mem, &a,
					  &g, &f),
			 ERR_NO_APPROVAL);
	assert_int_equal(grant_list(store, &x->mem, &grants, &n, &f), ERR_OK);
	assert_int_equal(n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ASK_CASE(who_cannot_ask_gets_an_approval_at_once),
		ASK_CASE(the_queue_passes_a_call_once),
		ASK_CASE(without_any_channel_it_fails_closed),
		ASK_CASE(a_call_can_wait_for_the_queue),
		ASK_CASE(looking_takes_no_memory),
		ASK_CASE(polling_backs_off),
		ASK_CASE(a_decision_of_this_process_wakes_the_call),
		ASK_CASE(another_decision_costs_one_look),
		ASK_CASE(an_early_decision_is_not_missed),
		ASK_CASE(a_decision_comes_with_its_grant_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
