/*
 * test_items.c - notifications of Codex and the resulting session/update.
 */
#include "fake_session.h"

#define COMPLETED      "item/completed"
#define ITEM(json)     "{\"item\":" json "}"
#define CALL(type, id) "{\"type\":\"" type "\",\"id\":\"" id "\","
#define BOTH(status, head)                                                           \
	"{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"i\",\"status\":\"" status \
	"\"," head "}"

static const struct {
	const char *method, *params, *update;
} rows[] = {
	{ "item/agentMessage/delta", "{\"itemId\":\"m\",\"delta\":\"Hi\"}",
	  "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"Hi\"},\"messageId\":\"m\"}" },
	{ "item/agentMessage/delta", "{\"itemId\":\"m\",\"delta\":\"\"}", "" },
	{ "item/reasoning/summaryTextDelta",
	  "{\"itemId\":\"r\",\"delta\":\"Hm\"}",
	  "{\"sessionUpdate\":\"agent_thought_chunk\",\"content\":{\"type\":\"text\",\"text\":\"Hm\"},\"messageId\":\"r\"}" },
	{ "item/reasoning/summaryPartAdded",
	  "{\"itemId\":\"r\",\"summaryIndex\":0}", "" },
	{ "item/reasoning/summaryPartAdded",
	  "{\"itemId\":\"r\",\"summaryIndex\":1}",
	  "{\"sessionUpdate\":\"agent_thought_chunk\",\"content\":{\"type\":\"text\",\"text\":\"\\n\\n\"},\"messageId\":\"r\"}" },
	{ "turn/plan/updated",
	  "{\"plan\":[{\"step\":\"a\",\"status\":\"completed\"},{\"step\":\"b\",\"status\":\"inProgress\"},{\"step\":\"c\",\"status\":\"pending\"}]}",
	  "{\"sessionUpdate\":\"plan\",\"entries\":[{\"content\":\"a\",\"priority\":\"medium\",\"status\":\"completed\"},{\"content\":\"b\",\"priority\":\"medium\",\"status\":\"in_progress\"},{\"content\":\"c\",\"priority\":\"medium\",\"status\":\"pending\"}]}" },
	{ "thread/tokenUsage/updated",
	  "{\"tokenUsage\":{\"last\":{\"totalTokens\":7},\"modelContextWindow\":100}}",
	  "{\"sessionUpdate\":\"usage_update\",\"used\":7,\"size\":100}" },
	{ "thread/tokenUsage/updated",
	  "{\"tokenUsage\":{\"last\":{\"totalTokens\":7},\"modelContextWindow\":null}}",
	  "" },
	{ "thread/name/updated", "{\"threadName\":\"Plums\"}",
	  "{\"sessionUpdate\":\"session_info_update\",\"title\":\"Plums\"}" },
	{ "error", "{\"willRetry\":false,\"error\":{\"message\":\"x\"}}", "" },
	{ "error", "{\"willRetry\":true,\"error\":{\"message\":\"x\"}}",
	  "{\"sessionUpdate\":\"agent_thought_chunk\",\"content\":{\"type\":\"text\",\"text\":\"Codex is retrying: x\\n\"}}" },
	{ "mcpServer/startupStatus/updated",
	  "{\"name\":\"s\",\"status\":\"ready\"}", "" },
	{ "mcpServer/startupStatus/updated",
	  "{\"name\":\"s\",\"status\":\"failed\",\"error\":\"gone\"}",
	  "{\"sessionUpdate\":\"agent_thought_chunk\",\"content\":{\"type\":\"text\",\"text\":\"The MCP server s did not start: gone\\n\"}}" },
	{ "no/such", "{}", "" },
	{ COMPLETED,
	  ITEM("{\"type\":\"userMessage\",\"id\":\"u\",\"content\":[{\"type\":\"text\",\"text\":\"me\"}]}"),
	  "" },
	{ COMPLETED,
	  ITEM("{\"type\":\"agentMessage\",\"id\":\"m\",\"text\":\"All\"}"),
	  "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"All\"},\"messageId\":\"m\"}" },
	{ "item/started",
	  ITEM(CALL(
		  "commandExecution",
		  "i") "\"command\":\"/bin/sh -c 'cat a'\",\"cwd\":\"/p\",\"status\":\"inProgress\",\"commandActions\":[{\"type\":\"read\",\"command\":\"cat a\",\"name\":\"a\",\"path\":\"a\"}]}"),
	  BOTH("in_progress",
	       "\"title\":\"Read a\",\"kind\":\"read\",\"locations\":[{\"path\":\"/p/a\"}],\"content\":[],\"rawInput\":{\"command\":\"/bin/sh -c 'cat a'\",\"cwd\":\"/p\"}") },
	{ COMPLETED,
	  ITEM(CALL(
		  "commandExecution",
		  "i") "\"command\":\"ls\",\"cwd\":\"/p\",\"status\":\"completed\",\"commandActions\":[{\"type\":\"listFiles\",\"command\":\"ls\",\"path\":null}],\"aggregatedOutput\":\"a```\\n\",\"exitCode\":0}"),
	  BOTH("completed",
	       "\"title\":\"ls\",\"kind\":\"search\",\"locations\":[],\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"````\\na```\\n````\"}}],\"rawInput\":{\"command\":\"ls\",\"cwd\":\"/p\"},\"rawOutput\":{\"exitCode\":0,\"output\":\"a```\\n\"}") },
	{ COMPLETED,
	  ITEM(CALL(
		  "commandExecution",
		  "i") "\"command\":\"rm x\",\"cwd\":\"/p\",\"status\":\"declined\",\"commandActions\":[{\"type\":\"unknown\",\"command\":\"rm x\"}]}"),
	  BOTH("failed",
	       "\"title\":\"rm x\",\"kind\":\"execute\",\"locations\":[],\"content\":[],\"rawInput\":{\"command\":\"rm x\",\"cwd\":\"/p\"},\"rawOutput\":{\"output\":\"\"}") },
	{ COMPLETED, ITEM(CALL("fileChange", "i") "\"status\":\"completed\",\"changes\":[{\"path\":\"/p/a\",\"kind\":{\"type\":\"update\",\"move_path\":null},\"diff\":\"@@ -1,2 +3,2 @@\\n x\\n-y\\n+z\\n@@ -9 +10 @@\\n-q\\n\\\\ No newline at end of file\\n+r\\n\"}]}"),
	  BOTH("completed",
	       "\"title\":\"Edit a\",\"kind\":\"edit\",\"locations\":[{\"path\":\"/p/a\",\"line\":3}],\"content\":[{\"type\":\"diff\",\"path\":\"/p/a\",\"oldText\":\"x\\ny\\n\",\"newText\":\"x\\nz\\n\"},{\"type\":\"diff\",\"path\":\"/p/a\",\"oldText\":\"q\",\"newText\":\"r\\n\"}]") },
	{ COMPLETED,
	  ITEM(CALL(
		  "fileChange",
		  "i") "\"status\":\"completed\",\"changes\":[{\"path\":\"b\",\"kind\":{\"type\":\"add\"},\"diff\":\"new\\n\"}]}"),
	  BOTH("completed",
	       "\"title\":\"Add b\",\"kind\":\"edit\",\"locations\":[{\"path\":\"/p/b\"}],\"content\":[{\"type\":\"diff\",\"path\":\"/p/b\",\"oldText\":null,\"newText\":\"new\\n\"}]") },
	{ COMPLETED,
	  ITEM(CALL(
		  "fileChange",
		  "i") "\"status\":\"failed\",\"changes\":[{\"path\":\"/p/b\",\"kind\":{\"type\":\"delete\"},\"diff\":\"old\\n\"}]}"),
	  BOTH("failed",
	       "\"title\":\"Delete b\",\"kind\":\"delete\",\"locations\":[{\"path\":\"/p/b\"}],\"content\":[{\"type\":\"diff\",\"path\":\"/p/b\",\"oldText\":\"old\\n\",\"newText\":\"\"}]") },
	{ COMPLETED,
	  ITEM(CALL(
		  "fileChange",
		  "i") "\"status\":\"completed\",\"changes\":[{\"path\":\"/p/b\",\"kind\":{\"type\":\"update\",\"move_path\":\"/p/c\"},\"diff\":\"@@ -1 +1 @@\\n-1\\n+2\\n\\nMoved to: /p/c\"}]}"),
	  BOTH("completed",
	       "\"title\":\"Move b\",\"kind\":\"edit\",\"locations\":[{\"path\":\"/p/b\",\"line\":1},{\"path\":\"/p/c\",\"line\":1}],\"content\":[{\"type\":\"diff\",\"path\":\"/p/c\",\"oldText\":\"1\\n\",\"newText\":\"2\\n\"}]") },
	{ COMPLETED,
	  ITEM(CALL("mcpToolCall", "i") "\"server\":\"web\",\"tool\":\"get\",\"status\":\"completed\",\"arguments\":{\"a\":1},\"readOnlyHint\":null,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"got\"},{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\"}]},\"error\":null}"), BOTH("completed", "\"title\":\"web: get\",\"kind\":\"other\",\"locations\":[],\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"got\"}},{\"type\":\"content\",\"content\":{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\"}}],\"rawInput\":{\"a\":1},\"rawOutput\":{\"content\":[{\"type\":\"text\",\"text\":\"got\"},{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\"}]}") },
	{ COMPLETED,
	  ITEM(CALL(
		  "mcpToolCall",
		  "i") "\"server\":\"web\",\"tool\":\"get\",\"status\":\"failed\",\"arguments\":{},\"readOnlyHint\":true,\"result\":null,\"error\":{\"message\":\"late\"}}"),
	  BOTH("failed",
	       "\"title\":\"web: get\",\"kind\":\"read\",\"locations\":[],\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"late\"}}],\"rawInput\":{},\"rawOutput\":null") },
	{ COMPLETED,
	  ITEM(CALL(
		  "mcpToolCall",
		  "i") "\"server\":\"stet\",\"tool\":\"read_text_file\",\"status\":\"completed\",\"arguments\":{\"path\":\"/p/a\"},\"result\":{\"content\":[]},\"error\":null}"),
	  BOTH("completed", "\"title\":\"read_text_file\",\"kind\":\"read\",\"locations\":[{\"path\":\"/p/a\"}],\"content\":[],\"rawInput\":{\"path\":\"/p/a\"},\"rawOutput\":{\"content\":[]}") },
	{ COMPLETED,
	  ITEM(CALL(
		  "webSearch",
		  "i") "\"query\":\"plums\",\"action\":{\"type\":\"search\",\"query\":\"plums\"}}"),
	  BOTH("completed",
	       "\"title\":\"Search the web for plums\",\"kind\":\"search\",\"rawInput\":{\"type\":\"search\",\"query\":\"plums\"}") },
	{ COMPLETED,
	  ITEM(CALL(
		  "webSearch",
		  "i") "\"query\":\"\",\"action\":{\"type\":\"open_page\",\"url\":\"http://x/\"}}"),
	  BOTH("completed",
	       "\"title\":\"Open http://x/\",\"kind\":\"fetch\",\"rawInput\":{\"type\":\"open_page\",\"url\":\"http://x/\"}") },
	{ COMPLETED, ITEM(CALL("imageView", "i") "\"path\":\"x.png\"}"),
	  BOTH("completed",
	       "\"title\":\"View x.png\",\"kind\":\"read\",\"locations\":[{\"path\":\"/p/x.png\"}]") },
	{ COMPLETED, ITEM(CALL("hookPrompt", "i") "\"fragments\":[]}"), "" },
};

