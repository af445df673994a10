/*
 * t_create_directory.c - the tool create_directory: a directory, with those
 * above it that are missing.
 */
#include "tools/find/find.h"
#include "tools/handlers/naming.h"

struct create_args {
	struct str path;
};

static enum err create_run(struct call *c)
{
	const struct create_args *a = c->args;
	struct tree_changed changed;
	struct str path;
	enum err e;

	if (c->guard.if_version.len)
		return fail(c->fault, ERR_BAD_ARGS,
			    .text = STR("if_version is for a file"));
	e = find_absolute(c, a->path, &path);
	if (!e)
		e = change_make_dir(c, path, (struct uuid){ 0 }, &changed);
	if (e)
		return e;
	naming_report(c, &changed,
		      arena_printf(c->mem,
				   "Successfully created directory " STR_FMT,
				   STR_ARG(find_escape(a->path, c->mem))));
	return ERR_OK;
}

static const char *const path_names[] = { "file_path", NULL };

static const struct field fields[] = {
	{ "path", FIELD_STR, .required = true,
	  .offset = offsetof(struct create_args, path), .doc = "Directory",
	  .aliases = path_names },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only beneath the roots; missing directories above it are made as well",
	"A directory that exists already is success; a file in its place is refused",
	"Each directory made is an operation of the history",
	NULL,
};

static const struct tool_example examples[] = {
	{ "A directory in a directory that is missing, too",
	  "{\"path\":\"src/new/parts\"}",
	  "{\"content\":\"Successfully created directory src/new/parts\"}" },
	{ NULL },
};

const struct tool tool_create_directory = {
	.name = "create_directory",
	.title = "Create Directory",
	.doc = "Create a directory, with the missing ones above it. One that exists already is fine.",
	.families = { "manage", "filesystem" },
	.kind = "edit",
	.fields = fields,
	.out = naming_out_fields,
	.args_size = sizeof(struct create_args),
	.out_size = sizeof(struct naming_out),
	.effects = TOOL_TREE,
	.loses_nothing = true,
	.idempotent = true,
	.run = create_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
