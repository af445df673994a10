/*
 * t_replace_lines.c - the tool replace_lines: replaces, inserts or deletes
 * lines, named by their numbers in the version that the caller has read.
 */
#include "text/lines/lines.h"
#include "tools/find/find.h"
#include "tools/handlers/editing.h"
#include "tools/handlers/line_ranges.h"

struct replace_lines_args {
	struct str path, content;
	struct line_range range;
};

struct replace_lines_out {
	struct str content;
	struct line_range range;
	struct str diff;
	struct file_meta meta;
};

static struct str replace_lines_words(struct call *c, struct line_range now)
{
	const struct replace_lines_args *a = c->args;
	struct str path = a->path;

	if (now.last < now.first && a->range.last < a->range.first)
		return STR("Nothing changed");
	if (now.last < now.first)
		return arena_printf(c->mem, "Deleted " STR_FMT " of " STR_FMT,
				    STR_ARG(line_ranges_words(c, a->range)),
				    STR_ARG(path));
	if (a->range.last < a->range.first)
		return arena_printf(c->mem, "Inserted " STR_FMT " of " STR_FMT,
				    STR_ARG(line_ranges_words(c, now)),
				    STR_ARG(path));
	return arena_printf(c->mem,
			    "Replaced " STR_FMT " of " STR_FMT
			    " with what is " STR_FMT " now",
			    STR_ARG(line_ranges_words(c, a->range)),
			    STR_ARG(path), STR_ARG(line_ranges_words(c, now)));
}

static void replace_lines_report(struct call *c, struct str with,
				 const struct line_place *place,
				 const struct edited *edited)
{
	const struct replace_lines_args *a = c->args;
	struct replace_lines_out *out = c->out;
	bool joins = place->at_end && place->open && place->from == place->to;
	size_t n = lines_count(with) - (joins && with.len);

	out->range = (struct line_range){ a->range.first,
					  a->range.first + (int64_t)n - 1 };
	out->content = c->say = replace_lines_words(c, out->range);
	out->diff = edited->diff;
	out->meta = edited->meta;
	c->line = (size_t)a->range.first;
}

static enum err replace_lines_run(struct call *c)
{
	const struct replace_lines_args *a = c->args;
	struct edited edited = { 0 };
	struct line_place place;
	struct splice splice;
	struct str path, text;
	enum err e;

	e = find_absolute(c, a->path, &path);
	if (!e)
		e = line_ranges_load(c, path, &edited.file);
	if (!e)
		e = line_ranges_find(c, a->path, edited.file.shown.text,
				     a->range, &place);
	if (e)
		return e;
	splice = (struct splice){ place.from, place.to,
				  line_ranges_fit(c, a->content, &place) };
	text = edit_splice(edited.file.shown.text, &splice, 1, c->mem);
	e = edit_splices(c, path, &splice,
			 splice.with.len || splice.from < splice.to, text,
			 &edited);
	if (e == ERR_CHANGED) /* to the caller the file is stale */
		return c->fault->err = ERR_STALE;
	if (e)
		return e;
	replace_lines_report(c, splice.with, &place, &edited);
	return ERR_OK;
}

static const struct field fields[] = {
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct replace_lines_args, path),
	  .doc = "File that you have read" },
	{ "start_line", FIELD_INT, .required = true,
	  .offset = offsetof(struct replace_lines_args, range.first),
	  .doc = "First line to replace, from 1" },
	{ "end_line", FIELD_INT, .required = true,
	  .offset = offsetof(struct replace_lines_args, range.last),
	  .doc = "Last line; start_line - 1 to insert before start_line" },
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct replace_lines_args, content),
	  .doc = "Lines in their place; empty to delete" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "content", FIELD_STR, .required = true,
	  .offset = offsetof(struct replace_lines_out, content),
	  .doc = "What was done" },
	{ "line_range", FIELD_OBJECT, .required = true,
	  .offset = offsetof(struct replace_lines_out, range),
	  .doc = "Where the new lines are", .fields = line_range_fields },
	{ "diff", FIELD_STR, .required = true,
	  .offset = offsetof(struct replace_lines_out, diff),
	  .doc = "Unified diff of the change" },
	FILE_META(replace_lines_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"The file must have been read by the same caller, and must not have changed since (errorCode 2 and 3 as in Write); if_version replaces that",
	"A range that is not in the file is refused (-32600); start_line may be one more than there are lines, to insert at the end",
	"New lines take the line ending of the lines that they replace, or of the line above",
	"The last line gets a line ending if lines follow it, or if the line in its place had one",
	"Bytes outside the range do not change",
	"Atomic: at every instant the file is the old one or the new one",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Replace two lines by one",
	  "{\"path\":\"notes.txt\",\"start_line\":3,\"end_line\":4,\"content\":\"three\\n\"}",
	  "{\"content\":\"Replaced lines 3 to 4 of notes.txt with what is line 3 now\",\"line_range\":{\"start\":3,\"end\":3},\"diff\":\"--- notes.txt\\n+++ notes.txt\\n@@ -1,4 +1,3 @@\\n 1\\n 2\\n-3\\n-4\\n+three\\n\"}" },
	{ NULL },
};

const struct tool tool_replace_lines = {
	.name = "replace_lines",
	.title = "Replace lines",
	.doc = "Replace, insert or delete lines by their numbers, in a file that you have read.",
	.families = { "lines" },
	.kind = "edit",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct replace_lines_args),
	.out_size = sizeof(struct replace_lines_out),
	.effects = TOOL_EDITS,
	.light = true,
	.run = replace_lines_run,
	.text_result = true,
	.error_codes = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
