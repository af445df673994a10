/* The order in which rules, ignored files, sensitive paths and modes decide. */
#include "tools/rules.h"

#include "files/path.h"
#include "text/glob.h"
#include "tools/sensitive.h"

#include <stdatomic.h>

enum { WIDE = GLOB_CASELESS | GLOB_WARY };

/* ".stet" in any directory of a project: its settings. */
static const struct rule own_rule = {
	.verdict = VERDICT_DENY,
	.tool = STR_INIT("write"),
	.path = STR_INIT(".stet"),
	.glob = { .pattern = STR_INIT(".stet"),
		  .literal = sizeof(".stet") - 1,
		  .only_name = true },
	.text = STR_INIT("write"
			 "(.stet)"),
	.origin = STR_INIT("built in"),
};

bool rule_fits_within(const struct ignore_rule *rule, struct str path,
		      unsigned flags, struct glob_effort *effort)
{
	for (size_t i = 1; i <= path.len; i++) {
		i += str_find(str_skip(path, i), '/');
		if (ignore_fits_within(rule, str_head(path, i), i < path.len,
				       flags, effort))
			return true;
	}
	return false;
}

/* "~/x" is in a home by either of its names. */
static bool within_home(const struct rule *rule, struct str path,
			struct str *rest)
{
	return (rule->home.len && path_beneath(path, rule->home, rest)) ||
	       (rule->real_home.len &&
		path_beneath(path, rule->real_home, rest));
}

/* "~/x" and "/x" are of the whole disk. */
static bool fits_absolute(const struct rule *rule, struct str path,
			  unsigned flags, struct glob_effort *effort)
{
	struct str glob = rule->path, rest = str_skip(path, 1);
	struct ignore_rule parsed;

	if (str_starts(glob, STR("~/"))) {
		if (!within_home(rule, path, &rest))
			return false;
		glob = str_skip(glob, 1);
	}
	return ignore_parse_line(glob, &parsed) &&
	       rule_fits_within(&parsed, rest, flags, effort);
}

/* To forbid, one of the names is enough; to allow takes all of them. */
static bool fits_names(const struct rule *rule, const struct deed *d,
		       unsigned flags)
{
	bool allow = rule->verdict == VERDICT_ALLOW;
	size_t n = allow ? d->plain_count : d->name_count;

	for (size_t i = 0; i < n; i++)
		if (fits_absolute(rule, d->name[i], flags, d->effort) != allow)
			return !allow;
	return allow;
}

/* What is said for @root, or for any ("") that is not a project around it. */
static bool is_for(struct str root, const struct deed_spot *spot)
{
	return root.len ? str_eq(root, spot->root) : !spot->project;
}

static bool fits_spot(const struct rule *rule, const struct deed_spot *spot,
		      unsigned flags, struct glob_effort *effort)
{
	if (!rule->path.len)
		return true;
	if (spot->inner && rule->glob.only_name)
		return false;
	return rule_fits_within(&rule->glob, spot->part, flags, effort);
}

/* From one of the roots that the file is in, by either name. */
static bool forbids_somewhere(const struct rule *rule, const struct deed *d)
{
	for (size_t i = 0; i < d->spot_count; i++)
		if (is_for(rule->root, &d->spot[i]) &&
		    fits_spot(rule, &d->spot[i], WIDE, d->effort))
			return true;
	return false;
}

/*
 * From all of them: another root never widens what is allowed. A path that
 * was given within other roots than those of the rule is not meant by it.
 */
static bool allows_everywhere(const struct rule *rule, const struct deed *d)
{
	bool by_key = false, elsewhere = false, here = false;

	for (size_t i = 0; i < d->spot_count; i++) {
		const struct deed_spot *spot = &d->spot[i];

		if (spot->folded || spot->above)
			continue;
		if (!is_for(rule->root, spot)) {
			elsewhere = elsewhere || !spot->by_key;
			continue;
		}
		if (!fits_spot(rule, spot, 0, d->effort))
			return false;
		by_key = by_key || spot->by_key;
		here = here || !spot->by_key;
	}
	return by_key && (here || !elsewhere);
}

/* Is the file in the project that the rule comes from? */
static bool is_within_project(const struct rule *rule, const struct deed *d)
{
	bool allow = rule->verdict == VERDICT_ALLOW;

	for (size_t i = 0; i < d->spot_count; i++)
		if (is_for(rule->root, &d->spot[i]) &&
		    (d->spot[i].by_key || !allow))
			return true;
	return !rule->root.len;
}