static void each_notification_has_its_update(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct fake_session t;

		fake_session_open(&t);
		fake_session_message(&t, rows[i].method, rows[i].params);
		assert_text(fake_session_update(&t), rows[i].update);
		fake_session_close(&t);
	}
}

static void streamed_text_is_not_repeated(void **state)
{
	struct fake_session t;

	fake_session_open(&t);
	fake_session_message(&t, "item/agentMessage/delta",
			     "{\"itemId\":\"m\",\"delta\":\"All\"}");
	t.lines.len = 0;
	fake_session_message(
		&t, COMPLETED,
		ITEM("{\"type\":\"agentMessage\",\"id\":\"m\",\"text\":\"All\"}"));
	assert_int_equal(t.lines.len, 0);
	fake_session_close(&t);
}

static void an_ended_turn_gets_no_updates(void **state)
{
	struct fake_session t;

	fake_session_open(&t);
	t.session.prompt.len = 0;
	fake_session_message(&t, "item/agentMessage/delta",
			     "{\"itemId\":\"m\",\"delta\":\"late\"}");
	assert_int_equal(t.lines.len, 0);
	fake_session_close(&t);
}

static void open_calls_end_as_failed_exactly_once(void **state)
{
	struct fake_session t;

	fake_session_open(&t);
	fake_session_message(&t, "item/started",
			     ITEM(CALL("sleep", "i") "\"durationMs\":5}"));
	t.lines.len = 0;
	items_close_all(&t.session, "Cancelled");
	assert_text(
		fake_session_update(&t),
		"{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"i\",\"status\":\"failed\",\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"Cancelled\"}}]}");
	t.lines.len = 0;
	items_close_all(&t.session, "Cancelled");
	assert_int_equal(t.lines.len, 0);
	fake_session_close(&t);
}

