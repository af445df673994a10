/* Links that are good once, cookies, and what a page proves with them. */
#include "../unit.h"

#include "web/signin.h"

enum { START = 1000000 };

static const struct str owner = STR_INIT("stet_the-token-of-the-owner");
static struct signin here;

static int set_up(void **state)
{
	here = (struct signin){ 0 };
	signin_open(&here, owner, START);
	return 0;
}

static void a_link_is_good_once_and_for_minutes(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str one = signin_link(owner, START, &mem);
	struct str two = signin_link(owner, START, &mem);

	assert_false(str_eq(one, two));
	assert_true(signin_take(&here, one, START, &mem));
	assert_false(signin_take(&here, one, START, &mem));
	assert_false(signin_take(&here, two, START + SIGNIN_LINK_MS + 1, &mem));
	assert_true(signin_take(&here, two, START + SIGNIN_LINK_MS, &mem));
	assert_false(signin_take(&here, two, START + SIGNIN_LINK_MS, &mem));
}

static void no_other_link_is_good(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str good = signin_link(owner, START, &mem);
	char *text = arena_cstr(&mem, good);
	static const char *const bad[] = { "", "key=", "key=AAAA", "token=x",
					   "key" };

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(signin_take(&here, str_of(bad[i]), START, &mem));
	for (size_t i = 0; i < good.len; i++) {
		char was = text[i];

		text[i] = was == 'A' ? 'B' : 'A';
		assert_false(signin_take(&here, str_make(text, good.len), START,
					 &mem));
		text[i] = was;
	}
	/* one of another owner, of the future, from before the server */
	assert_false(signin_take(&here,
				 signin_link(STR("stet_of-somebody-else"),
					     START, &mem),
				 START, &mem));
	assert_false(signin_take(&here, signin_link(owner, START + 1, &mem),
				 START, &mem));
	assert_false(signin_take(&here, signin_link(owner, START - 1, &mem),
				 START, &mem));
	assert_true(signin_take(&here, good, START, &mem));
}

static struct str cookie(uint64_t now, struct arena *mem)
{
	return arena_printf(mem, "a=b; stet=" STR_FMT "; c=d",
			    STR_ARG(signin_cookie(&here, now, mem)));
}

static void a_cookie_is_good_for_days(void **state)
{
	const uint64_t end = START + SIGNIN_COOKIE_S * 1000ULL;
	auto_arena mem = ARENA_INIT;
	struct str value;

	assert_true(
		signin_known(&here, cookie(START, &mem), START, &mem, &value));
	assert_true(signin_known(&here, cookie(START, &mem), end - 1, &mem,
				 &value));
	assert_false(
		signin_known(&here, cookie(START, &mem), end, &mem, &value));
}

static void no_other_cookie_is_good(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str good = cookie(START, &mem), value;
	struct str link = signin_link(owner, START, &mem);
	struct signin other = { 0 };
	const struct str bad[] = {
		STR(""),
		STR("stet="),
		STR("stet=AAAA"),
		arena_printf(&mem, "stet=" STR_FMT, STR_ARG(str_skip(link, 4))),
		arena_printf(&mem, "stet=" STR_FMT,
			     STR_ARG(signin_csrf(&here, STR(""), &mem))),
	};

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(signin_known(&here, bad[i], START, &mem, &value));
	/* nor after a restart */
	signin_open(&other, owner, START);
	assert_false(signin_known(&other, good, START, &mem, &value));
}

/* Another server on this machine can set cookies of our name. */
static void a_false_one_beside_it_does_no_harm(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str good = signin_cookie(&here, START, &mem), value;
	struct str both =
		arena_printf(&mem, "stet=false; stet=" STR_FMT, STR_ARG(good));
	struct str many =
		arena_printf(&mem,
			     "stet=1; stet=2; stet=3; stet=4; stet=" STR_FMT,
			     STR_ARG(good));

	assert_true(signin_known(&here, both, START, &mem, &value));
	assert_true(str_eq(value, good));
	assert_false(signin_known(&here, many, START, &mem, &value));
}

static void what_a_page_proves_is_for_its_cookie(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str one = signin_cookie(&here, START, &mem);
	struct str two = signin_cookie(&here, START, &mem);
	struct str csrf = signin_csrf(&here, one, &mem);

	assert_true(csrf.len >= 43);
	assert_true(str_eq(csrf, signin_csrf(&here, one, &mem)));
	assert_true(signin_csrf_ok(&here, one, csrf, &mem));
	assert_false(signin_csrf_ok(&here, two, csrf, &mem));
	assert_false(signin_csrf_ok(&here, one, STR(""), &mem));
	assert_false(signin_csrf_ok(&here, one, one, &mem));
	assert_false(
		signin_csrf_ok(&here, one, str_head(csrf, csrf.len - 1), &mem));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_link_is_good_once_and_for_minutes,
				       set_up),
		cmocka_unit_test_setup(no_other_link_is_good, set_up),
		cmocka_unit_test_setup(a_cookie_is_good_for_days, set_up),
		cmocka_unit_test_setup(no_other_cookie_is_good, set_up),
		cmocka_unit_test_setup(a_false_one_beside_it_does_no_harm,
				       set_up),
		cmocka_unit_test_setup(what_a_page_proves_is_for_its_cookie,
				       set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
