/*
 * rules.c - decides what may be done: the fixed order of rules, ignored files,
 * sensitive paths and modes.
 *
 * Pure and total: one table of steps, the first that has something to say
 * decides (A52). Steps that forbid match widely (any case, any name of the
 * file), those that allow match narrowly.
 */
#include "tools/permissions/rules.h"

#include "files/path.h"
#include "text/pattern/glob.h"
#include "tools/permissions/sensitive.h"

#include <stdatomic.h>

enum { WIDE = GLOB_CASELESS | GLOB_FAIL_CLOSED };

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
		      bool is_dir, unsigned flags, struct glob_budget *effort)
{
	for (size_t i = 1; i <= path.len; i++) {
		i += str_find(str_skip(path, i), '/');
		if (ignore_matches_within(rule, str_head(path, i),
					  i < path.len || is_dir, flags,
					  effort))
			return true;
	}
	return false;
}

/* The rest of @path behind the home directory, by either of its names. */
static bool within_home(const struct rule *rule, struct str path,
			struct str *rest)
{
	return (rule->home.len && path_beneath(path, rule->home, rest)) ||
	       (rule->real_home.len &&
		path_beneath(path, rule->real_home, rest));
}

/* Patterns "~/x" and "/x" are matched against the absolute path. */
static bool fits_absolute(const struct rule *rule, struct str path,
			  const struct action *d, unsigned flags)
{
	struct str glob = rule->path, rest = str_skip(path, 1);
	struct ignore_rule parsed;

	if (str_starts(glob, STR("~/"))) {
		if (!within_home(rule, path, &rest))
			return false;
		glob = str_skip(glob, 1);
	}
	return ignore_parse_line(glob, &parsed) &&
	       rule_fits_within(&parsed, rest, d->directory, flags, d->effort);
}

/* To forbid, one matching name is enough; to allow, all must match. */
static bool fits_names(const struct rule *rule, const struct action *d,
		       unsigned flags)
{
	bool allow = rule->verdict == VERDICT_ALLOW;
	size_t n = allow ? d->plain_count : d->name_count;

	for (size_t i = 0; i < n; i++)
		if (fits_absolute(rule, d->name[i], d, flags) != allow)
			return !allow;
	return allow;
}

/* Does a rule for @root apply to the spot? "" is for all but projects. */
static bool is_for(struct str root, const struct action_spot *spot)
{
	return root.len ? str_eq(root, spot->root) : !spot->project;
}

static bool fits_spot(const struct rule *rule, const struct action_spot *spot,
		      const struct action *d, unsigned flags)
{
	if (!rule->path.len)
		return true;
	if (spot->inner && rule->glob.only_name)
		return false;
	return rule_fits_within(&rule->glob, spot->part, d->directory, flags,
				d->effort);
}

/* Does the rule match from one of the roots, by either name? */
static bool forbids_somewhere(const struct rule *rule, const struct action *d)
{
	for (size_t i = 0; i < d->spot_count; i++)
		if (is_for(rule->root, &d->spot[i]) &&
		    fits_spot(rule, &d->spot[i], d, WIDE))
			return true;
	return false;
}

/*
 * Does the rule match from all roots? Another root must never widen what is
 * allowed. A path given within other roots than that of the rule does not match.
 */
static bool allows_everywhere(const struct rule *rule, const struct action *d)
{
	bool by_key = false, elsewhere = false, here = false;

	for (size_t i = 0; i < d->spot_count; i++) {
		const struct action_spot *spot = &d->spot[i];

		if (spot->folded || spot->above)
			continue;
		if (!is_for(rule->root, spot)) {
			elsewhere = elsewhere || !spot->by_key;
			continue;
		}
		if (!fits_spot(rule, spot, d, 0))
			return false;
		by_key = by_key || spot->by_key;
		here = here || !spot->by_key;
	}
	return by_key && (here || !elsewhere);
}

/* Is the file in the project that the rule comes from? */
static bool is_within_project(const struct rule *rule, const struct action *d)
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

static bool fits_path(const struct rule *rule, const struct action *d)
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

/*
 * People carry rules over from a client whose other tools a name stood for: to
 * forbid or ask, a name of these stands for every tool that does the same.
 */
static bool rule_is_wide(const struct rule *rule, bool changes)
{
	static const char *const changing[] = { "Edit", "Write", "MultiEdit",
						"NotebookEdit", NULL };
	static const char *const reading[] = { "Read", "Grep", "Glob", NULL };
	const char *const *names = changes ? changing : reading;

	for (size_t i = 0; rule->verdict != VERDICT_ALLOW && names[i]; i++)
		if (str_is(rule->tool, names[i]))
			return true;
	return false;
}

