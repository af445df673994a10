/*
 * test_unified.c - unified diffs, printed and measured.
 */
#include "../unit.h"

#include "text/diff/unified.h"
#include "text/lines/lines.h"

/* vector 3: the diff of the first multi_edit case. */
static const char v3_old[] = "[server]\n"
			     "host = \"localhost\"\n"
			     "port = 8080\n"
			     "\n"
			     "[app]\n"
			     "debug = false\n";
static const char v3_new[] = "[server]\n"
			     "host = \"0.0.0.0\"\n"
			     "port = 3000\n"
			     "\n"
			     "[app]\n"
			     "debug = true\n";
static const char v3_diff[] = "--- config.toml\n"
			      "+++ config.toml\n"
			      "@@ -1,6 +1,6 @@\n"
			      " [server]\n"
			      "-host = \"localhost\"\n"
			      "-port = 8080\n"
			      "+host = \"0.0.0.0\"\n"
			      "+port = 3000\n"
			      " \n"
			      " [app]\n"
			      "-debug = false\n"
			      "+debug = true\n";

/* Every case is printed and measured. */
static void assert_measure(const struct diff *d, const char *name,
			   size_t context, struct str printed)
{
	size_t added = 0, removed = 0;
	struct unified_size size;

	unified_measure(d, str_of(name), context, &size);
	assert_int_equal(size.bytes, printed.len);
	assert_int_equal(size.lines, lines_count(printed));
	for (size_t i = 0; i < d->count; i++) {
		added += d->changes[i].b_count;
		removed += d->changes[i].a_count;
	}
	assert_int_equal(size.added, added);
	assert_int_equal(size.removed, removed);
}

static void assert_diff(const char *name, const char *old, const char *new,
			size_t context, const char *want)
{
	auto_arena mem = ARENA_INIT;
	auto_buf out = BUF_INIT;
	struct diff d;

	diff_texts(str_of(old), str_of(new), &mem, &d);
	unified_print(&d, str_of(name), context, &out);
	assert_str(buf_str(&out), want);
	assert_measure(&d, name, context, buf_str(&out));
}

/* M10 M55 M56 A24 A25 A26, vector 3: the whole text. */
static void the_config_example_is_printed_to_the_byte(void **state)
{
	assert_diff("config.toml", v3_old, v3_new, UNIFIED_CONTEXT, v3_diff);
}

/* M57 A27, vector 4: both sides without a newline at the end. */
static void the_example_without_newlines_is_printed_to_the_byte(void **state)
{
	assert_diff("file.txt", "AAA", "CCC", UNIFIED_CONTEXT,
		    "--- file.txt\n"
		    "+++ file.txt\n"
		    "@@ -1,1 +1,1 @@\n"
		    "-AAA\n"
		    "\\ No newline at end of file\n"
		    "+CCC\n"
		    "\\ No newline at end of file\n");
}

/* M65 A32: edits that cancel out leave no diff, not even a header. */
static void equal_texts_print_nothing(void **state)
{
	static const char *const texts[] = { "", "a", "a\n", v3_old };

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_diff("x", texts[i], texts[i], 3, "");
}

