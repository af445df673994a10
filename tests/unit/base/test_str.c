/*
 * test_str.c - splitting views, and the edit distance of names.
 */
#include "../unit.h"

static void splitting_keeps_empty_parts(void **state)
{
	struct str rest = STR("a,,b"), part;

	assert_true(str_split(&rest, ',', &part));
	assert_str(part, "a");
	assert_true(str_split(&rest, ',', &part));
	assert_str(part, "");
	assert_true(str_split(&rest, ',', &part));
	assert_str(part, "b");
	assert_false(str_split(&rest, ',', &part));
}

static void cutting_stays_inside(void **state)
{
	struct str s = STR("hello");

	assert_str(str_head(s, 99), "hello");
	assert_str(str_skip(s, 99), "");
	assert_str(str_sub(s, 1, 3), "el");
	assert_str(str_sub(s, 3, 1), "");
	assert_int_equal(str_find(s, 'l'), 2);
	assert_int_equal(str_rfind(s, 'l'), 3);
	assert_int_equal(str_find(s, 'z'), 5);
}

static void starts_and_ends(void **state)
{
	assert_true(str_starts(STR("abc"), STR("ab")));
	assert_true(str_starts(STR("abc"), STR("")));
	assert_false(str_starts(STR("ab"), STR("abc")));
	assert_true(str_ends(STR("abc"), STR("bc")));
	assert_false(str_ends(STR("c"), STR("bc")));
}

static const struct {
	const char *a, *b;
	size_t want;
} distances[] = {
	{ "path", "path", 0 },      { "pth", "path", 1 },
	{ "paht", "path", 1 },      { "", "abc", 3 },
	{ "kitten", "sitting", 3 }, { "abc", "xyz", 3 },
};

static void distance_follows_its_table(void **state)
{
	for (size_t i = 0; i < COUNT_OF(distances); i++)
		assert_int_equal(str_distance(str_of(distances[i].a),
					      str_of(distances[i].b), 9),
				 distances[i].want);
	assert_int_equal(str_distance(STR("kitten"), STR("sitting"), 1), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splitting_keeps_empty_parts),
		cmocka_unit_test(cutting_stays_inside),
		cmocka_unit_test(starts_and_ends),
		cmocka_unit_test(distance_follows_its_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
