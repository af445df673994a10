/*
 * t_file_history.c - the tool file_history: operations of the history that the
 * caller may see.
 */
#include "tools/history/operations.h"
#include "tools/permissions/history_access.h"

struct history_args {
	struct str path;
	int64_t limit;
};

struct history_out {
	struct item_list operations;
	bool has_more;
};

enum { LIMIT = 20, PAGE = 200 };

/* Where a file came from can be hidden, though the file is not any more. */
static bool may_see_from(struct call *c, const struct op *op)
{
	const struct op source = { .path = op->from };

	return !op->from.len || history_access_allows(c, &source);
}

/* Collect rows until there are enough; hidden ones are left out. */
static void take_visible(struct call *c, const struct op *ops, size_t n,
			 struct history_out *out, size_t limit)
{
	struct op_row *rows = out->operations.items, *row;

	for (size_t i = 0; i < n; i++) {
		if (!history_access_allows(c, &ops[i]))
			continue;
		if (out->operations.count == limit) {
			out->has_more = true;
			return;
		}
		row = &rows[out->operations.count++];
		op_row_fill(c->options->store, &ops[i], c->mem, row);
		if (!may_see_from(c, &ops[i]))
			row->from = STR("");
	}
}

static enum err history_run(struct call *c)
{
	const struct history_args *a = c->args;
	struct history_out *out = c->out;
	struct history_query q = { .limit = PAGE, .intents = true };
	size_t got = PAGE, limit = size_min((size_t)a->limit, 1000);
	struct op *ops;
	enum err e = history_access_check(c);

	if (!e && a->path.len)
		e = history_access_key(c, a->path, &q.path);
	if (e)
		return e;
	out->operations.items = arena_array(c->mem, struct op_row, limit);
	for (; got == PAGE && !out->has_more; q.skip += PAGE) {
		e = history_list(c->options->store, &q, c->mem, &ops, &got,
				 c->fault);
		if (e)
			return e;
		take_visible(c, ops, got, out, limit);
	}
	c->say = op_rows_text(c, out->operations.items, out->operations.count);
	return ERR_OK;
}

static const struct field fields[] = {
	{ "path", FIELD_PATH, .offset = offsetof(struct history_args, path),
	  .doc = "Absolute path of a file, or of a directory for all beneath it; all files when left out" },
	{ "limit", FIELD_INT, .offset = offsetof(struct history_args, limit),
	  .absent = LIMIT, .standard = "20", .min = 1, .below = ERR_BAD_LIMIT,
	  .doc = "Most operations to return" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "operations", FIELD_LIST, .required = true,
	  .offset = offsetof(struct history_out, operations),
	  .doc = "Newest first", .fields = op_row_fields,
	  .size = sizeof(struct op_row) },
	{ "has_more", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct history_out, has_more),
	  .doc = "There are older operations" },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only files beneath the roots, and none that a rule hides; files whose reading needs approval only if path names them",
	"Operations whose process ended in the middle are reported as done or failed if the file shows which, else as unknown",
	"Contents are not shown",
	NULL,
};

static const struct tool_example examples[] = {
	{ "List the changes of a file",
	  "{\"path\":\"/project/config.toml\",\"limit\":1}",
	  "{\"operations\":[{\"id\":\"0199f0c2-7b1a-7c3d-9e4f-5a6b7c8d9e0f\",\"time\":\"2026-01-15T10:30:00.000Z\",\"kind\":\"update\",\"state\":\"done\",\"path\":\"/project/config.toml\",\"tool\":\"edit_text_file\",\"active\":true,\"existed\":true,\"exists\":true,\"bytes_before\":58,\"bytes_after\":58}],\"has_more\":false}" },
	{ NULL },
};

const struct tool tool_file_history = {
	.name = "file_history",
	.title = "File history",
	.doc = "List the changes that were made to files, newest first, with the operation ids that undo_file_change takes",
	.families = { "history" },
	.kind = "read",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct history_args),
	.out_size = sizeof(struct history_out),
	.effects = TOOL_READS,
	.run = history_run,
	.constraints = constraints,
	.examples = examples,
};
