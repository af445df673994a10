/*
 * test_buf.c - growable buffers and their limit.
 */
#include "../unit.h"

#include "base/buf.h"

static void it_grows_with_what_is_added(void **state)
{
	auto_buf b = BUF_INIT;

	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "%03d", i);
	assert_int_equal(b.len, 3000);
	assert_memory_equal(b.ptr + 2997, "999", 3);
	assert_false(b.full);
}

static void past_its_limit_it_takes_nothing_more(void **state)
{
	auto_buf b = BUF_UPTO(5);

	buf_lit(&b, "1234");
	buf_lit(&b, "56");
	assert_true(b.full);
	buf_addc(&b, '5'); /* would fit, but the buffer is full already */
	assert_str(buf_str(&b), "1234");
	buf_clear(&b, 1000);
	buf_lit(&b, "12345");
	assert_str(buf_str(&b), "12345");
	assert_false(b.full);
}

static void printing_fits_to_the_last_byte(void **state)
{
	auto_buf exact = BUF_UPTO(600), small = BUF_UPTO(599);

	buf_addf(&exact, "%0600d", 0);
	assert_int_equal(exact.len, 600);
	assert_false(exact.full);
	buf_addf(&small, "%0600d", 0);
	assert_int_equal(small.len, 0);
	assert_true(small.full);
}

static void dropping_takes_from_the_front(void **state)
{
	auto_buf b = BUF_INIT;

	buf_lit(&b, "abcdef");
	buf_drop(&b, 2);
	assert_str(buf_str(&b), "cdef");
	buf_drop(&b, 99);
	assert_str(buf_str(&b), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_grows_with_what_is_added),
		cmocka_unit_test(past_its_limit_it_takes_nothing_more),
		cmocka_unit_test(printing_fits_to_the_last_byte),
		cmocka_unit_test(dropping_takes_from_the_front),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
