/*
 * test_rate.c - the rate limit: exact, per name, in bounded memory.
 */
#include "../unit.h"

#include "web/rate.h"

#include <stdio.h>

static struct rate rate;

static int set_up(void **state)
{
	rate = (struct rate){ .per_second = 10 };
	return 0;
}

static unsigned take_all(struct str name, uint64_t now)
{
	unsigned n = 0;

	while (n < 1000 && rate_take(&rate, name, now))
		n++;
	return n;
}

static void there_are_twice_as_many_at_once_and_then_the_rate(void **state)
{
	static const struct {
		uint64_t now;
		unsigned pass;
	} rules[] = {
		{ 1000, 20 },       { 1000, 0 }, { 1099, 0 },  { 1100, 1 },
		{ 1250, 1 },        { 1300, 1 }, { 2300, 10 }, { 3800, 15 },
		{ 1000000, 20 },    { 5000, 0 }, { 5100, 1 },  { 5100, 0 },
		{ UINT64_MAX, 20 },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++)
		assert_int_equal(take_all(STR("a"), rules[i].now),
				 rules[i].pass);
}

static void each_has_its_own(void **state)
{
	assert_int_equal(take_all(STR("a"), 1000), 20);
	assert_int_equal(take_all(STR("b"), 1000), 20);
	assert_int_equal(take_all(STR(""), 1000), 20);
	assert_int_equal(take_all(STR("a"), 1000), 0);
}

static void none_means_any(void **state)
{
	rate.per_second = 0;
	assert_int_equal(take_all(STR("a"), 1000), 1000);
	assert_int_equal(rate.count, 0);
}

static void the_silent_are_forgotten_first(void **state)
{
	static char names[RATE_MOST + 1][8];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		(void)snprintf(names[i], sizeof(names[i]), "n%zu", i);
		assert_int_equal(take_all(str_of(names[i]), 1000 + (i != 7)),
				 20);
	}
	assert_int_equal(rate.count, RATE_MOST);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_int_equal(rate_take(&rate, str_of(names[i]), 1001),
				 i == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			there_are_twice_as_many_at_once_and_then_the_rate,
			set_up),
		cmocka_unit_test_setup(each_has_its_own, set_up),
		cmocka_unit_test_setup(none_means_any, set_up),
		cmocka_unit_test_setup(the_silent_are_forgotten_first, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
