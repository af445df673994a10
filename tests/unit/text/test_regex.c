/*
 * test_regex.c - patterns as models write them for ripgrep: what is translated,
 * refused, limited, and which literal is searched for first.
 */
#include "../unit.h"

#include "base/cancel.h"
#include "text/regex/regex.h"

static const struct regex_options plain, caseless = { .caseless = true },
					 multiline = { .multiline = true };

/* The match of @pattern in @text, or "-"; "!" when it is refused. */
static struct str found(const char *pattern, const char *text,
			const struct regex_options *o, struct arena *mem)
{
	struct regex_fault f;
	struct regex *r = regex_new(str_of(pattern), o, mem, &f);
	struct regex_matcher *m;
	struct regex_span span;
	struct str ret = STR("-"), all = str_of(text);

	if (!r)
		return arena_printf(mem, "!" STR_FMT, STR_ARG(f.text));
	m = regex_matcher_new(r);
	assert_non_null(m);
	if (regex_find(m, REGEX_UTF8, all, 0, &span) == REGEX_FOUND)
		ret = str_sub(all, span.start, span.end);
	regex_matcher_free(m);
	regex_free(r);
	return ret;
}

/* F52: what Rust's regex writes otherwise; F54: what only PCRE2 has. */
static const struct {
	const char *pattern, *text, *match;
} means[] = {
	{ "\\u{41}b", "xAb", "Ab" },
	{ "\\u0041b", "xAb", "Ab" },
	{ "\\U00000041b", "xAb", "Ab" },
	{ "\\u{1F600}", "a\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
	{ "[\\u{41}-\\u{43}]+", "xABCD", "ABC" },
	{ "\\x{e9}", "caf\xc3\xa9", "\xc3\xa9" },
	{ "ab{,2}c", "abbbc abbc", "abbc" },
	{ "a{,1}b", "aab", "ab" },
	{ "[{,2}]+", "x{,2}", "{,2}" },
	{ "(?u)caf\\w", "caf\xc3\xa9", "caf\xc3\xa9" },
	{ "(?u:\\w)+", "\xc3\xa9", "\xc3\xa9" },
	{ "(?iu)FOO", "foo", "foo" },
	{ "\\<foo\\>", "foobar foo", "foo" },
	{ "\\<foo", "afoo foob", "foo" },
	{ "foo\\>", "foob afoo", "foo" },
	{ "\\b{start}foo\\b{end}", "xfoo foo", "foo" },
	{ "\\b{start-half}x", "ax x", "x" },
	{ "a\\b{end-half}", "ab a", "a" },
	{ "\\v", "a\x0b", "\x0b" },
	{ "[[:alpha:]]+", "\xc3\xa9t\xc3\xa9", "t" },
	{ "[[:digit:][:punct:]]+", "ab1,2", "1,2" },
	{ "[^[:space:]]+", "  ab ", "ab" },
	{ "\\p{Letter}+", "12\xc3\xa9x", "\xc3\xa9x" },
	{ "\\p{Uppercase_Letter}", "aB", "B" },
	{ "\\pN+", "a12", "12" },
	{ "\\d+", "x\xd9\xa3\xd9\xa4", "\xd9\xa3\xd9\xa4" },
	{ "[]a]+", "xa]", "a]" },
	{ "[^]a]+", "]ab", "b" },
	{ "[a\\-z]+", "m-a", "-a" },
	{ "[&~-]+", "a&~-", "&~-" },
	/* F54 */
	{ "interface{}", "x interface{} y", "interface{}" },
	{ "a{b}", "a{b}", "a{b}" },
	{ "{", "if {", "{" },
	{ "foo(?=bar)", "foo foobar", "foo" },
	{ "(?<!x)foo", "xfoo foo", "foo" },
	{ "(?<=a)b", "bab", "b" },
	{ "(\\w)\\1", "abccd", "cc" },
	{ "(?P<q>['\"]).*?(?P=q)", "a 'b' c", "'b'" },
	{ "\\((?:[^()]|(?R))*\\)", "f(a(b)c) d", "(a(b)c)" },
	{ "\\Qa.b\\E", "axb a.b", "a.b" },
	{ "a++b", "aaab", "aaab" },
	/* without multiline nothing reaches over a line end */
	{ "a\\s*b", "a\nb a b", "a b" },
	{ "a[^x]*b", "a\nab", "ab" },
	{ "a\\W*b", "a\n\na.b", "a.b" },
	{ "^b$", "a\nb\nc", "b" },
	{ "[^\\n]+", "ab\nc", "ab" },
};

static void patterns_mean_what_rust_means(void **state)
{
	for (size_t i = 0; i < COUNT_OF(means); i++) {
		auto_arena mem = ARENA_INIT;
		struct str got =
			found(means[i].pattern, means[i].text, &plain, &mem);

		print_message("# %zu\n", i);
		assert_str(got, means[i].match);
	}
}

/* F47 F53 F56 F57: refused, with words and the place. */
static const struct {
	const char *pattern;
	size_t at;
	const char *words;
} refused[] = {
	{ "[a-z&&[^b]]", 4, "&&" },
	{ "[\\w--\\d]", 3, "--" },
	{ "[a~~b]", 2, "~~" },
	{ "[a[bc]]", 2, "set in a set" },
	{ "(?-u)x", 3, "bytes" },
	{ "(?i-u:x)", 4, "bytes" },
	{ "a\\nb", 1, "multiline: true" },
	{ "a\nb", 1, "multiline: true" },
	{ "a\\x0ab", 1, "multiline: true" },
	{ "a\\u{a}b", 1, "multiline: true" },
	{ "[\\n]", 1, "multiline: true" },
	{ "a\\Cb", 3, "\\C" },
	{ "fo[o", 4, "missing terminating ]" },
	{ "a(b", 3, "missing closing parenthesis" },
	{ "ab)", 2, "unmatched closing parenthesis" },
	{ "*a", 0, "quantifier does not follow" },
	{ "\xc3\xa9*)", 2, "unmatched" },
	{ "\\u{41}(", 7, "missing closing" },
	{ "a\\", 2, "\\ at end of pattern" },
	{ "\\p{Nope}", 8, "unknown property" },
};

static void other_patterns_are_refused_with_words(void **state)
{
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		auto_arena mem = ARENA_INIT;
		struct regex_fault f = { 0 };

		print_message("# %zu\n", i);
		assert_null(regex_new(str_of(refused[i].pattern), &plain, &mem,
				      &f));
		assert_non_null(memmem(f.text.ptr, f.text.len, refused[i].words,
				       strlen(refused[i].words)));
		assert_int_equal(f.at, refused[i].at);
	}
}

