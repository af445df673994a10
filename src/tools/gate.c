/*
 * gate.c - the verdict on one call: the rules, the grants of the person and
 * their answers in the queue, and the question when none of them is enough.
 */
#include "tools/gate.h"

#include "base/digest.h"
#include "files/path.h"
#include "store/approvals.h"
#include "text/encoding.h"
#include "tools/describe.h"
#include "tools/hunks.h"
#include "tools/ignored.h"
#include "tools/refusal.h"
#include "tools/shown.h"

/* Each with its length, so that no two lists of parts are the same bytes. */
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

/* The file that would be changed, as it was loaded. */
static void add_before(struct buf *out, const struct snapshot *before)
{
	char hex[HASH_HEX + 1];

	if (!before)
		return;
	hash_hex(before->version, hex);
	buf_addf(out, "%s %llu %llu", hex,
		 (unsigned long long)before->stamp.dev,
		 (unsigned long long)before->stamp.ino);
	add_digest(out, before->bytes);
}

static struct str hex_of(struct call *c, const struct buf *all)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(digest_of(buf_str(all)), hex);
	return arena_copy(c->mem, str_of(hex));
}

/* "The same call": who, which tool, with which arguments. */
static struct str digest(struct call *c)
{
	const struct str parts[] = { c->caller->scope, str_of(c->tool->name),
				     json_raw(c->arguments) };
	auto_buf all = BUF_INIT;

	add_parts(&all, parts, COUNT_OF(parts));
	return hex_of(c, &all);
}

/* What a yes is bound to beside the call itself: see gate.h. */
static struct str bind(struct call *c, const struct deed_facts *facts)
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

static struct str summary_of(struct call *c, const struct deed_facts *facts)
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
	/* In some, a letter has the byte of an ASCII character in it. */
	return arena_printf(c->mem, "%s wants to %s " STR_FMT " (in %s)",
			    c->tool->name, verb, STR_ARG(facts->key),
			    facts->encoding->name);
}

bool gate_is_sensitive(const struct deed *deed, const struct str *base,
		       size_t base_count)
{
	const struct rules built_in = { .mode = MODE_DEFAULT,
					.base = base,
					.base_count = base_count };
	struct deed change = *deed;
	struct decision d;

	change.changes = true;
	rules_decide(&built_in, &change, &d);
	return d.verdict != VERDICT_ALLOW;
}

static bool is_sensitive(const struct call *c, const struct deed *deed)
{
	const struct rules *rules = c->options->rules;

	rules = rules ? rules_now(rules) : NULL;
	return gate_is_sensitive(deed, rules ? rules->base : NULL,
				 rules ? rules->base_count : 0);
}

/* Has the person said before that this may be done without asking? */
static bool may_already(struct call *c, const struct deed *deed)
{
	const struct caller *caller = c->caller;
	struct grant_use use = { .client = caller->name,
				 .declared = caller->declared,
				 .root = deed->root,
				 .tool = str_of(c->tool->name),
				 .path = c->question.path,
				 .session = caller->session,
				 .changes = effects_change(c->tool->effects),
				 .sensitive = is_sensitive(c, deed) };
	struct fault ignored;
	bool covered;

	return !grant_covers(c->options->store, &use, &covered, &ignored) &&
	       covered;
}

/*
 * Is it still what the person said yes to? The file may be another one by
 * now, or hold something else. A yes that does not fit any more is void.
 */
static bool still_holds(struct call *c, const struct approval *a)
{
	struct taken taken;
	struct fault ignored;

	if (!str_eq(a->binding, c->question.binding) ||
	    !str_eq(a->diff, c->question.diff))
		return false;
	return !a->hunks.len ||
	       (a->parts == c->question.parts &&
		!hunks_parse(a->hunks, a->parts, c->mem, &taken, &ignored));
}

/* The question that was asked earlier, in the queue, and answered since. */
static enum err decided(struct call *c, bool *ret)
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

