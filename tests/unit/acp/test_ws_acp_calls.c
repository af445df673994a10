/*
 * Tool calls through an editor: what is told, known and kept of them is what
 * is really there.
 */
#include "../parsed.h"
#include "desk.h"

#include "acp/ws_acp.h"
#include "store/history.h"
#include "tools/dispatch.h"
#include "tools/readstate.h"
#include "tools/result.h"

#include <stdio.h>

struct fixture {
	struct desk d;
	struct workspace *ws;
	struct tool_options options;
	struct caller caller;
	struct dispatch call;
	struct arena mem;
};

static int set_up_with(void **state, const struct desk_want *want)
{
	struct fixture *t = test_calloc(1, sizeof(*t));

	desk_open(&t->d, want);
	t->ws = ws_acp_new(t->d.s.ws, t->d.editor);
	t->options = (struct tool_options){
		.max_file = 1 << 20,
		.max_reply = 1 << 20,
		.store = store_new(&(struct store_options){
			.dir = scratch_str(&t->d.s, "state/stet") }),
		.store_must = true,
	};
	t->caller = (struct caller){ .client = STR("test"),
				     .session = STR("one"),
				     .reads = readstate_new(NULL) };
	*state = t;
	return 0;
}

static int set_up(void **state)
{
	return set_up_with(state, &(struct desk_want){ 0 });
}

static int set_up_hasty(void **state)
{
	return set_up_with(state, &(struct desk_want){ .write_ms = 1000 });
}

static int tear_down(void **state)
{
	struct fixture *t = *state;

	store_free(t->options.store);
	readstate_free(t->caller.reads);
	ws_acp_free(t->ws);
	desk_close(&t->d);
	arena_free(&t->mem);
	test_free(t);
	return 0;
}

/* The arguments without the path of root/f, under its usual name. */
static enum err call(struct fixture *t, const char *tool, const char *more,
		     struct json *ret)
{
	struct str arguments =
		arena_printf(&t->mem, "{\"%s\":\"%s\"%s}",
			     tool[0] < 'a' ? "file_path" : "path",
			     scratch_path(&t->d.s, "root/f"), more);
	auto_buf payload = BUF_INIT;
	enum err e;

	t->call = (struct dispatch){ .options = &t->options,
				     .ws = t->ws,
				     .mem = &t->mem,
				     .id = STR("1"),
				     .caller = &t->caller };
	e = dispatch_begin(&t->call, str_of(tool), parsed(arguments, &t->mem));
	if (!e)
		e = dispatch_run(&t->call, 0);
	if (e)
		return e;
	result_payload(&t->call.call, &payload);
	*ret = parsed(arena_copy(&t->mem, buf_str(&payload)), &t->mem);
	return ERR_OK;
}

static struct json called(struct fixture *t, const char *tool, const char *more)
{
	struct json out = { 0 };

	assert_int_equal(call(t, tool, more, &out), ERR_OK);
	return out;
}

static struct json meta(struct json out)
{
	return json_get(out, "_meta");
}

static const char *version_of(struct fixture *t, const char *content)
{
	return hash_text(hash_of(str_of(content)), &t->mem).ptr;
}

/* M25 M34: the diff, the version, and what the caller knows. */
static void what_the_editor_formats_is_reported(void **state)
{
	struct fixture *t = *state;
	struct json out;

	t->d.formats = true;
	scratch_put(&t->d.s, "root/f", "a\nb\nc\n");
	out = called(t, "edit_text_file",
		     ",\"old_string\":\"b\",\"new_string\":\"    B\"");
	assert_string_equal(scratch_get(&t->d.s, "root/f"), "a\n\tB\nc\n");
	assert_true(json_str_is(
		json_get(out, "diff"),
		"--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+\tB\n c\n"));
	assert_true(json_str_is(json_get(meta(out), "source"), "editor"));
	assert_true(json_str_is(json_get(meta(out), "version"),
				version_of(t, "a\n\tB\nc\n")));
	assert_str(t->call.call.effect.after, "a\n\tB\nc\n");
	/* so that it can go on from there without reading again */
	(void)called(t, "Edit",
		     ",\"old_string\":\"\\tB\",\"new_string\":\"x\"");
	assert_string_equal(scratch_get(&t->d.s, "root/f"), "a\nx\nc\n");
}

