/*
 * test_args.c - decoding of JSON arguments: what is refused, and with which
 * message.
 */
#include "../memory.h"
#include "../unit.h"

#include "tools/call/args.h"
#include "tools/call/dispatch.h"

static const struct tool_options options = { .max_file = 1 << 20,
					     .max_reply = 1 << 20 };

/* Run a call on an empty workspace; the outcome and its message. */
static enum err run(const char *tool, const char *arguments, struct arena *mem,
		    struct str *message)
{
	struct memory memory = MEMORY({ "/f", STR_INIT("one\ntwo\n") });
	struct json_limits limits = { 0 };
	struct dispatch d = { .options = &options,
			      .ws = &memory.ws,
			      .mem = mem };
	struct json_error error;
	struct json json;
	enum err e;

	assert_int_equal(json_parse(str_of(arguments), &limits, mem, &json,
				    &error),
			 ERR_OK);
	e = dispatch_begin(&d, str_of(tool), json);
	if (!e)
		e = dispatch_run(&d, 0);
	*message = fault_text(&d.fault, mem);
	arena_free(&memory.mem);
	return e;
}

static const struct {
	const char *tool, *arguments;
	enum err want;
	const char *message;
} cases[] = {
	/* W06 R57 M68: missing or of the wrong type is -32602 */
	{ "write_text_file", "{\"path\":\"/a\"}", ERR_BAD_ARGS,
	  "Missing required argument: content" },
	{ "write_text_file", "{\"path\":\"/a\",\"content\":null}", ERR_BAD_ARGS,
	  "Argument content must be a string" },
	{ "write_text_file", "{\"path\":1,\"content\":\"\"}", ERR_BAD_ARGS,
	  "Argument path must be a string" },
	{ "read_text_file", "{}", ERR_BAD_ARGS,
	  "Missing required argument: path" },
	{ "read_text_file", "{\"path\":\"/f\",\"line\":1.5}", ERR_BAD_ARGS,
	  "Argument line must be an integer" },
	{ "read_text_file", "{\"path\":\"/f\",\"line\":\"1\"}", ERR_BAD_ARGS,
	  "Argument line must be an integer" },
	{ "read_text_file", "{\"path\":\"/f\",\"limit\":true}", ERR_BAD_ARGS,
	  "Argument limit must be an integer" },
	{ "multi_edit_text_file", "{\"path\":\"/f\",\"edits\":{}}",
	  ERR_BAD_ARGS, "Argument edits must be an array" },
	{ "multi_edit_text_file", "{\"path\":\"/f\",\"edits\":[1]}",
	  ERR_BAD_ARGS, "Argument edits[0] must be an object" },
	{ "multi_edit_text_file",
	  "{\"path\":\"/f\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"b\"},{\"old_string\":\"a\"}]}",
	  ERR_BAD_ARGS, "Missing required argument: edits[1].new_string" },
	{ "multi_edit_text_file",
	  "{\"path\":\"/f\",\"edits\":[{\"old_string\":\"a\",\"new_string\":2}]}",
	  ERR_BAD_ARGS, "Argument edits[0].new_string must be a string" },
	{ "hello", "[]", ERR_BAD_ARGS, "Arguments must be an object" },
	/* T07: hello takes any name that is a string */
	{ "hello", "{\"name\":5}", ERR_BAD_ARGS,
	  "Argument name must be a string" },
	{ "hello", "{\"name\":null}", ERR_OK, "" },
	/* A13: 10.0 is an integer and null is the same as nothing */
	{ "read_text_file", "{\"path\":\"/f\",\"line\":2.0,\"limit\":null}",
	  ERR_OK, "" },
	{ "read_text_file", "{\"path\":\"/f\",\"line\":9007199254740992}",
	  ERR_OK, "" },
	/* unknown keys are refused, with the nearest known one */
	{ "write_text_file",
	  "{\"path\":\"/a\",\"content\":\"\",\"contents\":\"x\"}", ERR_BAD_ARGS,
	  "Unknown argument: contents (did you mean content?)" },
	{ "read_text_file", "{\"path\":\"/f\",\"zzzzzz\":1}", ERR_BAD_ARGS,
	  "Unknown argument: zzzzzz" },
	{ "multi_edit_text_file",
	  "{\"path\":\"/f\",\"edits\":[{\"old_string\":\"a\",\"newstring\":\"b\"}]}",
	  ERR_BAD_ARGS,
	  "Unknown argument: edits[0].newstring (did you mean new_string?)" },
	{ "read_text_file", "{\"path\":\"/f\",\"description\":\"why\"}", ERR_OK,
	  "" },
	{ "read_text_file", "{\"path\":\"/f\",\"path\":\"/g\"}", ERR_BAD_ARGS,
	  "Argument path is given twice" },
	/* X18: a lone surrogate is no text */
	{ "read_text_file", "{\"path\":\"/\\ud800\"}", ERR_BAD_ARGS,
	  "Argument path has a lone surrogate, which no text can hold" },
	/* A71: if_version is for tools that change files, 32 hex digits */
	{ "read_text_file", "{\"path\":\"/f\",\"if_version\":\"x\"}",
	  ERR_BAD_ARGS, "Unknown argument: if_version" },
	{ "write_text_file",
	  "{\"path\":\"/f\",\"content\":\"\",\"if_version\":\"x\"}",
	  ERR_BAD_ARGS,
	  "Argument if_version must be 32 hex digits: _meta.version of a read" },
	{ "write_memory_entry",
	  "{\"file\":\"decisions.jsonl\",\"entry\":\"1\",\"if_version\":\"x\"}",
	  ERR_BAD_ARGS,
	  "Argument if_version must be 32 hex digits: _meta.version of a read" },
	/* T11 A56: a pattern holds from the first byte to the last */
	{ "read_repo_file", "{\"path\":\"aZ09_./-\"}", ERR_NOT_ALLOWED,
	  "Path not allowed: aZ09_./-" }, /* the pattern matches; there is no root */
	{ "read_repo_file", "{\"path\":\"\"}", ERR_BAD_ARGS,
	  "Argument path must be a string that matches ^[a-zA-Z0-9_./-]+$" },
	{ "read_repo_file", "{\"path\":\"a\\n\"}", ERR_BAD_ARGS,
	  "Argument path must be a string that matches ^[a-zA-Z0-9_./-]+$" },
	{ "read_repo_file", "{\"path\":\"\\u0000a\"}", ERR_BAD_ARGS,
	  "Argument path must be a string that matches ^[a-zA-Z0-9_./-]+$" },
	{ "read_repo_file", "{\"path\":\"a]\"}", ERR_BAD_ARGS,
	  "Argument path must be a string that matches ^[a-zA-Z0-9_./-]+$" },
	/* T28: exactly one of the choices */
	{ "write_memory_entry", "{\"file\":\"decisions\",\"entry\":\"1\"}",
	  ERR_BAD_ARGS,
	  "Argument file must be one of progress_log.jsonl, decisions.jsonl, best_practices.md" },
	/* W15 W22 W36 W62 R20 R25 R39 M19 M24: paths first, before any file */
	{ "write_text_file",
	  "{\"path\":\"relative/path.txt\",\"content\":\"\"}", ERR_NOT_ABSOLUTE,
	  "Path must be absolute: relative/path.txt" },
	{ "write_text_file", "{\"path\":\"\",\"content\":\"\"}",
	  ERR_NOT_ABSOLUTE, "Path must be absolute: " },
	{ "read_text_file", "{\"path\":\"relative\",\"line\":0,\"limit\":0}",
	  ERR_NOT_ABSOLUTE, "Path must be absolute: relative" },
	{ "multi_edit_text_file", "{\"path\":\"relative\",\"edits\":[]}",
	  ERR_NOT_ABSOLUTE, "Path must be absolute: relative" },
	/* R21 R22: then the line, then the limit */
	{ "read_text_file", "{\"path\":\"/none\",\"line\":0,\"limit\":0}",
	  ERR_BAD_LINE, "Line number must be >= 1: 0" },
	{ "read_text_file", "{\"path\":\"/none\",\"line\":-3}", ERR_BAD_LINE,
	  "Line number must be >= 1: -3" },
	{ "read_text_file", "{\"path\":\"/none\",\"limit\":0}", ERR_BAD_LIMIT,
	  "Limit must be >= 1: 0" },
	/* M20 M38 M60 E07, all without looking at the file */
	{ "multi_edit_text_file", "{\"path\":\"/none\",\"edits\":[]}",
	  ERR_NO_EDITS, "Edits array cannot be empty" },
	{ "multi_edit_text_file",
	  "{\"path\":\"/none\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"\"},{\"old_string\":\"\",\"new_string\":\"\"}]}",
	  ERR_EMPTY_OLD_AT, "Edit 1: old_string cannot be empty" },
	{ "edit_text_file",
	  "{\"path\":\"/none\",\"old_string\":\"a\",\"new_string\":\"a\"}",
	  ERR_SAME_STRINGS, "old_string and new_string are identical" },
	{ "edit_text_file",
	  "{\"path\":\"/none\",\"old_string\":\"\",\"new_string\":\"a\"}",
	  ERR_EMPTY_OLD, "old_string cannot be empty" },
	{ "reed_text_file", "{}", ERR_NO_TOOL,
	  "Unknown tool: reed_text_file (did you mean read_text_file?)" },
	{ "zzz", "{}", ERR_NO_TOOL, "Unknown tool: zzz" },
};

