#include "tools/rules.h"

#include "files/path.h"
#include "text/glob.h"

#include <limits.h>
#include <stdatomic.h>

enum { WIDE = GLOB_CASELESS | GLOB_WARY };

/*
 * The patterns here are taken apart by the compiler, as every change is held
 * against all of them; a test sees that it is as ignore_parse_line() does it.
 */
#define BUILT_IN(verdict_, text_, literal_, only_name_)                     \
	{                                                                   \
		.verdict = (verdict_), .tool = STR_INIT("write"),           \
		.path = STR_INIT(text_), .glob.pattern = STR_INIT(text_),   \
		.glob.literal = (literal_), .glob.only_name = (only_name_), \
		.text = STR_INIT("write"                                    \
				 "(" text_ ")"),                            \
		.origin = STR_INIT("built in"),                             \
	}
#define NAME(n)   BUILT_IN(VERDICT_ASK, n, sizeof(n) - 1, true)
#define STARTS(n) BUILT_IN(VERDICT_ASK, n "*", sizeof(n) - 1, true)
#define ENDS(n)   BUILT_IN(VERDICT_ASK, "*" n, 0, true)
#define HOLDS(n)  BUILT_IN(VERDICT_ASK, "*" n "*", 0, true)
#define BELOW(n)  BUILT_IN(VERDICT_ASK, "**/" n, 0, false)

const struct rule sensitive_rules[] = {
	/* secrets */
	STARTS(".env"),
	ENDS(".pem"),
	ENDS(".key"),
	HOLDS("secret"),
	HOLDS("credential"),
	STARTS("id_rsa"),
	STARTS("id_dsa"),
	STARTS("id_ecdsa"),
	STARTS("id_ed25519"),
	NAME(".ssh"),
	NAME(".gnupg"),
	NAME(".netrc"),
	/* what others run */
	NAME(".git"),
	NAME(".bash_profile"),
	NAME(".bash_login"),
	NAME(".bash_logout"),
	NAME(".bash_aliases"),
	NAME(".bashrc"),
	NAME(".profile"),
	NAME(".zshrc"),
	NAME(".zshenv"),
	NAME(".zprofile"),
	NAME(".zlogin"),
	NAME(".zlogout"),
	NAME(".cshrc"),
	NAME(".tcshrc"),
	NAME(".kshrc"),
	NAME(".login"),
	NAME(".xprofile"),
	NAME(".xinitrc"),
	NAME(".xsession"),
	NAME("config.fish"),
	/* what a build server runs */
	BELOW(".github/workflows"),
	BELOW(".github/actions"),
	BELOW(".forgejo/workflows"),
	BELOW(".gitea/workflows"),
	STARTS(".gitlab-ci"),
	NAME(".circleci"),
	NAME(".buildkite"),
	STARTS(".woodpecker"),
	NAME(".travis.yml"),
	NAME(".drone.yml"),
	NAME(".cirrus.yml"),
	STARTS("Jenkinsfile"),
	STARTS("azure-pipelines"),
	STARTS("bitbucket-pipelines"),
	NAME("appveyor.yml"),
	/* what keeps us and others off files */
	NAME(".stetignore"),
	NAME(".claudeignore"),
	NAME(".cursorignore"),
	NAME(".aiexclude"),
};
const size_t sensitive_count = COUNT_OF(sensitive_rules);

/* ".stet" in any directory of a project: its settings. */
static const struct rule own_rule =
	BUILT_IN(VERDICT_DENY, ".stet", sizeof(".stet") - 1, true);

/* Does the pattern fit @path or a directory above it? */
static bool fits_within(const struct ignore_rule *rule, struct str path,
			unsigned flags)
{
	for (size_t i = 1; i <= path.len; i++) {
		i += str_find(str_skip(path, i), '/');
		if (ignore_fits(rule, str_head(path, i), i < path.len, flags))
			return true;
	}
	return false;
}

/* "~/x" and "/x" are of the whole disk. */
static bool fits_absolute(const struct rule *rule, struct str path,
			  unsigned flags)
{
	struct str glob = rule->path, rest = str_skip(path, 1);
	struct ignore_rule parsed;

	if (str_starts(glob, STR("~/"))) {
		if (!rule->home.len || !path_beneath(path, rule->home, &rest))
			return false;
		glob = str_skip(glob, 1);
	}
	return ignore_parse_line(glob, &parsed) &&
	       fits_within(&parsed, rest, flags);
}

