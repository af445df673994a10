/*
 * test_approvals.c - the queue of questions, their answers, and grants.
 */
#include "state.h"

#include "base/clock.h"

static struct approval ask(struct state *s, const char *digest)
{
	struct approval a = { .tool = STR("Write"),
			      .path = STR("/p/.env"),
			      .client = STR("client"),
			      .session = STR("session"),
			      .scope = STR("scope"),
			      .owner = STR("codex"),
			      .declared = true,
			      .root = STR("/p"),
			      .changes = true,
			      .digest = str_of(digest),
			      .summary = STR("write 3 lines"),
			      .diff = STR("+a\n"),
			      .reason = STR("sensitive") };

	assert_int_equal(approval_ask(s->store, &a, &s->mem, &s->f), ERR_OK);
	return a;
}

static enum approval_state take(struct state *s, const char *digest)
{
	struct approval a;
	enum err e = approval_take(s->store, str_of(digest), STR(""), &s->mem,
				   &a, &s->f);

	if (e) {
		assert_int_equal(e, ERR_NO_APPROVAL);
		return APPROVAL_EXPIRED;
	}
	return a.state;
}

static void an_answer_counts_once(void **state)
{
	auto_state s = state_make();
	struct approval a, again, got;

	assert_int_equal(take(&s, "d1"), APPROVAL_EXPIRED);
	a = ask(&s, "d1");
	assert_int_equal(a.state, APPROVAL_PENDING);
	assert_true(a.until_ms > a.time_ms);
	again = ask(&s, "d1"); /* nothing is asked twice */
	assert_true(uuid_eq(a.id, again.id));
	assert_int_equal(take(&s, "d1"), APPROVAL_PENDING);
	assert_int_equal(take(&s, "d2"), APPROVAL_EXPIRED);

	assert_int_equal(approval_decide(s.store, a.id, APPROVAL_ALLOWED,
					 STR(""), STR(""), &s.f),
			 ERR_OK);
	assert_int_equal(approval_decide(s.store, a.id, APPROVAL_DENIED,
					 STR(""), STR(""), &s.f),
			 ERR_NO_APPROVAL);
	state_again(&s);
	assert_int_equal(take(&s, "d1"), APPROVAL_ALLOWED);
	assert_int_equal(take(&s, "d1"), APPROVAL_EXPIRED);

	again = ask(&s, "d1");
	assert_false(uuid_eq(a.id, again.id));
	assert_int_equal(approval_decide(s.store, again.id, APPROVAL_DENIED,
					 STR("no secrets"), STR(""), &s.f),
			 ERR_OK);
	assert_int_equal(approval_take(s.store, STR("d1"), STR(""), &s.mem,
				       &got, &s.f),
			 ERR_OK);
	assert_int_equal(got.state, APPROVAL_DENIED);
	assert_str(got.note, "no secrets");
	assert_int_equal(take(&s, "d1"), APPROVAL_EXPIRED);
}

