/*
 * test_glob.c - glob patterns, and the limits of matching.
 */
#include "../unit.h"

#include "text/pattern/glob.h"

static const struct {
	const char *pattern, *path;
	unsigned flags;
	bool want;
} rules[] = {
	{ "a.c", "a.c", 0, true },
	{ "a.c", "a_c", 0, false },
	{ "*.c", "main.c", 0, true },
	{ "*.c", "src/main.c", 0, false },
	{ "**.c", "src/main.c", 0, true },
	{ "src/**/x", "src/a/b/x", 0, true },
	{ "?", "/", 0, false },
	{ "a?c", "abc", 0, true },
	{ "[a-c]x", "bx", 0, true },
	{ "[!a-c]x", "bx", 0, false },
	{ "[^a-c]x", "dx", 0, true },
	{ "[]]", "]", 0, true },
	{ "[]-]", "-", 0, true },
	{ "a[/]b", "a/b", 0, false },
	{ "[ab", "[ab", 0, true },
	{ "\\*", "*", 0, true },
	{ "\\*", "a", 0, false },
	{ "", "", 0, true },
	{ "*", "", 0, true },
	/* braces */
	{ "*.{c,h}", "a.h", GLOB_BRACES, true },
	{ "*.{c,h}", "a.x", GLOB_BRACES, false },
	{ "*.{c,h}", "a.{c,h}", 0, true },
	{ "{a,b{1,2}}x", "b2x", GLOB_BRACES, true },
	{ "{,x}y", "y", GLOB_BRACES, true },
	{ "f{3..12}", "f7", GLOB_BRACES, true },
	{ "f{3..12}", "f13", GLOB_BRACES, false },
	{ "f{3..12}.c", "f12.c", GLOB_BRACES, true },
	{ "{a", "{a", GLOB_BRACES, true },
	{ "{**/x,y}", "a/b/x", GLOB_BRACES | GLOB_GIT, true },
	{ "{{**/x,z},y}", "a/b/x", GLOB_BRACES | GLOB_GIT, true },
	{ "a{**/x,y}", "a/b/x", GLOB_BRACES | GLOB_GIT, false },
	{ "a{**/x,y}", "ab/x", GLOB_BRACES | GLOB_GIT, true },
	{ "a/{**/x,y}", "a/b/c/x", GLOB_BRACES | GLOB_GIT, true },
	/* git */
	{ "a/**/b", "a/b", GLOB_GIT, true },
	{ "a/**/b", "a/x/y/b", GLOB_GIT, true },
	{ "a/**/b", "a/xb", GLOB_GIT, false },
	{ "**/b", "b", GLOB_GIT, true },
	{ "**/b", "x/y/b", GLOB_GIT, true },
	{ "a/**", "a/x/y", GLOB_GIT, true },
	{ "a/**", "a/", GLOB_GIT, true },
	{ "***/b", "x/y/b", GLOB_GIT, true },
	{ "a**b", "axb", GLOB_GIT, true },
	{ "a**b", "a/b", GLOB_GIT, false },
	{ "[ab", "[ab", GLOB_GIT, false },
	{ "[[:alpha:]]x", "bx", GLOB_GIT, true },
	{ "[[:digit:]a-c-]", "-", GLOB_GIT, true },
	{ "[[:nope:]]", "n", GLOB_GIT, false },
	{ "[[:]", ":", GLOB_GIT, true },
	{ "[b-a]", "b", GLOB_GIT, true },
	{ "[b-a]", "a", GLOB_GIT, false },
	{ "a\\", "a\\", GLOB_GIT, false },
	{ "a\\", "a\\", 0, true },
	/* an alternative that never matches does not stop the others */
	{ "*{a*x,b}", "ab", GLOB_BRACES, true },
	/* case */
	{ "*.PEM", "a.pem", GLOB_CASELESS, true },
	{ "*.pem", "A.Pem", GLOB_CASELESS, true },
	{ "[A-C]x", "bX", GLOB_CASELESS, true },
	{ "[a-c]x", "BX", GLOB_CASELESS, true },
	{ "[!a-c]x", "BX", GLOB_CASELESS, false },
	{ "*.PEM", "a.pem", 0, false },
};

