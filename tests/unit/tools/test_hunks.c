/*
 * test_hunks.c - which hunks of a change can be chosen, and the content they
 * result in.
 */
#include "../unit.h"

#include "text/lines/lines.h"
#include "tools/change/hunks.h"

#include <stdlib.h>

/* A change as the gate prepares it. */
static struct hunk_set cut_of(struct str before, struct str after,
			      const char *encoding, struct arena *mem)
{
	struct hunk_set cut = { .before = before, .after = after };
	struct display as = { .named = true };
	struct str old, new;

	if (encoding)
		cut.written = as.written = encoding_named(str_of(encoding));
	if (!encoding_display_text(before, before, &as, mem, &old))
		old = STR("(not text)\n");
	if (!encoding_display_text(after, before, &as, mem, &new))
		new = STR("(not text)\n");
	diff_texts(old, new, mem, &cut.diff);
	return cut;
}

#define MID "1\n2\n3\n4\n5\n6\n7\n"
#define CR  "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n"

static const struct {
	const char *before, *after;
	size_t parts;
	const char *hunks, *want;
} rules[] = {
	{ "a\n" MID "b\n", "A\n" MID "B\n", 2, "1", "A\n" MID "b\n" },
	{ "a\n" MID "b\n", "A\n" MID "B\n", 2, "2", "a\n" MID "B\n" },
	{ "a\n" MID "b\n", "A\n" MID "B\n", 2, "2,1", "A\n" MID "B\n" },
	/* lines added and removed at both ends */
	{ "a\n" MID "b\n", MID "b\nc\n", 2, "1", MID "b\n" },
	{ "a\n" MID "b\n", MID "b\nc\n", 2, "2", "a\n" MID "b\nc\n" },
	{ MID "b\n" MID, "x\n" MID MID, 2, "2", MID MID },
	{ MID "b\n" MID, "x\n" MID MID, 2, "1", "x\n" MID "b\n" MID },
	/* no newline at the end: before, after, in both */
	{ "a\n" MID "b", "A\n" MID "b\n", 2, "1", "A\n" MID "b" },
	{ "a\n" MID "b", "A\n" MID "b\n", 2, "2", "a\n" MID "b\n" },
	{ "a\n" MID "b\n", "A\n" MID "b", 2, "2", "a\n" MID "b" },
	{ "a\n" MID "b", "A\n" MID "B", 2, "1", "A\n" MID "b" },
	{ "a\n" MID "b", "A\n" MID "b\nc", 2, "2", "a\n" MID "b\nc" },
	/* CRLF is data of the line, also where both are mixed */
	{ "a\r\n" CR "b\r\n", "A\r\n" CR "B\r\n", 2, "2", "a\r\n" CR "B\r\n" },
	{ "a\r\n" MID "b\r\n", "A\n" MID "B\n", 2, "1", "A\n" MID "b\r\n" },
	/* changes near each other are one hunk */
	{ "a\n1\n2\n3\nb\n", "A\n1\n2\n3\nB\n", 1, "1", "A\n1\n2\n3\nB\n" },
	{ "a\n" MID "b\n" MID "c\n", "A\n" MID "B\n" MID "C\n", 3, "3,1",
	  "A\n" MID "b\n" MID "C\n" },
	/* all lines removed, or added */
	{ "", "a\n", 1, "1", "a\n" },
	{ "a\n", "", 1, "1", "" },
	/* the byte order mark belongs to no line */
	{ "\xef\xbb\xbf"
	  "a\n" MID "b\n",
	  "\xef\xbb\xbf"
	  "A\n" MID "B\n",
	  2, "2",
	  "\xef\xbb\xbf"
	  "a\n" MID "B\n" },
	/* its removal is in no hunk */
	{ "\xef\xbb\xbf"
	  "a\n" MID "b\n",
	  "A\n" MID "B\n", 0, NULL, NULL },
	/* binary content */
	{ "\x7f"
	  "ELF\x01\x01\x01\x00",
	  "a\n", 0, NULL, NULL },
	/* JIS: a line may depend on the one before it */
	{ "a\n" MID "\x1b$B%F%9%H\x1b(B\n", "A\n" MID "b\n", 0, NULL, NULL },
	{ "a\n" MID "b\n", "A\n" MID "\x1b$B%F%9%H\x1b(B\n", 0, NULL, NULL },
};

static void some_hunks_make_what_they_say(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		struct hunk_set cut =
			cut_of(str_of(rules[i].before), str_of(rules[i].after),
			       NULL, &mem);
		struct accepted_hunks taken;
		struct fault f;

		if (hunks_parts(&cut) != rules[i].parts)
			print_error("rule %zu\n", i);
		assert_int_equal(hunks_parts(&cut), rules[i].parts);
		if (!rules[i].hunks)
			continue;
		assert_int_equal(hunks_parse(str_of(rules[i].hunks),
					     rules[i].parts, &mem, &taken, &f),
				 ERR_OK);
		assert_str(hunks_apply(&cut, &taken, &mem), rules[i].want);
	}
}

