/*
 * test_query.c - parameters of a query string: decoded, in range, or refused.
 */
#include "../unit.h"

#include "web/query.h"

static void texts_are_decoded(void **state)
{
	static const struct {
		const char *query, *name, *want;
	} rows[] = {
		{ "", "a", "" },
		{ "a=1&b=2", "b", "2" },
		{ "a=1&a=2", "a", "1" },
		{ "a", "a", "" },
		{ "ab=1", "a", "" },
		{ "q=a%20b+c%2fd%C3%A4", "q", "a b c/d\xc3\xa4" },
		{ "q=%", "q", "%" },
		{ "q=%4", "q", "%4" },
		{ "q=%zz%41", "q", "%zzA" },
		{ "q=a=b", "q", "a=b" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;

		assert_str(query_text(str_of(rows[i].query), rows[i].name,
				      &mem),
			   rows[i].want);
	}
}

static void numbers_are_numbers(void **state)
{
	static const struct {
		const char *query;
		bool fine;
		uint64_t want;
	} rows[] = {
		{ "", true, 7 },       { "n=", true, 7 },
		{ "n=0", true, 0 },    { "n=100", true, 100 },
		{ "n=101", false, 0 }, { "n=-1", false, 0 },
		{ "n=1x", false, 0 },  { "n=9999999999999999999", false, 0 },
	};
	uint64_t n;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(query_number(str_of(rows[i].query), "n", 7,
					      100, &n),
				 rows[i].fine);
		if (rows[i].fine)
			assert_int_equal(n, rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_decoded),
		cmocka_unit_test(numbers_are_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
