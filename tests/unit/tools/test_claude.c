/*
 * test_claude.c - Read, Write and Edit when a file changes concurrently, and
 * what the caller is told.
 */
#include "../memory.h"
#include "../parsed.h"
#include "../unit.h"

#include "text/lines/number.h"
#include "tools/call/dispatch.h"
#include "tools/call/result.h"
#include "tools/permissions/rules.h"
#include "tools/reading/readstate.h"

static const struct tool_options options = { .max_file = 1 << 20,
					     .max_reply = 1 << 20 };

struct bench {
	struct memory memory;
	struct caller caller;
	struct arena mem;
	struct dispatch d;
	struct buf reply;
	const struct tool_options *options;
};

static int set_up(void **state)
{
	struct bench *b = test_calloc(1, sizeof(*b));
	struct memory memory = MEMORY({ "/f", STR_INIT("one\ntwo\n") });

	b->memory = memory;
	b->options = &options;
	b->caller.reads = readstate_new(NULL);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	readstate_free(b->caller.reads);
	arena_free(&b->memory.mem);
	arena_free(&b->mem);
	buf_free(&b->reply);
	test_free(b);
	return 0;
}

static enum err call(struct bench *b, const char *tool, const char *arguments)
{
	struct json_out o = json_out(&b->reply);
	enum err e;

	b->d = (struct dispatch){ .options = b->options,
				  .ws = &b->memory.ws,
				  .mem = &b->mem,
				  .caller = &b->caller };
	e = dispatch_begin(&b->d, str_of(tool),
			   parsed(str_of(arguments), &b->mem));
	if (!e)
		e = dispatch_run(&b->d, 0);
	buf_clear(&b->reply, SIZE_MAX);
	json_open(&o, '{');
	if (e)
		result_put_fault(&o, &b->d.fault, RESULTS_BOTH);
	else
		result_put(&o, &b->d.call);
	json_close(&o, '}');
	return e;
}

static struct json reply(struct bench *b)
{
	return parsed(arena_copy(&b->mem, buf_str(&b->reply)), &b->mem);
}

static struct json text_of(struct bench *b)
{
	struct json_walk w = json_walk(json_get(reply(b), "content"));

	assert_true(json_step(&w));
	return json_get(w.value, "text");
}

#define READ  "{\"file_path\":\"/f\"}"
#define WRITE "{\"file_path\":\"/f\",\"content\":\"mine\\n\"}"
#define EDIT \
	"{\"file_path\":\"/f\",\"old_string\":\"two\",\"new_string\":\"2\"}"

/* C24 C105 C15 A07: an error without a code, once, and nothing is written. */
static void a_change_under_its_hands_ends_a_write(void **state)
{
	struct bench *b = *state;
	struct json content;

	assert_int_equal(call(b, "Read", READ), ERR_OK);
	b->memory.races = 5;
	b->memory.theirs = STR("theirs\n");
	assert_int_equal(call(b, "Write", WRITE), ERR_SURPRISED);
	assert_int_equal(b->memory.races, 4);
	assert_str(b->memory.files[0].bytes, "theirs\n");
	content = json_get(reply(b), "structuredContent");
	assert_true(json_is(json_get(reply(b), "isError"), JSON_TRUE));
	assert_true(json_str_is(
		text_of(b),
		"File has been unexpectedly modified. Read it again before attempting to write it."));
	assert_true(json_is(json_get(content, "errorCode"), JSON_NONE));
	assert_true(json_is(json_get(content, "result"), JSON_FALSE));
	assert_true(json_str_is(
		json_get(json_get(content, "data"), "changed"),
		"--- f\n+++ f\n@@ -1,2 +1,1 @@\n-one\n-two\n+theirs\n"));
	b->memory.races = 0;
	assert_int_equal(call(b, "Write", WRITE), ERR_STALE);
}

/* C24: a file that is created concurrently is not overwritten either. */
static void a_file_that_appears_meanwhile_stays(void **state)
{
	struct bench *b = *state;

	b->memory.races = 1;
	assert_int_equal(call(b, "Write",
			      "{\"file_path\":\"/new\",\"content\":\"x\"}"),
			 ERR_SURPRISED);
	assert_int_equal(b->memory.stores, 0);
}

/* A74: no edit of content that the caller has not read. */
static void a_change_under_its_hands_ends_an_edit(void **state)
{
	struct bench *b = *state;

	assert_int_equal(call(b, "Read", READ), ERR_OK);
	b->memory.races = 1;
	b->memory.theirs = STR("two and theirs\n");
	assert_int_equal(call(b, "Edit", EDIT), ERR_STALE);
	assert_str(b->memory.files[0].bytes, "two and theirs\n");
}

/* A69 W65: write_text_file does not retry over such a change either. */
static void a_change_under_its_hands_ends_write_text_file(void **state)
{
	struct bench *b = *state;

	assert_int_equal(call(b, "read_text_file", "{\"path\":\"/f\"}"),
			 ERR_OK);
	b->memory.races = 1;
	b->memory.theirs = STR("theirs\n");
	assert_int_equal(call(b, "write_text_file",
			      "{\"path\":\"/f\",\"content\":\"mine\\n\"}"),
			 ERR_CHANGED);
	assert_str(b->memory.files[0].bytes, "theirs\n");
}

/* A51 C19: callers do not share read states; an anonymous one has none. */
static void reads_are_the_callers_own(void **state)
{
	struct bench *b = *state;
	struct readstate *reads = b->caller.reads;

	assert_int_equal(call(b, "Read", READ), ERR_OK);
	b->caller.reads = NULL;
	assert_int_equal(call(b, "Write", WRITE), ERR_UNREAD);
	b->caller.reads = readstate_new(NULL);
	assert_int_equal(call(b, "Write", WRITE), ERR_UNREAD);
	readstate_free(b->caller.reads);
	b->caller.reads = reads;
	assert_int_equal(call(b, "Write", WRITE), ERR_OK);
}

