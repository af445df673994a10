/*
 * test_schema.c - the tools/list entries, compared with the contracts.
 */
#include "../parsed.h"
#include "../unit.h"

#include "tools/call/schema.h"

static const struct {
	const char *name, *doc, *input;
} contracts[] = {
	/* W01 W02 W03 W04 W05 */
	{ "write_text_file",
	  "Write complete content to a text file (creates or overwrites)",
	  "{\"type\":\"object\",\"properties\":{"
	  "\"path\":{\"type\":\"string\",\"description\":\"Absolute path to the file\"},"
	  "\"content\":{\"type\":\"string\",\"description\":\"Complete file content to write\"}},"
	  "\"required\":[\"path\",\"content\"]}" },
	/* R01 R02 R03 R04 R05 R06 */
	{ "read_text_file",
	  "Read complete or partial content of a text file with optional pagination",
	  "{\"type\":\"object\",\"properties\":{"
	  "\"path\":{\"type\":\"string\",\"description\":\"Absolute path to the file\"},"
	  "\"line\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Starting line number (1-indexed). If omitted, read from line 1\"},"
	  "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Maximum number of lines to return. If omitted, return all remaining lines\"}},"
	  "\"required\":[\"path\"]}" },
	/* M01 M02 M03 M04 M05 M06 M07 */
	{ "multi_edit_text_file",
	  "Apply multiple string replacement edits to a file with cumulative diff",
	  "{\"type\":\"object\",\"properties\":{"
	  "\"path\":{\"type\":\"string\",\"description\":\"Absolute path to the file\"},"
	  "\"edits\":{\"type\":\"array\",\"description\":\"Array of edit operations to apply sequentially\",\"items\":{"
	  "\"type\":\"object\",\"properties\":{"
	  "\"old_string\":{\"type\":\"string\",\"description\":\"Exact string to find and replace\"},"
	  "\"new_string\":{\"type\":\"string\",\"description\":\"Replacement string\"}},"
	  "\"required\":[\"old_string\",\"new_string\"]}}},"
	  "\"required\":[\"path\",\"edits\"]}" },
	/* X24: the sibling that edits once */
	{ "edit_text_file",
	  "Apply a single string replacement edit to a file with diff preview",
	  "{\"type\":\"object\",\"properties\":{"
	  "\"path\":{\"type\":\"string\",\"description\":\"Absolute path to the file\"},"
	  "\"old_string\":{\"type\":\"string\",\"description\":\"Exact string to find and replace\"},"
	  "\"new_string\":{\"type\":\"string\",\"description\":\"Replacement string\"}},"
	  "\"required\":[\"path\",\"old_string\",\"new_string\"]}" },
	/* T09 T10 T36 A63 */
	{ "read_repo_file",
	  "Read repository file. Read a file from the repository within safe boundaries.",
	  "{\"type\":\"object\",\"properties\":{"
	  "\"path\":{\"type\":\"string\",\"description\":\"Relative path from repo root\",\"pattern\":\"^[a-zA-Z0-9_./-]+$\"}},"
	  "\"required\":[\"path\"]}" },
	/* T22 T23 T24 T25 T37 A63 */
	{ "write_memory_entry",
	  "Append to memory file. Append an entry to a memory file. Append-only operation.",
	  "{\"type\":\"object\",\"properties\":{"
	  "\"file\":{\"type\":\"string\",\"enum\":[\"progress_log.jsonl\",\"decisions.jsonl\",\"best_practices.md\"],\"description\":\"Target memory file\"},"
	  "\"entry\":{\"type\":\"string\",\"description\":\"Content to append\",\"maxLength\":10000}},"
	  "\"required\":[\"file\",\"entry\"]}" },
	/* T02 T03 T35 */
	{ "hello",
	  "Test connectivity. Test tool for verifying MCP connectivity.",
	  "{\"type\":\"object\",\"properties\":{"
	  "\"name\":{\"type\":\"string\",\"description\":\"Name to greet\",\"default\":\"World\"}},"
	  "\"required\":[]}" },
};

static void contracts_are_told_to_the_letter(void **state)
{
	for (size_t i = 0; i < COUNT_OF(contracts); i++) {
		const struct tool *t = tool_named(str_of(contracts[i].name));
		auto_buf json = BUF_INIT;
		struct json_out o = json_out(&json);

		assert_non_null(t);
		assert_string_equal(t->doc, contracts[i].doc);
		schema_input(&o, t);
		assert_str(buf_str(&json), contracts[i].input);
	}
}

/* T34: each tool has a description, a handler and a schema. */
static void every_row_is_whole(void **state)
{
	for (size_t i = 0; i < all_tools_count; i++) {
		assert_non_null(all_tools[i]->doc);
		assert_non_null(all_tools[i]->run);
		assert_non_null(all_tools[i]->fields);
		assert_non_null(all_tools[i]->constraints[0]);
		assert_non_null(all_tools[i]->examples[0].about);
	}
}

static bool has(struct json array, const char *word)
{
	struct json_walk w = json_walk(array);

	while (json_step(&w))
		if (json_str_is(w.value, word))
			return true;
	return false;
}