/* The person has said yes: to all of it, or to some hunks. */
static enum err take(struct call *c, const struct cut *cut,
		     struct deed_facts *facts)
{
	enum err e;

	if (!c->hunks.len)
		return ERR_OK;
	e = hunks_parse(c->hunks, c->question.parts, c->mem, &facts->taken,
			c->fault);
	if (!e)
		facts->after = hunks_apply(cut, &facts->taken, c->mem);
	return e;
}

static void place(struct call *c, struct deed *d, struct str path,
		  struct str key);

/* The question but for what it shows, which costs a diff. */
static void begin_question(struct call *c, const struct deed_facts *facts,
			   struct str reason, struct deed *deed)
{
	*deed = (struct deed){ .tool = c->tool };
	place(c, deed, facts->path, facts->key);
	c->question = (struct question){ .path = facts->key,
					 .root = deed->root,
					 .summary = summary_of(c, facts),
					 .reason = reason };
	c->question.digest = digest(c);
}

/* Nobody needs to be asked any more: what is read may be told as well. */
static enum err allow(struct call *c)
{
	c->granted = true;
	c->unread = (struct unread){ 0 };
	return ERR_OK;
}

static enum err ask(struct call *c, struct deed_facts *facts, struct str reason)
{
	struct cut cut = { 0 };
	struct deed deed;
	struct digest shown;
	bool allowed = false;
	enum err e = ERR_OK;

	/* A yes is used up when it is found: not by a run that may be over. */
	if (c->errand.patience)
		return ERR_LATER;
	begin_question(c, facts, reason, &deed);
	if (c->options->store && may_already(c, &deed)) {
		c->approval = (struct uuid){ 0 };
		c->hunks = STR("");
		return allow(c);
	}
	shown_change(c, facts, &cut);
	c->question.binding = bind(c, facts);
	shown = question_digest(&c->question);
	if (c->granted && digest_eq(shown, c->shown)) {
		e = take(c, &cut, facts);
		return e ? e : allow(c);
	}
	c->approval = (struct uuid){ 0 };
	c->hunks = STR("");
	if (c->options->store)
		e = decided(c, &allowed);
	if (e)
		return e;
	if (allowed) { /* and still is when a race makes it run again */
		c->shown = shown;
		e = take(c, &cut, facts);
		return e ? e : allow(c);
	}
	return fail(c->fault, ERR_ASK, .path = facts->key,
		    .text = c->question.summary);
}

/* The deed as the rules want to know it. */
static void place(struct call *c, struct deed *d, struct str path,
		  struct str key)
{
	const struct str *roots;
	size_t n;

	roots = ws_roots(c->ws, c->mem, &n);
	deed_place(d, path, key, roots, n, c->mem);
	deed_place_above(d, c->options->rules, c->mem);
	if (!c->matching.steps && !c->matching.exhausted)
		c->matching = (struct glob_effort){ .steps = RULES_MAX_STEPS,
						    .stop = c->errand.stop,
						    .ctx = c->errand.ctx };
	d->effort = &c->matching;
}

/* Counting costs a diff: only for those who want to know. */
static bool wants_lines(const struct rules *rules)
{
	rules = rules_now(rules);
	for (size_t i = 0; i < rules->count; i++)
		if (rules->rule[i].by_lines)
			return true;
	return false;
}

static void decide(struct call *c, const struct deed_facts *facts,
		   struct decision *ret)
{
	const struct rules *rules = c->options->rules;
	struct deed deed = { .tool = c->tool,
			     .changes = true,
			     .known_size = true,
			     .bytes = facts->after.len };

	*ret = (struct decision){ VERDICT_ALLOW };
	if (!rules)
		return;
	place(c, &deed, facts->path, facts->key);
	if (wants_lines(rules))
		shown_count(c, facts, &deed);
	deed.ignored = ignored_by(rules, c->ws, &deed, &c->errand, c->mem);
	rules_decide(rules, &deed, ret);
}

