/*
 * t_edit_text_file.c - the tool edit_text_file: replaces one string that
 * occurs exactly once.
 */
#include "tools/handlers/editing.h"

struct edit_text_args {
	struct str path, old_string, new_string;
};

struct edit_text_range {
	int64_t start, end;
};

struct edit_text_out {
	bool success;
	struct str diff;
	struct edit_text_range range;
	struct file_meta meta;
};

static enum err edit_run(struct call *c)
{
	const struct edit_text_args *a = c->args;
	struct edit edit = { a->old_string, a->new_string };
	struct edit_text_out *out = c->out;
	struct edited edited;
	enum err e;

	if (!edit.old.len)
		return fail(c->fault, ERR_EMPTY_OLD, .path = a->path);
	if (str_eq(edit.old, edit.with))
		return fail(c->fault, ERR_SAME_STRINGS, .path = a->path);
	e = edit_file(c, a->path, &edit, 1, &edited);
	if (e)
		return edit_without_index(c->fault, e);
	out->success = true;
	out->diff = edited.diff;
	out->range.start = (int64_t)edited.ranges[0].start;
	out->range.end = (int64_t)edited.ranges[0].end;
	out->meta = edited.meta;
	return ERR_OK;
}

static const struct field fields[] = {
	{ "path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct edit_text_args, path),
	  .doc = "Absolute path to the file" },
	{ "old_string", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit_text_args, old_string),
	  .doc = "Exact string to find and replace" },
	{ "new_string", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit_text_args, new_string),
	  .doc = "Replacement string" },
	FIELDS_END,
};

static const struct field range_fields[] = {
	{ "start", FIELD_INT, .required = true,
	  .offset = offsetof(struct edit_text_range, start),
	  .doc = "Starting line (1-indexed)" },
	{ "end", FIELD_INT, .required = true,
	  .offset = offsetof(struct edit_text_range, end),
	  .doc = "Ending line (1-indexed)" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "success", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct edit_text_out, success),
	  .doc = "Always true on success" },
	{ "diff", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit_text_out, diff),
	  .doc = "Unified diff of the change" },
	{ "line_range", FIELD_OBJECT, .required = true,
	  .offset = offsetof(struct edit_text_out, range),
	  .doc = "Where the string was", .fields = range_fields },
	FILE_META(edit_text_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"old_string must occur exactly once: byte for byte or, failing that, with LF and CRLF as equal",
	"If a string does not occur, or several times, the error has data.candidates: possible places, and how they differ",
	"Inserted text takes the line endings of its surroundings; CRLF in an exact match is kept",
	"Bytes outside the replaced string do not change",
	"A character that the encoding of the file cannot represent is refused",
	"Atomic: at every instant the file is the old one or the new one",
	"A file that changes while it is edited is not overwritten",
	"if_version: refused if the file has another version",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Change one value",
	  "{\"path\":\"/project/config.toml\",\"old_string\":\"port = 8080\",\"new_string\":\"port = 3000\"}",
	  "{\"success\":true,\"diff\":\"--- config.toml\\n+++ config.toml\\n@@ -1,3 +1,3 @@\\n [server]\\n host = \\\"localhost\\\"\\n-port = 8080\\n+port = 3000\\n\",\"line_range\":{\"start\":3,\"end\":3}}" },
	{ NULL },
};

const struct tool tool_edit_text_file = {
	.name = "edit_text_file",
	.title = "Edit text file",
	.doc = "Apply a single string replacement edit to a file with diff preview",
	.families = { "contract" },
	.kind = "edit",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct edit_text_args),
	.out_size = sizeof(struct edit_text_out),
	.effects = TOOL_EDITS,
	.light = true,
	.run = edit_run,
	.constraints = constraints,
	.examples = examples,
};