/* T04: message and timestamp, the latter a date-time, both required. */
static void hello_promises_its_two_members(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf text = BUF_INIT;
	struct json_out o = json_out(&text);
	struct json v, stamp, success;
	struct json_walk w;

	schema_output(&o, tool_named(STR("hello")));
	v = parsed(buf_str(&text), &mem);
	stamp = json_get(json_get(v, "properties"), "timestamp");
	assert_true(json_str_is(json_get(stamp, "type"), "string"));
	assert_true(json_str_is(json_get(stamp, "format"), "date-time"));
	w = json_walk(json_get(v, "anyOf"));
	assert_true(json_step(&w));
	success = w.value;
	assert_true(has(json_get(success, "required"), "message"));
	assert_true(has(json_get(success, "required"), "timestamp"));
}

/* A71: errors fit the schema too, and nothing forbids more members. */
static void error_results_fit_the_output_schema(void **state)
{
	for (size_t i = 0; i < all_tools_count; i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf text = BUF_INIT;
		struct json_out o = json_out(&text);
		struct json v;
		struct json_walk w;

		if (!all_tools[i]->out)
			continue;
		schema_output(&o, all_tools[i]);
		v = parsed(buf_str(&text), &mem);
		assert_true(json_str_is(json_get(v, "type"), "object"));
		assert_true(json_is(json_get(v, "additionalProperties"),
				    JSON_NONE));
		w = json_walk(json_get(v, "anyOf"));
		assert_true(json_step(&w) && json_step(&w));
		assert_true(has(json_get(w.value, "required"), "error"));
		assert_true(
			json_is(json_get(json_get(v, "properties"), "error"),
				JSON_OBJECT));
	}
}

static struct json entry_of(const char *name, enum results results,
			    struct buf *text, struct arena *mem)
{
	struct tool_options options = { .results = results };
	struct json_out o = json_out(text);

	schema_tool(&o, tool_named(str_of(name)), &options);
	return parsed(buf_str(text), mem);
}

static const struct {
	const char *name;
	enum json_kind read_only, destructive;
} effects[] = {
	{ "hello", JSON_TRUE, JSON_NONE },
	{ "read_text_file", JSON_TRUE, JSON_NONE },
	{ "write_text_file", JSON_FALSE, JSON_TRUE },
	{ "edit_text_file", JSON_FALSE, JSON_TRUE },
	{ "multi_edit_text_file", JSON_FALSE, JSON_TRUE },
	{ "read_repo_file", JSON_TRUE, JSON_NONE }, /* T20 */
	{ "write_memory_entry", JSON_FALSE, JSON_FALSE },
};

/* X04: annotations are true; what cannot be undone is destructive. */
static void annotations_follow_the_effects(void **state)
{
	for (size_t i = 0; i < COUNT_OF(effects); i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf text = BUF_INIT;
		struct json a = json_get(entry_of(effects[i].name, RESULTS_BOTH,
						  &text, &mem),
					 "annotations");

		assert_int_equal(json_kind(json_get(a, "readOnlyHint")),
				 effects[i].read_only);
		assert_int_equal(json_kind(json_get(a, "destructiveHint")),
				 effects[i].destructive);
		assert_int_equal(json_kind(json_get(a, "openWorldHint")),
				 JSON_FALSE);
	}
}

/* A68 A71: with --results=text there is no outputSchema. */
static void text_results_have_no_output_schema(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf text = BUF_INIT, both = BUF_INIT;
	struct json entry;

	entry = entry_of("hello", RESULTS_TEXT, &text, &mem);
	assert_true(json_is(json_get(entry, "outputSchema"), JSON_NONE));
	entry = entry_of("hello", RESULTS_BOTH, &both, &mem);
	assert_true(json_is(json_get(entry, "outputSchema"), JSON_OBJECT));
}

static const struct field seen_fields[] = {
	{ "path", FIELD_STR, .required = true },
	{ "line", FIELD_INT, .unlisted = true },
	{ "names", FIELD_TEXTS, .empty = ERR_BAD_ARGS },
	FIELDS_END,
};

/* What is accepted but not listed is not in the schema. */
static void unlisted_arguments_are_not_in_the_schema(void **state)
{
	const struct tool t = { .name = "t", .fields = seen_fields };
	struct tool_options options = { .results = RESULTS_BOTH };
	auto_arena mem = ARENA_INIT;
	auto_buf text = BUF_INIT, input = BUF_INIT;
	struct json_out o = json_out(&text), in = json_out(&input);

	schema_input(&in, &t);
	assert_str(
		buf_str(&input),
		"{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},"
		"\"names\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1}},"
		"\"required\":[\"path\"]}");
	/* and without a structured result there is no schema of one */
	schema_tool(&o, &t, &options);
	assert_true(
		json_is(json_get(parsed(buf_str(&text), &mem), "outputSchema"),
			JSON_NONE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contracts_are_told_to_the_letter),
		cmocka_unit_test(every_row_is_whole),
		cmocka_unit_test(hello_promises_its_two_members),
		cmocka_unit_test(error_results_fit_the_output_schema),
		cmocka_unit_test(annotations_follow_the_effects),
		cmocka_unit_test(text_results_have_no_output_schema),
		cmocka_unit_test(unlisted_arguments_are_not_in_the_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
