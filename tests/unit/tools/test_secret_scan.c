/*
 * test_secret_scan.c - texts with and without keys and tokens.
 */
#include "../unit.h"

#include "tools/permissions/secret_scan.h"

/* In parts, so that secret scanners do not report this file. */
#define MANY "0123456789abcdef0123456789abcdef0123"

/* T63 */
static const struct {
	const char *text;
	bool secret;
} texts[] = {
	{ "", false },
	{ "the password is not here", false },
	{ "-----BEGIN "
	  "RSA PRIVATE KEY-----\nMII",
	  true },
	{ "-----BEGIN PUBLIC KEY-----", false },
	{ "AK"
	  "IA0123456789ABCDEF",
	  true },
	{ "AK"
	  "IA0123456789ABCDE",
	  false },
	{ "xAK"
	  "IA0123456789ABCDEF",
	  false },
	{ "{\"token\":\"gh"
	  "p_" MANY "\"}",
	  true },
	{ "gh"
	  "p_short",
	  false },
	{ "key=s"
	  "k-" MANY,
	  true },
	{ "task-" MANY, false },
	{ "s"
	  "k-",
	  false },
	{ "gl"
	  "pat-0123456789abcdef0123",
	  true },
};

static void secrets_show_by_their_form(void **state)
{
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		bool found = secret_scan(str_of(texts[i].text));

		if (found != texts[i].secret)
			print_message("# %s\n", texts[i].text);
		assert_int_equal(found, texts[i].secret);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_show_by_their_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
