/*
 * test_section_apply.c - where hunks go, and what becomes of the text.
 *
 * A row has the text, the lines of an update, and the new text; or how many
 * places there were, when there was not one.
 */
#include "../unit.h"

#include "base/cancel.h"
#include "text/patch/section_apply.h"

#define LDQ "\xe2\x80\x9c"
#define RDQ "\xe2\x80\x9d"
#define APO "\xe2\x80\x99"

enum { NONE = -1 };

static const struct {
	const char *id, *text, *hunks, *want;
	int places; /* 0 = @want; NONE = no place; n = so many */
} rows[] = {
	/* exactly one place */
	{ "", "a\nb\nc\n", "-b\n+x\n", "a\nx\nc\n" },
	{ "", "a\nb\nc\n", " a\n-b\n c\n", "a\nc\n" },
	{ "", "a\nb\nc\n", "-a\n-b\n-c\n", "" },
	{ "", "a\nb\nc\n", "+x\n a\n", "x\na\nb\nc\n" },
	{ "", "a\nb\nc\nd\n", "-a\n+1\n@@\n-d\n+2\n", "1\nb\nc\n2\n" },
	{ "", "aa\na\n", "-a\n+x\n", "aa\nx\n" },
	{ "V34", "a\nb\na\n", "-a\n+x\n", NULL, 2 },
	{ "V34", "a\na\na\n", " a\n-a\n", NULL, 2 },
	{ "", "a\nb\n", "-c\n", NULL, NONE },
	{ "", "", "-c\n", NULL, NONE },
	/* V35: behind the hunk before */
	{ "V35", "a\nb\na\n", "-b\n+x\n@@\n-a\n+y\n", "a\nx\ny\n" },
	{ "V35", "a\nb\n", "-b\n+x\n@@\n-a\n+y\n", NULL, NONE },
	/* V36: what an @@ line leads to */
	{ "V36", "a\nx\nb\nx\n", "@@ b\n-x\n+y\n", "a\nx\nb\ny\n" },
	{ "V36", "a\nx\nx\n", "@@ a\n-x\n+y\n", "a\ny\nx\n" },
	{ "V36", "a\nx\na\nx\n", "@@ a\n-x\n+y\n", NULL, 2 },
	{ "V36", "a\na\nx\n", "@@ a\n-x\n+y\n", "a\na\ny\n" },
	{ "V36", "a\nx\na\n", "@@ a\n-x\n+y\n", "a\ny\na\n" },
	{ "V36", "x\na\n", "@@ a\n-x\n+y\n", NULL, NONE },
	{ "V36", "a\nx\n", "@@ a\n-a\n+y\n", NULL, NONE },
	{ "V36", "  a  \nx\n", "@@ a\n-x\n+y\n", "  a  \ny\n" },
	{ "V36", " a\nx\na\nx\n", "@@ a\n-x\n+y\n", " a\nx\na\ny\n" },
	{ "V36", " a\nx\na \nx\n", "@@ a\n-x\n+y\n", NULL, 2 },
	{ "V36", "ab\nx\n", "@@ a\n-x\n+y\n", NULL, NONE },
	{ "V36", "f\nx\n\nx\ng\nx\n", "@@ f\n-x\n+1\n@@ f\n-x\n+2\n@@ g\n-x\n",
	  "f\n1\n\n2\ng\n" },
	/* V37: several narrow */
	{ "V37", "f\nx\nB\nf\nx\n", "@@ B\n@@ f\n-x\n+y\n", "f\nx\nB\nf\ny\n" },
	{ "V37", "A\nf\nx\nB\nf\nx\n", "@@ A\n@@ f\n-x\n+y\n",
	  "A\nf\ny\nB\nf\nx\n" },
	{ "V37", "A\nf\nx\nA\nf\nx\n", "@@ A\n@@ f\n-x\n+y\n", NULL, 2 },
	{ "V37", "B\nx\nA\nf\n", "@@ A\n@@ f\n-x\n+y\n", NULL, NONE },
	/* V38: the number decides, and does no more */
	{ "V38", "a\na\na\n", "@@ -2,1 +2,1 @@\n-a\n+x\n", "a\nx\na\n" },
	{ "V38", "a\nb\na\n", "@@ -2,1 +2,1 @@\n-a\n+x\n", NULL, 2 },
	{ "V38", "a\nb\n", "@@ -9,1 +9,1 @@\n-a\n+x\n", "x\nb\n" },
	{ "V38", "f\na\nf\na\n", "@@ -4 +4 @@ f\n-a\n+x\n", "f\na\nf\nx\n" },
	/* V39: only added lines */
	{ "V39", "a\nb\n", "+x\n+y\n", "a\nb\nx\ny\n" },
	{ "V39", "a\nb\n", "@@\n+x\n", "a\nb\nx\n" },
	{ "V39", "", "+x\n", "x\n" },
	{ "V39", "a\nb\n", "@@ a\n+x\n", NULL, NONE },
	{ "V39", "a\nb\n", "@@ -1,0 +2 @@\n+x\n", NULL, NONE },
	{ "V39", "a\nb\n", "+x\n@@\n-a\n@@\n+y\n", "b\nx\ny\n" },
	/* V40: the end of the file */
	{ "V40", "a\nb\na\n", "-a\n+x\n*** End of File\n", "a\nb\nx\n" },
	{ "V40", "a\nb\n", "-a\n+x\n*** End of File\n", NULL, NONE },
	{ "V40", "a\nb\n", " b\n+x\n*** End of File\n", "a\nb\nx\n" },
	{ "V40", "a\n", "+x\n*** End of File\n", "a\nx\n" },
	/* V41: trailing blanks */
	{ "V41", "a  \nb\n", "-a\n+x\n", "x\nb\n" },
	{ "V41", "a  \nb\n", " a\n-b\n+x\n", "a  \nx\n" },
	{ "V41", "a\nb\n", " a \n-b\t\n+x\n", "a\nx\n" },
	{ "V41", "a \nb\na\n", "-a\n+x\n", "a \nb\nx\n" },
	{ "V41", "a \nb\na  \n", "-a\n+x\n", NULL, 2 },
	{ "V41", "a \n \nb\n", " a\n\n-b\n", "a \n \n" },
	{ "V41", "  \nb\n", " \n", NULL, NONE },
	/* V41: one shift, which the new lines get */
	{ "V41", "\tif (x)\n\t\tf();\n",
	  "     if (x)\n-        f();\n+        g();\n",
	  "\tif (x)\n\t\tg();\n" },
	{ "V41", "\tf();\n", "-f();\n+g();\n+\n+h();\n", "\tg();\n\n\th();\n" },
	{ "V41", "f();\n", "-  f();\n+  g();\n", "g();\n" },
	{ "V41", "f();\n", "-  f();\n+g();\n", NULL, NONE },
	{ "V41", "\tf();\n\tg();\n", "-f();\n- g();\n", NULL, NONE },
	{ "V41", "\tf();\n  f();\n", "-f();\n", NULL, 2 },
	{ "V41", "\tf();", "-f();\n+g();\n", "\tg();" },
	{ "V41", "\tf();\r\n", "-f();\n+g();\n", "\tg();\r\n" },
	{ "V41", "x\n\tf();\nf ();\n\tf();\n", "@@ f ();\n-f();\n+g();\n",
	  "x\n\tf();\nf ();\n\tg();\n" },
	/* V41: quotes, and what is not changed of their line */
	{ "V41", "say(" LDQ "a" RDQ ", 1)\n",
	  "-say(\"a\", 1)\n+say(\"a\", 2)\n", "say(" LDQ "a" RDQ ", 2)\n" },
	{ "V41", "it" APO "s\nb\n", " it's\n-b\n+c\n", "it" APO "s\nc\n" },
	{ "V41", "it's\n", "-it" APO "s\n+it" APO "s 2\n", "it's 2\n" },
	/* V42: nothing looser */
	{ "V42", "int  x;\n", "-int x;\n", NULL, NONE },
	{ "V42", "Int x;\n", "-int x;\n", NULL, NONE },
	{ "V42", "a\nb\n", "-a b\n", NULL, NONE },
	{ "V42", "a\n\nb\n", "-a\n-b\n", NULL, NONE },
	/* V43: line endings of the place */
	{ "V43", "a\r\nb\r\n", "-a\n+x\n+y\n", "x\r\ny\r\nb\r\n" },
	{ "V43", "a\r\nb\nc\n", " a\n+x\n b\n+y\n", "a\r\nx\r\nb\ny\nc\n" },
	{ "V43", "a\nb\r\nc\n", "-a\n-b\n+x\n+y\n+z\n", "x\ny\r\nz\r\nc\n" },
	{ "V43", "a\r\nb\n", "+x\n a\n", "x\r\na\r\nb\n" },
	{ "V43", "a\rb\n", "-a\n+x\n", NULL, NONE },
	{ "V43", "a\rb\nc\n", "-c\n+x\n", "a\rb\nx\n" },
	{ "V43", "a\r\nb", " b\n+x\n", "a\r\nb\r\nx\r\n" },
	/* V44: the final newline */
	{ "V44", "a\nb", "-b\n+x\n", "a\nx" },
	{ "V44", "a\nb", "-a\n+x\n", "x\nb" },
	{ "V44", "a\nb", "-b\n+x\n+y\n", "a\nx\ny\n" },
	{ "V44", "a\nb", "-b\n+x\n+b\n", "a\nx\nb" },
	{ "V44", "a\nb", "-a\n-b\n+x\n", "x" },
	{ "V44", "a\nb", "-b\n", "a\n" },
	{ "V44", "a\nb", " b\n+x\n", "a\nb\nx\n" },
	{ "V44", "a\nb", "+x\n", "a\nb\nx\n" },
	{ "V44", "a", "-a\n+x\n@@\n+y\n", "x\ny\n" },
};

