/*
 * test_collate.c - the order of names in list_directory_with_sizes (F87, D12).
 */
#include "../unit.h"

#include "text/display/collate.h"

/* Each comes before the next. */
static const char *const ascending[] = {
	" a",       "_a",       "-a",
	",a",       ";a",       ":a",
	"!a",       "?a",       ".a",
	"'a",       "\"a",      "(a",
	")a",       "[a",       "]a",
	"{a",       "}a",       "@a",
	"*a",       "\\a",      "&a",
	"#a",       "%a",       "`a",
	"^a",       "+a",       "<a",
	"=a",       ">a",       "|a",
	"~a",       "$a",       "0a",
	"10",       "9",        "a",
	"A",        "a.c",      "A.c",
	"ab",       "aB",       "Ab",
	"AB",       "ac",       "b",
	"B",        "z",        "Z",
	"\xc3\x84", "\xc3\xa4", "\xe2\x82\xac",
};

static void names_are_in_icus_order(void **state)
{
	size_t failed = 0;

	for (size_t i = 0; i < COUNT_OF(ascending); i++)
		for (size_t k = 0; k < COUNT_OF(ascending); k++) {
			int order = collate_names(str_of(ascending[i]),
						  str_of(ascending[k]));

			if ((order > 0) - (order < 0) == (i > k) - (i < k))
				continue;
			print_error("%s and %s\n", ascending[i], ascending[k]);
			failed++;
		}
	assert_int_equal(failed, 0);
}

/* Control characters have no weight; then the bytes decide. */
static void control_characters_count_last(void **state)
{
	assert_true(collate_names(STR("a\x01"), STR("b")) < 0);
	assert_true(collate_names(STR("\x01z"), STR("a")) > 0);
	assert_true(collate_names(STR("\x01"
				      "a"),
				  STR("a")) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_in_icus_order),
		cmocka_unit_test(control_characters_count_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
