/*
 * test_json.c - reading values of JSON documents.
 */
#include "../unit.h"

#include "base/json.h"

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

static struct str repeat(struct arena *mem, char c, size_t n)
{
	char *p = arena_alloc(mem, n);

	memset(p, c, n);
	return str_make(p, n);
}

static const struct {
	const char *text;
	enum json_kind kind;
	size_t count;
} kinds[] = {
	{ " null", JSON_NULL, 0 },
	{ "false", JSON_FALSE, 0 },
	{ "true", JSON_TRUE, 0 },
	{ "-1e5 ", JSON_NUMBER, 0 },
	{ "\"x\"", JSON_STRING, 0 },
	{ "[]", JSON_ARRAY, 0 },
	{ "[[1,2,3],{\"a\":[]}]", JSON_ARRAY, 2 },
	{ "{}", JSON_OBJECT, 0 },
	{ "{\"a\":{\"b\":1,\"c\":2},\"d\":[1,2,3],\"a\":0}", JSON_OBJECT, 3 },
};

static void kinds_and_counts_are_those_of_the_text(void **state)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		auto_arena mem = ARENA_INIT;
		struct json v = must_parse(str_of(kinds[i].text), &mem);

		assert_int_equal(json_kind(v), kinds[i].kind);
		assert_true(json_is(v, kinds[i].kind));
		assert_int_equal(json_count(v), kinds[i].count);
	}
}

static void raw_is_the_value_as_it_stands(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct json v = must_parse(STR(" {\"a\" : [ 1, -2.50e1 ], \"b\": "
				       "\"\\u0041\"} "),
				   &mem);

	assert_str(json_raw(v), "{\"a\" : [ 1, -2.50e1 ], \"b\": \"\\u0041\"}");
	assert_str(json_raw(json_get(v, "a")), "[ 1, -2.50e1 ]");
	assert_str(json_raw(json_get(v, "b")), "\"\\u0041\"");
}

static void walking_visits_every_member_in_order(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct json v = must_parse(
		STR("{\"a\":[[1,2],{\"x\":3}],\"b\":{},\"c\":\"s\"}"), &mem);
	static const char *const keys[] = { "a", "b", "c" };
	static const char *const raws[] = { "[[1,2],{\"x\":3}]", "{}",
					    "\"s\"" };
	struct json_walk w = json_walk(v);
	size_t n = 0;

	for (; json_step(&w); n++) {
		assert_true(json_str_is(w.key, keys[n]));
		assert_str(json_raw(w.value), raws[n]);
	}
	assert_int_equal(n, 3);
	assert_false(json_step(&w));
	w = json_walk(json_get(v, "a"));
	assert_true(json_step(&w));
	assert_str(json_raw(w.value), "[1,2]");
	assert_int_equal(json_kind(w.key), JSON_NONE);
	assert_true(json_step(&w));
	assert_str(json_raw(w.value), "{\"x\":3}");
	assert_false(json_step(&w));
}

static void what_is_not_there_is_none_and_look_ups_chain(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct json v = must_parse(STR("{\"a\":{\"b\":7}}"), &mem);
	struct json none = json_get(json_get(json_get(v, "x"), "y"), "z");
	struct json_walk w = json_walk(none);
	struct str s = STR("kept");
	int64_t n = 5;
	bool b = true;

	assert_int_equal(json_kind(none), JSON_NONE);
	assert_int_equal(json_kind(json_get(json_get(v, "a"), "b")),
			 JSON_NUMBER);
	assert_int_equal(json_kind(json_get(json_get(json_get(v, "a"), "b"),
					    "c")),
			 JSON_NONE);
	assert_str(json_raw(none), "");
	assert_int_equal(json_count(none), 0);
	assert_false(json_step(&w));
	assert_false(json_text(none, &mem, &s));
	assert_false(json_int(none, &n));
	assert_false(json_bool(none, &b));
	assert_false(json_str_is(none, ""));
	assert_false(json_duplicate_key(none, &mem, &s));
	assert_str(s, "kept");
	assert_int_equal(n, 5);
}

