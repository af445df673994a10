/*
 * test_json_parse.c - the JSON parser: what it accepts, refuses and limits.
 */
#include "../unit.h"

#include "base/json.h"

#include <stdlib.h>

static const char *const accepted[] = {
	"null",
	"true",
	"false",
	"0",
	"-0",
	"10",
	"-1.5",
	"1.25e+10",
	"1E-5",
	"0e0",
	"\"\"",
	"\"a\"",
	"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
	"\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"",
	"\"\x7f\"",
	"\"\xe2\x80\xa8\xe2\x80\xa9\"", /* U+2028, U+2029 */
	"\"\\ud83d\\ude00\"",
	"\"\\ud800\"", /* lone surrogate: JSON.parse accepts it, json_text() does not */
	"[]",
	"[ ]",
	"{}",
	"{ }",
	" \t\r\n[1 , 2]\n ",
	"[[],{},[{}]]",
	"{\"a\":1,\"a\":2}",
	"{\"\":null}",
	"{\"a\":{\"b\":[1,\"x\",false]}}",
};

static const struct {
	const char *text;
	size_t offset;
	const char *why;
} refused[] = {
	{ "", 0, "unexpected end" },
	{ "  ", 2, "unexpected end" },
	{ "x", 0, "unexpected character" },
	{ "nul", 3, "unexpected end" },
	{ "nulL", 3, "unexpected character" },
	{ "True", 0, "unexpected character" },
	{ "NaN", 0, "unexpected character" },
	{ "Infinity", 0, "unexpected character" },
	{ "-Infinity", 1, "unexpected character" },
	{ "undefined", 0, "unexpected character" },
	{ "1 2", 2, "more after the value" },
	{ "{}}", 2, "more after the value" },
	{ "nullx", 4, "more after the value" },
	{ "01", 1, "more after the value" },
	{ "-", 1, "unexpected end" },
	{ "-a", 1, "unexpected character" },
	{ "+1", 0, "unexpected character" },
	{ ".5", 0, "unexpected character" },
	{ "1.", 2, "unexpected end" },
	{ "1.e1", 2, "unexpected character" },
	{ "1e", 2, "unexpected end" },
	{ "1e+", 3, "unexpected end" },
	{ "[1e+]", 4, "unexpected character" },
	{ "0x10", 1, "more after the value" },
	{ "1_000", 1, "more after the value" },
	{ "'a'", 0, "unexpected character" },
	{ "\"", 1, "unexpected end" },
	{ "\"abc", 4, "unexpected end" },
	{ "\"abc\\", 4, "bad escape" },
	{ "\"abc\\\"", 6, "unexpected end" },
	{ "\"\\x41\"", 1, "bad escape" },
	{ "\"\\'\"", 1, "bad escape" },
	{ "\"\\u12\"", 1, "bad escape" },
	{ "\"\\u12g4\"", 1, "bad escape" },
	{ "\"\\U0041\"", 1, "bad escape" },
	{ "\"ab\\ud83d\\u12\"", 9, "bad escape" },
	{ "\"a\nb\"", 2, "control character in string" },
	{ "\"a\tb\"", 2, "control character in string" },
	{ "\"a\x1f\"", 2, "control character in string" },
	{ "\"0123456789abcdef0123456789\x01\"", 27,
	  "control character in string" },
	{ "[", 1, "unexpected end" },
	{ "[1", 2, "unexpected end" },
	{ "[1,", 3, "unexpected end" },
	{ "[1,]", 3, "unexpected character" },
	{ "[,1]", 1, "unexpected character" },
	{ "[1 2]", 3, "unexpected character" },
	{ "[1}", 2, "unexpected character" },
	{ "]", 0, "unexpected character" },
	{ "{", 1, "unexpected end" },
	{ "{\"a\"", 4, "unexpected end" },
	{ "{\"a\":", 5, "unexpected end" },
	{ "{\"a\":}", 5, "unexpected character" },
	{ "{\"a\" 1}", 5, "unexpected character" },
	{ "{\"a\":1,}", 7, "unexpected character" },
	{ "{\"a\":1]", 6, "unexpected character" },
	{ "{a:1}", 1, "unexpected character" },
	{ "{1:1}", 1, "unexpected character" },
	{ "{,}", 1, "unexpected character" },
	{ "[1]//c", 3, "more after the value" },
	{ "/**/1", 0, "unexpected character" },
	{ "\v1", 0, "unexpected character" },
	{ "\xc2\xa0"
	  "1",
	  0,
	  "unexpected character" }, /* white space that JSON does not allow */
	{ "\xef\xbb\xbf{}", 0, "byte order mark" },
	{ "[\xef\xbb\xbf]", 1, "unexpected character" },
	{ "\"\xff\"", 1, "invalid UTF-8" },
	{ "\"ab\xc3\"", 3, "invalid UTF-8" },
	{ "\"\xed\xa0\x80\"", 1, "invalid UTF-8" },
	{ "\"\xc0\x80\"", 1, "invalid UTF-8" },
	{ "[1]\xff", 3, "invalid UTF-8" },
	{ "\xff", 0, "invalid UTF-8" },
	{ "[1,,\xff", 3,
	  "unexpected character" }, /* the first error is reported */
};

