#include "../unit.h"

#include "text/scan.h"

#include <stdlib.h>

enum { SIZE = 20000 };

static char bytes[SIZE], twin[SIZE];

static void fill(unsigned one_in)
{
	srand(7);
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (unsigned)rand() % one_in ? 'x' : '\n';
}

/* Lengths around every boundary of the loops, at odd addresses too. */
static const size_t lengths[] = { 0,    1,    15,   16,   17,    63,   64,
				  65,   4079, 4080, 4081, 4095,  4096, 4097,
				  8160, 8191, 8192, 8193, 16384, 19990 };

static size_t count_slowly(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += s.ptr[i] == '\n';
	return n;
}

static void newlines_are_counted_as_one_by_one(void **state)
{
	static const unsigned density[] = { 1, 2, 50, 4000 };

	for (size_t d = 0; d < COUNT_OF(density); d++) {
		fill(density[d]);
		for (size_t i = 0; i < COUNT_OF(lengths) * 4; i++) {
			struct str s = { bytes + i % 4, lengths[i / 4] };

			assert_int_equal(scan_newlines(s), count_slowly(s));
		}
	}
}

static void lines_are_newlines_and_a_tail(void **state)
{
	static const struct {
		const char *text;
		size_t want;
	} rules[] = {
		{ NULL, 0 },  { "", 0 },      { "a", 1 },
		{ "a\n", 1 }, { "a\n\n", 2 }, { "a\r\nb", 2 },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++)
		assert_int_equal(scan_lines(str_of(rules[i].text)),
				 rules[i].want);
}

static void the_nth_newline_is_found(void **state)
{
	static const unsigned density[] = { 1, 2, 50, 4000 };

	for (size_t d = 0; d < COUNT_OF(density); d++) {
		struct str s = { bytes, SIZE };
		size_t seen = 0;

		fill(density[d]);
		assert_int_equal(scan_after(s, 0), 0);
		for (size_t i = 0; i < SIZE; i++) {
			if (bytes[i] != '\n')
				continue;
			seen++;
			if (seen % 37 == 1)
				assert_int_equal(scan_after(s, seen), i + 1);
		}
		assert_int_equal(scan_after(s, seen + 1), SIZE);
	}
}

static void what_two_texts_share_ends_at_the_first_other_byte(void **state)
{
	fill(20);
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		size_t at = lengths[i];
		struct str a = { bytes, SIZE - 3 }, b = { twin, SIZE };

		memcpy(twin, bytes, SIZE);
		twin[at] ^= 1;
		assert_int_equal(scan_same_head(a, b), at);
		assert_int_equal(scan_same_head(b, a), at);

		memcpy(twin + 3, bytes, SIZE - 3);
		twin[SIZE - 1 - at] ^= 1;
		assert_int_equal(scan_same_tail(a, b), at);
		assert_int_equal(scan_same_tail(b, a), at);
	}
}

static void one_text_may_be_all_of_the_other(void **state)
{
	struct str whole = { bytes, SIZE };

	fill(20);
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		struct str part = { bytes, lengths[i] };

		assert_int_equal(scan_same_head(whole, part), part.len);
		part.ptr = bytes + SIZE - part.len;
		assert_int_equal(scan_same_tail(part, whole), part.len);
	}
	assert_int_equal(scan_same_head(str_of(NULL), whole), 0);
	assert_int_equal(scan_same_tail(whole, str_of(NULL)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newlines_are_counted_as_one_by_one),
		cmocka_unit_test(lines_are_newlines_and_a_tail),
		cmocka_unit_test(the_nth_newline_is_found),
		cmocka_unit_test(
			what_two_texts_share_ends_at_the_first_other_byte),
		cmocka_unit_test(one_text_may_be_all_of_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
