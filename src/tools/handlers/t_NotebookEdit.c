/*
 * t_NotebookEdit.c - the tool NotebookEdit: replaces, inserts or deletes one
 * cell of a Jupyter notebook that the caller has read.
 */
#include "text/edit/notebook.h"
#include "tools/handlers/editing.h"
#include "tools/handlers/line_ranges.h"
#include "tools/handlers/snippet.h"

struct notebook_args {
	struct str path, source, cell, type, mode;
};

struct notebook_out {
	struct str new_source, old_source, cell, type, language, mode, path;
	struct file_meta meta;
};

static enum err notebook_want_of(struct call *c, struct notebook_want *ret)
{
	const struct notebook_args *a = c->args;

	*ret = (struct notebook_want){ .cell = a->cell,
				       .type = a->type,
				       .source = a->source };
	if (str_is(a->mode, "insert"))
		ret->mode = NOTEBOOK_INSERT;
	if (str_is(a->mode, "delete"))
		ret->mode = NOTEBOOK_DELETE;
	if (ret->mode == NOTEBOOK_INSERT && !a->type.len)
		return fail(
			c->fault, ERR_BAD_ARGS,
			.text = STR(
				"Missing argument: cell_type, which edit_mode=insert needs"));
	if (ret->mode != NOTEBOOK_INSERT && !a->cell.len)
		return fail(
			c->fault, ERR_BAD_ARGS,
			.text = STR(
				"Missing argument: cell_id, which only edit_mode=insert can do without"));
	if (!str_ends(a->path, STR(".ipynb")))
		return fail(c->fault, ERR_NOT_A_NOTEBOOK, .path = a->path,
			    .hint = STR("Use Edit for other files"));
	return ERR_OK;
}

static void notebook_tell(struct call *c, const struct notebook_edit *done,
			  const struct edited *edited)
{
	const struct notebook_args *a = c->args;
	struct notebook_out *out = c->out;
	bool deletes = str_is(a->mode, "delete"), cut;

	out->meta = edited->meta;
	out->meta.diff = edited->diff;
	out->old_source =
		snippet_fit(c, done->old_source, &out->meta.content_cut);
	out->new_source = snippet_fit(c, deletes ? STR("") : a->source, &cut);
	out->meta.content_cut = out->meta.content_cut || cut;
	out->cell = done->cell;
	out->type = done->type;
	out->language = done->language;
	out->mode = a->mode.len ? a->mode : STR("replace");
	out->path = a->path;
	if (deletes)
		c->say = arena_printf(c->mem, "Deleted cell " STR_FMT,
				      STR_ARG(done->cell));
	else
		c->say = arena_printf(c->mem,
				      "%s cell " STR_FMT " with " STR_FMT,
				      str_is(a->mode, "insert") ? "Inserted"
								: "Updated",
				      STR_ARG(done->cell),
				      STR_ARG(out->new_source));
}

static enum err notebook_run(struct call *c)
{
	const struct notebook_args *a = c->args;
	struct edited edited = { 0 };
	struct notebook_edit done;
	struct notebook_want want;
	enum err e;

	e = notebook_want_of(c, &want);
	if (!e)
		e = line_ranges_load(c, a->path, &edited.file);
	if (e == ERR_BINARY_EDIT)
		return fail(c->fault, ERR_NOT_A_NOTEBOOK, .path = a->path);
	if (e)
		return e;
	e = notebook_edit(edited.file.shown.text, &want, c->mem, &done);
	if (e)
		return fail(c->fault, e, .path = a->path, .name = a->cell,
			    .count = done.count);
	e = edit_splices(c, a->path, done.splices, done.n, done.text, &edited);
	if (e == ERR_CHANGED) /* to the caller the file is stale */
		return c->fault->err = ERR_STALE;
	if (e)
		return e;
	notebook_tell(c, &done, &edited);
	return ERR_OK;
}

static const char *const types[] = { "code", "markdown", NULL };
static const char *const modes[] = { "replace", "insert", "delete", NULL };

static const struct field fields[] = {
	{ "notebook_path", FIELD_PATH, .required = true,
	  .offset = offsetof(struct notebook_args, path),
	  .doc = "The absolute path to the notebook" },
	{ "cell_id", FIELD_STR, .offset = offsetof(struct notebook_args, cell),
	  .doc = "Cell, or cell-N by index from 0; to insert: the one before the new cell" },
	{ "new_source", FIELD_STR, .required = true,
	  .offset = offsetof(struct notebook_args, source),
	  .doc = "The new text of the cell" },
	{ "cell_type", FIELD_STR,
	  .offset = offsetof(struct notebook_args, type),
	  .doc = "Required to insert", .choices = types },
	{ "edit_mode", FIELD_STR,
	  .offset = offsetof(struct notebook_args, mode),
	  .doc = "What to do with the cell", .choices = modes,
	  .standard = "\"replace\"" },
	FIELDS_END,
};

#define NOTEBOOK_STR(key, member, words)                                 \
	{                                                                \
		key, FIELD_STR,                                          \
			.required = true,                                \
			.offset = offsetof(struct notebook_out, member), \
			.doc = (words)                                   \
	}

static const struct field out[] = {
	NOTEBOOK_STR("new_source", new_source, "The text as it was given"),
	NOTEBOOK_STR("old_source", old_source, "The text of the cell before"),
	NOTEBOOK_STR("cell_id", cell, "The cell; a new one by its new id"),
	NOTEBOOK_STR("cell_type", type, "code, markdown or raw"),
	NOTEBOOK_STR("language", language, "Of the code in the notebook"),
	NOTEBOOK_STR("edit_mode", mode, "replace, insert or delete"),
	NOTEBOOK_STR("notebook_path", path, "The path as it was given"),
	FILE_META(notebook_out),
	FIELDS_END,
};

static const char *const constraints[] = {
	"The notebook must have been read by the same caller, and must not have changed since (errorCode 2 and 3 as in Write); if_version replaces that",
	"Bytes outside the cell do not change: order of keys, indentation, escapes, numbers, final newline, byte order mark",
	"A code cell with a new source loses its outputs and its execution count; changing the type adds or removes the members that nbformat requires",
	"A new cell gets an id if nbformat_minor is 5 or more",
	"Several cells with the same id are refused (-32011)",
	"Only nbformat 4, in files whose name ends in .ipynb",
	"Atomic: at every instant the file is the old one or the new one",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Replace the source of a cell",
	  "{\"notebook_path\":\"/project/plot.ipynb\",\"cell_id\":\"1c2d3e4f\",\"new_source\":\"x = 2\"}",
	  "{\"new_source\":\"x = 2\",\"old_source\":\"x = 1\",\"cell_id\":\"1c2d3e4f\",\"cell_type\":\"code\",\"language\":\"python\",\"edit_mode\":\"replace\",\"notebook_path\":\"/project/plot.ipynb\"}" },
	{ NULL },
};

const struct tool tool_NotebookEdit = {
	.name = "NotebookEdit",
	.title = "NotebookEdit",
	.doc = "Replace, insert or delete one cell of a Jupyter notebook (.ipynb). Read the notebook first.",
	.families = { "claude" },
	.kind = "edit",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct notebook_args),
	.out_size = sizeof(struct notebook_out),
	.effects = TOOL_EDITS,
	.run = notebook_run,
	.text_result = true,
	.error_codes = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
