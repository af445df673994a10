/*
 * Tool calls as session/update, in the contracts' exact shape, recorded by a
 * sink behind the real dispatcher.
 */
#include "../memory.h"
#include "../parsed.h"
#include "../unit.h"

#include "acp/events.h"
#include "tools/dispatch.h"

struct recorder {
	struct event_sink sink;
	struct buf begin, end;
};

static void on_begin(struct event_sink *sink, const struct tool_event *e)
{
	events_begin(e, STR("s1"), &((struct recorder *)sink)->begin);
}

static void on_end(struct event_sink *sink, const struct tool_event *e)
{
	events_end(e, STR("s1"), &((struct recorder *)sink)->end);
}

static const struct tool_options options = { .max_file = 1 << 20,
					     .max_reply = 1 << 20 };

static void run(const char *tool, struct str arguments, struct recorder *r,
		struct arena *mem)
{
	struct memory memory = MEMORY({ "/test/f", STR_INIT("a\nb\nc\n") });
	struct dispatch d = { .options = &options,
			      .ws = &memory.ws,
			      .mem = mem,
			      .events = &r->sink,
			      .id = STR("call_1") };

	*r = (struct recorder){ .sink = { on_begin, on_end } };
	if (!dispatch_begin(&d, str_of(tool), parsed(arguments, mem)))
		(void)!dispatch_run(&d, 0);
	arena_free(&memory.mem);
}

#define BEGIN(kind, title, input)                                         \
	"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{" \
	"\"sessionId\":\"s1\",\"update\":{\"type\":\"toolCall\","         \
	"\"id\":\"call_1\",\"kind\":\"" kind "\",\"status\":\"pending\"," \
	"\"title\":\"" title "\",\"locations\":[{\"path\":\"/test/f\"}]," \
	"\"rawInput\":" input "}}}"

static const struct {
	const char *tool, *arguments, *begin;
} begins[] = {
	/* W41 W42 W43 W44 W45 W46 W47 */
	{ "write_text_file", "{\"path\":\"/test/f\",\"content\":\"x\"}",
	  BEGIN("write", "write_text_file",
		"{\"path\":\"/test/f\",\"content\":\"x\"}") },
	/* R42 R43 R44 R45 R46 R47 */
	{ "read_text_file", "{\"path\":\"/test/f\",\"line\":2,\"limit\":1}",
	  BEGIN("read", "read_text_file",
		"{\"path\":\"/test/f\",\"line\":2,\"limit\":1}") },
	/* M43 M44 M45 M46 M47 M48 A39 */
	{ "multi_edit_text_file",
	  "{\"path\":\"/test/f\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"A\"},{\"old_string\":\"b\",\"new_string\":\"B\"},{\"old_string\":\"c\",\"new_string\":\"C\"}]}",
	  BEGIN("edit", "multi_edit_text_file (3 edits)",
		"{\"path\":\"/test/f\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"A\"},{\"old_string\":\"b\",\"new_string\":\"B\"},{\"old_string\":\"c\",\"new_string\":\"C\"}]}") },
	{ "multi_edit_text_file",
	  "{\"path\":\"/test/f\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"A\"}]}",
	  BEGIN("edit", "multi_edit_text_file (1 edit)",
		"{\"path\":\"/test/f\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"A\"}]}") },
};

static void a_call_begins_as_the_contract_says(void **state)
{
	for (size_t i = 0; i < COUNT_OF(begins); i++) {
		auto_arena mem = ARENA_INIT;
		struct recorder r;

		run(begins[i].tool, str_of(begins[i].arguments), &r, &mem);
		assert_str(buf_str(&r.begin), begins[i].begin);
		buf_free(&r.begin);
		buf_free(&r.end);
	}
}

static struct json fields_of(struct recorder *r, struct arena *mem,
			     const char *status)
{
	struct json update =
		json_get(json_get(parsed(buf_str(&r->end), mem), "params"),
			 "update");
	struct json fields = json_get(update, "fields");

	assert_true(json_str_is(json_get(update, "type"), "toolCallUpdate"));
	assert_true(json_str_is(json_get(update, "id"), "call_1"));
	assert_true(json_str_is(json_get(fields, "status"), status));
	return fields;
}

static void drop(struct recorder *r)
{
	buf_free(&r->begin);
	buf_free(&r->end);
}

