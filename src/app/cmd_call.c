/* stet call - one tool call from the command line, JSON out. */

#include "app/config.h"
#include "app/screen.h"
#include "base/fd.h"
#include "rpc/ask_queue.h"
#include "text/utf8.h"
#include "tools/dispatch.h"
#include "tools/result.h"

#include <stdio.h>
#include <unistd.h>

struct call_config {
	struct config common;
	struct option_list roots;
	const char *json, *tool_use;
};

static const struct option options[] = {
	{ "root", "DIR", OPTION_LIST, offsetof(struct call_config, roots),
	  "Serve DIR; may be given again (default: the current directory)" },
	{ "json", "OBJECT", OPTION_TEXT, offsetof(struct call_config, json),
	  "All arguments as one JSON object; - reads it from stdin" },
	{ "tool-use-id", "ID", OPTION_TEXT,
	  offsetof(struct call_config, tool_use),
	  "Print a tool_result block for this tool use, as a model gets it" },
	CONFIG_OPTIONS,
	BESIDE_OPTIONS,
	OPTION_HELP,
	OPTIONS_END,
};

enum { MOST_FIELDS = 32 };

/* The tool's own arguments as options, all of them texts. */
struct tool_words {
	const char *text[MOST_FIELDS];
};

static const struct option *tool_options(const struct tool *t,
					 const struct option *own,
					 struct arena *mem)
{
	struct option *table;
	size_t n = 0, i;

	while (own[n].name)
		n++;
	table = arena_array(mem, struct option, n + MOST_FIELDS + 1);
	for (i = 0; t->fields[i].name && i < MOST_FIELDS; i++)
		table[i] = (struct option){ t->fields[i].name,
					    "VALUE",
					    OPTION_TEXT,
					    sizeof(struct call_config) +
						    offsetof(struct tool_words,
							     text) +
						    i * sizeof(char *),
					    t->fields[i].doc,
					    NULL };
	memcpy(table + i, own, n * sizeof(*own));
	return table;
}

static bool is_number(struct str s)
{
	size_t i = s.len && s.ptr[0] == '-';

	for (size_t at = i; at < s.len; at++)
		if (s.ptr[at] < '0' || s.ptr[at] > '9')
			return false;
	return s.len > i && (s.len == i + 1 || s.ptr[i] != '0');
}

/* A word of the command line as the JSON that the field wants. */
static void put_word(struct json_out *o, const struct field *field,
		     struct str word)
{
	switch (field->type) {
	case FIELD_STR:
	case FIELD_PATH:
		json_put_str(o, word);
		return;
	case FIELD_INT:
		if (is_number(word))
			json_put_raw(o, word);
		else
			json_put_str(o, word); /* and be told it is wrong */
		return;
	case FIELD_BOOL:
	case FIELD_LIST:
	case FIELD_TEXTS:
	case FIELD_INTS:
	case FIELD_OBJECT:
		json_put_raw(o, word);
		return;
	}
}

static void words_to_json(const struct tool *t, const struct tool_words *words,
			  struct buf *out)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	for (size_t i = 0; t->fields[i].name; i++) {
		if (!words->text[i])
			continue;
		json_key(&o, t->fields[i].name);
		put_word(&o, &t->fields[i], str_of(words->text[i]));
	}
	json_close(&o, '}');
}

/* What the words cannot be, before they become JSON. */
static const char *wrong_with(const struct tool *t,
			      const struct tool_words *words, const char *json,
			      struct arena *mem)
{
	for (size_t i = 0; t && t->fields[i].name; i++) {
		if (!words->text[i])
			continue;
		if (json)
			return "either --json or the arguments one by one";
		if (!utf8_valid(str_of(words->text[i])))
			return arena_printf(mem, "--%s is not UTF-8",
					    t->fields[i].name)
				.ptr;
	}
	return NULL;
}

static void read_stdin(struct buf *out)
{
	ssize_t got = 1;
	char *to;

	while (got > 0) {
		to = buf_room(out, 64 * 1024);
		got = fd_read(STDIN_FILENO, to, 64 * 1024);
		if (got > 0)
			out->len += (size_t)got;
	}
}