/* M56 M57 A25 A27, vector 6: what follows the two header lines. */
static void hunks_are_printed_by_the_rules(void **state)
{
	static const struct {
		const char *old, *new;
		size_t context;
		const char *want;
	} rules[] = {
		{ "", "x\n", 3, "@@ -0,0 +1,1 @@\n+x\n" },
		{ "x\n", "", 3, "@@ -1,1 +0,0 @@\n-x\n" },
		{ "a\nb\n", "a\nx\nb\n", 0, "@@ -1,0 +2,1 @@\n+x\n" },
		{ "a\nx\nb\n", "a\nb\n", 0, "@@ -2,1 +1,0 @@\n-x\n" },
		{ "a", "a\n", 3,
		  "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n" },
		{ "a\n", "a", 3,
		  "@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n" },
		/* a last line that stays has one mark */
		{ "a\nz", "b\nz", 3,
		  "@@ -1,2 +1,2 @@\n-a\n+b\n z\n"
		  "\\ No newline at end of file\n" },
		/* and out of the context none */
		{ "a\n1\n2\nz", "b\n1\n2\nz", 2,
		  "@@ -1,3 +1,3 @@\n-a\n+b\n 1\n 2\n" },
		/* six lines between: one hunk; seven: two */
		{ "a\n1\n2\n3\n4\n5\n6\nz\n", "b\n1\n2\n3\n4\n5\n6\ny\n", 3,
		  "@@ -1,8 +1,8 @@\n-a\n+b\n 1\n 2\n 3\n 4\n 5\n 6\n-z\n+y\n" },
		{ "a\n1\n2\n3\n4\n5\n6\n7\nz\n", "b\n1\n2\n3\n4\n5\n6\n7\ny\n",
		  3,
		  "@@ -1,4 +1,4 @@\n-a\n+b\n 1\n 2\n 3\n"
		  "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-z\n+y\n" },
		/* the second hunk is shifted by what the first one added */
		{ "1\n2\n3\n4\n5\n6\n", "0\n1\n2\n3\n4\n5\n7\n", 1,
		  "@@ -1,1 +1,2 @@\n+0\n 1\n"
		  "@@ -5,2 +6,2 @@\n 5\n-6\n+7\n" },
		/* CR stays where it was */
		{ "a\r\nb\r\n", "a\r\nc\r\n", 3,
		  "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n" },
		{ "a\r\n", "a\n", 3, "@@ -1,1 +1,1 @@\n-a\r\n+a\n" },
		/* as much context as there is */
		{ "a\nb\nc\n", "a\nx\nc\n", SIZE_MAX,
		  "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n" },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_buf want = BUF_INIT;

		buf_addf(&want, "--- x\n+++ x\n%s%c", rules[i].want, '\0');
		assert_diff("x", rules[i].old, rules[i].new, rules[i].context,
			    want.ptr);
	}
}

/* M56: bytes that are no text are printed all the same. */
static void any_bytes_pass_through(void **state)
{
	static const char want[] = "--- x\n+++ x\n@@ -1,1 +1,1 @@\n"
				   "-a\0\xff\n+\x80\0\n";
	auto_arena mem = ARENA_INIT;
	auto_buf out = BUF_INIT;
	struct diff d;

	diff_texts(STR("a\0\xff\n"), STR("\x80\0\n"), &mem, &d);
	unified_print(&d, STR("x"), 3, &out);
	assert_int_equal(out.len, sizeof(want) - 1);
	assert_memory_equal(out.ptr, want, sizeof(want) - 1);
}

/* M55 A24: the name unquoted, unless it could not be parsed then. */
static void names_are_plain_unless_they_would_break_the_line(void **state)
{
	static const struct {
		const char *name, *shown;
	} rules[] = {
		{ "config.toml", "config.toml" },
		{ "two words", "two words" },
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "a\\b", "a\\b" },
		{ "in\"side", "in\"side" },
		{ "a\nb", "\"a\\012b\"" },
		{ "\"q\\", "\"\\\"q\\\\\"" },
		{ "t\tb\x7f", "\"t\\011b\\177\"" },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_arena mem = ARENA_INIT;
		struct str want =
			arena_printf(&mem,
				     "--- %s\n+++ %s\n@@ -0,0 +1,1 @@\n+x\n",
				     rules[i].shown, rules[i].shown);

		assert_diff(rules[i].name, "", "x\n", 3, want.ptr);
	}
}

static struct unified_hunk *hunks_of(const char *old, const char *new,
				     size_t context, struct arena *mem,
				     size_t *count)
{
	struct diff d;

	diff_texts(str_of(old), str_of(new), mem, &d);
	return unified_hunks(&d, context, mem, count);
}