static void a_long_pattern_is_refused(void **state)
{
	auto_arena mem = ARENA_INIT;
	char *text = arena_alloc(&mem, REGEX_MAX_PATTERN + 1);
	struct regex_fault f;
	struct regex *r;

	memset(text, 'a', REGEX_MAX_PATTERN + 1);
	r = regex_new(str_make(text, REGEX_MAX_PATTERN), &plain, &mem, &f);
	assert_non_null(r);
	regex_free(r);
	assert_null(regex_new(str_make(text, REGEX_MAX_PATTERN + 1), &plain,
			      &mem, &f));
}

static void multiline_takes_newlines(void **state)
{
	auto_arena mem = ARENA_INIT;

	assert_str(found("a\\nb", "xa\nb", &multiline, &mem), "a\nb");
	assert_str(found("a.b", "a\nb", &multiline, &mem), "a\nb");
	assert_str(found("a\\s+b", "a\n b", &multiline, &mem), "a\n b");
	assert_str(found("a[^x]b", "a\nb", &multiline, &mem), "a\nb");
	assert_str(found("^b", "a\nb", &multiline, &mem), "b");
}

/* F39: one character folds to one, by Unicode. */
static void case_folds_by_unicode(void **state)
{
	auto_arena mem = ARENA_INIT;

	assert_str(found("STRASSE", "x strasse", &caseless, &mem), "strasse");
	assert_str(found("\xc3\x89T\xc3\x89", "\xc3\xa9t\xc3\xa9", &caseless,
			 &mem),
		   "\xc3\xa9t\xc3\xa9");
	assert_str(found("kelvin",
			 "\xe2\x84\xaa"
			 "elvin",
			 &caseless, &mem),
		   "\xe2\x84\xaa"
		   "elvin");
	assert_str(found("stra\xc3\x9f"
			 "e",
			 "STRASSE", &caseless, &mem),
		   "-");
}

