/*
 * test_waiting.c - the words of "stet approvals" about waiting clients:
 * 14.3.
 *
 * 14.3: what "stet approvals" says of a client that waits for the answer, and
 * of one that has stopped waiting.
 */
#include "../unit.h"

#include "app/waiting.h"

#define DOT  "\xc2\xb7"
#define SAME ", and the file is still as it was"

static const uint64_t now = 1768473000000;
static const uint64_t minute = 60000;
static const uint64_t hour = 3600000;

static const struct {
	const char *scope, *client;
	int64_t waits, until; /* relative to now; waits 0 = no call waits */
	const char *words, *outcome;
} rules[] = {
	{ "http:ci:codex", "codex 1", 32000, 23 * hour,
	  "ci " DOT " calls itself codex 1 is waiting, 32 s left",
	  "ci " DOT " calls itself codex 1 was waiting and goes on now" },
	{ "stdio:codex", "codex 1", 1, 23 * hour,
	  "codex 1 " DOT " only declared is waiting, 1 s left",
	  "codex 1 " DOT " only declared was waiting and goes on now" },
	{ "http:ci:", "", 0, 23 * hour + minute,
	  "ci " DOT
	  " gives no name stopped waiting: your answer will be used if it "
	  "asks for exactly this again within 23 h" SAME,
	  "ci " DOT
	  " gives no name stopped waiting: your answer will be used if it "
	  "asks for exactly this again within 23 h" SAME },
	/* within the last hour, and expired */
	{ "stdio:x", "x", -5, 59 * minute,
	  "x " DOT
	  " only declared stopped waiting: your answer will be used if it "
	  "asks for exactly this again within 59 min" SAME,
	  "x " DOT
	  " only declared stopped waiting: your answer will be used if it "
	  "asks for exactly this again within 59 min" SAME },
	{ "stdio:x", "x", -5, -1,
	  "x " DOT
	  " only declared stopped waiting: your answer will be used if it "
	  "asks for exactly this again within 0 s" SAME,
	  "x " DOT
	  " only declared stopped waiting: your answer will be used if it "
	  "asks for exactly this again within 0 s" SAME },
};

static void it_says_who_waits_and_how_long(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		struct approval a = {
			.scope = str_of(rules[i].scope),
			.client = str_of(rules[i].client),
			.waits_ms = rules[i].waits
					    ? now + (uint64_t)rules[i].waits
					    : 0,
			.until_ms = now + (uint64_t)rules[i].until,
		};

		assert_str(waiting_words(&a, now, &mem), rules[i].words);
		assert_str(waiting_outcome(&a, now, &mem), rules[i].outcome);
	}
}

static const struct {
	enum approval_state state;
	bool waits, withdrawn;
	const char *outcome;
} answers[] = {
	{ APPROVAL_ALLOWED, true, false, "ci was waiting and goes on now" },
	{ APPROVAL_DENIED, true, false, "ci was waiting and is told now" },
	{ APPROVAL_GRANTED, true, false, "ci was waiting and goes on now" },
	{ APPROVAL_ALLOWED, false, false,
	  "ci stopped waiting: your approval will be used if it asks for exactly this "
	  "again within 1 h" SAME },
	{ APPROVAL_DENIED, false, false,
	  "ci stopped waiting: it is told if it asks for exactly this again "
	  "within 1 h" },
	/* a grant has an end of its own, and it alone is named */
	{ APPROVAL_GRANTED, false, false,
	  "ci stopped waiting: it goes on if it asks again" },
	{ APPROVAL_DENIED, false, true,
	  "your approval is withdrawn, it was not used: ci is told if it "
	  "asks for exactly this again" },
};

static void it_says_what_an_answer_is_worth(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		struct approval a = {
			.client = STR("ci"),
			.state = answers[i].state,
			.waits_ms = answers[i].waits ? now + minute : 0,
			.until_ms = now + hour,
			.withdrawn = answers[i].withdrawn,
		};

		assert_str(waiting_outcome(&a, now, &mem), answers[i].outcome);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_who_waits_and_how_long),
		cmocka_unit_test(it_says_what_an_answer_is_worth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