static void bad_arguments_get_their_words(void **state)
{
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		auto_arena mem = ARENA_INIT;
		struct str message;

		assert_int_equal(run(cases[i].tool, cases[i].arguments, &mem,
				     &message),
				 cases[i].want);
		assert_str(message, cases[i].message);
	}
}

/* W62: a NUL would cut the path short where the system looks at it. */
static void a_nul_in_a_path_is_refused(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str message;

	assert_int_equal(run("read_text_file", "{\"path\":\"/f\\u0000x\"}",
			     &mem, &message),
			 ERR_NOT_ABSOLUTE);
}

struct look_args {
	struct str pattern, glob;
	int64_t before, most;
	bool quiet;
	struct item_list paths;
};

static const char *const pattern_names[] = { "regex", NULL };
static const char *const glob_names[] = { "include", "include_pattern", NULL };
static const char *const before_names[] = { "before", NULL };

static const struct field look_fields[] = {
	{ "pattern", FIELD_STR, .required = true, .aliases = pattern_names,
	  .offset = offsetof(struct look_args, pattern) },
	{ "glob", FIELD_STR, .aliases = glob_names,
	  .offset = offsetof(struct look_args, glob) },
	{ "-B", FIELD_INT, .aliases = before_names,
	  .offset = offsetof(struct look_args, before) },
	{ "most", FIELD_INT, .offset = offsetof(struct look_args, most),
	  .absent = 250, .min = 0, .below = ERR_BAD_ARGS },
	{ "quiet", FIELD_BOOL, .offset = offsetof(struct look_args, quiet) },
	{ "paths", FIELD_TEXTS, .offset = offsetof(struct look_args, paths),
	  .empty = ERR_BAD_ARGS },
	FIELDS_END,
};

