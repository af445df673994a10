/*
 * test_events.c - tool calls as session/update.
 *
 * Tool calls as session/update, in the contracts' exact shape and in that of
 * ACP v1, recorded by a sink behind the real dispatcher.
 */
#include "../memory.h"
#include "../parsed.h"
#include "../unit.h"

#include "acp/events.h"
#include "tools/call/dispatch.h"

struct recorder {
	struct event_sink sink;
	struct buf begin, end;
	enum events_dialect dialect;
	unsigned begun, ended;
};

static void on_begin(struct event_sink *sink, const struct tool_event *e)
{
	struct recorder *r = (struct recorder *)sink;

	assert_int_equal(r->begun++, 0);
	events_begin(e, r->dialect, STR("s1"), &r->begin);
}

static void on_end(struct event_sink *sink, const struct tool_event *e)
{
	struct recorder *r = (struct recorder *)sink;

	assert_int_equal(r->begun, 1);
	assert_int_equal(r->ended++, 0);
	events_end(e, r->dialect, STR("s1"), &r->end);
}

static const struct tool_options options = { .max_file = 1 << 20,
					     .max_reply = 1 << 20 };

static const struct str *roots(struct workspace *ws, struct arena *mem,
			       size_t *ret_n)
{
	static const struct str list[] = { STR_INIT("/"), STR_INIT("/test") };

	*ret_n = COUNT_OF(list);
	return list;
}

static void run_in(enum events_dialect dialect, const char *tool,
		   struct str arguments, struct recorder *r, struct arena *mem)
{
	struct memory memory = MEMORY({ "/test/f", STR_INIT("a\nb\nc\n") },
				      { "/test/w", STR_INIT("a\r\nb\r\n") });
	struct workspace_ops ops = memory_ops;
	struct dispatch d = { .options = &options,
			      .ws = &memory.ws,
			      .mem = mem,
			      .events = &r->sink,
			      .id = STR("call_1") };

	ops.roots = roots;
	memory.ws.ops = &ops;
	*r = (struct recorder){ .sink = { on_begin, on_end },
				.dialect = dialect };
	if (!dispatch_begin(&d, str_of(tool), parsed(arguments, mem)))
		(void)!dispatch_run(&d, 0);
	/* W53 R50 M52 */
	assert_int_equal(r->begun, 1);
	assert_int_equal(r->ended, 1);
	arena_free(&memory.mem);
}

static void run(const char *tool, struct str arguments, struct recorder *r,
		struct arena *mem)
{
	run_in(EVENTS_CONTRACT, tool, arguments, r, mem);
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

static void a_begin_follows_the_contract(void **state)
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

/* W49 W50 W51 W52 */
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

/* M49 M50 M51: with the diff as content. */
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

/* W48 A38: at 10,240 bytes, between characters, with a note. */
static void long_texts_are_truncated_in_the_event_only(void **state)
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
	/* the tool itself got the whole text */
	update = json_get(fields_of(&r, &mem, "completed"), "rawOutput");
	assert_true(json_int(json_get(update, "bytes_written"), &total));
	assert_int_equal(total, 12001);
	drop(&r);
}

#define ACP_BEGIN(kind, title, name, locations, input)                       \
	"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{"    \
	"\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":\"tool_call\","  \
	"\"toolCallId\":\"call_1\",\"title\":\"" title "\",\"name\":\"" name \
	"\",\"kind\":\"" kind                                                \
	"\",\"status\":\"pending\",\"locations\":[" locations                \
	"],\"rawInput\":" input "}}}"

#define AT_F "{\"path\":\"/test/f\"}"