/* W49 W50 W51 W52: the result's three members come back. */
static void a_write_ends_with_its_result(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct recorder r;
	struct json out;
	int64_t n;

	run("write_text_file",
	    STR("{\"path\":\"/test/new\",\"content\":\"Hello, World!\\n\"}"),
	    &r, &mem);
	out = json_get(fields_of(&r, &mem, "completed"), "rawOutput");
	assert_true(json_is(json_get(out, "success"), JSON_TRUE));
	assert_true(json_int(json_get(out, "bytes_written"), &n));
	assert_int_equal(n, 14);
	assert_true(json_is(json_get(out, "created"), JSON_TRUE));
	drop(&r);
}

/* R48 R49 */
static void a_read_ends_with_content_and_meta(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct recorder r;
	struct json out;
	int64_t n;

	run("read_text_file", STR("{\"path\":\"/test/f\"}"), &r, &mem);
	out = json_get(fields_of(&r, &mem, "completed"), "rawOutput");
	assert_true(json_str_is(json_get(out, "content"), "a\nb\nc\n"));
	assert_true(
		json_int(json_get(json_get(out, "_meta"), "total_lines"), &n));
	assert_int_equal(n, 3);
	drop(&r);
}

/* M49 M50 M51: and the diff as content. */
static void an_edit_ends_with_its_diff(void **state)
{
	static const char diff[] =
		"--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
	auto_arena mem = ARENA_INIT;
	struct recorder r;
	struct json fields, out;
	struct json_walk w;

	run("multi_edit_text_file",
	    STR("{\"path\":\"/test/f\",\"edits\":[{\"old_string\":\"b\",\"new_string\":\"B\"}]}"),
	    &r, &mem);
	fields = fields_of(&r, &mem, "completed");
	out = json_get(fields, "rawOutput");
	assert_true(json_str_is(json_get(out, "diff"), diff));
	assert_true(json_is(json_get(out, "success"), JSON_TRUE));
	assert_int_equal(json_count(json_get(out, "line_ranges")), 1);
	w = json_walk(json_get(fields, "content"));
	assert_true(json_step(&w));
	assert_true(json_str_is(json_get(w.value, "type"), "text"));
	assert_true(json_str_is(json_get(w.value, "text"), diff));
	drop(&r);
}

/* W55 R64 M71 A36 */
static void a_failure_ends_with_its_error(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct recorder r;
	struct json error;
	int64_t code;

	run("read_text_file", STR("{\"path\":\"/none\"}"), &r, &mem);
	error = json_get(json_get(fields_of(&r, &mem, "failed"), "rawOutput"),
			 "error");
	assert_true(json_int(json_get(error, "code"), &code));
	assert_int_equal(code, -32001);
	assert_true(json_str_is(json_get(error, "message"),
				"File not found: /none"));
	drop(&r);
}

/* W48 A38: cut at 10,240 bytes between characters, and told. */
static void long_texts_are_cut_in_the_event_alone(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf call = BUF_INIT;
	struct recorder r;
	struct json update;
	struct str text;
	int64_t total;

	buf_lit(&call, "{\"path\":\"/test/f\",\"content\":\"x");
	for (int i = 0; i < 6000; i++)
		buf_lit(&call, "\xc3\xa9");
	buf_lit(&call, "\"}");
	run("write_text_file", buf_str(&call), &r, &mem);
	update = json_get(json_get(parsed(buf_str(&r.begin), &mem), "params"),
			  "update");
	assert_true(json_text(json_get(json_get(update, "rawInput"), "content"),
			      &mem, &text));
	assert_true(str_ends(text, STR("\xc3\xa9...[truncated 1762 bytes]")));
	assert_int_equal(text.len, 10239 + strlen("...[truncated 1762 bytes]"));
	assert_true(json_is(json_get(json_get(update, "_meta"), "truncated"),
			    JSON_TRUE));
	assert_true(json_int(json_get(json_get(update, "_meta"), "totalBytes"),
			     &total));
	assert_int_equal(total, 12001);
	/* the tool itself got all of it */
	update = json_get(fields_of(&r, &mem, "completed"), "rawOutput");
	assert_true(json_int(json_get(update, "bytes_written"), &total));
	assert_int_equal(total, 12001);
	drop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_begins_as_the_contract_says),
		cmocka_unit_test(a_write_ends_with_its_result),
		cmocka_unit_test(a_read_ends_with_content_and_meta),
		cmocka_unit_test(an_edit_ends_with_its_diff),
		cmocka_unit_test(a_failure_ends_with_its_error),
		cmocka_unit_test(long_texts_are_cut_in_the_event_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
