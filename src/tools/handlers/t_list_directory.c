/*
 * t_list_directory.c - the tool list_directory: the names in a directory, with
 * their kinds.
 */
#include "tools/handlers/listing.h"

struct list_args {
	struct str path;
};

static enum tree_next list_entry(void *ctx, const struct find_file *file)
{
	struct listing_text *t = ctx;
	bool directory = file->kind == TREE_DIRECTORY;
	auto_arena mem = ARENA_INIT;

	if (listing_hides(file))
		return TREE_GO;
	listing_add(t, arena_printf(&mem, "[%s] " STR_FMT,
				    directory ? "DIR" : "FILE",
				    STR_ARG(find_escape(file->name, &mem))));
	return directory ? TREE_SKIP : TREE_GO;
}

static enum err list_run(struct call *c)
{
	const struct list_args *a = c->args;
	const struct find_want want = listing_want(a->path);
	auto_listing_text text = listing_text_make(c);
	const struct find_sink sink = { .file = list_entry, .ctx = &text };
	auto_find find = { 0 };
	enum err e = find_begin(&find, c, &want);

	if (!e)
		e = find_run(&find, &sink);
	if (e)
		return e;
	listing_finish(&text, &find, STR(""));
	return ERR_OK;
}

static const struct field fields[] = {
	LISTING_PATH_FIELD(list_args, "Directory to list"),
	FIELDS_END,
};

static const char *const constraints[] = {
	"One name per line, sorted by bytes: [DIR] name or [FILE] name; a symlink is shown as [FILE]",
	"Ignore files such as .gitignore are not applied; files that a rule hides are not listed",
	"Control characters and bytes that are not UTF-8 are shown as \\xNN",
	"For an empty directory the text is empty",
	NULL,
};

static const struct tool_example examples[] = {
	{ "A directory", "{\"path\":\"src\"}",
	  "{\"content\":\"[DIR] base\\n[FILE] main.c\"}" },
	{ NULL },
};

const struct tool tool_list_directory = {
	.name = "list_directory",
	.title = "List Directory",
	.doc = "List the files and directories in a directory, marked [FILE] and [DIR].",
	.families = { "find", "filesystem" },
	.kind = "read",
	.fields = fields,
	.out = listing_out_fields,
	.args_size = sizeof(struct list_args),
	.out_size = sizeof(struct listing_out),
	.effects = TOOL_READS,
	.run = list_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
