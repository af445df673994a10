/* stet gc - forget the oldest of the history. */

#include "app/past.h"
#include "app/policy.h"
#include "app/prompt.h"
#include "app/screen.h"
#include "app/when.h"

static const uint64_t NOT_SAID = UINT64_MAX;

static const struct option options[] = {
	{ "older", "SPAN", OPTION_TEXT, offsetof(struct past_config, older),
	  "Forget what is older: 90d, 12h (default 90d, or what the settings say; 0d = everything)" },
	{ "max-size", "BYTES", OPTION_SIZE,
	  offsetof(struct past_config, max_size),
	  "Then the oldest, until it takes no more than this (default 1g, or what the settings say)" },
	{ "dry-run", NULL, OPTION_FLAG, offsetof(struct past_config, dry_run),
	  "Say what would go, and forget nothing" },
	YES_OPTION,
	PAST_OPTIONS,
};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static int report(struct past *p, const struct history_gc *gc)
{
	auto_screen s =
		screen_begin(p->config.json ? SCREEN_JSON : SCREEN_TEXT);
	struct json_out o = json_out(&s.out);

	if (!p->config.json) {
		if (gc->plan)
			screen_print(
				&s, INK_PLAIN,
				"%zu operation%s would be forgotten, %llu bytes\n",
				gc->ops, plural(gc->ops),
				(unsigned long long)gc->bytes);
		else
			screen_print(
				&s, INK_PLAIN,
				"%zu operation%s forgotten, %zu contents, %llu bytes\n",
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

/* What the person's settings say, where the command line is silent. */
static enum err take_settings(struct past *p)
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

/* What would go, before it does: it cannot be had back. */
static enum err agree(struct past *p, const struct history_gc *gc)
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
		"%zu operation%s of the history (%llu bytes) will be forgotten, and cannot be undone or shown any more; files stay as they are",
		plan.ops, plural(plan.ops), (unsigned long long)plan.bytes);
	return prompt_agree(what, p->config.yes, &p->mem, &p->fault);
}

static int gc_run(const struct command *command, struct command_line *line)
{
	static char words[] = "forgetting";
	struct history_gc gc = { .moved = screen_progress, .ctx = words };
	auto_past p = { .config = { .max_size = NOT_SAID } };
	uint64_t span;
	int status;

	if (!past_begin(&p, command, line, /* writes= */ true, &status))
		return status;
	if (line->at < line->argc)
		return past_misused(&p, "it takes no other words");
	if (take_settings(&p))
		return past_failed(&p);
	if (!when_span(str_of(p.config.older), &span))
		return past_misused(&p, "--older takes a span like 90d or 12h");
	gc.older_ms = span < p.now_ms ? p.now_ms - span : 1;
	gc.max_bytes = p.config.max_size;
	gc.plan = p.config.dry_run;
	if ((!gc.plan && agree(&p, &gc)) || history_gc(p.store, &gc, &p.fault))
		return past_failed(&p);
	return report(&p, &gc);
}

const struct command command_gc = {
	.name = "gc",
	.usage = "[OPTION...]",
	.summary = "Forget the oldest of the history",
	.about =
		"Forget operations that are older than a span, and then the oldest until the\n"
		"history takes no more than so many bytes. Files are not touched; what is\n"
		"forgotten cannot be undone any more. So it says what will go and asks; without\n"
		"a terminal it does nothing unless --yes is given.",
	.options = options,
	.run = gc_run,
};
