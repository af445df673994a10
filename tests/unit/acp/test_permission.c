/*
 * test_permission.c - permission requests and their answers: X12, X13.
 */
#include "fake_session.h"

#include "acp/permission_local.h"

static const struct {
	enum jsonrpc_outcome end;
	const char *result;
	enum permission_answer want;
} answers[] = {
	{ JSONRPC_RESULT,
	  "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow\"}}",
	  PERMISSION_ONCE },
	{ JSONRPC_RESULT,
	  "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"always\"}}",
	  PERMISSION_ALWAYS },
	{ JSONRPC_RESULT,
	  "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"reject\"}}",
	  PERMISSION_REJECT },
	{ JSONRPC_RESULT,
	  "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"what\"}}",
	  PERMISSION_REJECT },
	{ JSONRPC_RESULT, "{\"outcome\":{\"outcome\":\"cancelled\"}}",
	  PERMISSION_CANCEL },
	{ JSONRPC_RESULT, "{}", PERMISSION_CANCEL },
	{ JSONRPC_RESULT, "null", PERMISSION_CANCEL },
	{ JSONRPC_ERROR, "{}", PERMISSION_CANCEL },
	{ JSONRPC_TIMEOUT, "{}", PERMISSION_CANCEL },
	{ JSONRPC_DISCONNECTED, "{}", PERMISSION_CANCEL },
};

static void only_an_allow_option_allows(void **state)
{
	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		auto_arena mem = ARENA_INIT;
		struct jsonrpc_response a = {
			.end = answers[i].end,
			.result = parsed(str_of(answers[i].result), &mem),
			.mem = &mem
		};

		assert_int_equal(permission_answer_of(&a), answers[i].want);
	}
}

static struct json asked(struct fake_session *t, const char *method,
			 const char *params)
{
	struct jsonrpc_message m = { .method = str_of(method),
				     .id = STR("7"),
				     .params = parsed(str_of(params), &t->mem),
				     .mem = &t->mem };

	t->lines.len = 0;
	assert_true(permission_ask_for_codex(&t->session, &m));
	return json_get(parsed(arena_copy(&t->mem, buf_str(&t->lines)),
			       &t->mem),
			"params");
}

static const struct {
	const char *decisions;
	size_t options;
} offers[] = {
	{ "null", 3 },
	{ "[\"accept\",\"acceptForSession\",\"cancel\"]", 3 },
	{ "[\"accept\",\"cancel\"]", 2 },
	{ "[\"accept\",{\"acceptWithExecpolicyAmendment\":{\"execpolicy_amendment\":[\"ls\"]}},\"cancel\"]",
	  3 },
};

static void always_is_offered_if_codex_offers_it(void **state)
{
	for (size_t i = 0; i < COUNT_OF(offers); i++) {
		struct fake_session t;
		struct json params;

		fake_session_open(&t);
		params = asked(
			&t, "item/commandExecution/requestApproval",
			arena_printf(
				&t.mem,
				"{\"itemId\":\"i\",\"command\":\"ls\",\"cwd\":\"/p\",\"availableDecisions\":%s}",
				offers[i].decisions)
				.ptr);
		assert_int_equal(json_count(json_get(params, "options")),
				 offers[i].options);
		assert_true(json_str_is(json_get(json_get(params, "toolCall"),
						 "title"),
					"ls"));
		permission_drop(t.session.permissions);
		fake_session_close(&t);
	}
}

static void a_file_change_shows_its_diff(void **state)
{
	struct fake_session t;
	struct json call;

	fake_session_open(&t);
	fake_session_message(
		&t, "item/started",
		"{\"item\":{\"type\":\"fileChange\",\"id\":\"i\",\"status\":\"inProgress\",\"changes\":[{\"path\":\"/p/a\",\"kind\":{\"type\":\"add\"},\"diff\":\"x\\n\"}]}}");
	call = json_get(asked(&t, "item/fileChange/requestApproval",
			      "{\"itemId\":\"i\"}"),
			"toolCall");
	assert_text(
		json_raw(call),
		"{\"toolCallId\":\"i\",\"status\":\"pending\",\"title\":\"Add a\",\"kind\":\"edit\",\"locations\":[{\"path\":\"/p/a\"}],\"content\":[{\"type\":\"diff\",\"path\":\"/p/a\",\"oldText\":null,\"newText\":\"x\\n\"}]}");
	permission_drop(t.session.permissions);
	fake_session_close(&t);
}

static void other_requests_are_not_handled(void **state)
{
	struct fake_session t;

	fake_session_open(&t);
	assert_false(permission_ask_for_codex(
		&t.session, &(struct jsonrpc_message){
				    .method = STR("attestation/generate"),
				    .id = STR("1"),
				    .mem = &t.mem }));
	fake_session_close(&t);
}

static void a_resolved_request_is_withdrawn(void **state)
{
	struct fake_session t;

	fake_session_open(&t);
	(void)asked(&t, "item/fileChange/requestApproval",
		    "{\"itemId\":\"i\"}");
	t.lines.len = 0;
	permission_resolved(&t.session,
			    parsed(STR("{\"requestId\":7}"), &t.mem));
	assert_null(t.session.permissions);
	assert_true(str_starts(
		buf_str(&t.lines),
		STR("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\"")));
	fake_session_close(&t);
}

static void questions_with_options_become_a_form(void **state)
{
	struct fake_session t;
	struct json params;

	fake_session_open(&t);
	t.agent.forms = true;
	params = asked(
		&t, "item/tool/requestUserInput",
		"{\"itemId\":\"i\",\"questions\":[{\"id\":\"a\",\"header\":\"H\",\"question\":\"Q?\",\"isOther\":false,\"options\":[{\"label\":\"x\"},{\"label\":\"y\"}]},{\"id\":\"b\",\"header\":\"\",\"question\":\"?\",\"isOther\":true,\"options\":[{\"label\":\"z\"}]}]}");
	assert_text(
		json_raw(json_get(params, "requestedSchema")),
		"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"title\":\"H\",\"description\":\"Q?\",\"enum\":[\"x\",\"y\"]},\"b\":{\"type\":\"string\",\"title\":\"\",\"description\":\"?\"}}}");
	permission_drop(t.session.permissions);
	fake_session_close(&t);
}

static void requested_permissions_are_shown(void **state)
{
	struct fake_session t;
	struct json params;

	fake_session_open(&t);
	params = asked(
		&t, "item/permissions/requestApproval",
		"{\"itemId\":\"i\",\"reason\":\"to fetch\",\"permissions\":{\"network\":{\"enabled\":true},\"fileSystem\":null}}");
	assert_int_equal(json_count(json_get(params, "options")), 3);
	assert_text(buf_str(&t.session.permissions->params),
		    "{\"network\":{\"enabled\":true}}");
	permission_drop(t.session.permissions);
	fake_session_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_an_allow_option_allows),
		cmocka_unit_test(always_is_offered_if_codex_offers_it),
		cmocka_unit_test(a_file_change_shows_its_diff),
		cmocka_unit_test(other_requests_are_not_handled),
		cmocka_unit_test(a_resolved_request_is_withdrawn),
		cmocka_unit_test(questions_with_options_become_a_form),
		cmocka_unit_test(requested_permissions_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
