/*
 * test_candidates.c - A06: explanations of a failed match, which the edit tools
 * report in data.candidates.
 */
#include "../unit.h"

#include "base/buf.h"
#include "text/encoding/utf8.h"
#include "text/lines/lines.h"
#include "text/match/candidates.h"

static const struct {
	const char *text, *old;
	size_t line;
	unsigned least; /* minimum similarity */
	const char *shown, *differs;
} misses[] = {
	{ "a\n\tif (x) {\n\t\tf(x);\n\t}\nb\n",
	  "    if (x) {\n        f(x);\n    }\n", 2, 90, "→if (x) {",
	  "line 2: indentation, 1 tab in the file, 4 spaces in old_string (and 2 more)" },
	{ "    if a:\n        b()\n    c\n", "if a:\n    b()\nc", 1, 90,
	  "····if a:",
	  "line 2: indentation, 8 spaces in the file, 4 spaces in old_string (and 1 more); line 2 is ‹········b()›" },
	{ "a\nf(x);  \ng(y);\n", "f(x);\ng(y);\n", 2, 95, "f(x);··",
	  "line 2: blanks at the end, 2 spaces in the file, none in old_string" },
	{ "f(x);\ng(y);", "f(x);\ng(y); \t", 1, 95, "f(x);",
	  "line 2: blanks at the end, none in the file, 1 tab and 1 space in old_string; line 2 is ‹g(y);›" },
	{ "foo = bar  +\tbaz;\n", "foo = bar + baz;", 1, 95,
	  "foo = bar··+→baz;",
	  "line 1: blanks, 2 spaces in the file, 1 space in old_string (and 1 more)" },
	{ "say \xe2\x80\x9chello\xe2\x80\x9d\n", "say \"hello\"\n", 1, 90,
	  "say “hello”",
	  "line 1, column 5: quotes, U+201C (left double quotation mark) in the file, U+0022 in old_string (and 1 more)" },
	{ "it's so\n", "it\xe2\x80\x99s so\n", 1, 90, "it's so",
	  "line 1, column 3: quotes, U+0027 in the file, U+2019 (right single quotation mark) in old_string" },
	{ "1 \xe2\x80\x93 2 = x\n", "1 - 2 = x", 1, 90, "1 – 2 = x",
	  "line 1, column 3: dashes, U+2013 (en dash) in the file, U+002D in old_string" },
	{ "x = a\xc2\xa0"
	  "b + c;\n",
	  "x = a b + c;", 1, 90, "x = a⟨U+00A0⟩b + c;",
	  "line 1, column 6: odd blank, U+00A0 (no-break space) in the file, 1 space in old_string" },
	{ "na\xe2\x80\x8bme = 5\n", "name = 5", 1, 90, "na⟨U+200B⟩me = 5",
	  "line 1, column 3: no width, U+200B (zero width space) in the file, none in old_string" },
	{ "caf\xc3\xa9 = 1\n", "cafe\xcc\x81 = 1", 1, 90, "café = 1",
	  "line 1, column 4: Unicode form, U+00E9 in the file, U+0065 U+0301 in old_string" },
	{ "cafe\xcc\x81 = 1\n", "caf\xc3\xa9 = 1", 1, 90, NULL,
	  "line 1, column 4: Unicode form, U+0065 U+0301 in the file, U+00E9 in old_string" },
	{ "\xed\x95\x9c x = 5\n", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab x = 5",
	  1, 90, "한 x = 5",
	  "line 1, column 1: Unicode form, U+D55C in the file, U+1112 U+1161 U+11AB in old_string" },
	{ "caf\xd0\xb5 = 1\n", "cafe = 1", 1, 90, NULL,
	  "line 1, column 4: look-alike, U+0435 (cyrillic small letter ie) in the file, U+0065 in old_string" },
	{ "\xef\xbc\xa1 = 1;\n", "A = 1;", 1, 90, NULL,
	  "line 1, column 1: full width, U+FF21 in the file, U+0041 in old_string" },
	{ "Hello World\n", "hello world", 1, 90, "Hello World",
	  "line 1, column 1: letter case (and 1 more)" },
	{ "one\rtwo", "one\ntwo", 1, 90, "one␍two",
	  "line 1: line ending, a CR alone in the file, LF in old_string" },
	{ "f(a)\n{\n\n\treturn a;\n}\n", "f(a)\n{\n\treturn a;\n}\n", 1, 90,
	  "f(a)",
	  "line 2: line breaks, 1 in the file, none in old_string; line 2 is ‹{›" },
	{ "port = 3000\nhost\n", "port = 8080", 1, 60, "port = 3000",
	  "line 1, column 8: the file has ‹300› for 3 characters of old_string" },
	{ "line 1\nline 2\n", "line 3", 1, 60, "line 1",
	  "line 1, column 6: the file has ‹1› for 1 character of old_string" },
	{ "call(one, two)\n", "call(one)", 1, 50, "call(one, two)", NULL },
	{ "f(int a)\n{\n\treturn a;\n}\n",
	  "f(int a)\n{\n\tint c = 0;\n\treturn a;\n}\n", 1, 50, "f(int a)",
	  "line 2, column 2: old_string has 12 characters more; line 2 is ‹{›" },
	{ "dos\r\n\tx = 1;\r\ny;\r\n", "    x = 1;\ny;\n", 2, 90, "→x = 1;␍",
	  "line 2: indentation, 1 tab in the file, 4 spaces in old_string" },
	{ "wxyz\xff"
	  "bcdefgh\n",
	  "wxyzbcdefgh", 1, 80, "wxyz⟨FF⟩bcdefgh",
	  "line 1, column 5: the file has ‹⟨FF⟩› more" },
};

