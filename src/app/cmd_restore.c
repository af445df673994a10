/*
 * cmd_restore.c - the commands `stet restore` and `stet replay`.
 *
 * restore writes a file as it was at some time; replay applies operations once
 * more, to another file. Both go through tools/history/owner.h, so the result
 * is an operation of the history and can be undone.
 */
#include "app/history_cli.h"
#include "app/human_time.h"
#include "app/screen.h"

#include <limits.h>

static const struct option restore_options[] = {
	{ "at", "TIME|OP", OPTION_TEXT, offsetof(struct history_cli_config, at),
	  "The version at that time, or right after the operation OP" },
	RECREATED_OPTION,
	PAST_OPTIONS,
};

static const struct option replay_options[] = {
	{ "onto", "PATH", OPTION_TEXT,
	  offsetof(struct history_cli_config, onto),
	  "The file to apply the changes to" },
	CONFLICTS_OPTION,
	PAST_OPTIONS,
};

/* @n = number of replayed operations. */
static int restore_report(struct history_cli *p, struct str path, size_t n,
			  const struct undone *u)
{
	auto_screen s =
		screen_begin(p->config.json ? SCREEN_JSON : SCREEN_TEXT);
	struct json_out o = json_out(&s.out);

	if (p->config.json) {
		json_open(&o, '{');
		json_key(&o, "path");
		json_put_str(&o, path);
		json_key(&o, "result");
		json_put_str(&o, str_of(revise_how_name(u->how)));
		json_key(&o, "operation");
		json_put_str(&o, u->changed.op_text);
		json_key(&o, "diff");
		json_put_str(&o, u->diff);
		json_close(&o, '}');
		buf_lit(&s.out, "\n");
		return screen_end(&s);
	}
	screen_print(&s, INK_GREEN, "%s ", p->command->name);
	if (p->command == &command_replay)
		screen_print(&s, INK_PLAIN, "%zu operation%s onto ", n,
			     n == 1 ? "" : "s");
	screen_name(&s, INK_BOLD, history_cli_shown(p, path));
	if (u->how == REVISE_ALREADY)
		screen_print(
			&s, INK_PLAIN,
			": nothing to do, the file already has this content");
	if (u->removed)
		screen_print(&s, INK_PLAIN, " (the file is removed)");
	if (u->created)
		screen_print(&s, INK_PLAIN, " (the file is restored)");
	if (u->conflicts)
		screen_print(&s, INK_PLAIN, STR_FMT,
			     STR_ARG(history_cli_settled(p, u->conflicts)));
	else if (u->how == REVISE_MERGED)
		screen_print(&s, INK_PLAIN,
			     " (merged with the rest of the file)");
	buf_addc(&s.out, '\n');
	screen_diff(&s, u->diff);
	if (u->how != REVISE_ALREADY)
		screen_print(&s, INK_PLAIN,
			     "To revert this: " STR_FMT " " STR_FMT "\n",
			     STR_ARG(history_cli_command(p, "undo")),
			     STR_ARG(history_cli_id(p, u->changed.op)));
	return screen_end(&s);
}

/* Tells an id from a date by the position of the first dash. */
static bool means_operation(const char *word)
{
	return history_cli_is_id(word) && strlen(word) >= 8 && word[4] != '-';
}

static enum err find_side(struct history_cli *p, struct str path,
			  struct file_content *ret)
{
	const char *at = p->config.at;
	uint64_t time_ms;
	struct op op;

	if (!means_operation(at) &&
	    human_time_parse(str_of(at), p->now_ms, &time_ms))
		return owner_at_time(&p->owner, path, time_ms, ret);
	if (history_cli_find(p, at, &op))
		return p->fault.err;
	return owner_at_op(&p->owner, path, &op, ret);
}

static int restore_run(const struct command *command, struct command_line *line)
{
	struct undone undone;
	struct file_content side;
	auto_history_cli p = { 0 };
	struct str path;
	int status;

	if (!history_cli_begin(&p, command, line, /* writes= */ true,
			       /* most_words= */ 1, &status))
		return status;
	if (line->at == line->argc)
		return history_cli_misused(&p, "name the file to restore");
	if (!p.config.at)
		return history_cli_misused(&p,
					   "--at TIME or --at OP is required");
	path = history_cli_path(&p, line->argv[line->at]);
	owner_reach(&p.owner, path);
	if (find_side(&p, path, &side) ||
	    owner_restore(&p.owner, path, &side, &undone))
		return history_cli_failed(&p);
	return restore_report(&p, path, 0, &undone);
}

const struct command command_restore = {
	.name = "restore",
	.usage = "[OPTION...] PATH --at TIME|OP",
	.summary = "Restore an earlier version of a file",
	.about =
		"Restore PATH to what it was at TIME (2h, 10:30, yesterday, 2026-01-15,\n"
		"2026-01-15T10:30:00Z) or right after the operation OP (its id, or a part of it\n"
		"with at least 4 digits). Only versions that stet wrote or replaced are known.\n"
		"The present content is kept in the history: stet undo brings it back.",
	.options = restore_options,
	.run = restore_run,
};

static int replay_run(const struct command *command, struct command_line *line)
{
	struct undone undone;
	auto_history_cli p = { 0 };
	struct str path;
	struct op *ops;
	size_t n;
	int status;

	if (!history_cli_begin(&p, command, line, /* writes= */ true,
			       /* most_words= */ INT_MAX, &status))
		return status;
	n = (size_t)(line->argc - line->at);
	if (!n)
		return history_cli_misused(
			&p, "name at least one operation (see 'stet log')");
	if (!p.config.onto)
		return history_cli_misused(
			&p, "--onto PATH is required: the file to change");
	ops = arena_array(&p.mem, struct op, n);
	for (size_t i = 0; i < n; i++)
		if (history_cli_find(&p, line->argv[line->at + (int)i],
				     &ops[i]))
			return history_cli_failed(&p);
	path = history_cli_path(&p, p.config.onto);
	owner_reach(&p.owner, path);
	if (undo_replay(&p.owner.call, ops, n, path,
			(enum conflicts)p.config.conflicts, &undone)) {
		if (p.fault.err == ERR_UNDO_CONFLICT)
			p.fault.hint = STR(
				"The file is unchanged; resolve the conflicts with --conflicts=markers, ours or theirs");
		return history_cli_failed(&p);
	}
	return restore_report(&p, path, n, &undone);
}

const struct command command_replay = {
	.name = "replay",
	.usage = "[OPTION...] OP... --onto PATH",
	.summary = "Apply earlier changes to another file",
	.about =
		"Apply the changes that each OP made to PATH as well, in the order given: an edit\n"
		"of one file to its copy in another branch, for example. OP is an id that 'stet\n"
		"log' shows, or a part of it (at least 4 digits). The files of the operations stay\n"
		"as they are. PATH gets all of the changes or, if one conflicts with its content,\n"
		"none. Prints what changed, and the command that reverts it.",
	.options = replay_options,
	.run = replay_run,
};