static bool rule_covers(const struct rule *rule, const struct tool *tool)
{
	bool changes = effects_change(tool->effects);

	return str_is(rule->tool, "*") ||
	       str_is(rule->tool, changes ? "write" : "read") ||
	       str_is(rule->tool, tool->name) ||
	       tool_in_family(tool, rule->tool) || rule_is_wide(rule, changes);
}

/* Does the rule deny a reading tool, and so hide the file? See rules.h. */
static bool rule_hides(const struct rule *rule)
{
	if (rule->verdict != VERDICT_DENY || rule_has_condition(rule))
		return false;
	for (size_t i = 0; i < all_tools_count; i++)
		if (all_tools[i]->effects == TOOL_READS &&
		    rule_covers(rule, all_tools[i]))
			return true;
	return false;
}

bool rule_stops_reading(const struct rule *rule, const struct tool *tool)
{
	return rule->verdict != VERDICT_ALLOW && !rule_has_condition(rule) &&
	       (rule_hides(rule) || rule_covers(rule, tool));
}

static bool fits_size(const struct rule *rule, const struct action *d)
{
	if (!rule_has_condition(rule))
		return true;
	if (!d->changes)
		return false;
	if ((rule->by_lines || rule->by_bytes) && !d->known_size)
		return rule->verdict != VERDICT_ALLOW;
	if (rule->by_files && !d->files)
		return rule->verdict != VERDICT_ALLOW;
	return (!rule->by_lines || d->lines_removed > rule->lines_removed) &&
	       (!rule->by_bytes || d->bytes > rule->bytes) &&
	       (!rule->by_files || d->files > rule->files);
}

static bool rule_fits(const struct rule *rule, const struct action *d)
{
	bool ours = rule_hides(rule) || (d->tool && rule_covers(rule, d->tool));

	return ours && fits_size(rule, d) && fits_path(rule, d);
}

static bool decision_set(struct decision *ret, enum verdict verdict,
			 const struct rule *rule, const char *reason,
			 struct str why)
{
	*ret = (struct decision){ verdict, rule, reason, why, false };
	return true;
}

/* The settings of a project, also when the root is that very directory. */
static bool by_own(const struct rules *r, const struct action *d,
		   struct decision *ret)
{
	for (size_t i = 0; d->changes && i < d->name_count; i++)
		if (rule_fits_within(&own_rule.glob, str_skip(d->name[i], 1),
				     false, WIDE, NULL))
			return decision_set(
				ret, VERDICT_DENY, &own_rule, "config",
				STR("only a person may change the settings of stet"));
	return false;
}

static bool by_plan(const struct rules *r, const struct action *d,
		    struct decision *ret)
{
	return r->mode == MODE_PLAN && d->changes &&
	       decision_set(ret, VERDICT_DENY, NULL, "plan_mode",
			    STR("mode plan allows no changes"));
}

static const struct rule *rule_first(const struct rules *r,
				     const struct action *d,
				     enum verdict verdict)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->rule[i].verdict == verdict && rule_fits(&r->rule[i], d))
			return &r->rule[i];
	return NULL;
}

static bool by_deny(const struct rules *r, const struct action *d,
		    struct decision *ret)
{
	const struct rule *rule = NULL;

	if (r->mode != MODE_YOLO)
		rule = rule_first(r, d, VERDICT_DENY);
	if (!rule)
		return false;
	(void)decision_set(ret, VERDICT_DENY, rule, "rule", rule->text);
	ret->hidden = rule_hides(rule);
	return true;
}

static bool by_ignored(const struct rules *r, const struct action *d,
		       struct decision *ret)
{
	struct ignore_cause cause = { 0 };

	if (!d->changes)
		return false;
	if (d->ignored.len)
		return decision_set(ret, VERDICT_DENY, NULL, "ignored",
				    d->ignored);
	return rules_ignored(r, d, &cause) &&
	       decision_set(ret, VERDICT_DENY, NULL, "ignored",
			    cause.list->source);
}

static bool by_ask(const struct rules *r, const struct action *d,
		   struct decision *ret)
{
	const struct rule *rule;

	if (r->mode == MODE_BYPASS || r->mode == MODE_YOLO ||
	    (r->mode == MODE_ACCEPT_EDITS && d->changes))
		return false;
	rule = rule_first(r, d, VERDICT_ASK);
	return rule && decision_set(ret, VERDICT_ASK, rule, "rule", rule->text);
}

/* A directory with a repository in it is as sensitive as ".git" itself. */
static const struct rule repository_rule = {
	.verdict = VERDICT_ASK,
	.tool = STR_INIT("*"),
	.path = STR_INIT(".git"),
	.text = STR_INIT("*(.git)"),
	.origin = STR_INIT("built in"),
};

