/*
 * gate.c - decides on one call by the rules. If they ask, gate_ask.c looks for an
 * answer, or makes the question.
 */
#include "tools/permissions/gate.h"

#include "files/path.h"
#include "tools/change/describe.h"
#include "tools/change/preview.h"
#include "tools/permissions/gate_local.h"
#include "tools/permissions/ignored.h"
#include "tools/permissions/refusal.h"

void gate_place(struct call *c, struct action *d, struct str path,
		struct str key)
{
	const struct str *roots;
	size_t n;

	roots = ws_roots(c->ws, c->mem, &n);
	action_place(d, path, key, roots, n, c->mem);
	action_place_above(d, c->options->rules, c->mem);
	if (!c->matching.steps && !c->matching.exhausted)
		c->matching = (struct glob_budget){ .steps = RULES_MAX_STEPS,
						    .stop = c->progress.stop,
						    .ctx = c->progress.ctx };
	d->effort = &c->matching;
}

/* Counting lines costs a diff: only if a rule has such a condition. */
static bool wants_lines(const struct rules *rules)
{
	rules = rules_now(rules);
	for (size_t i = 0; i < rules->count; i++)
		if (rules->rule[i].by_lines)
			return true;
	return false;
}

static bool holds_repository(struct call *c, struct str dir)
{
	struct str name = path_join(c->mem, dir, STR(".git"));
	struct file_info info = { 0 };
	struct fault ignored;

	return c->ws->ops->stat &&
	       !ws_stat(c->ws, name, c->mem, &info, &ignored) && info.exists;
}

static void decide_change(struct call *c, const struct action_facts *facts,
			  struct decision *ret)
{
	const struct rules *rules = c->options->rules;
	struct action action = { .tool = c->tool,
				 .changes = true,
				 .directory = facts->directory,
				 .files = c->files,
				 .known_size = true,
				 .bytes = facts->after.len };

	*ret = (struct decision){ VERDICT_ALLOW };
	if (!rules)
		return;
	gate_place(c, &action, facts->path, facts->key);
	if (wants_lines(rules))
		preview_count_lines(c, facts, &action);
	action.holds_repository =
		facts->directory && holds_repository(c, facts->key);
	action.ignored =
		ignored_by(rules, c->ws, &action, &c->progress, c->mem);
	rules_decide(rules, &action, ret);
}

void gate_place_beneath(struct call *c, struct str key,
			struct glob_budget *effort, struct action *ret)
{
	*ret = (struct action){ .tool = c->tool, .files = c->files };
	gate_place(c, ret, key, key);
	*effort = (struct glob_budget){ .steps = RULES_MAX_STEPS,
					.stop = c->progress.stop,
					.ctx = c->progress.ctx };
	ret->effort = effort;
}

/* *@why as in judge_change(). */
static enum err judge_one_beneath(struct call *c,
				  const struct action_facts *facts,
				  struct str key, bool directory,
				  struct ignored_cache *cache, struct str *why)
{
	const struct rules *rules = c->options->rules;
	struct glob_budget effort;
	struct action action;
	struct decision d;

	gate_place_beneath(c, key, &effort, &action);
	action.changes = true;
	action.directory = directory;
	action.ignored = ignored_by_cached(rules, c->ws, &action, &c->progress,
					   c->mem, cache);
	rules_decide(rules, &action, &d);
	if (d.verdict == VERDICT_DENY || rules_denied(rules, &action))
		return fail(c->fault, ERR_NOT_ALLOWED, .path = facts->path,
			    .reason = "rule");
	if (d.verdict == VERDICT_ASK && !why->len)
		*why = d.why;
	return ERR_OK;
}

static enum err judge_beneath(struct call *c, const struct action_facts *facts,
			      struct str *why)
{
	struct ignored_cache cache = { 0 };
	enum err e = ERR_OK;

	if (!c->options->rules)
		return ERR_OK;
	for (size_t i = 0; i < facts->beneath_count && !e; i++)
		e = judge_one_beneath(c, facts, facts->beneath[i],
				      /* directory= */ false, &cache, why);
	for (size_t i = 0; i < facts->dirs_beneath_count && !e; i++)
		e = judge_one_beneath(c, facts, facts->dirs_beneath[i],
				      /* directory= */ true, &cache, why);
	return e;
}

/* How many files a call changes; one that is moved is one file. */
static size_t count_files(const struct action_facts *facts, size_t n)
{
	size_t files = 0;

	for (size_t i = 0; i < n; i++)
		if (!facts[i].moved)
			files += size_max(facts[i].beneath_count, 1);
	return files;
}

/* --approve, or a mode that never asks. */
static bool is_approved(const struct call *c)
{
	const struct tool_options *o = c->options;
	const struct rules *rules = o->rules ? rules_now(o->rules) : NULL;

	for (size_t i = 0; i < o->approved_count; i++)
		if (!strcmp(o->approved[i], c->tool->name))
			return true;
	return rules &&
	       (rules->mode == MODE_BYPASS || rules->mode == MODE_YOLO);
}

