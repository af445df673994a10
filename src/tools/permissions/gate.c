/*
 * gate.c - decides on one call by the rules, the grants of the person and the
 * approvals in the queue, and makes the question if none of them allows it.
 *
 * An approval from the queue is used up when it is found. So on the loop thread
 * (byte_limit) gate_ask() returns ERR_LATER, and only a run on a worker looks for
 * approvals or asks.
 */
#include "tools/permissions/gate.h"

#include "base/digest.h"
#include "files/path.h"
#include "store/approvals.h"
#include "text/encoding/encoding.h"
#include "tools/change/describe.h"
#include "tools/change/hunks.h"
#include "tools/change/preview.h"
#include "tools/permissions/ignored.h"
#include "tools/permissions/refusal.h"

/* Each part has its length, so that different lists never collide. */
static void add_parts(struct buf *out, const struct str *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "%zu:", parts[i].len);
		buf_add(out, parts[i]);
	}
}

static void add_digest(struct buf *out, struct str bytes)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(digest_of(bytes), hex);
	buf_addf(out, " %s ", hex);
}

/* The loaded file that would be changed. */
static void add_before(struct buf *out, const struct snapshot *before)
{
	char hex[HASH_HEX + 1];

	if (!before)
		return;
	hash_hex(before->version, hex);
	buf_addf(out, "%s %llu %llu", hex, (unsigned long long)before->stat.dev,
		 (unsigned long long)before->stat.ino);
	add_digest(out, before->bytes);
}

static struct str hex_of(struct call *c, const struct buf *all)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(digest_of(buf_str(all)), hex);
	return arena_copy(c->mem, str_of(hex));
}

/* Identity of a call: caller, tool and arguments. */
static struct str call_digest(struct call *c)
{
	const struct str parts[] = { c->caller->scope, str_of(c->tool->name),
				     json_raw(c->arguments) };
	auto_buf all = BUF_INIT;

	add_parts(&all, parts, COUNT_OF(parts));
	return hex_of(c, &all);
}

/* What an approval is bound to beside the call itself: see gate.h. */
static struct str question_binding(struct call *c,
				   const struct action_facts *facts)
{
	const struct question *q = &c->question;
	const struct str parts[] = {
		q->root,     q->path,
		q->summary,  q->reason,
		q->does,     q->badges,
		facts->held, facts->remove ? STR("-") : STR("+")
	};
	auto_buf all = BUF_INIT;

	add_parts(&all, parts, COUNT_OF(parts));
	buf_addf(&all, "%o", facts->mode);
	add_digest(&all, facts->after);
	for (size_t i = 0; i < APPROVAL_TEXTS; i++)
		add_digest(&all, q->texts[i]);
	add_before(&all, facts->before);
	return hex_of(c, &all);
}

struct digest question_digest(const struct question *q)
{
	const struct str parts[] = { q->path, q->summary, q->diff, q->reason,
				     q->binding };
	auto_buf all = BUF_INIT;

	add_parts(&all, parts, COUNT_OF(parts));
	buf_addf(&all, "%zu", q->parts);
	return digest_of(buf_str(&all));
}

static struct str summary_of(struct call *c, const struct action_facts *facts)
{
	const char *verb = facts->remove   ? "delete"
			   : facts->before ? "change"
					   : "create";

	if (facts->summary.len)
		return facts->summary;
	if (facts->remove || !facts->encoding ||
	    encoding_is_utf8(facts->encoding))
		return arena_printf(c->mem, "%s wants to %s " STR_FMT,
				    c->tool->name, verb, STR_ARG(facts->key));
	/* In some encodings letters contain bytes of ASCII characters. */
	return arena_printf(c->mem, "%s wants to %s " STR_FMT " (in %s)",
			    c->tool->name, verb, STR_ARG(facts->key),
			    facts->encoding->name);
}