static void update_of(const char *hunks, struct arena *mem,
		      struct changeset *ret)
{
	struct fault f = { 0 };
	struct str text = arena_printf(
		mem, "*** Begin Patch\n*** Update File: a\n%s*** End Patch\n",
		hunks);

	assert_int_equal(changeset_parse(text, mem, ret, &f), ERR_OK);
}

static void check_row(size_t i)
{
	auto_arena mem = ARENA_INIT;
	struct changeset set;
	struct section_applied done;
	struct hunk_failure why = { 0 };
	struct fault f = { 0 };
	enum err e;

	update_of(rows[i].hunks, &mem, &set);
	e = section_apply(str_of(rows[i].text), set.sections,
			  /* crlf= */ false, &mem, &done, &why, &f);
	if (!rows[i].places) {
		assert_int_equal(e, ERR_OK);
		assert_str(done.text, rows[i].want);
		return;
	}
	assert_true(why.hunk && why.line && why.hint);
	assert_int_equal(why.places,
			 rows[i].places == NONE ? 0 : rows[i].places);
	assert_int_equal(e, why.places ? ERR_MANY_PLACES : ERR_NO_PLACE);
}

static void hunks_go_where_the_rules_say(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		print_message("# row %zu %s\n", i, rows[i].id);
		check_row(i);
	}
}

