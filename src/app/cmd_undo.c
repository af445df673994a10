/*
 * cmd_undo.c - the commands `stet undo` and `stet redo`.
 *
 * Select operations of the history, show what undoing them would do, and undo
 * or redo them through tools/history/owner.h, newest first.
 */
#include "app/history_cli.h"
#include "app/screen.h"
#include "store/ids.h"
#include "tools/call/result.h"

#include <limits.h>

#define DRY_RUN_OPTION                                                \
	{                                                             \
		"dry-run", NULL, OPTION_FLAG,                         \
			offsetof(struct history_cli_config, dry_run), \
			"Show what would change, without changing it" \
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
	DRY_RUN_OPTION,
	ALL_OPTION,
	CONFLICTS_OPTION,
	RECREATED_OPTION,
	PAST_OPTIONS,
};

static const struct option redo_options[] = {
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
struct undo_outcome {
	struct op op;
	struct fault fault; /* .err 0 = success */
	struct undone undone;
};

struct outcomes {
	struct undo_outcome *items;
	size_t n, done, already, conflicts, failed;
	struct undo_preview preview; /* filled by --dry-run */
};

static void undo_one(struct history_cli *p, const struct op *op,
		     struct outcomes *all)
{
	struct undo_outcome *o;
	enum err e;

	o = arena_add(&p->mem, all->items, all->n);
	o->op = *op;
	if (p->config.dry_run)
		p->owner.call.preview = &all->preview;
	e = owner_undo(&p->owner, op, (enum conflicts)p->config.conflicts,
		       &o->undone);
	if (e)
		o->fault = p->fault;
	if (e == ERR_UNDO_CONFLICT)
		all->conflicts++;
	else if (e)
		all->failed++;
	else if (o->undone.how == REVISE_ALREADY)
		all->already++;
	else
		all->done++;
}

static void show_fault(struct history_cli *p, const struct undo_outcome *o)
{
	auto_buf words = BUF_INIT;

	fault_add_message(&o->fault, &words);
	screen_warn("stet %s: " STR_FMT "\n", p->command->name,
		    STR_ARG(buf_str(&words)));
	if (o->fault.changed.len)
		screen_warn_text(o->fault.changed);
	if (o->fault.err == ERR_UNDO_CONFLICT)
		screen_warn(
			"The file is unchanged; resolve the conflicts with --conflicts=markers, ours or theirs.\n");
	else if (o->fault.hint.len)
		screen_warn(STR_FMT "\n", STR_ARG(o->fault.hint));
}

static struct str remark(struct history_cli *p, const struct undone *u)
{
	if (u->how == REVISE_ALREADY)
		return STR(
			": nothing to do, the file already has this content");
	if (u->removed)
		return STR(" (the file is removed)");
	if (u->created)
		return STR(" (the file is restored)");
	if (u->conflicts)
		return history_cli_settled(p, u->conflicts);
	if (u->how == REVISE_MERGED)
		return STR(" (later changes are kept)");
	return STR("");
}

static void show_outcome(struct history_cli *p, struct screen *s,
			 const struct undo_outcome *o)
{
	if (o->fault.err) {
		show_fault(p, o);
		return;
	}
	screen_print(s, INK_GREEN, "%s%s ", p->config.dry_run ? "would " : "",
		     p->command->name);
	screen_name(s, INK_YELLOW, history_cli_id(p, o->op.id));
	screen_print(s, INK_PLAIN, " %s ", op_kind_name(o->op.kind));
	screen_name(s, INK_BOLD, history_cli_shown(p, o->op.path));
	screen_print(s, INK_DIM, STR_FMT "\n", STR_ARG(remark(p, &o->undone)));
	screen_diff(s, o->undone.diff);
}

/*
 * Prints the one command that reverses this one: an undo of several operations
 * is a session of its own; redone operations are named by id, newest first.
 */
static void show_way_back(struct history_cli *p, struct screen *s,
			  const struct outcomes *all)
{
	bool undo = p->command == &command_undo;

	screen_print(s, INK_PLAIN, "To revert this: " STR_FMT,
		     STR_ARG(history_cli_command(p, undo ? "redo" : "undo")));
	if (undo && all->done > 1)
		screen_print(s, INK_PLAIN, " --session " STR_FMT,
			     STR_ARG(history_cli_session(
				     p->owner.caller.session)));
	for (size_t i = all->n; i-- && !(undo && all->done > 1);) {
		const struct undo_outcome *o = &all->items[i];

		if (!o->fault.err && o->undone.how != REVISE_ALREADY)
			screen_print(s, INK_PLAIN, " " STR_FMT,
				     STR_ARG(history_cli_id(
					     p,
					     undo ? o->op.id : o->op.undoes)));
	}
	buf_addc(&s->out, '\n');
}

static void put_outcome(struct history_cli *p, struct json_out *j,
			const struct undo_outcome *o)
{
	json_open(j, '{');
	json_key(j, "operation");
	json_put_str(j, op_id(o->op.id, &p->mem));
	json_key(j, "path");
	json_put_str(j, o->op.path);
	json_key(j, "result");
	if (o->fault.err) {
		json_put_str(j, o->fault.err == ERR_UNDO_CONFLICT
					? STR("conflict")
					: STR("failed"));
		json_key(j, "error");
		result_put_error(j, &o->fault);
	} else {
		json_put_str(j, str_of(revise_how_name(o->undone.how)));
		json_key(j, "undone_by");
		json_put_str(j, o->undone.changed.op_text);
		json_key(j, "removed");
		json_put_bool(j, o->undone.removed);
		json_key(j, "created");
		json_put_bool(j, o->undone.created);
		json_key(j, "diff");
		json_put_str(j, o->undone.diff);
	}
	json_close(j, '}');
}

static void put_count(struct json_out *j, const char *name, size_t n)
{
	json_key(j, name);
	json_put_int(j, (int64_t)n);
}

static void put_outcomes(struct history_cli *p, struct screen *s,
			 const struct outcomes *all)
{
	struct json_out j = json_out(&s->out);

	json_open(&j, '{');
	json_key(&j, "results");
	json_open(&j, '[');
	for (size_t i = 0; i < all->n; i++)
		put_outcome(p, &j, &all->items[i]);
	json_close(&j, ']');
	json_key(&j, "dry_run");
	json_put_bool(&j, p->config.dry_run);
	put_count(&j, "undone", all->done);
	put_count(&j, "already", all->already);
	put_count(&j, "conflicts", all->conflicts);
	put_count(&j, "failed", all->failed);
	json_close(&j, '}');
	buf_lit(&s->out, "\n");
}

static int exit_of(const struct outcomes *all)
{
	if (all->conflicts)
		return err_exit(ERR_UNDO_CONFLICT);
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].fault.err)
			return err_exit(all->items[i].fault.err);
	return 0;
}