/* A34 A35 A39: kinds of ACP and readable titles. */
static const struct {
	const char *tool, *arguments, *begin;
} acp_begins[] = {
	{ "write_text_file", "{\"path\":\"/test/f\",\"content\":\"x\"}",
	  ACP_BEGIN("edit", "Write f", "write_text_file", AT_F,
		    "{\"path\":\"/test/f\",\"content\":\"x\"}") },
	{ "read_text_file", "{\"path\":\"/test/f\",\"line\":2}",
	  ACP_BEGIN("read", "Read f", "read_text_file",
		    "{\"path\":\"/test/f\",\"line\":2}",
		    "{\"path\":\"/test/f\",\"line\":2}") },
	{ "Read", "{\"file_path\":\"/test/f\",\"offset\":3}",
	  ACP_BEGIN("read", "Read f", "Read",
		    "{\"path\":\"/test/f\",\"line\":3}",
		    "{\"file_path\":\"/test/f\",\"offset\":3}") },
	{ "multi_edit_text_file",
	  "{\"path\":\"/test/f\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"A\"},{\"old_string\":\"b\",\"new_string\":\"B\"}]}",
	  ACP_BEGIN(
		  "edit", "Edit f (2 edits)", "multi_edit_text_file", AT_F,
		  "{\"path\":\"/test/f\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"A\"},{\"old_string\":\"b\",\"new_string\":\"B\"}]}") },
	/* wrong arguments are reported at the end */
	{ "edit_text_file", "{\"path\":\"f\"}",
	  ACP_BEGIN("edit", "Edit f", "edit_text_file", "",
		    "{\"path\":\"f\"}") },
	{ "read_text_file", "{\"path\":\"/test/f\",\"line\":-1}",
	  ACP_BEGIN("read", "Read f", "read_text_file", AT_F,
		    "{\"path\":\"/test/f\",\"line\":-1}") },
	{ "read_text_file", "{\"path\":7}",
	  ACP_BEGIN("read", "Read text file", "read_text_file", "",
		    "{\"path\":7}") },
	/* a search has its pattern in the title, and an offset that is no line */
	{ "Glob", "{\"pattern\":\"*.c\",\"path\":\"/test\",\"offset\":3}",
	  ACP_BEGIN("search", "Find *.c", "Glob", "{\"path\":\"/test\"}",
		    "{\"pattern\":\"*.c\",\"path\":\"/test\",\"offset\":3}") },
	{ "Glob", "{\"path\":\"src\"}",
	  ACP_BEGIN("search", "Glob", "Glob", "", "{\"path\":\"src\"}") },
	{ "hello", "{}",
	  ACP_BEGIN("other", "Test connectivity", "hello", "", "{}") },
};

static void a_begin_follows_acp(void **state)
{
	for (size_t i = 0; i < COUNT_OF(acp_begins); i++) {
		auto_arena mem = ARENA_INIT;
		struct recorder r;

		run_in(EVENTS_ACP, acp_begins[i].tool,
		       str_of(acp_begins[i].arguments), &r, &mem);
		assert_str(buf_str(&r.begin), acp_begins[i].begin);
		drop(&r);
	}
}

/* The update up to rawOutput, which is the same as in the contract. */
#define ACP_END(status, more)                                                 \
	"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{"     \
	"\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":"                 \
	"\"tool_call_update\",\"toolCallId\":\"call_1\",\"status\":\"" status \
	"\"," more "\"rawOutput\":{"

#define WITH_LINE(path, line) \
	"\"locations\":[{\"path\":\"" path "\",\"line\":" line "}],"
#define DIFF(path, old_text, new_text)                     \
	"\"content\":[{\"type\":\"diff\",\"path\":\"" path \
	"\",\"oldText\":" old_text ",\"newText\":\"" new_text "\"}],"

