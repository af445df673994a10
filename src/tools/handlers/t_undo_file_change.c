/*
 * t_undo_file_change.c - the tool undo_file_change: undoes an operation of the
 * history that the caller may see.
 *
 * A conflict changes nothing: the tool offers no choice of how conflicts end,
 * people have that (stet undo).
 */
#include "tools/history/undo.h"
#include "tools/permissions/history_access.h"

struct undo_args {
	struct str operation, path;
};

struct undo_file {
	struct str undone, operation, path, how, version;
	bool created, removed, left;
};

struct undo_out {
	bool success;
	struct undo_file file;
	struct str diff;
	struct item_list files; /* of struct undo_file; empty for one file */
	int64_t rest;
};

static bool may_undo(void *ctx, const struct op *op)
{
	return history_access_allows(ctx, op);
}

/* The operation of the group of *@op on that file, as it is called now or was
 * called then. */
static enum err by_path(struct call *c, struct str path, struct op *op)
{
	struct store *s = c->options->store;
	struct undo_group g;
	struct op *ops;
	struct str key;
	size_t n;
	enum err e = history_access_key(c, path, &key);

	if (!e)
		e = history_group(s, op_group(op), c->mem, &ops, &n, c->fault);
	for (size_t i = 0; !e && i < n; i++) {
		e = undo_group_find(s, &ops[i], /* only= */ true, c->mem, &g,
				    c->fault);
		if (e ||
		    (!str_eq(key, ops[i].path) && !str_eq(key, g.ops->path)))
			continue;
		*op = ops[i];
		return history_access_allows(c, op)
			       ? ERR_OK
			       : fail(c->fault, ERR_NO_OP,
				      .text = op_id(op->id, c->mem));
	}
	return e ? e
		 : fail(c->fault, ERR_BAD_ARGS,
			.text = STR("The operation belongs to another file"));
}

static enum err by_id(struct call *c, const struct undo_args *a, struct op *ret)
{
	enum err e = history_find(c->options->store, a->operation, c->mem, ret,
				  c->fault);

	if (e)
		return e;
	if (!history_access_allows(c, ret))
		return fail(c->fault, ERR_NO_OP, .text = a->operation);
	return a->path.len ? by_path(c, a->path, ret) : ERR_OK;
}

/* The latest operation on the file, or without one, of the session. */
static enum err choose_operation(struct call *c, const struct undo_args *a,
				 struct op *ret)
{
	struct op_pick pick = { .role = OP_DOES, .may = may_undo, .ctx = c };
	enum err e = ERR_OK;

	if (a->operation.len)
		return by_id(c, a, ret);
	if (a->path.len)
		e = history_access_key(c, a->path, &pick.query.path);
	else if (c->caller->session.len)
		pick.query.session = c->caller->session;
	else
		e = fail(
			c->fault, ERR_BAD_ARGS,
			.text = STR(
				"Name the operation, or the path of the file"));
	if (e)
		return e;
	return op_pick_last(c->options->store, &pick, c->mem, ret, c->fault);
}

/* The client must be allowed to undo every operation of the group. */
static enum err check_group(struct call *c, const struct undo_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (!history_access_allows(c, &g->ops[i]))
			return fail(
				c->fault, ERR_NO_UNDO, .name = STR("undo"),
				.hint = STR(
					"The same call changed files that this client may not change back. With 'operation' and 'path' one file is undone"));
	return ERR_OK;
}

static void fill_file(struct call *c, const struct op *op,
		      const struct undone *undone, struct undo_file *ret)
{
	*ret = (struct undo_file){
		.undone = op_id(op->id, c->mem),
		.operation = undone->changed.op_text,
		.path = op->path,
		.how = str_of(revise_how_name(undone->how)),
		.created = undone->created,
		.removed = undone->removed,
		.left = undone->left,
	};
	if (undone->how != REVISE_ALREADY && !undone->removed)
		ret->version =
			hash_text(undone->changed.stored.version, c->mem);
}

/* The file of @op stands for all of them in the members that have one. */
static void fill_result(struct call *c, const struct op *op,
			const struct undo_group *g)
{
	struct undo_file *files = arena_array(c->mem, struct undo_file, g->n);
	struct undo_out *out = c->out;
	size_t at = 0;

	for (size_t i = 0; i < g->n; i++) {
		fill_file(c, &g->ops[i], &g->undone[i], &files[i]);
		if (uuid_eq(g->ops[i].id, op->id))
			at = i;
	}
	*out = (struct undo_out){ .success = true,
				  .file = files[at],
				  .diff = g->n > 1 ? c->diff
						   : g->undone[0].diff,
				  .rest = (int64_t)g->rest };
	if (g->n > 1)
		out->files = (struct item_list){ files, g->n };
}

static enum err undo_run(struct call *c)
{
	const struct undo_args *a = c->args;
	const struct undo_out *out = c->out;
	struct undo_group g;
	struct op op;
	enum err e = history_access_check(c);

