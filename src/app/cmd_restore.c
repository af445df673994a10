/*
 * stet restore - a file as it was at some time.
 * stet replay - operations once more, on another file.
 */

#include "app/past.h"
#include "app/screen.h"
#include "app/when.h"

static const struct option restore_options[] = {
	{ "at", "TIME|OP", OPTION_TEXT, offsetof(struct past_config, at),
	  "As it was then, or right after the operation OP" },
	RECREATED_OPTION,
	PAST_OPTIONS,
};

static const struct option replay_options[] = {
	{ "onto", "PATH", OPTION_TEXT, offsetof(struct past_config, onto),
	  "The file to change" },
	CONFLICTS_OPTION,
	PAST_OPTIONS,
};

/* @n is how many operations were replayed. */
static int report(struct past *p, struct str path, size_t n,
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
	screen_name(&s, INK_BOLD, past_shown(p, path));
	if (u->how == REVISE_ALREADY)
		screen_print(&s, INK_PLAIN, ": it is so already");
	if (u->removed)
		screen_print(&s, INK_PLAIN, " (the file is removed)");
	if (u->created)
		screen_print(&s, INK_PLAIN, " (the file is there again)");
	if (u->conflicts)
		screen_print(&s, INK_PLAIN, STR_FMT,
			     STR_ARG(past_settled(p, u->conflicts)));
	else if (u->how == REVISE_MERGED)
		screen_print(&s, INK_PLAIN,
			     " (merged with what else is in the file)");
	buf_addc(&s.out, '\n');
	screen_diff(&s, u->diff);
	if (u->how != REVISE_ALREADY)
		screen_print(&s, INK_PLAIN,
			     "To take this back: " STR_FMT " " STR_FMT "\n",
			     STR_ARG(past_command(p, "undo")),
			     STR_ARG(past_id(p, u->changed.op)));
	return screen_end(&s);
}

/* A date has its first dash where an id has a digit. */
static bool means_operation(const char *word)
{
	return past_is_id(word) && strlen(word) >= 8 && word[4] != '-';
}

static enum err find_side(struct past *p, struct str path, struct side *ret)
{
	const char *at = p->config.at;
	uint64_t time_ms;
	struct op op;

	if (!means_operation(at) && when_parse(str_of(at), p->now_ms, &time_ms))
		return owner_at_time(&p->owner, path, time_ms, ret);
	if (past_find(p, at, &op))
		return p->fault.err;
	return owner_at_op(&p->owner, path, &op, ret);
}

static int restore_run(const struct command *command, struct command_line *line)
{
	struct undone undone;
	struct side side;
	auto_past p = { 0 };
	struct str path;
	int status;

	if (!past_begin(&p, command, line, /* writes= */ true, &status))
		return status;
	if (line->argc - line->at != 1)
		return past_misused(&p, "which file?");
	if (!p.config.at)
		return past_misused(&p,
				    "--at says when: a time, or an operation");
	path = past_path(&p, line->argv[line->at]);
	owner_reach(&p.owner, path);
	if (find_side(&p, path, &side) ||
	    owner_restore(&p.owner, path, &side, &undone))
		return past_failed(&p);
	return report(&p, path, 0, &undone);
}

const struct command command_restore = {
	.name = "restore",
	.usage = "[OPTION...] PATH --at TIME|OP",
	.summary = "Make a file what it was at some time",
	.about =
		"Make PATH what it was at TIME (2h, 10:30, yesterday, 2026-01-15,\n"
		"2026-01-15T10:30:00Z) or right after the operation OP, as far as it was changed\n"
		"through stet. What it is now is kept in the history: stet undo takes it back.",
	.options = restore_options,
	.run = restore_run,
};

static int replay_run(const struct command *command, struct command_line *line)
{
	struct undone undone;
	auto_past p = { 0 };
	struct str path;
	struct op *ops;
	size_t n;
	int status;

	if (!past_begin(&p, command, line, /* writes= */ true, &status))
		return status;
	n = (size_t)(line->argc - line->at);
	if (!n)
		return past_misused(&p, "which operations? (see 'stet log')");
	if (!p.config.onto)
		return past_misused(
			&p,
			"--onto says which file gets the changes: stet replay OP... --onto PATH");
	ops = arena_array(&p.mem, struct op, n);
	for (size_t i = 0; i < n; i++)
		if (past_find(&p, line->argv[line->at + (int)i], &ops[i]))
			return past_failed(&p);
	path = past_path(&p, p.config.onto);
	owner_reach(&p.owner, path);
	if (undo_replay(&p.owner.call, ops, n, path,
			(enum conflicts)p.config.conflicts, &undone))
		return past_failed(&p);
	return report(&p, path, n, &undone);
}

const struct command command_replay = {
	.name = "replay",
	.usage = "[OPTION...] OP... --onto PATH",
	.summary = "Make the changes of operations again, in another file",
	.about =
		"Take the changes that each OP made (see 'stet log'), and make them in PATH as\n"
		"well, in the order given: an edit to one file, applied to its copy in another\n"
		"branch, for example. The files of the operations stay as they are. PATH gets all\n"
		"of the changes or, when one is in conflict with what is there, none. Prints what\n"
		"changed, and the command that takes it back.",
	.options = replay_options,
	.run = replay_run,
};
