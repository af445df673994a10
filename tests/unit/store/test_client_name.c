/*
 * test_client_name.c - the display name of a client.
 *
 * The display name of a client: the order of its parts, and that a client
 * cannot imitate both of them.
 */
#include "state.h"

#include "store/client_name.h"

#define DOT "\xc2\xb7"

static const struct {
	const char *scope, *declared, *token, *words;
} rules[] = {
	{ "http:evil:agent-x", "agent-x 1", "evil",
	  "evil " DOT " calls itself agent-x 1" },
	{ "http:good:agent-x", "agent-x 1", "good",
	  "good " DOT " calls itself agent-x 1" },
	{ "http:good:", "", "good", "good " DOT " gives no name" },
	{ "stdio:agent-x", "agent-x 1", "", "agent-x 1 " DOT " only declared" },
	{ "stdio:http:good:x", "http:good:x", "",
	  "http:good:x " DOT " only declared" },
	{ ":", "", "", "an unnamed client" },
	{ "", "", "", "an unnamed client" },
	{ "", "stet 1.0 (page)", "", "stet 1.0 (page)" },
	{ "stdio:x", "good " DOT " calls itself x", "",
	  "good . calls itself x " DOT " only declared" },
	/* 14.6: nor with a character that looks like it */
	{ "stdio:x", "good \xea\x9e\x8f calls itself x", "",
	  "good \\u{a78f} calls itself x " DOT " only declared" },
	{ "http:a:x", "x \xe2\x80\xa2 y \xf0\x90\x84\x81", "a",
	  "a " DOT " calls itself x \\u{2022} y \\u{10101}" },
};

static void the_token_comes_first(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		assert_str(client_token(str_of(rules[i].scope)),
			   rules[i].token);
		assert_str(client_words(str_of(rules[i].scope),
					str_of(rules[i].declared), &mem),
			   rules[i].words);
	}
}

static void the_history_is_searched_by_token(void **state)
{
	auto_state s = state_make();
	const char *scopes[] = { "http:evil:agent-x", "http:good:agent-x",
				 "stdio:agent-x" };
	struct history_query q = { .client = STR("evil") };
	struct history_ticket ticket;
	struct fault f;
	struct op *ops;
	size_t n;

	for (size_t i = 0; i < COUNT_OF(scopes); i++) {
		struct op op = { .kind = OP_CREATE,
				 .path = STR("/f"),
				 .exists = true,
				 .client = STR("agent-x 1"),
				 .scope = str_of(scopes[i]) };

		history_begin(s.store, &op, STR(""), STR("x"), &ticket);
		assert_false(history_wait(s.store, ticket, &f));
		history_end(s.store, &op, OP_DONE, NULL);
	}
	assert_false(history_list(s.store, &q, &s.mem, &ops, &n, &f));
	assert_int_equal(n, 1);
	assert_str(ops[0].scope, scopes[0]);
	q = (struct history_query){ .client = STR("agent-x 1") };
	assert_false(history_list(s.store, &q, &s.mem, &ops, &n, &f));
	assert_int_equal(n, 3);
	q = (struct history_query){ .text = STR("GOOD") };
	assert_false(history_list(s.store, &q, &s.mem, &ops, &n, &f));
	assert_int_equal(n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_token_comes_first),
		cmocka_unit_test(the_history_is_searched_by_token),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
