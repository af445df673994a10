/*
 * test_dispatch.c - the life of a call: begin, run, perhaps run again, end;
 * each event is told once.
 */
#include "../memory.h"
#include "../parsed.h"
#include "../unit.h"

#include "tools/call/dispatch.h"
#include "tools/call/result.h"

struct recorder {
	struct event_sink sink;
	char log[64]; /* 'b', 'c' (completed), 'f' (failed) in their order */
};

static void record(struct event_sink *sink, char what)
{
	struct recorder *r = (struct recorder *)sink;

	r->log[strlen(r->log)] = what;
}

static void on_begin(struct event_sink *sink, const struct tool_event *e)
{
	record(sink, 'b');
}

static void on_end(struct event_sink *sink, const struct tool_event *e)
{
	record(sink, e->fault ? 'f' : 'c');
}

static const struct tool_options options = { .max_file = 1 << 20,
					     .max_reply = 1 << 20 };

static const struct {
	const char *tool, *arguments, *log;
} walks[] = {
	{ "hello", "{}", "bc" },
	{ "read_text_file", "{\"path\":\"/f\"}", "bc" },
	{ "read_text_file", "{\"path\":\"/none\"}", "bf" },
	{ "read_text_file", "{\"path\":\"relative\"}", "bf" },
	{ "read_text_file", "{}", "bf" },
	{ "no_such_tool", "{}", "" },
};

/* W53 R50 M52: one begin and one end for every call, in this order. */
static void every_call_is_told_once(void **state)
{
	for (size_t i = 0; i < COUNT_OF(walks); i++) {
		struct memory memory = MEMORY({ "/f", STR_INIT("one\n") });
		struct recorder r = { { on_begin, on_end }, "" };
		auto_arena mem = ARENA_INIT;
		struct dispatch d = { .options = &options,
				      .ws = &memory.ws,
				      .mem = &mem,
				      .events = &r.sink };

		if (!dispatch_begin(&d, str_of(walks[i].tool),
				    parsed(str_of(walks[i].arguments), &mem)))
			(void)!dispatch_run(&d, 0);
		assert_string_equal(r.log, walks[i].log);
		arena_free(&memory.mem);
	}
}

static bool stop_the_third_time(void *asked)
{
	return ++*(unsigned *)asked >= 3;
}

/* X03: a cancelled call has no result and changes nothing. */
static void a_call_that_is_given_up_is_cancelled(void **state)
{
	static const char *const calls[][2] = {
		{ "edit_text_file",
		  "{\"path\":\"/f\",\"old_string\":"
		  "\"nowhere at all\",\"new_string\":\"x\"}" },
		{ "multi_edit_text_file",
		  "{\"path\":\"/f\",\"edits\":[{\"old_string\":"
		  "\"many, 0\",\"new_string\":\"x\"},{\"old_string\":"
		  "\"nowhere at all\",\"new_string\":\"y\"}]}" },
	};
	const struct tool_options large = { .max_file = 8 << 20,
					    .max_reply = 8 << 20,
					    .overwrite = true };

	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		auto_buf text = BUF_INIT;
		auto_arena mem = ARENA_INIT;
		struct memory memory = MEMORY({ "/f", STR_INIT("") });
		struct recorder r = { { on_begin, on_end }, "" };
		unsigned asked = 0;
		struct dispatch d = { .options = &large,
				      .ws = &memory.ws,
				      .mem = &mem,
				      .progress = { .stop = stop_the_third_time,
						    .ctx = &asked },
				      .events = &r.sink };

		while (text.len < 4 << 20)
			buf_addf(&text, "a line of many, %zu\n", text.len);
		memory.files[0].bytes = buf_str(&text);
		assert_int_equal(dispatch_begin(&d, str_of(calls[i][0]),
						parsed(str_of(calls[i][1]),
						       &mem)),
				 ERR_OK);
		if (dispatch_run(&d, 0) != ERR_CANCELLED)
			print_message("# %s: %d\n", calls[i][0], d.fault.err);
		assert_int_equal(d.fault.err, ERR_CANCELLED);
		assert_int_equal(memory.stores, 0);
		assert_string_equal(r.log, "bf");
		arena_free(&memory.mem);
	}
}