/* A whole file in @e: its mark and the text. */
static struct str spell(const struct encoding *e, const char *text,
			struct arena *mem)
{
	struct str bytes;
	auto_buf out = BUF_INIT;
	size_t bad;

	assert_int_equal(encoding_encode(e, str_of(text), mem, &bytes, &bad),
			 ERR_OK);
	buf_add(&out, e->bom);
	buf_add(&out, bytes);
	return arena_copy(mem, buf_str(&out));
}

/* The second bytes of some of these are ASCII in Shift_JIS. */
#define OLD_1 "\u8868\u4e88\u30bd\u5341\n"
#define NEW_1 "\u8868\u4e88\u30bd\u6587\n"
#define OLD_2 "\u8868\u793a\u3067\u3059"
#define NEW_2 "\u8868\u5b57\u3067\u3059\n"

/* The same change in many encodings: bytes of lines, whatever they are. */
static void an_encoding_keeps_its_bytes(void **state)
{
	static const struct {
		const char *name;
		size_t parts;
	} rows[] = {
		{ "utf-8", 2 },          { "utf-8-bom", 2 },
		{ "utf-16le", 2 },       { "utf-16be", 2 },
		{ "utf-32le", 2 },       { "utf-32be", 2 },
		{ "utf-16le-nobom", 2 }, { "utf-16be-nobom", 2 },
		{ "shift_jis", 2 },      { "euc-jp", 2 },
		{ "gb18030", 2 },        { "iso-2022-jp", 0 },
	};
	auto_arena mem = ARENA_INIT;
	struct accepted_hunks taken;
	struct fault f;

	assert_int_equal(hunks_parse(STR("2"), 2, &mem, &taken, &f), ERR_OK);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct encoding *e = encoding_named(str_of(rows[i].name));
		struct hunk_set cut = { .before =
						spell(e, OLD_1 CR OLD_2, &mem),
					.after = spell(e, NEW_1 CR NEW_2, &mem),
					.written = e };

		diff_texts(STR(OLD_1 CR OLD_2), STR(NEW_1 CR NEW_2), &mem,
			   &cut.diff);
		if (hunks_parts(&cut) != rows[i].parts)
			print_error("%s\n", rows[i].name);
		assert_int_equal(hunks_parts(&cut), rows[i].parts);
		if (rows[i].parts)
			assert_true(str_eq(hunks_apply(&cut, &taken, &mem),
					   spell(e, OLD_1 CR NEW_2, &mem)));
	}
}

/* Bytes of a code unit that look like a newline are none. */
static void a_newline_is_a_unit_of_its_own(void **state)
{
	struct str before = STR_INIT("\xff\xfe\x0a\x0a\x00\x0a\x0a\x00"
				     "a\x00\x0a\x00"),
		   after = STR_INIT("\xff\xfe\x0a\x0a\x00\x0a\x0a\x00"
				    "b\x00\x0a\x00");
	auto_arena mem = ARENA_INIT;
	struct hunk_set cut = cut_of(before, after, NULL, &mem);
	struct accepted_hunks taken;
	struct fault f;

	assert_int_equal(cut.diff.count, 1);
	assert_int_equal(hunks_parts(&cut), 1);
	assert_int_equal(hunks_parse(STR("1"), 1, &mem, &taken, &f), ERR_OK);
	assert_true(str_eq(hunks_apply(&cut, &taken, &mem), after));
}

static const struct {
	const char *text;
	size_t of;
	enum err want;
	const char *kept; /* the stored form; NULL = an error */
} choices[] = {
	{ "1", 3, ERR_OK, "1" },
	{ "3,1", 3, ERR_OK, "1,3" },
	{ "2,2,02", 3, ERR_OK, "2" },
	{ "1,2,3", 3, ERR_OK, "" }, /* that is all of it */
	{ "", 3, ERR_BAD_ARGS, NULL },
	{ "0", 3, ERR_BAD_ARGS, NULL },
	{ "4", 3, ERR_BAD_ARGS, NULL },
	{ "1,4", 3, ERR_BAD_ARGS, NULL },
	{ "-1", 3, ERR_BAD_ARGS, NULL },
	{ "1-2", 3, ERR_BAD_ARGS, NULL },
	{ "1 2", 3, ERR_BAD_ARGS, NULL },
	{ "1,", 3, ERR_BAD_ARGS, NULL },
	{ ",1", 3, ERR_BAD_ARGS, NULL },
	{ "1,,2", 3, ERR_BAD_ARGS, NULL },
	{ "one", 3, ERR_BAD_ARGS, NULL },
	{ "18446744073709551617", 3, ERR_BAD_ARGS, NULL },
	{ "1", 0, ERR_BAD_ARGS, NULL }, /* all or nothing */
};

static void a_choice_names_hunks_that_are_there(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(choices); i++) {
		struct approval a = { .parts = choices[i].of };
		struct fault f = { 0 };
		struct str kept;
		enum err e = hunks_choose(&a, str_of(choices[i].text), &mem,
					  &kept, &f);

		if (e != choices[i].want)
			print_error("'%s'\n", choices[i].text);
		assert_int_equal(e, choices[i].want);
		if (choices[i].kept)
			assert_str(kept, choices[i].kept);
		else
			assert_true(f.text.len > 0);
	}
}

