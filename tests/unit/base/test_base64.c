/*
 * test_base64.c - base64 with padding.
 */
#include "../unit.h"

#include "base/base64.h"

static bool decodes(const char *text, const char *to)
{
	auto_arena mem = ARENA_INIT;
	struct str got;

	return base64_decode(str_of(text), &mem, &got) && str_is(got, to);
}

static void text_becomes_bytes(void **state)
{
	assert_true(decodes("", ""));
	assert_true(decodes("Zg==", "f"));
	assert_true(decodes("Zm8=", "fo"));
	assert_true(decodes("Zm9v", "foo"));
	assert_true(decodes("4oKs", "\xe2\x82\xac"));
}

static void anything_else_is_refused(void **state)
{
	static const char *const wrong[] = { "Zg",   "Zg=",   "Zg==x", "Z",
					     "Zm9-", "Zm 9v", "Zm9v=", "\xff" };
	auto_arena mem = ARENA_INIT;
	struct str got;

	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		assert_false(base64_decode(str_of(wrong[i]), &mem, &got));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_becomes_bytes),
		cmocka_unit_test(anything_else_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