static void assert_place(const struct unified_hunk *h, size_t old_start,
			 size_t old_count, size_t new_start, size_t new_count)
{
	assert_int_equal(h->old_start, old_start);
	assert_int_equal(h->old_count, old_count);
	assert_int_equal(h->new_start, new_start);
	assert_int_equal(h->new_count, new_count);
}

/* C13 A46, vector 6: an empty side starts at 1. */
static void hunks_say_where_they_are(void **state)
{
	static const struct {
		const char *old, *new;
		size_t want[4];
	} rules[] = {
		{ "", "x\n", { 1, 0, 1, 1 } },
		{ "x\n", "", { 1, 1, 1, 0 } },
		{ "AAA", "CCC", { 1, 1, 1, 1 } },
		{ v3_old, v3_new, { 1, 6, 1, 6 } },
		{ "1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n6\n", { 3, 3, 3, 4 } },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		const size_t *want = rules[i].want;
		auto_arena mem = ARENA_INIT;
		size_t n;
		struct unified_hunk *h =
			hunks_of(rules[i].old, rules[i].new, 3, &mem, &n);

		assert_int_equal(n, 1);
		assert_place(h, want[0], want[1], want[2], want[3]);
	}
}

/* C13 C14 C51 A46: signs, no line endings, the mark as a line of its own. */
static void hunks_have_lines_with_their_sign(void **state)
{
	static const char *const want[] = { " a",
					    "-b\r",
					    "+c",
					    " ",
					    "-d",
					    "+d",
					    "\\ No newline at end of file" };
	auto_arena mem = ARENA_INIT;
	size_t n;
	struct unified_hunk *h =
		hunks_of("a\nb\r\n\nd\n", "a\nc\n\nd", 3, &mem, &n);

	assert_int_equal(n, 1);
	assert_place(h, 1, 4, 1, 4);
	assert_int_equal(h->line_count, COUNT_OF(want));
	for (size_t i = 0; i < COUNT_OF(want); i++)
		assert_str(h->lines[i], want[i]);
}

/* C51 M56: two far apart, each with its own context. */
static void far_changes_are_hunks_of_their_own(void **state)
{
	auto_arena mem = ARENA_INIT;
	size_t n;
	struct unified_hunk *h =
		hunks_of("a\n1\n2\n3\n4\n5\n6\n7\nz\n",
			 "b\nc\n1\n2\n3\n4\n5\n6\n7\n", 3, &mem, &n);

	assert_int_equal(n, 2);
	assert_place(&h[0], 1, 4, 1, 5);
	assert_place(&h[1], 6, 4, 7, 3);
	assert_str(h[1].lines[0], " 5");
	assert_str(h[1].lines[3], "-z");
}

/* A46 M65: identical content is no hunks at all. */
static void equal_texts_have_no_hunks(void **state)
{
	auto_arena mem = ARENA_INIT;
	size_t n = 7;

	(void)hunks_of("a\nb", "a\nb", 3, &mem, &n);
	assert_int_equal(n, 0);
}

static void a_full_buffer_is_left_as_it_is(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf out = BUF_UPTO(40);
	struct diff d;

	diff_texts(str_of(v3_old), str_of(v3_new), &mem, &d);
	unified_print(&d, STR("config.toml"), 3, &out);
	assert_true(out.full);
	assert_in_range(out.len, 0, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_config_example_is_printed_to_the_byte),
		cmocka_unit_test(
			the_example_without_newlines_is_printed_to_the_byte),
		cmocka_unit_test(equal_texts_print_nothing),
		cmocka_unit_test(hunks_are_printed_by_the_rules),
		cmocka_unit_test(any_bytes_pass_through),
		cmocka_unit_test(
			names_are_plain_unless_they_would_break_the_line),
		cmocka_unit_test(hunks_say_where_they_are),
		cmocka_unit_test(hunks_have_lines_with_their_sign),
		cmocka_unit_test(far_changes_are_hunks_of_their_own),
		cmocka_unit_test(equal_texts_have_no_hunks),
		cmocka_unit_test(a_full_buffer_is_left_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
