/*
 * test_edit_eol.c - line endings of replacements, compared with a naive
 * implementation.
 */
#include "../unit.h"

#include "naive_edit.h"
#include "text/edit/edit_eol.h"

#include <stdio.h>

/* M66 A70 A10: one edit per row; a NULL result is a failure. */
static const struct {
	const char *text, *old, *with;
	enum err want;
	const char *result;
	enum eol given;
} rules[] = {
	/* LF matches CRLF, and the replacement gets CRLF */
	{ "a\r\nb\r\nc\r\n", "a\nb", "a\nB", ERR_OK, "a\r\nB\r\nc\r\n",
	  EOL_CRLF },
	{ "a\r\nb\r\nc\r\n", "b\nc\n", "b\nx\nc\n", ERR_OK,
	  "a\r\nb\r\nx\r\nc\r\n", EOL_CRLF },
	{ "a\r\nb\r\n", "a\nb\n", "", ERR_OK, "", EOL_NONE },
	/* CRLF matches CRLF and LF */
	{ "a\r\nb\r\n", "a\r\nb", "a\r\nB", ERR_OK, "a\r\nB\r\n", EOL_NONE },
	{ "a\nb\nc\n", "a\r\nb", "a\r\nB", ERR_OK, "a\nB\nc\n", EOL_LF },
	{ "a\r\nb\r\n", "a\r\nb", "x\ny", ERR_OK, "x\r\ny\r\n", EOL_CRLF },
	/* a line inserted after and before */
	{ "a\r\nb\r\nc\r\n", "b", "b\nnew", ERR_OK, "a\r\nb\r\nnew\r\nc\r\n",
	  EOL_CRLF },
	{ "a\r\nb\r\n", "a", "new\na", ERR_OK, "new\r\na\r\nb\r\n", EOL_CRLF },
	{ "a\nb\n", "b", "b\nnew", ERR_OK, "a\nb\nnew\n", EOL_NONE },
	{ "a\r\nb\nc\r\n", "b", "b\nnew", ERR_OK, "a\r\nb\nnew\nc\r\n",
	  EOL_NONE },
	{ "a\r\nb\nc\r\n", "b", "new\nb", ERR_OK, "a\r\nnew\r\nb\nc\r\n",
	  EOL_CRLF },
	{ "a\nb\r\nc\n", "b", "new\nb", ERR_OK, "a\nnew\nb\r\nc\n", EOL_NONE },
	{ "a\nb\r\nc\n", "b", "b\nnew", ERR_OK, "a\nb\r\nnew\r\nc\n",
	  EOL_CRLF },
	/* unchanged lines of a match keep their bytes */
	{ "a\r\nb\nc", "a\nb\nc", "a\nB\nc", ERR_OK, "a\r\nB\nc", EOL_CRLF },
	{ "a\nb\r\nc\nd\r\n", "a\nb\nc\nd\n", "a\nx\nb\nc\ny\nd\n", ERR_OK,
	  "a\nx\nb\r\nc\ny\nd\r\n", EOL_CRLF },
	{ "a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "c\nd\n", ERR_OK, "c\r\nd\n",
	  EOL_CRLF },
	{ "a\r\nb\nc\r\n", "a\nb\nc\n", "A\nB\nC\n", ERR_OK, "A\r\nB\nC\r\n",
	  EOL_CRLF },
	/* the final newline stays as it is, unless it is edited */
	{ "a\r\nb", "b", "b\nc", ERR_OK, "a\r\nb\r\nc", EOL_CRLF },
	{ "a\r\nb", "b", "b\n", ERR_OK, "a\r\nb\r\n", EOL_CRLF },
	{ "a\r\nb\r\n", "b\n", "b", ERR_OK, "a\r\nb", EOL_NONE },
	{ "a", "a", "a\nb", ERR_OK, "a\nb", EOL_NONE },
	{ "a\nb", "b", "b\nc", ERR_OK, "a\nb\nc", EOL_NONE },
	{ "a\r\nb", "a\nb\n", "x", ERR_NO_MATCH_AT, NULL, EOL_NONE },
	/* half a CRLF: the CR is replaced too, and none is doubled */
	{ "a\r\nb\r\n", "\nb", "", ERR_OK, "a\r\n", EOL_NONE },
	{ "a\r\nb\r\n", "\nb", "\nx\nb", ERR_OK, "a\r\nx\r\nb\r\n", EOL_CRLF },
	{ "a\r\nb", "\nb", "\r\nc", ERR_OK, "a\r\nc", EOL_NONE },
	{ "a\r\nb", "\nb", "\nb\r\nc", ERR_OK, "a\r\nb\r\nc", EOL_NONE },
	{ "a\r\nb", "\nb", " b", ERR_OK, "a b", EOL_NONE },
	{ "a\r\nb", "\n", "\n", ERR_OK, "a\r\nb", EOL_CRLF },
	{ "a\r\nb", "\n", "", ERR_OK, "ab", EOL_NONE },
	/*
	 * intended endings: CRLF after an exact match, or an edit of endings
	 * only
	 */
	{ "a\nb\n", "a", "a\r\nx", ERR_OK, "a\r\nx\nb\n", EOL_NONE },
	{ "a\r\nb\r\n", "a\r\n", "a\n", ERR_OK, "a\nb\r\n", EOL_NONE },
	{ "a\nb\n", "a\nb\n", "a\r\nb\r\n", ERR_OK, "a\r\nb\r\n", EOL_NONE },
	{ "a\r\nb\n", "a\nb\n", "a\r\nb\r\n", ERR_OK, "a\r\nb\r\n", EOL_NONE },
	{ "a\r\nb\n", "a\nb\n", "a\nb\n", ERR_OK, "a\r\nb\n", EOL_CRLF },
	/* a CR alone is data */
	{ "a\rb\r\nc\r\n", "a\rb", "a\rx\ny", ERR_OK, "a\rx\r\ny\r\nc\r\n",
	  EOL_CRLF },
	{ "a\rb\r\nc\r\n", "a\nb", "x", ERR_NO_MATCH_AT, NULL, EOL_NONE },
	{ "a\rb", "b", "\nb", ERR_OK, "a\r\nb", EOL_NONE },
	{ "a\rb\r\n", "b", "\nb", ERR_OK, "a\r\nb\r\n", EOL_NONE },
	{ "a\r\nb\r\n", "a\r", "b\r", ERR_OK, "b\r\nb\r\n", EOL_NONE },
	{ "x\r\r\ny\r\n", "x\r\ny", "z", ERR_NO_MATCH_AT, NULL, EOL_NONE },
	{ "x\r\r\ny\n", "x\r\r\ny\r\n", "x\r\r\nz\r\n", ERR_OK, "x\r\r\nz\n",
	  EOL_LF },
	/* an exact match wins; one with other endings must be unique too */
	{ "a\nb\r\na\r\nb\r\n", "a\nb", "x", ERR_OK, "x\r\na\r\nb\r\n",
	  EOL_NONE },
	{ "a\r\nb\r\na\r\nb\n", "a\nb", "x", ERR_MANY_MATCHES_AT, NULL,
	  EOL_NONE },
	{ "a\nb a\nb a\r\nb", "a\nb", "x", ERR_MANY_MATCHES_AT, NULL,
	  EOL_NONE },
};