/* The person has said beforehand that this tool need not ask. */
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

/* Rules that nobody could match in time forbid: then that is the reason. */
static struct str hint_for(struct call *c, struct str why)
{
	if (!c->matching.exhausted)
		return why;
	return arena_printf(c->mem,
			    STR_FMT "%sthe rules take too long to match "
				    "(limit %d steps in a call)",
			    STR_ARG(why), why.len ? ": " : "", RULES_MAX_STEPS);
}

enum err gate_change(struct call *c, struct deed_facts *facts)
{
	struct decision d;

	decide(c, facts, &d);
	if (d.verdict == VERDICT_DENY)
		return fail(c->fault, ERR_DENIED, .path = facts->path,
			    .reason = d.reason,
			    .hint = hint_for(c, refusal_says(&d, c->mem)));
	if (d.verdict == VERDICT_ASK)
		return ask(c, facts, d.why);
	if (c->tool->asks && !d.rule && !is_approved(c))
		return ask(c, facts, STR("this tool asks each time"));
	if (c->unread.why.len)
		return ask(c, facts, c->unread.why);
	return ERR_OK;
}

/* What a yes to reading lets the client know. */
static void describe_read(struct call *c, struct deed_facts *facts)
{
	struct fault ignored;
	struct look look;

	if (str_is(str_of(c->tool->family), "history")) {
		facts->does = STR(
			"tells the client when the file was changed, and by "
			"whom: not what is in it");
		return;
	}
	facts->does = STR("sends the file's content to the client");
	if (ws_look(c->ws, facts->path, c->mem, &look, &ignored) ||
	    !look.is_file || !str_eq(look.key, facts->key))
		return;
	facts->does = arena_printf(c->mem,
				   "sends the file's content (" STR_FMT
				   ") to the client",
				   STR_ARG(describe_count(look.stamp.size,
							  "byte", c->mem)));
	facts->held = arena_printf(c->mem, "%llu %llu %lld",
				   (unsigned long long)look.stamp.dev,
				   (unsigned long long)look.stamp.ino,
				   (long long)look.stamp.ctime);
}

/* The file is hidden: no tool may know of it. */
static enum err denied(struct call *c, struct str path)
{
	struct deed named = { .tool = c->tool };

	place(c, &named, path, path);
	return fail(c->fault, ERR_DENIED, .path = path, .reason = "rule",
		    .hint = hint_for(c, refusal_hides(c->options->rules, &named,
						      c->mem)));
}

/* A tool that only reads may have rules of its own; see rules.h. */
static enum err see(struct call *c, const struct deed *deed, struct str path,
		    struct str key)
{
	struct deed_facts facts = { .path = path, .key = key, .as_is = true };
	struct decision d;

	rules_decide(c->options->rules, deed, &d);
	if (d.verdict == VERDICT_DENY)
		return denied(c, path);
	if (d.verdict != VERDICT_ASK)
		return ERR_OK;
	facts.summary = arena_printf(c->mem, "%s wants to read " STR_FMT,
				     c->tool->name, STR_ARG(key));
	describe_read(c, &facts);
	return ask(c, &facts, d.why);
}

static void note_unread(struct call *c, const struct deed *deed,
			struct str path, struct str key)
{
	struct decision d;

	if (rules_ask_to_tell(c->options->rules, deed, &d))
		c->unread = (struct unread){ path, key, d.why };
}

static enum err ask_to_tell(struct call *c)
{
	struct deed_facts facts = {
		.path = c->unread.path,
		.key = c->unread.key,
		.as_is = true,
		.after = STR(
			"Nothing would be changed: as the file is now, this call fails or has no effect.\nTo allow it is to let the client know why, with lines of the file.\n"),
		.summary = arena_printf(c->mem, "%s wants to change " STR_FMT,
					c->tool->name, STR_ARG(c->unread.key)),
	};

