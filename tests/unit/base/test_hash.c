#include "../unit.h"
#include "base/hash.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hash_is_written_as_32_digits_and_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