/* A10 A70 M17 M18 M66 */
static void endings_follow_their_rules(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		struct edit e = { str_of(rules[i].old), str_of(rules[i].with) };
		struct str text = str_of(rules[i].text);
		auto_arena mem = ARENA_INIT;
		struct edit_done done;
		struct fault f = { 0 };
		enum err err = edit_apply(text, &e, 1, &mem, &done, &f);

		assert_int_equal(err, rules[i].want);
		if (err == ERR_MANY_MATCHES_AT)
			assert_int_equal(f.count, 2);
		if (err)
			continue;
		assert_str(done.text, rules[i].result);
		assert_int_equal(done.given, rules[i].given);
		assert_true(naive_agrees(text, &e, 1, &mem));
	}
}

static const struct {
	const char *text;
	struct {
		const char *old, *with;
	} edits[3];
	enum err want;
	size_t prior;
} conflicts[] = {
	{ "a\r\nb\r\n", { { "b", "x" }, { "a\nb", "y" } }, ERR_EDITS_CONFLICT },
	{ "a\r\nb\r\n", { { "b", "x" }, { "b\nb", "y" } }, ERR_NO_MATCH_AT },
	{ "a\r\nb\r\n", { { "a\nb", "x" }, { "a\nb", "y" } }, ERR_NO_MATCH_AT },
	/* a match can be twice as long as the string */
	{ "\r\n\r\n\r\n\r\n\r\n\r\nb",
	  { { "b", "x" }, { "\n\n\n\n\n\nb", "y" } },
	  ERR_EDITS_CONFLICT },
	/* the CR of a CRLF is not a lone CR at the end of a search window */
	{ "E123q\r\nb\r\nq\r\nb\rZ\r\n",
	  { { "b\rZ", "_" }, { "E", "F" }, { "q\nb\r", "y" } },
	  ERR_EDITS_CONFLICT,
	  .prior = 0 },
};

