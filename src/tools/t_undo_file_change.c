/* undo_file_change - take a change of a file back. */

#include "tools/see.h"
#include "tools/undo.h"

struct undo_args {
	struct str operation, path;
};

struct undo_out {
	bool success;
	struct str undone, operation, path, how, version, diff;
	bool created, removed;
};

static bool may(void *ctx, const struct op *op)
{
	return see_operation(ctx, op);
}

static enum err by_id(struct call *c, const struct undo_args *a, struct op *ret)
{
	struct str key;
	enum err e = history_find(c->options->store, a->operation, c->mem, ret,
				  c->fault);

	if (e)
		return e;
	if (!see_operation(c, ret))
		return fail(c->fault, ERR_NO_OP, .text = a->operation);
	if (!a->path.len)
		return ERR_OK;
	e = see_key(c, a->path, &key);
	if (!e && !str_eq(key, ret->path))
		return fail(c->fault, ERR_BAD_ARGS,
			    .text = STR("That operation is on another file"));
	return e;
}

/* Of a file its latest, of no file the latest of this session. */
static enum err choose(struct call *c, const struct undo_args *a,
		       struct op *ret)
{
	struct op_pick pick = { .role = OP_DOES, .may = may, .ctx = c };
	enum err e = ERR_OK;

	if (a->operation.len)
		return by_id(c, a, ret);
	if (a->path.len)
		e = see_key(c, a->path, &pick.query.path);
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

static struct str version_text(struct call *c, struct hash version)
{
	char hex[HASH_HEX + 1];

	hash_hex(version, hex);
	return arena_copy(c->mem, str_of(hex));
}

static enum err undo_run(struct call *c)
{
	struct undo_out *out = c->out;
	struct undone undone;
	struct op op;
	enum err e = see_history(c);

	if (!e)
		e = choose(c, c->args, &op);
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
		out->version = version_text(c, undone.changed.stored.version);
	c->say = undone.diff.len ? undone.diff : STR("Undone");
	return ERR_OK;
}

static const struct field fields[] = {
	{ "operation", FIELD_STR,
	  .offset = offsetof(struct undo_args, operation),
	  .doc = "Id of the operation to undo, or its first digits" },
	{ "path", FIELD_PATH, .offset = offsetof(struct undo_args, path),
	  .doc = "Absolute path of a file whose latest change is to be undone; with neither, the latest of this session" },
	FIELDS_END,
};

static const struct field out[] = {
	{ "success", FIELD_BOOL, .required = true,
	  .offset = offsetof(struct undo_out, success),
	  .doc = "Always true on success" },
	{ "undone", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_out, undone),
	  .doc = "The operation that was taken back" },
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_out, path), .doc = "The file" },
	{ "how", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_out, how),
	  .doc = "exact, merged (the file had changed since, and keeps that), or already (there was nothing to do)" },
	{ "diff", FIELD_STR, .required = true,
	  .offset = offsetof(struct undo_out, diff),
	  .doc = "Unified diff of what the file became" },
	{ "operation", FIELD_STR,
	  .offset = offsetof(struct undo_out, operation),
	  .doc = "The undoing as an operation; may be undone itself" },
	{ "version", FIELD_STR, .offset = offsetof(struct undo_out, version),
	  .doc = "Of the file's content; may be given as if_version" },
	{ "created", FIELD_BOOL, .offset = offsetof(struct undo_out, created),
	  .doc = "The file is there again" },
	{ "removed", FIELD_BOOL, .offset = offsetof(struct undo_out, removed),
	  .doc = "The file is gone, as the operation had made it" },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Under the same rules as any write, and an operation of the history itself",
	"A file that has changed since keeps what is separate; a place that both changed is a conflict, and then nothing is changed",
	"What an operation appended is removed only where it was put",
	"Bytes and permissions come back as they were",
	"if_version: refused when the file has another version by now",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Take the latest change of a file back",
	  "{\"path\":\"/project/config.toml\"}",
	  "{\"success\":true,\"undone\":\"0199f0c2-7b1a-7c3d-9e4f-5a6b7c8d9e0f\",\"path\":\"/project/config.toml\",\"how\":\"exact\",\"diff\":\"--- config.toml\\n+++ config.toml\\n@@ -1,1 +1,1 @@\\n-port = 3000\\n+port = 8080\\n\"}" },
	{ NULL },
};

const struct tool tool_undo_file_change = {
	.name = "undo_file_change",
	.title = "Undo file change",
	.doc = "Take a change of a file back: one operation, or the latest of a file",
	.family = "history",
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
