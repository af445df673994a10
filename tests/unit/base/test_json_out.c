/*
 * test_json_out.c - writing JSON.
 */
#include "../unit.h"

#include "base/json.h"
#include "base/utf8_valid.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	struct str text;
	const char *escaped;
} escapes[] = {
	{ STR_INIT(""), "" },
	{ STR_INIT("plain / text"), "plain / text" },
	{ STR_INIT("\"\\"), "\\\"\\\\" },
	{ STR_INIT("\b\f\n\r\t"), "\\b\\f\\n\\r\\t" },
	{ STR_INIT("\0"), "\\u0000" },
	{ STR_INIT("\x01\x0b\x0e\x1f"), "\\u0001\\u000b\\u000e\\u001f" },
	{ STR_INIT("\x7f"), "\x7f" },
	{ STR_INIT("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
	  "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
	{ STR_INIT("\xe2\x80\xa8\xe2\x80\xa9"),
	  "\xe2\x80\xa8\xe2\x80\xa9" }, /* U+2028, U+2029 */
	/* invalid UTF-8, replaced as browsers do */
	{ STR_INIT("a\xff"), "a\xef\xbf\xbd" },
	{ STR_INIT("\xff\xfe"), "\xef\xbf\xbd\xef\xbf\xbd" },
	{ STR_INIT("\xe2\x82"), "\xef\xbf\xbd" },
	{ STR_INIT("\xe2\x82\n\xf0\x9f\x98\"\xc3\xa9"),
	  "\xef\xbf\xbd\\n\xef\xbf\xbd\\\"\xc3\xa9" },
	{ STR_INIT("\xed\xa0\x80"),
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* surrogate */
	{ STR_INIT("\xc0\x80"), "\xef\xbf\xbd\xef\xbf\xbd" },
};

/* R60 X18: only required escapes, and U+FFFD for invalid bytes */
static void escaping_follows_its_table(void **state)
{
	for (size_t i = 0; i < COUNT_OF(escapes); i++) {
		auto_buf b = BUF_INIT;

		json_escape(&b, escapes[i].text);
		assert_str(buf_str(&b), escapes[i].escaped);
		assert_int_equal(json_escaped_len(escapes[i].text), b.len);
	}
}

static void must_put(struct str text, size_t room, struct str want, bool full)
{
	auto_buf got = BUF_UPTO(room);
	struct json_out o = json_out(&got);

	json_put_str(&o, text);
	assert_int_equal(got.full, full);
	assert_true(full || str_eq(buf_str(&got), want));
}

/* A quoted value of any length, with any room left. */
static void a_string_is_its_escaped_text_in_quotes(void **state)
{
	for (size_t i = 0; i < COUNT_OF(escapes); i++)
		for (size_t n = 0; n < 150; n++) {
			auto_buf text = BUF_INIT, want = BUF_INIT;

			for (size_t k = 0; k < n; k++)
				buf_addc(&text, 'x');
			buf_add(&text, escapes[i].text);
			buf_addc(&want, '"');
			json_escape(&want, buf_str(&text));
			buf_addc(&want, '"');
			must_put(buf_str(&text), 0, buf_str(&want), false);
			must_put(buf_str(&text), want.len, buf_str(&want),
				 false);
			must_put(buf_str(&text), want.len - 1, buf_str(&want),
				 true);
		}
}

/* The same in the middle of a long text, for the vector code. */
static void the_table_holds_anywhere_in_a_text(void **state)
{
	for (size_t i = 0; i < COUNT_OF(escapes); i++)
		for (size_t n = 0; n < 150; n++) {
			auto_buf text = BUF_INIT, want = BUF_INIT,
				 got = BUF_INIT;

			for (size_t k = 0; k < n; k++) {
				buf_addc(&text, 'x');
				buf_addc(&want, 'x');
			}
			buf_add(&text, escapes[i].text);
			buf_add(&want, str_of(escapes[i].escaped));
			for (size_t k = 0; k < 150; k++) {
				buf_addc(&text, ' ');
				buf_addc(&want, ' ');
			}
			json_escape(&got, buf_str(&text));
			assert_true(str_eq(buf_str(&got), buf_str(&want)));
			assert_int_equal(json_escaped_len(buf_str(&text)),
					 want.len);
		}
}

static struct json must_parse(struct str text, struct arena *mem)
{
	struct json_error error;
	struct json v;

	assert_int_equal(json_parse(text, NULL, mem, &v, &error), ERR_OK);
	return v;
}

static size_t put_code(char *to, uint32_t code)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* R60: all of Unicode round-trips, on one line */
static void every_code_point_survives_a_round_trip(void **state)
{
	char *all = malloc(4 * 0x110000);
	auto_arena mem = ARENA_INIT;
	auto_buf b = BUF_INIT;
	struct json_out o = json_out(&b);
	struct str text, back;
	size_t n = 0;

	for (uint32_t code = 0; code <= 0x10ffff; code++)
		if (code < 0xd800 || code > 0xdfff)
			n += put_code(all + n, code);
	text = str_make(all, n);
	json_put_str(&o, text);
	assert_int_equal(str_find(buf_str(&b), '\n'), b.len);
	assert_true(json_text(must_parse(buf_str(&b), &mem), &mem, &back));
	assert_true(str_eq(back, text));
	free(all);
}

/* R60: and each code point escaped as \uXXXX */
static void every_code_point_is_read_from_its_escape(void **state)
{
	auto_arena mem = ARENA_INIT;
	char escaped[16], want[4];

	for (uint32_t code = 0; code <= 0x10ffff; code++) {
		struct str got;
		int len;

		arena_reset(&mem, SIZE_MAX);
		if (code >= 0xd800 && code <= 0xdfff)
			continue;
		if (code < 0x10000)
			len = snprintf(escaped, sizeof(escaped), "\"\\u%04X\"",
				       code);
		else
			len = snprintf(escaped, sizeof(escaped),
				       "\"\\u%04x\\u%04x\"",
				       0xd800 + ((code - 0x10000) >> 10),
				       0xdc00 + (code & 0x3ff));
		struct json v =
			must_parse(str_make(escaped, (size_t)len), &mem);
		size_t n = put_code(want, code);

		if (!json_text(v, &mem, &got) ||
		    !str_eq(got, str_make(want, n)))
			assert_int_equal(code, 0x110000);
	}
}

/* X18: any bytes give valid JSON that round-trips */
static void any_bytes_come_out_as_valid_json(void **state)
{
	srandom(3);
	for (int i = 0; i < 20000; i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf b = BUF_INIT, again = BUF_INIT;
		struct json_out o = json_out(&b), p = json_out(&again);
		char bytes[200];
		size_t n = (size_t)random() % sizeof(bytes);
		struct str text;

		for (size_t k = 0; k < n; k++)
			bytes[k] = (char)(i % 2 ? random()
						: 0x70 + random() % 0x60);
		json_put_str(&o, str_make(bytes, n));
		assert_int_equal(json_escaped_len(str_make(bytes, n)) + 2,
				 b.len);
		assert_true(
			json_text(must_parse(buf_str(&b), &mem), &mem, &text));
		json_put_str(&p, text);
		assert_true(str_eq(buf_str(&again), buf_str(&b)));
	}
}

/* X18: the fast path of short strings gives the same */
static void short_strings_come_out_like_long_ones(void **state)
{
	char bytes[80];

	memset(bytes, 'a', sizeof(bytes));
	for (size_t n = 1; n <= sizeof(bytes); n++) {
		for (int c = 0; c < 256; c++) {
			auto_buf b = BUF_INIT, want = BUF_INIT;
			struct json_out o = json_out(&b);
			struct str text = str_make(bytes, n);

			bytes[n - 1] = (char)c;
			json_put_str(&o, text);
			buf_addc(&want, '"');
			json_escape(&want, text);
			buf_addc(&want, '"');
			assert_true(str_eq(buf_str(&b), buf_str(&want)));
		}
		bytes[n - 1] = 'a';
	}
}

static void commas_and_colons_put_themselves_in(void **state)
{
	auto_buf b = BUF_INIT;
	struct json_out o = json_out(&b);

	json_open(&o, '{');
	json_key(&o, "a");
	json_put_int(&o, 1);
	json_key_str(&o, STR("b\n"));
	json_open(&o, '[');
	json_put_bool(&o, true);
	json_put_bool(&o, false);
	json_put_null(&o);
	json_open(&o, '{');
	json_close(&o, '}');
	json_open(&o, '[');
	json_close(&o, ']');
	json_put_str(&o, STR("s"));
	json_put_raw(&o, STR("{\"x\": 1}"));
	json_close(&o, ']');
	json_key(&o, "c");
	json_open(&o, '{');
	json_key(&o, "d");
	json_put_str(&o, STR(""));
	json_close(&o, '}');
	json_key(&o, "e");
	json_put_null(&o);
	json_close(&o, '}');
	assert_str(buf_str(&b),
		   "{\"a\":1,\"b\\n\":[true,false,null,{},[],\"s\",{\"x\": 1}],"
		   "\"c\":{\"d\":\"\"},\"e\":null}");
}

static void integers_are_written_in_full(void **state)
{
	auto_buf b = BUF_INIT;
	struct json_out o = json_out(&b);

	json_open(&o, '[');
	json_put_int(&o, 0);
	json_put_int(&o, -1);
	json_put_int(&o, 1234567890);
	json_put_int(&o, INT64_MAX);
	json_put_int(&o, INT64_MIN);
	json_close(&o, ']');
	assert_str(buf_str(&b), "[0,-1,1234567890,9223372036854775807,"
				"-9223372036854775808]");
}

static const struct {
	const char *text, *compact;
} compacts[] = {
	{ "null", "null" },
	{ " 1.50e+01 ", "1.50e+01" },
	{ "\" a\\u0041\\/ \"", "\" a\\u0041\\/ \"" },
	{ "[ ]", "[]" },
	{ "{ \n }", "{}" },
	{ "[1,2]", "[1,2]" },
	{ "[ 1 ,\t2 ]", "[1,2]" },
	{ "\r\n{ \"a b\" : [ { } , \" [ , ] \" ] , \"\\ud800\" : null }\n",
	  "{\"a b\":[{},\" [ , ] \"],\"\\ud800\":null}" },
	{ "{\"a\":1,\"a\": 2}", "{\"a\":1,\"a\":2}" },
	{ "[[[ ]], [ [1] , -0.0]]", "[[[]],[[1],-0.0]]" },
};

static void a_parsed_value_is_written_without_its_white_space(void **state)
{
	for (size_t i = 0; i < COUNT_OF(compacts); i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf b = BUF_INIT;
		struct json_out o = json_out(&b);

		json_put(&o, must_parse(str_of(compacts[i].text), &mem));
		assert_str(buf_str(&b), compacts[i].compact);
	}
}

static void a_part_of_a_document_is_written_alone(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf b = BUF_INIT;
	struct json_out o = json_out(&b);
	struct json v = must_parse(
		STR("{\"id\" : \"x 1\", \"p\" : { \"q\" : [ 1 ] } , \"r\":2}"),
		&mem);

	json_open(&o, '[');
	json_put(&o, json_get(v, "p"));
	json_put(&o, json_get(v, "missing"));
	json_put(&o, json_get(v, "id"));
	json_close(&o, ']');
	assert_str(buf_str(&b), "[{\"q\":[1]},\"x 1\"]");
}

/* X19: writing does not depend on depth */
static void a_deep_value_is_written(void **state)
{
	enum { DEPTH = 100000 };
	struct json_limits limits = { .max_depth = DEPTH };
	auto_arena mem = ARENA_INIT;
	auto_buf text = BUF_INIT, b = BUF_INIT;
	struct json_out o = json_out(&b);
	struct json_error error;
	struct json v;

	for (int i = 0; i < DEPTH; i++)
		buf_lit(&text, "[ ");
	for (int i = 0; i < DEPTH; i++)
		buf_addc(&text, ']');
	assert_int_equal(json_parse(buf_str(&text), &limits, &mem, &v, &error),
			 ERR_OK);
	json_put(&o, v);
	assert_int_equal(b.len, 2 * DEPTH);
	assert_int_equal(str_find(buf_str(&b), ' '), b.len);
}

/* A string that just fits the limit is written. */
static void a_limit_is_met_exactly(void **state)
{
	char text[300];
	struct str s = { text, sizeof(text) };

	memset(text, '\n', sizeof(text));
	for (size_t spare = 0; spare < 3; spare++) {
		auto_buf b = BUF_UPTO(602 - spare);
		struct json_out o = json_out(&b);

		json_put_str(&o, s);
		assert_int_equal(b.full, spare > 0);
		assert_int_equal(b.len, spare ? 0 : 602);
	}
}

/* A flush that takes everything. */
struct taker {
	struct json_flush flush;
	struct buf all;
	unsigned times;
};

static void take(struct json_flush *flush, struct buf *made)
{
	struct taker *t = (struct taker *)flush;

	assert_int_equal(utf8_valid_prefix(buf_str(made)), made->len);
	buf_add(&t->all, buf_str(made));
	made->len = 0;
	t->times++;
}

static void check_taken(struct str s)
{
	auto_buf whole = BUF_INIT, rest = BUF_INIT;
	struct json_out o = json_out(&whole), sliced = json_out(&rest);
	struct taker t = { { take }, BUF_INIT, 0 };
	auto_arena mem = ARENA_INIT;

	json_put_str(&o, s);
	sliced.flush = &t.flush;
	json_put_str(&sliced, s);
	json_put_raw(&sliced, buf_str(&whole));
	json_put_raw(&o, arena_copy(&mem, buf_str(&whole)));
	buf_add(&t.all, buf_str(&rest));
	assert_true(str_eq(buf_str(&t.all), buf_str(&whole)));
	assert_true(t.times > 1 || s.len <= 128 * 1024);
	buf_free(&t.all);
}

/* A long string is the same when it is flushed in slices. */
static void what_is_taken_while_it_is_made_is_the_same(void **state)
{
	static const char *const bits[] = { "a", "\n", "\"",        "\x01",
					    "ä", "字", "\U0001F600" };
	enum { SLICE = 128 * 1024, LONG = 3 * SLICE };
	auto_buf text = BUF_INIT;
	unsigned seed = 1;

	for (size_t i = 0; i < COUNT_OF(bits); i++)
		for (size_t before = 0; before < 4; before++) {
			buf_clear(&text, SIZE_MAX);
			while (text.len < before)
				buf_addc(&text, 'x');
			while (text.len < LONG)
				buf_add(&text, str_of(bits[i]));
			check_taken(buf_str(&text));
			check_taken(str_head(buf_str(&text), SLICE));
		}
	for (int turn = 0; turn < 20; turn++) { /* with invalid UTF-8 */
		buf_clear(&text, SIZE_MAX);
		while (text.len < LONG)
			buf_addc(&text, (char)(rand_r(&seed) >> 4));
		check_taken(buf_str(&text));
		memset(text.ptr + SLICE - 8, 0x80 + turn, 16);
		text.ptr[SLICE - turn % 8] = (char)(0xc0 + rand_r(&seed) % 64);
		check_taken(buf_str(&text));
	}
}

/* Short texts are not flushed. */
static void what_is_short_is_not_taken_before_its_end(void **state)
{
	struct taker t = { { take }, BUF_INIT, 0 };
	auto_buf made = BUF_INIT;
	struct json_out o = json_out(&made);

	o.flush = &t.flush;
	json_str_open(&o);
	json_str_add(&o, STR("some\n"));
	json_str_add(&o, STR("more"));
	json_str_close(&o);
	json_put_str(&o, STR("text"));
	assert_int_equal(t.times, 0);
	assert_true(str_is(buf_str(&made), "\"some\\nmore\",\"text\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escaping_follows_its_table),
		cmocka_unit_test(a_string_is_its_escaped_text_in_quotes),
		cmocka_unit_test(the_table_holds_anywhere_in_a_text),
		cmocka_unit_test(every_code_point_survives_a_round_trip),
		cmocka_unit_test(every_code_point_is_read_from_its_escape),
		cmocka_unit_test(any_bytes_come_out_as_valid_json),
		cmocka_unit_test(short_strings_come_out_like_long_ones),
		cmocka_unit_test(commas_and_colons_put_themselves_in),
		cmocka_unit_test(integers_are_written_in_full),
		cmocka_unit_test(
			a_parsed_value_is_written_without_its_white_space),
		cmocka_unit_test(a_part_of_a_document_is_written_alone),
		cmocka_unit_test(a_deep_value_is_written),
		cmocka_unit_test(a_limit_is_met_exactly),
		cmocka_unit_test(what_is_taken_while_it_is_made_is_the_same),
		cmocka_unit_test(what_is_short_is_not_taken_before_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