static int undo_report(struct history_cli *p, const struct outcomes *all)
{
	auto_screen s =
		screen_begin(p->config.json ? SCREEN_JSON : SCREEN_TEXT);
	int status = exit_of(all);

	if (p->config.json) {
		put_outcomes(p, &s, all);
	} else {
		for (size_t i = 0; i < all->n; i++)
			show_outcome(p, &s, &all->items[i]);
		if (all->n > 1)
			screen_print(&s, INK_PLAIN,
				     "%zu %s, %zu conflicts, %zu failed\n",
				     all->done,
				     p->config.dry_run ? "would be done"
						       : "done",
				     all->conflicts, all->failed);
		if (p->config.dry_run)
			screen_print(&s, INK_PLAIN,
				     "Nothing was changed (--dry-run).\n");
		else if (all->done)
			show_way_back(p, &s, all);
	}
	return screen_end(&s) ? 1 : status;
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

static bool not_tried(void *ctx, const struct op *op)
{
	const struct outcomes *all = ctx;

	for (size_t i = 0; i < all->n; i++)
		if (uuid_eq(all->items[i].op.id, op->id))
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
			undo_one(p, &op, &all);
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
		undo_one(p, &ops[i], &all);
	}
	screen_progress(words, n, n);
	return undo_report(p, &all);
}

static int undo_named(struct history_cli *p, const struct command_line *line)
{
	struct outcomes all = { 0 };
	struct op op;

	for (int i = line->at; i < line->argc; i++) {
		if (history_cli_find(p, line->argv[i], &op))
			return all.n ? (void)undo_report(p, &all),
			       history_cli_failed(p) : history_cli_failed(p);
		undo_one(p, &op, &all);
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
		"Directories that were created for a file are removed with it if empty.",
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
	e = owner_undoing(&p->owner, &op, &undoing);
	if (e == ERR_NO_UNDO)
		p->fault.hint = STR("This operation is not undone");
	if (e)
		return history_cli_failed(p);
	undo_one(p, &undoing, &all);
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
