/*
 * test_session_options.c - modes and other options of a session: X14.
 */
#include "fake_session.h"

static const struct {
	const char *id, *approval, *sandbox, *policy, *stet;
} rows[] = {
	{ "read-only", "on-request", "read-only", "readOnly", "plan" },
	{ "auto", "on-request", "workspace-write", "workspaceWrite",
	  "default" },
	{ "full-access", "never", "danger-full-access", "dangerFullAccess",
	  "bypassPermissions" },
};

static void a_mode_sets_codex_and_stet(void **state)
{
	assert_int_equal(agent_mode_count, COUNT_OF(rows));
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct agent_mode *m =
			agent_mode_named(str_of(rows[i].id));
		auto_arena mem = ARENA_INIT;

		assert_non_null(m);
		assert_string_equal(m->approval, rows[i].approval);
		assert_string_equal(m->sandbox, rows[i].sandbox);
		assert_string_equal(m->stet, rows[i].stet);
		assert_true(
			json_str_is(json_get(parsed(str_of(m->policy), &mem),
					     "type"),
				    rows[i].policy));
	}
	assert_null(agent_mode_named(STR("yolo")));
	assert_null(agent_mode_named(STR("")));
}

static void only_listed_models_and_efforts_can_be_set(void **state)
{
	struct fake_session t;

	fake_session_open(&t);
	buf_lit(&t.agent.models,
		"{\"data\":[{\"model\":\"a\",\"displayName\":\"A\",\"description\":\"\",\"supportedReasoningEfforts\":[{\"reasoningEffort\":\"low\",\"description\":\"\"},{\"reasoningEffort\":\"high\",\"description\":\"\"}],\"defaultReasoningEffort\":\"low\"},{\"model\":\"b\",\"displayName\":\"B\",\"supportedReasoningEfforts\":[]}]}");
	buf_lit(&t.session.model, "a");
	assert_true(
		session_options_set(&t.session, STR("effort"), STR("high")));
	assert_false(
		session_options_set(&t.session, STR("effort"), STR("huge")));
	assert_false(session_options_set(&t.session, STR("model"), STR("c")));
	assert_false(session_options_set(&t.session, STR("colour"), STR("a")));
	assert_text(buf_str(&t.session.effort), "high");
	/* another model resets the effort */
	assert_true(session_options_set(&t.session, STR("model"), STR("b")));
	assert_int_equal(t.session.effort.len, 0);
	assert_false(
		session_options_set(&t.session, STR("effort"), STR("high")));
	fake_session_close(&t);
}

static void an_unlisted_current_model_is_offered(void **state)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);
	struct json options;
	struct json_walk w;
	struct fake_session t;

	fake_session_open(&t);
	buf_lit(&t.agent.models, "{}");
	buf_lit(&t.session.model, "mine");
	json_open(&o, '{');
	session_options_put(&o, &t.session);
	json_close(&o, '}');
	options = json_get(parsed(buf_str(&out), &t.mem), "configOptions");
	assert_int_equal(json_count(options), 2); /* mode and model */
	w = json_walk(options);
	assert_true(json_step(&w) && json_step(&w));
	assert_true(json_str_is(json_get(w.value, "currentValue"), "mine"));
	assert_int_equal(json_count(json_get(w.value, "options")), 1);
	fake_session_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mode_sets_codex_and_stet),
		cmocka_unit_test(only_listed_models_and_efforts_can_be_set),
		cmocka_unit_test(an_unlisted_current_model_is_offered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
