/* stet log, show, diff - what was done to files. */

#include "app/past.h"
#include "app/screen.h"
#include "app/when.h"
#include "store/client_name.h"
#include "text/lookalike.h"
#include "tools/approvals_json.h"

#include <unistd.h>

enum { LIMIT = 100 };

static const struct option log_options[] = {
	{ "limit", "N", OPTION_SIZE, offsetof(struct past_config, limit),
	  "How many to show, newest first (default 100, 0 = all)" },
	{ "since", "TIME", OPTION_TEXT, offsetof(struct past_config, since),
	  "Only what was done since then: 2h, 10:30, yesterday, 2026-01-15" },
	{ "until", "TIME", OPTION_TEXT, offsetof(struct past_config, until),
	  "Only what was done until then" },
	{ "session", "ID", OPTION_TEXT, offsetof(struct past_config, session),
	  "Only what was done in that session, wherever it was: its id, or a part" },
	CLIENT_OPTION,
	{ "all", NULL, OPTION_FLAG, offsetof(struct past_config, all),
	  "Everywhere, not only beneath the current directory" },
	PAST_OPTIONS,
};

static void show_flags(struct past *p, struct screen *s, const struct op *op)
{
	if (!uuid_is_zero(op->undoes)) {
		screen_print(s, INK_CYAN, ", %s ",
			     op_role(p->store, op) == OP_REDOES
				     ? "redo by undoing"
				     : "undoes");
		screen_name(s, INK_CYAN, past_id(p, op->undoes));
	}
	if (op->state != OP_DONE)
		screen_print(s, INK_RED, " (%s)", op_state_name(op->state));
	else if (!op_active(p->store, op))
		screen_print(s, INK_YELLOW, " (undone)");
}

static void show_line(struct past *p, struct screen *s, const struct op *op)
{
	struct str when = when_short(op->time_ms, p->now_ms, &p->mem);

	screen_name(s, INK_YELLOW, past_id(p, op->id));
	screen_print(s, INK_DIM, "  %-16.*s", (int)when.len, when.ptr);
	screen_print(s, INK_PLAIN, "  %-6s  ", op_kind_name(op->kind));
	screen_name(s, INK_BOLD, past_shown(p, op->path));
	screen_print(s, INK_DIM, "  " STR_FMT, STR_ARG(op->tool));
	screen_print(s, INK_DIM, ", ");
	screen_name(s, INK_DIM, client_words(op->scope, op->client, &p->mem));
	if (op->session.len)
		screen_print(s, INK_DIM, ", session " STR_FMT,
			     STR_ARG(past_session(op->session)));
	show_flags(p, s, op);
	buf_addc(&s->out, '\n');
}

static void put_json(struct past *p, struct screen *s, const struct op *ops,
		     size_t n)
{
	struct json_out o = json_out(&s->out);

	json_open(&o, '{');
	json_key(&o, "operations");
	json_open(&o, '[');
	for (size_t i = 0; i < n; i++)
		past_put_op(p, &o, &ops[i]);
	json_close(&o, ']');
	json_close(&o, '}');
	buf_lit(&s->out, "\n");
}

static int show_log(struct past *p, const struct op *ops, size_t n,
		    const char *where)
{
	auto_screen s =
		screen_begin(p->config.json ? SCREEN_JSON : SCREEN_PAGED);

	if (p->config.json) {
		put_json(p, &s, ops, n);
		return screen_end(&s);
	}
	if (!n) {
		screen_warn(
			"stet log: nothing was done%s%s yet, as far as the history goes%s\n",
			where           ? " to "
			: p->config.all ? ""
					: " here",
			where ? where : "",
			where || p->config.all ? "" : " (--all: everywhere)");
		screen_warn(
			"Calls that failed or were denied are not in the history: see Activity on the\n"
			"page ('stet open'), or 'stet serve --audit FILE'.\n");
	}
	for (size_t i = 0; i < n; i++)
		show_line(p, &s, &ops[i]);
	return screen_end(&s);
}

