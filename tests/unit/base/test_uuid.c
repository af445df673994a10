/*
 * test_uuid.c - C66: operations are named by UUIDs of version 7.
 */
#include "../unit.h"

#include "base/uuid.h"

/* C66: version 7, so that they sort by time. */
static void it_is_of_version_7_and_has_the_time_in_front(void **state)
{
	struct uuid id = uuid_new(0x0123456789abULL);
	char text[UUID_TEXT + 1];

	uuid_text(id, text);
	assert_int_equal(strlen(text), UUID_TEXT);
	assert_memory_equal(text, "01234567-89ab-7", 15);
	assert_non_null(strchr("89ab", text[19]));
}

static void text_and_back_is_the_same(void **state)
{
	for (int i = 0; i < 1000; i++) {
		struct uuid id = uuid_new((uint64_t)i << 20), back;
		char text[UUID_TEXT + 1];

		uuid_text(id, text);
		assert_true(uuid_parse(str_of(text), &back));
		assert_true(uuid_eq(id, back));
		assert_false(uuid_is_zero(id));
	}
}

static void what_is_none_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"01234567-89ab-7cde-8f01-23456789abc",
		"01234567-89ab-7cde-8f01-23456789abcde",
		"0123456789ab7cde8f0123456789abcd",
		"01234567-89ab-7cde-8f01-23456789abcg",
		"01234567_89ab-7cde-8f01-23456789abcd",
	};
	struct uuid id;

	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		assert_false(uuid_parse(str_of(wrong[i]), &id));
	assert_true(
		uuid_parse(STR("01234567-89AB-7cde-8f01-23456789abcd"), &id));
}

static void no_two_are_the_same_and_time_sorts_them(void **state)
{
	struct uuid last = uuid_new(0), next;

	for (uint64_t i = 1; i < 1000; i++) {
		next = uuid_new(i);
		assert_true(memcmp(last.bytes, next.bytes, 16) < 0);
		assert_false(uuid_eq(next, uuid_new(i)));
		last = next;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_of_version_7_and_has_the_time_in_front),
		cmocka_unit_test(text_and_back_is_the_same),
		cmocka_unit_test(what_is_none_is_refused),
		cmocka_unit_test(no_two_are_the_same_and_time_sorts_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
