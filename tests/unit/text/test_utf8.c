/*
 * test_utf8.c - stepping through UTF-8.
 */
#include "../unit.h"

#include "text/encoding/utf8.h"

static const struct {
	struct str text;
	size_t valid, tail;
} rows[] = {
	{ STR_INIT(""), 0, 0 },
	{ STR_INIT("plain"), 5, 0 },
	{ STR_INIT("a\0b"), 3, 0 },
	{ STR_INIT("\xc3\xa9"), 2, 0 },
	{ STR_INIT("\xe2\x82\xac"), 3, 0 },
	{ STR_INIT("\xf0\x9f\x98\x80"), 4, 0 },
	{ STR_INIT("\xf4\x8f\xbf\xbf"), 4, 0 },
	{ STR_INIT("\xef\xbf\xbf"), 3, 0 },
	{ STR_INIT("\xed\x9f\xbf"), 3, 0 },
	/* cut short: the next block may finish it */
	{ STR_INIT("ab\xc3"), 2, 1 },
	{ STR_INIT("\xe2\x82"), 0, 2 },
	{ STR_INIT("x\xf0\x9f\x98"), 1, 3 },
	{ STR_INIT("\xed\x9f"), 0, 2 },
	{ STR_INIT("\xf4\x8f"), 0, 2 },
	/* never valid, whatever follows */
	{ STR_INIT("\x80"), 0, 0 },
	{ STR_INIT("a\xbf"), 1, 0 },
	{ STR_INIT("\xc0\x80"), 0, 0 },
	{ STR_INIT("\xc1\xbf"), 0, 0 },
	{ STR_INIT("\xc0"), 0, 0 },
	{ STR_INIT("\xe0\x80\x80"), 0, 0 },
	{ STR_INIT("\xe0\x9f"), 0, 0 },
	{ STR_INIT("\xed\xa0\x80"), 0, 0 },
	{ STR_INIT("\xed\xbf\xbf"), 0, 0 },
	{ STR_INIT("\xed\xa0"), 0, 0 },
	{ STR_INIT("\xf0\x80\x80\x80"), 0, 0 },
	{ STR_INIT("\xf4\x90\x80\x80"), 0, 0 },
	{ STR_INIT("\xf5\x80\x80\x80"), 0, 0 },
	{ STR_INIT("\xff"), 0, 0 },
	{ STR_INIT("\xc3\x28"), 0, 0 },
	{ STR_INIT("\xe2\x28\xa1"), 0, 0 },
	{ STR_INIT("\xe2\x82\x28"), 0, 0 },
	{ STR_INIT("\xf0\x9f\x98\x28"), 0, 0 },
};

/* X18: overlong forms, surrogates and cut sequences are no UTF-8. */
static void checking_follows_its_table(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(utf8_check(rows[i].text), rows[i].valid);
		assert_int_equal(utf8_tail(rows[i].text), rows[i].tail);
	}
	assert_int_equal(utf8_check((struct str){ NULL, 0 }), 0);
}

/* The same rows, at every distance from the blocks of a fast path. */
static void checking_does_not_depend_on_the_place(void **state)
{
	char text[100];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str row = rows[i].text;

		for (size_t pad = 0; pad <= 70; pad++) {
			size_t valid = rows[i].valid == row.len
					       ? sizeof(text)
					       : pad + rows[i].valid;

			memset(text, 'x', sizeof(text));
			if (row.len)
				memcpy(text + pad, row.ptr, row.len);
			assert_int_equal(utf8_check(
						 str_make(text, sizeof(text))),
					 valid);
		}
	}
}

static void every_code_point_goes_there_and_back(void **state)
{
	for (uint32_t code = 0; code <= 0x10ffff; code++) {
		char bytes[4];
		size_t put = utf8_put(code, bytes), len;
		bool surrogate = code >= 0xd800 && code <= 0xdfff;

		assert_int_equal(utf8_valid(str_make(bytes, put)), !surrogate);
		if (surrogate)
			continue;
		assert_int_equal(utf8_next(str_make(bytes, put), &len), code);
		assert_int_equal(len, put);
	}
}

static void heads_are_cut_whole(void **state)
{
	static const size_t want[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11 };
	struct str s = STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");

	for (size_t n = 0; n < COUNT_OF(want); n++)
		assert_int_equal(utf8_head(s, n).len, want[n]);
	assert_int_equal(utf8_head(s, 99).len, s.len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checking_follows_its_table),
		cmocka_unit_test(checking_does_not_depend_on_the_place),
		cmocka_unit_test(every_code_point_goes_there_and_back),
		cmocka_unit_test(heads_are_cut_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