/* A06 */
static void a_candidate_has_its_line_and_difference(void **state)
{
	for (size_t i = 0; i < COUNT_OF(misses); i++) {
		auto_arena mem = ARENA_INIT;
		struct candidate candidates[CANDIDATES_SIMILAR];
		size_t n = candidates_similar(str_of(misses[i].text),
					      str_of(misses[i].old), &mem,
					      candidates);

		assert_in_range(n, 1, CANDIDATES_SIMILAR);
		assert_int_equal(candidates[0].line, misses[i].line);
		assert_in_range(candidates[0].similarity, misses[i].least, 99);
		if (misses[i].shown)
			assert_str(candidates[0].text, misses[i].shown);
		if (misses[i].differs)
			assert_str(candidates[0].differs, misses[i].differs);
	}
}

static const struct {
	const char *text, *old;
} dissimilar[] = {
	{ "", "x" },
	{ "x", "" },
	{ "x", " \t\n" },
	{ "Hello, World!\n", "Goodbye" },
	{ "abc", "zzz" },
	{ "the quick brown fox\njumps over the lazy dog\n",
	  "static_cast<int>(value);" },
};

static void dissimilar_text_is_no_candidate(void **state)
{
	for (size_t i = 0; i < COUNT_OF(dissimilar); i++) {
		auto_arena mem = ARENA_INIT;
		struct candidate candidates[CANDIDATES_SIMILAR];

		assert_int_equal(candidates_similar(str_of(dissimilar[i].text),
						    str_of(dissimilar[i].old),
						    &mem, candidates),
				 0);
	}
}

static void the_best_comes_first(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct candidate candidates[CANDIDATES_SIMILAR];
	size_t n = candidates_similar(
		STR("int alpha = 1;\nint alpha = 10;\n\n"
		    "int alpha  = 12;\nint alphabet = 12;\n"),
		STR("int alpha = 12;"), &mem, candidates);

	assert_int_equal(n, CANDIDATES_SIMILAR);
	assert_int_equal(candidates[0].line, 4);
	for (size_t i = 1; i < n; i++)
		assert_true(candidates[i - 1].similarity >=
			    candidates[i].similarity);
}

static const struct {
	const char *text, *old;
	size_t count;
	struct {
		size_t line;
		const char *text, *differs;
	} want[3];
} places[] = {
	{ "def a:\n  x = 1\n\ndef b:\n  x = 1\n",
	  "  x = 1",
	  2,
	  { { 2, "··x = 1", "line 1 distinguishes it: ‹def a:›" },
	    { 5, "··x = 1", "line 4 distinguishes it: ‹def b:›" } } },
	{ "foo = 1\nfoo = 2\n",
	  "foo",
	  2,
	  { { 1, "foo = 1", "its own line distinguishes it" },
	    { 2, "foo = 2", "its own line distinguishes it" } } },
	{ "f\nx\ta\n\nf\nx\tb\n",
	  "f\nx",
	  2,
	  { { 1, "f", "line 2 distinguishes it: ‹x→a›" },
	    { 4, "f", "line 5 distinguishes it: ‹x→b›" } } },
	{ "a\r\nb\r\nc\r\na\r\nb\r\nd\r\n",
	  "a\nb",
	  2,
	  { { 1, "a", "line 3 distinguishes it: ‹c›" },
	    { 4, "a", "line 3 distinguishes it: ‹c›" } } },
	{ "aa aa",
	  "aa",
	  2,
	  { { 1, "", "no nearby line distinguishes it" },
	    { 1, "", "no nearby line distinguishes it" } } },
	{ "aa", "b", 0, { { 0 } } },
};