/* Rules that exceed the matching budget forbid: name that as the reason. */
static struct str hint_for(struct call *c, struct str why)
{
	if (!c->matching.exhausted)
		return why;
	return arena_printf(c->mem,
			    STR_FMT "%sthe rules take too long to match "
				    "(limit %d steps in a call)",
			    STR_ARG(why), why.len ? ": " : "", RULES_MAX_STEPS);
}

/* ERR_DENIED, or whether and why the person has to be asked. */
static enum err judge_change(struct call *c, struct action_facts *facts,
			     struct str *why)
{
	struct decision d;

	decide_change(c, facts, &d);
	if (d.verdict == VERDICT_DENY)
		return fail(c->fault, ERR_DENIED, .path = facts->path,
			    .reason = d.reason,
			    .hint = hint_for(c, refusal_says(&d, c->mem)));
	if (!why->len && d.verdict == VERDICT_ASK) /* report the first reason */
		*why = d.why;
	else if (!why->len && c->tool->asks && !d.rule && !is_approved(c))
		*why = STR("this tool asks each time");
	return judge_beneath(c, facts, why);
}

enum err gate_change(struct call *c, struct action_facts *facts, size_t n)
{
	struct str why = STR("");
	enum err e = ERR_OK;

	c->grant = (struct uuid){ 0 };
	c->files = count_files(facts, n);
	for (size_t i = 0; i < n && !e; i++)
		e = judge_change(c, &facts[i], &why);
	if (!why.len)
		why = c->unread.why;
	if (e || !why.len)
		return e;
	return gate_ask(c, facts, n, why);
}

/* What an approval of reading reveals to the client. */
static void describe_read(struct call *c, struct action_facts *facts)
{
	struct fault ignored;
	struct file_info info;

	if (tool_in_family(c->tool, STR("history"))) {
		facts->does = STR(
			"tells the client when the file was changed and by whom, but not its content");
		return;
	}
	facts->does = STR("sends the file's content to the client");
	if (ws_stat(c->ws, facts->path, c->mem, &info, &ignored) ||
	    !info.is_file || !str_eq(info.key, facts->key))
		return;
	facts->does = arena_printf(c->mem,
				   "sends the file's content (" STR_FMT
				   ") to the client",
				   STR_ARG(describe_count(info.stat.size,
							  "byte", c->mem)));
	facts->held = arena_printf(c->mem, "%llu %llu %lld",
				   (unsigned long long)info.stat.dev,
				   (unsigned long long)info.stat.ino,
				   (long long)info.stat.ctime);
}

/* The same answer for every hidden file, whether or not it exists. */
static enum err fail_hidden(struct call *c, struct str path)
{
	struct action named = { .tool = c->tool };

	gate_place(c, &named, path, path);
	return fail(c->fault, ERR_DENIED, .path = path, .reason = "rule",
		    .hint = hint_for(c, refusal_hides(c->options->rules, &named,
						      c->mem)));
}

/* A tool that only reads: rules may deny it or ask. */
static enum err check_read(struct call *c, const struct action *action,
			   struct str path, struct str key)
{
	struct action_facts facts = { .path = path, .key = key, .as_is = true };
	struct decision d;

	rules_decide(c->options->rules, action, &d);
	if (d.verdict == VERDICT_DENY)
		return fail_hidden(c, path);
	if (d.verdict != VERDICT_ASK)
		return ERR_OK;
	facts.summary = arena_printf(c->mem, "%s wants to read " STR_FMT,
				     c->tool->name, STR_ARG(key));
	describe_read(c, &facts);
	return gate_ask(c, &facts, 1, d.why);
}

static void add_unread(struct call *c, struct str path, struct str key,
		       struct str why)
{
	struct unread *before;

	for (const struct unread *u = &c->unread; u; u = u->before)
		if (u->why.len && str_eq(u->key, key))
			return;
	before = arena_zero(c->mem, 1, sizeof(*before));
	*before = c->unread;
	c->unread = (struct unread){ path, key, why,
				     before->why.len ? before : NULL };
}

static void note_unread(struct call *c, const struct action *action,
			struct str path, struct str key)
{
	struct decision d;

	if (rules_ask_to_reveal(c->options->rules, action, &d))
		add_unread(c, path, key, d.why);
}

enum err gate_read_tree(struct call *c, struct str path, struct str key,
			const struct str *beneath, size_t n)
{
	const struct rules *rules = c->options->rules;
	struct glob_budget effort;
	struct action action;
	struct decision d;

	for (size_t i = 0; rules && i < n; i++) {
		gate_place_beneath(c, beneath[i], &effort, &action);
		if (rules_denied(rules, &action))
			return fail(c->fault, ERR_NOT_ALLOWED, .path = path,
				    .reason = "rule");
		if (rules_ask_to_reveal(rules, &action, &d))
			add_unread(c, path, key, d.why);
	}
	return ERR_OK;
}

/* One action for each file that was loaded; they are not shown. */
static struct action_facts *unread_facts(struct call *c, size_t *ret_n)
{
	struct action_facts *facts = NULL;

