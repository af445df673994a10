/*
 * cmd_undo.c - the commands `stet undo` and `stet redo`.
 *
 * Select operations of the history, show what undoing them would do, and undo
 * or redo them through tools/history/owner.h, newest first.
 */
#include "app/screen.h"
#include "app/undo_report.h"
#include "store/ids.h"

#include <limits.h>

#define DRY_RUN_OPTION                                                \
	{                                                             \
		"dry-run", NULL, OPTION_FLAG,                         \
			offsetof(struct history_cli_config, dry_run), \
			"Show what would change, without changing it" \
	}

#define ONLY_OPTION                                                            \
	{                                                                      \
		"only", "PATH", OPTION_TEXT,                                   \
			offsetof(struct history_cli_config, only),             \
			"With OP: only that file, when a call changed several" \
	}

#define ALL_OPTION                                                  \
	{                                                           \
		"all", NULL, OPTION_FLAG,                           \
			offsetof(struct history_cli_config, all),   \
			"All directories, not only the current one" \
	}

static const struct option undo_options[] = {
	{ "last", NULL, OPTION_FLAG, offsetof(struct history_cli_config, last),
	  "Only the latest operation (the default)" },
	{ "session", "ID", OPTION_TEXT,
	  offsetof(struct history_cli_config, session),
	  "All operations of that session, newest first; 'stet log' prints its id" },
	{ "since", "TIME", OPTION_TEXT,
	  offsetof(struct history_cli_config, since),
	  "All operations since TIME, newest first: 2h, 10:30, yesterday, 2026-01-15" },
	{ "until", "TIME", OPTION_TEXT,
	  offsetof(struct history_cli_config, until),
	  "With --since, --session or --client: no operations later than TIME" },
	CLIENT_OPTION,
	ONLY_OPTION,
	DRY_RUN_OPTION,
	ALL_OPTION,
	CONFLICTS_OPTION,
	RECREATED_OPTION,
	PAST_OPTIONS,
};

static const struct option redo_options[] = {
	ONLY_OPTION,
	{ "session", "ID", OPTION_TEXT,
	  offsetof(struct history_cli_config, session),
	  "All operations that one 'stet undo' undid, by the session id that it printed" },
	DRY_RUN_OPTION,
	ALL_OPTION,
	CONFLICTS_OPTION,
	RECREATED_OPTION,
	PAST_OPTIONS,
};

/* The result of undoing one operation. */
static void add_failure(struct history_cli *p, const struct op *op,
			const struct undo_group *g, struct outcomes *all)
{
	struct undo_outcome *o = arena_add(&p->mem, all->items, all->n);

	*o = (struct undo_outcome){ .op = *op,
				    .files = g->n,
				    .fault = p->fault };
	if (p->fault.err == ERR_UNDO_CONFLICT)
		all->conflicts++;
	else
		all->failed++;
}

static void add_undone(struct history_cli *p, const struct undo_group *g,
		       struct outcomes *all)
{
	for (size_t i = 0; i < g->n; i++) {
		struct undo_outcome *o = arena_add(&p->mem, all->items, all->n);

		*o = (struct undo_outcome){ .op = g->ops[i],
					    .undone = g->undone[i] };
		if (i == g->n - 1)
			o->rest = g->rest;
		if (o->undone.how == REVISE_ALREADY)
			all->already++;
		else
			all->done++;
	}
}

/* Undo @op, and unless @only what its call changed in other files. */
static void undo_one(struct history_cli *p, const struct op *op, bool only,
		     struct outcomes *all)
{
	struct undo_group g = { .n = 1 };

	if (p->config.dry_run)
		p->owner.call.preview = &all->preview;
	if (owner_undo(&p->owner, op, only, (enum conflicts)p->config.conflicts,
		       &g))
		add_failure(p, op, &g, all);
	else
		add_undone(p, &g, all);
}