/* The rule that placed the hunk is told. */
static void the_rule_is_told(void **state)
{
	static const struct {
		const char *text;
		enum lenient_rule rule;
	} texts[] = {
		{ "f('a')\n", LENIENT_NONE },
		{ "f('a') \n", LENIENT_TRAILING },
		{ "\tf('a')\n", LENIENT_INDENT },
		{ "f(" APO "a')\n", LENIENT_QUOTES },
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		auto_arena mem = ARENA_INIT;
		struct changeset set;
		struct section_applied done;
		struct hunk_failure why;
		struct fault f = { 0 };

		update_of("-f('a')\n+g\n", &mem, &set);
		assert_int_equal(section_apply(str_of(texts[i].text),
					       set.sections, false, &mem, &done,
					       &why, &f),
				 ERR_OK);
		assert_int_equal(done.rules[0], texts[i].rule);
		assert_int_equal(done.line, 1);
	}
}

/* V34, V42: places are told apart, and the nearest has its difference. */
static void failures_name_places(void **state)
{
	static const struct {
		const char *text, *hunks;
		size_t count, line, other; /* the first two candidates */
		const char *differs;
	} rows_why[] = {
		{ "one\n x\ntwo\n x\n", "- x\n", 2, 2, 4, "one" },
		{ "one\n\tcount = 1;\n", "-\tcounts = 1;\n", 1, 2, 0, "" },
		{ "void first_one(void)\nx\n", "@@ void first_on(void)\n-x\n",
		  1, 1, 0, "" },
		{ "aaa\nbbb\n", "-bbb\n@@\n-aaa\n", 1, 1, 0, "" },
	};

	for (size_t i = 0; i < COUNT_OF(rows_why); i++) {
		auto_arena mem = ARENA_INIT;
		struct changeset set;
		struct section_applied done;
		struct hunk_failure why;
		struct fault f = { 0 };

		update_of(rows_why[i].hunks, &mem, &set);
		assert_true(section_apply(str_of(rows_why[i].text),
					  set.sections, false, &mem, &done,
					  &why, &f));
		print_message("# row %zu\n", i);
		assert_int_equal(why.count, rows_why[i].count);
		assert_int_equal(why.candidates[0].line, rows_why[i].line);
		if (why.count > 1)
			assert_int_equal(why.candidates[1].line,
					 rows_why[i].other);
		assert_non_null(
			strstr(arena_cstr(&mem, why.candidates[0].differs),
			       rows_why[i].differs));
	}
}

