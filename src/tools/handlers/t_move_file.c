/*
 * t_move_file.c - the tool move_file: another name for a file, symlink or
 * directory.
 */
#include "tools/find/find.h"
#include "tools/handlers/naming.h"

struct move_args {
	struct str source, destination;
};

static enum err move_run(struct call *c)
{
	const struct move_args *a = c->args;
	struct tree_changed changed;
	struct move move = { 0 };
	enum err e = find_absolute(c, a->source, &move.from);

	if (!e)
		e = find_absolute(c, a->destination, &move.to);
	if (!e)
		e = change_move(c, &move, &changed);
	if (e)
		return e;
	naming_report(c, &changed,
		      arena_printf(c->mem,
				   "Successfully moved " STR_FMT " to " STR_FMT,
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
	  .offset = offsetof(struct move_args, source),
	  .doc = "File, link or directory to move", .aliases = source_names },
	{ "destination", FIELD_STR, .required = true,
	  .offset = offsetof(struct move_args, destination),
	  .doc = "Its new path; must not exist", .aliases = destination_names },
	FIELDS_END,
};

static const char *const constraints[] = {
	"Only beneath the roots, and only within one filesystem; missing directories are not made",
	"Never replaces anything: the destination must not exist, even if it appears at the same moment",
	"A symlink is moved itself, and what it leads to stays",
	"A name that differs only in case is allowed where the filesystem takes both as equal",
	"A root, a directory that holds one, and stet's own files are not moved",
	"Rules are applied to both names, and to every file beneath a directory",
	"What has been read counts as read under the new name",
	NULL,
};

static const struct tool_example examples[] = {
	{ "Rename a file",
	  "{\"source\":\"notes.txt\",\"destination\":\"docs/notes.md\"}",
	  "{\"content\":\"Successfully moved notes.txt to docs/notes.md\"}" },
	{ NULL },
};

const struct tool tool_move_file = {
	.name = "move_file",
	.title = "Move File",
	.doc = "Move or rename a file, a link or a directory. Never replaces anything.",
	.families = { "manage", "filesystem" },
	.kind = "move",
	.fields = fields,
	.out = naming_out_fields,
	.args_size = sizeof(struct move_args),
	.out_size = sizeof(struct naming_out),
	.effects = TOOL_TREE,
	.loses_nothing = true,
	.run = move_run,
	.text_result = true,
	.fails_as_result = true,
	.constraints = constraints,
	.examples = examples,
};
