/*
 * test_rulefile.c - rules are added to and removed from the settings file.
 *
 * A rule is added to and removed from the text of the settings, and every other
 * byte stays.
 */
#include "../unit.h"

#include "app/rulefile.h"

static const struct {
	const char *text; /* NULL = there is no file */
	bool remove;
	enum verdict verdict;
	const char *rule;
	enum err want;
	const char *result;
} rows[] = {
	{ NULL, false, VERDICT_DENY, "*(a)", ERR_OK,
	  "{\n  \"deny\": [\"*(a)\"]\n}\n" },
	{ "{}", false, VERDICT_ASK, "write", ERR_OK,
	  "{\n  \"ask\": [\"write\"]\n}" },
	{ " { } ", false, VERDICT_ASK, "write", ERR_OK,
	  " {\n  \"ask\": [\"write\"]\n} " },
	{ "{\"mode\":\"plan\"}", false, VERDICT_ALLOW, "read(a)", ERR_OK,
	  "{\"mode\":\"plan\", \"allow\": [\"read(a)\"]}" },
	{ "{\"deny\": []}", false, VERDICT_DENY, "*(a)", ERR_OK,
	  "{\"deny\": [\"*(a)\"]}" },
	{ "{\"deny\":[ \"*(a)\" ],\"mode\":\"plan\"}", false, VERDICT_DENY,
	  "*(b)", ERR_OK,
	  "{\"deny\":[ \"*(a)\", \"*(b)\" ],\"mode\":\"plan\"}" },
	{ "{\r\n\t\"deny\": [\r\n\t\t\"*(a)\"\r\n\t]\r\n}\r\n", false,
	  VERDICT_DENY, "*(b)", ERR_OK,
	  "{\r\n\t\"deny\": [\r\n\t\t\"*(a)\",\r\n\t\t\"*(b)\"\r\n\t]\r\n}\r\n" },
	{ "{\"deny\": [\"*(a)\"]}", false, VERDICT_ASK, "*(\"x\\\\y)", ERR_OK,
	  "{\"deny\": [\"*(a)\"], \"ask\": [\"*(\\\"x\\\\\\\\y)\"]}" },
	{ "{\"deny\": [\"*(a)\"]}", false, VERDICT_DENY, "*(a)", ERR_BAD_ARGS,
	  NULL },
	{ "{\"deny\": [\"\\u002a(a)\"]}", false, VERDICT_DENY, "*(a)",
	  ERR_BAD_ARGS, NULL },
	{ "{}", false, VERDICT_DENY, "nothing(a)", ERR_BAD_ARGS, NULL },
	{ "{\"deny\": [", false, VERDICT_DENY, "*(a)", ERR_BAD_CONFIG, NULL },
	{ "{\"hooks\": 1}", false, VERDICT_DENY, "*(a)", ERR_BAD_CONFIG, NULL },

	{ "{\"deny\": [\"*(a)\"]}", true, VERDICT_DENY, "*(a)", ERR_OK,
	  "{\"deny\": []}" },
	{ "{\"deny\": [ \"*(a)\" , \"*(b)\" ]}", true, VERDICT_DENY, "*(a)",
	  ERR_OK, "{\"deny\": [ \"*(b)\" ]}" },
	{ "{\"deny\": [\n  \"*(a)\",\n  \"*(b)\"\n]}", true, VERDICT_DENY,
	  "*(b)", ERR_OK, "{\"deny\": [\n  \"*(a)\"\n]}" },
	{ "{\"deny\": [\"*(a)\", \"*(b)\", \"*(a)\"]}", true, VERDICT_DENY,
	  "*(a)", ERR_OK, "{\"deny\": [\"*(b)\"]}" },
	{ "{\"deny\": [\"*(a)\"], \"ask\": [\"*(a)\"]}", true, VERDICT_ASK,
	  "*(a)", ERR_OK, "{\"deny\": [\"*(a)\"], \"ask\": []}" },
	{ "{\"deny\": [\"*(a)\"]}", true, VERDICT_ASK, "*(a)", ERR_BAD_ARGS,
	  NULL },
	{ NULL, true, VERDICT_DENY, "*(a)", ERR_BAD_ARGS, NULL },
};

static void a_rule_is_all_that_changes(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct rule_change change = { rows[i].remove,
						    rows[i].verdict,
						    str_of(rows[i].rule) };
		auto_arena mem = ARENA_INIT;
		struct str out = STR("");
		struct fault f = { 0 };

		assert_int_equal(rulefile_edit(STR("c.json"),
					       str_of(rows[i].text), &change,
					       &mem, &out, &f),
				 rows[i].want);
		if (rows[i].result)
			assert_str(out, rows[i].result);
	}
}

/* A file that has as many as it may have gets no more. */
static void what_would_be_a_mistake_is_refused(void **state)
{
	const struct rule_change change = { .verdict = VERDICT_DENY,
					    .rule = STR_INIT("*(a)") };
	auto_arena mem = ARENA_INIT;
	auto_buf text = BUF_INIT;
	struct str out;
	struct fault f;

	buf_lit(&text, "{\"ask\": [\"read\"");
	for (int i = 1; i < CONFIGFILE_MAX_ENTRIES; i++)
		buf_lit(&text, ",\"read\"");
	buf_lit(&text, "]}");
	assert_int_equal(rulefile_edit(STR("c.json"), buf_str(&text), &change,
				       &mem, &out, &f),
			 ERR_BAD_CONFIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_is_all_that_changes),
		cmocka_unit_test(what_would_be_a_mistake_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