static bool is_absolute(const struct rule *rule)
{
	return str_starts(rule->path, STR("/")) ||
	       str_starts(rule->path, STR("~/"));
}

static bool fits_path(const struct rule *rule, const struct deed *d)
{
	bool allow = rule->verdict == VERDICT_ALLOW;

	if (!is_within_project(rule, d))
		return false;
	if (!rule->path.len && !rule->root.len)
		return true;
	if (is_absolute(rule) && fits_names(rule, d, allow ? 0 : WIDE))
		return true;
	return allow ? allows_everywhere(rule, d) : forbids_somewhere(rule, d);
}

static bool covers(const struct rule *rule, const struct tool *tool)
{
	bool changes = effects_change(tool->effects);

	return str_is(rule->tool, "*") ||
	       str_is(rule->tool, changes ? "write" : "read") ||
	       str_is(rule->tool, tool->name) ||
	       str_is(rule->tool, tool->family);
}

/* A rule that keeps even one reader off a file: see rules.h. */
static bool hides(const struct rule *rule)
{
	if (rule->verdict != VERDICT_DENY || rule->by_lines || rule->by_bytes)
		return false;
	for (size_t i = 0; i < all_tools_count; i++)
		if (all_tools[i]->effects == TOOL_READS &&
		    covers(rule, all_tools[i]))
			return true;
	return false;
}

static bool fits_size(const struct rule *rule, const struct deed *d)
{
	if (!rule->by_lines && !rule->by_bytes)
		return true;
	if (!d->changes)
		return false;
	if (!d->known_size)
		return rule->verdict != VERDICT_ALLOW;
	return (!rule->by_lines || d->lines_removed > rule->lines_removed) &&
	       (!rule->by_bytes || d->bytes > rule->bytes);
}

static bool fits(const struct rule *rule, const struct deed *d)
{
	bool ours = hides(rule) || (d->tool && covers(rule, d->tool));

	return ours && fits_size(rule, d) && fits_path(rule, d);
}

static bool says(struct decision *ret, enum verdict verdict,
		 const struct rule *rule, const char *reason, struct str why)
{
	*ret = (struct decision){ verdict, rule, reason, why, false };
	return true;
}

/* Wherever the root is: it may be the directory itself. */
static bool by_own(const struct rules *r, const struct deed *d,
		   struct decision *ret)
{
	for (size_t i = 0; d->changes && i < d->name_count; i++)
		if (rule_fits_within(&own_rule.glob, str_skip(d->name[i], 1),
				     WIDE, NULL))
			return says(
				ret, VERDICT_DENY, &own_rule, "config",
				STR("the settings of stet are for people to change"));
	return false;
}

static bool by_plan(const struct rules *r, const struct deed *d,
		    struct decision *ret)
{
	return r->mode == MODE_PLAN && d->changes &&
	       says(ret, VERDICT_DENY, NULL, "plan_mode",
		    STR("in mode plan nothing is changed"));
}

static const struct rule *first(const struct rules *r, const struct deed *d,
				enum verdict verdict)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->rule[i].verdict == verdict && fits(&r->rule[i], d))
			return &r->rule[i];
	return NULL;
}

static bool by_deny(const struct rules *r, const struct deed *d,
		    struct decision *ret)
{
	const struct rule *rule = NULL;

	if (r->mode != MODE_YOLO)
		rule = first(r, d, VERDICT_DENY);
	if (!rule)
		return false;
	(void)says(ret, VERDICT_DENY, rule, "rule", rule->text);
	ret->hidden = hides(rule);
	return true;
}

static bool by_ignored(const struct rules *r, const struct deed *d,
		       struct decision *ret)
{
	struct ignore_cause cause = { 0 };

	if (!d->changes)
		return false;
	if (d->ignored.len)
		return says(ret, VERDICT_DENY, NULL, "ignored", d->ignored);
	return rules_ignored(r, d, &cause) &&
	       says(ret, VERDICT_DENY, NULL, "ignored", cause.list->source);
}

static bool by_ask(const struct rules *r, const struct deed *d,
		   struct decision *ret)
{
	const struct rule *rule;

	if (r->mode == MODE_BYPASS || r->mode == MODE_YOLO ||
	    (r->mode == MODE_ACCEPT_EDITS && d->changes))
		return false;
	rule = first(r, d, VERDICT_ASK);
	return rule && says(ret, VERDICT_ASK, rule, "rule", rule->text);
}