/* The arguments as JSON, whichever way they are given. */
static enum err gather(const struct tool *t, const struct tool_words *words,
		       const char *json, struct buf *out, struct arena *mem,
		       struct fault *f)
{
	const char *wrong = wrong_with(t, words, json, mem);

	if (wrong)
		return fail(f, ERR_BAD_ARGS, .text = str_of(wrong));
	if (json && !strcmp(json, "-"))
		read_stdin(out);
	else if (json)
		buf_add(out, str_of(json));
	else if (t)
		words_to_json(t, words, out);
	else
		buf_lit(out, "{}");
	return ERR_OK;
}

static void put_outcome(const struct dispatch *d, enum err e,
			const char *tool_use, struct buf *out)
{
	struct json_out o = json_out(out);

	if (tool_use)
		result_put_block(&o, &d->call, &d->fault, str_of(tool_use));
	else if (!e)
		result_payload(&d->call, out);
	else
		result_put_failure(&o, &d->fault);
	buf_lit(out, "\n");
}

static int perform(const struct command *command, struct server *server,
		   struct str tool, struct str arguments, const char *tool_use)
{
	auto_arena mem = ARENA_INIT;
	struct dispatch d = { .options = &server->tools,
			      .ws = server->ws,
			      .mem = &mem,
			      .events = server->events };
	struct json_limits limits = { 0 };
	struct json_error error;
	auto_buf out = BUF_INIT;
	struct json json;
	enum err e;

	if (json_parse(arguments, &limits, &mem, &json, &error)) {
		struct fault f = { .err = ERR_BAD_ARGS };

		f.text = arena_printf(
			&mem, "the arguments are not JSON: %s at byte %zu",
			error.why, error.offset);
		return command_misused(command, &f);
	}
	e = dispatch_begin(&d, tool, json);
	if (!e)
		e = dispatch_run(&d, 0);
	if (e == ERR_ASK)
		e = ask_queue_refuse(&d);
	if (d.fault.roots_count)
		d.fault.hint = STR(
			"It lies outside the roots; serve another directory with --root DIR");
	put_outcome(&d, e, tool_use, &out);
	return screen_json(buf_str(&out)) ? 1 : err_exit(e);
}

static int call(const struct command *command, struct command_line *line)
{
	struct {
		struct call_config config;
		struct tool_words words;
	} all = { .config.common = config_default };
	auto_arena mem = ARENA_INIT;
	auto_buf json = BUF_INIT;
	struct command full = *command;
	const struct tool *tool;
	struct server *server;
	struct str name = { 0 };
	struct fault f;
	int status;

	if (line->at < line->argc && line->argv[line->at][0] != '-')
		name = str_of(line->argv[line->at++]);
	tool = tool_named(name);
	if (tool)
		full.options = tool_options(tool, options, &mem);
	if (!command_options(&full, line, &all, &mem, &status))
		return status;
	if (!name.len || line->at < line->argc) {
		(void)fail(
			&f, ERR_BAD_ARGS,
			.text = name.len
					? STR("one tool at a time, and its arguments as --name VALUE")
					: STR("which tool? It comes first (see 'stet tools')"));
		return command_misused(command, &f);
	}
	if (gather(tool, &all.words, all.config.json, &json, &mem, &f))
		return command_misused(command, &f);
	server = config_server(&all.config.common, &f, &mem);
	if (!server)
		return command_misused(command, &f);
	if (all.config.roots.count)
		config_roots(server, (char *const *)all.config.roots.items,
			     (int)all.config.roots.count);
	else
		config_roots_here(server);
	if (config_projects(server, &f))
		status = command_misused(command, &f);
	else
		status = perform(command, server, name, buf_str(&json),
				 all.config.tool_use);
	config_free(server);
	return status;
}

const struct command command_call = {
	.name = "call",
	.usage = "TOOL [--ARGUMENT VALUE...] [OPTION...]",
	.summary = "Call one tool; the result comes out as JSON",
	.about =
		"Call TOOL as an MCP client would, with its arguments as options. Lists are\n"
		"given as JSON. The exit status tells errors apart: 0 fine, 2 bad arguments,\n"
		"3 not found, 4 permission, 5 not a file, 6 binary, 7 disk full, 8 too large,\n"
		"9 no match or several, 10 changed since, 70 and above: other failures.",
	.options = options,
	.run = call,
};