static void an_array_is_not_searched_for_keys(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct json v = must_parse(STR("[\"a\",1]"), &mem);

	assert_int_equal(json_kind(json_get(v, "a")), JSON_NONE);
}

static const struct {
	struct str text;
	bool ok;
	struct str want;
} texts[] = {
	{ STR_INIT("\"\""), true, STR_INIT("") },
	{ STR_INIT("\"plain\""), true, STR_INIT("plain") },
	{ STR_INIT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), true,
	  STR_INIT("\"\\/\b\f\n\r\t") },
	{ STR_INIT("\"\\u0000\""), true, STR_INIT("\0") },
	{ STR_INIT("\"a\\u0041z\\u007f\""), true, STR_INIT("aAz\x7f") },
	{ STR_INIT("\"\\u0080\\u07fF\""), true, STR_INIT("\xc2\x80\xdf\xbf") },
	{ STR_INIT("\"\\u0800\\uffff\\uFEFF\""), true,
	  STR_INIT("\xe0\xa0\x80\xef\xbf\xbf\xef\xbb\xbf") },
	{ STR_INIT("\"\\ud800\\udc00\\uDBFF\\uDFFF\""), true,
	  STR_INIT("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf") },
	{ STR_INIT("\"\\ud83d\\ude00\""), true, STR_INIT("\xf0\x9f\x98\x80") },
	{ STR_INIT("\"\xf0\x9f\x98\x80\\n\""), true,
	  STR_INIT("\xf0\x9f\x98\x80\n") },
	{ STR_INIT("\"\\\\u0041\""), true, STR_INIT("\\u0041") },
	{ STR_INIT("\"\\\\\\\\n\""), true, STR_INIT("\\\\n") },
	{ STR_INIT("\"\\ud83d\""), false, STR_INIT("") },
	{ STR_INIT("\"\\ude00\""), false, STR_INIT("") },
	{ STR_INIT("\"\\ude00\\ud83d\""), false, STR_INIT("") },
	{ STR_INIT("\"\\ud83d\\ud83d\\ude00\""), false, STR_INIT("") },
	{ STR_INIT("\"\\ud83d\\\\ude00\""), false, STR_INIT("") },
	{ STR_INIT("\"\\ud83dx\\ude00\""), false, STR_INIT("") },
	{ STR_INIT("\"\\ud83d\\n\""), false, STR_INIT("") },
	{ STR_INIT("\"\\uD83D\\u0041\""), false, STR_INIT("") },
	{ STR_INIT("1"), false, STR_INIT("") },
	{ STR_INIT("[\"a\"]"), false, STR_INIT("") },
	{ STR_INIT("null"), false, STR_INIT("") },
};

/* X18 R60: strings are decoded; a lone surrogate is refused */
static void strings_decode_as_their_table_says(void **state)
{
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		auto_arena mem = ARENA_INIT;
		struct json v = must_parse(texts[i].text, &mem);
		struct str got = STR("kept");

		assert_int_equal(json_text(v, &mem, &got), texts[i].ok);
		if (texts[i].ok)
			assert_true(str_eq(got, texts[i].want));
		else
			assert_str(got, "kept");
	}
}

static void a_plain_string_is_a_view_into_the_text(void **state)
{
	auto_arena mem = ARENA_INIT;
	const char text[] = "[\"plain\"]";
	struct json_walk w = json_walk(must_parse(str_of(text), &mem));
	struct str s;

	assert_true(json_step(&w));
	assert_true(json_text(w.value, &mem, &s));
	assert_ptr_equal(s.ptr, text + 2);
}

/* A decoded string keeps only the memory it needs. */
static void decoding_gives_back_what_it_did_not_use(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf b = BUF_INIT;
	struct json v;
	struct str s;
	char *next;

	buf_addc(&b, '"');
	for (int i = 0; i < 1000; i++)
		buf_lit(&b, "\\u0041");
	buf_addc(&b, '"');
	v = must_parse(buf_str(&b), &mem);
	assert_true(json_text(v, &mem, &s));
	assert_int_equal(s.len, 1000);
	next = arena_alloc(&mem, 1);
	assert_true(next - s.ptr >= 1000 && next - s.ptr < 1064);
}

