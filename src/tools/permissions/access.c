/*
 * access.c - computes the access marks of a file: verdicts of all tools for
 * reading and changing it, the ignore file, and the sensitive row.
 *
 * Relies on rules.h for every decision; reads ignore files, changes nothing.
 */
#include "tools/permissions/access.h"

#include "files/path.h"
#include "tools/permissions/ignored.h"
#include "tools/permissions/sensitive.h"

/* A directory is checked by a file in it with this name, in no rule. */
static const struct str any_name = STR_INIT("any-new-file");

static const struct rules no_rules = { .mode = MODE_DEFAULT };

struct judging {
	const struct rules *rules;
	struct action action;
	struct glob_budget effort;
	struct arena *mem;
	struct access *ret;
};

/* The tools with one verdict, and the first of their decisions. */
struct decided {
	struct decision decision;
	struct buf names; /* "Write, Edit" */
	size_t count;
	bool all; /* no tool has another verdict */
};

struct verdicts {
	struct decided by[VERDICT_DENY + 1];
};

#define auto_verdicts cleanup(verdicts_free) struct verdicts

static void verdicts_free(struct verdicts *v)
{
	for (size_t i = 0; i < COUNT_OF(v->by); i++)
		buf_free(&v->by[i].names);
}

static void add_mark(struct judging *j, const char *mark, struct str why)
{
	if (j->effort.exhausted)
		why = arena_printf(j->mem,
				   STR_FMT
				   " (the rules take too long to match)",
				   STR_ARG(why));
	if (j->ret->count < ACCESS_MARKS)
		j->ret->mark[j->ret->count++] =
			(struct access_mark){ mark, why };
}

bool access_needs(const struct tool *tool, bool changes)
{
	if (changes)
		return effects_change(tool->effects);
	return tool->effects == TOOL_READS &&
	       !tool_in_family(tool, STR("history"));
}

static void decide_all(struct judging *j, bool changes, struct verdicts *ret)
{
	struct decided *to;
	struct decision d;
	size_t all = 0;

	j->action.changes = changes;
	for (size_t i = 0; i < all_tools_count; i++) {
		if (!access_needs(all_tools[i], changes))
			continue;
		all++;
		j->action.tool = all_tools[i];
		rules_decide(j->rules, &j->action, &d);
		to = &ret->by[d.verdict];
		if (!to->count)
			to->decision = d;
		buf_addf(&to->names, "%s%s", to->count++ ? ", " : "",
			 all_tools[i]->name);
	}
	for (size_t i = 0; i < COUNT_OF(ret->by); i++)
		ret->by[i].all = ret->by[i].count == all;
}

/* "deny write(docs) (--deny), for Write, Edit" */
static struct str decided_says(const struct judging *j, const struct decided *d)
{
	struct str why = d->decision.why;

	if (d->decision.rule)
		why = rule_says(d->decision.rule, j->mem);
	if (d->all)
		return why;
	return arena_printf(j->mem, STR_FMT ", for " STR_FMT, STR_ARG(why),
			    STR_ARG(buf_str(&d->names)));
}

/* The ignore file and line, or the settings, that ignore it. */
static struct str ignored_says(const struct judging *j)
{
	struct ignore_cause cause = { 0 };

	if (j->action.ignored.len ||
	    !rules_ignored(j->rules, &j->action, &cause))
		return j->action.ignored;
	return cause.rule->line ? arena_printf(j->mem, STR_FMT ":%zu",
					       STR_ARG(cause.list->source),
					       cause.rule->line)
				: cause.list->source;
}

static bool is_reason(const struct decided *d, const char *reason)
{
	return d->count && !strcmp(d->decision.reason, reason);
}

static void mark_reading(struct judging *j, bool *hidden)
{
	auto_verdicts v = { 0 };

	decide_all(j, /* changes= */ false, &v);
	*hidden = v.by[VERDICT_DENY].count;
	j->ret->content = v.by[VERDICT_ALLOW].all;
	if (*hidden)
		add_mark(j, "hidden", decided_says(j, &v.by[VERDICT_DENY]));
	else if (v.by[VERDICT_ASK].count)
		add_mark(j, "asks-read", decided_says(j, &v.by[VERDICT_ASK]));
}

/* Mode plan denies every change and says nothing about this file. */
static void mark_changing(struct judging *j, bool hidden)
{
	struct str ignored = ignored_says(j);
	auto_verdicts v = { 0 };
	const struct decided *deny = &v.by[VERDICT_DENY];
	const struct decided *ask = &v.by[VERDICT_ASK];

	decide_all(j, /* changes= */ true, &v);
	if (!hidden && (is_reason(deny, "rule") || is_reason(deny, "config")))
		add_mark(j, "denied", decided_says(j, deny));
	if (ignored.len)
		add_mark(j, "ignored", ignored);
	if (is_reason(ask, "rule"))
		add_mark(j, "asks", decided_says(j, ask));
}

static void mark_sensitive(struct judging *j)
{
	const struct sensitive *row;

	j->action.changes = true;
	row = sensitive_find(j->rules, &j->action);
	if (!row)
		return;
	j->ret->content = false;
	add_mark(j, "sensitive",
		 arena_printf(j->mem, STR_FMT ": %s", STR_ARG(row->rule.path),
			      row->reason));
}

static void place_action(struct judging *j, const struct access_want *want)
{
	struct str path = want->path, key = want->key;
	const struct str *roots;
	size_t n;

	if (want->directory) {
		path = path_join(j->mem, path, any_name);
		key = path_join(j->mem, key, any_name);
	}
	roots = ws_roots(want->ws, j->mem, &n);
	action_place(&j->action, path, key, roots, n, j->mem);
	action_place_above(&j->action, j->rules, j->mem);
	j->action.effort = &j->effort;
	j->action.ignored =
		ignored_by(j->rules, want->ws, &j->action, NULL, j->mem);
}

void access_of(const struct access_want *want, struct arena *mem,
	       struct access *ret)
{
	struct judging j = {
		.rules = want->rules ? rules_now(want->rules) : &no_rules,
		.effort = { .steps = RULES_MAX_STEPS },
		.mem = mem,
		.ret = ret,
	};
	bool hidden;

	*ret = (struct access){ 0 };
	if (want->own) {
		add_mark(&j, "own",
			 STR("tools cannot access stet's own files"));
		return;
	}
	place_action(&j, want);
	mark_reading(&j, &hidden);
	mark_changing(&j, hidden);
	mark_sensitive(&j);
}
