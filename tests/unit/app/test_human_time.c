/*
 * test_human_time.c - times as people write and read them.
 */
#include "../unit.h"

#include "app/human_time.h"

#include <stdlib.h>
#include <time.h>

/* 2026-01-15T10:30:00Z, a Thursday, in a zone that is an hour ahead. */
static const uint64_t now = 1768473000000;

static const struct {
	const char *text;
	uint64_t want; /* 0 = not a time */
} times[] = {
	{ "now", 1768473000000 },
	{ "90d", 1768473000000 - 90 * 86400000ULL },
	{ "2h", 1768473000000 - 7200000 },
	{ "2h ago", 1768473000000 - 7200000 },
	{ "30 min ago", 1768473000000 - 1800000 },
	{ "2026-01-15T10:30:00Z", 1768473000000 },
	{ "2026-01-15T10:30:00.5Z", 1768473000000 },
	{ "2026-01-15T11:30:00+01:00", 1768473000000 },
	{ "2026-01-15T05:00:00-0530", 1768473000000 },
	{ "2026-01-15T11:30", 1768473000000 },
	{ "2026-01-15 11:30:00", 1768473000000 },
	{ "11:30", 1768473000000 },
	{ "2026-01-15", 1768473000000 - 11 * 3600000 - 1800000 },
	{ "today", 1768473000000 - 11 * 3600000 - 1800000 },
	{ "yesterday", 1768473000000 - 35 * 3600000 - 1800000 },
	{ "99999999d", 1 }, /* before there was time */
	{ "", 0 },
	{ "noon", 0 },
	{ "2026-13-01", 0 },
	{ "25:00", 0 },
	{ "2026-01-15T10:30:00X", 0 },
	{ "12", 0 },
	{ "5 apples", 0 },
};

static void each_time_is_read_so(void **state)
{
	uint64_t got;

	for (size_t i = 0; i < COUNT_OF(times); i++) {
		assert_int_equal(human_time_parse(str_of(times[i].text), now,
						  &got),
				 times[i].want != 0);
		if (times[i].want > 1)
			assert_int_equal(got, times[i].want);
	}
}

static const struct {
	uint64_t ago;
	const char *want;
} shown[] = {
	{ 0, "just now" },
	{ 9999, "just now" },
	{ 59 * 1000, "59 s ago" },
	{ 60 * 1000, "1 min ago" },
	{ 59 * 60000, "59 min ago" },
	{ 3600000, "1 h ago" },
	{ 23 * 3600000, "23 h ago" },
	{ 86400000, "2026-01-14 11:30" },
};

static void each_time_is_shown_so(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(shown); i++)
		assert_str(human_time_short(now - shown[i].ago, now, &mem),
			   shown[i].want);
	/* clocks differ: a future time is shown as now */
	assert_str(human_time_short(now + 5000, now, &mem), "just now");
	assert_str(human_time_long(now - 60000, now, &mem),
		   "2026-01-15 11:29:00 +0100 (1 min ago)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_time_is_read_so),
		cmocka_unit_test(each_time_is_shown_so),
	};

	(void)setenv("TZ", "ABC-1", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
