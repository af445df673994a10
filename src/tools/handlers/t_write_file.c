/*
 * t_write_file.c - the tool write_file: write_text_file as the reference server
 * offers it.
 */
#include "tools/find/find.h"
#include "tools/handlers/rewriting.h"

struct write_file_out {
	struct str content;
	struct file_meta meta;
};

static enum err write_file_run(struct call *c)
{
	const struct rewrite_args *a = c->args;
	struct write_file_out *out = c->out;
	struct changed changed;
	struct rewrite t;
	struct str path;
	enum err e;

	e = find_absolute(c, a->path, &path);
	if (!e)
		e = rewrite_load_unignored(c, path, &t);
	if (!e)
		e = rewrite_text(c, path, &t, a->content, &changed);
	if (e)
		return e;
	rewrite_meta_fill(c, &t, &changed, &out->meta);
	out->content = arena_printf(c->mem, "Successfully wrote to " STR_FMT,
				    STR_ARG(a->path));
	c->say = out->content;
	c->line = 1;
	return ERR_OK;
}

static const char *const path_names[] = { "file_path", NULL };

static const struct field fields[] = {
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct rewrite_args, path), .doc = "File to write",
	  .aliases = path_names },
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct rewrite_args, content),
	  .doc = "The whole new content" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct write_file_out, content),
	  .doc = "What was done" },
	FILE_META(write_file_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only beneath the roots; never creates directories",
	"Atomic: at every instant the file is the old one or the new one",
	"Keeps mode, owner, ACL, extended attributes, symbolic and hard links, encoding and byte order mark",
	"A character that the encoding of the file cannot represent is refused",
	"If every line of the existing file ends in CRLF, LF content is written with CRLF",
	"A file without write permission is refused, also in a writable directory",
	"A file that has changed since the caller read it is not overwritten",
	"if_version: refused if the file has another version",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Create a file", "{\"path\":\"new.txt\",\"content\":\"Hello\\n\"}",
	  "{\"content\":\"Successfully wrote to new.txt\"}" },
	{ NULL },
};

const struct tool tool_write_file = {
	.name = "write_file",
	.title = "Write File",
	.doc = "Create a file, or replace the whole content of an existing one.",
	.families = { "filesystem" },
	.kind = "edit",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct rewrite_args),
	.out_size = sizeof(struct write_file_out),
	.effects = TOOL_WRITES,
	.light = true,
	.run = write_file_run,
	.text_result = true,
	.error_codes = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