/* A06 */
static void several_are_told_apart_by_a_line_nearby(void **state)
{
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		auto_arena mem = ARENA_INIT;
		struct candidate candidates[CANDIDATES_AMBIGUOUS];
		size_t n = candidates_ambiguous(str_of(places[i].text),
						str_of(places[i].old), &mem,
						candidates);

		assert_int_equal(n, places[i].count);
		for (size_t k = 0; k < n; k++) {
			assert_int_equal(candidates[k].line,
					 places[i].want[k].line);
			assert_int_equal(candidates[k].similarity, 100);
			assert_str(candidates[k].text, places[i].want[k].text);
			assert_str(candidates[k].differs,
				   places[i].want[k].differs);
		}
	}
}

static void fill(char *to, size_t len, struct str with)
{
	for (size_t i = 0; i < len; i++)
		to[i] = with.ptr[i % with.len];
}

static const struct {
	struct str text, old;
	size_t old_len;
} hostile[] = {
	{ STR_INIT("a"), STR_INIT("a"), 100000 },
	{ STR_INIT("ab"), STR_INIT("ba\n"), 100000 },
	{ STR_INIT("\n"), STR_INIT("\n"), 5000 },
	{ STR_INIT("\t"), STR_INIT(" x"), 5000 },
	{ STR_INIT("x\n"), STR_INIT("x y\n"), 50000 },
	{ STR_INIT("some line(x);\n\tan other = 5;\n"),
	  STR_INIT("some lime(x);\n  an other  = 7;\n"), 60000 },
	{ STR_INIT("\xff\xfe"), STR_INIT("\xfe\xff\n"), 3000 },
	{ STR_INIT("e\xcc\x81"), STR_INIT("\xc3\xa9"), 30000 },
	{ STR_INIT("\xe2\x80\x8b"), STR_INIT("\xe2\x80\x8b-"), 3000 },
};

/*
 * Texts that resemble the string everywhere: without bounds these would run for
 * hours and into the time limit of the test.
 */
static void big_and_hostile_texts_cost_little(void **state)
{
	enum { TEXT = 16 << 20 };
	auto_arena mem = ARENA_INIT;
	char *text = arena_alloc(&mem, TEXT);

	for (size_t i = 0; i < COUNT_OF(hostile); i++) {
		auto_arena work = ARENA_INIT;
		struct candidate candidates[CANDIDATES_AMBIGUOUS];
		char *old = arena_alloc(&work, hostile[i].old_len);
		struct str t = str_make(text, TEXT), s;
		size_t n;

		fill(text, TEXT, hostile[i].text);
		fill(old, hostile[i].old_len, hostile[i].old);
		s = str_make(old, hostile[i].old_len);
		n = candidates_similar(t, s, &work, candidates);
		for (size_t k = 0; k < n; k++) {
			assert_in_range(candidates[k].similarity,
					CANDIDATE_MIN_SIMILARITY, 99);
			assert_in_range(candidates[k].line, 1, lines_count(t));
			assert_in_range(candidates[k].text.len, 0,
					CANDIDATE_TEXT_MAX);
			assert_in_range(candidates[k].differs.len, 1,
					CANDIDATE_DIFFERS_MAX);
			assert_true(utf8_valid(candidates[k].text));
			assert_true(utf8_valid(candidates[k].differs));
		}
		assert_in_range(candidates_ambiguous(t, hostile[i].text, &work,
						     candidates),
				1, CANDIDATES_AMBIGUOUS);
	}
}

/* The searched string never appears in an explanation. */
static void what_the_caller_sent_is_not_repeated(void **state)
{
	const struct str secret = STR("QZJXW");
	const struct str text = STR("one = alpha beta gamma delta;\n"
				    "two = alpha beta gamma;\nthree\n");
	size_t told = 0;

	for (size_t at = 0; at <= text.len; at++) {
		auto_arena mem = ARENA_INIT;
		auto_buf old = BUF_INIT;
		struct candidate candidates[CANDIDATES_SIMILAR];
		size_t n;

		buf_add(&old, str_head(text, at));
		buf_add(&old, secret);
		buf_add(&old, str_skip(text, at));
		n = candidates_similar(text, buf_str(&old), &mem, candidates);
		told += n;
		for (size_t i = 0; i < n; i++) {
			assert_null(memmem(candidates[i].text.ptr,
					   candidates[i].text.len, secret.ptr,
					   2));
			assert_null(memmem(candidates[i].differs.ptr,
					   candidates[i].differs.len,
					   secret.ptr, 2));
		}
	}
	assert_true(told > text.len / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_candidate_has_its_line_and_difference),
		cmocka_unit_test(dissimilar_text_is_no_candidate),
		cmocka_unit_test(the_best_comes_first),
		cmocka_unit_test(several_are_told_apart_by_a_line_nearby),
		cmocka_unit_test(big_and_hostile_texts_cost_little),
		cmocka_unit_test(what_the_caller_sent_is_not_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
