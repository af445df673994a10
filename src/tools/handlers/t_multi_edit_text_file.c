/*
 * t_multi_edit_text_file.c - the tool multi_edit_text_file: several
 * replacements in one file, all of them or none.
 */
#include "tools/handlers/editing.h"

struct multi_args {
	struct str path;
	struct item_list edits; /* of struct edit */
};

struct multi_range {
	int64_t edit_index, start, end;
};

struct multi_out {
	bool success;
	struct str diff;
	int64_t applied_count;
	struct item_list ranges; /* of struct multi_range */
	struct file_meta meta;
};

static struct item_list ranges_of(struct call *c, const struct edit_range *from,
				  size_t n)
{
	struct multi_range *to = arena_array(c->mem, struct multi_range, n);

	for (size_t i = 0; i < n; i++)
		to[i] = (struct multi_range){ (int64_t)i,
					      (int64_t)from[i].start,
					      (int64_t)from[i].end };
	return (struct item_list){ to, n };
}

static enum err multi_run(struct call *c)
{
	const struct multi_args *a = c->args;
	const struct edit *edits = a->edits.items;
	struct multi_out *out = c->out;
	struct edited edited;
	enum err e;

	for (size_t i = 0; i < a->edits.count; i++)
		if (!edits[i].old.len)
			return fail(c->fault, ERR_EMPTY_OLD_AT, .index = i,
				    .path = a->path);
	e = edit_file(c, a->path, edits, a->edits.count, &edited);
	if (e)
		return e;
	out->success = true;
	out->diff = edited.diff;
	out->applied_count = (int64_t)edited.applied;
	out->ranges = ranges_of(c, edited.ranges, a->edits.count);
	out->meta = edited.meta;
	return ERR_OK;
}

static const struct field edit_fields[] = {
	{ "old_string", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit, old),
	  .doc = "Exact string to find and replace" },
	{ "new_string", FIELD_STR, .required = true,
	  .offset = offsetof(struct edit, with), .doc = "Replacement string" },
	FIELDS_END,
};

static const struct field fields[] = {
	{ "path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct multi_args, path),
	  .doc = "Absolute path to the file" },
	{ "edits", FIELD_LIST, .required = true,
	  .offset = offsetof(struct multi_args, edits),
	  .doc = "Array of edit operations to apply sequentially",
	  .empty = ERR_NO_EDITS, .fields = edit_fields,
	  .size = sizeof(struct edit) },
	FIELDS_END,
};

static const struct field range_fields[] = {
	{ "edit_index", FIELD_INT, .required = true,
	  .offset = offsetof(struct multi_range, edit_index),
	  .doc = "Which edit (0-indexed)" },
	{ "start", FIELD_INT, .required = true,
	  .offset = offsetof(struct multi_range, start),
	  .doc = "Starting line (1-indexed)" },
	{ "end", FIELD_INT, .required = true,
	  .offset = offsetof(struct multi_range, end),
	  .doc = "Ending line (1-indexed)" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "success", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct multi_out, success),
	  .doc = "Always true on success" },
	{ "diff", FIELD_STR, .required = true,
	  .offset = offsetof(struct multi_out, diff),
	  .doc = "Cumulative unified diff (original to final)" },
	{ "applied_count", FIELD_INT, .required = true,
	  .offset = offsetof(struct multi_out, applied_count),
	  .doc = "Number of edits successfully applied" },
	{ "line_ranges", FIELD_LIST, .required = true,
	  .offset = offsetof(struct multi_out, ranges),
	  .doc = "Location of each change", .fields = range_fields,
	  .size = sizeof(struct multi_range) },
	FILE_META(multi_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"Atomic: on any error the file is unchanged",
	"Each edit applies to the result of the edits before it",
	"Each old_string must occur exactly once then: byte for byte or, failing that, with LF and CRLF as equal",
	"If a string does not occur, or several times, the error has data.candidates: possible places, and how they differ",
	"Inserted text takes the line endings of its surroundings; CRLF in an exact match is kept",
	"Line numbers in line_ranges and candidates refer to the text just before that edit",
	"Bytes outside the replaced strings do not change",
	"if_version: refused if the file has another version",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Three values of one file",
	  "{\"path\":\"/project/config.toml\",\"edits\":[{\"old_string\":\"port = 8080\",\"new_string\":\"port = 3000\"},{\"old_string\":\"host = \\\"localhost\\\"\",\"new_string\":\"host = \\\"0.0.0.0\\\"\"},{\"old_string\":\"debug = false\",\"new_string\":\"debug = true\"}]}",
	  "{\"success\":true,\"diff\":\"--- config.toml\\n+++ config.toml\\n@@ -1,6 +1,6 @@\\n [server]\\n-host = \\\"localhost\\\"\\n-port = 8080\\n+host = \\\"0.0.0.0\\\"\\n+port = 3000\\n \\n [app]\\n-debug = false\\n+debug = true\\n\",\"applied_count\":3,\"line_ranges\":[{\"edit_index\":0,\"start\":3,\"end\":3},{\"edit_index\":1,\"start\":2,\"end\":2},{\"edit_index\":2,\"start\":6,\"end\":6}]}" },
	{ NULL },
};

const struct tool tool_multi_edit_text_file = {
	.name = "multi_edit_text_file",
	.title = "Edit text file in several places",
	.doc = "Apply multiple string replacement edits to a file with cumulative diff",
	.families = { "contract" },
	.kind = "edit",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct multi_args),
	.out_size = sizeof(struct multi_out),
	.effects = TOOL_EDITS,
	.light = true,
	.run = multi_run,
	.constraints = constraints,
	.examples = examples,
};