bool gate_is_sensitive(const struct action *action, const struct str *base,
		       size_t base_count)
{
	const struct rules built_in = { .mode = MODE_DEFAULT,
					.base = base,
					.base_count = base_count };
	struct action change = *action;
	struct decision d;

	change.changes = true;
	rules_decide(&built_in, &change, &d);
	return d.verdict != VERDICT_ALLOW;
}

static bool is_sensitive(const struct call *c, const struct action *action)
{
	const struct rules *rules = c->options->rules;

	rules = rules ? rules_now(rules) : NULL;
	return gate_is_sensitive(action, rules ? rules->base : NULL,
				 rules ? rules->base_count : 0);
}

/* Does a grant cover this call? Then c->grant is its id. */
static bool is_covered(struct call *c, const struct action *action)
{
	const struct caller *caller = c->caller;
	struct grant_use use = { .client = caller->name,
				 .declared = caller->declared,
				 .root = action->root,
				 .tool = str_of(c->tool->name),
				 .path = c->question.path,
				 .session = caller->session,
				 .changes = effects_change(c->tool->effects),
				 .sensitive = is_sensitive(c, action) };
	struct fault ignored;

	return !grant_covers(c->options->store, &use, &c->grant, &ignored) &&
	       !uuid_is_zero(c->grant);
}

/*
 * Does the approval still match? The file may be another one by now or have
 * other content; the approval is void then.
 */
static bool still_holds(struct call *c, const struct approval *a)
{
	struct accepted_hunks taken;
	struct fault ignored;

	if (!str_eq(a->binding, c->question.binding) ||
	    !str_eq(a->diff, c->question.diff))
		return false;
	return !a->hunks.len ||
	       (a->parts == c->question.parts &&
		!hunks_parse(a->hunks, a->parts, c->mem, &taken, &ignored));
}

/* Look for an answer in the queue to this question, asked earlier. */
static enum err use_answer(struct call *c, bool *ret)
{
	struct approval approval;
	struct fault ignored;

	*ret = false;
	if (approval_take(c->options->store, c->question.digest,
			  c->question.binding, c->mem, &approval, &ignored))
		return ERR_OK;
	if (approval.state == APPROVAL_ALLOWED) {
		*ret = still_holds(c, &approval);
		c->hunks = *ret ? approval.hunks : STR("");
		if (*ret)
			c->approval = approval.id;
		return ERR_OK;
	}
	if (approval.state != APPROVAL_DENIED)
		return ERR_OK;
	return fail(c->fault, ERR_REFUSED, .path = approval.path,
		    .text = approval.summary, .reason = "denied",
		    .hint = approval.note);
}

/* Approved: reduce the change to the chosen hunks, if not all were. */
static enum err accept_hunks(struct call *c, const struct hunk_set *set,
			     struct action_facts *facts)
{
	enum err e;

	if (!c->hunks.len)
		return ERR_OK;
	e = hunks_parse(c->hunks, c->question.parts, c->mem, &facts->taken,
			c->fault);
	if (!e)
		facts->after = hunks_apply(set, &facts->taken, c->mem);
	return e;
}

static void place_action(struct call *c, struct action *d, struct str path,
			 struct str key);

/* The question without its preview, which costs a diff. */
static void begin_question(struct call *c, const struct action_facts *facts,
			   struct str reason, struct action *action)
{
	*action = (struct action){ .tool = c->tool };
	place_action(c, action, facts->path, facts->key);
	c->question = (struct question){ .path = facts->key,
					 .root = action->root,
					 .summary = summary_of(c, facts),
					 .reason = reason };
	c->question.digest = call_digest(c);
}

/* Approved: results may contain what was read, too. */
static enum err gate_allow(struct call *c)
{
	c->granted = true;
	c->unread = (struct unread){ 0 };
	return ERR_OK;
}

static enum err gate_ask(struct call *c, struct action_facts *facts,
			 struct str reason)
{
	struct hunk_set set = { 0 };
	struct action action;
	struct digest shown;
	bool allowed = false;
	enum err e = ERR_OK;

