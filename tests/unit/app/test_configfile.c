/*
 * test_configfile.c - the settings file: C58 C59 C99.
 *
 * The settings file: C58 C59 C99, and every mistake with its line and column.
 */
#include "../unit.h"

#include "app/configkeys.h"

static enum err read_text(const char *text, struct arena *mem,
			  struct config_file *file, struct fault *f)
{
	return configfile_read(STR("c.json"), str_of(text), mem, file, f);
}

static void what_is_written_is_what_is_read(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct config_file file = { 0 };
	struct fault f;

	assert_int_equal(
		read_text(
			"{\"$schema\": \"x\", \"mode\": \"accept-edits\",\n"
			" \"allow\": [\"write(src)\"],\n"
			" \"ask\": [\"write lines_removed>40\"],\n"
			" \"deny\": [\"*(.env)\", \"read(x)\"],\n"
			" \"ignore\": [\"dist/\"], \"gitignore\": true,\n"
			" \"hooks\": {\"before_edit\": [{\"command\": \"a\"}],\n"
			"  \"after_edit\": [{\"command\": \"b c\",\n"
			"   \"match\": \"*.js\", \"timeout_ms\": 500}]},\n"
			" \"encoding\": {\"*.txt\": \"latin1\"},\n"
			" \"history\": {\"off\": false,\n"
			"  \"max_age_days\": 30, \"max_bytes\": 1000}}",
			&mem, &file, &f),
		ERR_OK);
	assert_true(file.has_mode && file.mode == MODE_ACCEPT_EDITS);
	assert_int_equal(file.rule_count, 4);
	assert_int_equal(file.rules[0].verdict, VERDICT_ALLOW);
	assert_str(file.rules[0].path, "src");
	assert_str(file.rules[0].origin, "c.json:2:12");
	assert_true(file.rules[1].by_lines);
	assert_int_equal(file.rules[3].verdict, VERDICT_DENY);
	assert_str(file.rules[3].origin, "c.json:4:22");
	assert_str(file.ignore[0].pattern, "dist/");
	assert_true(file.gitignore && file.has_gitignore);
	assert_int_equal(file.hook_count, 2);
	assert_false(file.hooks[0].after);
	assert_str(file.hooks[1].command, "b c");
	assert_str(file.hooks[1].match, "*.js");
	assert_int_equal(file.hooks[1].timeout_ms, 500);
	assert_str(file.encodings[0].rule.glob, "*.txt");
	assert_true(file.history.has_off && !file.history.off);
	assert_int_equal(file.history.max_age_days, 30);
	assert_str(file.widening, "mode, allow, hooks, history");
}

static void what_only_narrows_needs_no_trust(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct config_file file = { 0 };
	struct fault f;

	assert_int_equal(read_text("{\"ask\":[],\"deny\":[\"write\"],"
				   "\"ignore\":[\"x\"],\"gitignore\":true,"
				   "\"encoding\":{\"a\":\"utf-8\"}}",
				   &mem, &file, &f),
			 ERR_OK);
	assert_str(file.widening, "");
}

static const struct {
	const char *text, *told;
} mistakes[] = {
	{ "", "c.json:1:1: invalid JSON" },
	{ "{\n \"deny\": [,]}", "c.json:2:11: invalid JSON" },
	{ "[]", "c.json:1:1: the settings must be one JSON object" },
	{ "{\n\n  \"denny\": []}",
	  "c.json:3:3: unknown key \"denny\" (did you mean \"deny\"?)" },
	{ "{\"ignore\": [\"a\", \"~/x\"]}",
	  "c.json:1:18: \"ignore\" takes patterns relative to the project's root: ~ means your home directory only in allow, ask and deny, as in *(~/x)" },
	{ "{\"encoding\": {\"~/x\": \"utf-8\"}}",
	  "c.json:1:15: \"encoding\" takes patterns relative to the project's root: ~ means your home directory only in allow, ask and deny, as in *(~/x)" },
	{ "{\"hooks\": {\"before_edit\": [{\"command\": \"true\", \"match\": \"~/x\"}]}}",
	  "c.json:1:28: \"before_edit\" takes patterns relative to the project's root: ~ means your home directory only in allow, ask and deny, as in *(~/x)" },
	{ "{\"zzzzzz\": 1}", "c.json:1:2: unknown key \"zzzzzz\"" },
	{ "{\"deny\": [], \"deny\": []}",
	  "c.json:1:14: \"deny\" is given twice" },
	{ "{\"mode\": \"safe\"}", "c.json:1:10: \"mode\" must be default" },
	{ "{\"deny\": \"*\"}", "c.json:1:10: \"deny\" must be an array" },
	{ "{\"deny\": [1]}",
	  "c.json:1:11: \"deny\" must be an array of strings" },
	{ "{\"deny\": [\"*\",\n\"wriet(x)\"]}",
	  "c.json:2:1: there is no tool or family 'wriet' (did you mean write?)" },
	{ "{\"ask\": [\"write(x\"]}", ") is missing" },
	{ "{\"ignore\": [\"# x\"]}", "c.json:1:13: \"ignore\" must be" },
	{ "{\"ignore\": [\"a\\nb\"]}", "c.json:1:13: \"ignore\" must be" },
	{ "{\"gitignore\": 1}", "c.json:1:15: \"gitignore\" must be true" },
	{ "{\"hooks\": []}", "c.json:1:11: \"hooks\" must be an object" },
	{ "{\"hooks\": {\"befor_edit\": []}}",
	  "did you mean \"before_edit\"?" },
	{ "{\"hooks\": {\"before_edit\": [{}]}}", "a hook needs \"command\"" },
	{ "{\"hooks\": {\"before_edit\": [{\"command\": 1}]}}",
	  "\"command\" must be a string" },
	{ "{\"hooks\": {\"after_edit\": [{\"comand\": \"x\"}]}}",
	  "did you mean \"command\"?" },
	{ "{\"encoding\": {\"*\": \"klingon\"}}", "names of encodings" },
	{ "{\"encoding\": {\"a\": \"utf-8\", \"a\": \"utf-8\"}}", "duplicate" },
	{ "{\"history\": {\"max_age_days\": 0}}", "an integer >= 1" },
};

