/*
 * undo_report.c - prints what `stet undo` and `stet redo` did.
 */
#include "app/undo_report.h"

#include "app/screen.h"
#include "tools/call/result.h"

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
			"%s unchanged; resolve the conflicts with --conflicts=markers, ours or theirs.\n",
			o->files > 1 ? "All files of the change are"
				     : "The file is");
	else if (o->fault.hint.len)
		screen_warn(STR_FMT "\n", STR_ARG(o->fault.hint));
}

static struct str remark(struct history_cli *p, const struct undone *u)
{
	if (u->left)
		return STR(": it stays, because it was changed since");
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
	if (o->rest)
		screen_print(
			s, INK_PLAIN,
			"%zu other file%s of the same change %s not undone.\n",
			o->rest, o->rest == 1 ? "" : "s",
			o->rest == 1 ? "is" : "are");
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

int undo_report(struct history_cli *p, const struct outcomes *all)
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
