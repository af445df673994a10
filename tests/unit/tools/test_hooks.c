/*
 * test_hooks.c - hooks around a change: when they run, what they get, and what
 * a refusal means.
 *
 * C23 C88
 */
#include "../memory.h"
#include "../unit.h"

#include "base/fd.h"
#include "tools/call/dispatch.h"
#include "tools/call/result.h"
#include "tools/change/hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 4 };

struct story {
	struct hook before[MOST], after[MOST];
	bool (*stop)(void *ctx);
	const char *tool, *arguments;
};

static size_t count(const struct hook *rows)
{
	size_t n = 0;

	while (n < MOST && rows[n].command.len)
		n++;
	return n;
}

/* Run a call with these hooks; the payload or the error, as text. */
static enum err run(const struct story *s, struct memory *memory,
		    struct arena *mem, struct str *text)
{
	struct hooks hooks = { { s->before, s->after },
			       { count(s->before), count(s->after) } };
	struct tool_options options = { .max_file = 1 << 20,
					.max_reply = 1 << 20,
					.hooks = &hooks };
	struct caller caller = { .client = STR("a client"),
				 .session = STR("s1") };
	struct dispatch d = { .options = &options,
			      .ws = &memory->ws,
			      .mem = mem,
			      .progress.stop = s->stop,
			      .caller = &caller };
	struct json_limits limits = { 0 };
	struct json_error error;
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);
	struct json v;
	enum err e;

	assert_int_equal(json_parse(str_of(s->arguments), &limits, mem, &v,
				    &error),
			 ERR_OK);
	e = dispatch_begin(&d, str_of(s->tool), v);
	if (!e)
		e = dispatch_run(&d, 0);
	if (e)
		result_put_error(&o, &d.fault);
	else
		result_payload(&d.call, &out);
	*text = arena_copy(mem, buf_str(&out));
	return e;
}

#define EDIT                                                        \
	.tool = "edit_text_file",                                   \
	.arguments = "{\"path\":\"/d/f.c\",\"old_string\":\"one\"," \
		     "\"new_string\":\"two\"}"
#define HOOK(text, ...)                                \
	{                                              \
		.command = STR_INIT(text), __VA_ARGS__ \
	}

static const struct {
	struct story story;
	enum err err;
	const char *says; /* somewhere in the text */
	bool changed;
} stories[] = {
	{ { .before = { HOOK("true") }, EDIT }, ERR_OK, "\"diff\"", true },
	{ { .before = { HOOK("echo not today >&2; exit 3") }, EDIT },
	  ERR_HOOK,
	  "{\"code\":-32002,\"message\":\"Refused by hook: not today\","
	  "\"data\":{\"reason\":\"hook\"}}",
	  false },
	{ { .before = { HOOK("echo on stdout; exit 1") }, EDIT },
	  ERR_HOOK,
	  "Refused by hook: on stdout\"",
	  false },
	{ { .before = { HOOK("exit 9") }, EDIT },
	  ERR_HOOK,
	  "Refused by hook: exit status 9\"",
	  false },
	{ { .before = { HOOK("kill -9 $$") }, EDIT },
	  ERR_HOOK,
	  "Refused by hook: ended by signal 9\"",
	  false },
	{ { .before = { HOOK("sleep 600", .timeout_ms = 50) }, EDIT },
	  ERR_HOOK,
	  "Refused by hook: timeout after 50 ms\"",
	  false },
	{ { .before = { HOOK("no-such-program-here") }, EDIT },
	  ERR_HOOK,
	  "not found",
	  false },
	/* a refusal stops the hooks behind it */
	{ { .before = { HOOK("true"), HOOK("echo A; exit 1"),
			HOOK("echo B; exit 1") },
	    EDIT },
	  ERR_HOOK,
	  "Refused by hook: A\"",
	  false },
	/* output is cut, at a character */
	{ { .before = { HOOK(
		    "yes | head -c 9999999; printf '\\377' >&2; exit 1") },
	    EDIT },
	  ERR_HOOK,
	  "Refused by hook: \xef\xbf\xbd\"",
	  false },
	/* only those that match */
	{ { .before = { HOOK("exit 1", .match = STR_INIT("*.py")),
			HOOK("exit 1", .match = STR_INIT("/e/**")) },
	    EDIT },
	  ERR_OK,
	  "\"diff\"",
	  true },
	{ { .before = { HOOK("echo matched; exit 1",
			     .match = STR_INIT("*.c")) },
	    EDIT },
	  ERR_HOOK,
	  "matched",
	  false },
	{ { .before = { HOOK("echo all; exit 1", .match = STR_INIT("/d/**")) },
	    EDIT },
	  ERR_HOOK,
	  "all",
	  false },
	/* after_edit hooks run all, and the change stands */
	{ { .after = { HOOK("echo A >&2; exit 1"), HOOK("true"),
		       HOOK("exit 4") },
	    EDIT },
	  ERR_OK,
	  "\"hook\":\"A\\nexit status 4\"",
	  true },
	{ { .after = { HOOK("sleep 600", .timeout_ms = 50) }, EDIT },
	  ERR_OK,
	  "\"hook\":\"timeout after 50 ms\"",
	  true },
	/* a call that fails by itself runs none */
	{ { .before = { HOOK("exit 1") },
	    .tool = "edit_text_file",
	    .arguments = "{\"path\":\"/d/f.c\",\"old_string\":\"three\","
			 "\"new_string\":\"two\"}" },
	  ERR_NO_MATCH,
	  "not found in file",
	  false },
	/* a read runs no hook */
	{ { .before = { HOOK("exit 1") },
	    .after = { HOOK("exit 1") },
	    .tool = "read_text_file",
	    .arguments = "{\"path\":\"/d/f.c\"}" },
	  ERR_OK,
	  "one",
	  false },
};

