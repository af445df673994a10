/*
 * cmd_gc.c - the command `stet gc`: delete the oldest part of the history.
 *
 * Prints what will be deleted and asks before it does; store/history.h deletes.
 */
#include "app/history_cli.h"
#include "app/human_time.h"
#include "app/policy.h"
#include "app/prompt.h"
#include "app/screen.h"

static const uint64_t NOT_SAID = UINT64_MAX;

static const struct option options[] = {
	{ "older", "SPAN", OPTION_TEXT,
	  offsetof(struct history_cli_config, older),
	  "Delete operations older than SPAN: 90d, 12h (default: the settings, else 90d; 0d = everything)" },
	{ "max-size", "BYTES", OPTION_SIZE,
	  offsetof(struct history_cli_config, max_size),
	  "Then delete the oldest until the history is no larger than this (default: the settings, else 1g)" },
	{ "dry-run", NULL, OPTION_FLAG,
	  offsetof(struct history_cli_config, dry_run),
	  "Show what would be deleted, and delete nothing" },
	YES_OPTION,
	PAST_OPTIONS,
};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static int gc_report(struct history_cli *p, const struct history_gc *gc)
{
	auto_screen s =
		screen_begin(p->config.json ? SCREEN_JSON : SCREEN_TEXT);
	struct json_out o = json_out(&s.out);

	if (!p->config.json) {
		if (gc->plan)
			screen_print(
				&s, INK_PLAIN,
				"%zu operation%s would be deleted, %llu bytes\n",
				gc->ops, plural(gc->ops),
				(unsigned long long)gc->bytes);
		else
			screen_print(
				&s, INK_PLAIN,
				"%zu operation%s deleted, %zu contents, %llu bytes\n",
				gc->ops, plural(gc->ops), gc->blobs,
				(unsigned long long)gc->bytes);
		return screen_end(&s);
	}
	json_open(&o, '{');
	json_key(&o, "operations");
	json_put_int(&o, (int64_t)gc->ops);
	json_key(&o, "contents");
	json_put_int(&o, (int64_t)gc->blobs);
	json_key(&o, "bytes");
	json_put_int(&o, (int64_t)gc->bytes);
	json_close(&o, '}');
	buf_lit(&s.out, "\n");
	return screen_end(&s);
}

/* Limits from the person's settings, for options that were not given. */
static enum err take_settings(struct history_cli *p)
{
	const struct policy_flags flags = { 0 };
	const struct config_history *settings;
	struct policy *policy;
	enum err e;

	e = policy_new(&flags, NULL, &policy, &p->fault);
	settings = e ? NULL : policy_history(policy);
	if (settings && !p->config.older)
		p->config.older =
			settings->max_age_days
				? arena_printf(&p->mem, "%llud",
					       (unsigned long long)
						       settings->max_age_days)
					  .ptr
				: "90d";
	if (settings && p->config.max_size == NOT_SAID)
		p->config.max_size = settings->max_bytes ? settings->max_bytes
							 : STORE_MAX_BYTES;
	if (e)
		p->fault.text = arena_copy(&p->mem, p->fault.text);
	policy_free(policy);
	return e;
}

/* Shows what would be deleted and asks; deletion cannot be undone. */
static enum err confirm_gc(struct history_cli *p, const struct history_gc *gc)
{
	struct history_gc plan = { .older_ms = gc->older_ms,
				   .max_bytes = gc->max_bytes,
				   .plan = true };
	struct str what;
	enum err e = history_gc(p->store, &plan, &p->fault);

	if (e || !plan.ops)
		return e;
	what = arena_printf(
		&p->mem,
		"%zu operation%s of the history (%llu bytes) will be deleted and can no longer be undone or shown; your files stay as they are",
		plan.ops, plural(plan.ops), (unsigned long long)plan.bytes);
	return prompt_agree(what, p->config.yes, &p->mem, &p->fault);
}

static int gc_run(const struct command *command, struct command_line *line)
{
	static char words[] = "forgetting";
	struct history_gc gc = { .moved = screen_progress, .ctx = words };
	auto_history_cli p = { .config = { .max_size = NOT_SAID } };
	uint64_t span;
	int status;

	if (!history_cli_begin(&p, command, line, /* writes= */ true,
			       /* most_words= */ 0, &status))
		return status;
	if (take_settings(&p))
		return history_cli_failed(&p);
	if (!human_time_span(str_of(p.config.older), &span))
		return history_cli_misused(
			&p, "--older takes a duration like 90d or 12h");
	gc.older_ms = span < p.now_ms ? p.now_ms - span : 1;
	gc.max_bytes = p.config.max_size;
	gc.plan = p.config.dry_run;
	if ((!gc.plan && confirm_gc(&p, &gc)) ||
	    history_gc(p.store, &gc, &p.fault))
		return history_cli_failed(&p);
	return gc_report(&p, &gc);
}

const struct command command_gc = {
	.name = "gc",
	.usage = "[OPTION...]",
	.summary = "Delete old operations from the history",
	.about =
		"Delete operations that are older than --older, then the oldest until the history\n"
		"is no larger than --max-size. Your files are not changed, but deleted operations\n"
		"can no longer be undone. The command shows what will be deleted and asks for\n"
		"confirmation; without a terminal it needs --yes.",
	.options = options,
	.run = gc_run,
};