static struct json must_parse(struct str text, struct arena *mem)
{
	struct json_error error = { 0, "" };
	struct json v = { NULL, 0 };
	enum err e = json_parse(text, NULL, mem, &v, &error);

	if (e)
		print_message("%zu: %s\n", error.offset, error.why);
	assert_int_equal(e, ERR_OK);
	return v;
}

static void assert_refused(struct str text, const struct json_limits *limits,
			   size_t offset, const char *why)
{
	auto_arena mem = ARENA_INIT;
	struct json_error error = { 12345, "not set" };
	struct json v = { NULL, 77 };

	assert_int_equal(json_parse(text, limits, &mem, &v, &error), ERR_PARSE);
	assert_string_equal(error.why, why);
	assert_int_equal(error.offset, offset);
	assert_null(v.doc); /* outputs are set only on success */
	assert_int_equal(v.at, 77);
}

/*
 * Parse from memory that ends with the text, so that a sanitizer sees a read
 * past it.
 */
static char *exact(struct str text)
{
	char *p = malloc(text.len ? text.len : 1);

	assert_non_null(p);
	if (text.len)
		memcpy(p, text.ptr, text.len);
	return p;
}

static void what_json_is_gets_parsed(void **state)
{
	for (size_t i = 0; i < COUNT_OF(accepted); i++) {
		auto_arena mem = ARENA_INIT;
		struct str text = str_of(accepted[i]);
		char *p = exact(text);
		struct json v = must_parse(str_make(p, text.len), &mem);

		assert_int_not_equal(json_kind(v), JSON_NONE);
		free(p);
	}
}

/* X18: every error has its offset and reason */
static void what_is_not_json_is_refused_where_it_goes_wrong(void **state)
{
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		struct str text = str_of(refused[i].text);
		char *p = exact(text);

		assert_refused(str_make(p, text.len), NULL, refused[i].offset,
			       refused[i].why);
		free(p);
	}
}

static void a_nul_byte_is_refused_anywhere(void **state)
{
	assert_refused(STR("\0"), NULL, 0, "unexpected character");
	assert_refused(STR("1\0"), NULL, 1, "more after the value");
	assert_refused(STR("[1\0]"), NULL, 2, "unexpected character");
	assert_refused(STR("\"a\0b\""), NULL, 2, "control character in string");
	assert_refused(STR("{\"a\"\0:1}"), NULL, 4, "unexpected character");
}

/* Every prefix of a text is refused, at its end or at a cut escape. */
static void a_cut_off_text_is_refused(void **state)
{
	struct str text = STR("{\"a\":[1.5e3,true,null,\"x\\u00e9\\ud83d\\ude00"
			      "\xc3\xa9\"],\"b\":{\"c\":false}}");

	for (size_t n = 0; n < text.len; n++) {
		auto_arena mem = ARENA_INIT;
		struct json_error error = { 12345, NULL };
		struct json v;
		char *p = exact(str_head(text, n));

		assert_int_equal(json_parse(str_make(p, n), NULL, &mem, &v,
					    &error),
				 ERR_PARSE);
		assert_non_null(error.why);
		assert_true(error.offset <= n);
		free(p);
	}
}

