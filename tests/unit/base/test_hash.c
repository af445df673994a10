/*
 * test_hash.c - XXH3: portable, AVX2 and streamed hashes agree.
 */
#include "../unit.h"
#include "base/hash.h"
#include "base/hash_avx2.h"

enum { MOST = 5000 };

/* Bytes without a period that could hide swapped lanes. */
static void fill(char *to, size_t n)
{
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		to[i] = (char)(x >> 24);
	}
}

static const struct {
	struct hash hash;
	const char *hex;
} written[] = {
	{ { 0, 0 }, "00000000000000000000000000000000" },
	{ { .high = 1, .low = 0xa }, "0000000000000001000000000000000a" },
	{ { .high = 0xfedcba9876543210, .low = 0x0123456789abcdef },
	  "fedcba98765432100123456789abcdef" },
	{ { UINT64_MAX, UINT64_MAX }, "ffffffffffffffffffffffffffffffff" },
};

static void a_hash_is_written_as_32_digits_and_read_again(void **state)
{
	char hex[HASH_HEX + 1];
	struct hash back;

	for (size_t i = 0; i < COUNT_OF(written); i++) {
		memset(hex, 'x', sizeof(hex));
		hash_hex(written[i].hash, hex);
		assert_string_equal(hex, written[i].hex);
		assert_true(hash_parse(str_of(hex), &back));
		assert_true(hash_eq(back, written[i].hash));
	}
}

static void a_hash_is_the_same_with_and_without_vectors(void **state)
{
	char bytes[MOST];

	fill(bytes, sizeof(bytes));
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		struct str text = str_make(bytes, n);

		assert_true(hash_eq(hash_of(text), hash_of_portable(text)));
	}
}

static void a_hash_is_the_same_in_pieces_of_any_size(void **state)
{
	char bytes[MOST];
	struct str all = str_make(bytes, sizeof(bytes));

	fill(bytes, sizeof(bytes));
	for (size_t step = 1; step <= sizeof(bytes); step += 1 + step / 3) {
		struct hash_stream *s = hash_start();

		/*
		 * short and long pieces in turn: both implementations in one
		 * stream
		 */
		for (size_t at = 0, n = step; at < all.len; at += n) {
			n = n == step ? MOST - step : step;
			n = size_max(n, 1);
			hash_add(s, str_head(str_skip(all, at), n));
		}
		assert_true(hash_eq(hash_end(s), hash_of_portable(all)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hash_is_written_as_32_digits_and_read_again),
		cmocka_unit_test(a_hash_is_the_same_with_and_without_vectors),
		cmocka_unit_test(a_hash_is_the_same_in_pieces_of_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
