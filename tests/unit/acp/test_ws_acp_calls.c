/*
 * Tool calls through an editor: result, read state and history match the file.
 */
#include "../parsed.h"
#include "fake_editor.h"

#include "acp/ws_acp.h"
#include "rpc/job.h"
#include "store/history.h"
#include "tools/call/dispatch.h"
#include "tools/call/result.h"
#include "tools/reading/readstate.h"

#include <stdio.h>

struct fixture {
	struct fake_editor d;
	struct workspace *ws;
	struct tool_options options;
	struct caller caller;
	struct dispatch call;
	struct arena mem;
};

static int set_up_with(void **state, const struct fake_editor_want *want)
{
	struct fixture *t = test_calloc(1, sizeof(*t));

	fake_editor_open(&t->d, want);
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
	return set_up_with(state, &(struct fake_editor_want){ 0 });
}

static int set_up_hasty(void **state)
{
	return set_up_with(state,
			   &(struct fake_editor_want){ .write_ms = 1000 });
}

static int tear_down(void **state)
{
	struct fixture *t = *state;

	store_free(t->options.store);
	readstate_free(t->caller.reads);
	ws_acp_free(t->ws);
	fake_editor_close(&t->d);
	arena_free(&t->mem);
	test_free(t);
	return 0;
}

/* Arguments of a tool; the path of root/f is added. */
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

/* M25 M34: in diff, version and read state. */
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
	assert_str(t->call.call.effects->after, "a\n\tB\nc\n");
	/* the next edit needs no new read */
	(void)called(t, "Edit",
		     ",\"old_string\":\"\\tB\",\"new_string\":\"x\"");
	assert_string_equal(scratch_get(&t->d.s, "root/f"), "a\nx\nc\n");
}

/* The undo goes through the editor. */
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

static void a_read_reports_its_source(void **state)
{
	struct fixture *t = *state;
	struct json out;

	scratch_put(&t->d.s, "root/f", "a\nb\n");
	fake_editor_type(&t->d, "root/f", "typed\n");
	out = called(t, "read_text_file", "");
	assert_true(json_str_is(json_get(out, "content"), "typed\n"));
	assert_true(json_str_is(json_get(meta(out), "source"), "editor"));
	t->d.reads_how = FAKE_EDITOR_REFUSES;
	out = called(t, "read_text_file", "");
	assert_true(json_str_is(json_get(out, "content"), "a\nb\n"));
	assert_true(json_str_is(json_get(meta(out), "source"), "disk"));
}

/* Settings are read from disk. */
static void a_read_sends_one_request(void **state)
{
	struct fixture *t = *state;

	scratch_put(&t->d.s, "root/.editorconfig", "[*]\ncharset=utf-8\n");
	scratch_put(&t->d.s, "root/f", "plain\n");
	(void)called(t, "read_text_file", "");
	assert_int_equal(t->d.reads, 1);
}

/* The user types between a read and a write. */
static void typing_since_the_read_is_a_conflict(void **state)
{
	struct fixture *t = *state;
	struct json out;

	scratch_put(&t->d.s, "root/f", "a\nb\n");
	(void)called(t, "Read", "");
	fake_editor_type(&t->d, "root/f", "a, typed\nb\n");
	assert_int_equal(call(t, "Edit",
			      ",\"old_string\":\"b\",\"new_string\":\"B\"",
			      &out),
			 ERR_STALE);
	assert_int_equal(call(t, "write_text_file", ",\"content\":\"x\"", &out),
			 ERR_CHANGED);
	assert_int_equal(t->d.writes, 0);
	/* an edit by text is applied to the current content */
	(void)called(t, "edit_text_file",
		     ",\"old_string\":\"b\",\"new_string\":\"B\"");
	assert_string_equal(scratch_get(&t->d.s, "root/f"), "a, typed\nB\n");
}

/* A change that did not happen is not in the history. */
static void a_late_write_is_reported_as_failed(void **state)
{
	struct fixture *t = *state;
	struct history_query query = { .limit = 8, .intents = true };
	struct fault f;
	struct json out;
	struct op *ops;
	size_t n;

	scratch_put(&t->d.s, "root/f", "a\n");
	t->d.writes_how = FAKE_EDITOR_SILENT;
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

/* A workspace that counts its accesses. */
struct counted {
	struct workspace ws; /* first: it is cast */
	struct workspace *disk;
	unsigned uses;
};

static enum err count_load(struct workspace *ws, struct str path, uint64_t max,
			   const struct progress *progress, struct arena *mem,
			   struct snapshot *ret, struct fault *f)
{
	struct counted *c = (struct counted *)ws;

	c->uses++;
	return ws_load(c->disk, path, max, progress, mem, ret, f);
}

static enum err count_stat(struct workspace *ws, struct str path,
			   struct arena *mem, struct file_info *ret,
			   struct fault *f)
{
	struct counted *c = (struct counted *)ws;

	c->uses++;
	return ws_stat(c->disk, path, mem, ret, f);
}

static const struct str *count_roots(struct workspace *ws, struct arena *mem,
				     size_t *ret_n)
{
	return ws_roots(((struct counted *)ws)->disk, mem, ret_n);
}

/* Not on the loop thread, where nothing could wait for the editor. */
static void a_call_runs_once_and_on_a_worker(void **state)
{
	static const struct workspace_ops ops = { .load = count_load,
						  .stat = count_stat,
						  .roots = count_roots };
	struct fixture *t = *state;
	struct counted disk = { { &ops, "disk" }, t->d.s.ws, 0 };
	struct server server = { .version = "1",
				 .tools = t->options,
				 .ws = ws_acp_new(&disk.ws, t->d.editor) };
	struct link link = { .dialect = dialect_newest };
	struct job *job = job_new(&server);

	scratch_put(&t->d.s, "root/f", "a\n");
	buf_addf(
		&job->text,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"read_text_file\",\"arguments\":{\"path\":\"%s\"}}}",
		scratch_path(&t->d.s, "root/f"));
	assert_int_equal(job_read(job, &link), JOB_READS);
	assert_int_equal(job_run(job, 1 << 20), JOB_LATER);
	assert_int_equal(disk.uses, 0);
	assert_int_equal(t->d.reads, 0);
	assert_int_equal(job_run(job, 0), JOB_RAN);
	assert_int_equal(t->d.reads, 1);
	assert_true(disk.uses > 0);
	assert_non_null(memmem(job->reply.ptr, job->reply.len, "\"editor\"",
			       strlen("\"editor\"")));
	job_free(job);
	link_free(&link);
	ws_acp_free(server.ws);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(what_the_editor_formats_is_reported),
		CASE(what_the_editor_formats_can_be_undone),
		CASE(a_read_reports_its_source),
		CASE(a_read_sends_one_request),
		CASE(a_call_runs_once_and_on_a_worker),
		CASE(typing_since_the_read_is_a_conflict),
		cmocka_unit_test_setup_teardown(
			a_late_write_is_reported_as_failed, set_up_hasty,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
