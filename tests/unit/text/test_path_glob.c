/*
 * test_path_glob.c - globs as the reference filesystem server reads them, and
 * what is refused.
 */
#include "../unit.h"

#include "text/pattern/path_glob.h"

static const struct {
	const char *pattern, *path;
	bool want;
} rules[] = {
	{ "a.c", "a.c", true },
	{ "a.c", "src/a.c", false },
	{ "*.c", "a.c", true },
	{ "*.c", ".c", true },
	{ "*.c", "src/a.c", false },
	{ "*", ".git", true },
	{ "*", "a/b", false },
	{ "?", "\xc3\xa9", true }, /* one character, not one byte */
	{ "?", "ab", false },
	{ "**", "a", true },
	{ "**", "a/b/.c", true },
	{ "**/*.c", "a.c", true },
	{ "**/*.c", "x/y/a.c", true },
	{ "a/**", "a", false },
	{ "a/**", "a/b/c", true },
	{ "a/**/b", "a/b", true },
	{ "a/**/b", "a/x/y/b", true },
	{ "a/**/b", "a/x/y/c", false },
	{ "**/a/**/b", "x/a/y/a/b", true },
	{ "a**b", "axb", true },
	{ "a**b", "a/b", false },
	{ "[ab]", "b", true },
	{ "[!ab]", "b", false },
	{ "[^ab]", "c", true },
	{ "[]a]", "]", true },
	{ "[a-]", "-", true },
	{ "[b-a]", "a", false },
	{ "[a/b]", "a", false },
	{ "[a", "[a", true },
	{ "[[:alpha:]][[:digit:]]", "x1", true },
	{ "[[:upper:]]", "a", false },
	{ "[[:punct:]]", "$", false },
	{ "[[:word:]]", "_", true },
	{ "*.{js,ts}", "a.ts", true },
	{ "{src,lib}/*.c", "lib/a.c", true },
	{ "x{1..3}", "x2", true },
	{ "x{1..3}", "x4", false },
	{ "x{01..10}", "x07", true },
	{ "{a..c}", "b", true },
	{ "{a}", "{a}", true },
	{ "{a,{b,c}}", "c", true },
	{ "${a,b}", "${a,b}", true },
	{ "\\*", "*", true },
	{ "\\*", "a", false },
	{ "\\{a,b\\}", "{a,b}", true },
	{ "!*.c", "a.c", false },
	{ "!*.c", "a.h", true },
	{ "!!*.c", "a.c", true },
	{ "#a", "#a", false },
	{ "\\#a", "#a", true },
	{ "", "a", false },
	{ "a/../b", "b", true },
	{ "a/", "a", false },
	{ "/a", "a", false },
	{ "./a", "a", false },
	{ "a//b", "a/b", true },
	{ "+(a", "+(a", true }, /* not closed: no extended glob */
	{ "\\+(a)", "+(a)", true },
};

static void patterns_mean_what_they_mean_in_minimatch(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct path_glob glob;
	size_t failed = 0;

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		assert_null(
			path_glob_parse(&mem, str_of(rules[i].pattern), &glob));
		if (path_glob_matches(&glob, str_of(rules[i].path)) ==
		    rules[i].want)
			continue;
		print_error("%s against %s\n", rules[i].pattern, rules[i].path);
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* F91 */
static void extended_globs_are_refused(void **state)
{
	static const char *const extended[] = { "+(a|b)", "x@(a)",  "?(a)b",
						"*(a)",   "!(a|b)", "a/!(b)" };
	auto_arena mem = ARENA_INIT;
	struct path_glob glob;
	const char *why;

	for (size_t i = 0; i < COUNT_OF(extended); i++) {
		why = path_glob_parse(&mem, str_of(extended[i]), &glob);
		assert_non_null(why);
		assert_non_null(strstr(why, "extended"));
	}
}

static void braces_without_end_are_refused(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct path_glob glob;
	struct str long_one = { arena_zero(&mem, 10001, 1), 10001 };

	assert_non_null(path_glob_parse(
		&mem, STR("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"),
		&glob));
	assert_non_null(path_glob_parse(&mem, STR("{1..99999999}"), &glob));
	assert_non_null(path_glob_parse(&mem, long_one, &glob));
}

/* Nothing backtracks over "**": this ends at once, or not in a lifetime. */
static void many_stars_take_no_time(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct path_glob glob;
	static char path[800],
		pattern[] =
			"**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/b";

	for (size_t i = 0; i < sizeof(path) - 2; i += 2) {
		path[i] = 'a';
		path[i + 1] = '/';
	}
	path[sizeof(path) - 2] = 'c';
	assert_null(path_glob_parse(&mem, str_of(pattern), &glob));
	assert_false(path_glob_matches(&glob, str_of(path)));
	path[sizeof(path) - 2] = 'b';
	assert_true(path_glob_matches(&glob, str_of(path)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_mean_what_they_mean_in_minimatch),
		cmocka_unit_test(extended_globs_are_refused),
		cmocka_unit_test(braces_without_end_are_refused),
		cmocka_unit_test(many_stars_take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