/* C26 C31 C64: after a write the read state has the written content. */
static void what_was_written_is_what_was_seen(void **state)
{
	struct bench *b = *state;
	struct read_entry entry;

	assert_int_equal(call(b, "Read", READ), ERR_OK);
	assert_int_equal(call(b, "Write", WRITE), ERR_OK);
	assert_true(readstate_get(b->caller.reads, STR("/f"), &b->mem, &entry));
	assert_str(entry.bytes, "mine\n");
	assert_true(hash_eq(entry.version, hash_of(STR("mine\n"))));
}

static const struct str *everything(struct workspace *ws, struct arena *mem,
				    size_t *ret_n)
{
	static const struct str root = STR_INIT("/");

	*ret_n = 1;
	return &root;
}

/* C16 C17 A49: new files and old ones, before anything else is looked at. */
static void what_is_ignored_is_left_alone(void **state)
{
	static const char *const calls[][2] = {
		{ "Write", "{\"file_path\":\"/new\",\"content\":\"x\"}" },
		{ "Write", WRITE },
		{ "Edit", EDIT },
		{ "Edit",
		  "{\"file_path\":\"/new\",\"old_string\":\"\",\"new_string\":\"x\"}" },
	};
	struct bench *b = *state;
	struct ignore_set set = { 0 };
	struct rules rules = { .ignore = &set, .ignore_count = 1 };
	struct tool_options ignoring = options;
	struct workspace_ops ops = memory_ops;

	ops.roots = everything;
	b->memory.ws.ops = &ops;
	ignore_parse(STR("f\nnew\n"), &b->mem, &set.list);
	ignoring.rules = &rules;
	b->options = &ignoring;
	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		struct json content;

		assert_int_equal(call(b, calls[i][0], calls[i][1]),
				 ERR_IGNORED);
		content = json_get(reply(b), "structuredContent");
		assert_str(json_raw(json_get(content, "errorCode")), "1");
		assert_true(json_str_is(
			text_of(b),
			"File is in a directory that is ignored by your project configuration."));
	}
	assert_int_equal(b->memory.loads, 0);
	assert_int_equal(b->memory.stores, 0);
}

/* C21 A52: without a code of its own, the code of the row. */
static void every_code_has_its_sentence(void **state)
{
	static const struct {
		enum err err;
		int code;
		const char *says;
	} rows[] = {
		{ ERR_IGNORED, 1,
		  "File is in a directory that is ignored by your project configuration." },
		{ ERR_UNREAD, 2,
		  "File has not been read yet. Read it first before writing to it." },
		{ ERR_STALE, 3,
		  "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it." },
		{ ERR_SURPRISED, 0,
		  "File has been unexpectedly modified. Read it again before attempting to write it." },
	};
	struct bench *b = *state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct fault f = { .err = rows[i].err };

		assert_true(err_is_coded(rows[i].err));
		assert_int_equal(err_code(rows[i].err), rows[i].code);
		assert_str(fault_text(&f, &b->mem), rows[i].says);
	}
	assert_false(err_is_coded(ERR_NOT_FOUND));
	assert_false(err_is_coded(ERR_BAD_ARGS));
}

/* C43 A40, vector 5: the algorithm of the contract, and cat -n beside it. */
static void lines_are_numbered_as_the_contract_says(void **state)
{
	auto_buf literal = BUF_INIT;

	number_lines(
		STR("import { greeting } from './newfile';\n\nconsole.log(greeting);\n"),
		1, 0, &literal);
	assert_str(
		buf_str(&literal),
		"1\timport { greeting } from './newfile';\n2\t\n3\tconsole.log(greeting);\n4\t");
}

/* What does not fit a reply is cut, and the result says so. */
static void a_reply_stays_within_its_bounds(void **state)
{
	struct bench *b = *state;
	auto_buf arguments = BUF_INIT;
	struct json meta;

	assert_int_equal(call(b, "Read", READ), ERR_OK);
	buf_lit(&arguments, "{\"file_path\":\"/f\",\"content\":\"");
	for (int i = 0; i < 90 * 1000; i++)
		buf_lit(&arguments, "some line\\n");
	buf_lit(&arguments, "\"}");
	assert_int_equal(call(b, "Write",
			      arena_cstr(&b->mem, buf_str(&arguments))),
			 ERR_OK);
	assert_in_range(b->reply.len, 1, 1 << 20);
	meta = json_get(json_get(reply(b), "structuredContent"), "_meta");
	assert_true(json_is(json_get(meta, "content_cut"), JSON_TRUE));
	assert_true(json_is(json_get(meta, "diff_cut"), JSON_TRUE));
	assert_int_equal(call(b, "Read",
			      "{\"file_path\":\"/f\",\"limit\":100000}"),
			 ERR_OK);
	assert_in_range(b->reply.len, 400 * 1000, 1 << 20);
	meta = json_get(json_get(reply(b), "structuredContent"), "_meta");
	assert_true(json_is(json_get(meta, "has_more"), JSON_TRUE));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_change_under_its_hands_ends_a_write),
		TEST(a_file_that_appears_meanwhile_stays),
		TEST(a_change_under_its_hands_ends_an_edit),
		TEST(a_change_under_its_hands_ends_write_text_file),
		TEST(reads_are_the_callers_own),
		TEST(what_was_written_is_what_was_seen),
		TEST(what_is_ignored_is_left_alone),
		TEST(every_code_has_its_sentence),
		TEST(lines_are_numbered_as_the_contract_says),
		TEST(a_reply_stays_within_its_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