static void every_mistake_has_its_line_and_column(void **state)
{
	for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
		auto_arena mem = ARENA_INIT;
		struct config_file file = { 0 };
		struct fault f = { 0 };
		enum err e = read_text(mistakes[i].text, &mem, &file, &f);
		const char *told = arena_cstr(&mem, f.text);

		assert_int_equal(e, ERR_BAD_CONFIG);
		assert_memory_equal(told, "c.json:", 7);
		if (!strstr(told, mistakes[i].told))
			print_message("# %s\n", told);
		assert_non_null(strstr(told, mistakes[i].told));
	}
}

/* Each key is in the schema, with a description. */
/* A project's file is limited: every call matches each of its patterns. */
static void what_is_too_large_is_a_mistake(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct config_file file = { 0 };
	auto_buf text = BUF_INIT;
	struct fault f;

	buf_lit(&text, "{\"deny\": [");
	while (text.len < CONFIGFILE_MAX_BYTES - 200) {
		/* a limit on the number of entries, also of long ones */
		buf_lit(&text, "\"write(*a*b");
		for (int i = 0; i < 100; i++)
			buf_addc(&text, 'b');
		buf_lit(&text, ")\",");
	}
	buf_lit(&text, "\"x\"]}");
	while (text.len < CONFIGFILE_MAX_BYTES)
		buf_addc(&text, ' ');
	assert_int_equal(configfile_read(STR("c.json"), buf_str(&text), &mem,
					 &file, &f),
			 ERR_BAD_CONFIG); /* "x" is no tool, which is said */
	assert_int_not_equal(str_find(f.text, 'x'), f.text.len);
	buf_addc(&text, ' ');
	assert_int_equal(configfile_read(STR("c.json"), buf_str(&text), &mem,
					 &file, &f),
			 ERR_BAD_CONFIG);
	assert_str(f.text, "c.json: it is too large (limit 65536 bytes)");
}

static void the_schema_has_every_key(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf out = BUF_INIT;
	struct json_error error;
	struct json v, properties;
	size_t n = 0;

	configfile_schema(&out);
	assert_int_equal(json_parse(buf_str(&out), NULL, &mem, &v, &error),
			 ERR_OK);
	properties = json_get(v, "properties");
	for (const struct key *key = config_keys; key->name; key++, n++)
		assert_true(json_is(json_get(json_get(properties, key->name),
					     "description"),
				    JSON_STRING));
	assert_int_equal(json_count(properties), n);
}

/* The error has the position of the first entry beyond the limit. */
static void there_are_only_so_many_of_each(void **state)
{
	static const struct {
		const char *before, *entry, *after;
	} rows[] = {
		{ "{\"deny\":[\n", "\"*(a)\"", "]}" },
		{ "{\"ignore\":[\n", "\"a\"", "]}" },
		{ "{\"encoding\":{\n", "\"%d\":\"utf-8\"", "}}" },
		{ "{\"hooks\":{\"before_edit\":[\n", "{\"command\":\"a\"}",
		  "]}}" },
	};
	static const int counts[] = { CONFIGFILE_MAX_ENTRIES,
				      CONFIGFILE_MAX_ENTRIES + 1 };

	for (size_t i = 0; i < COUNT_OF(rows) * 2; i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf text = BUF_INIT;
		struct config_file file = { 0 };
		struct fault f;
		enum err e;

		buf_add(&text, str_of(rows[i / 2].before));
		for (int n = 0; n < counts[i % 2]; n++) {
			struct str entry = str_of(rows[i / 2].entry);

			if (n)
				buf_lit(&text, ",\n");
			if (rows[i / 2].before[2] == 'e')
				entry = arena_printf(&mem, "\"%d\":\"utf-8\"",
						     n);
			buf_add(&text, entry);
		}
		buf_add(&text, str_of(rows[i / 2].after));
		e = configfile_read(STR("c.json"), buf_str(&text), &mem, &file,
				    &f);
		assert_int_equal(e, i % 2 ? ERR_BAD_CONFIG : ERR_OK);
		if (e)
			assert_true(str_starts(f.text, STR("c.json:1002:1: ")));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_what_is_read),
		cmocka_unit_test(what_only_narrows_needs_no_trust),
		cmocka_unit_test(every_mistake_has_its_line_and_column),
		cmocka_unit_test(what_is_too_large_is_a_mistake),
		cmocka_unit_test(there_are_only_so_many_of_each),
		cmocka_unit_test(the_schema_has_every_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
