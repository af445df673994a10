/*
 * test_intern.c - numbering of lines, also with colliding hashes.
 */
#include "../unit.h"

#include "text/diff/intern.h"

static void lines_end_with_their_newline(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct intern_side s;

	intern_split(&s, STR("a\n\nb\r\nc"), &mem);
	assert_int_equal(s.count, 4);
	assert_int_equal(s.start[1], 2);
	assert_int_equal(s.start[2], 3);
	assert_int_equal(s.start[3], 6);
	assert_int_equal(s.start[4], 7);
}

/* Hash masks: all bits, few, the tag only, the slot only, none. */
static const uint64_t masks[] = { UINT64_MAX, 3, 0xffffffff00000000, 0xffffffff,
				  0 };

static void equal_lines_have_equal_numbers_whatever_the_hash(void **state)
{
	static const uint32_t old_ids[] = { 0, 1, 0, 3, 1 };
	static const uint32_t new_ids[] = { 1, INTERN_NONE, 0, 3 };

	for (size_t m = 0; m < COUNT_OF(masks); m++) {
		auto_arena mem = ARENA_INIT;
		struct intern_side a, b;

		intern_split(&a, STR("x\ny\nx\nz\ny\n"), &mem);
		intern_split(&b, STR("y\nw\nx\nz\n"), &mem);
		intern_number(&a, &b, masks[m], &mem);
		assert_memory_equal(a.id, old_ids, sizeof(old_ids));
		assert_memory_equal(b.id, new_ids, sizeof(new_ids));
	}
}

static void a_line_with_and_without_newline_are_two(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct intern_side a, b;

	intern_split(&a, STR("x\ny"), &mem);
	intern_split(&b, STR("x\ny\n"), &mem);
	intern_number(&a, &b, UINT64_MAX, &mem);
	assert_false(a.changed[0]);
	assert_true(a.changed[1]);
	assert_true(b.changed[1]);
}

static void what_the_other_side_does_not_have_is_changed(void **state)
{
	static const bool old_changed[] = { false, true, false, true };
	static const bool new_changed[] = { true, false, false };
	auto_arena mem = ARENA_INIT;
	struct intern_side a, b;

	intern_split(&a, STR("1\n2\n3\n2\n"), &mem);
	intern_split(&b, STR("4\n3\n1\n"), &mem);
	intern_number(&a, &b, UINT64_MAX, &mem);
	assert_memory_equal(a.changed, old_changed, sizeof(old_changed));
	assert_memory_equal(b.changed, new_changed, sizeof(new_changed));
}

/* Random lines of few kinds, so that they repeat. */
static struct str random_lines(uint32_t *dice, struct arena *mem)
{
	size_t count = (*dice = *dice * 1664525 + 1013904223) >> 27;
	char *p = arena_alloc(mem, 2 * count + 1);

	for (size_t i = 0; i < count; i++) {
		*dice = *dice * 1664525 + 1013904223;
		p[2 * i] = (char)('a' + (*dice >> 24) % 5);
		p[2 * i + 1] = '\n';
	}
	return str_make(p, 2 * count);
}

static uint32_t first_like(struct str text, const char *line)
{
	for (uint32_t i = 0; i < text.len / 2; i++)
		if (text.ptr[(size_t)2 * i] == *line)
			return i;
	return INTERN_NONE;
}

static void a_number_is_that_of_the_first_equal_line(void **state)
{
	uint32_t dice = 1;

	for (size_t round = 0; round < 2000; round++) {
		auto_arena mem = ARENA_INIT;
		struct str old_text = random_lines(&dice, &mem);
		struct str new_text = random_lines(&dice, &mem);
		struct intern_side a, b;

		intern_split(&a, old_text, &mem);
		intern_split(&b, new_text, &mem);
		intern_number(&a, &b, UINT64_MAX, &mem);
		for (size_t i = 0; i < a.count; i++)
			assert_int_equal(a.id[i],
					 first_like(old_text,
						    old_text.ptr + 2 * i));
		for (size_t i = 0; i < b.count; i++)
			assert_int_equal(b.id[i],
					 first_like(old_text,
						    new_text.ptr + 2 * i));
	}
}

static struct str many_lines(struct arena *mem, int from, int to)
{
	char *p = arena_alloc(mem, (size_t)(to - from) * 5);

	for (int i = from; i < to; i++) {
		struct str s = arena_printf(mem, "%04d\n", i);

		memcpy(p + (size_t)(i - from) * 5, s.ptr, 5);
	}
	return str_make(p, (size_t)(to - from) * 5);
}

/* Lines that collide too often may count as changed, never as equal. */
static void too_many_collisions_only_lose_partners(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct intern_side a, b;
	uint32_t partners = 0;

	intern_split(&a, many_lines(&mem, 0, 3000), &mem);
	intern_split(&b, many_lines(&mem, 100, 4000), &mem);
	intern_number(&a, &b, /* hash_mask= */ 0, &mem);
	for (uint32_t i = 0; i < b.count; i++) {
		if (b.changed[i])
			continue;
		assert_int_equal(b.id[i], i + 100);
		partners++;
	}
	assert_in_range(partners, 1, 200);
	for (uint32_t i = 200; i < a.count; i++)
		assert_true(a.changed[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_with_their_newline),
		cmocka_unit_test(
			equal_lines_have_equal_numbers_whatever_the_hash),
		cmocka_unit_test(a_line_with_and_without_newline_are_two),
		cmocka_unit_test(what_the_other_side_does_not_have_is_changed),
		cmocka_unit_test(a_number_is_that_of_the_first_equal_line),
		cmocka_unit_test(too_many_collisions_only_lose_partners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