static const struct tool look = {
	.name = "look",
	.fields = look_fields,
	.args_size = sizeof(struct look_args),
	.effects = TOOL_READS,
	.casts_strings = true,
};

static enum err decode(const struct tool *tool, const char *arguments,
		       struct arena *mem, const struct look_args **ret,
		       struct str *message)
{
	struct json_limits limits = { 0 };
	struct fault f = { 0 };
	struct call c = { .tool = tool, .mem = mem, .fault = &f };
	struct json_error error;
	struct json json;
	enum err e;

	assert_int_equal(json_parse(str_of(arguments), &limits, mem, &json,
				    &error),
			 ERR_OK);
	e = args_decode(&c, json);
	if (!e)
		e = args_check(&c);
	*ret = c.args;
	*message = e ? fault_text(&f, mem) : STR("");
	return e;
}

static const char *const spelled[] = {
	"{\"pattern\":\"p\",\"glob\":\"g\",\"-B\":2,\"most\":10,\"quiet\":true,\"paths\":[\"a\",\"b\"]}",
	"{\"regex\":\"p\",\"include\":\"g\",\"before\":\"2\",\"most\":\"10\",\"quiet\":\"true\",\"paths\":[\"a\",\"b\"]}",
	"{\"regex\":\"p\",\"pattern\":null,\"include_pattern\":\"g\",\"-B\":\"2\",\"most\":\"010\",\"quiet\":true,\"paths\":[\"a\",\"b\"]}",
};

