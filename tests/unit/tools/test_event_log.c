/*
 * test_event_log.c - the event log has the numbers of a change and never its
 * text.
 */
#include "../memory.h"
#include "../unit.h"

#include "base/fd.h"
#include "tools/records/event_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/stet-watch-XXXXXX";

static const struct tool write_tool = { .name = "Write" };
static const struct tool edit_tool = { .name = "edit_text_file" };

static const struct {
	const struct tool *tool;
	const char *path, *before, *after; /* NULL = no file */
	const char *patch;                 /* from "kind" on */
	bool claudemd;
} changes[] = {
	{ &edit_tool, "/p/f", "a\nb\nc\n", "a\nB\nB2\nc\n",
	  "\"kind\":\"update\",\"added\":2,\"removed\":1,\"bytes\":9,"
	  "\"hunks\":[{\"old_start\":2,\"old_lines\":1,"
	  "\"new_start\":2,\"new_lines\":2}]}",
	  false },
	{ &write_tool, "/p/f", NULL, "secret\nwords\n",
	  "\"kind\":\"create\",\"added\":2,\"removed\":0,\"bytes\":13,"
	  "\"hunks\":[]}",
	  false },
	{ &write_tool, "/p/f", "secret\n", NULL,
	  "\"kind\":\"remove\",\"added\":0,\"removed\":1,\"bytes\":0,"
	  "\"hunks\":[]}",
	  false },
	{ &write_tool, "/p/CLAUDE.md", NULL, "x\n", "\"create\"", true },
	{ &write_tool, "/p/CLAUDE.md", "y\n", "x\n", "\"update\"", true },
	{ &edit_tool, "/p/CLAUDE.md", "y\n", "x\n", "\"update\"", false },
	{ &write_tool, "/p/MYCLAUDE.md", NULL, "x\n", "\"create\"", false },
	{ &write_tool, "/p/CLAUDE.md.txt", NULL, "x\n", "\"create\"", false },
};

static bool holds(struct str text, const char *part)
{
	return memmem(text.ptr, text.len, part, strlen(part));
}

/* The lines written since the last call. */
static struct str take(struct arena *mem)
{
	auto_fd fd = open(path, O_RDWR | O_CLOEXEC);
	char *bytes = arena_alloc(mem, 4096);
	ssize_t got = fd_read(fd, bytes, 4096);

	assert_true(got >= 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	return str_make(bytes, (size_t)got);
}

static void make(struct event_log *w, size_t i, struct arena *mem)
{
	struct tool_options options = { .event_log = w };
	struct snapshot before = { .bytes = str_of(changes[i].before) };
	struct change change = { .path = STR("/as/given"),
				 .before = changes[i].before ? &before : NULL,
				 .after = str_of(changes[i].after),
				 .remove = !changes[i].after };
	struct changed changed = { .stored.key = str_of(changes[i].path) };
	struct call c = { .tool = changes[i].tool,
			  .options = &options,
			  .mem = mem };

	event_log_change(&c, &change, &changed);
}

/* C32 C36 C89 */
static void a_change_is_told_in_numbers(void **state)
{
	struct event_log w;

	assert_int_equal(event_log_open(&w, path), 0);
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		auto_arena mem = ARENA_INIT;
		struct str text;

		make(&w, i, &mem);
		text = take(&mem);
		assert_true(holds(text, "\"event\":\"track_patch\""));
		assert_true(holds(text, changes[i].patch));
		assert_true(holds(text, changes[i].path));
		assert_false(holds(text, "secret"));
		assert_int_equal(holds(text, "tengu_write_claudemd"),
				 changes[i].claudemd);
	}
	w.sink.begin(&w.sink, &(struct tool_event){ 0 });
	w.sink.begin(&w.sink, &(struct tool_event){ 0 });
	w.sink.end(&w.sink, &(struct tool_event){ 0 });
	w.sink.end(&w.sink,
		   &(struct tool_event){ .fault = &(struct fault){ 0 } });
	w.sink.close(&w.sink);
}

/* C89: the counters, when the log is closed. */
static void the_last_line_has_the_counters(void **state)
{
	auto_arena mem = ARENA_INIT;

	assert_true(holds(take(&mem),
			  "\"event\":\"counters\",\"calls\":2,\"failed\":1,"
			  "\"created\":4,\"updated\":3,\"removed\":1,"
			  "\"lines_added\":9,\"lines_removed\":4}\n"));
}

/* C89: off by default. */
static void nobody_looks_and_nothing_is_written(void **state)
{
	auto_arena mem = ARENA_INIT;

	make(NULL, 0, &mem);
	assert_int_equal(take(&mem).len, 0);
}

/* The estimate for large files is exact for a single edit. */
static void large_files_are_counted(void **state)
{
	static const struct {
		const char *before, *after;
		unsigned added, removed;
	} rows[] = {
		{ "x", "y", 1, 1 },
		{ "x\n", "x\ny\n", 1, 0 },
		{ "x\n", "y\nx\n", 1, 0 },
		{ "x\ny\nz\n", "x\nz\n", 0, 1 },
		{ "x\ny\n", "x\nY\n", 1, 1 },
		{ "xx\n", "xyx\n", 1, 1 },
		{ "x", "x\n", 2, 1 },
		{ "", "x", 1, 1 },
		{ "a\na\n", "a\na\na\n", 1, 0 },
	};
	auto_buf filler = BUF_INIT;

	for (int i = 0; i < 1024 * 1024 / 8; i++)
		buf_lit(&filler, "filling\n");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		auto_buf before = BUF_INIT, after = BUF_INIT;
		struct snapshot snap;
		struct tool_options options;
		struct changed changed = { 0 };
		struct event_log w;

		event_log_count_only(&w);
		options = (struct tool_options){ .event_log = &w };
		buf_add(&before, buf_str(&filler));
		buf_add(&after, buf_str(&filler));
		buf_add(&before, str_of(rows[i].before));
		buf_add(&after, str_of(rows[i].after));
		buf_add(&before, buf_str(&filler));
		buf_add(&after, buf_str(&filler));
		snap = (struct snapshot){ .bytes = buf_str(&before) };
		event_log_change(&(struct call){ .tool = &edit_tool,
						 .options = &options,
						 .mem = &mem },
				 &(struct change){ .before = &snap,
						   .after = buf_str(&after) },
				 &changed);
		assert_int_equal(w.lines_added, rows[i].added);
		assert_int_equal(w.lines_removed, rows[i].removed);
		assert_int_equal(w.updated, 1);
	}
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 || close(fd);
}

static int drop_file(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_told_in_numbers),
		cmocka_unit_test(the_last_line_has_the_counters),
		cmocka_unit_test(nobody_looks_and_nothing_is_written),
		cmocka_unit_test(large_files_are_counted),
	};

	return cmocka_run_group_tests(tests, make_file, drop_file);
}