/* Hunks for a text, made from patterns in which # is a number. */
static const struct {
	const char *says;
	const char *line, *hunk;
	size_t every; /* lines from one hunk to the next */
} long_patches[] = {
	{ "old lines that are there once", "line #\n", "@@\n-line #\n+x\n", 4 },
	{ "old lines behind an @@ line", "f #\n{\n\tx;\n}\n",
	  "@@ f #\n {\n-\tx;\n+\ty;\n }\n", 1 },
	{ "line numbers in a text of equal lines", "x\n",
	  "@@ -# +# @@\n-x\n+y\n", 4 },
	{ "the last lines of it", "f #\n}\n", "@@ f #\n-}\n+{\n", 1 },
};

enum { LONG_LINES = 100 * 1000, LONG_HUNKS = 2000 };

static struct str repeated(const char *pattern, size_t n, size_t every,
			   struct arena *mem)
{
	auto_buf out = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		for (const char *c = pattern; *c; c++) {
			if (*c == '#')
				buf_addf(&out, "%zu", i * every + 1);
			else
				buf_addc(&out, *c);
		}
	}
	return arena_copy(mem, buf_str(&out));
}

struct polls {
	size_t count, most;
};

static bool count_poll(void *ctx)
{
	struct polls *p = ctx;

	return ++p->count > p->most;
}

static enum err apply_long(size_t i, struct polls *polls)
{
	auto_arena mem = ARENA_INIT;
	struct str text = repeated(long_patches[i].line, LONG_LINES, 1, &mem);
	struct str hunks = repeated(long_patches[i].hunk, LONG_HUNKS,
				    long_patches[i].every, &mem);
	struct changeset set;
	struct section_applied done;
	struct hunk_failure why;
	struct fault f = { 0 };

	update_of(arena_cstr(&mem, hunks), &mem, &set);
	cancel_begin(count_poll, polls);
	return section_apply(text, set.sections, false, &mem, &done, &why, &f);
}

/* A loop polls about every CANCEL_STRIDE lines that it compares. */
static void many_hunks_cost_about_one_pass(void **state)
{
	for (size_t i = 0; i < COUNT_OF(long_patches); i++) {
		struct polls polls = { .most = SIZE_MAX };

		print_message("# %s\n", long_patches[i].says);
		assert_int_equal(apply_long(i, &polls), ERR_OK);
		cancel_end();
		assert_true(polls.count <= 8 * LONG_LINES / CANCEL_STRIDE + 1);
	}
}

/* No hunk is at one place only: each search goes on to the end of the text. */
static void a_search_for_hunks_can_be_cancelled(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf hunks = BUF_INIT;
	struct str text = repeated("a\nb\n", LONG_LINES, 1, &mem);
	struct polls polls = { .most = 2 };
	struct changeset set;
	struct section_applied done;
	struct hunk_failure why;
	struct fault f = { 0 };

	for (size_t i = 0; i < 100; i++)
		buf_addf(&hunks, "@@ -%zu +%zu @@ a\n-b\n+c\n", 2 * i + 2,
			 2 * i + 2);
	update_of(arena_cstr(&mem, buf_str(&hunks)), &mem, &set);
	cancel_begin(count_poll, &polls);
	assert_true(section_apply(text, set.sections, false, &mem, &done, &why,
				  &f));
	assert_true(cancel_seen());
	assert_int_equal(polls.count, 3);
	cancel_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hunks_go_where_the_rules_say),
		cmocka_unit_test(the_rule_is_told),
		cmocka_unit_test(failures_name_places),
		cmocka_unit_test(many_hunks_cost_about_one_pass),
		cmocka_unit_test(a_search_for_hunks_can_be_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
