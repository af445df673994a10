/*
 * test_selection.c - the list of --tools: what it offers, and what it refuses.
 *
 * With a table of tools of its own, so that it does not depend on which exist.
 */
#include "../unit.h"

#include "tools/call/selection.h"

static const struct tool face_of_r = { .name = "r" };

static const struct tool rows[] = {
	{ .name = "hello", .families = { "repo" } },
	{ .name = "r",
	  .families = { "contract", "filesystem" },
	  .reference = &face_of_r },
	{ .name = "w", .families = { "contract" } },
	{ .name = "log", .families = { "history" } },
	{ .name = "Read", .families = { "claude" } },
	{ .name = "Grep", .families = { "find" } },
	{ .name = "ls", .families = { "find", "filesystem" } },
	{ .name = "move", .families = { "lines" } },
	{ .name = "tree", .families = { "filesystem" } },
};

const struct tool *const all_tools[] = {
	&rows[0], &rows[1], &rows[2], &rows[3], &rows[4],
	&rows[5], &rows[6], &rows[7], &rows[8],
};
const size_t all_tools_count = COUNT_OF(all_tools);

const struct tool *tool_named(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

/* The default list of a client in these tests. */
#define DEFAULT "contract find patch history"

static struct offer offer_of(const char *text, const char *families)
{
	auto_arena mem = ARENA_INIT;
	struct selection s = { 0 };
	struct fault f = { 0 };

	if (text)
		assert_int_equal(selection_parse(str_of(text), &mem, &s, &f),
				 ERR_OK);
	return selection_offer(&s, families);
}

static struct str names_of(uint64_t bits, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	for (size_t i = 0; i < all_tools_count; i++)
		if (bits >> i & 1)
			buf_addf(&out, "%s%s", out.len ? " " : "",
				 all_tools[i]->name);
	return arena_copy(mem, buf_str(&out));
}

#define EVERY "hello r w log Read Grep ls move tree"

static const struct {
	const char *text, *listed, *callable;
	bool reference;
} spellings[] = {
	{ NULL, "r w log Grep ls", EVERY, false },
	{ "auto", "r w log Grep ls", EVERY, false },
	{ "all", EVERY, EVERY, false },
	{ "contract", "r w", "r w", false },
	{ "Read,hello", "hello Read", "hello Read", false },
	{ "find,Read,-ls", "Read Grep", "Read Grep", false },
	{ "-ls,find", "r w log Grep ls", EVERY, false },
	{ "+lines", "r w log Grep ls move", EVERY, false },
	{ "-repo,-claude", "r w log Grep ls", "r w log Grep ls move tree",
	  false },
	{ "-find", "r w log", "hello r w log Read move tree", false },
	{ "all,-contract", "hello log Read Grep ls move tree",
	  "hello log Read Grep ls move tree", true },
	{ "filesystem", "r ls tree", "r ls tree", true },
	{ "filesystem,contract", "r w ls tree", "r w ls tree", false },
	{ "filesystem,w", "r w ls tree", "r w ls tree", true },
	{ "+filesystem", "r w log Grep ls tree", EVERY, false },
	{ "-contract,+filesystem", "r log Grep ls tree",
	  "hello r log Read Grep ls move tree", true },
	{ "r", "r", "r", false },
	{ "move,auto,-r", "w log Grep ls move",
	  "hello w log Read Grep ls move tree", false },
	{ "-all,+Read", "Read", "Read", false },
	{ "all,-auto", "hello Read move tree", "hello Read move tree", true },
};

/* F03: items add and take away in order, the list keeps that of all.def. */
static void items_add_and_take_away_in_order(void **state)
{
	for (size_t i = 0; i < COUNT_OF(spellings); i++) {
		auto_arena mem = ARENA_INIT;
		struct offer o = offer_of(spellings[i].text, DEFAULT);

		assert_str(names_of(o.listed, &mem), spellings[i].listed);
		assert_str(names_of(o.callable, &mem), spellings[i].callable);
		assert_int_equal(o.reference, spellings[i].reference);
	}
}

/* F03: auto is another list for another client. */
static void auto_depends_on_the_client(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct offer o = offer_of("-log,+hello", "claude history");

	assert_str(names_of(o.listed, &mem), "hello Read");
	o = offer_of("+filesystem", "claude");
	assert_true(o.reference);
	o = offer_of(NULL, NULL);
	assert_str(names_of(o.listed, &mem), EVERY);
}

/* F07: the reference server's row serves only in its own selection. */
static void the_face_follows_the_selection(void **state)
{
	struct offer o = offer_of("filesystem", DEFAULT);

	assert_ptr_equal(offer_face(&o, &rows[1]), &face_of_r);
	assert_ptr_equal(offer_face(&o, &rows[8]), &rows[8]);
	o = offer_of("all", DEFAULT);
	assert_ptr_equal(offer_face(&o, &rows[1]), &rows[1]);
}

/* F05: narrowing takes away, and never adds. */
static void narrowing_only_takes_away(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct offer o = offer_of("contract", DEFAULT);

	offer_narrow(&o, offer_of("-w,+tree", NULL).callable);
	assert_str(names_of(o.listed, &mem), "r");
	assert_str(names_of(o.callable, &mem), "r");
	assert_true(offer_lists(&o, &rows[1]));
	assert_false(offer_calls(&o, &rows[2]));
	assert_false(offer_calls(&o, &rows[8]));
}

static const char *const wrong[][2] = {
	{ "contrct",
	  "no tool or family is called 'contrct' (did you mean contract?)" },
	{ "find,Raed",
	  "no tool or family is called 'Raed' (did you mean Read?)" },
	{ "-histroy",
	  "no tool or family is called 'histroy' (did you mean history?)" },
	{ "+zzzzzz",
	  "no tool or family is called 'zzzzzz' (see 'stet tools')" },
	{ "find,,w", "no tool or family is called '' (see 'stet tools')" },
	{ "--find",
	  "no tool or family is called '-find' (did you mean find?)" },
	{ "", "no tool or family is called '' (see 'stet tools')" },
};

/* F04: a wrong name is refused, with the nearest one. */
static void a_wrong_name_is_refused(void **state)
{
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		auto_arena mem = ARENA_INIT;
		struct selection s;
		struct fault f = { 0 };

		assert_int_equal(selection_parse(str_of(wrong[i][0]), &mem, &s,
						 &f),
				 ERR_BAD_ARGS);
		assert_str(fault_text(&f, &mem), wrong[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_add_and_take_away_in_order),
		cmocka_unit_test(auto_depends_on_the_client),
		cmocka_unit_test(the_face_follows_the_selection),
		cmocka_unit_test(narrowing_only_takes_away),
		cmocka_unit_test(a_wrong_name_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
