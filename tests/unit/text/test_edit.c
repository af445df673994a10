/*
 * test_edit.c - sequences of edits, compared with a naive implementation.
 */
#include "../unit.h"

#include "naive_edit.h"
#include "text/edit/piece_table.h"
#include "text/lines/lines.h"

#include <stdio.h>

enum { MOST = 4 };

#define CONFIG \
	"[server]\nhost = \"localhost\"\nport = 8080\n\n[db]\nname = \"dev\"\n"

static const struct {
	const char *text;
	struct {
		const char *old, *with;
	} edits[MOST];
	enum err want;
	size_t index, prior, count;
	const char *result;
	struct edit_range ranges[MOST];
} cases[] = {
	/* M35: three edits, in any order */
	{ CONFIG,
	  { { "port = 8080", "port = 3000" },
	    { "host = \"localhost\"", "host = \"0.0.0.0\"" },
	    { "name = \"dev\"", "name = \"prod\"" } },
	  ERR_OK,
	  .result =
		  "[server]\nhost = \"0.0.0.0\"\nport = 3000\n\n[db]\nname = \"prod\"\n",
	  .ranges = { { 3, 3 }, { 2, 2 }, { 6, 6 } } },
	/* M36: an edit sees what the one before it wrote */
	{ "AAA",
	  { { "AAA", "BBB" }, { "BBB", "CCC" } },
	  ERR_OK,
	  .result = "CCC",
	  .ranges = { { 1, 1 }, { 1, 1 } } },
	/* M37 */
	{ "line 1\nline 2\n",
	  { { "line 1", "x" }, { "line 3", "y" } },
	  ERR_NO_MATCH_AT,
	  .index = 1 },
	/* M39: the same old string again is not found, no conflict */
	{ "foo",
	  { { "foo", "bar" }, { "foo", "baz" } },
	  ERR_NO_MATCH_AT,
	  .index = 1 },
	/* M42 */
	{ "A",
	  { { "A", "AA" }, { "A", "B" } },
	  ERR_MANY_MATCHES_AT,
	  .index = 1,
	  .count = 2 },
	/* M62: a string that an earlier edit has replaced is a conflict */
	{ "abc def",
	  { { "abc", "x" }, { "c d", "y" } },
	  ERR_EDITS_CONFLICT,
	  .index = 1,
	  .prior = 0 },
	/* the conflict names the last edit that removed it */
	{ "ab",
	  { { "a", "x" }, { "x", "a" }, { "ab", "q" }, { "b", "z" } },
	  ERR_EDITS_CONFLICT,
	  .index = 3,
	  .prior = 2 },
	/* a string inserted and removed by edits is no conflict */
	{ "ab",
	  { { "a", "x" }, { "xb", "y" }, { "x", "z" } },
	  ERR_NO_MATCH_AT,
	  .index = 2 },
	/* M59 */
	{ "aaa",
	  { { "aa", "b" } },
	  ERR_OK,
	  .result = "ba",
	  .ranges = { { 1, 1 } } },
	/* M60, after the edits before it */
	{ "a", { { "a", "b" }, { "", "c" } }, ERR_EMPTY_OLD_AT, .index = 1 },
	{ "a", { { "x", "b" }, { "", "c" } }, ERR_NO_MATCH_AT, .index = 0 },
	/* M61 */
	{ "a\nb\n",
	  { { "b", "b" } },
	  ERR_OK,
	  .result = "a\nb\n",
	  .ranges = { { 2, 2 } } },
	/* M63 */
	{ "line 1\nline 2\nline 3\n",
	  { { "line 2\n", "" } },
	  ERR_OK,
	  .result = "line 1\nline 3\n",
	  .ranges = { { 2, 2 } } },
	{ "a\nb\nc\n",
	  { { "a\nb", "x" } },
	  ERR_OK,
	  .result = "x\nc\n",
	  .ranges = { { 1, 2 } } },
	/* M64: the file can become empty */
	{ "abc",
	  { { "abc", "" } },
	  ERR_OK,
	  .result = "",
	  .ranges = { { 1, 1 } } },
	/* M65 */
	{ "abc",
	  { { "b", "x" }, { "x", "b" } },
	  ERR_OK,
	  .result = "abc",
	  .ranges = { { 1, 1 }, { 1, 1 } } },
	/* M66 */
	{ "a\r\nb\nc\r\n",
	  { { "b", "x\ny" } },
	  ERR_OK,
	  .result = "a\r\nx\ny\nc\r\n",
	  .ranges = { { 2, 2 } } },
	/* E01 */
	{ "a = 1\nb = 2\nc = 3\n",
	  { { "c = 3", "c = 4" } },
	  ERR_OK,
	  .result = "a = 1\nb = 2\nc = 4\n",
	  .ranges = { { 3, 3 } } },
	/* E02 */
	{ "one\ntwo\nthree\nfour\n",
	  { { "one\ntwo\nthree", "1\n2\n3" } },
	  ERR_OK,
	  .result = "1\n2\n3\nfour\n",
	  .ranges = { { 1, 3 } } },
	/* E03 */
	{ "Hello\n", { { "Goodbye", "x" } }, ERR_NO_MATCH_AT, .index = 0 },
	/* E04 */
	{ "foo\nfoo\nfoo",
	  { { "foo", "bar" } },
	  ERR_MANY_MATCHES_AT,
	  .index = 0,
	  .count = 3 },
	/* A44: nothing in the new string is special */
	{ "a b c",
	  { { "b", "$& $1 \\1 \\n" } },
	  ERR_OK,
	  .result = "a $& $1 \\1 \\n c",
	  .ranges = { { 1, 1 } } },
	{ "", { { "a", "b" } }, ERR_NO_MATCH_AT, .index = 0 },
	{ "", { { NULL } }, ERR_OK, .result = "" },
};

