/*
 * test_eol.c - detection and conversion of line endings.
 */
#include "../unit.h"

#include "text/lines/eol.h"
#include "text/lines/kernels.h"

static const struct {
	const char *text;
	enum eol eol;
	const char *name, *crlf, *lf;
} rows[] = {
	{ "", EOL_NONE, "none", "", "" },
	{ "a", EOL_NONE, "none", "a", "a" },
	{ "a\rb", EOL_NONE, "none", "a\rb", "a\rb" },
	{ "a\n", EOL_LF, "lf", "a\r\n", "a\n" },
	{ "a\r\n", EOL_CRLF, "crlf", "a\r\n", "a\n" },
	{ "a\r\nb", EOL_CRLF, "crlf", "a\r\nb", "a\nb" },
	{ "a\r\nb\n", EOL_MIXED, "mixed", "a\r\nb\r\n", "a\nb\n" },
	{ "\n\r\n\n", EOL_MIXED, "mixed", "\r\n\r\n\r\n", "\n\n\n" },
	{ "a\r\r\nb\rc\r\n", EOL_CRLF, "crlf", "a\r\r\nb\rc\r\n",
	  "a\r\nb\rc\n" },
	{ "\n\n", EOL_LF, "lf", "\r\n\r\n", "\n\n" },
	{ "\n\r", EOL_LF, "lf", "\r\n\r", "\n\r" },
	{ "one\ntwo\nthree", EOL_LF, "lf", "one\r\ntwo\r\nthree",
	  "one\ntwo\nthree" },
};

/* A10 A47 C45 C46 C47: a CR alone is data. */
static void line_endings_follow_their_table(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str text = str_of(rows[i].text);

		assert_int_equal(eol_of(text), rows[i].eol);
		assert_string_equal(eol_name(eol_of(text)), rows[i].name);
		assert_str(eol_to_crlf(text, &mem), rows[i].crlf);
		assert_str(eol_to_lf(text, &mem), rows[i].lf);
	}
	assert_int_equal(eol_of((struct str){ NULL, 0 }), EOL_NONE);
}

/* CR and LF of a pair in two blocks of a kernel. */
static void each_kernel_counts_pairs_anywhere(void **state)
{
	const struct kernels *all[2];
	size_t sets = kernels_all(all);
	char text[400];

	for (size_t step = 2; step < 70; step++) {
		for (size_t len = 0; len < sizeof(text); len += 7) {
			size_t want = 0;

			for (size_t i = 0; i < sizeof(text); i++)
				text[i] = i % step == 1   ? '\n'
					  : i % step == 0 ? '\r'
							  : 'x';
			for (size_t i = 0; i + 1 < len; i++)
				want += text[i] == '\r' && text[i + 1] == '\n';
			for (size_t s = 0; s < sets; s++)
				assert_int_equal(all[s]->count_pair(text, len,
								    '\r', '\n'),
						 want);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_endings_follow_their_table),
		cmocka_unit_test(each_kernel_counts_pairs_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