/* A28 M21 M62: conflicts about strings with other line endings. */
static void conflicts_see_through_endings(void **state)
{
	for (size_t c = 0; c < COUNT_OF(conflicts); c++) {
		struct str text = str_of(conflicts[c].text);
		auto_arena mem = ARENA_INIT;
		struct edit edits[3];
		struct edit_done done;
		struct fault f = { 0 };
		size_t n = 0;

		for (; n < 3 && conflicts[c].edits[n].old; n++)
			edits[n] = (struct edit){
				str_of(conflicts[c].edits[n].old),
				str_of(conflicts[c].edits[n].with),
			};
		assert_int_equal(edit_apply(text, edits, n, &mem, &done, &f),
				 conflicts[c].want);
		assert_int_equal(f.index, n - 1);
		assert_int_equal(f.prior, conflicts[c].prior);
		assert_true(naive_agrees(text, edits, n, &mem));
	}
}

static uint64_t dice = 7;

static size_t roll(size_t sides)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (size_t)(dice >> 20) % sides;
}

/* Alphabets of random texts. */
static const struct kind {
	const char *parts[8];
	size_t count;
} kinds[] = {
	{ { "a", "b", "\n", "\r\n" }, 4 },
	{ { "a", "b", "c", "d", "\n", "\r\n" }, 6 },
	{ { "a", "b", "c", "\r\n" }, 4 },
	{ { "a", "b", "\n", "\r\n", "\r" }, 5 },
	{ { "a\n", "a\r\n", "b\n", "b\r\n", "c\n", "d\r\n", "e" }, 7 },
};

enum { LONE = 3 /* the alphabet with a lone CR */ };

static struct str random_str(const struct kind *kind, size_t most,
			     struct arena *mem)
{
	size_t n = roll(most + 1);
	char *p = arena_alloc(mem, n * 4 + 1), *end = p;

	while (n--) {
		struct str part = str_of(kind->parts[roll(kind->count)]);

		end = mempcpy(end, part.ptr, part.len);
	}
	return str_make(p, (size_t)(end - p));
}

/* @s with random line endings. */
static struct str bent(struct str s, struct arena *mem)
{
	struct str folded = naive_fold(s, mem);
	char *p = arena_alloc(mem, 2 * folded.len + 1), *end = p;
	size_t way = roll(4);

	for (size_t i = 0; i < folded.len; i++) {
		if (folded.ptr[i] == '\n' && (way == 2 || (way > 2 && roll(2))))
			*end++ = '\r';
		*end++ = folded.ptr[i];
	}
	return way ? str_make(p, (size_t)(end - p)) : s;
}