static void the_caller_is_told_which(void **state)
{
	struct snapshot before = { .key = STR("/d/f"), .bytes = STR("a\n") };
	struct change made = { .before = &before };
	auto_arena mem = ARENA_INIT;
	struct accepted_hunks taken;
	struct fault f;
	struct str said;

	assert_int_equal(hunks_parse(STR("1,3"), 4, &mem, &taken, &f), ERR_OK);
	said = hunks_describe(&taken, &made, STR("b\n"), &mem);
	assert_str(said,
		   "The user accepted only hunks 1 and 3 of 4 of this change. "
		   "Hunks 2 and 4 were not applied: the file is unchanged "
		   "there. What was done:\n--- f\n+++ f\n@@ -1,1 +1,1 @@\n"
		   "-a\n+b\n");
	assert_int_equal(hunks_parse(STR("2"), 2, &mem, &taken, &f), ERR_OK);
	before.bytes = STR("\0\1");
	said = hunks_describe(&taken, &made, STR("b\n"), &mem);
	assert_str(said,
		   "The user accepted only hunk 2 of 2 of this change. Hunk 1 "
		   "was not applied: the file is unchanged there.");
}

static void what_was_done_to_lines_was_taken_or_not(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct hunk_set cut = cut_of(STR("a\n" MID "b\n"),
				     STR("A\n" MID "b\nc\n"), NULL, &mem);
	struct accepted_hunks taken;
	struct fault f;

	assert_int_equal(hunks_parse(STR("1"), 2, &mem, &taken, &f), ERR_OK);
	assert_true(hunks_took(&cut.diff, &taken, 0, 0, &mem));
	assert_true(hunks_took(&cut.diff, &taken, 1, 2, &mem));
	assert_false(hunks_took(&cut.diff, &taken, 8, 8, &mem)); /* b\nc */
	assert_false(hunks_took(&cut.diff, &taken, 0, 9, &mem)); /* both */
}

enum { ROUNDS = 2000, MOST_LINES = 80 };

static bool one_in(int n)
{
	return rand() % n == 0;
}

/* A line of few kinds, so that many are equal; perhaps with no end. */
static void add_line(struct buf *out, bool last)
{
	buf_addc(out, (char)('a' + rand() % 6));
	if (one_in(4))
		buf_addc(out, '\r');
	if (!last || one_in(2))
		buf_addc(out, '\n');
}

static struct str random_text(struct arena *mem)
{
	int n = rand() % MOST_LINES;
	auto_buf out = BUF_INIT;

	for (int i = 0; i < n; i++)
		add_line(&out, i + 1 == n);
	return arena_copy(mem, buf_str(&out));
}

/* The same with some lines put in, left out, and changed. */
static struct str change_some(struct str text, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	struct str line;

	while (text.len) {
		line = str_head(text, lines_after(text, 1));
		text = str_skip(text, line.len);
		if (one_in(20))
			add_line(&out, /* last= */ false);
		if (one_in(20))
			add_line(&out, !text.len);
		else if (!one_in(20))
			buf_add(&out, line);
	}
	return arena_copy(mem, buf_str(&out));
}

static struct accepted_hunks numbers(size_t from, size_t to, struct arena *mem)
{
	int64_t *list = arena_array(mem, int64_t, to - from);
	struct accepted_hunks taken = { { list, 0 }, 1 };

	for (; from < to; from++)
		list[taken.hunks.count++] = (int64_t)from + 1;
	return taken;
}

/* No hunk gives the old content, all hunks the new one. */
static void the_rest_of_the_hunks_makes_the_rest(void **state)
{
	auto_arena mem = ARENA_INIT;
	size_t several = 0;

	srand(5);
	for (int round = 0; round < ROUNDS; round++) {
		struct str a = random_text(&mem), b = change_some(a, &mem);
		struct hunk_set cut = cut_of(a, b, NULL, &mem), rest;
		size_t n = hunks_parts(&cut);
		struct str half;
		struct accepted_hunks none = numbers(0, 0, &mem);
		struct accepted_hunks some = numbers(0, n / 2, &mem);
		struct accepted_hunks all = numbers(0, n, &mem);

		several += n > 2;
		assert_true(str_eq(hunks_apply(&cut, &none, &mem), a));
		assert_true(str_eq(hunks_apply(&cut, &all, &mem), b));
		half = hunks_apply(&cut, &some, &mem);
		rest = cut_of(half, b, NULL, &mem);
		all = numbers(0, hunks_parts(&rest), &mem);
		assert_true(str_eq(hunks_apply(&rest, &all, &mem), b));
	}
	assert_true(several > ROUNDS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(some_hunks_make_what_they_say),
		cmocka_unit_test(an_encoding_keeps_its_bytes),
		cmocka_unit_test(a_newline_is_a_unit_of_its_own),
		cmocka_unit_test(a_choice_names_hunks_that_are_there),
		cmocka_unit_test(the_caller_is_told_which),
		cmocka_unit_test(what_was_done_to_lines_was_taken_or_not),
		cmocka_unit_test(the_rest_of_the_hunks_makes_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