static void a_replay_includes_user_messages(void **state)
{
	struct fake_session t;

	fake_session_open(&t);
	items_replay(
		&t.session,
		parsed(STR("{\"type\":\"userMessage\",\"id\":\"u\",\"content\":[{\"type\":\"text\",\"text\":\"me\"}]}"),
		       &t.mem),
		&t.mem);
	assert_text(
		fake_session_update(&t),
		"{\"sessionUpdate\":\"user_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"me\"},\"messageId\":\"u\"}");
	fake_session_close(&t);
}

static void of_a_long_output_the_end_is_shown(void **state)
{
	auto_buf text = BUF_INIT;
	auto_arena mem = ARENA_INIT;
	struct str cut;

	for (int i = 0; i < 4000; i++)
		buf_lit(&text, "\xc3\xa4");
	cut = text_tail(buf_str(&text), 1001, &mem);
	assert_true(str_starts(cut, STR("[7000 bytes before this are left "
					"out]\n\xc3\xa4")));
	assert_true(str_ends(cut, STR("\xc3\xa4")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_notification_has_its_update),
		cmocka_unit_test(streamed_text_is_not_repeated),
		cmocka_unit_test(an_ended_turn_gets_no_updates),
		cmocka_unit_test(open_calls_end_as_failed_exactly_once),
		cmocka_unit_test(a_replay_includes_user_messages),
		cmocka_unit_test(of_a_long_output_the_end_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