/* A part of @text that does not begin or end within a CRLF. */
static struct str random_part(struct str text, size_t most)
{
	size_t from = roll(text.len), to = from + 1 + roll(most);

	to = size_min(to, text.len);
	if (from && text.ptr[from] == '\n' && text.ptr[from - 1] == '\r')
		from--;
	if (to < text.len && text.ptr[to] == '\n' && text.ptr[to - 1] == '\r')
		to++;
	return str_sub(text, from, to);
}

/* A part of the text with random line endings, and its replacement. */
static struct edit random_edit(const struct kind *kind, struct str text,
			       struct arena *mem)
{
	struct edit e = { random_str(kind, 3, mem), random_str(kind, 4, mem) };

	for (size_t k = 0; k < 8 && text.len && roll(10); k++) {
		e.old = bent(random_part(text, 10), mem);
		if (naive_count_bent(text, e.old, mem) == 1)
			break;
	}
	if (e.old.len && roll(2)) {
		/* most lines stay, as in real edits */
		size_t at = roll(e.old.len);

		e.with = naive_replace(e.old, at, roll(e.old.len - at + 1),
				       random_str(kind, 3, mem), mem);
		e.with = roll(2) ? naive_fold(e.with, mem) : e.with;
	}
	return e;
}

static bool has_lone_cr(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] == '\r' &&
		    (i + 1 == s.len || s.ptr[i + 1] != '\n'))
			return true;
	return false;
}

/* A28 A70 M26 M28 M31 M66: the naive implementation agrees, edit by edit. */
static void endings_are_as_the_plain_way_has_them(void **state)
{
	size_t good = 0;

	for (size_t round = 0; round < 60000; round++) {
		const struct kind *kind = &kinds[round % COUNT_OF(kinds)];
		auto_arena mem = ARENA_INIT;
		struct str text = random_str(kind, 14, &mem), now = text;
		size_t n = 1 + roll(4);
		struct edit edits[4];
		struct edit_done done;
		struct fault f = { 0 };

		for (size_t i = 0; i < n; i++) {
			edits[i] = random_edit(kind, now, &mem);
			if (!naive_apply(now, &edits[i], 1, &mem, &done, &f))
				now = done.text;
		}
		assert_true(naive_agrees(text, edits, n, &mem));
		good += !edit_apply(text, edits, n, &mem, &done, &f);
	}
	assert_true(good > 10000);
}

static size_t split(struct str text, struct str lines[64])
{
	size_t n = 0;

	while (text.len) {
		lines[n] = str_head(text, str_find(text, '\n') + 1);
		text = str_skip(text, lines[n++].len);
	}
	return n;
}

/* How many lines two texts have in common, in order. */
static size_t common_lines(struct str a, struct str b)
{
	struct str x[64], y[64];
	size_t best[65][65] = { { 0 } };
	size_t n = split(a, x), m = split(b, y);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			best[i + 1][j + 1] = str_eq(x[i], y[j])
						     ? best[i][j] + 1
						     : size_max(best[i][j + 1],
								best[i + 1][j]);
	return best[n][m];
}

/* Exactly one occurrence, overlapping ones counted. */
static bool is_there_once(struct str text, struct str what)
{
	const char *at = naive_find(text, what);

	return at &&
	       !naive_find(str_skip(text, (size_t)(at - text.ptr) + 1), what);
}

static bool only_endings_meant(struct edit e, struct str text,
			       struct arena *mem)
{
	return edit_eol_meant(e.old, e.with, naive_count(text, e.old) > 0, mem);
}

/*
 * A43 A70 M66: seen without line endings, the edit is made to the letter;
 * seen with them, no line differs that would not differ without them, but
 * for the one whose end was cut off in front of bytes that are not ours; and
 * nothing leaves or finds a CR alone.
 */
