/*
 * test_credentials.c - the Authorization header is parsed exactly.
 */
#include "../unit.h"

#include "web/credentials.h"

static void a_bearer_is_read_exactly(void **state)
{
	static const struct {
		const char *value, *token; /* NULL = another kind */
	} rules[] = {
		{ "Bearer stet_abc", "stet_abc" },
		{ "bearer stet_abc", "stet_abc" },
		{ "BEARER  stet_abc", "stet_abc" },
		{ "Bearer", "" },
		{ "Bearer ", "" },
		{ "Bearer a b", "" },
		{ "Bearer a\tb", "" },
		{ "Bearer \xc3\xa4", "" },
		{ "Bearer a\x7f", "" },
		{ "Bearerstet_abc", NULL },
		{ "Bearer\tstet_abc", NULL },
		{ "Bearer:stet_abc", NULL },
		{ " Bearer stet_abc", NULL },
		{ "Basic c3RldDphYmM=", NULL },
		{ "Bear", NULL },
		{ "", NULL },
	};
	struct str token;

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		bool is = credentials_bearer(str_of(rules[i].value), &token);

		assert_int_equal(is, rules[i].token != NULL);
		if (is)
			assert_str(token, rules[i].token);
	}
	assert_false(credentials_bearer((struct str){ NULL, 0 }, &token));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bearer_is_read_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
