/*
 * test_failed_match.c - candidates for a string that was not found, in data
 * and behind the message.
 *
 * A06
 */
#include "../unit.h"

#include "base/json.h"
#include "text/lines/lines.h"
#include "tools/call/result.h"
#include "tools/handlers/failed_match.h"

static struct fault explained(enum err e, struct str text, struct str old,
			      struct arena *mem)
{
	struct fault f = { .err = e, .text = old, .count = 2 };

	if (e == ERR_NO_MATCH)
		f.count = 0;
	failed_match_explain(text, mem, &f);
	return f;
}

static struct str put(const struct fault *f, enum results results, bool whole,
		      struct arena *mem)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	if (whole) {
		result_put_error(&o, f);
		return arena_copy(mem, buf_str(&out));
	}
	json_open(&o, '{');
	result_put_fault(&o, f, results);
	json_close(&o, '}');
	return arena_copy(mem, buf_str(&out));
}

/* A06 E03: the message is literal, the rest is in data. */
static void a_miss_has_candidates_in_data(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct fault f =
		explained(ERR_NO_MATCH, STR("\tone;\n"), STR("    one;"), &mem);

	assert_str(
		put(&f, RESULTS_BOTH, true, &mem),
		"{\"code\":-32010,\"message\":\"String not found in file:     one;\","
		"\"data\":{\"candidates\":[{\"line\":1,\"similarity\":96,"
		"\"text\":\"→one;\",\"differs\":\"line 1: indentation, "
		"1 tab in the file, 4 spaces in old_string\"}]}}");
}

static void nothing_near_is_said_too(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct fault f = explained(ERR_NO_MATCH, STR("Hello, World!\n"),
				   STR("Goodbye"), &mem);

	assert_str(f.candidates, "[]");
	assert_str(f.nearest, "Nothing in the file is similar to it.");
}

/* A06 E04 M18 */
static void several_have_their_number_and_lines(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct fault f =
		explained(ERR_MANY_MATCHES, STR("a {\n x\n}\nb {\n x\n}\n"),
			  STR(" x"), &mem);

	assert_str(
		put(&f, RESULTS_BOTH, true, &mem),
		"{\"code\":-32011,\"message\":\"String appears 2 times (must be unique):  x\","
		"\"data\":{\"count\":2,\"candidates\":["
		"{\"line\":2,\"similarity\":100,\"text\":\"·x\",\"differs\":\"line 1 distinguishes it: ‹a {›\"},"
		"{\"line\":5,\"similarity\":100,\"text\":\"·x\",\"differs\":\"line 4 distinguishes it: ‹b {›\"}]}}");
}

/* A06: in result form on lines of their own, in every kind of result. */
static void results_have_it_after_the_message(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct fault f =
		explained(ERR_NO_MATCH, STR("\tone;\n"), STR("    one;"), &mem);
	struct json_error error;
	struct json v;
	struct str text;

	assert_int_equal(json_parse(put(&f, RESULTS_TEXT, false, &mem), NULL,
				    &mem, &v, &error),
			 ERR_OK);
	v = json_get(v, "content");
	struct json_walk w = json_walk(v);
	assert_true(json_step(&w));
	assert_true(json_text(json_get(w.value, "text"), &mem, &text));
	assert_str(
		text,
		"String not found in file:     one;\n"
		"Line 1 is 96% similar to it: line 1: indentation, 1 tab in the "
		"file, 4 spaces in old_string\n"
		"  →one;");
}

/* Other failures have no candidates. */
static void other_failures_are_left_alone(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct fault f =
		explained(ERR_EDITS_CONFLICT, STR("a"), STR("a"), &mem);

	assert_int_equal(f.candidates.len, 0);
	assert_int_equal(f.nearest.len, 0);
}

static const char *const worst[] = {
	"\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\",
	"\x01\x02\x03 \x01\x02\x03 \x01\x02\x03 \x01\x02\x03 \x01\x02\x03 ab",
	"\xff\xfe\xfd\xff\xfe\xfd\xff\xfe\xfd\xff\xfe\xfd\xff\xfe\xfd  xyz",
	"\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b"
	"a b c d e f\xe2\x80\x8b",
	"x = \xe2\x80\x9c"
	"a\xe2\x80\x9d; y = 'b' - \xe2\x80\x94; \tz",
	"if (a \xc2\xa0== b) {\t return caf\xc3\xa9; \xd0\xb5 }",
};

/* 400 tokens of four bytes, whatever the text is. */
static void it_all_fits_into_four_hundred_tokens(void **state)
{
	for (size_t i = 0; i < COUNT_OF(worst); i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf text = BUF_INIT;
		auto_buf old = BUF_INIT;
		struct json_error error;
		struct json v;

		for (int line = 0; line < 20; line++) {
			for (int n = 0; n < 9; n++)
				buf_add(&text, str_of(worst[i]));
			buf_addf(&text, "%d\n", line);
		}
		buf_add(&old, str_head(buf_str(&text), text.len / 3));
		for (size_t at = 7; at < old.len; at += 31)
			old.ptr[at] = '.';
		for (int many = 0; many < 2; many++) {
			struct str s = many ? str_of(worst[i]) : buf_str(&old);
			struct fault f = explained(many ? ERR_MANY_MATCHES
							: ERR_NO_MATCH,
						   buf_str(&text), s, &mem);

			assert_in_range(f.candidates.len, 20,
					FAILED_MATCH_ROOM);
			assert_in_range(f.nearest.len, 1, FAILED_MATCH_ROOM);
			assert_int_equal(json_parse(f.candidates, NULL, &mem,
						    &v, &error),
					 ERR_OK);
			assert_true(json_count(v) >= 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_miss_has_candidates_in_data),
		cmocka_unit_test(nothing_near_is_said_too),
		cmocka_unit_test(several_have_their_number_and_lines),
		cmocka_unit_test(results_have_it_after_the_message),
		cmocka_unit_test(other_failures_are_left_alone),
		cmocka_unit_test(it_all_fits_into_four_hundred_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
