/*
 * test_number.c - line numbers as cat -n prints them.
 */
#include "../unit.h"

#include "text/lines/number.h"

static const struct {
	const char *text;
	size_t first;
	unsigned width;
	const char *want;
} rows[] = {
	/* vector 5 */
	{ "import { greeting } from './newfile';\n\nconsole.log(greeting);\n",
	  1, 0,
	  "1\timport { greeting } from './newfile';\n2\t\n3\tconsole.log(greeting);\n4\t" },
	{ "", 1, 0, "1\t" },
	{ "\n", 1, 0, "1\t\n2\t" },
	{ "a", 7, 0, "7\ta" },
	{ "a\nb", 9, 0, " 9\ta\n10\tb" },
	{ "a\nb", 99, 6, "    99\ta\n   100\tb" },
	{ "a\r\nb", 1, 3, "  1\ta\r\n  2\tb" },
	{ "a", 1234567, 6, "1234567\ta" },
	{ "a", 0, 0, "0\ta" },
};

/* C43, vector 5: as the seed's function prints it. */
static void numbers_follow_their_table(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_buf out = BUF_INIT;

		buf_lit(&out, ">");
		number_lines(str_of(rows[i].text), rows[i].first, rows[i].width,
			     &out);
		assert_int_equal(out.ptr[0], '>');
		assert_str(str_skip(buf_str(&out), 1), rows[i].want);
	}
}

static void what_does_not_fit_is_not_begun(void **state)
{
	auto_buf out = BUF_UPTO(7);

	number_lines(STR("a\nb"), 1, 0, &out);
	assert_false(out.full);
	assert_str(buf_str(&out), "1\ta\n2\tb");
	number_lines(STR("c"), 3, 0, &out);
	assert_true(out.full);
	assert_str(buf_str(&out), "1\ta\n2\tb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_follow_their_table),
		cmocka_unit_test(what_does_not_fit_is_not_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