static const struct {
	const char *pattern, *literal;
	bool whole, is_plain;
} facts[] = {
	{ "foo", "foo", true, true },
	{ "f\\.o", "f.o", true, true },
	{ "(foo)(?:bar)", "foobar", true, true },
	{ "foo.*barbaz", "barbaz", false, true },
	{ "\\bfoo\\b", "foo", false, true },
	{ "^foo$", "foo", false, true },
	{ "fo+bar", "bar", false, true },
	{ "fo?bar", "bar", false, true },
	{ "foob*ar", "foo", false, true },
	{ "(foo|bar)", "", false, true },
	{ "foo|bar", "", false, true },
	{ "x(foo|bar)yz", "yz", false, true },
	{ "(abc)+d", "abc", false, true },
	{ "(abc){2,3}", "abc", false, true },
	{ "(abc){0,3}de", "de", false, true },
	{ "\\d+", "", false, true },
	{ "(?i)foo", "", false, true },
	{ "(?i)1x23", "23", false, true },
	{ "(?i:x)foo", "foo", false, true },
	{ "foo(?=bar)", "foo", false, false },
	{ "(?<!a)bar", "bar", false, false },
	{ "(a)\\1bcd", "bcd", false, false },
	{ "a++bc", "bc", false, false },
	{ "\\Afoo", "foo", false, false },
	{ "(?x) f o o # bar", "foo", false, true },
	{ "\\pLsx", "sx", false, true },
	{ "(a)\\12xy", "xy", false, false },
	{ "(a)\\g{1}xy", "xy", false, false },
	{ "(?<n>a)\\k<n>xy", "xy", false, false },
	{ "(a)\\g-1xy", "xy", false, false },
	{ "\\x4.ab", "ab", false, true },
	{ "\\cAbc", "bc", false, true },
	{ "\\o{101}bc", "bc", false, true },
	{ "ab(?#x)*cd", "cd", false, true },
	{ "ab(?#x)cd", "abcd", true, true },
	{ "(?x)ab * cd", "cd", false, true },
	{ "", "", false, true },
};

static void the_literal_of_a_pattern_is_in_every_match(void **state)
{
	for (size_t i = 0; i < COUNT_OF(facts); i++) {
		auto_arena mem = ARENA_INIT;
		struct regex_fault f;
		struct regex *r =
			regex_new(str_of(facts[i].pattern), &plain, &mem, &f);
		const struct translation *t;

		print_message("# %zu\n", i);
		assert_non_null(r);
		t = regex_facts(r);
		assert_str(t->literal, facts[i].literal);
		assert_int_equal(t->whole, facts[i].whole);
		assert_int_equal(t->is_plain, facts[i].is_plain);
		regex_free(r);
	}
}