/* The workspace is told the hash, so that it need not hash them again. */
static void new_bytes_are_hashed_once(void **state)
{
	static const char *const calls[][2] = {
		{ "write_text_file", "{\"path\":\"/f\",\"content\":\"new\"}" },
		{ "write_text_file", "{\"path\":\"/f\",\"content\":\"old\"}" },
		{ "write_text_file", "{\"path\":\"/g\",\"content\":\"new\"}" },
		{ "edit_text_file",
		  "{\"path\":\"/f\",\"old_string\":\"l\",\"new_string\":\"x\"}" },
	};

	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		struct memory memory = MEMORY({ "/f", STR_INIT("old") });
		auto_arena mem = ARENA_INIT;
		struct dispatch d = { .options = &options,
				      .ws = &memory.ws,
				      .mem = &mem };

		assert_int_equal(dispatch_begin(&d, str_of(calls[i][0]),
						parsed(str_of(calls[i][1]),
						       &mem)),
				 ERR_OK);
		assert_int_equal(dispatch_run(&d, 0), ERR_OK);
		assert_int_equal(memory.stores, 1);
		assert_int_equal(memory.hashed, 1);
		arena_free(&memory.mem);
	}
}

static void a_call_that_is_run_again_is_told_once(void **state)
{
	struct memory memory = MEMORY({ "/f", STR_INIT("a long one\n") });
	struct recorder r = { { on_begin, on_end }, "" };
	auto_arena mem = ARENA_INIT;
	struct dispatch d = { .options = &options,
			      .ws = &memory.ws,
			      .mem = &mem,
			      .events = &r.sink };

	assert_int_equal(dispatch_begin(&d, STR("read_text_file"),
					parsed(STR("{\"path\":\"/f\"}"), &mem)),
			 ERR_OK);
	assert_int_equal(dispatch_run(&d, 3), ERR_LATER);
	assert_string_equal(r.log, "b");
	assert_int_equal(dispatch_run(&d, 0), ERR_OK);
	assert_string_equal(r.log, "bc");
}

static void a_dropped_call_is_told_as_failed(void **state)
{
	struct memory memory = MEMORY({ NULL });
	struct recorder r = { { on_begin, on_end }, "" };
	auto_arena mem = ARENA_INIT;
	struct dispatch d = { .options = &options,
			      .ws = &memory.ws,
			      .mem = &mem,
			      .events = &r.sink };

	assert_int_equal(dispatch_begin(&d, STR("hello"), (struct json){ 0 }),
			 ERR_OK);
	dispatch_drop(&d);
	assert_string_equal(r.log, "bf");
}

/* Run a tool on @memory and give back its payload. */
static enum err run(struct memory *memory, const char *tool,
		    const char *arguments, struct arena *mem,
		    struct json *payload, struct fault *f)
{
	struct dispatch d = { .options = &options,
			      .ws = &memory->ws,
			      .mem = mem };
	auto_buf text = BUF_INIT;
	enum err e;

	e = dispatch_begin(&d, str_of(tool), parsed(str_of(arguments), mem));
	if (!e)
		e = dispatch_run(&d, 0);
	*f = d.fault;
	if (e)
		return e;
	result_payload(&d.call, &text);
	*payload = parsed(arena_copy(mem, buf_str(&text)), mem);
	return ERR_OK;
}