	/* Finding an approval uses it up, and this run may be repeated. */
	if (c->progress.byte_limit)
		return ERR_LATER;
	begin_question(c, facts, reason, &action);
	if (c->options->store && is_covered(c, &action)) {
		c->approval = (struct uuid){ 0 };
		c->hunks = STR("");
		return gate_allow(c);
	}
	preview_change(c, facts, &set);
	c->question.binding = question_binding(c, facts);
	shown = question_digest(&c->question);
	if (c->granted && digest_eq(shown, c->shown)) {
		e = accept_hunks(c, &set, facts);
		return e ? e : gate_allow(c);
	}
	c->approval = (struct uuid){ 0 };
	c->hunks = STR("");
	if (c->options->store)
		e = use_answer(c, &allowed);
	if (e)
		return e;
	if (allowed) { /* also when a lost race makes the call run again */
		c->shown = shown;
		e = accept_hunks(c, &set, facts);
		return e ? e : gate_allow(c);
	}
	return fail(c->fault, ERR_ASK, .path = facts->key,
		    .text = c->question.summary);
}

/* Fill in the names and roots by which the rules judge the action. */
static void place_action(struct call *c, struct action *d, struct str path,
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

static void decide_change(struct call *c, const struct action_facts *facts,
			  struct decision *ret)
{
	const struct rules *rules = c->options->rules;
	struct action action = { .tool = c->tool,
				 .changes = true,
				 .known_size = true,
				 .bytes = facts->after.len };

	*ret = (struct decision){ VERDICT_ALLOW };
	if (!rules)
		return;
	place_action(c, &action, facts->path, facts->key);
	if (wants_lines(rules))
		preview_count_lines(c, facts, &action);
	action.ignored =
		ignored_by(rules, c->ws, &action, &c->progress, c->mem);
	rules_decide(rules, &action, ret);
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

enum err gate_change(struct call *c, struct action_facts *facts)
{
	struct decision d;

	c->grant = (struct uuid){ 0 };
	decide_change(c, facts, &d);
	if (d.verdict == VERDICT_DENY)
		return fail(c->fault, ERR_DENIED, .path = facts->path,
			    .reason = d.reason,
			    .hint = hint_for(c, refusal_says(&d, c->mem)));
	if (d.verdict == VERDICT_ASK)
		return gate_ask(c, facts, d.why);
	if (c->tool->asks && !d.rule && !is_approved(c))
		return gate_ask(c, facts, STR("this tool asks each time"));
	if (c->unread.why.len)
		return gate_ask(c, facts, c->unread.why);
	return ERR_OK;
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

	place_action(c, &named, path, path);
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
	return gate_ask(c, &facts, d.why);
}

static void note_unread(struct call *c, const struct action *action,
			struct str path, struct str key)
{
	struct decision d;

	if (rules_ask_to_reveal(c->options->rules, action, &d))
		c->unread = (struct unread){ path, key, d.why };
}

static enum err ask_to_reveal(struct call *c)
{
	struct action_facts facts = {
		.path = c->unread.path,
		.key = c->unread.key,
		.as_is = true,
		.after = STR(
			"Nothing would be changed: with the present content this call fails or has no effect.\nIf you allow it, the client gets the reason, with lines of the file.\n"),
		.summary = arena_printf(c->mem, "%s wants to change " STR_FMT,
					c->tool->name, STR_ARG(c->unread.key)),
	};

	return gate_ask(c, &facts, c->unread.why);
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

	place_action(c, &action, path, key);
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
	if (d.verdict != VERDICT_DENY ||
	    (d.rule && (d.rule->by_lines || d.rule->by_bytes)))
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
	place_action(c, &action, path, key);
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
	place_action(c, &action, path, key);
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
	place_action(c, &action, path, key);
	return rules_ignored(rules, &action, NULL) ||
	       ignored_by(rules, c->ws, &action, &c->progress, c->mem).len;
}

bool gate_may_name(struct call *c, struct str key)
{
	struct unread kept = c->unread;
	struct action action = { .tool = c->tool };
	bool asked;

	place_action(c, &action, key, key);
	if (is_sensitive(c, &action))
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