/* F10: an alias is the same as the name. */
static void aliases_reach_the_argument(void **state)
{
	for (size_t i = 0; i < COUNT_OF(spelled); i++) {
		auto_arena mem = ARENA_INIT;
		const struct look_args *a;
		struct str message;

		assert_int_equal(decode(&look, spelled[i], &mem, &a, &message),
				 ERR_OK);
		assert_str(a->pattern, "p");
		assert_str(a->glob, "g");
		assert_int_equal(a->before, 2);
		assert_int_equal(a->most, 10);
		assert_true(a->quiet);
		assert_int_equal(a->paths.count, 2);
		assert_str(((struct str *)a->paths.items)[1], "b");
	}
}

static const char *const look_mistakes[][2] = {
	/* F10: two spellings at once, and names that are neither */
	{ "{\"pattern\":\"p\",\"regex\":\"p\"}",
	  "Argument pattern is given twice: pattern and regex" },
	{ "{\"pattern\":\"p\",\"include\":\"a\",\"include_pattern\":\"b\"}",
	  "Argument glob is given twice: include and include_pattern" },
	{ "{\"pattern\":\"p\",\"globb\":\"a\"}",
	  "Unknown argument: globb (did you mean glob?)" },
	{ "{\"pattern\":\"p\",\"include_patern\":\"a\"}",
	  "Unknown argument: include_patern (did you mean include_pattern?)" },
	{ "{\"glob\":\"g\"}", "Missing required argument: pattern" },
	{ "{\"pattern\":\"p\",\"before\":\"2 \"}",
	  "Argument -B must be an integer" },
	{ "{\"pattern\":\"p\",\"most\":\"\"}",
	  "Argument most must be an integer" },
	{ "{\"pattern\":\"p\",\"most\":\"9223372036854775808\"}",
	  "Argument most must be an integer" },
	{ "{\"pattern\":\"p\",\"most\":\"-1\"}",
	  "Argument most must be at least 0" },
	{ "{\"pattern\":\"p\",\"quiet\":\"yes\"}",
	  "Argument quiet must be true or false" },
	{ "{\"pattern\":\"p\",\"paths\":\"a\"}",
	  "Argument paths must be an array" },
	{ "{\"pattern\":\"p\",\"paths\":[\"a\",1]}",
	  "Argument paths[1] must be a string" },
	{ "{\"pattern\":\"p\",\"paths\":[]}",
	  "Argument paths must not be empty" },
};

static void wrong_spellings_are_refused(void **state)
{
	for (size_t i = 0; i < COUNT_OF(look_mistakes); i++) {
		auto_arena mem = ARENA_INIT;
		const struct look_args *a;
		struct str message;

		assert_int_equal(decode(&look, look_mistakes[i][0], &mem, &a,
					&message),
				 ERR_BAD_ARGS);
		assert_str(message, look_mistakes[i][1]);
	}
}

/* A13: a number in a string is refused, unless the row allows it. */
static void other_tools_take_no_number_in_a_string(void **state)
{
	struct tool strict = look;
	auto_arena mem = ARENA_INIT;
	const struct look_args *a;
	struct str message;

	strict.casts_strings = false;
	assert_int_equal(decode(&strict, "{\"pattern\":\"p\",\"most\":\"10\"}",
				&mem, &a, &message),
			 ERR_BAD_ARGS);
	assert_str(message, "Argument most must be an integer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_arguments_get_their_words),
		cmocka_unit_test(a_nul_in_a_path_is_refused),
		cmocka_unit_test(aliases_reach_the_argument),
		cmocka_unit_test(wrong_spellings_are_refused),
		cmocka_unit_test(other_tools_take_no_number_in_a_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
