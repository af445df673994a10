/*
 * test_jsdiff.c - the diff of the reference server. What it printed is compared
 * in tests/oracle/filesystem_ref.py; these are the cases that need no Node.
 */
#include "../unit.h"

#include "text/diff/jsdiff.h"

#define HEAD(name)                                                                \
	"Index: " name                                                            \
	"\n===================================================================\n" \
	"--- " name "\toriginal\n+++ " name "\tmodified\n"

static struct str print(const char *old, const char *new, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	jsdiff_print(STR("/f"), str_of(old), str_of(new), mem, &out);
	return arena_copy(mem, buf_str(&out));
}

/* V107: vectors from the package itself. */
static void a_diff_is_printed_as_the_package_does(void **state)
{
	static const struct {
		const char *old, *new, *want;
	} rules[] = {
		{ "a\n", "a\n", HEAD("/f") },
		{ "", "", HEAD("/f") },
		{ "", "a\n", HEAD("/f") "@@ -0,0 +1,1 @@\n+a\n" },
		{ "a", "",
		  HEAD("/f") "@@ -1,1 +0,0 @@\n"
			     "-a\n\\ No newline at end of file\n" },
		{ "a\nb\n", "a\nb",
		  HEAD("/f") "@@ -1,2 +1,2 @@\n a\n-b\n+b\n"
			     "\\ No newline at end of file\n" },
		{ "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n",
		  HEAD("/f") "@@ -2,5 +2,4 @@\n 2\n 3\n 4\n 5\n-6\n" },
		{ "a\nb\nc\nd\n", "e\nb\nb\nd\n",
		  HEAD("/f") "@@ -1,4 +1,4 @@\n-a\n+e\n b\n-c\n+b\n d\n" },
		/* unified.h would add the last of the equal lines */
		{ "x\nx\n", "x\nx\nx\n",
		  HEAD("/f") "@@ -1,2 +1,3 @@\n x\n x\n+x\n" },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_arena mem = ARENA_INIT;

		assert_str(print(rules[i].old, rules[i].new, &mem),
			   rules[i].want);
	}
}

/* V107: eight lines between two changes join their hunks, nine do not. */
static void close_changes_share_a_hunk(void **state)
{
	for (size_t between = 7; between < 11; between++) {
		auto_arena mem = ARENA_INIT;
		auto_buf old = BUF_INIT, new = BUF_INIT;
		size_t hunks = 0;
		struct str got, line;

		for (size_t i = 0; i < between + 2; i++) {
			bool changed = !i || i == between + 1;

			buf_addf(&old, "%zu\n", i);
			buf_addf(&new, "%zu%s\n", i, changed ? "x" : "");
		}
		buf_addc(&old, '\0');
		buf_addc(&new, '\0');
		got = print(buf_str(&old).ptr, buf_str(&new).ptr, &mem);
		while (str_split(&got, '\n', &line))
			hunks += str_starts(line, STR("@@"));
		assert_int_equal(hunks, between > 8 ? 2 : 1);
	}
}

/* Many edits: the lines of both sides are there all the same. */
static void a_long_diff_is_complete(void **state)
{
	enum { LINES = JSDIFF_MOST_EDITS };
	auto_arena mem = ARENA_INIT;
	auto_buf old = BUF_INIT, new = BUF_INIT;
	size_t added = 0, removed = 0;
	struct str got, line;

	for (size_t i = 0; i < LINES; i++) {
		buf_addf(&old, "old %zu\n", i);
		buf_addf(&new, "new %zu\n", i);
	}
	buf_addc(&old, '\0');
	buf_addc(&new, '\0');
	got = print(buf_str(&old).ptr, buf_str(&new).ptr, &mem);
	while (str_split(&got, '\n', &line)) {
		added += str_starts(line, STR("+new"));
		removed += str_starts(line, STR("-old"));
	}
	assert_int_equal(added, LINES);
	assert_int_equal(removed, LINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_diff_is_printed_as_the_package_does),
		cmocka_unit_test(close_changes_share_a_hunk),
		cmocka_unit_test(a_long_diff_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