/* F55 F56: a pattern ends at its limits, and cannot raise them. */
static void costly_patterns_end(void **state)
{
	static const char *const patterns[] = {
		"(a+)+$",
		"(?:a|aa)+$",
		"(*LIMIT_MATCH=4000000000)(a+)+$",
		"(a|a(?R)?a)*$",
	};
	auto_arena mem = ARENA_INIT;
	char *text = arena_alloc(&mem, 5000);

	memset(text, 'a', 5000);
	text[4999] = '!';
	for (size_t i = 0; i < COUNT_OF(patterns); i++) {
		struct regex_fault f;
		struct regex *r =
			regex_new(str_of(patterns[i]), &plain, &mem, &f);
		struct regex_matcher *m;
		struct regex_span span;

		assert_non_null(r);
		m = regex_matcher_new(r);
		assert_int_equal(regex_find(m, REGEX_UTF8, str_make(text, 5000),
					    0, &span),
				 REGEX_COSTLY);
		assert_int_equal(regex_find(m, REGEX_ASCII,
					    str_make(text, 5000), 0, &span),
				 REGEX_COSTLY);
		regex_matcher_free(m);
		regex_free(r);
	}
}

enum { LONG_TEXT = 70000 }; /* several windows of start positions */

/* A long text of @filler; what is put at @at is "needle". */
static struct str long_text(struct arena *mem, const char *filler, size_t at)
{
	size_t step = strlen(filler);
	char *text = arena_alloc(mem, LONG_TEXT);

	for (size_t i = 0; i < LONG_TEXT; i++)
		text[i] = filler[i % step];
	memcpy(text + at - at % step, "needle", 6);
	return str_make(text, LONG_TEXT - LONG_TEXT % step);
}

/* A long text is matched in windows, which changes no result. */
static const struct {
	const char *pattern;
	bool matches;
} anywhere[] = {
	{ "n[e]{2}dle", true },
	{ "(?<=x|\\xe9)n[e]{2}dle", true },
	{ "(?<!y)n[e]{2}dle", true },
	{ "[n]eed(?=le)", true },
	{ "(?:e|ee)+dl[e]", true },
	{ "\\Gn[e]{2}dle", false },
	{ "\\An[e]{2}dle", false },
	{ "n[e]{2}dle\\z", false },
	{ "(*COMMIT)\\w[e]{2}dle", false },
};

static void a_match_is_found_wherever_it_starts(void **state)
{
	static const struct {
		const char *filler;
		enum regex_text kind;
	} texts[] = { { "x", REGEX_ASCII },
		      { "\xc3\xa9", REGEX_UTF8 },
		      { "\xc3\xa9", REGEX_INVALID } };

	for (size_t i = 0; i < COUNT_OF(anywhere) * COUNT_OF(texts); i++) {
		const char *pattern = anywhere[i / COUNT_OF(texts)].pattern;
		size_t k = i % COUNT_OF(texts);
		auto_arena mem = ARENA_INIT;
		struct regex_fault f;
		struct regex *r = regex_new(str_of(pattern), &plain, &mem, &f);
		struct regex_matcher *m;

		print_message("# %s, %zu\n", pattern, k);
		assert_non_null(r);
		m = regex_matcher_new(r);
		for (size_t at = 16384 - 8; at < LONG_TEXT - 8;
		     at += at % 16384 == 8 ? 16384 - 16 : 1) {
			auto_arena own = ARENA_INIT;
			struct regex_span span = { 0 };
			struct str text = long_text(&own, texts[k].filler, at);
			enum regex_result want =
				anywhere[i / COUNT_OF(texts)].matches
					? REGEX_FOUND
					: REGEX_NONE;

			assert_int_equal(regex_find(m, texts[k].kind, text, 0,
						    &span),
					 want);
			if (want == REGEX_FOUND)
				assert_in_range(span.start, at - 1, at + 1);
		}
		regex_matcher_free(m);
		regex_free(r);
	}
}

static bool third_poll(void *ctx)
{
	unsigned *polls = ctx;

	return ++*polls >= 3;
}

