/* stet tools - the contract of each tool, from its row. */

#include "app/command.h"
#include "app/pretty.h"
#include "app/screen.h"
#include "tools/args.h"
#include "tools/schema.h"
#include "tools/textfile.h"

struct tools_config {
	bool help, json, markdown;
};

static const struct option options[] = {
	{ "json", NULL, OPTION_FLAG, offsetof(struct tools_config, json),
	  "As tools/list has it" },
	{ "markdown", NULL, OPTION_FLAG,
	  offsetof(struct tools_config, markdown),
	  "All contracts as one document (docs/tools.md)" },
	OPTION_HELP,
	OPTIONS_END,
};

static void block(struct buf *out, struct str json)
{
	buf_lit(out, "```json\n");
	pretty_json(json, out);
	buf_lit(out, "\n```\n");
}

static void put_schema(struct buf *out, const struct tool *t,
		       void (*make)(struct json_out *, const struct tool *))
{
	auto_buf json = BUF_INIT;
	struct json_out o = json_out(&json);

	make(&o, t);
	block(out, buf_str(&json));
}

static void contract(const struct tool *t, struct buf *out)
{
	buf_addf(out, "## %s\n\n%s\n", t->name, t->doc);
	buf_addf(out, "\nFamily: `%s`.\n", t->family);
	buf_lit(out, "\n### Input Schema\n\n");
	put_schema(out, t, schema_input);
	buf_lit(out, "\n### Output Schema\n\n");
	put_schema(out, t, schema_output);
	buf_lit(out, "\n### Constraints\n\n");
	for (size_t i = 0; t->constraints[i]; i++)
		buf_addf(out, "- %s\n", t->constraints[i]);
	buf_lit(out, "\n### Examples\n");
	for (size_t i = 0; t->examples[i].about; i++) {
		buf_addf(out, "\n%s:\n\n", t->examples[i].about);
		block(out, str_of(t->examples[i].arguments));
		buf_lit(out, "\ngives\n\n");
		block(out, str_of(t->examples[i].result));
	}
}

static void errors(struct buf *out)
{
	static const struct {
		const char *name, *message;
		int code, exit;
	} rows[] = {
#define ERROR(name, kind, end, code, exit, message) \
	{ #name, message, code, exit },
#include "base/errors.def"
#undef ERROR
	};

	buf_lit(out, "## Errors\n\n"
		     "| code | message | exit status of `stet call` |\n"
		     "|---|---|---|\n");
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (strcmp(rows[i].name, "LATER") != 0 &&
		    strcmp(rows[i].name, "ASK") != 0)
			buf_addf(out, "| %d | `%s` | %d |\n", rows[i].code,
				 rows[i].message, rows[i].exit);
}

/* What results tell beside the contracts: said once, not in every schema. */
static void meta(struct buf *out)
{
	buf_lit(out,
		"## What `_meta` holds\n\n"
		"Of the file, in the results of tools that change files; what there is\n"
		"nothing to tell of is left out.\n\n"
		"| member | what it is |\n|---|---|\n");
	for (const struct field *f = file_meta_fields; f->name; f++)
		buf_addf(out, "| `%s` | %s |\n", f->name, f->doc);
	buf_lit(out, "\n");
}

static void document(struct buf *out)
{
	buf_lit(out,
		"# Tools\n\n"
		"Made by `stet tools --markdown` from the tools' own rows.\n\n");
	for (size_t i = 0; i < all_tools_count; i++) {
		contract(all_tools[i], out);
		buf_lit(out, "\n");
	}
	meta(out);
	errors(out);
}

/* The first sentence, or what of it fits. */
static struct str in_one_line(const char *doc, size_t room, struct arena *mem)
{
	const char *dot = strstr(doc, ". ");
	struct str text = str_of(doc);
	size_t cut;

	text = str_head(text, str_find(text, '\n'));
	if (dot && (size_t)(dot - doc) < text.len)
		text = str_head(text, (size_t)(dot - doc));
	if (str_ends(text, STR(".")))
		text.len--;
	if (text.len <= room)
		return text;
	text = str_head(text, room - 3);
	cut = str_rfind(text, ' ');
	return arena_printf(mem, STR_FMT "...", STR_ARG(str_head(text, cut)));
}

static void list(struct buf *out, struct arena *mem)
{
	const size_t width = screen_width();
	size_t column = 0;

	for (size_t i = 0; i < all_tools_count; i++)
		column = size_max(column, strlen(all_tools[i]->name) + 2);
	for (size_t i = 0; i < all_tools_count; i++)
		buf_addf(out, "%-*s" STR_FMT "\n", (int)column,
			 all_tools[i]->name,
			 STR_ARG(in_one_line(all_tools[i]->doc, width - column,
					     mem)));
	buf_lit(out, "\n");
	options_wrap(out,
		     STR("'stet tools NAME' shows the contract of one, 'stet "
			 "call NAME --help' how to call it."),
		     0, width);
}

static bool is_named(const struct tool *t, const struct command_line *line)
{
	for (int i = line->at; i < line->argc; i++)
		if (!strcmp(line->argv[i], t->name))
			return true;
	return line->at == line->argc;
}

static void list_json(const struct command_line *line, struct buf *out)
{
	static const struct tool_options both = { 0 };
	struct json_out o = json_out(out);

	json_open(&o, '[');
	for (size_t i = 0; i < all_tools_count; i++)
		if (is_named(all_tools[i], line))
			schema_tool(&o, all_tools[i], &both);
	json_close(&o, ']');
	buf_lit(out, "\n");
}

static int unknown(const struct command *command, struct str name,
		   struct arena *mem)
{
	const char *names[64], *near;
	size_t n = 0;
	struct fault f;

	for (; n < all_tools_count && n < COUNT_OF(names); n++)
		names[n] = all_tools[n]->name;
	near = args_nearest(name, names, n);
	(void)fail(&f, ERR_BAD_ARGS,
		   .text = near ? arena_printf(mem,
					       "no tool is called '" STR_FMT
					       "' (did you mean %s?)",
					       STR_ARG(name), near)
				: arena_printf(mem,
					       "no tool is called '" STR_FMT
					       "'",
					       STR_ARG(name)));
	return command_misused(command, &f);
}

static int tools(const struct command *command, struct command_line *line)
{
	struct tools_config config = { 0 };
	auto_screen s = screen_begin(SCREEN_TEXT);
	auto_arena mem = ARENA_INIT;
	auto_buf out = BUF_INIT;
	int status;

	if (!command_options(command, line, &config, &mem, &status))
		return status;
	for (int i = line->at; i < line->argc; i++)
		if (!tool_named(str_of(line->argv[i])))
			return unknown(command, str_of(line->argv[i]), &mem);
	if (config.json)
		list_json(line, &out);
	else if (config.markdown)
		document(&out);
	else if (line->at == line->argc)
		list(&out, &mem);
	else
		for (int i = line->at; i < line->argc; i++)
			contract(tool_named(str_of(line->argv[i])), &out);
	if (config.json)
		return screen_json(buf_str(&out));
	screen_text(&s, INK_PLAIN, buf_str(&out));
	return screen_end(&s);
}

const struct command command_tools = {
	.name = "tools",
	.usage = "[OPTION...] [NAME...]",
	.summary = "List the tools, or show the contract of one",
	.about =
		"Without a NAME, list the tools; with one, show its contract: what it takes,\n"
		"what it gives, what it promises, and examples.",
	.options = options,
	.run = tools,
};
