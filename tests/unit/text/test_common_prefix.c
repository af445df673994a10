/*
 * test_common_prefix.c - common prefix and suffix, at every block boundary.
 */
#include "../unit.h"

#include "text/diff/common_prefix.h"

#include <stdlib.h>

enum { SIZE = 20000 };

static char bytes[SIZE], copy[SIZE];

static void fill(unsigned one_in)
{
	srand(7);
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (unsigned)rand() % one_in ? 'x' : '\n';
}

/* Lengths around every boundary of the loops, and unaligned addresses. */
static const size_t lengths[] = { 0,    1,    15,   16,   17,    63,   64,
				  65,   4079, 4080, 4081, 4095,  4096, 4097,
				  8160, 8191, 8192, 8193, 16384, 19990 };

static void what_two_texts_share_ends_at_the_first_other_byte(void **state)
{
	fill(20);
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		size_t at = lengths[i];
		struct str a = { bytes, SIZE - 3 }, b = { copy, SIZE };

		memcpy(copy, bytes, SIZE);
		copy[at] ^= 1;
		assert_int_equal(common_prefix(a, b), at);
		assert_int_equal(common_prefix(b, a), at);

		memcpy(copy + 3, bytes, SIZE - 3);
		copy[SIZE - 1 - at] ^= 1;
		assert_int_equal(common_suffix(a, b), at);
		assert_int_equal(common_suffix(b, a), at);
	}
}

static void one_text_may_be_all_of_the_other(void **state)
{
	struct str whole = { bytes, SIZE };

	fill(20);
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		struct str part = { bytes, lengths[i] };

		assert_int_equal(common_prefix(whole, part), part.len);
		part.ptr = bytes + SIZE - part.len;
		assert_int_equal(common_suffix(part, whole), part.len);
	}
	assert_int_equal(common_prefix(str_of(NULL), whole), 0);
	assert_int_equal(common_suffix(whole, str_of(NULL)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_two_texts_share_ends_at_the_first_other_byte),
		cmocka_unit_test(one_text_may_be_all_of_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