	if (!e)
		e = choose_operation(c, a, &op);
	if (!e)
		e = undo_group_find(c->options->store, &op,
				    a->operation.len && a->path.len, c->mem, &g,
				    c->fault);
	if (!e)
		e = check_group(c, &g);
	if (!e)
		e = undo_group(c, &g, CONFLICTS_ABORT);
	if (e)
		return e;
	fill_result(c, &op, &g);
	c->say = out->diff.len ? out->diff : STR("Undone");
	if (out->rest)
		c->say = arena_printf(
			c->mem,
			STR_FMT
			"%s%lld other files of the same change are not undone",
			STR_ARG(c->say), out->diff.len ? "" : "; ",
			(long long)out->rest);
	return ERR_OK;
}

static const struct field fields[] = {
	{ "operation", FIELD_STR,
	  .offset = offsetof(struct undo_args, operation),
	  .doc = "Id of the operation to undo, or a part of it (at least 4 digits)" },
	{ "path", FIELD_PATH, .offset = offsetof(struct undo_args, path),
	  .doc = "Absolute path of a file whose latest change is to be undone; default: the latest change of this session" },
	FIELDS_END,
};

static const struct field file_fields[] = {
	{ "undone", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_file, undone),
	  .doc = "The operation that was undone" },
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_file, path), .doc = "The file" },
	{ "how", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_file, how),
	  .doc = "exact, merged or already" },
	{ "operation", FIELD_STR,
	  .offset = offsetof(struct undo_file, operation),
	  .doc = "The id of the undo itself" },
	{ "version", FIELD_STR, .offset = offsetof(struct undo_file, version),
	  .doc = "Version of the file's content" },
	{ "created", FIELD_BOOL, .offset = offsetof(struct undo_file, created),
	  .doc = "The file was restored" },
	{ "removed", FIELD_BOOL, .offset = offsetof(struct undo_file, removed),
	  .doc = "The file was removed" },
	{ "left", FIELD_BOOL, .offset = offsetof(struct undo_file, left),
	  .doc = "A copy that was changed since: it stays" },
	FIELDS_END,
};

#define OUT_FILE(member) offsetof(struct undo_out, file.member)

static const struct field out[] = {
	{ "success", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct undo_out, success),
	  .doc = "Always true on success" },
	{ "undone", FIELD_STR, .required = true, .offset = OUT_FILE(undone),
	  .doc = "The operation that was undone" },
	{ "path", FIELD_STR, .required = true, .offset = OUT_FILE(path),
	  .doc = "The file" },
	{ "how", FIELD_STR, .required = true, .offset = OUT_FILE(how),
	  .doc = "exact, merged (later changes of the file are kept), or already (nothing to do)" },
	{ "diff", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_out, diff),
	  .doc = "Unified diff of the undo" },
	{ "operation", FIELD_STR, .offset = OUT_FILE(operation),
	  .doc = "The id of the undo itself, which can be undone as well" },
	{ "version", FIELD_STR, .offset = OUT_FILE(version),
	  .doc = "Version of the file's content, for if_version" },
	{ "created", FIELD_BOOL, .offset = OUT_FILE(created),
	  .doc = "The file was restored" },
	{ "removed", FIELD_BOOL, .offset = OUT_FILE(removed),
	  .doc = "The file was removed, because the operation had created it" },
	{ "left", FIELD_BOOL, .offset = OUT_FILE(left),
	  .doc = "A copy that was changed since: it stays" },
	{ "files", FIELD_LIST, .offset = offsetof(struct undo_out, files),
	  .doc = "All files, when the call that is undone changed several",
	  .fields = file_fields, .size = sizeof(struct undo_file) },
	{ "rest", FIELD_INT, .offset = offsetof(struct undo_out, rest),
	  .doc = "Other files of the same change that are not undone" },
	FIELDS_END,
};

static const char *const constraints[] = {
	"What one call changed in several files is undone together or not at all; operation and path together undo one file of it",
	"The same permission rules as for any write apply, and the undo is recorded as an operation",
	"Later changes of the file are kept; if they overlap, that is a conflict, and nothing is changed",
	"Appended text is removed only from where it was appended",
	"Bytes and permissions are restored exactly",
	"if_version: refused if the file has another version",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Undo the latest change of a file",
	  "{\"path\":\"/project/config.toml\"}",
	  "{\"success\":true,\"undone\":\"0199f0c2-7b1a-7c3d-9e4f-5a6b7c8d9e0f\",\"path\":\"/project/config.toml\",\"how\":\"exact\",\"diff\":\"--- config.toml\\n+++ config.toml\\n@@ -1,1 +1,1 @@\\n-port = 3000\\n+port = 8080\\n\"}" },
	{ NULL },
};

const struct tool tool_undo_file_change = {
	.name = "undo_file_change",
	.title = "Undo file change",
	.doc = "Undo a change of a file: one operation, or the latest of a file",
	.families = { "history" },
	.kind = "edit",
	.fields = fields,
	.out = out,
	.args_size = sizeof(struct undo_args),
	.out_size = sizeof(struct undo_out),
	.effects = TOOL_EDITS,
	.run = undo_run,
	.constraints = constraints,
	.examples = examples,
};