static const struct {
	const char *text;
	bool ok;
	int64_t want;
} ints[] = {
	{ "0", true, 0 },
	{ "-0", true, 0 },
	{ "0.0", true, 0 },
	{ "0e999999999999999999999", true, 0 },
	{ "-0.000e-99999999999999999999", true, 0 },
	{ "10", true, 10 },
	{ "10.0", true, 10 },
	{ "1e1", true, 10 },
	{ "1E+1", true, 10 },
	{ "100e-1", true, 10 },
	{ "0.1e2", true, 10 },
	{ "0.00010e5", true, 10 },
	{ "1000000000000000000000000e-23", true, 10 },
	{ "-10", true, -10 },
	{ "101", true, 101 },
	{ "10010.0010e3", true, 10010001 },
	{ "9007199254740992", true, INT64_C(9007199254740992) },
	{ "-9007199254740992", true, INT64_C(-9007199254740992) },
	{ "9007199254740992.000", true, INT64_C(9007199254740992) },
	{ "90071992547409.92e2", true, INT64_C(9007199254740992) },
	{ "9007199254740993", false, 0 },
	{ "-9007199254740993", false, 0 },
	{ "9007199254740992.1", false, 0 },
	{ "9999999999999999", false, 0 },
	{ "1e15", true, INT64_C(1000000000000000) },
	{ "1e16", false, 0 },
	{ "1e308", false, 0 },
	{ "1e99999999999999999999", false, 0 },
	{ "1e-99999999999999999999", false, 0 },
	{ "18446744073709551616", false, 0 },
	{ "18446744073709551626", false, 0 },
	{ "1.5", false, 0 },
	{ "1e-1", false, 0 },
	{ "12e-1", false, 0 },
	{ "0.1", false, 0 },
	{ "\"1\"", false, 0 },
	{ "true", false, 0 },
	{ "[1]", false, 0 },
};

static void integers_follow_their_table(void **state)
{
	for (size_t i = 0; i < COUNT_OF(ints); i++) {
		auto_arena mem = ARENA_INIT;
		struct json v = must_parse(str_of(ints[i].text), &mem);
		int64_t got = 0;

		assert_int_equal(json_int(v, &got), ints[i].ok);
		assert_int_equal(got, ints[i].want);
	}
}

/* An exponent may cancel any number of zeros. */
static void an_integer_may_be_written_at_length(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf b = BUF_INIT;
	int64_t n = 0;

	buf_lit(&b, "0.");
	buf_add(&b, repeat(&mem, '0', 99999));
	buf_lit(&b, "7e100001");
	assert_true(json_int(must_parse(buf_str(&b), &mem), &n));
	assert_int_equal(n, 70);
	b.len = 0;
	buf_addc(&b, '8');
	buf_add(&b, repeat(&mem, '0', 100000));
	buf_lit(&b, "e-100000");
	assert_true(json_int(must_parse(buf_str(&b), &mem), &n));
	assert_int_equal(n, 8);
}

static void only_true_and_false_are_booleans(void **state)
{
	auto_arena mem = ARENA_INIT;
	bool b = false;

	assert_true(json_bool(must_parse(STR("true"), &mem), &b));
	assert_true(b);
	assert_true(json_bool(must_parse(STR("false"), &mem), &b));
	assert_false(b);
	assert_false(json_bool(must_parse(STR("1"), &mem), &b));
	assert_false(json_bool(must_parse(STR("\"true\""), &mem), &b));
	assert_false(json_bool(must_parse(STR("null"), &mem), &b));
}

static const struct {
	const char *text, *want;
	bool equal;
} equals[] = {
	{ "\"\"", "", true },
	{ "\"a\"", "a", true },
	{ "\"a\"", "b", false },
	{ "\"a\"", "ab", false },
	{ "\"ab\"", "a", false },
	{ "\"\\u0061\"", "a", true },
	{ "\"p\\u0061th\"", "path", true },
	{ "\"p\\u0061th\"", "pat", false },
	{ "\"p\\u0061t\"", "path", false },
	{ "\"p\\u0061thx\"", "path", false },
	{ "\"\\n\"", "\n", true },
	{ "\"\\n\"", "", false },
	{ "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", true },
	{ "\"\\ud83d\\ude00\"", "\xf0\x9f\x98", false },
	{ "\"\\ud83d\"", "\xed\xa0\xbd", false },
	{ "\"a\\u0000b\"", "a", false },
	{ "1", "1", false },
};