/* The history has what is there, and leads back through the editor. */
static void what_the_editor_formats_can_be_undone(void **state)
{
	struct fixture *t = *state;
	struct history_query query = { .limit = 8 };
	struct fault f;
	struct op *ops;
	size_t n;

	t->d.formats = true;
	scratch_put(&t->d.s, "root/f", "a\nb\n");
	(void)called(t, "edit_text_file",
		     ",\"old_string\":\"b\",\"new_string\":\"    B\"");
	assert_int_equal(history_list(t->options.store, &query, &t->mem, &ops,
				      &n, &f),
			 ERR_OK);
	assert_int_equal(n, 1);
	assert_int_equal(ops[0].state, OP_DONE);
	assert_true(hash_eq(ops[0].before, hash_of(STR("a\nb\n"))));
	assert_true(hash_eq(ops[0].after, hash_of(STR("a\n\tB\n"))));
	(void)called(t, "undo_file_change", "");
	assert_int_equal(t->d.writes, 2);
	assert_string_equal(scratch_get(&t->d.s, "root/f"), "a\nb\n");
}

static void a_read_says_who_served_it(void **state)
{
	struct fixture *t = *state;
	struct json out;

	scratch_put(&t->d.s, "root/f", "a\nb\n");
	desk_type(&t->d, "root/f", "typed\n");
	out = called(t, "read_text_file", "");
	assert_true(json_str_is(json_get(out, "content"), "typed\n"));
	assert_true(json_str_is(json_get(meta(out), "source"), "editor"));
	t->d.reads_how = DESK_REFUSES;
	out = called(t, "read_text_file", "");
	assert_true(json_str_is(json_get(out, "content"), "a\nb\n"));
	assert_true(json_str_is(json_get(meta(out), "source"), "disk"));
}

/* One round trip for a read: settings are looked up on the disk. */
static void a_read_asks_once(void **state)
{
	struct fixture *t = *state;

	scratch_put(&t->d.s, "root/.editorconfig", "[*]\ncharset=utf-8\n");
	scratch_put(&t->d.s, "root/f", "plain\n");
	(void)called(t, "read_text_file", "");
	assert_int_equal(t->d.reads, 1);
}

/* The person types between the read and the write of one client. */
static void who_typed_since_is_not_overwritten(void **state)
{
	struct fixture *t = *state;
	struct json out;

	scratch_put(&t->d.s, "root/f", "a\nb\n");
	(void)called(t, "Read", "");
	desk_type(&t->d, "root/f", "a, typed\nb\n");
	assert_int_equal(call(t, "Edit",
			      ",\"old_string\":\"b\",\"new_string\":\"B\"",
			      &out),
			 ERR_STALE);
	assert_int_equal(call(t, "write_text_file", ",\"content\":\"x\"", &out),
			 ERR_CHANGED);
	assert_int_equal(t->d.writes, 0);
	/* an edit that names what it changes is made in what is there now */
	(void)called(t, "edit_text_file",
		     ",\"old_string\":\"b\",\"new_string\":\"B\"");
	assert_string_equal(scratch_get(&t->d.s, "root/f"), "a, typed\nB\n");
}

/* A change that the editor did not make leaves no mark in the history. */
static void a_late_write_is_told_as_failed(void **state)
{
	struct fixture *t = *state;
	struct history_query query = { .limit = 8, .intents = true };
	struct fault f;
	struct json out;
	struct op *ops;
	size_t n;

	scratch_put(&t->d.s, "root/f", "a\n");
	t->d.writes_how = DESK_SILENT;
	assert_int_equal(call(t, "edit_text_file",
			      ",\"old_string\":\"a\",\"new_string\":\"b\"",
			      &out),
			 ERR_IO);
	assert_string_equal(scratch_get(&t->d.s, "root/f"), "a\n");
	assert_int_equal(history_list(t->options.store, &query, &t->mem, &ops,
				      &n, &f),
			 ERR_OK);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ops[i].state, OP_FAILED);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(what_the_editor_formats_is_reported),
		CASE(what_the_editor_formats_can_be_undone),
		CASE(a_read_says_who_served_it),
		CASE(a_read_asks_once),
		CASE(who_typed_since_is_not_overwritten),
		cmocka_unit_test_setup_teardown(a_late_write_is_told_as_failed,
						set_up_hasty, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