static struct str repeat(struct arena *mem, char c, size_t n)
{
	char *p = arena_alloc(mem, n);

	memset(p, c, n);
	return str_make(p, n);
}

/* @depth nested arrays. */
static struct str nest(struct arena *mem, size_t depth)
{
	char *p = arena_alloc(mem, 2 * depth);

	memset(p, '[', depth);
	memset(p + depth, ']', depth);
	return str_make(p, 2 * depth);
}

/* X19: depth is bounded, and no depth reaches the C stack */
static void nesting_is_bounded(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct json_limits deep = { .max_depth = 1000000 };
	struct json_limits flat = { .max_depth = 1 };
	struct json_error error;
	struct json_walk w;
	size_t levels;
	struct json v;

	(void)must_parse(nest(&mem, 128), &mem);
	assert_refused(nest(&mem, 129), NULL, 128, "nested too deeply");
	assert_refused(nest(&mem, 10000), NULL, 128, "nested too deeply");
	assert_refused(repeat(&mem, '[', 5000000), NULL, 128,
		       "nested too deeply");
	assert_refused(STR("{\"a\":{}}"), &flat, 5, "nested too deeply");
	assert_int_equal(json_parse(nest(&mem, 1000000), &deep, &mem, &v,
				    &error),
			 ERR_OK);
	assert_refused(nest(&mem, 1000001), &deep, 1000000,
		       "nested too deeply");
	w = json_walk(v);
	for (levels = 1; json_step(&w); levels++)
		w = json_walk(w.value);
	assert_int_equal(levels, 1000000);
}

/* Only open containers count as depth. */
static void siblings_are_not_depth(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf b = BUF_INIT;

	buf_addc(&b, '[');
	for (int i = 0; i < 1000; i++)
		buf_lit(&b, "[{}],");
	buf_lit(&b, "0]");
	assert_int_equal(json_count(must_parse(buf_str(&b), &mem)), 1001);
}

/* X19: the number of values is bounded */
static void values_are_bounded(void **state)
{
	struct json_limits three = { .max_nodes = 3 };
	auto_arena mem = ARENA_INIT;
	struct json_error error;
	struct json v;

	assert_int_equal(json_parse(STR("[1,2]"), &three, &mem, &v, &error),
			 ERR_OK);
	assert_refused(STR("[1,2,3]"), &three, 5, "too many values");
	assert_refused(STR("{\"a\":[]}"), &(struct json_limits){ 0, 2 }, 5,
		       "too many values");
}

/* X19: a text too large for the tape is refused unread */
static void four_gigabytes_are_refused(void **state)
{
	assert_refused(str_make("1", (size_t)UINT32_MAX), NULL, 0,
		       "text too large");
	assert_refused(str_make("1", SIZE_MAX), NULL, 0, "text too large");
}

/* X19: a huge text is parsed */
static void a_huge_text_is_parsed(void **state)
{
	enum { COUNT = 300000 };
	auto_arena mem = ARENA_INIT;
	auto_buf b = BUF_INIT;
	struct json_walk w;
	int64_t want = 0, n;
	struct json v;

	buf_addc(&b, '[');
	for (int i = 0; i < COUNT; i++)
		buf_addf(&b, "%s{\"n\": %d}", i ? ",\n" : "", i);
	buf_addc(&b, ']');
	v = must_parse(buf_str(&b), &mem);
	assert_int_equal(json_count(v), COUNT);
	for (w = json_walk(v); json_step(&w); want++) {
		if (!json_int(json_get(w.value, "n"), &n))
			n = -1;
		if (n != want)
			assert_int_equal(n, want);
	}
	assert_int_equal(want, COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_json_is_gets_parsed),
		cmocka_unit_test(
			what_is_not_json_is_refused_where_it_goes_wrong),
		cmocka_unit_test(a_nul_byte_is_refused_anywhere),
		cmocka_unit_test(a_cut_off_text_is_refused),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(siblings_are_not_depth),
		cmocka_unit_test(values_are_bounded),
		cmocka_unit_test(four_gigabytes_are_refused),
		cmocka_unit_test(a_huge_text_is_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