static size_t case_edits(size_t c, struct edit ret[MOST])
{
	size_t n = 0;

	for (; n < MOST && cases[c].edits[n].old; n++) {
		ret[n].old = str_of(cases[c].edits[n].old);
		ret[n].with = str_of(cases[c].edits[n].with);
	}
	return n;
}

/*
 * A23 A28 A29 A30 A31 A44 M13 M17 M18 M21 M26 M28 M29 M30 M31 M32 M35 M36
 * M37 M39 M42 M59 M60 M61 M62 M63 M64 M65 M66 E01 E02 E03 E04 E05: by table.
 */
static void edits_follow_their_rules(void **state)
{
	for (size_t c = 0; c < COUNT_OF(cases); c++) {
		auto_arena mem = ARENA_INIT;
		struct edit edits[MOST];
		struct edit_done done;
		struct fault f = { 0 };
		size_t n = case_edits(c, edits);
		enum err e = edit_apply(str_of(cases[c].text), edits, n, &mem,
					&done, &f);

		assert_int_equal(e, cases[c].want);
		assert_int_equal(f.err, e);
		assert_int_equal(f.index, cases[c].index);
		assert_int_equal(f.prior, cases[c].prior);
		assert_int_equal(f.count, cases[c].count);
		for (size_t i = 0; !e && i < n; i++) {
			assert_int_equal(done.ranges[i].start,
					 cases[c].ranges[i].start);
			assert_int_equal(done.ranges[i].end,
					 cases[c].ranges[i].end);
		}
		if (!e)
			assert_str(done.text, cases[c].result);
	}
}

/* M17 M18 M21 M30: the messages that the peer sees. */
static void failures_say_what_the_contract_says(void **state)
{
	static const char *const want[] = {
		[ERR_NO_MATCH_AT] = "Edit 1: String not found: line 3",
		[ERR_MANY_MATCHES_AT] = "Edit 1: String appears 2 times: A",
		[ERR_EDITS_CONFLICT] = "Edit 1 conflicts with edit 0",
	};
	static const size_t picked[] = { 2, 4, 5 };
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(picked); i++) {
		struct edit edits[MOST];
		struct edit_done done;
		struct fault f = { 0 };
		size_t n = case_edits(picked[i], edits);
		enum err e = edit_apply(str_of(cases[picked[i]].text), edits, n,
					&mem, &done, &f);

		assert_str(fault_text(&f, &mem), want[e]);
	}
}

/* A32 M65: edits that cancel out give no splices. */
static void edits_that_cancel_out_leave_no_splice(void **state)
{
	const struct edit edits[] = {
		{ STR_INIT("two"), STR_INIT("2") },
		{ STR_INIT("2 t"), STR_INIT("two t") },
	};
	auto_arena mem = ARENA_INIT;
	struct edit_done done;

	assert_int_equal(edit_apply(STR("one two three"), edits, 2, &mem, &done,
				    NULL),
			 ERR_OK);
	assert_str(done.text, "one two three");
	assert_int_equal(done.splice_count, 0);
}

