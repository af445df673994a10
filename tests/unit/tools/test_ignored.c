/*
 * test_ignored.c - the ignore files of a project.
 *
 * A49 C16 C85
 */
#include "../unit.h"

#include "../memory.h"

#include "tools/permissions/ignored.h"

static const struct str root = STR_INIT("/w");

static struct memory project =
	MEMORY({ "/w/.stetignore", STR_INIT("*.gen\nbuild/\n!build/keep\n") },
	       { "/w/src/.stetignore", STR_INIT("# ours\n!fine.gen\n") },
	       { "/w/.claudeignore", STR_INIT("vendor\n") },
	       { "/w/src/.claudeignore", STR_INIT("!*\n") },
	       { "/w/.gitignore", STR_INIT("local\n") });

static const struct {
	const char *path, *key, *want;
	bool git;
} rows[] = {
	{ "/w/a.c", "", "", false },
	{ "/w/a.gen", "", "/w/.stetignore:1", false },
	{ "/w/deep/er/a.gen", "", "/w/.stetignore:1", false },
	{ "/w/src/a.gen", "", "/w/.stetignore:1", false },
	{ "/w/src/fine.gen", "", "", false },
	{ "/w/build/keep", "", "/w/.stetignore:2", false },
	/* also files that do not exist */
	{ "/w/build/new/dir/file", "", "/w/.stetignore:2", false },
	{ "/w/vendor/x.c", "", "/w/.claudeignore:1", false },
	/* one ignore file does not negate another */
	{ "/w/src/b.gen", "", "/w/.stetignore:1", false },
	/* by path or by key */
	{ "/w/link", "/w/a.gen", "/w/.stetignore:1", false },
	{ "/w/build/link", "/w/a.c", "/w/.stetignore:2", false },
	/* .gitignore only when it is asked for */
	{ "/w/local", "", "", false },
	{ "/w/local", "", "/w/.gitignore:1", true },
	/* outside the root */
	{ "/v/a.gen", "", "", false },
};

static void ignore_files_are_read_on_the_way_down(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		struct rules r = { 0 };
		struct action d = { .changes = true };
		struct decision got;

		r.ignore_files = rows[i].git ? ignore_file_names_with_gitignore
					     : ignore_file_names;
		d.tool = tool_named(STR("write_text_file"));
		action_place(&d, str_of(rows[i].path), str_of(rows[i].key),
			     &root, 1, &mem);
		d.ignored = ignored_by(&r, &project.ws, &d, NULL, &mem);
		assert_str(d.ignored, rows[i].want);
		rules_decide(&r, &d, &got);
		assert_int_equal(got.verdict, rows[i].want[0] ? VERDICT_DENY
							      : VERDICT_ALLOW);
		if (rows[i].want[0])
			assert_string_equal(got.reason, "ignored");
	}
}

static enum err unreadable(struct workspace *ws, struct str path, uint64_t max,
			   const struct progress *progress, struct arena *mem,
			   struct snapshot *ret, struct fault *f)
{
	return fail(f, ERR_DENIED, .path = path);
}

static void a_file_that_cannot_be_read_lets_nothing_through(void **state)
{
	static const struct workspace_ops ops = { .load = unreadable };
	struct workspace ws = { &ops, "memory" };
	struct rules r = { .ignore_files = ignore_file_names };
	auto_arena mem = ARENA_INIT;
	struct action d = { 0 };

	action_place(&d, STR("/w/a"), STR(""), &root, 1, &mem);
	assert_str(ignored_by(&r, &ws, &d, NULL, &mem),
		   "the ignore file /w/.stetignore cannot be read");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ignore_files_are_read_on_the_way_down),
		cmocka_unit_test(
			a_file_that_cannot_be_read_lets_nothing_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