static int nothing(struct history_cli *p, const char *what)
{
	struct str hint = STR(
		"Only the current directory was searched; --all searches everywhere");

	if (p->config.all || p->config.session)
		hint = STR("");
	if (p->where)
		hint = arena_printf(
			&p->mem,
			"The history has no change of '%s'. " ID_TOO_SHORT,
			p->where);
	(void)fail(&p->fault, ERR_NO_UNDO, .name = str_of(what), .hint = hint);
	return history_cli_failed(p);
}

/* Neither @op nor what its call changed in other files. */
static bool not_tried(void *ctx, const struct op *op)
{
	const struct outcomes *all = ctx;

	for (size_t i = 0; i < all->n; i++)
		if (uuid_eq(op_group(&all->items[i].op), op_group(op)))
			return false;
	return true;
}

/* Undoes the latest operation that can be undone. */
static int undo_last(struct history_cli *p, const struct history_query *q,
		     enum op_role role, const char *what)
{
	struct outcomes all = { 0 };
	struct op_pick pick = { *q, role, not_tried, &all };
	struct op op;
	enum err e;

	do {
		e = op_pick_last(p->store, &pick, &p->mem, &op, &p->fault);
		if (!e)
			undo_one(p, &op, /* only= */ false, &all);
	} while (!e && all.already == all.n);
	if (e && !all.n)
		return e == ERR_NO_UNDO ? nothing(p, what)
					: history_cli_failed(p);
	return undo_report(p, &all);
}

static int undo_all(struct history_cli *p, const struct history_query *q,
		    enum op_role role)
{
	static char does[] = "undoing", looks[] = "looking at";
	char *words = p->config.dry_run ? looks : does;
	struct op_pick pick = { *q, role, NULL, NULL };
	struct outcomes all = { 0 };
	struct op *ops;
	size_t n;

	if (op_pick_all(p->store, &pick, &p->mem, &ops, &n, &p->fault))
		return history_cli_failed(p);
	if (!n)
		return nothing(p, p->command->name);
	for (size_t i = 0; i < n; i++) {
		screen_progress(words, i, n);
		if (not_tried(&all, &ops[i]))
			undo_one(p, &ops[i], /* only= */ false, &all);
	}
	screen_progress(words, n, n);
	return undo_report(p, &all);
}

/* With --only: the operation of the group of *@op on that path, now or then. */
static enum err choose_only(struct history_cli *p, struct op *op)
{
	struct undo_group g;
	struct str path;
	struct op *ops;
	size_t n;
	enum err e = history_group(p->store, op_group(op), &p->mem, &ops, &n,
				   &p->fault);

	if (e || !p->config.only)
		return e;
	path = history_cli_path(p, p->config.only);
	for (size_t i = 0; i < n; i++) {
		e = undo_group_find(p->store, &ops[i], /* only= */ true,
				    &p->mem, &g, &p->fault);
		if (e)
			return e;
		if (!str_eq(ops[i].path, path) && !str_eq(g.ops->path, path))
			continue;
		*op = ops[i];
		return ERR_OK;
	}
	return fail(&p->fault, ERR_NO_OP, .text = op_id(op->id, &p->mem),
		    .hint = arena_printf(
			    &p->mem,
			    "It did not change " STR_FMT
			    ": 'stet log --files' lists what it changed",
			    STR_ARG(path)));
}

static int undo_named(struct history_cli *p, const struct command_line *line)
{
	struct outcomes all = { 0 };
	struct op op;

	for (int i = line->at; i < line->argc; i++) {
		if (history_cli_find(p, line->argv[i], &op) ||
		    choose_only(p, &op))
			return all.n ? (void)undo_report(p, &all),
			       history_cli_failed(p) : history_cli_failed(p);
		if (p->config.only || not_tried(&all, &op))
			undo_one(p, &op, p->config.only, &all);
	}
	return undo_report(p, &all);
}