/* M27 M66: splices contain only changed bytes. */
static void an_edit_inside_an_edit_is_one_splice(void **state)
{
	const struct edit edits[] = {
		{ STR_INIT("two"), STR_INIT("2 and 3") },
		{ STR_INIT("and"), STR_INIT("&") },
		{ STR_INIT("four"), STR_INIT("4") },
	};
	auto_arena mem = ARENA_INIT;
	struct edit_done done;

	assert_int_equal(edit_apply(STR("one two four"), edits, 3, &mem, &done,
				    NULL),
			 ERR_OK);
	assert_int_equal(done.splice_count, 2);
	assert_int_equal(done.splices[0].from, 4);
	assert_int_equal(done.splices[0].to, 7);
	assert_str(done.splices[0].with, "2 & 3");
	assert_int_equal(done.splices[1].from, 8);
	assert_int_equal(done.splices[1].to, 12);
	assert_str(done.splices[1].with, "4");
}

static uint64_t dice = 1;

static size_t roll(size_t sides)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (size_t)(dice >> 20) % sides;
}

static struct str random_str(const char *alphabet, size_t most,
			     struct arena *mem)
{
	size_t len = roll(most + 1), kinds = strlen(alphabet);
	char *p = arena_alloc(mem, len + 1);

	for (size_t i = 0; i < len; i++)
		p[i] = alphabet[roll(kinds)];
	return str_make(p, len);
}

/* Mostly a part of @text, so that edits succeed. */
static struct str random_old(struct str text, const char *alphabet,
			     size_t longest, struct arena *mem)
{
	size_t from, len;

	if (!text.len || !roll(5))
		return random_str(alphabet, 4, mem);
	from = roll(text.len);
	len = 1 + roll(size_min(longest, text.len - from));
	return str_sub(text, from, from + len);
}

static const struct {
	const char *alphabet;
	size_t rounds, text, edits, old, with;
} shapes[] = {
	{ "ab", 40000, 12, 4, 5, 5 },
	{ "aab\n", 40000, 16, 6, 8, 4 },
	{ "a", 5000, 12, 3, 4, 4 },
	{ "abcdefghijklmnop\n", 20000, 60, 14, 20, 12 },
	{ "ab\r\n", 60000, 12, 3, 6, 6 },
	{ "a\r\n\n", 20000, 10, 3, 6, 5 },
	{ "abcdefgh\r\n", 20000, 60, 14, 20, 12 },
	{ "abcdefgh \n", 3000, 900, 30, 600, 20 },
	{ "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ \n", 300, 4000,
	  200, 30, 30 },
	{ "ab\n", 200, 3000, 60, 90, 30 },
};

static void try_random(size_t shape)
{
	auto_arena mem = ARENA_INIT;
	const char *alphabet = shapes[shape].alphabet;
	struct str text = random_str(alphabet, shapes[shape].text, &mem), now;
	size_t n = roll(shapes[shape].edits + 1);
	struct edit *edits = arena_array(&mem, struct edit, n);

	now = text;
	for (size_t i = 0; i < n; i++) {
		const char *at;

		edits[i].old =
			random_old(now, alphabet, shapes[shape].old, &mem);
		edits[i].with = random_str(alphabet, shapes[shape].with, &mem);
		/* mostly a string that occurs once */
		for (size_t k = 0; k < 8 && edits[i].old.len &&
				   naive_count(now, edits[i].old) != 1;
		     k++)
			edits[i].old = random_old(now, alphabet,
						  shapes[shape].old, &mem);
		at = edits[i].old.len ? naive_find(now, edits[i].old) : NULL;
		if (at)
			now = naive_replace(now, (size_t)(at - now.ptr),
					    edits[i].old.len, edits[i].with,
					    &mem);
	}
	assert_true(naive_agrees(text, edits, n, &mem));
}

/* A23 A28 A29 M26 M27 M28 M31 M32 M59: whatever the texts and the edits. */
static void edits_do_what_the_plain_way_does(void **state)
{
	for (size_t s = 0; s < COUNT_OF(shapes); s++)
		for (size_t i = 0; i < shapes[s].rounds; i++)
			try_random(s);
}

static struct str numbered_lines(size_t n, struct arena *mem)
{
	char *p = arena_alloc(mem, n * 32), *end = p;

	for (size_t i = 0; i < n; i++)
		end += snprintf(end, 32, "\titem_%06zu = %zu;\n", i, i * 7);
	return str_make(p, (size_t)(end - p));
}