	return ask(c, &facts, c->unread.why);
}

enum err gate_reveal(struct call *c, enum err e)
{
	struct fault told;
	enum err asked;

	/* These come from the gate itself, or before anything was known. */
	if (!c->unread.why.len || e == ERR_ASK || e == ERR_LATER ||
	    e == ERR_REFUSED || e == ERR_CANCELLED)
		return e;
	told = *c->fault;
	asked = ask_to_tell(c);
	if (asked)
		return asked;
	*c->fault = told;
	return e;
}

static bool is_denied(struct call *c, struct str path, struct str key)
{
	struct deed deed = { .tool = c->tool };

	place(c, &deed, path, key);
	return rules_denied(c->options->rules, &deed);
}

/* "" where nothing can be, and outside the roots. */
static struct str key_at(struct call *c, struct str path)
{
	struct fault ignored;
	struct look look;

	if (!c->ws->ops->look || ws_look(c->ws, path, c->mem, &look, &ignored))
		return STR("");
	return look.key;
}

/*
 * With a ".." the kernel looks at names that are not in the key of the file,
 * and fails or not by what they are. A name is judged where it is looked for,
 * and where it leads to when it is a link.
 */
enum err gate_way(struct call *c, struct str path)
{
	struct str rest = path, key = STR(""), name, at;

	if (!c->options->rules || !path_has(path, ".."))
		return ERR_OK;
	while (path_next(&rest, &name)) {
		at = str_head(path, (size_t)(name.ptr - path.ptr) + name.len);
		if (key.len && !str_is(name, "..") &&
		    is_denied(c, at, path_join(c->mem, key, name)))
			return denied(c, path);
		key = key_at(c, at);
		if (is_denied(c, at, key))
			return denied(c, path);
	}
	return ERR_OK;
}

/*
 * Nobody is asked about what a change would tell that is not made in any case:
 * one that is denied whatever is in the file.
 */
static enum err refuse_early(struct call *c, const struct deed *deed,
			     struct str path)
{
	struct deed change = *deed;
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

enum err gate_see(struct call *c, struct str path, struct str key)
{
	struct deed deed = { .tool = c->tool };

	if (!c->options->rules)
		return ERR_OK;
	place(c, &deed, path, key);
	if (rules_denied(c->options->rules, &deed))
		return denied(c, path);
	if (!key.len)
		return ERR_OK;
	if (!effects_change(c->tool->effects))
		return see(c, &deed, path, key);
	note_unread(c, &deed, path, key);
	return c->unread.why.len ? refuse_early(c, &deed, path) : ERR_OK;
}

bool gate_hides(struct call *c, struct str path, struct str key)
{
	struct deed deed = { .tool = c->tool };
	struct decision d;

	if (!c->options->rules)
		return false;
	place(c, &deed, path, key);
	if (rules_denied(c->options->rules, &deed))
		return true;
	if (effects_change(c->tool->effects))
		return false;
	rules_decide(c->options->rules, &deed, &d);
	return d.verdict == VERDICT_DENY;
}

bool gate_ignores(struct call *c, struct str path, struct str key)
{
	const struct rules *rules = c->options->rules;
	struct deed deed = { .tool = c->tool, .changes = true };

	if (!rules)
		return false;
	place(c, &deed, path, key);
	return rules_ignored(rules, &deed, NULL) ||
	       ignored_by(rules, c->ws, &deed, &c->errand, c->mem).len;
}

bool gate_may_name(struct call *c, struct str key)
{
	struct unread kept = c->unread;
	struct deed deed = { .tool = c->tool };
	bool asked;

	place(c, &deed, key, key);
	if (is_sensitive(c, &deed))
		return false;
	if (!c->options->rules)
		return true;
	if (gate_hides(c, key, key) || gate_ignores(c, key, key))
		return false;
	note_unread(c, &deed, key, key);
	asked = c->unread.why.len;
	c->unread = kept;
	return !asked;
}