static int log_run(const struct command *command, struct command_line *line)
{
	struct history_query q;
	auto_past p = { 0 };
	const char *where = NULL;
	struct op *ops;
	int status;
	size_t n;

	p.config.limit = LIMIT;
	if (!past_begin(&p, command, line, /* writes= */ false, &status))
		return status;
	if (line->at < line->argc)
		where = line->argv[line->at++];
	if (line->at < line->argc)
		return past_misused(&p, "one file or directory at a time");
	if (past_query(&p, where, &q))
		return command_misused(command, &p.fault);
	q.intents = true;
	q.limit = p.config.limit ? p.config.limit : SIZE_MAX / 2;
	if (history_list(p.store, &q, &p.mem, &ops, &n, &p.fault))
		return past_failed(&p);
	return show_log(&p, ops, n, where);
}

const struct command command_log = {
	.name = "log",
	.usage = "[OPTION...] [PATH]",
	.summary = "List what was done to files, newest first",
	.about =
		"List the operations on PATH, a file or all files beneath a directory; the\n"
		"current directory if none is named. The digits in front name an operation:\n"
		"stet show, stet diff and stet undo take them. They are the last ones of its id,\n"
		"as the first are the time; any part of an id will do that no other has.\n"
		"Calls that failed or were denied changed nothing and are not listed: they are\n"
		"under Activity on the page ('stet open'), and in the file of --audit.",
	.options = log_options,
	.run = log_run,
};

static const char *const side_choices[] = { "none", "before", "after", NULL };

static const struct option show_options[] = {
	{ "content", "before|after", OPTION_CHOICE,
	  offsetof(struct past_config, side),
	  "Write the file as it was before, or afterwards, byte for byte",
	  side_choices },
	PAST_OPTIONS,
};

static const struct option diff_options[] = {
	PAST_OPTIONS,
};

static void show_row(struct screen *s, const char *name, struct str value)
{
	if (!value.len)
		return;
	screen_print(s, INK_DIM, "%-10s", name);
	screen_name(s, INK_PLAIN, value);
	buf_addc(&s->out, '\n');
}

/* What no line of the diff shows. */
static void show_facts(struct screen *s, const struct description *d)
{
	struct str does = d->does, badges = d->badges, line;

	while (does.len && str_split(&does, '\n', &line))
		show_row(s, "does", line);
	while (badges.len && str_split(&badges, '\n', &line))
		show_row(s, "in", line);
}

static void show_header(struct past *p, struct screen *s, const struct op *op,
			const struct description *d)
{
	struct op_row row;

	op_row_fill(p->store, op, &p->mem, &row);
	screen_print(s, INK_YELLOW, "operation " STR_FMT, STR_ARG(row.id));
	show_flags(p, s, op);
	buf_addc(&s->out, '\n');
	show_row(s, "file", row.path);
	show_row(s, "time", when_long(op->time_ms, p->now_ms, &p->mem));
	show_row(s, "kind", row.kind);
	show_row(s, "state", row.state);
	show_row(s, "tool", row.tool);
	show_row(s, "client", client_words(op->scope, op->client, &p->mem));
	show_row(s, "session", row.session);
	show_row(s, "undoes", row.undoes);
	show_row(s, "undone by", row.undone);
	show_row(s, "size",
		 arena_printf(&p->mem, "%llu -> %llu bytes",
			      (unsigned long long)op->bytes_before,
			      (unsigned long long)op->bytes_after));
	if (op->mode_before != op->mode_after)
		show_row(s, "mode",
			 arena_printf(&p->mem, "%04o -> %04o", op->mode_before,
				      op->mode_after));
	show_row(s, "beware", lookalike_words(op->path, &p->mem));
	show_facts(s, d);
	buf_addc(&s->out, '\n');
}