/* "write" alone does not mean .env too: that takes a rule with a path. */
static bool by_allow(const struct rules *r, const struct deed *d,
		     struct decision *ret)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct rule *rule = &r->rule[i];

		if (rule->verdict == VERDICT_ALLOW && fits(rule, d) &&
		    (rule->path.len || !sensitive_find(r, d)))
			return says(ret, VERDICT_ALLOW, rule, "rule",
				    rule->text);
	}
	return false;
}

static bool by_mode(const struct rules *r, const struct deed *d,
		    struct decision *ret)
{
	const struct sensitive *row = NULL;

	if (r->mode != MODE_BYPASS && r->mode != MODE_YOLO)
		row = sensitive_find(r, d);
	if (row)
		return says(ret, VERDICT_ASK, &row->rule, "sensitive",
			    row->rule.text);
	return says(ret, VERDICT_ALLOW, NULL, "mode",
		    str_of(mode_name(r->mode)));
}

const struct rules *rules_now(const struct rules *r)
{
	const struct rules *newer;

	while ((newer = atomic_load(&r->newer)))
		r = newer;
	return r;
}

void rules_decide(const struct rules *r, const struct deed *d,
		  struct decision *ret)
{
	static bool (*const steps[])(const struct rules *, const struct deed *,
				     struct decision *) = {
		by_own, by_plan, by_deny, by_ignored, by_ask, by_allow, by_mode,
	};

	r = rules_now(r);
	for (size_t i = 0; i < COUNT_OF(steps); i++)
		if (steps[i](r, d, ret))
			return;
}

/* Mostly no rule asks before a file is read, and the file is no secret. */
static bool may_ask_to_read(const struct rules *r, const struct deed *read)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->rule[i].verdict == VERDICT_ASK)
			return true;
	return sensitive_find(r, read);
}

/* Does a rule let the tool change the file? One with a path, if sensitive. */
static bool is_let(const struct rules *r, const struct deed *d)
{
	struct deed change = *d;
	struct decision got;

	change.changes = true;
	rules_decide(r, &change, &got);
	return got.verdict == VERDICT_ALLOW && got.rule;
}

bool rules_ask_to_tell(const struct rules *r, const struct deed *d,
		       struct decision *ret)
{
	struct deed read = *d;

	r = rules_now(r);
	read.changes = false;
	if (!may_ask_to_read(r, &read))
		return false;
	for (size_t i = 0; i < all_tools_count; i++) {
		read.tool = all_tools[i];
		if (read.tool->effects != TOOL_READS ||
		    str_is(str_of(read.tool->family), "history"))
			continue;
		rules_decide(r, &read, ret);
		if (ret->verdict == VERDICT_ASK &&
		    (strcmp(ret->reason, "sensitive") != 0 || !is_let(r, d)))
			return true;
	}
	return false;
}

bool rules_hidden(const struct rules *r, const struct deed *d,
		  struct decision *ret)
{
	struct deed look = *d;

	r = rules_now(r);
	look.tool = NULL;
	look.changes = false;
	return by_deny(r, &look, ret) && ret->hidden;
}

bool rules_denied(const struct rules *r, const struct deed *d)
{
	struct decision ignored;

	return rules_hidden(r, d, &ignored);
}

/* One that is given up alone does not use up what others have. */
static bool list_ignores(const struct ignore_list *list, struct str part,
			 struct glob_effort *account, struct ignore_cause *why)
{
	struct glob_effort own = { .steps = IGNORE_MAX_STEPS };
	uint64_t most;
	bool ignored;

	if (account)
		own = *account;
	most = own.steps;
	ignored = ignore_decide_within(list, 1, part, false, &own, why);
	if (account)
		(void)glob_spend(account, most - own.steps);
	return ignored;
}

/* Does the list leave the file alone, from a root that it is for? */
static bool set_ignores(const struct ignore_set *set, const struct deed *d,
			struct ignore_cause *why)
{
	for (size_t i = 0; i < d->spot_count; i++) {
		const struct deed_spot *spot = &d->spot[i];

		if (is_for(set->root, spot) &&
		    list_ignores(&set->list, spot->part, d->effort, why))
			return true;
	}
	return false;
}

/* Each list is on its own. */
bool rules_ignored(const struct rules *r, const struct deed *d,
		   struct ignore_cause *cause)
{
	struct ignore_cause why;

	r = rules_now(r);
	for (size_t i = 0; i < r->ignore_count; i++) {
		if (!set_ignores(&r->ignore[i], d, &why))
			continue;
		if (cause)
			*cause = why;
		return true;
	}
	return false;
}
