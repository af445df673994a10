/*
 * cmd_log.c - the commands `stet log`, `stet show` and `stet diff`.
 *
 * Print operations of the history, one operation in full, or only its diff.
 * Read only; history_cli.h opens the history and parses the common options.
 */
#include "app/history_cli.h"
#include "app/human_time.h"
#include "app/log_lines.h"
#include "app/screen.h"
#include "store/client_name.h"
#include "text/display/confusable_name.h"
#include "tools/permissions/approvals_json.h"

#include <unistd.h>

enum { LIMIT = 100 };

static const struct option log_options[] = {
	{ "limit", "N", OPTION_SIZE, offsetof(struct history_cli_config, limit),
	  "Maximum number of operations, newest first (default 100, 0 = all)" },
	{ "since", "TIME", OPTION_TEXT,
	  offsetof(struct history_cli_config, since),
	  "Only operations since TIME: 2h, 10:30, yesterday, 2026-01-15" },
	{ "until", "TIME", OPTION_TEXT,
	  offsetof(struct history_cli_config, until),
	  "Only operations until TIME" },
	{ "session", "ID", OPTION_TEXT,
	  offsetof(struct history_cli_config, session),
	  "Only operations of that session, in all directories: its id, or a part of it" },
	CLIENT_OPTION,
	{ "files", NULL, OPTION_FLAG,
	  offsetof(struct history_cli_config, files),
	  "Also the files of calls that changed several" },
	{ "all", NULL, OPTION_FLAG, offsetof(struct history_cli_config, all),
	  "All directories, not only the current one" },
	PAST_OPTIONS,
};

static void put_json(struct history_cli *p, struct screen *s,
		     const struct op *ops, size_t n)
{
	struct json_out o = json_out(&s->out);

	json_open(&o, '{');
	json_key(&o, "operations");
	json_open(&o, '[');
	for (size_t i = 0; i < n; i++)
		history_cli_put_op(p, &o, &ops[i]);
	json_close(&o, ']');
	json_close(&o, '}');
	buf_lit(&s->out, "\n");
}

static int show_log(struct history_cli *p, const struct op *ops, size_t n,
		    const char *where)
{
	auto_screen s =
		screen_begin(p->config.json ? SCREEN_JSON : SCREEN_PAGED);

	if (p->config.json) {
		put_json(p, &s, ops, n);
		return screen_end(&s);
	}
	if (!n) {
		screen_warn("stet log: no operations%s%s in the history%s\n",
			    where           ? " to "
			    : p->config.all ? ""
					    : " here",
			    where ? where : "",
			    where || p->config.all
				    ? ""
				    : " (--all lists all directories)");
		screen_warn(
			"Calls that failed or were denied are not in the history: see Activity on the\n"
			"page ('stet open'), or 'stet serve --audit FILE'.\n");
	}
	log_lines(p, &s, ops, n);
	return screen_end(&s);
}

static int log_run(const struct command *command, struct command_line *line)
{
	struct history_query q;
	auto_history_cli p = { 0 };
	const char *where = NULL;
	struct op *ops;
	int status;
	size_t n;

	p.config.limit = LIMIT;
	if (!history_cli_begin(&p, command, line, /* writes= */ false,
			       /* most_words= */ 1, &status))
		return status;
	if (line->at < line->argc)
		where = line->argv[line->at];
	if (history_cli_query(&p, where, &q))
		return command_misused(command, &p.fault);
	q.intents = true;
	q.limit = p.config.limit ? p.config.limit : SIZE_MAX / 2;
	if (history_list(p.store, &q, &p.mem, &ops, &n, &p.fault))
		return history_cli_failed(&p);
	return show_log(&p, ops, n, where);
}

const struct command command_log = {
	.name = "log",
	.usage = "[OPTION...] [PATH]",
	.summary = "List changes of files, newest first",
	.about =
		"List the operations (changes of files) on PATH, a file or a directory with all\n"
		"files beneath it; default: the current directory. The first column is the end\n"
		"of the operation's id: stet show, stet diff and stet undo take it, or any part\n"
		"of an id (at least 4 digits) that no other id contains.\n"
		"Calls that were denied, or failed before they changed a file, are not listed:\n"
		"see Activity on the page ('stet open'), or the file of 'stet serve --audit'. A\n"
		"change that was begun and failed is marked (failed). What one call changed in\n"
		"several files is one line; --files lists them.",
	.options = log_options,
	.run = log_run,
};

static const char *const side_choices[] = { "none", "before", "after", NULL };

