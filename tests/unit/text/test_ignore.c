/*
 * test_ignore.c - A49 C16 C85: gitignore rules, one line for each.
 *
 * tests/oracle/ignore_git.py compares them with git.
 */
#include "../unit.h"

#include "text/pattern/ignore.h"

static const struct {
	const char *text, *path; /* a path with a final / is a directory */
	bool want;
} rules[] = {
	{ "a.log", "a.log", true },
	{ "a.log", "deep/er/a.log", true },
	{ "/a.log", "deep/a.log", false },
	{ "*.log", "x/y.log", true },
	{ "x/*.log", "a/x/y.log", false },
	{ "# x\nx", "# x", false },
	{ "\\#x", "#x", true },
	{ "\\!x", "!x", true },
	{ "*\n!keep", "keep", false },
	{ "*\n!keep", "keep2", true },
	{ "!keep\n*", "keep", true },
	{ "dir/", "dir", false },
	{ "dir/", "dir/", true },
	{ "dir/", "a/dir/file", true },
	{ "a/**/b", "a/b", true },
	{ "a/**/b", "a/x/y/b", true },
	{ "**/b", "x/b", true },
	{ "a/**", "a/x/y", true },
	{ "a/**", "a/", false },
	{ "x ", "x", true },
	{ "x\\ ", "x ", true },
	{ "x\r\ny\r\n", "x", true },
	{ "\xef\xbb\xbfx", "x", true },
	{ "\n\n\nx", "x", true },
	{ "", "x", false },
	{ "X", "x", false },
	{ "[a-c]1", "b1", true },
	{ "[a", "[a", false },
	/* no re-inclusion beneath an excluded directory */
	{ "dir/\n!dir/keep", "dir/keep", true },
	{ "dir/*\n!dir/keep", "dir/keep", false },
	{ "dir\n!dir/sub/\n!dir/sub/keep", "dir/sub/keep", true },
};

static struct str without_slash(const char *path, bool *is_dir)
{
	struct str s = str_of(path);

	*is_dir = str_ends(s, STR("/"));
	return str_head(s, s.len - *is_dir);
}

static void lines_mean_what_git_says_they_mean(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_arena mem = ARENA_INIT;
		struct ignore_list list = { 0 };
		bool is_dir, got;
		struct str path = without_slash(rules[i].path, &is_dir);

		ignore_parse(str_of(rules[i].text), &mem, &list);
		got = ignore_decide(&list, 1, path, is_dir, NULL);
		if (got != rules[i].want)
			print_message("# row %zu\n", i);
		assert_int_equal(got, rules[i].want);
	}
}

static void the_nearer_list_wins_and_says_where(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct ignore_list lists[] = { { .dir = STR("") },
				       { .dir = STR("a") },
				       { .dir = STR("a/b") } };
	struct ignore_cause cause;

	ignore_parse(STR("*.o\n"), &mem, &lists[0]);
	ignore_parse(STR("\n!x.o\n/y\n"), &mem, &lists[1]);
	ignore_parse(STR("x.o\n"), &mem, &lists[2]);
	assert_false(ignore_decide(lists, 3, STR("a/x.o"), false, &cause));
	assert_ptr_equal(cause.list, &lists[1]);
	assert_int_equal(cause.rule->line, 2);
	assert_true(ignore_decide(lists, 3, STR("a/b/x.o"), false, &cause));
	assert_ptr_equal(cause.list, &lists[2]);
	assert_true(ignore_decide(lists, 3, STR("x.o"), false, &cause));
	assert_true(ignore_decide(lists, 3, STR("a/y"), false, &cause));
	assert_int_equal(cause.rule->line, 3);
	assert_false(ignore_decide(lists, 3, STR("y"), false, &cause));
	assert_null(cause.rule);
	assert_false(ignore_decide(lists, 3, STR("ab/y"), false, &cause));
	assert_false(ignore_decide(lists, 3, STR(""), true, &cause));
}

/* C16: over the step limit a path is excluded, whatever "!" says. */
static void what_takes_too_long_is_left_out(void **state)
{
	static const struct {
		const char *text, *path;
		uint64_t steps;
		bool want, exhausted;
	} rows[] = {
		{ "!*a*a*a*a*b\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaa", 10, true,
		  true },
		{ "!*a*a*a*a*b\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaa", 5000, false,
		  false },
		{ "x\ny\nz\n", "a/b/c", 8, true, true },
		{ "x\ny\nz\n", "a/b/c", 9, false, false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		struct ignore_list list = { 0 };
		struct glob_budget budget = { .steps = rows[i].steps };
		struct ignore_cause cause;

		ignore_parse(str_of(rows[i].text), &mem, &list);
		assert_int_equal(ignore_decide_within(&list, 1,
						      str_of(rows[i].path),
						      false, &budget, &cause),
				 rows[i].want);
		assert_int_equal(budget.exhausted, rows[i].exhausted);
		if (budget.exhausted)
			assert_non_null(cause.rule);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_mean_what_git_says_they_mean),
		cmocka_unit_test(the_nearer_list_wins_and_says_where),
		cmocka_unit_test(what_takes_too_long_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