/* C23 C88 */
static void a_hook_says_no_or_lets_it_pass(void **state)
{
	for (size_t i = 0; i < COUNT_OF(stories); i++) {
		struct memory memory = MEMORY({ "/d/f.c", STR_INIT("one\n") });
		auto_arena mem = ARENA_INIT;
		struct str text;
		enum err e = run(&stories[i].story, &memory, &mem, &text);

		bool said = memmem(text.ptr, text.len, stories[i].says,
				   strlen(stories[i].says));

		if (e != stories[i].err || !said)
			print_error("story %zu: %s, " STR_FMT "\n", i,
				    err_name(e), STR_ARG(text));
		assert_int_equal(e, stories[i].err);
		assert_true(said);
		assert_str(memory.files[0].bytes,
			   stories[i].changed ? "two\n" : "one\n");
		arena_free(&memory.mem);
	}
}

static bool at_once(void *ctx)
{
	return true;
}

static void a_cancelled_call_ends_its_hook(void **state)
{
	/* An edit asks for cancellation itself: so use a write. */
	struct story story = {
		.before = { HOOK("sleep 600") },
		.tool = "write_text_file",
		.arguments = "{\"path\":\"/d/new\",\"content\":\"x\"}",
		.stop = at_once,
	};
	struct memory memory = MEMORY({ "/d/f.c", STR_INIT("one\n") });
	auto_arena mem = ARENA_INIT;
	struct str text;

	assert_int_equal(run(&story, &memory, &mem, &text), ERR_CANCELLED);
	assert_int_equal(memory.stores, 0);
}

/* Both hooks get the same facts; before_edit has no operation. C23 */
static void a_hook_is_told_what_is_about_to_happen(void **state)
{
	struct memory memory = MEMORY({ "/d/f.c", STR_INIT("one\n") });
	struct story story = {
		.before = { HOOK("cat >&2; echo $STET_PATH $STET_TOOL >&2;"
				 "exit 1") },
		EDIT
	};
	auto_arena mem = ARENA_INIT;
	struct str text;

	assert_int_equal(run(&story, &memory, &mem, &text), ERR_HOOK);
	assert_str(text,
		   "{\"code\":-32002,\"message\":\"Refused by hook: "
		   "{\\\"event\\\":\\\"before_edit\\\","
		   "\\\"tool\\\":\\\"edit_text_file\\\","
		   "\\\"path\\\":\\\"/d/f.c\\\",\\\"kind\\\":\\\"update\\\","
		   "\\\"client\\\":\\\"a client\\\",\\\"session\\\":\\\"s1\\\","
		   "\\\"operation\\\":\\\"\\\"}\\n/d/f.c edit_text_file\","
		   "\"data\":{\"reason\":\"hook\"}}");
	story.after[0] = story.before[0];
	story.before[0] = (struct hook){ 0 };
	story.tool = "write_text_file";
	story.arguments = "{\"path\":\"/d/new\",\"content\":\"x\"}";
	assert_int_equal(run(&story, &memory, &mem, &text), ERR_OK);
	assert_non_null(memmem(text.ptr, text.len, "after_edit", 10));
	assert_non_null(memmem(text.ptr, text.len, "create", 6));
	arena_free(&memory.mem);
}

/* Hooks do not inherit our environment. */
static void the_environment_is_small(void **state)
{
	struct memory memory = MEMORY({ "/d/f.c", STR_INIT("one\n") });
	struct story story = {
		.before = { HOOK("env | grep -c SECRET >&2; exit 1") }, EDIT
	};
	auto_arena mem = ARENA_INIT;
	struct str text;

	assert_int_equal(setenv("A_SECRET", "x", 1), 0);
	assert_int_equal(run(&story, &memory, &mem, &text), ERR_HOOK);
	assert_non_null(memmem(text.ptr, text.len, "hook: 0\"", 8));
}

/* C105: a concurrent change is reported; no hook runs twice per call. */
static void a_hooked_call_is_not_run_again(void **state)
{
	char log[] = "/tmp/stet-hooks-XXXXXX", script[100];
	struct memory memory = MEMORY({ "/d/f.c", STR_INIT("one\n") });
	struct story story = { EDIT };
	auto_arena mem = ARENA_INIT;
	auto_fd fd = mkstemp(log);
	char seen[16] = "";
	struct str text;

	assert_true(fd >= 0);
	(void)snprintf(script, sizeof(script), "echo x >>%s", log);
	story.before[0].command = str_of(script);
	memory.races = 1;
	memory.theirs = STR("one too\n");
	assert_int_equal(run(&story, &memory, &mem, &text), ERR_CHANGED);
	assert_str(memory.files[0].bytes, "one too\n");
	assert_int_equal(fd_pread(fd, seen, sizeof(seen), 0), 2);
	assert_string_equal(seen, "x\n");
	(void)unlink(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hook_says_no_or_lets_it_pass),
		cmocka_unit_test(a_cancelled_call_ends_its_hook),
		cmocka_unit_test(a_hook_is_told_what_is_about_to_happen),
		cmocka_unit_test(the_environment_is_small),
		cmocka_unit_test(a_hooked_call_is_not_run_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
