/*
 * t_delete_file.c - the tool delete_file: removes a file, a symlink or an empty
 * directory.
 */
#include "tools/find/find.h"
#include "tools/handlers/naming.h"
#include "tools/permissions/gate.h"
#include "tools/reading/file_read.h"
#include "tools/reading/textfile.h"

struct delete_args {
	struct str path;
};

/* Unlike an overwrite, it may be a file that the caller has never read. */
static enum err check_seen(struct call *c, struct str path,
			   const struct snapshot *snap)
{
	enum err e;

	if (c->guard.if_version.len || c->options->overwrite)
		return textfile_guard(c, path, snap);
	e = file_read_check_current(c, path, snap);
	if (e == ERR_STALE)
		return c->fault->err = ERR_CHANGED;
	return ERR_OK;
}

static enum err delete_content(struct call *c, struct str path,
			       const struct node_info *node,
			       struct tree_changed *ret)
{
	struct change change = { .path = path, .remove = true };
	struct changed changed;
	struct snapshot snap;
	enum err e = textfile_fetch(c, path, &snap);

	if (e == ERR_TOO_LARGE)
		c->fault->hint = STR(
			"It is too large to be kept in the history; --max-file moves the limit");
	if (!e && !str_eq(snap.key, node->key))
		e = fail(c->fault, ERR_CHANGED_AT, .path = path);
	if (!e)
		e = check_seen(c, path, &snap);
	if (e)
		return e;
	change.before = &snap;
	e = change_file(c, &change, &changed);
	if (e)
		return e;
	*ret = (struct tree_changed){ .key = node->key,
				      .op_text = changed.op_text,
				      .not_kept = changed.not_kept,
				      .hook = changed.hook };
	return ERR_OK;
}

/* A link or a directory: by its kind, which the change checks again. */
static enum err delete_name(struct call *c, struct str path,
			    const struct node_info *node,
			    struct tree_changed *ret)
{
	const struct link_change link = { .path = path, .target = STR("") };
	const struct dir_removal dir = { .path = path };

	if (c->guard.if_version.len)
		return fail(c->fault, ERR_BAD_ARGS,
			    .text = STR("if_version is for a file"));
	return node->kind == WS_ENTRY_LINK
		       ? change_link(c, &link, ret)
		       : change_remove_dirs(c, &dir, 1, ret);
}

static enum err delete_run(struct call *c)
{
	const struct delete_args *a = c->args;
	struct tree_changed changed;
	struct node_info node;
	struct str path;
	enum err e = find_absolute(c, a->path, &path);

	if (!e)
		e = tree_look(c, path, &node);
	if (e)
		return e;
	if (!node.exists)
		return fail(c->fault, ERR_NOT_FOUND, .path = path);
	if (node.kind == WS_ENTRY_OTHER)
		return fail(c->fault, ERR_NOT_A_FILE, .path = path);
	e = node.kind == WS_ENTRY_FILE
		    ? delete_content(c, path, &node, &changed)
		    : delete_name(c, path, &node, &changed);
	if (e)
		return e;
	naming_report(c, &changed,
		      arena_printf(c->mem, "Successfully deleted " STR_FMT,
				   STR_ARG(find_escape(a->path, c->mem))));
	return ERR_OK;
}

static const char *const path_names[] = { "file_path", NULL };

static const struct field fields[] = {
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct delete_args, path),
	  .doc = "File, link or empty directory", .aliases = path_names },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only beneath the roots",
	"A symlink is deleted itself, and what it leads to stays",
	"A directory must be empty; a root, or a directory that holds one, is never deleted",
	"What is deleted is kept in the history, up to --max-file, and undo brings it back",
	"A file that has changed since the caller read it is refused",
	"FIFOs, sockets and devices are refused",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Delete a file", "{\"path\":\"notes.txt\"}",
	  "{\"content\":\"Successfully deleted notes.txt\"}" },
	{ NULL },
};

const struct tool tool_delete_file = {
	.name = "delete_file",
	.title = "Delete File",
	.doc = "Delete a file, a link or an empty directory. It can be undone.",
	.families = { "manage" },
	.kind = "delete",
	.fields = fields,
	.out = naming_out_fields,
	.args_size = sizeof(struct delete_args),
	.out_size = sizeof(struct naming_out),
	.effects = TOOL_TREE,
	.run = delete_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
