/*
 * test_changeset.c - reading and printing the format of apply_patch.
 */
#include "../unit.h"

#include "text/patch/changeset.h"

#define BEGIN "*** Begin Patch\n"
#define END   "*** End Patch\n"

static enum err parse(const char *text, struct arena *mem,
		      struct changeset *ret, struct fault *f)
{
	return changeset_parse(str_of(text), mem, ret, f);
}

/* What a patch prints as, after it was read. */
static const struct {
	const char *text, *printed;
} rows[] = {
	{ BEGIN "*** Add File: a b.txt\n+one\n+\n+two\n" END,
	  BEGIN "*** Add File: a b.txt\n+one\n+\n+two\n" END },
	{ BEGIN "*** Add File: empty\n" END,
	  BEGIN "*** Add File: empty\n" END },
	{ BEGIN "*** Delete File: a\n*** Delete File: b\n" END,
	  BEGIN "*** Delete File: a\n*** Delete File: b\n" END },
	{ BEGIN "*** Update File: a\n*** Move to: b\n" END,
	  BEGIN "*** Update File: a\n*** Move to: b\n" END },
	/* the first hunk needs no header */
	{ BEGIN "*** Update File: a\n x\n-y\n+z\n" END,
	  BEGIN "*** Update File: a\n@@\n x\n-y\n+z\n" END },
	{ BEGIN "*** Update File: a\n@@ f\n-y\n@@\n+z\n" END,
	  BEGIN "*** Update File: a\n@@ f\n-y\n@@\n+z\n" END },
	{ BEGIN "*** Update File: a\n-y\n*** End of File\n@@\n+z\n" END,
	  BEGIN "*** Update File: a\n@@\n-y\n*** End of File\n@@\n+z\n" END },
	/* V37: several headers in a row */
	{ BEGIN "*** Update File: a\n@@ class A\n@@ \tf()\n-y\n" END,
	  BEGIN "*** Update File: a\n@@ class A\n@@ \tf()\n-y\n" END },
	/* V38: headers of unified diffs */
	{ BEGIN "*** Update File: a\n@@ -12,3 +14,4 @@\n-y\n" END,
	  BEGIN "*** Update File: a\n@@ -12 +12 @@\n-y\n" END },
	{ BEGIN "*** Update File: a\n@@ -7 +7,0 @@ int f()\n-y\n" END,
	  BEGIN "*** Update File: a\n@@ -7 +7 @@\n@@ int f()\n-y\n" END },
	{ BEGIN "*** Update File: a\n@@ -7 is no number @@\n-y\n" END,
	  BEGIN "*** Update File: a\n@@ -7 is no number @@\n-y\n" END },
	/* an empty line is context, but not before a marker */
	{ BEGIN "*** Update File: a\n@@\n x\n\n-y\n\n*** Delete File: b\n" END,
	  BEGIN "*** Update File: a\n@@\n x\n \n-y\n*** Delete File: b\n" END },
	{ BEGIN "\n*** Add File: a\n+x\n\n*** Delete File: b\n\n" END,
	  BEGIN "*** Add File: a\n+x\n*** Delete File: b\n" END },
	/* V31: blanks, here-documents, fences, CRLF */
	{ "\n  *** Begin Patch \n \t*** Add File:  a \n+x\n  *** End Patch\t\n\n",
	  BEGIN "*** Add File: a\n+x\n" END },
	{ "*** Begin Patch\r\n*** Add File: a\r\n+x\r\n*** End Patch\r\n",
	  BEGIN "*** Add File: a\n+x\n" END },
	{ "<<'EOF'\n" BEGIN "*** Add File: a\n+x\n" END "EOF\n",
	  BEGIN "*** Add File: a\n+x\n" END },
	{ "<<EOF\n" BEGIN "*** Add File: a\n+x\n" END "EOF",
	  BEGIN "*** Add File: a\n+x\n" END },
	{ "apply_patch <<\"PATCH\"\n" BEGIN "*** Add File: a\n+x\n" END
	  "PATCH\n",
	  BEGIN "*** Add File: a\n+x\n" END },
	{ "```diff\n" BEGIN "*** Add File: a\n+```\n" END "```\n",
	  BEGIN "*** Add File: a\n+```\n" END },
	/* markers that are content */
	{ BEGIN "*** Update File: a\n@@\n *** End Patch\n+*** x\n" END,
	  BEGIN "*** Update File: a\n@@\n *** End Patch\n+*** x\n" END },
};

