/*
 * test_budget.c - nested budgets, shares and charges.
 */
#include "../unit.h"

#include "base/arena.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void what_is_not_there_is_not_given(void **state)
{
	struct budget all, part;
	struct charge a = { .budget = &part }, b = { .budget = &all };

	budget_open(&all, NULL, 100);
	budget_open(&part, &all, 60);
	assert_true(charge_raise(&a, 60));
	assert_int_equal(budget_left(&part), 0);
	assert_int_equal(budget_left(&all), 40);
	assert_false(charge_raise(&a, 61));
	assert_int_equal(a.bytes, 60);
	assert_false(charge_raise(&b, 41));
	assert_int_equal(budget_left(&all), 40); /* nothing leaked */
	assert_true(charge_raise(&b, 40));
	charge_set(&a, 10);
	assert_int_equal(budget_left(&part), 50);
	assert_true(charge_raise(&b, 90));
	assert_false(
		charge_raise(&a,
			     11)); /* room in the child, none in the parent */
	charge_set(&a, 500);       /* charge_set() may exceed the limit */
	assert_int_equal(budget_left(&all), 0);
	charge_set(&a, 0);
	charge_set(&b, 0);
	assert_int_equal(budget_left(&part), 60);
	assert_int_equal(budget_left(&all), 100);
}

static void a_share_is_there_whatever_others_hold(void **state)
{
	struct budget all, one, two;
	struct charge a = { .budget = &one }, b = { .budget = &two };

	budget_open(&all, NULL, 100);
	budget_open(&one, &all, 200);
	budget_open(&two, &all, 50);
	budget_share(&one, 10);
	budget_share(&two, 20);
	assert_int_equal(budget_left(&one), 110);
	assert_true(charge_raise(&a, 110));
	assert_int_equal(budget_left(&all), 0);
	assert_int_equal(budget_left(&one), 0);
	assert_int_equal(budget_left(&two), 20);
	assert_false(charge_raise(&b, 21));
	assert_true(charge_raise(&b, 20));
	assert_int_equal(budget_left(&all), 0);
	charge_set(&b, 45); /* over the limit: counted beyond the share */
	charge_set(&a, 85);
	assert_int_equal(budget_left(&all), 0);
	charge_set(&a, 84);
	assert_int_equal(budget_left(&all), 1);
	assert_false(charge_raise(&b, 51)); /* over its own limit */
	assert_int_equal(budget_left(&all), 1);
	charge_set(&b, 0);
	charge_set(&a, 0);
	assert_int_equal(budget_left(&all), 100);
	assert_int_equal(budget_left(&one), 110);
}

static void without_a_limit_all_is_given(void **state)
{
	struct charge nobody = { 0 };
	struct budget free;
	struct charge c = { .budget = &free };

	budget_open(&free, NULL, 0);
	assert_true(charge_raise(&nobody, SIZE_MAX));
	assert_true(charge_raise(&c, SIZE_MAX / 2));
	assert_int_equal(budget_left(NULL), SIZE_MAX);
	charge_set(&nobody, 0);
	charge_set(&c, 0);
}

static void a_charge_moves_with_all_it_has(void **state)
{
	struct budget one, two;
	struct charge c = { .budget = &one };

	budget_open(&one, NULL, 100);
	budget_open(&two, NULL, 100);
	charge_set(&c, 70);
	charge_move(&c, &two);
	assert_int_equal(budget_left(&one), 100);
	assert_int_equal(budget_left(&two), 30);
	charge_move(&c, NULL);
	assert_int_equal(budget_left(&two), 100);
}

static void an_arena_counts_what_it_holds(void **state)
{
	struct arena a = ARENA_INIT;
	struct budget b;

	budget_open(&b, NULL, 1 << 20);
	arena_charge(&a, &b);
	assert_true(arena_reserve(&a, 1 << 19));
	assert_false(arena_reserve(&a, 2 << 20));
	assert_true(budget_left(&b) <= 1 << 19);
	/* reserved bytes are not counted twice; small allocations succeed */
	(void)!arena_alloc(&a, 400 * 1024);
	assert_true(budget_left(&b) <= 1 << 19);
	(void)!arena_alloc(&a, 2 << 20);
	assert_int_equal(budget_left(&b), 0);
	arena_reset(&a, 1024);
	assert_true(budget_left(&b) >= (1 << 20) - 1024);
	arena_free(&a);
	assert_int_equal(budget_left(&b), 1 << 20);
	assert_true(
		arena_reserve(&a, 1 << 20)); /* the reservation still holds */
	arena_free(&a);
}

enum { THREADS = 4, TURNS = 20000, EACH = 30 };

static void *take_and_give(void *arg)
{
	struct charge c = { .budget = arg };

	for (int i = 0; i < TURNS; i++) {
		if (charge_raise(&c, EACH))
			assert_true(budget_left(arg) <= 100 - EACH);
		charge_set(&c, 0);
	}
	return NULL;
}

static void threads_share_one(void **state)
{
	pthread_t threads[THREADS];
	struct budget b;

	budget_open(&b, NULL, 100);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						take_and_give, &b),
				 0);
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	assert_int_equal(budget_left(&b), 100);
}

static void a_small_process_has_a_small_budget(void **state)
{
	const struct rlimit small = { 1 << 30, 1 << 30 };
	pid_t child = fork();
	int status;

	if (!child) {
		bool ok = !setrlimit(RLIMIT_DATA, &small) &&
			  budget_for_process((size_t)8 << 30) == 1 << 29 &&
			  budget_for_process(1000) == 1000;

		_exit(ok ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_there_is_not_given),
		cmocka_unit_test(a_share_is_there_whatever_others_hold),
		cmocka_unit_test(without_a_limit_all_is_given),
		cmocka_unit_test(a_charge_moves_with_all_it_has),
		cmocka_unit_test(an_arena_counts_what_it_holds),
		cmocka_unit_test(threads_share_one),
		cmocka_unit_test(a_small_process_has_a_small_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