static int undo_run(const struct command *command, struct command_line *line)
{
	struct history_query q;
	auto_history_cli p = { 0 };
	const char *where = NULL;
	int status, words;

	if (!history_cli_begin(&p, command, line, /* writes= */ true,
			       /* most_words= */ INT_MAX, &status))
		return status;
	words = line->argc - line->at;
	if (words && history_cli_is_id(line->argv[line->at])) {
		if (p.config.session || p.config.since || p.config.last ||
		    p.config.client || p.config.until)
			return history_cli_misused(
				&p,
				"operations cannot be combined with --last, --session, --client, --since or --until");
		return undo_named(&p, line);
	}
	if (p.config.only)
		return history_cli_misused(&p, "--only needs an operation");
	if (words)
		where = line->argv[line->at];
	if (words > 1)
		return command_surplus(command, line->argv[line->at + 1]);
	if (history_cli_query(&p, where, &q))
		return command_misused(command, &p.fault);
	if (p.config.session || p.config.since || p.config.client)
		return p.config.last ? undo_last(&p, &q, OP_DOES, "undo")
				     : undo_all(&p, &q, OP_DOES);
	if (p.config.until && !p.config.last)
		return history_cli_misused(
			&p,
			"--until needs --since, --session, --client or --last");
	return undo_last(&p, &q, OP_DOES, "undo");
}

const struct command command_undo = {
	.name = "undo",
	.usage = "[OPTION...] [OP...|PATH]",
	.summary = "Undo changes",
	.about =
		"Undo the operation OP, or the latest one on PATH (a file, or a directory with\n"
		"all files beneath it; default: the current directory). OP is an id that 'stet\n"
		"log' shows, or a part of it (at least 4 digits). Later changes of the file are\n"
		"kept (three-way merge); if they overlap, that is a conflict: the file stays as\n"
		"it is, and the exit status is 10. Prints what changed and how to revert it;\n"
		"--dry-run only shows it. An undo is an operation too, and can be undone.\n"
		"Directories that were created for a file are removed with it if empty.\n"
		"What one call changed in several files is undone together, or not at all; with\n"
		"--only PATH just that file.",
	.options = undo_options,
	.run = undo_run,
};

static int redo_named(struct history_cli *p, const char *word)
{
	struct outcomes all = { 0 };
	struct op op, undoing;
	enum err e;

	if (history_cli_find(p, word, &op))
		return history_cli_failed(p);
	e = choose_only(p, &op);
	if (!e)
		e = owner_undoing(&p->owner, &op, &undoing);
	if (e == ERR_NO_UNDO)
		p->fault.hint = STR("This operation is not undone");
	if (e)
		return history_cli_failed(p);
	undo_one(p, &undoing, p->config.only, &all);
	return undo_report(p, &all);
}

static int redo_run(const struct command *command, struct command_line *line)
{
	struct history_query q;
	auto_history_cli p = { 0 };
	const char *where = NULL;
	int status;

	if (!history_cli_begin(&p, command, line, /* writes= */ true,
			       /* most_words= */ 1, &status))
		return status;
	if (line->at < line->argc)
		where = line->argv[line->at];
	if (where && history_cli_is_id(where))
		return redo_named(&p, where);
	if (p.config.only)
		return history_cli_misused(&p, "--only needs an operation");
	if (history_cli_query(&p, where, &q))
		return command_misused(command, &p.fault);
	if (p.config.session)
		return undo_all(&p, &q, OP_UNDOES);
	return undo_last(&p, &q, OP_UNDOES, "redo");
}

const struct command command_redo = {
	.name = "redo",
	.usage = "[OPTION...] [OP|PATH]",
	.summary = "Redo a change that was undone",
	.about =
		"Redo what the latest 'stet undo' undid, or the operation OP (its id, or a part\n"
		"of it with at least 4 digits), or with --session all that one 'stet undo' undid.\n"
		"Later changes and conflicts are treated as by stet undo.",
	.options = redo_options,
	.run = redo_run,
};