static void reads_what_it_should(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf out = BUF_INIT;
		struct changeset set;
		struct fault f = { 0 };

		print_message("# row %zu\n", i);
		assert_int_equal(parse(rows[i].text, &mem, &set, &f), ERR_OK);
		changeset_print(&set, &out);
		assert_str(buf_str(&out), rows[i].printed);
	}
}

#define AT4 "@@ a\n@@ a\n@@ a\n@@ a\n"

/* V32, V33: the line of the patch, and a word of what is wrong with it. */
static const struct {
	const char *text;
	int line;
	const char *word;
} wrong[] = {
	{ "", 1, "empty" },
	{ "\n \n", 1, "empty" },
	{ "bad\n*** End Patch", 1, "Begin Patch" },
	{ "\n\nbad\n" BEGIN END, 3, "Begin Patch" },
	{ BEGIN "*** Add File: a\n+x\nbad", 4, "End Patch" },
	{ BEGIN, 1, "End Patch" },
	{ BEGIN END, 2, "changes nothing" },
	{ BEGIN END "more\n", 3, "End Patch" },
	{ BEGIN "*** Frobnicate File: a\n" END, 2, "Add File" },
	{ BEGIN "*** Add File: a\nx\n" END, 3, "Add File" },
	{ BEGIN "*** Add File: \n+x\n" END, 2, "path" },
	{ BEGIN "*** Update File: a\n*** Move to:\n-x\n" END, 3, "path" },
	{ BEGIN "*** Update File: a\n" END, 2, "without a hunk" },
	{ BEGIN "*** Update File: a\n@@\n" END, 3, "without lines" },
	{ BEGIN "*** Update File: a\n@@\n\n" END, 3, "without lines" },
	{ BEGIN "*** Update File: a\n@@ f\n@@ g\n*** End of File\n" END, 3,
	  "without lines" },
	{ BEGIN "*** Update File: a\n" AT4 AT4 AT4 AT4 "@@ b\n-x\n" END, 19,
	  "at most 16" },
	{ BEGIN "*** Update File: a\n@@\n-x\nstray\n" END, 5, "'@@'" },
	{ BEGIN "*** Update File: a\n@@\nstray\n" END, 4, "blank" },
	{ BEGIN "*** Update File: a\nstray\n" END, 3, "blank" },
	{ BEGIN "*** Update File: a\n-x\n*** End of File\n+x\n" END, 5,
	  "'@@'" },
	{ BEGIN "*** Update File: a\n-x\n*** Move to: b\n" END, 4, "Add File" },
	{ BEGIN "*** Environment ID: 7\n*** Delete File: a\n" END, 2,
	  "machine" },
	{ "<<EOF\n" BEGIN "*** Delete File: a\n" END, 4, "first line" },
	{ "```\n*** Delete File: a\n```\n", 2, "Begin Patch" },
};

static void names_the_line_that_is_wrong(void **state)
{
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		auto_arena mem = ARENA_INIT;
		struct changeset set;
		struct fault f = { 0 };

		assert_int_equal(parse(wrong[i].text, &mem, &set, &f),
				 ERR_BAD_PATCH);
		print_message("# row %zu: %s\n", i, arena_cstr(&mem, f.text));
		assert_int_equal(f.number, wrong[i].line);
		assert_non_null(
			strstr(arena_cstr(&mem, f.text), wrong[i].word));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_it_should),
		cmocka_unit_test(names_the_line_that_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
