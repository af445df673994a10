/*
 * tell_events.c - make calls in the given directory and print the ACP updates
 * of each, one on a line, for events.test.mjs to validate.
 */
#include "acp/events.h"
#include "base/fd.h"
#include "files/ws_local.h"
#include "tools/call/dispatch.h"
#include "tools/reading/readstate.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct teller {
	struct event_sink sink;
	enum events_dialect dialect;
	struct caller caller;
};

static void tell(const struct tool_event *e, struct event_sink *sink,
		 void (*put)(const struct tool_event *, enum events_dialect,
			     struct str, struct buf *))
{
	auto_buf out = BUF_INIT;

	put(e, ((struct teller *)sink)->dialect, STR("s1"), &out);
	buf_lit(&out, "\n");
	(void)!fd_write(STDOUT_FILENO, buf_str(&out));
}

static void on_begin(struct event_sink *sink, const struct tool_event *e)
{
	tell(e, sink, events_begin);
}

static void on_end(struct event_sink *sink, const struct tool_event *e)
{
	tell(e, sink, events_end);
}

/* %s is the directory. */
static const struct {
	const char *tool, *arguments;
} calls[] = {
	{ "hello", "{}" },
	{ "write_text_file",
	  "{\"path\":\"%s/a.txt\",\"content\":\"one\\ntwo\\nthree\\n\"}" },
	{ "read_text_file", "{\"path\":\"%s/a.txt\",\"line\":2,\"limit\":1}" },
	{ "edit_text_file",
	  "{\"path\":\"%s/a.txt\",\"old_string\":\"two\",\"new_string\":\"2\"}" },
	{ "multi_edit_text_file",
	  "{\"path\":\"%s/a.txt\",\"edits\":[{\"old_string\":\"one\",\"new_string\":\"1\"},{\"old_string\":\"three\",\"new_string\":\"3\"}]}" },
	{ "Read", "{\"file_path\":\"%s/a.txt\",\"offset\":2}" },
	{ "Write", "{\"file_path\":\"%s/b.txt\",\"content\":\"b\\r\\n\"}" },
	{ "read_repo_file", "{\"path\":\"a.txt\"}" },
	{ "undo_file_change", "{\"path\":\"%s/a.txt\"}" },
	{ "write_memory_entry",
	  "{\"file\":\"best_practices.md\",\"entry\":\"x\"}" },
	{ "apply_patch",
	  "{\"input\":\"*** Begin Patch\\n*** Update File: %1$s/a.txt\\n@@\\n-2\\n+two\\n*** Add File: %1$s/c.txt\\n+c\\n*** Update File: %1$s/b.txt\\n*** Move to: %1$s/d.txt\\n*** End Patch\\n\"}" },
	{ "write_file",
	  "{\"path\":\"%s/e.txt\",\"content\":\"1\\n2\\n3\\n\"}" },
	{ "edit_file",
	  "{\"path\":\"%s/e.txt\",\"edits\":[{\"oldText\":\"2\",\"newText\":\"two\"}]}" },
	{ "append_file", "{\"path\":\"%s/e.txt\",\"content\":\"4\\n\"}" },
	{ "Read", "{\"file_path\":\"%s/e.txt\"}" },
	{ "replace_lines",
	  "{\"path\":\"%s/e.txt\",\"start_line\":3,\"end_line\":3,\"content\":\"three\\n\"}" },
	{ "Read", "{\"file_path\":\"%s/c.txt\"}" },
	{ "move_lines",
	  "{\"source\":\"%1$s/e.txt\",\"start_line\":4,\"end_line\":4,\"destination\":\"%1$s/c.txt\"}" },
	{ "create_directory", "{\"path\":\"%s/dir\"}" },
	{ "move_file",
	  "{\"source\":\"%1$s/e.txt\",\"destination\":\"%1$s/dir/m.txt\"}" },
	{ "delete_file", "{\"path\":\"%s/dir/m.txt\"}" },
	{ "write_file",
	  "{\"path\":\"%s/n.ipynb\",\"content\":\"{\\\"cells\\\":[{\\\"cell_type\\\":\\\"raw\\\",\\\"metadata\\\":{},\\\"source\\\":\\\"a\\\"}],\\\"metadata\\\":{},\\\"nbformat\\\":4,\\\"nbformat_minor\\\":0}\"}" },
	{ "NotebookEdit",
	  "{\"notebook_path\":\"%s/n.ipynb\",\"cell_id\":\"cell-0\",\"new_source\":\"b\"}" },
	{ "Grep",
	  "{\"pattern\":\"two\",\"path\":\"%s\",\"output_mode\":\"content\"}" },
	{ "list_directory", "{\"path\":\"%s\"}" },
	{ "apply_patch",
	  "{\"input\":\"*** Begin Patch\\n*** Update File: %s/a.txt\\n@@\\n-two\\n+2\\n*** End Patch\\n\"}" },
	/* calls that fail, each for another reason */
	{ "read_text_file", "{\"path\":\"%s/none\"}" },
	{ "read_text_file", "{\"path\":\"/etc/passwd\"}" },
	{ "read_text_file", "{\"path\":\"a.txt\",\"line\":-3}" },
	{ "read_text_file", "{\"path\":17}" },
	{ "edit_text_file",
	  "{\"path\":\"%s/a.txt\",\"old_string\":\"none\",\"new_string\":\"x\"}" },
	{ "multi_edit_text_file", "{\"path\":\"%s/a.txt\",\"edits\":[]}" },
};