/* A69 A71: with if_version a changed file is not overwritten. */
static void a_version_guards_every_change(void **state)
{
	static const char *const calls[][2] = {
		{ "write_text_file",
		  "{\"path\":\"/f\",\"content\":\"x\",\"if_version\":\"00000000000000000000000000000000\"}" },
		{ "edit_text_file",
		  "{\"path\":\"/f\",\"old_string\":\"one\",\"new_string\":\"1\",\"if_version\":\"00000000000000000000000000000000\"}" },
		{ "multi_edit_text_file",
		  "{\"path\":\"/f\",\"edits\":[{\"old_string\":\"one\",\"new_string\":\"1\"}],\"if_version\":\"00000000000000000000000000000000\"}" },
	};

	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		struct memory memory = MEMORY({ "/f", STR_INIT("one\n") });
		auto_arena mem = ARENA_INIT;
		struct json payload;
		struct fault f;

		assert_int_equal(run(&memory, calls[i][0], calls[i][1], &mem,
				     &payload, &f),
				 ERR_CHANGED);
		assert_int_equal(f.version.len, HASH_HEX);
		assert_int_equal(memory.stores, 0);
	}
}

/* A69 M70: a file that keeps changing is reported and not written. */
static void a_race_is_run_again_but_not_for_ever(void **state)
{
	struct memory memory = MEMORY({ "/f", STR_INIT("one\n") });
	auto_arena mem = ARENA_INIT;
	struct json payload;
	struct fault f;

	memory.races = 3;
	assert_int_equal(
		run(&memory, "edit_text_file",
		    "{\"path\":\"/f\",\"old_string\":\"one\",\"new_string\":\"1\"}",
		    &mem, &payload, &f),
		ERR_OK);
	assert_int_equal(memory.loads, 4);
	memory.races = 1000;
	memory.stores = 0;
	assert_int_equal(run(&memory, "write_text_file",
			     "{\"path\":\"/f\",\"content\":\"x\"}", &mem,
			     &payload, &f),
			 ERR_CHANGED);
	assert_int_equal(memory.stores, 0);
	arena_free(&memory.mem);
}

/* M65 A32: edits that cancel out leave the file alone. */
static void edits_that_cancel_out_store_nothing(void **state)
{
	struct memory memory = MEMORY({ "/f", STR_INIT("one\n") });
	auto_arena mem = ARENA_INIT;
	struct json payload;
	struct fault f;

	assert_int_equal(
		run(&memory, "multi_edit_text_file",
		    "{\"path\":\"/f\",\"edits\":[{\"old_string\":\"one\",\"new_string\":\"two\"},{\"old_string\":\"two\",\"new_string\":\"one\"}]}",
		    &mem, &payload, &f),
		ERR_OK);
	assert_true(json_str_is(json_get(payload, "diff"), ""));
	assert_int_equal(memory.stores, 0);
}

/* M34 M54: one store when all edits fit, none when one does not. */
static void a_batch_is_stored_once_or_not_at_all(void **state)
{
	struct memory memory = MEMORY({ "/f", STR_INIT("line 1\nline 2\n") });
	auto_arena mem = ARENA_INIT;
	struct json payload;
	struct fault f;

	assert_int_equal(
		run(&memory, "multi_edit_text_file",
		    "{\"path\":\"/f\",\"edits\":[{\"old_string\":\"line 1\",\"new_string\":\"LINE 1\"},{\"old_string\":\"line 3\",\"new_string\":\"LINE 3\"}]}",
		    &mem, &payload, &f),
		ERR_NO_MATCH_AT);
	assert_int_equal(memory.stores, 0);
	assert_int_equal(
		run(&memory, "multi_edit_text_file",
		    "{\"path\":\"/f\",\"edits\":[{\"old_string\":\"line 1\",\"new_string\":\"LINE 1\"},{\"old_string\":\"line 2\",\"new_string\":\"LINE 2\"}]}",
		    &mem, &payload, &f),
		ERR_OK);
	assert_int_equal(memory.stores, 1);
	assert_str(memory.files[0].bytes, "LINE 1\nLINE 2\n");
	arena_free(&memory.mem);
}

