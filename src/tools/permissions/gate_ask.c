/*
 * gate_ask.c - finds the answer of the person to a call that the rules ask
 * about: a grant, an approval in the queue, or an answer just given; else makes
 * the question, which is one for all files of the call.
 *
 * An approval from the queue is used up when it is found. So on the loop thread
 * (byte_limit) gate_ask() returns ERR_LATER, and only a run on a worker looks for
 * approvals or asks.
 */
#include "base/digest.h"
#include "files/path.h"
#include "store/approvals.h"
#include "text/encoding/encoding.h"
#include "tools/change/describe.h"
#include "tools/change/hunks.h"
#include "tools/change/preview.h"
#include "tools/permissions/gate_local.h"

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

static void bind_file(struct buf *out, const struct action_facts *facts)
{
	const struct str parts[] = { facts->key, facts->from, facts->held,
				     facts->remove ? STR("-") : STR("+") };

	add_parts(out, parts, COUNT_OF(parts));
	add_parts(out, facts->beneath, facts->beneath_count);
	add_parts(out, facts->dirs_beneath, facts->dirs_beneath_count);
	buf_addf(out, " %o", facts->mode);
	add_digest(out, facts->after);
	add_before(out, facts->before);
}

/* What an approval is bound to beside the call itself: see gate.h. */
static struct str question_binding(struct call *c,
				   const struct action_facts *facts, size_t n)
{
	const struct question *q = &c->question;
	const struct str parts[] = { q->root,   q->path, q->summary,
				     q->reason, q->does, q->badges };
	auto_buf all = BUF_INIT;

	add_parts(&all, parts, COUNT_OF(parts));
	for (size_t i = 0; i < APPROVAL_TEXTS; i++)
		add_digest(&all, q->texts[i]);
	for (size_t i = 0; i < n; i++)
		bind_file(&all, &facts[i]);
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

/* The directory that all files are in. */
static struct str common_directory(const struct action_facts *facts, size_t n)
{
	struct str dir = path_parent(facts->key), rest;

	for (size_t i = 0; i < n; i++)
		while (dir.len > 1 && !path_beneath(facts[i].key, dir, &rest))
			dir = path_parent(dir);
	return dir;
}

static struct str summary_of_group(struct call *c,
				   const struct action_facts *facts, size_t n)
{
	size_t files = 0;

	if (facts->summary.len)
		return facts->summary;
	for (size_t i = 0; i < n; i++)
		files += !facts[i].moved;
	return arena_printf(c->mem,
			    "%s wants to change " STR_FMT " in " STR_FMT,
			    c->tool->name,
			    STR_ARG(describe_count(files, "file", c->mem)),
			    STR_ARG(common_directory(facts, n)));
}

static struct str summary_of(struct call *c, const struct action_facts *facts)
{
	const char *verb = facts->remove   ? "delete"
			   : facts->before ? "change"
					   : "create";

	if (facts->summary.len)
		return facts->summary;
	if (facts->from.len) /* where a secret comes from must not be missed */
		return arena_printf(c->mem,
				    "%s wants to copy " STR_FMT " to " STR_FMT,
				    c->tool->name, STR_ARG(facts->from),
				    STR_ARG(facts->key));
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

bool gate_finds_sensitive(const struct call *c, const struct action *action)
{
	const struct rules *rules = c->options->rules;

	rules = rules ? rules_now(rules) : NULL;
	return gate_is_sensitive(action, rules ? rules->base : NULL,
				 rules ? rules->base_count : 0);
}

/* The file itself, or one that is changed with its directory. */
static bool holds_sensitive(struct call *c, const struct action_facts *facts,
			    const struct action *action)
{
	bool found = gate_finds_sensitive(c, action);

	for (size_t i = 0; i < facts->beneath_count && !found; i++) {
		struct glob_budget effort;
		struct action beneath;

		gate_place_beneath(c, facts->beneath[i], &effort, &beneath);
		found = gate_finds_sensitive(c, &beneath);
	}
	return found;
}

/* Does a grant cover this action? Then facts->grant is its id. */
static bool is_file_covered(struct call *c, struct action_facts *facts)
{
	const struct caller *caller = c->caller;
	struct action action = { .tool = c->tool,
				 .directory = facts->directory,
				 .files = c->files };
	struct grant_use use = { .client = caller->name,
				 .declared = caller->declared,
				 .tool = str_of(c->tool->name),
				 .path = facts->key,
				 .session = caller->session,
				 .changes = effects_change(c->tool->effects) };
	struct fault ignored;

	gate_place(c, &action, facts->path, facts->key);
	use.root = action.root;
	use.sensitive = holds_sensitive(c, facts, &action);
	return !grant_covers(c->options->store, &use, &facts->grant,
			     &ignored) &&
	       !uuid_is_zero(facts->grant);
}

static bool is_covered(struct call *c, struct action_facts *facts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_file_covered(c, &facts[i]))
			return false;
	c->grant = facts->grant;
	return true;
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

/* The question without its preview, which costs a diff. */
static void begin_question(struct call *c, const struct action_facts *facts,
			   size_t n, struct str reason)
{
	struct action action = { .tool = c->tool };

	gate_place(c, &action, facts->path, facts->key);
	c->question = (struct question){
		.path = facts->key,
		.root = action.root,
		.summary = n > 1 ? summary_of_group(c, facts, n)
				 : summary_of(c, facts),
		.reason = reason,
	};
	c->question.digest = call_digest(c);
}

/* Approved: results may contain what was read, too. */
static enum err gate_allow(struct call *c)
{
	c->granted = true;
	c->unread = (struct unread){ 0 };
	return ERR_OK;
}

/* A decision that has come since the question was asked. */
static enum err find_answer(struct call *c, const struct hunk_set *set,
			    struct action_facts *facts)
{
	struct digest shown = question_digest(&c->question);
	bool allowed = c->granted && digest_eq(shown, c->shown);
	enum err e = ERR_OK;

	if (!allowed) {
		c->approval = (struct uuid){ 0 };
		c->hunks = STR("");
		if (c->options->store)
			e = use_answer(c, &allowed);
	}
	if (e)
		return e;
	if (!allowed)
		return fail(c->fault, ERR_ASK, .path = facts->key,
			    .text = c->question.summary);
	c->shown = shown; /* also when a lost race makes the call run again */
	e = accept_hunks(c, set, facts);
	return e ? e : gate_allow(c);
}

enum err gate_ask(struct call *c, struct action_facts *facts, size_t n,
		  struct str reason)
{
	struct hunk_set set = { 0 };

	/* Finding an approval uses it up, and this run may be repeated. */
	if (c->progress.byte_limit)
		return ERR_LATER;
	begin_question(c, facts, n, reason);
	if (c->options->store && is_covered(c, facts, n)) {
		c->approval = (struct uuid){ 0 };
		c->hunks = STR("");
		return gate_allow(c);
	}
	for (size_t i = 0; i < n; i++)
		facts[i].grant = (struct uuid){ 0 };
	if (n > 1)
		preview_group(c, facts, n);
	else
		preview_change(c, facts, &set);
	c->question.binding = question_binding(c, facts, n);
	return find_answer(c, &set, facts);
}
