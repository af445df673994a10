/*
 * cmd_call.c - the command `stet call`: one tool call, its result as JSON.
 *
 * Turns the words of the command line into the tool's JSON arguments, by the
 * same field table that clients are served from, and enters at the dispatcher
 * (tools/call/dispatch.h) as a client of its own.
 */
#include "app/call_reads.h"
#include "app/config.h"
#include "app/person.h"
#include "app/screen.h"
#include "base/fd.h"
#include "rpc/ask_queue.h"
#include "store/store.h"
#include "text/encoding/utf8.h"
#include "tools/call/args.h"
#include "tools/call/dispatch.h"
#include "tools/call/result.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The client name in history, approvals and on the page. */
#define CLIENT "stet call"

struct call_config {
	struct config common;
	struct option_list roots;
	const char *json, *tool_use, *session;
};

static const struct option options[] = {
	{ "root", "DIR", OPTION_LIST, offsetof(struct call_config, roots),
	  "Serve DIR; repeatable (default: the current directory)" },
	{ "json", "OBJECT", OPTION_TEXT, offsetof(struct call_config, json),
	  "All arguments as one JSON object; - reads it from stdin" },
	{ "session", "NAME", OPTION_TEXT, offsetof(struct call_config, session),
	  "Run calls with the same NAME as one session: a file that one call has read can be changed by the next, as Edit requires; 'stet undo --session NAME' undoes them" },
	{ "tool-use-id", "ID", OPTION_TEXT,
	  offsetof(struct call_config, tool_use),
	  "Print the result as a tool_result block with this tool use ID" },
	CONFIG_OPTIONS,
	BESIDE_OPTIONS,
	OPTION_HELP,
	OPTIONS_END,
};

enum { MOST_FIELDS = 32 };

/* The tool's arguments, read as text options. */
struct tool_words {
	const char *text[MOST_FIELDS];
	const char *if_version;
};

/* The command line of one call. */
struct call_line {
	struct call_config config;
	struct tool_words words;
};

static const char *const value_names[] = {
	[FIELD_STR] = "TEXT",  [FIELD_PATH] = "PATH",
	[FIELD_INT] = "N",     [FIELD_BOOL] = "true|false",
	[FIELD_LIST] = "JSON", [FIELD_TEXTS] = "JSON",
	[FIELD_INTS] = "JSON", [FIELD_OBJECT] = "JSON",
};

static struct option field_option(const struct field *field, size_t i,
				  struct arena *mem)
{
	const char *doc = field->doc ? field->doc : "";

	return (struct option){
		field->name,
		value_names[field->type],
		OPTION_TEXT,
		offsetof(struct call_line, words.text) + i * sizeof(char *),
		field->required ? arena_printf(mem, "%s (required)", doc).ptr
				: doc,
		NULL
	};
}

/* Options: the tool's arguments, if_version, then those of every call. */
static const struct option *tool_options(const struct tool *t,
					 const struct option *own,
					 struct arena *mem, size_t *ret_args)
{
	struct option *table;
	size_t n = 0, i;

	while (own[n].name)
		n++;
	table = arena_array(mem, struct option, n + MOST_FIELDS + 2);
	for (i = 0; t->fields[i].name && i < MOST_FIELDS; i++)
		table[i] = field_option(&t->fields[i], i, mem);
	table[i++] = (struct option){
		"if-version",
		"VERSION",
		OPTION_TEXT,
		offsetof(struct call_line, words.if_version),
		"Fail unless the file has this version (_meta.version of a read)",
		NULL
	};
	*ret_args = i;
	memcpy(table + i, own, (n + 1) * sizeof(*own));
	return table;
}

/* "Edit --file_path PATH --old_string TEXT [OPTION...]" */
static const char *tool_usage(const struct tool *t, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	buf_add(&out, str_of(t->name));
	for (const struct field *f = t->fields; f->name; f++)
		if (f->required)
			buf_addf(&out, " %s%s %s", option_dashes(f->name),
				 f->name, value_names[f->type]);
	buf_lit(&out, " [OPTION...]");
	return arena_cstr(mem, buf_str(&out));
}

static bool is_number(struct str s)
{
	size_t i = s.len && s.ptr[0] == '-';

	for (size_t at = i; at < s.len; at++)
		if (s.ptr[at] < '0' || s.ptr[at] > '9')
			return false;
	return s.len > i && (s.len == i + 1 || s.ptr[i] != '0');
}

/* @path, made absolute from the current directory. */
static struct str absolute_path(struct str path, struct arena *mem)
{
	char here[PATH_MAX];

	if (!path.len || path.ptr[0] == '/' || !getcwd(here, sizeof(here)))
		return path;
	while (str_starts(path, STR("./")))
		path = str_skip(path, 2);
	return arena_printf(mem, "%s/" STR_FMT, strcmp(here, "/") ? here : "",
			    STR_ARG(path));
}