static const struct {
	struct str before;
	const char *content;
	struct str after;
} rewrites[] = {
	/* W56 A70: CRLF throughout stays CRLF, a mixed file is exact */
	{ STR_INIT("a\r\nb\r\n"), "a\\nc\\n", STR_INIT("a\r\nc\r\n") },
	{ STR_INIT("a\r\nb\n"), "a\\nc\\n", STR_INIT("a\nc\n") },
	{ STR_INIT("a\r\nb\r\n"), "a\\r\\nc\\n", STR_INIT("a\r\nc\n") },
	/* A48: the mark stays, and is not doubled */
	{ STR_INIT("\xef\xbb\xbf"
		   "old"),
	  "new",
	  STR_INIT("\xef\xbb\xbf"
		   "new") },
	{ STR_INIT("\xef\xbb\xbf"
		   "old"),
	  "\\ufeffnew",
	  STR_INIT("\xef\xbb\xbf"
		   "new") },
	{ STR_INIT("\xff\xfe"
		   "o\0l\0d\0"),
	  "n\xc3\xa9",
	  STR_INIT("\xff\xfe"
		   "n\0\xe9\0") },
	/* binary content: nothing of its encoding is kept */
	{ STR_INIT("\x89PNG\r\n\x1a\n\0\0"), "text\\n", STR_INIT("text\n") },
};

static void a_rewritten_file_keeps_its_form(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rewrites); i++) {
		struct memory memory = MEMORY({ "/f", rewrites[i].before });
		auto_arena mem = ARENA_INIT;
		struct json payload;
		struct fault f;
		struct str call =
			arena_printf(&mem,
				     "{\"path\":\"/f\",\"content\":\"%s\"}",
				     rewrites[i].content);

		assert_int_equal(run(&memory, "write_text_file", call.ptr, &mem,
				     &payload, &f),
				 ERR_OK);
		assert_true(str_eq(memory.files[0].bytes, rewrites[i].after));
		arena_free(&memory.mem);
	}
}

/* M66: an edit in UTF-16 changes the bytes of the edit alone. */
static void an_edit_splices_bytes_of_the_file(void **state)
{
	struct memory memory =
		MEMORY({ "/f", STR_INIT("\xff\xfe"
					"a\0\xac\x20\r\0\n\0b\0") });
	auto_arena mem = ARENA_INIT;
	struct json payload;
	struct fault f;

	assert_int_equal(
		run(&memory, "edit_text_file",
		    "{\"path\":\"/f\",\"old_string\":\"b\",\"new_string\":\"\xe2\x82\xac!\"}",
		    &mem, &payload, &f),
		ERR_OK);
	assert_true(str_eq(memory.files[0].bytes,
			   STR("\xff\xfe"
			       "a\0\xac\x20\r\0\n\0\xac\x20!\0")));
	arena_free(&memory.mem);
}

static const struct {
	struct str before;
	const char *call;
	struct str after;
	const char *eol; /* in _meta; NULL: not there */
} endings[] = {
	{ STR_INIT("a\r\nb\r\n"),
	  "\"old_string\":\"a\\nb\",\"new_string\":\"a\\nx\\nb\"",
	  STR_INIT("a\r\nx\r\nb\r\n"), "crlf" },
	{ STR_INIT("a\nb\n"),
	  "\"old_string\":\"a\\r\\nb\",\"new_string\":\"x\\r\\nb\"",
	  STR_INIT("x\nb\n"), "lf" },
	{ STR_INIT("a\nb\n"), "\"old_string\":\"b\",\"new_string\":\"b\\nc\"",
	  STR_INIT("a\nb\nc\n"), NULL },
	{ STR_INIT("a\nb\n"),
	  "\"old_string\":\"b\",\"new_string\":\"b\\r\\nc\"",
	  STR_INIT("a\nb\r\nc\n"), NULL },
	{ STR_INIT("\xff\xfe"
		   "a\0\r\0\n\0b\0"),
	  "\"old_string\":\"a\\nb\",\"new_string\":\"a\\nb\\nc\"",
	  STR_INIT("\xff\xfe"
		   "a\0\r\0\n\0b\0\r\0\n\0c\0"),
	  "crlf" },
};

