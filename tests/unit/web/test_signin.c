/*
 * test_signin.c - one-time links and sessions: genuine, once, and until they
 * expire.
 */
#include "../unit.h"

#include "web/signin.h"

enum { START = 1000000 };

static const struct str owner = STR_INIT("stet_the-token-of-the-owner");
static const struct str server = STR_INIT("the-id-of-this-server");
static struct signin here;

static int set_up(void **state)
{
	here = (struct signin){ .sessions = { NULL } };
	signin_open(&here, owner, server);
	return 0;
}

static bool takes(struct signin *s, struct str key, uint64_t now,
		  struct arena *mem)
{
	return signin_check(s, key, now, mem) == SIGNIN_GOOD;
}

static void a_link_is_good_once_and_for_minutes(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str one = signin_link(owner, server, START, &mem);
	struct str two = signin_link(owner, server, START, &mem);

	assert_false(str_eq(one, two));
	assert_true(takes(&here, one, START, &mem));
	assert_false(takes(&here, one, START, &mem));
	assert_int_equal(signin_check(&here, one, START, &mem), SIGNIN_USED);
	assert_int_equal(signin_check(&here, two, START + SIGNIN_LINK_MS + 1,
				      &mem),
			 SIGNIN_EXPIRED);
	assert_true(takes(&here, two, START + SIGNIN_LINK_MS, &mem));
	assert_false(takes(&here, two, START + SIGNIN_LINK_MS, &mem));
}

/* A link is sealed for one process, so that it cannot be replayed at another. */
static void a_link_is_good_at_one_server(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str link = signin_link(owner, server, START, &mem);
	static struct signin other;

	signin_open(&other, owner, STR("the-id-of-another"));
	assert_false(takes(&other, link, START, &mem));
	assert_true(takes(&here, link, START, &mem));
	assert_false(takes(&other, link, START, &mem));
}

static void no_other_link_is_good(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str good = signin_link(owner, server, START, &mem);
	char *text = arena_cstr(&mem, good);
	static const char *const bad[] = { "", "AAAA", "key=", "#key=AAAA" };

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(takes(&here, str_of(bad[i]), START, &mem));
	for (size_t i = 0; i < good.len; i++) {
		char was = text[i];

		text[i] = was == 'A' ? 'B' : 'A';
		assert_false(
			takes(&here, str_make(text, good.len), START, &mem));
		text[i] = was;
	}
	/* of another owner, of the future */
	assert_false(takes(&here,
			   signin_link(STR("stet_of-somebody-else"), server,
				       START, &mem),
			   START, &mem));
	assert_false(takes(&here, signin_link(owner, server, START + 1, &mem),
			   START, &mem));
	assert_true(takes(&here, good, START, &mem));
}

static void a_session_is_good_for_days(void **state)
{
	const uint64_t end = START + SIGNIN_SESSION_S * 1000ULL;
	auto_arena mem = ARENA_INIT;
	struct str session = signin_session(&here, START, &mem);

	assert_false(str_eq(session, signin_session(&here, START, &mem)));
	assert_true(signin_session_ok(&here, session, START, &mem));
	assert_true(signin_session_ok(&here, session, end - 1, &mem));
	assert_false(signin_session_ok(&here, session, end, &mem));
}

static void no_other_session_is_good(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str good = signin_session(&here, START, &mem);
	static struct signin again;
	const struct str bad[] = {
		STR(""),
		STR("AAAA"),
		owner,
		server,
		signin_link(owner, server, START, &mem),
		str_head(good, good.len - 1),
	};

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(signin_session_ok(&here, bad[i], START, &mem));
	/* nor after a restart, nor as the key of a link */
	signin_open(&again, owner, server);
	assert_false(signin_session_ok(&again, good, START, &mem));
	assert_false(takes(&here, good, START, &mem));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_link_is_good_once_and_for_minutes,
				       set_up),
		cmocka_unit_test_setup(a_link_is_good_at_one_server, set_up),
		cmocka_unit_test_setup(no_other_link_is_good, set_up),
		cmocka_unit_test_setup(a_session_is_good_for_days, set_up),
		cmocka_unit_test_setup(no_other_session_is_good, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