/* Writes a word of the command line as JSON of the field's type. */
static void put_word(struct json_out *o, const struct field *field,
		     struct str word, struct arena *mem)
{
	switch (field->type) {
	case FIELD_STR:
		json_put_str(o, word);
		return;
	case FIELD_PATH:
		json_put_str(o, absolute_path(word, mem));
		return;
	case FIELD_INT:
		if (is_number(word))
			json_put_raw(o, word);
		else
			json_put_str(
				o,
				word); /* the tool's own check reports the wrong type */
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
			  struct buf *out, struct arena *mem)
{
	struct json_out o = json_out(out);

	json_open(&o, '{');
	for (size_t i = 0; t->fields[i].name; i++) {
		if (!words->text[i])
			continue;
		json_key(&o, t->fields[i].name);
		put_word(&o, &t->fields[i], str_of(words->text[i]), mem);
	}
	if (words->if_version) {
		json_key(&o, "if_version");
		json_put_str(&o, str_of(words->if_version));
	}
	json_close(&o, '}');
}

/* Checks what JSON cannot express: returns a message, or NULL. */
static const char *wrong_with(const struct tool *t,
			      const struct tool_words *words, const char *json,
			      struct arena *mem)
{
	if (json && words->if_version)
		return "--if-version cannot be combined with --json: set if_version in the JSON";
	for (size_t i = 0; t->fields[i].name; i++) {
		if (!words->text[i])
			continue;
		if (json)
			return "--json cannot be combined with single arguments";
		if (!utf8_valid(str_of(words->text[i])))
			return arena_printf(mem, "%s%s is not UTF-8",
					    option_dashes(t->fields[i].name),
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

/* The arguments as JSON, from --json or from the single options. */
static enum err gather_arguments(const struct tool *t,
				 const struct tool_words *words,
				 const char *json, struct buf *out,
				 struct arena *mem, struct fault *f)
{
	const char *wrong = wrong_with(t, words, json, mem);

	if (wrong)
		return fail(f, ERR_BAD_ARGS, .text = str_of(wrong));
	if (json && !strcmp(json, "-"))
		read_stdin(out);
	else if (json)
		buf_add(out, str_of(json));
	else
		words_to_json(t, words, out, mem);
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

/* Stores the versions of the files among the arguments, by resolved path. */
static enum err save_reads(const struct call_reads *r, const struct tool *t,
			   struct json arguments, struct fault *f)
{
	enum err e = ERR_OK;
	char real[PATH_MAX];
	struct str path;

	for (const struct field *at = t->fields; at->name && !e; at++)
		if ((at->type == FIELD_PATH || !strcmp(at->name, "path")) &&
		    json_text(args_value(at, arguments), r->mem, &path) &&
		    realpath(arena_cstr(r->mem, path), real))
			e = call_reads_save(r, arena_copy(r->mem, str_of(real)),
					    f);
	return e;
}

/* A person at a terminal also reads where to answer. */
static enum err refuse_unapproved(struct dispatch *d)
{
	enum err e = ask_queue_refuse_command(d);

	if (e == ERR_APPROVAL && d->call.options->store &&
	    person_has_terminal())
		screen_warn("stet call: answer the question with 'stet "
			    "approvals', then run the same command again\n");
	return e;
}

static int run_tool(struct dispatch *d, const struct tool *tool,
		    struct json arguments, const struct call_config *config,
		    const struct call_reads *reads)
{
	auto_buf out = BUF_INIT;
	struct fault f;
	enum err e = dispatch_begin(d, str_of(tool->name), arguments);

	if (!e)
		e = dispatch_run(d, 0);
	if (e == ERR_ASK)
		e = refuse_unapproved(d);
	if (d->fault.roots_count)
		d->fault.hint = STR(
			"The file is outside the roots; serve another directory with --root DIR");
	if (reads && save_reads(reads, tool, arguments, &f))
		screen_warn(
			"stet call: the session could not be saved: " STR_FMT
			"\n",
			STR_ARG(fault_text(&f, d->mem)));
	put_outcome(d, e, config->tool_use, &out);
	return screen_json(buf_str(&out)) ? 1 : err_exit(e);
}

/* Runs the call with the read versions of a named session. */
static int run_in_session(struct dispatch *d, const struct command *command,
			  const struct tool *tool, struct json arguments,
			  const struct call_config *config)
{
	const char *dir = config->common.state_dir;
	struct caller caller = {
		.client = STR(CLIENT),
		.session = arena_printf(d->mem, "call-%s", config->session),
		.reads = readstate_new(&(struct readstate_limits){ 0 }),
	};
	const struct call_reads reads = {
		.dir = dir ? str_of(dir) : store_default_dir(d->mem),
		.session = str_of(config->session),
		.reads = caller.reads,
		.mem = d->mem,
	};
	struct fault f;
	int status;

	d->caller = &caller;
	if (call_reads_load(&reads, &f))
		status = command_misused(command, &f);
	else
		status = run_tool(d, tool, arguments, config, &reads);
	readstate_free(caller.reads);
	d->caller = NULL;
	return status;
}

static int perform(const struct command *command, struct server *server,
		   const struct tool *tool, struct str arguments,
		   const struct call_config *config)
{
	auto_arena mem = ARENA_INIT;
	struct dispatch d = { .options = &server->tools,
			      .ws = server->ws,
			      .mem = &mem,
			      .events = server->events };
	struct json_limits limits = { 0 };
	struct json_error error;
	struct json json;
	const struct caller caller = { .client = STR(CLIENT) };

	d.caller = &caller;
	if (json_parse(arguments, &limits, &mem, &json, &error)) {
		struct fault f = { .err = ERR_BAD_ARGS };

		f.text = arena_printf(
			&mem, "the arguments are not JSON: %s at byte %zu",
			error.why, error.offset);
		return command_misused(command, &f);
	}
	if (config->session)
		return run_in_session(&d, command, tool, json, config);
	return run_tool(&d, tool, json, config, NULL);
}

/* Checked before the options, because these depend on the tool. */
static int unknown_tool(struct str name)
{
	static const struct tool_options none = { 0 };
	auto_arena mem = ARENA_INIT;
	struct dispatch d = { .options = &none, .mem = &mem };
	auto_buf out = BUF_INIT;
	enum err e = dispatch_begin(&d, name, (struct json){ 0 });

	put_outcome(&d, e, NULL, &out);
	return screen_json(buf_str(&out)) ? 1 : err_exit(e);
}

static enum err check_line(const struct call_line *all,
			   const struct command_line *line, struct arena *mem,
			   struct fault *f)
{
	if (line->at < line->argc)
		return fail(
			f, ERR_BAD_ARGS,
			.text = arena_printf(
				mem,
				"unexpected argument '%s': the arguments of a tool are given as --name VALUE",
				line->argv[line->at]));
	if (all->config.session &&
	    !call_reads_name_ok(str_of(all->config.session)))
		return fail(
			f, ERR_BAD_ARGS,
			.text = STR(
				"--session takes a name of letters, digits, '.', '_' and '-'"));
	return ERR_OK;
}

static int serve_call(const struct command *command, struct call_line *all,
		      const struct tool *tool, struct str json,
		      struct arena *mem)
{
	const struct option_list *roots = &all->config.roots;
	struct server *server;
	struct fault f;
	int status;

	server = config_server(&all->config.common, &f, mem);
	if (!server)
		return command_misused(command, &f);
	if (!roots->count)
		config_roots_here(server, NAME_A_ROOT);
	if ((roots->count && config_roots(server, (char *const *)roots->items,
					  (int)roots->count, mem, &f)) ||
	    config_projects(server, &f))
		status = command_misused(command, &f);
	else
		status = perform(command, server, tool, json, &all->config);
	config_free(server);
	return status;
}

static int call(const struct command *command, struct command_line *line)
{
	struct call_line all = { .config.common = config_default };
	auto_arena mem = ARENA_INIT;
	auto_buf json = BUF_INIT;
	struct command full = *command;
	const struct tool *tool = NULL;
	struct fault f;
	int status;

	if (line->at < line->argc && line->argv[line->at][0] != '-') {
		struct str name = str_of(line->argv[line->at++]);

		tool = tool_named(name);
		if (!tool)
			return unknown_tool(name);
		full.usage = tool_usage(tool, &mem);
		full.about =
			arena_printf(
				&mem,
				"%s\n\nA relative path is taken from the current directory.",
				tool->doc)
				.ptr;
		full.examples = NULL;
		full.lists_exits = false;
		full.options =
			tool_options(tool, options, &mem, &full.argument_count);
	}
	if (!command_options(&full, line, &all, &mem, &status))
		return status;
	if (!tool)
		return person_misused(
			command,
			"the first word must be a tool (see 'stet tools')");
	if (check_line(&all, line, &mem, &f) ||
	    gather_arguments(tool, &all.words, all.config.json, &json, &mem,
			     &f))
		return command_misused(command, &f);
	return serve_call(command, &all, tool, buf_str(&json), &mem);
}

const struct command command_call = {
	.name = "call",
	.usage = "TOOL [--ARGUMENT VALUE...] [OPTION...]",
	.summary = "Call one tool and print its result as JSON",
	.about =
		"Call TOOL as an MCP client would, with its arguments as options: 'stet call TOOL\n"
		"--help' lists those. A relative path is taken from the current directory. Lists\n"
		"are given as JSON.",
	.lists_exits = true,
	.examples = "  $ stet call read_text_file --path notes.txt\n"
		    "  $ stet call Read --session me --file_path notes.txt\n"
		    "  $ stet call Edit --session me --file_path notes.txt \\\n"
		    "    --old_string teh --new_string the\n",
	.options = options,
	.run = call,
};