/* A70 A71 M66: and the result says which endings were given. */
static void an_edit_takes_the_endings_of_its_place(void **state)
{
	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		struct memory memory = MEMORY({ "/f", endings[i].before });
		auto_arena mem = ARENA_INIT;
		struct json payload, eol;
		struct fault f;
		struct str call = arena_printf(&mem, "{\"path\":\"/f\",%s}",
					       endings[i].call);

		assert_int_equal(run(&memory, "edit_text_file", call.ptr, &mem,
				     &payload, &f),
				 ERR_OK);
		assert_true(str_eq(memory.files[0].bytes, endings[i].after));
		eol = json_get(json_get(payload, "_meta"), "eol");
		if (endings[i].eol)
			assert_true(json_str_is(eol, endings[i].eol));
		else
			assert_true(json_is(eol, JSON_NONE));
		arena_free(&memory.mem);
	}
}

/* A page that does not fit a reply ends at a line and has next_line. */
static void a_long_read_is_cut_at_a_line(void **state)
{
	struct tool_options small = { .max_file = 1 << 20,
				      .max_reply = 400,
				      .results = RESULTS_TEXT };
	struct memory memory = MEMORY(
		{ "/f",
		  STR_INIT("0123456789012345678901234567890123456789\n"
			   "0123456789012345678901234567890123456789\n"
			   "0123456789012345678901234567890123456789\n"
			   "0123456789012345678901234567890123456789\n"
			   "0123456789012345678901234567890123456789\n"
			   "0123456789012345678901234567890123456789\n") });
	auto_arena mem = ARENA_INIT;
	struct dispatch d = { .options = &small,
			      .ws = &memory.ws,
			      .mem = &mem };
	auto_buf text = BUF_INIT;
	struct json_out o = json_out(&text);

	assert_int_equal(dispatch_begin(&d, STR("read_text_file"),
					parsed(STR("{\"path\":\"/f\"}"), &mem)),
			 ERR_OK);
	assert_int_equal(dispatch_run(&d, 0), ERR_OK);
	/* room for 200 bytes, 42 a line */
	result_put(&o, &d.call);
	assert_true(str_ends(
		buf_str(&text),
		STR("6789\\n[lines 1-4 of 6; go on with line 5]\"}]")));
}

/* X19: no byte costs more than the worst, and one costs as much. */
static void the_worst_byte_costs_the_most(void **state)
{
	static const enum results forms[] = { RESULTS_TEXT, RESULTS_STRUCTURED,
					      RESULTS_BOTH };

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		uint64_t most = 0;

		for (int byte = 0; byte < 256; byte++) {
			char c = (char)byte;
			uint64_t cost = result_cost(forms[i], str_make(&c, 1));

			most = cost > most ? cost : most;
		}
		assert_int_equal(most, result_worst(forms[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worst_byte_costs_the_most),
		cmocka_unit_test(every_call_is_told_once),
		cmocka_unit_test(a_call_that_is_given_up_is_cancelled),
		cmocka_unit_test(a_call_that_is_run_again_is_told_once),
		cmocka_unit_test(new_bytes_are_hashed_once),
		cmocka_unit_test(a_dropped_call_is_told_as_failed),
		cmocka_unit_test(a_version_guards_every_change),
		cmocka_unit_test(a_race_is_run_again_but_not_for_ever),
		cmocka_unit_test(edits_that_cancel_out_store_nothing),
		cmocka_unit_test(a_batch_is_stored_once_or_not_at_all),
		cmocka_unit_test(a_rewritten_file_keeps_its_form),
		cmocka_unit_test(an_edit_splices_bytes_of_the_file),
		cmocka_unit_test(an_edit_takes_the_endings_of_its_place),
		cmocka_unit_test(a_long_read_is_cut_at_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
