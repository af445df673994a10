/*
 * test_waits.c - calls that wait for an answer, and the use of the answer:
 * 14.3.
 *
 * 14.3: until when a call waits for an answer, that a client can leave, and
 * which operation has used an answer when.
 */
#include "state.h"

#include "base/clock.h"

static struct approval ask(struct state *s, uint64_t waits_ms)
{
	struct approval a = { .digest = STR("d"),
			      .binding = STR("b"),
			      .path = STR("/p/f"),
			      .waits_ms = waits_ms };

	assert_int_equal(approval_ask(s->store, &a, &s->mem, &s->f), ERR_OK);
	return a;
}

static struct approval found(struct state *s, struct uuid id)
{
	char text[UUID_TEXT + 1];
	struct approval a;

	uuid_text(id, text);
	assert_int_equal(approval_find(s->store, str_of(text), &s->mem, &a,
				       &s->f),
			 ERR_OK);
	return a;
}

static void the_longest_of_equal_calls_counts(void **state)
{
	auto_state s = state_make();
	struct approval a = ask(&s, 100);

	assert_int_equal(found(&s, a.id).waits_ms, 100);
	assert_int_equal(ask(&s, 300).waits_ms, 300);
	assert_int_equal(ask(&s, 200).waits_ms, 300);
	assert_int_equal(ask(&s, 0).waits_ms, 300); /* one that does not wait */
	state_again(&s);
	assert_int_equal(found(&s, a.id).waits_ms, 300);
}

static void a_client_leaves_and_the_question_stays(void **state)
{
	auto_state s = state_make();
	struct approval a = ask(&s, 100);

	approval_leave(s.store, a.id, 50); /* not the one that waits longest */
	assert_int_equal(found(&s, a.id).waits_ms, 100);
	approval_leave(s.store, a.id, 100);
	assert_int_equal(found(&s, a.id).waits_ms, 0);
	assert_int_equal(found(&s, a.id).state, APPROVAL_PENDING);
	/* the same call again: the same question, waited for again */
	assert_true(uuid_eq(ask(&s, 400).id, a.id));
	assert_int_equal(found(&s, a.id).waits_ms, 400);
	/* of another question, or of none */
	a.id.bytes[0] ^= 1;
	approval_leave(s.store, a.id, 400);
	a.id.bytes[0] ^= 1;
	assert_int_equal(found(&s, a.id).waits_ms, 400);
}

static void take(struct state *s)
{
	struct approval got;

	assert_int_equal(approval_take(s->store, STR("d"), STR("b"), &s->mem,
				       &got, &s->f),
			 ERR_OK);
}

/*
 * Reading an approval does not use it; a used one has the id of the operation.
 */
static void the_use_of_an_answer_is_kept(void **state)
{
	auto_state s = state_make();
	const uint64_t before = clock_unix_ms();
	const struct uuid op = uuid_new(1), other = uuid_new(2);
	struct approval a = ask(&s, 100), used;

	take(&s);
	assert_int_equal(found(&s, a.id).used_ms, 0);
	assert_int_equal(approval_decide(s.store, a.id, APPROVAL_ALLOWED,
					 STR(""), STR(""), &s.f),
			 ERR_OK);
	approval_bind(s.store, a.id, op); /* nothing was done with it yet */
	assert_false(approval_used_by(s.store, op, &s.mem, &used));
	take(&s);
	assert_true(found(&s, a.id).used_ms >= before);
	assert_false(approval_used_by(s.store, op, &s.mem, &used));
	approval_bind(s.store, a.id, op);
	state_again(&s);
	assert_true(approval_used_by(s.store, op, &s.mem, &used));
	assert_true(uuid_eq(used.id, a.id));
	assert_int_equal(used.used_ms, found(&s, a.id).used_ms);
	assert_false(approval_used_by(s.store, other, &s.mem, &used));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_of_equal_calls_counts),
		cmocka_unit_test(a_client_leaves_and_the_question_stays),
		cmocka_unit_test(the_use_of_an_answer_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