static void patterns_fit_as_the_table_says(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		assert_int_equal(glob_match(str_of(rules[i].pattern),
					    str_of(rules[i].path),
					    rules[i].flags),
				 rules[i].want);
	}
}

static void a_pattern_without_a_slash_is_for_the_name(void **state)
{
	assert_true(glob_match_file(STR("*.c"), STR("a/b/x.c"), 0, NULL));
	assert_false(glob_match_file(STR("b/*.c"), STR("a/b/x.c"), 0, NULL));
	assert_true(glob_match_file(STR("a/b/*.c"), STR("a/b/x.c"), 0, NULL));
	assert_true(glob_match_file(STR("/x.c"), STR("x.c"), 0, NULL));
	assert_false(glob_match_file(STR("/x.c"), STR("a/x.c"), 0, NULL));
}

/* Patterns come from a repository: matching is bounded. */
static void hostile_patterns_come_to_an_end(void **state)
{
	char pattern[1000], path[400];

	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = i % 2 ? 'a' : '*';
	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = 'b';
	assert_false(glob_match(str_make(pattern, sizeof(pattern)),
				str_make(path, sizeof(path)), 0));
	/* fail closed: an undecided pattern matches */
	assert_true(glob_match(str_make(pattern, sizeof(pattern)),
			       str_make(path, sizeof(path)), GLOB_FAIL_CLOSED));
	memset(pattern, '{', sizeof(pattern));
	assert_false(glob_match(str_make(pattern, sizeof(pattern)),
				str_make(path, sizeof(path)), GLOB_BRACES));
}

/* Stars do not multiply the work: nine over a long name are decided. */
static void many_stars_are_decided(void **state)
{
	char path[255];

	memset(path, 'a', sizeof(path));
	assert_false(glob_match(STR("*a*a*a*a*a*a*a*a*b"),
				str_make(path, sizeof(path)),
				GLOB_FAIL_CLOSED));
	path[sizeof(path) - 1] = 'b';
	assert_true(glob_match(STR("*a*a*a*a*a*a*a*a*b"),
			       str_make(path, sizeof(path)), 0));
	assert_true(glob_match(STR("**/*a*a*a/**/*b"), STR("x/aaa/y/aaa/z/ab"),
			       GLOB_GIT));
}

static bool stop_now(void *asked)
{
	++*(unsigned *)asked;
	return true;
}

/* Many matches share one budget, and stop() ends them. */
static void many_matches_are_on_one_account(void **state)
{
	struct glob_budget budget = { .steps = 100 * 1000 };
	unsigned asked = 0, matched = 0;
	char path[255];

	memset(path, 'a', sizeof(path));
	while (!budget.exhausted && matched < 1000) {
		(void)glob_match_within(STR("*a*a*a*a*a*a*a*a*b"),
					str_make(path, sizeof(path)), 0,
					&budget);
		matched++;
	}
	assert_true(budget.exhausted);
	assert_int_equal(budget.steps, 0);
	assert_in_range(matched, 2, 999);
	/* the same work for a cancelled call */
	budget = (struct glob_budget){ .steps = 1000 * 1000 * 1000,
				       .stop = stop_now,
				       .ctx = &asked };
	for (matched = 0; !budget.exhausted && matched < 1000; matched++)
		(void)glob_match_within(STR("*a*a*a*a*a*a*a*a*b"),
					str_make(path, sizeof(path)), 0,
					&budget);
	assert_int_equal(asked, 1);
	assert_in_range(matched, 1, 999);
	/* an ordinary pattern takes few steps */
	budget = (struct glob_budget){ .steps = 100 };
	assert_true(glob_match_within(STR("src/*.c"), STR("src/main.c"), 0,
				      &budget));
	assert_false(budget.exhausted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_fit_as_the_table_says),
		cmocka_unit_test(a_pattern_without_a_slash_is_for_the_name),
		cmocka_unit_test(hostile_patterns_come_to_an_end),
		cmocka_unit_test(many_stars_are_decided),
		cmocka_unit_test(many_matches_are_on_one_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