	*ret_n = 0;
	for (const struct unread *u = &c->unread; u; u = u->before)
		*arena_add(c->mem, facts, *ret_n) = (struct action_facts){
			.path = u->path,
			.key = u->key,
			.as_is = true,
			.after = STR(
				"Nothing would be changed: with the present content this call fails or has no effect.\nIf you allow it, the client gets the reason, with lines of the file.\n"),
			.summary = arena_printf(c->mem,
						"%s wants to change " STR_FMT,
						c->tool->name, STR_ARG(u->key)),
		};
	return facts;
}

static enum err ask_to_reveal(struct call *c)
{
	size_t n;
	struct action_facts *facts = unread_facts(c, &n);

	return gate_ask(c, facts, n, c->unread.why);
}

enum err gate_reveal(struct call *c, enum err e)
{
	struct fault own;
	enum err asked;

	/* These come from the gate itself, or reveal nothing. */
	if (!c->unread.why.len || e == ERR_ASK || e == ERR_LATER ||
	    e == ERR_REFUSED || e == ERR_CANCELLED)
		return e;
	own = *c->fault;
	asked = ask_to_reveal(c);
	if (asked)
		return asked;
	*c->fault = own;
	return e;
}

static bool is_denied(struct call *c, struct str path, struct str key)
{
	struct action action = { .tool = c->tool };

	gate_place(c, &action, path, key);
	return rules_denied(c->options->rules, &action);
}

/* The key at @path; "" outside the roots. */
static struct str key_at(struct call *c, struct str path)
{
	struct fault ignored;
	struct file_info info;

	if (!c->ws->ops->stat || ws_stat(c->ws, path, c->mem, &info, &ignored))
		return STR("");
	return info.key;
}

/*
 * With ".." the kernel resolves names that are not part of the key, and the
 * result depends on whether they exist. So each name is checked where it is
 * looked up, and where it leads if it is a symlink.
 */
enum err gate_check_dotdot(struct call *c, struct str path)
{
	struct str rest = path, key = STR(""), name, at;

	if (!c->options->rules || !path_has(path, ".."))
		return ERR_OK;
	while (path_next(&rest, &name)) {
		at = str_head(path, (size_t)(name.ptr - path.ptr) + name.len);
		if (key.len && !str_is(name, "..") &&
		    is_denied(c, at, path_join(c->mem, key, name)))
			return fail_hidden(c, path);
		key = key_at(c, at);
		if (is_denied(c, at, key))
			return fail_hidden(c, path);
	}
	return ERR_OK;
}

/*
 * A change that is denied whatever the file holds is refused at once: the
 * person is not asked about reading for it.
 */
static enum err refuse_early(struct call *c, const struct action *action,
			     struct str path)
{
	struct action change = *action;
	struct decision d;

	change.changes = true;
	rules_decide(c->options->rules, &change, &d);
	if (d.verdict != VERDICT_DENY || (d.rule && rule_has_condition(d.rule)))
		return ERR_OK;
	c->unread = (struct unread){ 0 };
	return fail(c->fault, ERR_DENIED, .path = path, .reason = d.reason,
		    .hint = hint_for(c, refusal_says(&d, c->mem)));
}

enum err gate_read(struct call *c, struct str path, struct str key)
{
	struct action action = { .tool = c->tool };

	if (!c->options->rules)
		return ERR_OK;
	gate_place(c, &action, path, key);
	if (rules_denied(c->options->rules, &action))
		return fail_hidden(c, path);
	if (!key.len)
		return ERR_OK;
	if (!effects_change(c->tool->effects))
		return check_read(c, &action, path, key);
	note_unread(c, &action, path, key);
	return c->unread.why.len ? refuse_early(c, &action, path) : ERR_OK;
}

bool gate_hides(struct call *c, struct str path, struct str key)
{
	struct action action = { .tool = c->tool };
	struct decision d;

	if (!c->options->rules)
		return false;
	gate_place(c, &action, path, key);
	if (rules_denied(c->options->rules, &action))
		return true;
	if (effects_change(c->tool->effects))
		return false;
	rules_decide(c->options->rules, &action, &d);
	return d.verdict == VERDICT_DENY;
}

bool gate_ignores(struct call *c, struct str path, struct str key)
{
	const struct rules *rules = c->options->rules;
	struct action action = { .tool = c->tool, .changes = true };

	if (!rules)
		return false;
	gate_place(c, &action, path, key);
	return rules_ignored(rules, &action, NULL) ||
	       ignored_by(rules, c->ws, &action, &c->progress, c->mem).len;
}

bool gate_may_name(struct call *c, struct str key)
{
	struct unread kept = c->unread;
	struct action action = { .tool = c->tool };
	bool asked;

	gate_place(c, &action, key, key);
	if (gate_finds_sensitive(c, &action))
		return false;
	if (!c->options->rules)
		return true;
	if (gate_hides(c, key, key) || gate_ignores(c, key, key))
		return false;
	note_unread(c, &action, key, key);
	asked = c->unread.why.len;
	c->unread = kept;
	return !asked;
}