static const struct rule many_rule = {
	.verdict = VERDICT_ASK,
	.by_files = true,
	.tool = STR_INIT("delete_file"),
	.files = 20,
	.text = STR_INIT("delete_file files>20"),
	.origin = STR_INIT("built in"),
};

/* The built-in rule that asks about the action, or NULL. */
static const struct rule *built_in_rule(const struct rules *r,
					const struct action *d)
{
	const struct sensitive *row = sensitive_find(r, d);

	if (row)
		return &row->rule;
	if (d->changes && d->holds_repository)
		return &repository_rule;
	if (d->changes && d->tool && d->files > many_rule.files &&
	    str_is(many_rule.tool, d->tool->name))
		return &many_rule;
	return NULL;
}

/* What a built-in rule asks about, only a rule with a path allows. */
static bool by_allow(const struct rules *r, const struct action *d,
		     struct decision *ret)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct rule *rule = &r->rule[i];

		if (rule->verdict == VERDICT_ALLOW && rule_fits(rule, d) &&
		    (rule->path.len || !built_in_rule(r, d)))
			return decision_set(ret, VERDICT_ALLOW, rule, "rule",
					    rule->text);
	}
	return false;
}

static bool by_mode(const struct rules *r, const struct action *d,
		    struct decision *ret)
{
	const struct rule *rule = NULL;

	if (r->mode != MODE_BYPASS && r->mode != MODE_YOLO)
		rule = built_in_rule(r, d);
	if (rule)
		return decision_set(ret, VERDICT_ASK, rule, "sensitive",
				    rule->text);
	return decision_set(ret, VERDICT_ALLOW, NULL, "mode",
			    str_of(mode_name(r->mode)));
}

const struct rules *rules_now(const struct rules *r)
{
	const struct rules *newer;

	while ((newer = atomic_load(&r->newer)))
		r = newer;
	return r;
}

void rules_decide(const struct rules *r, const struct action *d,
		  struct decision *ret)
{
	static bool (*const steps[])(const struct rules *,
				     const struct action *,
				     struct decision *) = {
		by_own, by_plan, by_deny, by_ignored, by_ask, by_allow, by_mode,
	};

	r = rules_now(r);
	for (size_t i = 0; i < COUNT_OF(steps); i++)
		if (steps[i](r, d, ret))
			return;
}

/* A quick test, as mostly no rule asks before reading. */
static bool may_ask_to_read(const struct rules *r, const struct action *read)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->rule[i].verdict == VERDICT_ASK)
			return true;
	return sensitive_find(r, read);
}

/* Does a rule explicitly allow the tool to change the file? */
static bool is_let(const struct rules *r, const struct action *d)
{
	struct action change = *d;
	struct decision got;

	change.changes = true;
	rules_decide(r, &change, &got);
	return got.verdict == VERDICT_ALLOW && got.rule;
}

bool rules_ask_to_tell(const struct rules *r, const struct action *d,
		       struct decision *ret)
{
	struct action read = *d;

	r = rules_now(r);
	read.changes = false;
	if (!may_ask_to_read(r, &read))
		return false;
	for (size_t i = 0; i < all_tools_count; i++) {
		read.tool = all_tools[i];
		if (read.tool->effects != TOOL_READS ||
		    tool_in_family(read.tool, STR("history")))
			continue;
		rules_decide(r, &read, ret);
		if (ret->verdict == VERDICT_ASK &&
		    (strcmp(ret->reason, "sensitive") != 0 || !is_let(r, d)))
			return true;
	}
	return false;
}

bool rules_hidden(const struct rules *r, const struct action *d,
		  struct decision *ret)
{
	struct action look = *d;

	r = rules_now(r);
	look.tool = NULL;
	look.changes = false;
	return by_deny(r, &look, ret) && ret->hidden;
}

bool rules_denied(const struct rules *r, const struct action *d)
{
	struct decision ignored;

	return rules_hidden(r, d, &ignored);
}

/* Without a shared budget, each list has one of its own. */
static bool list_ignores(const struct ignore_list *list, struct str part,
			 struct glob_budget *account, struct ignore_cause *why)
{
	struct glob_budget own = { .steps = IGNORE_MAX_STEPS };
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

/* Does the set ignore the file, from a root that it applies to? */
static bool set_ignores(const struct ignore_set *set, const struct action *d,
			struct ignore_cause *why)
{
	for (size_t i = 0; i < d->spot_count; i++) {
		const struct action_spot *spot = &d->spot[i];

		if (is_for(set->root, spot) &&
		    list_ignores(&set->list, spot->part, d->effort, why))
			return true;
	}
	return false;
}

bool rules_ignored(const struct rules *r, const struct action *d,
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