/* F55 F75 F77: also within a single line, for which a match takes minutes. */
static void matching_can_be_cancelled(void **state)
{
	enum { LONG_LINE = 1024 * 1024 };
	static const enum regex_text kinds[] = { REGEX_ASCII, REGEX_UTF8,
						 REGEX_INVALID };
	auto_arena mem = ARENA_INIT;
	char *text = arena_alloc(&mem, LONG_LINE);
	struct regex_fault f;
	struct regex *r = regex_new(STR("(a|aa)+!?[bc]"), &plain, &mem, &f);
	struct regex_matcher *m = regex_matcher_new(r);

	for (size_t i = 0; i < LONG_LINE; i++)
		text[i] = i % 24 ? 'a' : ' ';
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct regex_span span;
		unsigned polls = 0;

		cancel_begin(third_poll, &polls);
		assert_int_equal(regex_find(m, kinds[i],
					    str_make(text, LONG_LINE), 0,
					    &span),
				 REGEX_NONE);
		assert_int_equal(polls, 3);
		/* once it is cancelled, nothing more is matched */
		assert_int_equal(regex_find(m, kinds[i], STR("aab"), 0, &span),
				 REGEX_NONE);
		cancel_end();
		assert_int_equal(regex_find(m, kinds[i], STR("aab"), 0, &span),
				 REGEX_FOUND);
	}
	regex_matcher_free(m);
	regex_free(r);
}

/* A second pattern at the same time is interpreted, and means the same. */
static void one_pattern_at_a_time_has_machine_code(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct regex_fault f;
	struct regex *one = regex_new(STR("a\\d+"), &plain, &mem, &f);
	struct regex *two = regex_new(STR("b\\d+"), &plain, &mem, &f);
	struct regex_matcher *m = regex_matcher_new(two);
	struct regex_span span;

	assert_false(regex_has_jit(two));
	assert_int_equal(regex_find(m, REGEX_ASCII, STR("a1 b23"), 0, &span),
			 REGEX_FOUND);
	assert_int_equal(span.start, 3);
	regex_matcher_free(m);
	regex_free(two);
	regex_free(one);
	one = regex_new(STR("a\\d+"), &plain, &mem, &f);
	two = regex_new(STR("literal"), &plain, &mem, &f);
	assert_false(regex_has_jit(two));
	regex_free(two);
	regex_free(one);
}

/* F61: bytes that are no UTF-8 match nothing, what is around them does. */
static void invalid_bytes_match_nothing(void **state)
{
	static const struct {
		const char *pattern, *match;
	} rules[] = {
		{ "a.b", "-" }, { "a[^x]b", "-" }, { "b c", "b c" },
		{ "^a", "a" },  { "b", "b" },
	};
	struct str text = STR("a\xed\xb3\xbf"
			      "b c");

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_arena mem = ARENA_INIT;
		struct regex_fault f;
		struct regex *r =
			regex_new(str_of(rules[i].pattern), &plain, &mem, &f);
		struct regex_matcher *m = regex_matcher_new(r);
		struct regex_span span;
		struct str got = STR("-");

		if (regex_find(m, REGEX_INVALID, text, 0, &span) == REGEX_FOUND)
			got = str_sub(text, span.start, span.end);
		assert_str(got, rules[i].match);
		regex_matcher_free(m);
		regex_free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_mean_what_rust_means),
		cmocka_unit_test(other_patterns_are_refused_with_words),
		cmocka_unit_test(a_long_pattern_is_refused),
		cmocka_unit_test(multiline_takes_newlines),
		cmocka_unit_test(case_folds_by_unicode),
		cmocka_unit_test(the_literal_of_a_pattern_is_in_every_match),
		cmocka_unit_test(costly_patterns_end),
		cmocka_unit_test(a_match_is_found_wherever_it_starts),
		cmocka_unit_test(matching_can_be_cancelled),
		cmocka_unit_test(one_pattern_at_a_time_has_machine_code),
		cmocka_unit_test(invalid_bytes_match_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