/* The superseded question is not in the queue any more. */
static void what_would_be_something_else_is_asked_anew(void **state)
{
	auto_state s = state_make();
	struct approval one = { .digest = STR("d"), .binding = STR("b1") },
			two = { .digest = STR("d"), .binding = STR("b2") },
			*list;
	size_t n;

	assert_int_equal(approval_ask(s.store, &one, &s.mem, &s.f), ERR_OK);
	assert_int_equal(approval_ask(s.store, &two, &s.mem, &s.f), ERR_OK);
	assert_false(uuid_eq(one.id, two.id));
	assert_int_equal(approval_list(s.store, false, &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 1);
	assert_true(uuid_eq(list[0].id, two.id));
	assert_str(list[0].binding, "b2");
	assert_int_equal(approval_decide(s.store, one.id, APPROVAL_ALLOWED,
					 STR(""), STR(""), &s.f),
			 ERR_NO_APPROVAL);
}

static struct approval found(struct state *s, struct uuid id)
{
	char text[UUID_TEXT + 1];
	struct approval a;

	uuid_text(id, text);
	assert_int_equal(approval_find(s->store, str_of(text), &s->mem, &a,
				       &s->f),
			 ERR_OK);
	return a;
}

/* A denial stays, whether or not it was reported to the client. */
static void a_no_that_was_told_is_not_used(void **state)
{
	auto_state s = state_make();
	struct approval a = ask(&s, "d");

	assert_int_equal(approval_decide(s.store, a.id, APPROVAL_DENIED,
					 STR("why"), STR(""), &s.f),
			 ERR_OK);
	assert_int_equal(take(&s, "d"), APPROVAL_DENIED);
	assert_int_equal(found(&s, a.id).state, APPROVAL_REPORTED);
	assert_true(found(&s, a.id).used_ms >= a.time_ms);
	assert_str(found(&s, a.id).note, "why");
	assert_int_equal(take(&s, "d"), APPROVAL_EXPIRED);
}

/* Found by approval_take(), or by approval_ask() if that comes first. */
static void a_yes_to_something_else_is_void(void **state)
{
	auto_state s = state_make();

	for (int asks = 0; asks < 2; asks++) {
		struct approval a = { .digest = STR("d"),
				      .binding = STR("b1") },
				next = { .digest = STR("d"),
					 .binding = STR("b2") },
				got;

		assert_int_equal(approval_ask(s.store, &a, &s.mem, &s.f),
				 ERR_OK);
		assert_int_equal(approval_decide(s.store, a.id,
						 APPROVAL_ALLOWED, STR(""),
						 STR(""), &s.f),
				 ERR_OK);
		if (!asks) {
			assert_int_equal(approval_take(s.store, STR("d"),
						       STR("b2"), &s.mem, &got,
						       &s.f),
					 ERR_OK);
			assert_int_equal(got.state, APPROVAL_EXPIRED);
		}
		assert_int_equal(approval_ask(s.store, &next, &s.mem, &s.f),
				 ERR_OK);
		assert_false(uuid_eq(a.id, next.id));
		assert_int_equal(found(&s, a.id).state, APPROVAL_EXPIRED);
		assert_int_equal(found(&s, a.id).used_ms, 0);
		assert_int_equal(approval_decide(s.store, next.id,
						 APPROVAL_GRANTED, STR(""),
						 STR(""), &s.f),
				 ERR_OK);
		assert_int_equal(found(&s, next.id).state, APPROVAL_GRANTED);
	}
}

/* Only an approval that is not used yet can be withdrawn. */
static void a_yes_is_taken_back_in_time(void **state)
{
	auto_state s = state_make();
	struct approval a = ask(&s, "d");

	assert_int_equal(approval_withdraw(s.store, a.id, STR(""), &s.f),
			 ERR_NO_APPROVAL);
	assert_int_equal(approval_decide(s.store, a.id, APPROVAL_ALLOWED,
					 STR(""), STR(""), &s.f),
			 ERR_OK);
	assert_int_equal(approval_withdraw(s.store, a.id, STR("no"), &s.f),
			 ERR_OK);
	assert_str(found(&s, a.id).note, "no");
	assert_int_equal(take(&s, "d"), APPROVAL_DENIED);
	a = ask(&s, "d");
	assert_int_equal(approval_decide(s.store, a.id, APPROVAL_ALLOWED,
					 STR(""), STR(""), &s.f),
			 ERR_OK);
	assert_int_equal(take(&s, "d"), APPROVAL_ALLOWED);
	assert_int_equal(approval_withdraw(s.store, a.id, STR(""), &s.f),
			 ERR_NO_APPROVAL);
	assert_int_equal(found(&s, a.id).state, APPROVAL_USED);
}

/* C60: the answer comes between approval_take() and approval_ask(). */
static void an_answer_is_not_lost_to_the_same_question(void **state)
{
	auto_state s = state_make();
	struct approval one = { .digest = STR("d"), .binding = STR("b") },
			again = one, got, *list;
	size_t n;

	assert_int_equal(approval_ask(s.store, &one, &s.mem, &s.f), ERR_OK);
	assert_int_equal(approval_decide(s.store, one.id, APPROVAL_ALLOWED,
					 STR(""), STR(""), &s.f),
			 ERR_OK);
	assert_int_equal(approval_ask(s.store, &again, &s.mem, &s.f), ERR_OK);
	assert_true(uuid_eq(one.id, again.id));
	assert_int_equal(approval_list(s.store, false, &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 0);
	assert_int_equal(approval_take(s.store, STR("d"), STR("b"), &s.mem,
				       &got, &s.f),
			 ERR_OK);
	assert_int_equal(got.state, APPROVAL_ALLOWED);
	/* the yes counts once: the next question is a new one */
	again = (struct approval){ .digest = STR("d"), .binding = STR("b") };
	assert_int_equal(approval_ask(s.store, &again, &s.mem, &s.f), ERR_OK);
	assert_false(uuid_eq(one.id, again.id));
}

/* approval_take() returns which hunks were allowed. */
static void an_answer_may_be_for_some_hunks(void **state)
{
	auto_state s = state_make();
	struct approval a = { .digest = STR("d"), .parts = 3 }, got;

	assert_int_equal(approval_ask(s.store, &a, &s.mem, &s.f), ERR_OK);
	assert_int_equal(approval_take(s.store, STR("d"), STR(""), &s.mem, &got,
				       &s.f),
			 ERR_OK);
	assert_int_equal(got.parts, 3);
	assert_str(got.hunks, "");
	assert_int_equal(approval_decide(s.store, a.id, APPROVAL_ALLOWED,
					 STR(""), STR("1,3"), &s.f),
			 ERR_OK);
	state_again(&s);
	assert_int_equal(approval_take(s.store, STR("d"), STR(""), &s.mem, &got,
				       &s.f),
			 ERR_OK);
	assert_int_equal(got.state, APPROVAL_ALLOWED);
	assert_int_equal(got.parts, 3);
	assert_str(got.hunks, "1,3");
}

static void it_is_shown_as_it_was_asked(void **state)
{
	auto_state s = state_make();
	struct approval a = ask(&s, "d1"), got;
	char text[UUID_TEXT + 1];

	uuid_text(a.id, text);
	assert_int_equal(approval_find(s.store, str_of(text), &s.mem, &got,
				       &s.f),
			 ERR_OK);
	assert_true(uuid_eq(got.id, a.id));
	assert_str(got.tool, "Write");
	assert_str(got.path, "/p/.env");
	assert_str(got.client, "client");
	assert_str(got.session, "session");
	assert_str(got.scope, "scope");
	assert_str(got.owner, "codex");
	assert_true(got.declared && got.changes);
	assert_str(got.root, "/p");
	assert_str(got.digest, "d1");
	assert_str(got.summary, "write 3 lines");
	assert_str(got.diff, "+a\n");
	assert_str(got.reason, "sensitive");
	assert_str(got.note, "");
	assert_str(got.hunks, "");
	assert_int_equal(got.parts, 0);
	assert_int_equal(got.state, APPROVAL_PENDING);
	assert_int_equal(approval_find(s.store, STR("0000"), &s.mem, &got,
				       &s.f),
			 ERR_NO_APPROVAL);
}

static void what_was_asked_too_long_ago_is_over(void **state)
{
	auto_state s = state_make();
	struct approval a = { .digest = STR("d"),
			      .until_ms = clock_unix_ms() - 1 },
			got, *list;
	char text[UUID_TEXT + 1];
	size_t n;

	assert_int_equal(approval_ask(s.store, &a, &s.mem, &s.f), ERR_OK);
	uuid_text(a.id, text);
	assert_int_equal(take(&s, "d"), APPROVAL_EXPIRED);
	assert_int_equal(approval_decide(s.store, a.id, APPROVAL_ALLOWED,
					 STR(""), STR(""), &s.f),
			 ERR_NO_APPROVAL);
	assert_int_equal(approval_find(s.store, str_of(text), &s.mem, &got,
				       &s.f),
			 ERR_OK);
	assert_int_equal(got.state, APPROVAL_EXPIRED);
	assert_int_equal(approval_list(s.store, false, &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 0);

	/* Allowed, but not used in time. */
	a = ask(&s, "e");
	assert_int_equal(approval_decide(s.store, a.id, APPROVAL_ALLOWED,
					 STR(""), STR(""), &s.f),
			 ERR_OK);
	state_run(&s, "UPDATE approval SET until = 5");
	assert_int_equal(take(&s, "e"), APPROVAL_EXPIRED);
	assert_int_equal(approval_list(s.store, true, &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 2);
	assert_int_equal(list[0].state, APPROVAL_EXPIRED);
	assert_int_equal(list[1].state, APPROVAL_EXPIRED);
}

static enum err ask_as(struct state *s, const char *scope, int n)
{
	struct approval a = { .scope = str_of(scope) };

	a.digest = arena_printf(&s->mem, "%s %d", scope, n);
	return approval_ask(s->store, &a, &s->mem, &s->f);
}

/* The limit is per token, whatever name a client declares. */
static void a_client_has_so_many_questions(void **state)
{
	enum { MOST = 100 };
	auto_state s = state_make();

	for (int i = 0; i < MOST; i++)
		assert_int_equal(ask_as(&s, i % 2 ? "http:a:x" : "http:a:y", i),
				 ERR_OK);
	assert_int_equal(ask_as(&s, "http:a:x", MOST), ERR_MANY_ASKED);
	assert_int_equal(s.f.count, MOST);
	assert_int_equal(ask_as(&s, "http:a:other", MOST), ERR_MANY_ASKED);
	assert_int_equal(ask_as(&s, "http:a:x", 1), ERR_OK); /* asked before */
	assert_int_equal(ask_as(&s, "http:ab:x", 0), ERR_OK);
	assert_int_equal(ask_as(&s, "stdio:x", 0), ERR_OK);
	/* Questions that expired a day ago are deleted and free their place. */
	state_run(&s, "UPDATE approval SET until = 5 WHERE scope = 'http:a:x'");
	assert_int_equal(ask_as(&s, "http:a:x", MOST), ERR_OK);
	assert_int_equal(state_number(&s, "SELECT count(*) FROM approval"),
			 MOST / 2 + 3);
}

static void the_list_has_the_oldest_first(void **state)
{
	auto_state s = state_make();
	struct approval *list, first;
	size_t n;

	first = ask(&s, "1");
	for (char d[] = "2"; *d <= '9'; ++*d)
		(void)ask(&s, d);
	assert_int_equal(approval_decide(s.store, first.id, APPROVAL_DENIED,
					 STR(""), STR(""), &s.f),
			 ERR_OK);
	assert_int_equal(approval_list(s.store, false, &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 8);
	assert_str(list[0].digest, "2");
	assert_str(list[7].digest, "9");
	assert_int_equal(approval_list(s.store, true, &s.mem, &list, &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 9);
	assert_int_equal(list[0].state, APPROVAL_DENIED);
}

/* The least that a valid grant has, and a call that it covers. */
#define OWNED                                                                  \
	.client = STR_INIT("codex"), .declared = true, .root = STR_INIT("/p"), \
	.changes = true
#define FILE_GRANT .reach = GRANT_FILE, .path = STR_INIT("/p/a")
#define IN_SESSION .reach = GRANT_SESSION, .session = STR_INIT("s")
#define G(...)              \
	{                   \
		__VA_ARGS__ \
	}

static const struct {
	struct grant grant;
	const char *tool, *path, *session;
	bool want;
} reaches[] = {
	{ G(OWNED, FILE_GRANT), "W", "/p/a", "", true },
	{ G(OWNED, FILE_GRANT), "W", "/p/a/b", "", false },
	{ G(OWNED, .reach = GRANT_FILE), "W", "/p/a", "", false },
	{ G(OWNED, FILE_GRANT, .tool = STR_INIT("W")), "W", "/p/a", "", true },
	{ G(OWNED, FILE_GRANT, .tool = STR_INIT("R")), "W", "/p/a", "", false },
	{ G(OWNED, FILE_GRANT, .session = STR_INIT("s")), "W", "/p/a", "s",
	  true },
	{ G(OWNED, FILE_GRANT, .session = STR_INIT("s")), "W", "/p/a", "t",
	  false },
	{ G(OWNED, .reach = GRANT_DIRECTORY, .path = STR_INIT("/p")), "W",
	  "/p/a", "", true },
	{ G(OWNED, .reach = GRANT_DIRECTORY, .path = STR_INIT("/p/")), "W",
	  "/p/a/b", "", true },
	{ G(OWNED, .reach = GRANT_DIRECTORY, .path = STR_INIT("/p")), "W",
	  "/pq/a", "", false },
	{ G(OWNED, .reach = GRANT_DIRECTORY), "W", "/p/a", "", false },
	{ G(OWNED, .reach = GRANT_DIRECTORY, .path = STR_INIT("/")), "W",
	  "/p/a", "", true },
	{ G(OWNED, IN_SESSION), "W", "/p/a", "s", true },
	{ G(OWNED, IN_SESSION), "W", "/p/a", "t", false },
	{ G(OWNED, .reach = GRANT_SESSION), "W", "/p/a", "", false },
	{ G(OWNED, IN_SESSION, .path = STR_INIT("/q")), "W", "/p/a", "s",
	  false },
	{ G(OWNED, .reach = GRANT_ALWAYS), "W", "/p/a", "t", true },
	{ G(OWNED, .reach = GRANT_ALWAYS, .tool = STR_INIT("R")), "W", "/p/a",
	  "t", false },
	{ G(OWNED, .reach = GRANT_ALWAYS, .until_ms = 1), "W", "/p/a", "t",
	  false },
};

static bool is_covered(struct state *s, const struct grant_use *use)
{
	struct uuid id;

	assert_int_equal(grant_covers(s->store, use, &id, &s->f), ERR_OK);
	return !uuid_is_zero(id);
}

static void a_grant_reaches_as_far_as_was_said(void **state)
{
	auto_state s = state_make();

	for (size_t i = 0; i < COUNT_OF(reaches); i++) {
		struct grant g = reaches[i].grant, *list;
		struct grant_use use = { .client = STR("codex"),
					 .declared = true,
					 .root = STR("/p"),
					 .changes = true,
					 .tool = str_of(reaches[i].tool),
					 .path = str_of(reaches[i].path),
					 .session =
						 str_of(reaches[i].session) };
		bool covered;
		size_t n;

		assert_int_equal(grant_add(s.store, &g, &s.f), ERR_OK);
		covered = is_covered(&s, &use);
		if (covered != reaches[i].want)
			print_error("reach %zu\n", i);
		assert_int_equal(covered, reaches[i].want);
		assert_int_equal(grant_list(s.store, &s.mem, &list, &n, &s.f),
				 ERR_OK);
		assert_int_equal(n, g.until_ms == 0);
		if (n)
			assert_str(list[0].path, reaches[i].grant.path.ptr);
		assert_int_equal(grant_remove(s.store, g.id, &s.f), ERR_OK);
		assert_int_equal(grant_remove(s.store, g.id, &s.f),
				 ERR_NO_APPROVAL);
	}
}

/* A grant to codex for all files of /p, given when it asked for /p/.env. */
#define WIDE                                          \
	.reach = GRANT_ALWAYS, .tool = STR_INIT("W"), \
	.asked = STR_INIT("/p/.env"), .channel = STR_INIT("page")
#define USE(...)                                                             \
	{                                                                    \
		.tool = STR_INIT("W"), .session = STR_INIT("t"), __VA_ARGS__ \
	}
#define AT(file) .root = STR_INIT("/p"), .path = STR_INIT(file)
#define CODEX    .client = STR_INIT("codex"), .declared = true

static const struct {
	struct grant grant;
	struct grant_use use;
	bool want;
} owners[] = {
	{ G(OWNED, WIDE), USE(CODEX, AT("/p/a"), .changes = true), true },
	/* no other client */
	{ G(OWNED, WIDE),
	  USE(.client = STR_INIT("other"), .declared = true, AT("/p/a"),
	      .changes = true),
	  false },
	{ G(OWNED, WIDE), USE(.declared = true, AT("/p/a"), .changes = true),
	  false },
	{ G(OWNED, WIDE),
	  USE(.client = STR_INIT("codex"), AT("/p/a"), .changes = true),
	  false },
	{ G(WIDE, .client = STR_INIT("codex"), .root = STR_INIT("/p"),
	    .changes = true),
	  USE(CODEX, AT("/p/a"), .changes = true), false },
	/* a grant without an owner, from an older schema, covers nothing */
	{ G(WIDE, .declared = true, .root = STR_INIT("/p"), .changes = true),
	  USE(.declared = true, AT("/p/a"), .changes = true), false },
	{ G(WIDE, CODEX, .changes = true),
	  USE(CODEX, .path = STR_INIT("/p/a"), .changes = true), false },
	/* no other root, though it is beneath or above */
	{ G(OWNED, WIDE),
	  USE(CODEX, .root = STR_INIT("/p/sub"), .path = STR_INIT("/p/sub/a"),
	      .changes = true),
	  false },
	{ G(OWNED, WIDE),
	  USE(CODEX, .root = STR_INIT("/"), .path = STR_INIT("/p/a"),
	      .changes = true),
	  false },
	/* a grant to change does not cover reads */
	{ G(OWNED, WIDE), USE(CODEX, AT("/p/a")), false },
	{ G(WIDE, CODEX, .root = STR_INIT("/p")),
	  USE(CODEX, AT("/p/a"), .changes = true), false },
	{ G(WIDE, CODEX, .root = STR_INIT("/p")), USE(CODEX, AT("/p/a")),
	  true },
	/* of sensitive files only the one that was asked about */
	{ G(OWNED, WIDE),
	  USE(CODEX, AT("/p/.git/config"), .changes = true, .sensitive = true),
	  false },
	{ G(OWNED, WIDE),
	  USE(CODEX, AT("/p/.env"), .changes = true, .sensitive = true), true },
	{ G(OWNED, .reach = GRANT_FILE, .path = STR_INIT("/p/.env")),
	  USE(CODEX, AT("/p/.env"), .changes = true, .sensitive = true),
	  false },
};

static void a_grant_holds_for_its_owner_alone(void **state)
{
	auto_state s = state_make();

	for (size_t i = 0; i < COUNT_OF(owners); i++) {
		struct grant g = owners[i].grant;
		bool covered;

		assert_int_equal(grant_add(s.store, &g, &s.f), ERR_OK);
		covered = is_covered(&s, &owners[i].use);
		if (covered != owners[i].want)
			print_error("owner %zu\n", i);
		assert_int_equal(covered, owners[i].want);
		assert_int_equal(grant_remove(s.store, g.id, &s.f), ERR_OK);
	}
}

static void a_grant_is_listed_as_it_was_given(void **state)
{
	auto_state s = state_make();
	struct grant g = { OWNED, WIDE, .session = STR("t") }, *list;
	struct grant_use use = USE(CODEX, AT("/p/a"), .changes = true);
	size_t n;

	assert_int_equal(grant_add(s.store, &g, &s.f), ERR_OK);
	assert_true(is_covered(&s, &use));
	state_again(&s);
	assert_int_equal(grant_list(s.store, &s.mem, &list, &n, &s.f), ERR_OK);
	assert_int_equal(n, 1);
	assert_str(list[0].client, "codex");
	assert_true(list[0].declared && list[0].changes);
	assert_str(list[0].root, "/p");
	assert_str(list[0].asked, "/p/.env");
	assert_str(list[0].channel, "page");
	assert_str(list[0].session, "t");
	assert_true(list[0].used_ms >= list[0].time_ms);
}

/* 14.1: a grant in steady use is not written at each call. */
static void the_last_use_is_kept_to_the_minute(void **state)
{
	auto_state s = state_make();
	struct grant g = { OWNED, WIDE }, *list;
	struct grant_use use = USE(CODEX, AT("/p/a"), .changes = true);
	uint64_t first;
	size_t n;

	assert_int_equal(grant_add(s.store, &g, &s.f), ERR_OK);
	assert_true(is_covered(&s, &use));
	assert_int_equal(grant_list(s.store, &s.mem, &list, &n, &s.f), ERR_OK);
	first = list[0].used_ms;
	assert_true(first >= g.time_ms);
	while (clock_unix_ms() == first)
		;
	assert_true(is_covered(&s, &use));
	assert_int_equal(grant_list(s.store, &s.mem, &list, &n, &s.f), ERR_OK);
	assert_int_equal(list[0].used_ms, first);
}

/* 14.1: grants of the token, not of a client that declares its name. */
static void the_grants_of_a_token_go_with_it(void **state)
{
	static const struct {
		const char *client;
		bool declared, goes;
	} rows[] = { { "codex", false, true },
		     { "codex", true, false },
		     { "other", false, false } };
	auto_state s = state_make();
	struct grant *list;
	size_t n;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct grant g = { .reach = GRANT_ALWAYS,
				   .client = str_of(rows[i].client),
				   .declared = rows[i].declared,
				   .root = STR("/p") };

		assert_int_equal(grant_add(s.store, &g, &s.f), ERR_OK);
	}
	assert_int_equal(grant_remove_token(s.store, STR("codex"), &n, &s.f),
			 ERR_OK);
	assert_int_equal(n, 1);
	assert_int_equal(grant_list(s.store, &s.mem, &list, &n, &s.f), ERR_OK);
	assert_int_equal(n, 2);
	assert_true(list[0].declared);
	assert_str(list[1].client, "other");
}

/* A long text comes back in chunks, and goes with the answer. */
static void what_is_long_is_kept_in_pieces(void **state)
{
	enum { LONG = 3 * APPROVAL_CHUNK };
	auto_state s = state_make();
	struct approval a = { .digest = STR("d"),
			      .scope = STR("stdio:"),
			      .more = true,
			      .added = 5000 };
	char *text = arena_alloc(&s.mem, LONG);
	auto_buf all = BUF_INIT;
	uint64_t at = 0;
	struct str chunk;

	for (size_t i = 0; i < LONG; i++)
		text[i] = i % 61 == 60 ? '\n' : 'x';
	a.texts[APPROVAL_DIFF] = str_make(text, LONG);
	assert_int_equal(approval_ask(s.store, &a, &s.mem, &s.f), ERR_OK);
	do {
		assert_int_equal(approval_chunk(s.store, a.id, APPROVAL_DIFF,
						at, &s.mem, &chunk, &at, &s.f),
				 ERR_OK);
		assert_true(chunk.len <= APPROVAL_CHUNK);
		assert_true(!at || str_ends(chunk, STR("\n")));
		buf_add(&all, chunk);
	} while (at);
	assert_true(str_eq(buf_str(&all), str_make(text, LONG)));
	assert_int_equal(approval_decide(s.store, a.id, APPROVAL_DENIED,
					 STR(""), STR(""), &s.f),
			 ERR_OK);
	assert_int_equal(take(&s, "d"), APPROVAL_DENIED);
	assert_int_equal(approval_chunk(s.store, a.id, APPROVAL_DIFF, 0, &s.mem,
					&chunk, &at, &s.f),
			 ERR_NO_APPROVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_long_is_kept_in_pieces),
		cmocka_unit_test(an_answer_counts_once),
		cmocka_unit_test(what_would_be_something_else_is_asked_anew),
		cmocka_unit_test(a_no_that_was_told_is_not_used),
		cmocka_unit_test(a_yes_to_something_else_is_void),
		cmocka_unit_test(a_yes_is_taken_back_in_time),
		cmocka_unit_test(an_answer_is_not_lost_to_the_same_question),
		cmocka_unit_test(an_answer_may_be_for_some_hunks),
		cmocka_unit_test(it_is_shown_as_it_was_asked),
		cmocka_unit_test(what_was_asked_too_long_ago_is_over),
		cmocka_unit_test(a_client_has_so_many_questions),
		cmocka_unit_test(the_list_has_the_oldest_first),
		cmocka_unit_test(a_grant_reaches_as_far_as_was_said),
		cmocka_unit_test(a_grant_holds_for_its_owner_alone),
		cmocka_unit_test(a_grant_is_listed_as_it_was_given),
		cmocka_unit_test(the_last_use_is_kept_to_the_minute),
		cmocka_unit_test(the_grants_of_a_token_go_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