static enum err make_diff(struct past *p, const struct op *op, struct buf *out,
			  struct description *ret)
{
	*ret = (struct description){ .does = STR("") };
	return undo_diff(p->store, op, past_shown(p, op->path), &p->mem, out,
			 ret, &p->fault);
}

static int show_json(struct past *p, struct screen *s, const struct op *op,
		     struct str diff, const struct description *d)
{
	struct json_out o = json_out(&s->out);

	json_open(&o, '{');
	json_key(&o, "operation");
	past_put_op(p, &o, op);
	json_key(&o, "diff");
	json_put_str(&o, diff);
	approvals_put_lines(&o, "does", d->does);
	approvals_put_lines(&o, "badges", d->badges);
	json_close(&o, '}');
	buf_lit(&s->out, "\n");
	s->kind = SCREEN_JSON;
	return screen_end(s);
}

static int show_content(struct past *p, const struct op *op, bool before)
{
	auto_screen s = screen_begin(SCREEN_BYTES);
	struct side side = { .exists = op->existed };
	enum err e = ERR_OK;

	owner_reach(&p->owner, op->path);
	if (!before)
		e = undo_content(&p->owner.call, op, &side);
	else if (op->existed)
		e = history_content(p->store, op, HISTORY_BEFORE, &p->mem,
				    &side.bytes, &p->fault);
	if (!e && !side.exists)
		e = fail(&p->fault, ERR_NOT_FOUND, .path = op->path,
			 .hint = STR("There was no such file then"));
	if (e)
		return past_failed(p);
	buf_add(&s.out, side.bytes);
	return screen_end(&s);
}

static int show_operation(const struct command *command,
			  struct command_line *line, bool header)
{
	auto_screen s = screen_begin(SCREEN_PAGED);
	auto_buf diff = BUF_INIT;
	auto_past p = { 0 };
	struct description d;
	struct op op;
	int status;

	if (!past_begin(&p, command, line, /* writes= */ false, &status))
		return status;
	if (line->argc - line->at != 1)
		return past_misused(&p, "which operation? (see 'stet log')");
	if (past_find(&p, line->argv[line->at], &op))
		return past_failed(&p);
	if (p.config.side)
		return show_content(&p, &op, p.config.side == 1);
	if (make_diff(&p, &op, &diff, &d)) {
		if (!header || p.fault.err != ERR_NO_CONTENT)
			return past_failed(&p);
		buf_lit(&diff, "The contents are no longer kept\n");
	}
	if (p.config.json)
		return show_json(&p, &s, &op, buf_str(&diff), &d);
	if (header)
		show_header(&p, &s, &op, &d);
	if (header || s.terminal)
		screen_diff(&s, buf_str(&diff));
	else /* a program reads it, and wants a patch */
		buf_add(&s.out, buf_str(&diff));
	if (!header && !diff.len && d.does.len)
		screen_warn("No lines to show: " STR_FMT "\n", STR_ARG(d.does));
	return screen_end(&s);
}

static int show_run(const struct command *command, struct command_line *line)
{
	return show_operation(command, line, /* header= */ true);
}

static int diff_run(const struct command *command, struct command_line *line)
{
	return show_operation(command, line, /* header= */ false);
}

const struct command command_show = {
	.name = "show",
	.usage = "[OPTION...] OP",
	.summary = "Show one operation and what it changed",
	.about =
		"Show all that is known of the operation OP, and its diff. OP is its id, or a part\n"
		"of it that no other has, as 'stet log' prints it.",
	.options = show_options,
	.run = show_run,
};

const struct command command_diff = {
	.name = "diff",
	.usage = "[OPTION...] OP",
	.summary = "Show what an operation changed, as a patch",
	.about =
		"Show what the operation OP changed, as patch and git apply read it. Of an\n"
		"append, what was added; of what is no text, only the sizes. On a terminal,\n"
		"characters that cannot be seen are spelled out; in a pipe it is exact.",
	.options = diff_options,
	.run = diff_run,
};