static void a_string_is_compared_decoded(void **state)
{
	for (size_t i = 0; i < COUNT_OF(equals); i++) {
		auto_arena mem = ARENA_INIT;
		struct json v = must_parse(str_of(equals[i].text), &mem);

		assert_int_equal(json_str_is(v, equals[i].want),
				 equals[i].equal);
	}
}

static const struct {
	const char *text;
	const char *last; /* raw value of the last "a" */
	const char *twice;
} twices[] = {
	{ "{}", "", NULL },
	{ "{\"a\":1}", "1", NULL },
	{ "{\"a\":1,\"b\":2}", "1", NULL },
	{ "{\"a\":1,\"b\":2,\"a\":3}", "3", "a" },
	{ "{\"a\":1,\"\\u0061\":2}", "2", "a" },
	{ "{\"\\u0061\":1,\"A\":2}", "1", NULL },
	{ "{\"\":1,\"a\":0,\"\":1}", "0", "" },
	{ "{\"x\":1,\"b\":1,\"b\":2,\"a\":4,\"a\":5,\"x\":2}", "5", "b" },
	{ "{\"x\":{\"a\":1,\"a\":2},\"y\":0}", "", NULL },
	{ "{\"\\ud800\":1,\"\\ud801\":2}", "", NULL },
	{ "{\"\\ud800\":1,\"\\uD800\":2}", "", "\xed\xa0\x80" },
	{ "[\"a\",\"a\"]", "", NULL },
	{ "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"a\":2}",
	  "2", "a" },
	{ "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"a\":2}",
	  "2", "a" },
};

static void the_last_of_equal_keys_counts_and_two_are_told(void **state)
{
	for (size_t i = 0; i < COUNT_OF(twices); i++) {
		auto_arena mem = ARENA_INIT;
		struct json v = must_parse(str_of(twices[i].text), &mem);
		struct str key = STR("kept");

		assert_str(json_raw(json_get(v, "a")), twices[i].last);
		assert_int_equal(json_duplicate_key(v, &mem, &key),
				 twices[i].twice != NULL);
		assert_str(key, twices[i].twice ? twices[i].twice : "kept");
	}
}

/* X19: duplicate keys are found among 200,000 in time */
static void two_equal_keys_among_many_are_found(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf b = BUF_INIT;
	struct str key;

	buf_addc(&b, '{');
	for (int i = 0; i < 200000; i++)
		buf_addf(&b, "\"key%d\":%d,", i == 190000 ? 5 : i, i);
	buf_lit(&b, "\"end\":0}");
	assert_true(
		json_duplicate_key(must_parse(buf_str(&b), &mem), &mem, &key));
	assert_str(key, "key5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_and_counts_are_those_of_the_text),
		cmocka_unit_test(raw_is_the_value_as_it_stands),
		cmocka_unit_test(walking_visits_every_member_in_order),
		cmocka_unit_test(what_is_not_there_is_none_and_look_ups_chain),
		cmocka_unit_test(an_array_is_not_searched_for_keys),
		cmocka_unit_test(strings_decode_as_their_table_says),
		cmocka_unit_test(a_plain_string_is_a_view_into_the_text),
		cmocka_unit_test(decoding_gives_back_what_it_did_not_use),
		cmocka_unit_test(integers_follow_their_table),
		cmocka_unit_test(an_integer_may_be_written_at_length),
		cmocka_unit_test(only_true_and_false_are_booleans),
		cmocka_unit_test(a_string_is_compared_decoded),
		cmocka_unit_test(
			the_last_of_equal_keys_counts_and_two_are_told),
		cmocka_unit_test(two_equal_keys_among_many_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