static const struct {
	const char *tool, *arguments, *end;
} acp_ends[] = {
	{ "read_text_file", "{\"path\":\"/test/f\",\"line\":2}",
	  ACP_END("completed", WITH_LINE("/test/f", "2")) },
	{ "write_text_file", "{\"path\":\"/test/new\",\"content\":\"x\\n\"}",
	  ACP_END("completed", WITH_LINE("/test/new", "1")
				       DIFF("/test/new", "null", "x\\n")) },
	{ "edit_text_file",
	  "{\"path\":\"/test/f\",\"old_string\":\"b\",\"new_string\":\"B\"}",
	  ACP_END("completed",
		  WITH_LINE("/test/f", "2") DIFF("/test/f", "\"a\\nb\\nc\\n\"",
						 "a\\nB\\nc\\n")) },
	/* line endings as LF */
	{ "edit_text_file",
	  "{\"path\":\"/test/w\",\"old_string\":\"b\",\"new_string\":\"B\"}",
	  ACP_END("completed",
		  WITH_LINE("/test/w", "2")
			  DIFF("/test/w", "\"a\\nb\\n\"", "a\\nB\\n")) },
	/* A36 W55 R64 M71 */
	{ "read_text_file", "{\"path\":\"/none\"}",
	  ACP_END("failed",
		  "\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"File not found: /none\"}}],") },
};

static void an_end_follows_acp(void **state)
{
	for (size_t i = 0; i < COUNT_OF(acp_ends); i++) {
		auto_arena mem = ARENA_INIT;
		struct recorder r, contract;
		struct json mine, theirs;

		run_in(EVENTS_ACP, acp_ends[i].tool,
		       str_of(acp_ends[i].arguments), &r, &mem);
		assert_str(str_head(buf_str(&r.end), strlen(acp_ends[i].end)),
			   acp_ends[i].end);
		run(acp_ends[i].tool, str_of(acp_ends[i].arguments), &contract,
		    &mem);
		mine = json_get(json_get(parsed(buf_str(&r.end), &mem),
					 "params"),
				"update");
		theirs = json_get(json_get(parsed(buf_str(&contract.end), &mem),
					   "params"),
				  "update");
		assert_true(str_eq(json_raw(json_get(mine, "rawOutput")),
				   json_raw(json_get(json_get(theirs, "fields"),
						     "rawOutput"))));
		drop(&r);
		drop(&contract);
	}
}

/* A38; a diff with too large sides becomes a unified diff. */
static void long_texts_are_truncated_in_acp_too(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf call = BUF_INIT;
	struct recorder r;
	struct json update;
	struct json_walk w;
	int64_t total;
	struct str text;

	buf_lit(&call,
		"{\"path\":\"/test/f\",\"old_string\":\"b\",\"new_string\":\"");
	for (int i = 0; i < 300 * 1024; i++)
		buf_lit(&call, "x");
	buf_lit(&call, "\"}");
	run_in(EVENTS_ACP, "edit_text_file", buf_str(&call), &r, &mem);
	update = json_get(json_get(parsed(buf_str(&r.begin), &mem), "params"),
			  "update");
	assert_true(json_int(json_get(json_get(update, "_meta"), "totalBytes"),
			     &total));
	assert_int_equal(total, 300 * 1024);
	update = json_get(json_get(parsed(buf_str(&r.end), &mem), "params"),
			  "update");
	w = json_walk(json_get(update, "content"));
	assert_true(json_step(&w));
	assert_true(json_str_is(json_get(w.value, "type"), "content"));
	assert_true(json_text(json_get(json_get(w.value, "content"), "text"),
			      &mem, &text));
	assert_true(str_starts(text, STR("```diff\n--- f\n+++ f\n@@")));
	assert_true(text.len < 2 * EVENTS_MOST);
	drop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_begin_follows_the_contract),
		cmocka_unit_test(a_write_ends_with_its_result),
		cmocka_unit_test(a_read_ends_with_content_and_meta),
		cmocka_unit_test(an_edit_ends_with_its_diff),
		cmocka_unit_test(a_failure_ends_with_its_error),
		cmocka_unit_test(long_texts_are_truncated_in_the_event_only),
		cmocka_unit_test(a_begin_follows_acp),
		cmocka_unit_test(an_end_follows_acp),
		cmocka_unit_test(long_texts_are_truncated_in_acp_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
