/*
 * test_ask_grant.c - answers that become a grant: their scope, their end, and
 * the second form that confirms them.
 */
#include "ask_fixture.h"

static const struct {
	const char *word, *path, *other; /* @other is not covered: it asks */
	enum grant_reach reach;
	bool lasting; /* with dialogs_may_last */
} wide[] = {
	{ "allow for this file", "/a/f", "/a/g", GRANT_FILE, false },
	{ "allow for this directory", "/a/b/f", "/b/f", GRANT_DIRECTORY,
	  false },
	{ "allow for this session", "/any", NULL, GRANT_SESSION, false },
	/* not offered, and refused if a client sends it anyway */
	{ "allow always", "/any", NULL, GRANT_SESSION, false },
	{ "allow for this file", "/a/f", "/a/g", GRANT_FILE, true },
	{ "allow always", "/any", NULL, GRANT_ALWAYS, true },
};

/* A grant by dialog ends with the session, unless dialogs may last. */
static void ends_with_the_session(struct ask_fixture *x, const struct grant *g,
				  bool lasting)
{
	char session[UUID_TEXT + 1];

	assert_str(g->channel, "dialog");
	assert_str(g->client, "test");
	assert_true(g->declared);
	assert_str(g->root, "/");
	assert_int_equal(g->session.len != 0, !lasting);
	assert_int_equal(g->until_ms != 0, !lasting);
	memcpy(session, x->link.session, sizeof(session));
	/* the same client in a new session */
	x->link.session[0] ^= 1;
	if (lasting)
		assert_int_equal(ask_code(ask_call(x, ask_modern(x, CAN, "/a/f",
								 ""))),
				 0);
	else
		(void)ask_state_of(x,
				   ask_call(x, ask_modern(x, CAN, "/a/f", "")));
	memcpy(x->link.session, session, sizeof(session));
}

static struct json say_word(struct ask_fixture *x, struct str token,
			    const char *word)
{
	return ask_call(x,
			ask_modern(x, CAN, "/a/f",
				   ask_answer_members(x, token,
						      arena_printf(&x->mem,
								   SAYS("%s"),
								   word)
							      .ptr)));
}

/* 14.1: a grant for a whole root needs the second form. */
static void say_again(struct ask_fixture *x, struct json v, bool lasting)
{
	struct str token = ask_state_of(x, v);

	assert_int_equal(edits, 0);
	assert_true(ask_says(v, "on every file in"));
	assert_true(ask_says(v, "test (declared name)"));
	assert_true(ask_says(v, lasting ? "until you revoke it"
					: "while its session lasts"));
	assert_true(ask_says(v, lasting ? "[\"allow once\",\"allow always\","
					  "\"deny\"]"
					: "[\"allow once\",\"allow for this "
					  "session\",\"deny\"]"));
	(void)say_word(x, token,
		       lasting ? "allow always" : "allow for this session");
}

static void a_wide_answer_holds_for_what_it_says(void **state)
{
	struct ask_fixture *x = *state;
	struct json v;

	for (size_t i = 0; i < COUNT_OF(wide); i++) {
		struct str token =
			ask_state_of(x, ask_call(x, ask_modern(x, CAN, "/a/f",
							       "")));
		struct grant *list;
		struct fault f;
		size_t n;

		edits = 0;
		x->server.dialogs_may_last = wide[i].lasting;
		v = say_word(x, token, wide[i].word);
		if (wide[i].reach >= GRANT_SESSION)
			say_again(x, v, wide[i].lasting);
		assert_int_equal(edits, 1);
		assert_int_equal(ask_code(ask_call(x, ask_modern(x, CAN,
								 wide[i].path,
								 ""))),
				 0);
		assert_int_equal(edits, 2);
		if (wide[i].other)
			(void)ask_state_of(x,
					   ask_call(x, ask_modern(x, CAN,
								  wide[i].other,
								  "")));
		assert_int_equal(grant_list(x->server.tools.store, &x->mem,
					    &list, &n, &f),
				 ERR_OK);
		assert_int_equal(n, 1);
		assert_int_equal(list[0].reach, wide[i].reach);
		ends_with_the_session(x, &list[0], wide[i].lasting);
		assert_int_equal(grant_remove(x->server.tools.store, list[0].id,
					      &f),
				 ERR_OK);
	}
}

/* A smaller answer in the second form, or none, stores no grant. */
static void the_second_form_can_be_declined(void **state)
{
	static const struct {
		const char *word;
		unsigned edits;
	} rows[] = { { "allow once", 1 }, { "deny", 0 } };
	struct ask_fixture *x = *state;
	struct str token;
	struct grant *list;
	struct fault f;
	struct json v;
	size_t n;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		edits = 0;
		token = ask_state_of(x, ask_call(x, ask_modern(x, CAN, "/a/f",
							       "")));
		v = say_word(x, token, "allow for this session");
		(void)say_word(x, ask_state_of(x, v), rows[i].word);
		assert_int_equal(edits, rows[i].edits);
		assert_int_equal(grant_list(x->server.tools.store, &x->mem,
					    &list, &n, &f),
				 ERR_OK);
		assert_int_equal(n, 0);
	}
}

/* Without a store only "once" and "deny" are offered. */
static void without_a_store_there_is_once_or_not(void **state)
{
	struct ask_fixture *x = *state;
	struct json v;

	ask_forget_store(x);
	v = ask_call(x, ask_modern(x, CAN, "/a/f", ""));
	assert_true(ask_says(v, "[\"allow once\",\"deny\"]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ASK_CASE(a_wide_answer_holds_for_what_it_says),
		ASK_CASE(the_second_form_can_be_declined),
		ASK_CASE(without_a_store_there_is_once_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
