/* X12 X13: what the editor answers, and what that is. */
#include "told.h"

#include "acp/consent_local.h"

static const struct {
	enum wire_end end;
	const char *result;
	enum consent want;
} answers[] = {
	{ WIRE_ANSWERED,
	  "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"allow\"}}",
	  CONSENT_ONCE },
	{ WIRE_ANSWERED,
	  "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"always\"}}",
	  CONSENT_ALWAYS },
	{ WIRE_ANSWERED,
	  "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"reject\"}}",
	  CONSENT_REJECT },
	{ WIRE_ANSWERED,
	  "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"what\"}}",
	  CONSENT_REJECT },
	{ WIRE_ANSWERED, "{\"outcome\":{\"outcome\":\"cancelled\"}}",
	  CONSENT_CANCEL },
	{ WIRE_ANSWERED, "{}", CONSENT_CANCEL },
	{ WIRE_ANSWERED, "null", CONSENT_CANCEL },
	{ WIRE_REFUSED, "{}", CONSENT_CANCEL },
	{ WIRE_LATE, "{}", CONSENT_CANCEL },
	{ WIRE_CUT, "{}", CONSENT_CANCEL },
};

static void only_a_yes_is_a_yes(void **state)
{
	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		auto_arena mem = ARENA_INIT;
		struct wire_answer a = {
			.end = answers[i].end,
			.result = parsed(str_of(answers[i].result), &mem),
			.mem = &mem
		};

		assert_int_equal(consent_of(&a), answers[i].want);
	}
}

static struct json asked(struct told *t, const char *method, const char *params)
{
	struct wire_message m = { .method = str_of(method),
				  .id = STR("7"),
				  .params = parsed(str_of(params), &t->mem),
				  .mem = &t->mem };

	t->lines.len = 0;
	assert_true(consent_codex(&t->session, &m));
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

static void always_is_offered_where_codex_has_it(void **state)
{
	for (size_t i = 0; i < COUNT_OF(offers); i++) {
		struct told t;
		struct json params;

		told_open(&t);
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
		consent_drop(t.session.asking);
		told_close(&t);
	}
}

static void a_change_is_shown_as_it_was_told(void **state)
{
	struct told t;
	struct json call;

	told_open(&t);
	told_message(
		&t, "item/started",
		"{\"item\":{\"type\":\"fileChange\",\"id\":\"i\",\"status\":\"inProgress\",\"changes\":[{\"path\":\"/p/a\",\"kind\":{\"type\":\"add\"},\"diff\":\"x\\n\"}]}}");
	call = json_get(asked(&t, "item/fileChange/requestApproval",
			      "{\"itemId\":\"i\"}"),
			"toolCall");
	assert_text(
		json_raw(call),
		"{\"toolCallId\":\"i\",\"status\":\"pending\",\"title\":\"Add a\",\"kind\":\"edit\",\"locations\":[{\"path\":\"/p/a\"}],\"content\":[{\"type\":\"diff\",\"path\":\"/p/a\",\"oldText\":null,\"newText\":\"x\\n\"}]}");
	consent_drop(t.session.asking);
	told_close(&t);
}

static void what_is_no_question_is_left_alone(void **state)
{
	struct told t;

	told_open(&t);
	assert_false(
		consent_codex(&t.session,
			      &(struct wire_message){
				      .method = STR("attestation/generate"),
				      .id = STR("1"),
				      .mem = &t.mem }));
	told_close(&t);
}

static void codex_may_stop_waiting(void **state)
{
	struct told t;

	told_open(&t);
	(void)asked(&t, "item/fileChange/requestApproval",
		    "{\"itemId\":\"i\"}");
	t.lines.len = 0;
	consent_resolved(&t.session, parsed(STR("{\"requestId\":7}"), &t.mem));
	assert_null(t.session.asking);
	assert_true(str_starts(
		buf_str(&t.lines),
		STR("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\"")));
	told_close(&t);
}

static void questions_with_choices_are_a_form(void **state)
{
	struct told t;
	struct json params;

	told_open(&t);
	t.agent.forms = true;
	params = asked(
		&t, "item/tool/requestUserInput",
		"{\"itemId\":\"i\",\"questions\":[{\"id\":\"a\",\"header\":\"H\",\"question\":\"Q?\",\"isOther\":false,\"options\":[{\"label\":\"x\"},{\"label\":\"y\"}]},{\"id\":\"b\",\"header\":\"\",\"question\":\"?\",\"isOther\":true,\"options\":[{\"label\":\"z\"}]}]}");
	assert_text(
		json_raw(json_get(params, "requestedSchema")),
		"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"title\":\"H\",\"description\":\"Q?\",\"enum\":[\"x\",\"y\"]},\"b\":{\"type\":\"string\",\"title\":\"\",\"description\":\"?\"}}}");
	consent_drop(t.session.asking);
	told_close(&t);
}

static void rights_are_shown_as_they_are(void **state)
{
	struct told t;
	struct json params;

	told_open(&t);
	params = asked(
		&t, "item/permissions/requestApproval",
		"{\"itemId\":\"i\",\"reason\":\"to fetch\",\"permissions\":{\"network\":{\"enabled\":true},\"fileSystem\":null}}");
	assert_int_equal(json_count(json_get(params, "options")), 3);
	assert_text(buf_str(&t.session.asking->params),
		    "{\"network\":{\"enabled\":true}}");
	consent_drop(t.session.asking);
	told_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_yes_is_a_yes),
		cmocka_unit_test(always_is_offered_where_codex_has_it),
		cmocka_unit_test(a_change_is_shown_as_it_was_told),
		cmocka_unit_test(what_is_no_question_is_left_alone),
		cmocka_unit_test(codex_may_stop_waiting),
		cmocka_unit_test(questions_with_choices_are_a_form),
		cmocka_unit_test(rights_are_shown_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