static bool fits_path(const struct rule *rule, const struct deed *d)
{
	unsigned flags = rule->verdict == VERDICT_ALLOW ? 0 : WIDE;

	if (rule->root.len && !str_eq(rule->root, d->root))
		return false;
	if (!rule->path.len)
		return true;
	if (str_starts(rule->path, STR("/")) ||
	    str_starts(rule->path, STR("~/"))) {
		bool given = fits_absolute(rule, d->path, flags);
		bool found = fits_absolute(rule, d->key, flags);

		/* what is forbidden under one name is so under the other */
		if (rule->verdict == VERDICT_ALLOW ? given && found
						   : given || found)
			return true;
	}
	if (rule->verdict == VERDICT_ALLOW)
		return fits_within(&rule->glob, d->key_part, flags) &&
		       (!d->part.len ||
			fits_within(&rule->glob, d->part, flags));
	return fits_within(&rule->glob, d->key_part, flags) ||
	       (!str_eq(d->part, d->key_part) &&
		fits_within(&rule->glob, d->part, flags));
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

static bool is_in(const struct deed *d, struct str dir)
{
	struct str rest;

	return path_beneath(d->path, dir, &rest) ||
	       (!deed_same_name(d) && path_beneath(d->key, dir, &rest));
}

static bool by_own(const struct rules *r, const struct deed *d,
		   struct decision *ret)
{
	for (size_t i = 0; i < r->own_count; i++) {
		const struct own_dir *own = &r->own[i];

		if ((!d->changes && !own->hidden) || !is_in(d, own->path))
			continue;
		(void)says(ret, VERDICT_DENY, NULL, "config",
			   STR("it belongs to stet itself"));
		ret->hidden = own->hidden;
		return true;
	}
	return d->changes && fits_path(&own_rule, d) &&
	       says(ret, VERDICT_DENY, &own_rule, "config",
		    STR("the settings of stet are for people to change"));
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

static unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* The letter that some name of a path must start with to fit; 0 = any. */
static unsigned char first_letter(const struct ignore_rule *glob)
{
	if (str_starts(glob->pattern, STR("**/.")))
		return '.';
	return glob->only_name && glob->literal ? lower(glob->pattern.ptr[0])
						: 0;
}

static void note_letters(struct str path, bool starts[UCHAR_MAX + 1])
{
	struct str name;

	while (path_next(&path, &name))
		starts[lower(name.ptr[0])] = true;
}

/* Most of them need a letter that no name on the way starts with. */
static const struct rule *sensitive(const struct deed *d)
{
	bool starts[UCHAR_MAX + 1] = { false };

	if (!d->changes)
		return NULL;
	note_letters(d->key_part, starts);
	note_letters(d->part, starts);
	for (size_t i = 0; i < sensitive_count; i++) {
		const struct rule *rule = &sensitive_rules[i];
		unsigned char first = first_letter(&rule->glob);

		if ((!first || starts[first]) && fits_path(rule, d))
			return rule;
	}
	return NULL;
}

/* "write" alone does not mean .env too: that takes a rule with a path. */
static bool by_allow(const struct rules *r, const struct deed *d,
		     struct decision *ret)
{
	bool secret = r->count && sensitive(d);

	for (size_t i = 0; i < r->count; i++) {
		const struct rule *rule = &r->rule[i];

		if (rule->verdict == VERDICT_ALLOW && fits(rule, d) &&
		    (rule->path.len || !secret))
			return says(ret, VERDICT_ALLOW, rule, "rule",
				    rule->text);
	}
	return false;
}

static bool by_mode(const struct rules *r, const struct deed *d,
		    struct decision *ret)
{
	const struct rule *rule = NULL;

	if (r->mode == MODE_DEFAULT || r->mode == MODE_ACCEPT_EDITS)
		rule = sensitive(d);
	if (rule)
		return says(ret, VERDICT_ASK, rule, "sensitive", rule->text);
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

bool rules_denied(const struct rules *r, const struct deed *d)
{
	struct deed look = *d;
	struct decision decision;

	r = rules_now(r);
	look.tool = NULL;
	look.changes = false;
	return (by_own(r, &look, &decision) || by_deny(r, &look, &decision)) &&
	       decision.hidden;
}

/* Under its given name or its own, in its root; each list is on its own. */
bool rules_ignored(const struct rules *r, const struct deed *d,
		   struct ignore_cause *cause)
{
	struct ignore_cause why;

	r = rules_now(r);
	for (size_t i = 0; i < r->ignore_count; i++) {
		const struct ignore_list *list = &r->ignore[i].list;

		if (r->ignore[i].root.len &&
		    !str_eq(r->ignore[i].root, d->root))
			continue;
		if (!ignore_decide(list, 1, d->key_part, false, &why) &&
		    !ignore_decide(list, 1, d->part, false, &why))
			continue;
		if (cause)
			*cause = why;
		return true;
	}
	return false;
}
