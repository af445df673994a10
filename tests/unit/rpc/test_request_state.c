/*
 * test_request_state.c - requestState is valid for one call, until it expires, and
 * once.
 */
#include "../unit.h"

#include "rpc/request_state.h"

enum { GOOD_MS = 1000 };

static struct request_state_issuer book;

static int set_up(void **state)
{
	book = (struct request_state_issuer){ .used_count = 0 };
	request_state_issuer_open(&book, GOOD_MS);
	return 0;
}

static struct str make(uint64_t now, struct arena *mem)
{
	struct request_state s = { .shown = digest_of(STR("all of it")),
				   .summary = STR("a summary") };

	return request_state_make(&book, &s, STR("context"), now, mem);
}

static const char *take(struct str text, uint64_t now, struct arena *mem)
{
	struct request_state s;

	return request_state_check(&book, text, STR("context"), now, mem, &s);
}

static void it_brings_back_what_was_put_in(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct request_state s;

	assert_null(request_state_check(&book, make(50, &mem), STR("context"),
					60, &mem, &s));
	assert_str(s.summary, "a summary");
	assert_true(digest_eq(s.shown, digest_of(STR("all of it"))));
}

static void it_is_good_for_a_while_and_once(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str one = make(50, &mem), two = make(50, &mem);

	assert_false(str_eq(one, two));
	assert_null(take(one, 50 + GOOD_MS, &mem));
	assert_non_null(strstr(take(one, 60, &mem), "used before"));
	assert_non_null(strstr(take(two, 51 + GOOD_MS, &mem), "expired"));
	assert_non_null(strstr(take(two, 49, &mem), "expired"));
	assert_null(take(two, 60, &mem));
	assert_non_null(take(STR("AAAA"), 60, &mem));
}

/* Also when the table of used nonces has overflowed. */
static void none_is_good_twice_however_many_there_are(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str all[REQUEST_STATE_MOST_USED + 50], late;

	for (size_t i = 0; i < COUNT_OF(all); i++) {
		all[i] = make(i / 4, &mem);
		assert_null(take(all[i], i / 4, &mem));
	}
	for (size_t i = 0; i < COUNT_OF(all); i++)
		assert_non_null(take(all[i], 300, &mem));
	late = make(300, &mem);
	assert_null(take(late, 300, &mem));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_brings_back_what_was_put_in, set_up),
		cmocka_unit_test_setup(it_is_good_for_a_while_and_once, set_up),
		cmocka_unit_test_setup(
			none_is_good_twice_however_many_there_are, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
