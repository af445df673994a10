/*
 * test_concurrent_change.c - the error of a call that lost a race: the current
 * version, and a diff of the concurrent change.
 */
#include "../memory.h"
#include "../parsed.h"
#include "../unit.h"

#include "text/encoding/utf8.h"
#include "tools/call/dispatch.h"
#include "tools/call/result.h"
#include "tools/reading/concurrent_change.h"

static const struct tool_options options = { .max_file = 1 << 20,
					     .max_reply = 1 << 20 };

/* A write over @before, while another program writes @theirs. */
static struct fault lose(struct str before, struct str theirs,
			 struct arena *mem)
{
	struct memory memory = MEMORY({ "/f", before });
	struct dispatch d = { .options = &options,
			      .ws = &memory.ws,
			      .mem = mem };
	char hex[HASH_HEX + 1];

	memory.races = 1;
	memory.theirs = theirs;
	hash_hex(hash_of(before), hex);
	assert_int_equal(
		dispatch_begin(
			&d, STR("write_text_file"),
			parsed(arena_printf(
				       mem,
				       "{\"path\":\"/f\",\"content\":\"x\",\"if_version\":\"%s\"}",
				       hex),
			       mem)),
		ERR_OK);
	assert_int_equal(dispatch_run(&d, 0), ERR_CHANGED);
	assert_int_equal(memory.stores, 0);
	arena_free(&memory.mem);
	return d.fault;
}

static const struct {
	struct str before, theirs;
	const char *changed;
} races[] = {
	{ STR_INIT("one\ntwo\nthree\n"), STR_INIT("one\n2\nthree\n"),
	  "--- f\n+++ f\n@@ -2,1 +2,1 @@\n-two\n+2\n" },
	{ STR_INIT("one\n"), STR_INIT("one\ntwo\n"),
	  "--- f\n+++ f\n@@ -1,0 +2,1 @@\n+two\n" },
	/* UTF-16 is decoded for the diff */
	{ STR_INIT("\xff\xfe"
		   "o\0n\0e\0\n\0"),
	  STR_INIT("\xff\xfe"
		   "o\0n\0\xe9\0\n\0"),
	  "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-one\n+on\xc3\xa9\n" },
	/* binary content has no diff */
	{ STR_INIT("one\n"), STR_INIT("\x89PNG\r\n\x1a\n\0\0"), "" },
};

/* A69 A06: the fault says which version is there, and what changed. */
static void a_lost_race_says_what_changed(void **state)
{
	for (size_t i = 0; i < COUNT_OF(races); i++) {
		auto_arena mem = ARENA_INIT;
		struct fault f = lose(races[i].before, races[i].theirs, &mem);
		char hex[HASH_HEX + 1];

		hash_hex(hash_of(races[i].theirs), hex);
		assert_str(f.version, hex);
		assert_str(f.changed, races[i].changed);
	}
}

/* A69: a long diff is cut, at the end of a line if possible. */
static void what_changed_is_told_in_few_words(void **state)
{
	static const struct {
		const char *again;
		size_t least;
	} rules[] = {
		{ "line\n", CONCURRENT_CHANGE_MOST - 32 },
		{ "\xe2\x82\xac", CONCURRENT_CHANGE_MOST - 32 },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf theirs = BUF_INIT;
		struct fault f;

		for (int k = 0; k < 2000; k++)
			buf_add(&theirs, str_of(rules[i].again));
		f = lose(STR("one\n"), buf_str(&theirs), &mem);
		assert_in_range(f.changed.len, rules[i].least,
				CONCURRENT_CHANGE_MOST);
		assert_true(str_ends(f.changed, STR("\n...\n")));
		assert_true(utf8_valid(f.changed));
	}
}

/* A69 A06: in data, and in a result beside the message, which is literal. */
static void what_changed_reaches_the_client(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf text = BUF_INIT;
	struct json_out o = json_out(&text);
	struct fault f = lose(races[0].before, races[0].theirs, &mem);
	struct json v, data;

	json_open(&o, '{');
	result_put_fault(&o, &f, RESULTS_BOTH);
	json_close(&o, '}');
	v = parsed(buf_str(&text), &mem);
	data = json_get(json_get(json_get(v, "structuredContent"), "error"),
			"data");
	assert_true(json_str_is(json_get(data, "changed"), races[0].changed));
	assert_non_null(strstr(arena_cstr(&mem, buf_str(&text)),
			       "before attempting to write it.\\n"
			       "--- f\\n+++ f\\n"));
}

/* A69: after ERR_OVERTAKEN the change is not written again. */
static void an_overtaken_write_is_not_run_again(void **state)
{
	struct memory memory = MEMORY({ "/f", STR_INIT("one\n") });
	auto_arena mem = ARENA_INIT;
	struct dispatch d = { .options = &options,
			      .ws = &memory.ws,
			      .mem = &mem };
	char hex[HASH_HEX + 1];

	memory.races = 1;
	memory.overtaken = true;
	memory.theirs = STR("theirs\n");
	assert_int_equal(
		dispatch_begin(
			&d, STR("write_text_file"),
			parsed(STR("{\"path\":\"/f\",\"content\":\"x\"}"),
			       &mem)),
		ERR_OK);
	assert_int_equal(dispatch_run(&d, 0), ERR_OVERTAKEN);
	assert_int_equal(memory.stores, 0);
	assert_str(memory.files[0].bytes, "theirs\n");
	hash_hex(hash_of(STR("theirs\n")), hex);
	assert_str(d.fault.version, hex);
	assert_int_equal(d.fault.changed.len, 0);
	assert_str(
		fault_text(&d.fault, &mem),
		"Written, but another program has changed /f since. Read it again.");
	arena_free(&memory.mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_race_says_what_changed),
		cmocka_unit_test(what_changed_is_told_in_few_words),
		cmocka_unit_test(what_changed_reaches_the_client),
		cmocka_unit_test(an_overtaken_write_is_not_run_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
