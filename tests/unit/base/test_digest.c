/*
 * test_digest.c - BLAKE2b test vectors.
 */
#include "../unit.h"

#include "base/digest.h"

/* From RFC 7693's reference program, with 32 bytes of output. */
static void known_digests_come_out(void **state)
{
	static const struct {
		const char *text, *hex;
	} known[] = {
		{ "",
		  "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8" },
		{ "abc",
		  "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319" },
	};
	char hex[DIGEST_HEX + 1];

	for (size_t i = 0; i < COUNT_OF(known); i++) {
		digest_hex(digest_of(str_of(known[i].text)), hex);
		assert_string_equal(hex, known[i].hex);
	}
}

static void one_bit_makes_another(void **state)
{
	assert_true(digest_eq(digest_of(STR("abc")), digest_of(STR("abc"))));
	assert_false(digest_eq(digest_of(STR("abc")), digest_of(STR("abb"))));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_digests_come_out),
		cmocka_unit_test(one_bit_makes_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
