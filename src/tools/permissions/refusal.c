/*
 * refusal.c - makes the hint beside a denial, which the client may see.
 *
 * Relies on rules_hidden() for the rule that hides a path.
 */
#include "tools/permissions/refusal.h"

/* Do not reveal the path of the person's own settings. */
static struct str origin_of(const struct rule *rule)
{
	if (!rule->root.len && str_starts(rule->origin, STR("/")))
		return STR("the user's settings");
	return rule->origin;
}

static struct str by_rule(const struct rule *rule, struct arena *mem)
{
	return arena_printf(mem,
			    "denied by the rule %s " STR_FMT " (" STR_FMT ")",
			    verdict_name(rule->verdict), STR_ARG(rule->text),
			    STR_ARG(origin_of(rule)));
}

struct str refusal_says(const struct decision *d, struct arena *mem)
{
	if (!strcmp(d->reason, "config"))
		return arena_printf(mem, "one of stet's own files: " STR_FMT,
				    STR_ARG(d->why));
	/* For an unusable ignore file, why is a whole sentence. */
	if (!strcmp(d->reason, "ignored"))
		return arena_printf(mem, "ignored%s " STR_FMT,
				    str_find(d->why, ' ') < d->why.len &&
						    !str_starts(d->why,
								STR("/"))
					    ? ":"
					    : " by",
				    STR_ARG(d->why));
	if (d->rule)
		return by_rule(d->rule, mem);
	return d->why;
}

struct str refusal_hides(const struct rules *r, const struct action *named,
			 struct arena *mem)
{
	struct glob_budget own = { .steps = RULES_MAX_STEPS };
	struct action action = *named;
	struct decision d;

	action.effort = &own;
	if (rules_hidden(r, &action, &d) && !own.exhausted)
		return by_rule(d.rule, mem);
	return STR("denied by a rule");
}
