/*
 * test_confusable.c - the tables of confusables and decompositions.
 */
#include "../unit.h"

#include "text/encoding/utf8.h"
#include "text/match/confusable.h"

/* The tables are searched by bisection. */
static void tables_are_in_ascending_order(void **state)
{
	static const uint32_t rows[] = {
#define CONFUSABLE(code, plain, kind, name) code,
#include "text/match/confusable.def"
#undef CONFUSABLE
	};
	static const uint32_t forms[] = {
#define DECOMP(code, base, mark) code,
#include "text/match/decompositions.def"
#undef DECOMP
	};
	uint32_t base, mark;
	struct confusable a;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_true(!i || rows[i - 1] < rows[i]);
		assert_true(confusable_find(rows[i], &a));
		assert_int_equal(a.code, rows[i]);
		assert_true(a.plain < 0x80);
	}
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		assert_true(!i || forms[i - 1] < forms[i]);
		assert_true(confusable_decompose(forms[i], &base, &mark));
		assert_true(base && mark);
	}
}

static const struct {
	uint32_t code, plain;
} plains[] = {
	{ 'a', 'a' },       { 'A', 'a' },         { '"', '"' },
	{ '\n', '\n' },     { 0x201c, '"' },      { 0x2019, '\'' },
	{ 0x2014, '-' },    { 0xa0, ' ' },        { 0x200b, 0 },
	{ 0x301, 0 },       { 0xe9, 'e' },        { 0xc9, 'e' },
	{ 0x1ea5, 'a' },    { 0x430, 'a' },       { 0xff21, 'a' },
	{ 0x4e2d, 0x4e2d }, { 0x1f600, 0x1f600 }, { 0xac00, 0x1100 },
};

static void plain_is_what_a_keyboard_types(void **state)
{
	for (size_t i = 0; i < COUNT_OF(plains); i++)
		assert_int_equal(confusable_skeleton(plains[i].code),
				 plains[i].plain);
}

static void hangul_is_taken_apart_by_rule(void **state)
{
	uint32_t base, mark;

	assert_true(confusable_decompose(0xd55c, &base, &mark));
	assert_int_equal(base, 0xd558);
	assert_int_equal(mark, 0x11ab);
	assert_true(confusable_decompose(base, &base, &mark));
	assert_int_equal(base, 0x1112);
	assert_int_equal(mark, 0x1161);
	assert_false(confusable_decompose(0x1112, &base, &mark));
	assert_false(confusable_decompose('e', &base, &mark));
}

/* utf8_any() steps through any bytes; invalid ones one by one. */
static void any_bytes_are_stepped_through(void **state)
{
	static const struct {
		const char *bytes;
		uint32_t code;
		size_t len;
	} steps[] = {
		{ "a\xff", 'a', 1 },
		{ "\xc3\xa9x", 0xe9, 2 },
		{ "\xe2\x80\x9c", 0x201c, 3 },
		{ "\xf0\x9f\x98\x80", 0x1f600, 4 },
		{ "\xff", UTF8_NOT + 0xff, 1 },
		{ "\xc3", UTF8_NOT + 0xc3, 1 },
		{ "\xe2\x80", UTF8_NOT + 0xe2, 1 },
		{ "\xc0\x80", UTF8_NOT + 0xc0, 1 },
		{ "\xed\xa0\x80", UTF8_NOT + 0xed, 1 },
	};
	size_t len;

	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		assert_int_equal(utf8_any(str_of(steps[i].bytes), &len),
				 steps[i].code);
		assert_int_equal(len, steps[i].len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_in_ascending_order),
		cmocka_unit_test(plain_is_what_a_keyboard_types),
		cmocka_unit_test(hangul_is_taken_apart_by_rule),
		cmocka_unit_test(any_bytes_are_stepped_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
