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

struct undo_out {
	bool success;
	struct str undone, operation, path, how, version, diff;
	bool created, removed;
};

static bool may_undo(void *ctx, const struct op *op)
{
	return history_access_allows(ctx, op);
}

static enum err by_id(struct call *c, const struct undo_args *a, struct op *ret)
{
	struct str key;
	enum err e = history_find(c->options->store, a->operation, c->mem, ret,
				  c->fault);

	if (e)
		return e;
	if (!history_access_allows(c, ret))
		return fail(c->fault, ERR_NO_OP, .text = a->operation);
	if (!a->path.len)
		return ERR_OK;
	e = history_access_key(c, a->path, &key);
	if (!e && !str_eq(key, ret->path))
		return fail(c->fault, ERR_BAD_ARGS,
			    .text = STR(
				    "The operation belongs to another file"));
	return e;
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

static enum err undo_run(struct call *c)
{
	struct undo_out *out = c->out;
	struct undone undone;
	struct op op;
	enum err e = history_access_check(c);

	if (!e)
		e = choose_operation(c, c->args, &op);
	if (!e)
		e = undo_operation(c, &op, CONFLICTS_ABORT, &undone);
	if (e)
		return e;
	*out = (struct undo_out){
		.success = true,
		.undone = op_id(op.id, c->mem),
		.operation = undone.changed.op_text,
		.path = op.path,
		.how = str_of(revise_how_name(undone.how)),
		.diff = undone.diff,
		.created = undone.created,
		.removed = undone.removed,
	};
	if (undone.how != REVISE_ALREADY && !undone.removed)
		out->version = hash_text(undone.changed.stored.version, c->mem);
	c->say = undone.diff.len ? undone.diff : STR("Undone");
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

static const struct field out[] = {
	{ "success", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct undo_out, success),
	  .doc = "Always true on success" },
	{ "undone", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_out, undone),
	  .doc = "The operation that was undone" },
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_out, path), .doc = "The file" },
	{ "how", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_out, how),
	  .doc = "exact, merged (later changes of the file are kept), or already (nothing to do)" },
	{ "diff", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_out, diff),
	  .doc = "Unified diff of the undo" },
	{ "operation", FIELD_STR,
	  .offset = offsetof(struct undo_out, operation),
	  .doc = "The id of the undo itself, which can be undone as well" },
	{ "version", FIELD_STR, .offset = offsetof(struct undo_out, version),
	  .doc = "Version of the file's content, for if_version" },
	{ "created", FIELD_BOOL, .offset = offsetof(struct undo_out, created),
	  .doc = "The file was restored" },
	{ "removed", FIELD_BOOL, .offset = offsetof(struct undo_out, removed),
	  .doc = "The file was removed, because the operation had created it" },
	FIELDS_END,
};

static const char *const constraints[] = {
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