static void no_line_changes_that_was_not_meant(void **state)
{
	size_t good = 0;

	for (size_t round = 0; round < 60000; round++) {
		const struct kind *kind = &kinds[round % COUNT_OF(kinds)];
		auto_arena mem = ARENA_INIT;
		struct str text = random_str(kind, 14, &mem), was, is;
		struct edit e = random_edit(kind, text, &mem), plain;
		struct edit_done done, want;
		struct fault f = { 0 };

		if (kind == &kinds[LONE] || has_lone_cr(e.old) ||
		    has_lone_cr(e.with) ||
		    edit_apply(text, &e, 1, &mem, &done, &f))
			continue;
		assert_false(has_lone_cr(done.text));
		was = naive_fold(text, &mem);
		is = naive_fold(done.text, &mem);
		plain = (struct edit){ naive_fold(e.old, &mem),
				       naive_fold(e.with, &mem) };
		if (is_there_once(was, plain.old)) {
			assert_int_equal(edit_apply(was, &plain, 1, &mem, &want,
						    &f),
					 ERR_OK);
			assert_true(str_eq(is, want.text));
		}
		if (only_endings_meant(e, text, &mem))
			continue;
		good++;
		if (str_ends(plain.old, STR("\n")) &&
		    str_ends(plain.with, STR("\n")))
			assert_true(common_lines(text, done.text) ==
				    common_lines(was, is));
		assert_true(common_lines(text, done.text) + 1 >=
			    common_lines(was, is));
	}
	assert_true(good > 10000);
}

enum { LINES = 40000, EDITS = 5000 };

/*
 * Edits of two lines of a large text, sent with LF, with a line inserted
 * between.
 */
static struct edit widen(size_t i, struct arena *mem)
{
	size_t n = i * 7919 % (LINES / 2) * 2;
	struct str a = arena_printf(mem, "item_%06zu = %zu;\n", n, n * 7);
	struct str b = arena_printf(mem, "item_%06zu = %zu;\n", n + 1, n);

	return (struct edit){
		arena_printf(mem, STR_FMT STR_FMT, STR_ARG(a), STR_ARG(b)),
		arena_printf(mem, STR_FMT "more\n" STR_FMT, STR_ARG(a),
			     STR_ARG(b)),
	};
}

/* M40: matches with other line endings are as fast as exact ones. */
static void many_bent_edits_of_a_big_text(void **state)
{
	static const char *const odd_lines[] = { "\r\n", "\n" };
	static const enum eol want[] = { EOL_CRLF, EOL_MIXED };

	for (size_t k = 0; k < COUNT_OF(odd_lines); k++) {
		auto_arena mem = ARENA_INIT;
		char *p = arena_alloc(&mem, LINES * 32), *end = p;
		struct edit *edits = arena_array(&mem, struct edit, EDITS);
		struct edit_done done;
		struct fault f = { 0 };

		for (size_t i = 0; i < LINES; i += 2)
			end += snprintf(end, 64,
					"item_%06zu = %zu;\r\n"
					"item_%06zu = %zu;%s",
					i, i * 7, i + 1, i, odd_lines[k]);
		for (size_t i = 0; i < EDITS; i++)
			edits[i] = widen(i, &mem);
		assert_int_equal(edit_apply(str_make(p, (size_t)(end - p)),
					    edits, EDITS, &mem, &done, &f),
				 ERR_OK);
		assert_int_equal(done.text.len, (size_t)(end - p) + EDITS * 6);
		assert_int_equal(naive_count(done.text, STR("more\r\nitem")),
				 EDITS);
		assert_int_equal(eol_of(done.text), want[k]);
		assert_int_equal(done.given, EOL_CRLF);
		assert_false(has_lone_cr(done.text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(endings_follow_their_rules),
		cmocka_unit_test(conflicts_see_through_endings),
		cmocka_unit_test(endings_are_as_the_plain_way_has_them),
		cmocka_unit_test(no_line_changes_that_was_not_meant),
		cmocka_unit_test(many_bent_edits_of_a_big_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