/* M40: 100 and 10,000 edits. */
static void many_edits_of_a_big_text(void **state)
{
	enum { LINES = 40000, EDITS = 10000 };
	auto_arena mem = ARENA_INIT;
	struct str text = numbered_lines(LINES, &mem);
	struct edit *edits = arena_array(&mem, struct edit, EDITS);
	struct edit_done done;
	struct fault f = { 0 };

	for (size_t i = 0; i < EDITS; i++) {
		size_t line = (i * 7919) % LINES;

		edits[i].old =
			arena_printf(&mem, "item_%06zu = %zu;", line, line * 7);
		edits[i].with =
			arena_printf(&mem, "done_%06zu = %zu;", line, line * 7);
	}
	assert_int_equal(edit_apply(text, edits, EDITS, &mem, &done, &f),
			 ERR_OK);
	assert_int_equal(done.splice_count, EDITS);
	assert_int_equal(done.text.len, text.len);
	for (size_t i = 0; i < EDITS; i++) {
		assert_int_equal(done.ranges[i].start, (i * 7919) % LINES + 1);
		assert_int_equal(done.ranges[i].end, done.ranges[i].start);
	}
	assert_true(naive_splices_hold(text, &done, &mem));
}

/* M26: many edits in inserted text, and a string longer than TRACK_HEAD. */
static void edits_of_what_was_put_in(void **state)
{
	enum { LINES = 700 };
	auto_arena mem = ARENA_INIT;
	struct str big = numbered_lines(LINES, &mem);
	struct edit *edits = arena_array(&mem, struct edit, LINES + 2);

	edits[0] = (struct edit){ STR("here"), big };
	for (size_t i = 0; i < LINES; i++) {
		size_t line = (i * 389) % LINES;

		edits[i + 1].old = arena_printf(&mem, "item_%06zu", line);
		edits[i + 1].with = arena_printf(&mem, "%zu\n", line);
	}
	edits[LINES + 1] = (struct edit){ big, STR("gone") };
	assert_true(naive_agrees(STR("one here two"), edits, LINES + 1, &mem));
	assert_true(naive_agrees(STR("one here two"), edits, LINES + 2, &mem));
	assert_true(naive_agrees(STR("one here"), edits + LINES + 1, 1, &mem));
	assert_true(naive_agrees(big, edits + LINES + 1, 1, &mem));
}

static void piece_table_keeps_the_numbers_of_bytes(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct piece_table s;
	char got[16];

	piece_table_init(&s, STR("one\ntwo\n"), &mem);
	assert_int_equal(piece_table_replace(&s, 4, 7, STR("2\n2")), 1);
	assert_int_equal(piece_table_replace(&s, 0, 3, STR("")), 0);
	piece_table_copy(&s, 0, s.len, got);
	assert_str(str_make(got, s.len), "\n2\n2\n");
	for (size_t i = 0; i < s.len; i++)
		assert_int_equal(piece_table_offset(&s,
						    piece_table_number(&s, i)),
				 i);
	assert_int_equal(piece_table_number(&s, 0), 3);
	assert_int_equal(piece_table_number(&s, 4), 7);
	assert_true(piece_table_has(&s, 1, STR("2\n2\n")));
	assert_false(piece_table_has(&s, 1, STR("2\n2\n\n")));
	assert_false(piece_table_has(&s, 1, STR("22")));
}

/* The cursor moves forward and backward over many pieces. */
static void piece_table_seeks_from_anywhere(void **state)
{
	enum { EDITS = 600 };
	auto_arena mem = ARENA_INIT;
	struct str plain = numbered_lines(1000, &mem);
	struct piece_table s;

	piece_table_init(&s, plain, &mem);
	for (size_t i = 0; i < EDITS; i++) {
		size_t from = roll(plain.len), at;
		size_t to = from + roll(size_min(plain.len - from, 40));
		struct str with = random_str("xy\n", 30, &mem);
		size_t before = lines_newlines(str_head(plain, from));

		assert_int_equal(piece_table_replace(&s, from, to, with),
				 before);
		plain = naive_replace(plain, from, to - from, with, &mem);
		assert_int_equal(s.len, plain.len);
		at = roll(plain.len);
		assert_int_equal(piece_table_offset(&s,
						    piece_table_number(&s, at)),
				 at);
		at = roll(plain.len);
		assert_true(piece_table_has(&s, at,
					    str_head(str_skip(plain, at), 99)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits_follow_their_rules),
		cmocka_unit_test(failures_say_what_the_contract_says),
		cmocka_unit_test(edits_that_cancel_out_leave_no_splice),
		cmocka_unit_test(an_edit_inside_an_edit_is_one_splice),
		cmocka_unit_test(edits_do_what_the_plain_way_does),
		cmocka_unit_test(many_edits_of_a_big_text),
		cmocka_unit_test(edits_of_what_was_put_in),
		cmocka_unit_test(piece_table_keeps_the_numbers_of_bytes),
		cmocka_unit_test(piece_table_seeks_from_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
