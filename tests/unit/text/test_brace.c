/*
 * test_brace.c - brace expansion.
 */
#include "../unit.h"

#include "text/pattern/brace.h"

static const struct {
	const char *pattern, *want; /* joined by blanks */
} rules[] = {
	{ "a", "a" },
	{ "a{b,c}d", "abd acd" },
	{ "{a,b{1,2}}x", "ax b1x b2x" },
	{ "{a,b}{1,2}", "a1 a2 b1 b2" },
	{ "{,a}b", "b ab" },
	{ "{1..3}", "1 2 3" },
	{ "{3..1}", "3 2 1" },
	{ "{1..9..3}", "1 4 7" },
	{ "{08..10}", "08 09 10" },
	{ "{-1..1}", "-1 0 1" },
	{ "{a..e..2}", "a c e" },
	{ "{a}", "{a}" },
	{ "{}", "{}" },
	{ "{1..}", "{1..}" },
	{ "{a,b", "{a,b" },
	{ "a,b}", "a,b}" },
	{ "{x{a,b}", "{xa {xb" },
	{ "{{a,b}}", "{a} {b}" },
	{ "${a,b}", "${a,b}" },
	{ "\\{a,b\\}", "\\{a,b\\}" },
	{ "{a\\,b,c}", "a\\,b c" },
};

static void braces_expand_from_left_to_right(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str *made, joined;
	size_t n;

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		assert_true(brace_expand(&mem, str_of(rules[i].pattern), 10,
					 &made, &n));
		joined = STR("");
		for (size_t k = 0; k < n; k++)
			joined = arena_printf(&mem, STR_FMT "%s" STR_FMT,
					      STR_ARG(joined), k ? " " : "",
					      STR_ARG(made[k]));
		assert_str(joined, rules[i].want);
	}
}

static void expansions_are_bounded(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str *made;
	char deep[201];
	size_t n;

	assert_true(brace_expand(&mem, STR("{a,b}{1,2}"), 4, &made, &n));
	assert_false(brace_expand(&mem, STR("{a,b}{1,2}"), 3, &made, &n));
	assert_false(brace_expand(&mem, STR("{1..1000000}"), 10, &made, &n));
	for (size_t i = 0; i < 100; i++) {
		deep[i] = '{';
		deep[100 + i] = '}';
	}
	deep[99] = ',';
	deep[200] = '\0';
	assert_false(brace_expand(&mem, str_of(deep), 10, &made, &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(braces_expand_from_left_to_right),
		cmocka_unit_test(expansions_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
