/*
 * t_copy_file.c - the tool copy_file: a new file with the bytes and the metadata
 * of another one.
 */
#include "tools/find/find.h"
#include "tools/handlers/naming.h"
#include "tools/reading/textfile.h"

struct copy_args {
	struct str source, destination;
};

static enum err copy_place(struct call *c, struct str path,
			   struct node_info *ret)
{
	enum err e = tree_look(c, path, ret);

	if (!e && ret->exists)
		e = fail(c->fault, ERR_EXISTS, .path = path);
	if (!e && !ret->has_parent)
		e = fail(c->fault, ERR_NO_PARENT, .path = path);
	return e;
}

static enum err copy_load(struct call *c, struct str path, struct snapshot *ret)
{
	enum err e = textfile_fetch(c, path, ret);

	if (e == ERR_TOO_LARGE)
		c->fault->hint = STR("--max-file moves the limit");
	return e ? e : textfile_guard(c, path, ret);
}

static enum err copy_make(struct call *c, struct str source,
			  struct str destination, struct tree_changed *ret)
{
	struct change change = { .path = destination, .copies = true };
	struct changed changed;
	struct snapshot snap;
	struct node_info to;
	enum err e = copy_load(c, source, &snap);

	if (!e)
		e = copy_place(c, destination, &to);
	if (e)
		return e;
	change.key = to.key;
	change.after = snap.bytes;
	change.from = snap.key;
	change.like = snap.key;
	e = change_file(c, &change, &changed);
	if (e)
		return e;
	*ret = (struct tree_changed){ .key = to.key,
				      .op_text = changed.op_text,
				      .not_kept = changed.not_kept,
				      .hook = changed.hook };
	return ERR_OK;
}

static enum err copy_run(struct call *c)
{
	const struct copy_args *a = c->args;
	struct tree_changed changed;
	struct str source, destination;
	enum err e = find_absolute(c, a->source, &source);

	if (!e)
		e = find_absolute(c, a->destination, &destination);
	if (!e)
		e = copy_make(c, source, destination, &changed);
	if (e)
		return e;
	naming_report(c, &changed,
		      arena_printf(c->mem,
				   "Successfully copied " STR_FMT
				   " to " STR_FMT,
				   STR_ARG(find_escape(a->source, c->mem)),
				   STR_ARG(find_escape(a->destination,
						       c->mem))));
	return ERR_OK;
}

static const char *const source_names[] = { "source_path", "from", NULL };
static const char *const destination_names[] = { "destination_path", "to",
						 NULL };

static const struct field fields[] = {
	{ "source", FIELD_STR, .required = true,
	  .offset = offsetof(struct copy_args, source), .doc = "File to copy",
	  .aliases = source_names },
	{ "destination", FIELD_STR, .required = true,
	  .offset = offsetof(struct copy_args, destination),
	  .doc = "Path of the copy; must not exist",
	  .aliases = destination_names },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only beneath the roots, and only files; missing directories are not made",
	"Never replaces anything: the destination must not exist",
	"A symlink as the source is followed, if it stays beneath a root: the copy is a file",
	"Copies bytes, mode, ACL and extended attributes of a file up to --max-file",
	"The copy counts as read if the source does",
	"Needs permission to read the source and to write the destination",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Copy a file",
	  "{\"source\":\"main.c\",\"destination\":\"old/main.c\"}",
	  "{\"content\":\"Successfully copied main.c to old/main.c\"}" },
	{ NULL },
};

const struct tool tool_copy_file = {
	.name = "copy_file",
	.title = "Copy File",
	.doc = "Copy a file with its mode and attributes. Never replaces anything.",
	.families = { "manage" },
	.kind = "edit",
	.fields = fields,
	.out = naming_out_fields,
	.args_size = sizeof(struct copy_args),
	.out_size = sizeof(struct naming_out),
	.effects = TOOL_TREE,
	.loses_nothing = true,
	.run = copy_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