static const struct option show_options[] = {
	{ "content", "before|after", OPTION_CHOICE,
	  offsetof(struct history_cli_config, side),
	  "Print the whole file before or after the operation, byte for byte",
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

/* Rows for mode, encoding and the like, which the diff does not show. */
static void show_facts(struct screen *s, const struct description *d)
{
	struct str does = d->does, badges = d->badges, line;

	while (does.len && str_split(&does, '\n', &line))
		show_row(s, "does", line);
	while (badges.len && str_split(&badges, '\n', &line))
		show_row(s, "in", line);
}

static void show_header(struct history_cli *p, struct screen *s,
			const struct op *op, const struct description *d)
{
	struct op_row row;

	op_row_fill(p->store, op, &p->mem, &row);
	screen_print(s, INK_YELLOW, "operation " STR_FMT, STR_ARG(row.id));
	log_flags(p, s, op);
	buf_addc(&s->out, '\n');
	show_row(s, "file", row.path);
	show_row(s, "time", human_time_long(op->time_ms, p->now_ms, &p->mem));
	show_row(s, "kind", row.kind);
	show_row(s, "from", row.from);
	if (row.group_size)
		show_row(s, "group",
			 arena_printf(&p->mem, STR_FMT ", %lld operations",
				      STR_ARG(row.group),
				      (long long)row.group_size));
	show_row(s, "state", row.state);
	show_row(s, "tool", row.tool);
	show_row(s, "client", client_words(op->scope, op->client, &p->mem));
	show_row(s, "session", row.session);
	show_row(s, "grant", log_grant(p, op));
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
	show_row(s, "beware", confusable_name_sentence(op->path, &p->mem));
	show_facts(s, d);
	buf_addc(&s->out, '\n');
}

static enum err make_diff(struct history_cli *p, const struct op *op,
			  struct buf *out, struct description *ret)
{
	*ret = (struct description){ .does = STR("") };
	return undo_diff(p->store, op, history_cli_shown(p, op->path), &p->mem,
			 out, ret, &p->fault);
}

static int show_json(struct history_cli *p, struct screen *s,
		     const struct op *op, struct str diff,
		     const struct description *d)
{
	struct json_out o = json_out(&s->out);

	json_open(&o, '{');
	json_key(&o, "operation");
	history_cli_put_op(p, &o, op);
	json_key(&o, "diff");
	json_put_str(&o, diff);
	approvals_put_lines(&o, "does", d->does);
	approvals_put_lines(&o, "badges", d->badges);
	json_close(&o, '}');
	buf_lit(&s->out, "\n");
	s->kind = SCREEN_JSON;
	return screen_end(s);
}

static int show_content(struct history_cli *p, const struct op *op, bool before)
{
	auto_screen s = screen_begin(SCREEN_BYTES);
	struct file_content side = { .exists = op->existed };
	enum err e = ERR_OK;

	owner_reach(&p->owner, op->path);
	if (!before)
		e = undo_content(&p->owner.call, op, &side);
	else if (op->existed)
		e = history_content(p->store, op, HISTORY_BEFORE, &p->mem,
				    &side.bytes, &p->fault);
	if (!e && !side.exists)
		e = fail(&p->fault, ERR_NOT_FOUND, .path = op->path,
			 .hint = STR("The file did not exist then"));
	if (e)
		return history_cli_failed(p);
	buf_add(&s.out, side.bytes);
	return screen_end(&s);
}

static int show_operation(const struct command *command,
			  struct command_line *line, bool header)
{
	auto_screen s = screen_begin(SCREEN_PAGED);
	auto_buf diff = BUF_INIT;
	auto_history_cli p = { 0 };
	struct description d;
	struct op op;
	int status;

	if (!history_cli_begin(&p, command, line, /* writes= */ false,
			       /* most_words= */ 1, &status))
		return status;
	if (line->at == line->argc)
		return history_cli_misused(
			&p, "name an operation (see 'stet log')");
	if (history_cli_find(&p, line->argv[line->at], &op))
		return history_cli_failed(&p);
	if (p.config.side)
		return show_content(&p, &op, p.config.side == 1);
	if (make_diff(&p, &op, &diff, &d)) {
		if (!header || p.fault.err != ERR_NO_CONTENT)
			return history_cli_failed(&p);
		buf_lit(&diff,
			"The contents have been deleted from the history\n");
	}
	if (p.config.json)
		return show_json(&p, &s, &op, buf_str(&diff), &d);
	if (header)
		show_header(&p, &s, &op, &d);
	if (header || s.terminal)
		screen_diff(&s, buf_str(&diff));
	else /* stdout is not a terminal: print a plain patch */
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
		"Show the operation OP with all its details and its diff. OP is the id that 'stet\n"
		"log' shows, or a part of it (at least 4 digits).",
	.options = show_options,
	.run = show_run,
};

const struct command command_diff = {
	.name = "diff",
	.usage = "[OPTION...] OP",
	.summary = "Show what an operation changed, as a patch",
	.about =
		"Show what the operation OP changed, as a unified diff for patch and git apply.\n"
		"For an append that is the added text; for binary content only the sizes are\n"
		"shown. On a terminal, invisible characters are escaped; in a pipe the patch is\n"
		"exact. OP is the id that 'stet log' shows, or a part of it (at least 4 digits).",
	.options = diff_options,
	.run = diff_run,
};
