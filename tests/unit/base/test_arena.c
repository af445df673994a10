/*
 * test_arena.c - arenas: alignment, growth, reset, formatted text.
 */
#include "../unit.h"

#include "base/arena.h"

static void allocations_do_not_touch_each_other(void **state)
{
	auto_arena a = ARENA_INIT;
	unsigned char *parts[200];
	size_t size;

	for (int i = 0; i < 200; i++) {
		size = (size_t)i * 97;
		parts[i] = arena_alloc(&a, size);
		memset(parts[i], i, size);
	}
	for (int i = 0; i < 200; i++)
		for (size_t j = 0; j < (size_t)i * 97; j++)
			assert_int_equal(parts[i][j], i);
}

static void nothing_can_be_asked_of_a_fresh_arena(void **state)
{
	auto_arena a = ARENA_INIT;

	assert_non_null(arena_alloc(&a, 0));
	assert_str(arena_copy(&a, STR("")), "");
}

static void everything_is_aligned(void **state)
{
	auto_arena a = ARENA_INIT;

	for (size_t i = 0; i < 50; i++)
		assert_int_equal((uintptr_t)arena_alloc(&a, i) % 16, 0);
}

static void growing_keeps_what_was_there(void **state)
{
	auto_arena a = ARENA_INIT;
	char *p = arena_alloc(&a, 4), *q;

	memcpy(p, "abcd", 4);
	q = arena_grow(&a, p, 4, 500);
	assert_ptr_equal(p, q); /* the latest allocation grows in place */
	assert_memory_equal(q, "abcd", 4);
	(void)!arena_alloc(&a, 1);
	p = arena_grow(&a, q, 500, 200000);
	assert_ptr_not_equal(p, q);
	assert_memory_equal(p, "abcd", 4);
}

static void a_reset_arena_serves_again(void **state)
{
	auto_arena a = ARENA_INIT;
	struct str s;

	for (int i = 0; i < 100; i++) {
		s = arena_printf(&a, "%d %s", i, "times");
		assert_int_equal(s.ptr[s.len], 0);
		(void)!arena_alloc(&a, (size_t)i * 10000);
		arena_reset(&a, 256 * 1024);
	}
}

static void parts_are_joined_in_order(void **state)
{
	auto_arena a = ARENA_INIT;
	struct str s =
		arena_join(&a,
			   (struct str[]){ STR("http"), STR(""), STR(":x") },
			   3);

	assert_int_equal(s.len, 6);
	assert_string_equal(s.ptr, "http:x");
	assert_string_equal(arena_join(&a, NULL, 0).ptr, "");
}

/* Short and long texts take different paths. */
static void what_is_printed_is_whole_at_any_length(void **state)
{
	auto_arena a = ARENA_INIT;

	for (int n = 0; n < 1200; n++) {
		struct str s = arena_printf(&a, "%*s", n, "");

		assert_int_equal(s.len, n);
		assert_int_equal(s.ptr[s.len], 0);
	}
}

static void arrays_are_cleared(void **state)
{
	auto_arena a = ARENA_INIT;
	int *numbers;

	memset(arena_alloc(&a, 4000), 0xff, 4000);
	arena_reset(&a, 1 << 20);
	numbers = arena_array(&a, int, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], 0);
}

/* Appending one by one takes memory in proportion to the count. */
static void adding_one_by_one_takes_little_memory(void **state)
{
	auto_arena a = ARENA_INIT;
	uint64_t *list = NULL;
	size_t n = 0;

	for (size_t i = 0; i < 100000; i++) {
		uint64_t *added = arena_add(&a, list, n);

		assert_int_equal(*added, 0);
		*added = i + 1;
		memset(arena_alloc(&a, 1), 0xff, 1);
	}
	assert_int_equal(n, 100000);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(list[i], i + 1);
	assert_true(a.held < (size_t)32 * 1024 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocations_do_not_touch_each_other),
		cmocka_unit_test(nothing_can_be_asked_of_a_fresh_arena),
		cmocka_unit_test(everything_is_aligned),
		cmocka_unit_test(growing_keeps_what_was_there),
		cmocka_unit_test(a_reset_arena_serves_again),
		cmocka_unit_test(parts_are_joined_in_order),
		cmocka_unit_test(what_is_printed_is_whole_at_any_length),
		cmocka_unit_test(arrays_are_cleared),
		cmocka_unit_test(adding_one_by_one_takes_little_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