static void call(struct workspace *ws, struct teller *t, const char *tool,
		 struct str arguments)
{
	static const struct tool_options options = { .max_file = 1 << 20,
						     .max_reply = 1 << 20 };
	static const struct json_limits limits = { 0 };
	static unsigned calls_made;
	auto_arena mem = ARENA_INIT;
	struct dispatch d = {
		.options = &options,
		.ws = ws,
		.mem = &mem,
		.events = &t->sink,
		.caller = &t->caller,
	};
	struct json_error error;
	struct json v;

	d.id = arena_printf(&mem, "call_%u", ++calls_made);
	if (json_parse(arguments, &limits, &mem, &v, &error))
		abort();
	if (!dispatch_begin(&d, str_of(tool), v) &&
	    dispatch_run(&d, 0) == ERR_ASK)
		dispatch_drop(&d); /* nobody answers */
}

/* Create a file of @n bytes; beyond a limit its diff is sent as lines. */
static void write_long(struct workspace *ws, struct teller *t, const char *dir,
		       size_t n)
{
	auto_buf arguments = BUF_INIT;

	buf_addf(&arguments, "{\"path\":\"%s/long\",\"content\":\"", dir);
	for (size_t i = 0; i < n; i++)
		buf_lit(&arguments, "x");
	buf_lit(&arguments, "\"}");
	call(ws, t, "write_text_file", buf_str(&arguments));
}

int main(int argc, char **argv)
{
	struct ws_local_options options = { .durability = DURABLE_PROCESS };
	struct teller t = { .sink = { on_begin, on_end } };
	struct workspace *ws;
	struct str root;

	if (argc < 2)
		return 2;
	t.dialect = argc > 2 ? EVENTS_CONTRACT : EVENTS_ACP;
	t.caller.reads = readstate_new(NULL);
	ws = ws_local_new(&options);
	root = str_of(argv[1]);
	ws_local_roots(ws, &root, 1, STR(""), NULL);
	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		auto_arena mem = ARENA_INIT;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
		call(ws, &t, calls[i].tool,
		     arena_printf(&mem, calls[i].arguments, argv[1]));
#pragma GCC diagnostic pop
	}
	write_long(ws, &t, argv[1], 20000);
	write_long(ws, &t, argv[1], 300000);
	ws_local_free(ws);
	readstate_free(t.caller.reads);
	return 0;
}
