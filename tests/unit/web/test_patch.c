/*
 * test_patch.c - a unified diff is parsed; no content of a file is mistaken
 * for its syntax.
 */
#include "../unit.h"

#include "text/diff/unified.h"
#include "web/patch.h"

static const struct {
	const char *diff;
	size_t hunks, added, removed;
	bool cut;
	const char *json; /* NULL = not checked */
} rows[] = {
	{ "", 0, 0, 0, false, "[]" },
	{ "just some text\n@@ -1,1 +1,1 @@\n-a\n+b\n", 0, 0, 0, false, "[]" },
	{ "--- f\n+++ f\n@@ -3,2 +3,3 @@\n a\n-b\n+B\n+c\n", 1, 2, 1, false,
	  "[{\"number\":1,\"header\":\"@@ -3,2 +3,3 @@\",\"old_start\":3,"
	  "\"old_lines\":2,\"new_start\":3,\"new_lines\":3,\"lines\":["
	  "{\"kind\":\" \",\"text\":\"a\",\"old\":3,\"new\":3},"
	  "{\"kind\":\"-\",\"text\":\"b\",\"old\":4},"
	  "{\"kind\":\"+\",\"text\":\"B\",\"new\":4},"
	  "{\"kind\":\"+\",\"text\":\"c\",\"new\":5}]}]" },
	/* a new file, without a newline at its end */
	{ "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n",
	  1, 1, 0, false,
	  "[{\"number\":1,\"header\":\"@@ -0,0 +1,1 @@\",\"old_start\":0,"
	  "\"old_lines\":0,\"new_start\":1,\"new_lines\":1,\"lines\":["
	  "{\"kind\":\"+\",\"text\":\"x\",\"new\":1},"
	  "{\"kind\":\"\\\\\",\"text\":\" No newline at end of file\"}]}]" },
	/* lines that look like heads and names */
	{ "--- f\n+++ f\n@@ -1,2 +1,2 @@\n---- f\n-@@ -1,1 +1,1 @@\n+++ f\n+x\n@@ -9,1 +9,1 @@\n-a\n+b\n",
	  2, 3, 3, false, NULL },
	/* V119: two files; between them one whose diff is left out */
	{ "--- f\n+++ f\n@@ -1,1 +1,1 @@\n--- x\n+++ y\n--- g\n+++ g\n"
	  "(too large to show: 9 lines)\n--- h\n+++ h\n@@ -1,1 +0,0 @@\n-a\n",
	  2, 1, 2, false,
	  "[{\"number\":1,\"file\":\"f\",\"header\":\"@@ -1,1 +1,1 @@\","
	  "\"old_start\":1,\"old_lines\":1,\"new_start\":1,"
	  "\"new_lines\":1,\"lines\":["
	  "{\"kind\":\"-\",\"text\":\"-- x\",\"old\":1},"
	  "{\"kind\":\"+\",\"text\":\"++ y\",\"new\":1}]},"
	  "{\"number\":2,\"file\":\"h\",\"header\":\"@@ -1,1 +0,0 @@\","
	  "\"old_start\":1,\"old_lines\":1,\"new_start\":0,"
	  "\"new_lines\":0,\"lines\":["
	  "{\"kind\":\"-\",\"text\":\"a\",\"old\":1}]}]" },
	/* cut in a line, in a hunk, after one */
	{ "--- f\n+++ f\n@@ -1,2 +1,2 @@\n-a\n-b\n+A\n+B is lo\n... (9 bytes more; all of it: 00)\n",
	  1, 2, 2, false, NULL },
	{ "--- f\n+++ f\n@@ -1,2 +1,2 @@\n-a\n... (9 bytes more; all of it: 00)\n",
	  1, 0, 1, true, NULL },
	{ "--- f\n+++ f\n@@ -1,2 +1,2", 0, 0, 0, false, "[]" },
	{ "--- f", 0, 0, 0, false, "[]" },
	{ "--- f\n+++ f\n@@ -99999999999999999999,1 +1,1 @@\n-a\n+b\n", 0, 0, 0,
	  false, "[]" },
	/* CRLF, and other control characters, which are not changed */
	{ "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\r\n+\xe2\x80\xae"
	  "b\x1b\n",
	  1, 1, 1, false,
	  "[{\"number\":1,\"header\":\"@@ -1,1 +1,1 @@\",\"old_start\":1,"
	  "\"old_lines\":1,\"new_start\":1,\"new_lines\":1,\"lines\":["
	  "{\"kind\":\"-\",\"text\":\"a\\r\",\"old\":1},"
	  "{\"kind\":\"+\",\"text\":\"\xe2\x80\xae"
	  "b\\u001b\",\"new\":1}]}]" },
};

static void each_diff_is_read_so(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf out = BUF_INIT;
		struct json_out o = json_out(&out);
		struct patch p;

		patch_parse(str_of(rows[i].diff), &mem, &p);
		patch_put(&o, &p);
		if (rows[i].json)
			assert_str(buf_str(&out), rows[i].json);
		assert_int_equal(p.count, rows[i].hunks);
		assert_int_equal(p.added, rows[i].added);
		assert_int_equal(p.removed, rows[i].removed);
		assert_int_equal(p.cut, rows[i].cut);
	}
}

/* For any two texts the parsed hunks equal the diff's changes. */
static void it_is_what_was_printed(void **state)
{
	static const char *const texts[] = {
		"",
		"a",
		"a\n",
		"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n",
		"A\nb\nc\nd\ne\nf\ng\nh\ni\nj\nK",
		"@@ -1,1 +1,1 @@\n--- f\n+++ f\n\\ No newline at end of file\n",
		"\n\n\n",
		"b\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n",
	};

	for (size_t i = 0; i < COUNT_OF(texts) * COUNT_OF(texts); i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf out = BUF_INIT;
		struct unified_hunk *want;
		struct diff diff;
		struct patch p;
		size_t n;

		diff_texts(str_of(texts[i / COUNT_OF(texts)]),
			   str_of(texts[i % COUNT_OF(texts)]), &mem, &diff);
		want = unified_hunks(&diff, UNIFIED_CONTEXT, &mem, &n);
		unified_print(&diff, STR("f"), UNIFIED_CONTEXT, &out);
		patch_parse(buf_str(&out), &mem, &p);
		assert_int_equal(p.count, n);
		assert_false(p.cut);
		for (size_t h = 0; h < n; h++) {
			assert_int_equal(p.hunks[h].count, want[h].line_count);
			assert_int_equal(p.hunks[h].old_lines,
					 want[h].old_count);
			assert_int_equal(p.hunks[h].new_lines,
					 want[h].new_count);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_diff_is_read_so),
		cmocka_unit_test(it_is_what_was_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
