/*
 * ask_queue.c - questions as rows of the store, and what the answers become:
 * a decision of that row, and a grant when an answer goes beyond one call.
 */
#include "rpc/ask_queue.h"

#include "rpc/ask_grant.h"
#include "tools/approvals_json.h"
#include "tools/grant_words.h"
#include "tools/hunks.h"

static struct approval approval_of(const struct call *c)
{
	const struct question *q = &c->question;
	struct approval a = {
		.tool = str_of(c->tool->name),
		.path = q->path,
		.client = c->caller->client,
		.session = c->caller->session,
		.scope = c->caller->scope,
		.owner = c->caller->name,
		.declared = c->caller->declared,
		.root = q->root,
		.changes = effects_change(c->tool->effects),
		.digest = q->digest,
		.binding = q->binding,
		.summary = q->summary,
		.diff = q->diff,
		.reason = q->reason,
		.parts = q->parts,
		.does = q->does,
		.badges = q->badges,
		.more = q->texts[APPROVAL_DIFF].len > 0,
		.kept = q->kept,
		.added = q->added,
		.removed = q->removed,
	};

	memcpy(a.texts, q->texts, sizeof(a.texts));
	return a;
}

bool ask_queue_add(struct dispatch *d, uint64_t waits_ms, struct uuid *ret)
{
	struct store *store = d->call.options->store;
	struct approval a = approval_of(&d->call);
	struct fault ignored;

	a.waits_ms = waits_ms;
	if (!store || approval_ask(store, &a, d->mem, &ignored))
		return false;
	*ret = a.id;
	return true;
}

/* The question is in the queue: {"approval":...,"hint":...}, and in words. */
static struct fault waiting(struct fault f, struct uuid id, bool declined,
			    struct arena *mem)
{
	char text[UUID_TEXT + 1];
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	f.hint =
		declined
			? STR("The client declined without asking anybody, so the person has been asked in another way. Make the same call again later, when they have answered")
			: STR("The person has been asked. Make the same call again later, when they have answered");
	uuid_text(id, text);
	json_open(&o, '{');
	json_text_member(&o, "approval", str_of(text));
	json_text_member(&o, "hint", f.hint);
	json_close(&o, '}');
	f.data = arena_copy(mem, buf_str(&out));
	return f;
}

static enum err refuse(struct dispatch *d, bool declined)
{
	struct fault f = { .err = ERR_APPROVAL,
			   .text = d->call.question.summary,
			   .path = d->call.question.path };
	struct store *store = d->call.options->store;
	struct approval a = approval_of(&d->call);
	struct fault why;

	if (!store)
		f.hint = STR(
			"There is no way to ask: the client cannot put questions to the user, and with --history=off there is no queue of approvals. The user can allow it beforehand: see 'stet serve --help', --allow and --approve");
	else if (approval_ask(store, &a, d->mem, &why))
		f.hint = arena_printf(d->mem,
				      STR_FMT " - so nobody can be asked",
				      STR_ARG(fault_text(&why, d->mem)));
	else
		f = waiting(f, a.id, declined, d->mem);
	return dispatch_refuse(d, &f);
}

enum err ask_queue_refuse(struct dispatch *d)
{
	return refuse(d, /* declined= */ false);
}

enum err ask_queue_refuse_declined(struct dispatch *d)
{
	return refuse(d, /* declined= */ true);
}

bool ask_queue_waits(struct store *s, struct uuid id, struct arena *mem)
{
	char text[UUID_TEXT + 1];
	struct approval a;
	struct fault ignored;

	uuid_text(id, text);
	return !approval_find(s, str_of(text), mem, &a, &ignored) &&
	       a.state == APPROVAL_PENDING;
}

bool ask_queue_withdraw(struct store *s, struct uuid id, struct arena *mem)
{
	char text[UUID_TEXT + 1];
	struct approval a;
	struct fault ignored;

	if (!approval_decide(s, id, APPROVAL_EXPIRED, STR(""), STR(""),
			     &ignored))
		return true;
	uuid_text(id, text);
	/* An equal call may have withdrawn it: that is no answer. */
	return approval_find(s, str_of(text), mem, &a, &ignored) ||
	       a.state == APPROVAL_EXPIRED;
}

bool ask_queue_grant(const struct call *c, enum ask_answer answer,
		     bool dialogs_may_last, struct grant *ret)
{
	struct approval a = approval_of(c);
	struct str missing;

	if (answer == ASK_ALWAYS && !dialogs_may_last)
		answer = ASK_SESSION;
	missing = ask_grant_of(answer, &a, ret);
	ret->channel = STR("dialog");
	if (!dialogs_may_last)
		ret->session = a.session;
	return answer > ASK_ONCE && answer <= ASK_ALWAYS && a.path.len &&
	       (ret->session.len || !missing.len);
}

struct str ask_queue_words(const struct call *c, const struct grant *g)
{
	struct grant_words w;
	const struct str *roots;
	size_t n;

	roots = ws_roots(c->ws, c->mem, &n);
	grant_words(g, grant_base(g->root, roots, n, c->mem), STR(""), c->mem,
		    &w);
	return grant_sentence(&w, c->mem);
}

void ask_queue_keep(const struct call *c, enum ask_answer answer,
		    bool dialogs_may_last)
{
	struct fault ignored;
	struct grant g;

	/* One that cannot be kept is still a yes to this call. */
	if (c->options->store &&
	    ask_queue_grant(c, answer, dialogs_may_last, &g))
		(void)!ask_grant_keep(c->options->store, &g, 0, &ignored);
}

/* One that the answer can still be given to: a yes can be taken back. */
static enum err find_open(struct store *s, struct str id,
			  const struct ask_decision *d, struct arena *mem,
			  struct approval *ret, struct fault *f)
{
	enum { SHORT = sizeof("01234567-89ab") - 1 };
	char text[UUID_TEXT + 1];
	enum err e = approval_find(s, id, mem, ret, f);

	if (e || ret->state == APPROVAL_PENDING ||
	    (ret->state == APPROVAL_ALLOWED && d->withdraws))
		return e;
	uuid_text(ret->id, text);
	return fail(f, ERR_NO_APPROVAL, .reason = "decided",
		    .text = arena_printf(
			    mem, "%.*s is %s already: %s", SHORT, text,
			    approvals_state(ret->state),
			    ret->state == APPROVAL_GRANTED
				    ? "a grant is taken back by its own id"
				    : "the agent has to ask again"));
}

/* A grant is enough: nothing is left over when it is taken back. */
static enum approval_state state_of(enum ask_answer answer)
{
	if (answer == ASK_DENY)
		return APPROVAL_DENIED;
	return answer == ASK_ONCE ? APPROVAL_ALLOWED : APPROVAL_GRANTED;
}

static enum err choose(struct approval *a, const struct ask_decision *d,
		       struct arena *mem, struct fault *f)
{
	if (d->answer != ASK_ONCE)
		return fail(
			f, ERR_BAD_ARGS,
			.text = STR(
				"hunks are of one call: what is allowed beyond it is all of it"));
	return hunks_choose(a, d->hunks, mem, &a->hunks, f);
}

enum err ask_queue_decide(struct store *s, struct str id,
			  const struct ask_decision *d, struct arena *mem,
			  struct approval *ret, struct grant *ret_grant,
			  struct fault *f)
{
	struct approval a;
	struct str missing;
	enum err e = find_open(s, id, d, mem, &a, f);

	if (e)
		return e;
	missing = ask_grant_of(d->answer, &a, ret_grant);
	if (missing.len)
		return fail(f, ERR_BAD_ARGS, .text = missing);
	if (d->hunks.ptr)
		e = choose(&a, d, mem, f);
	if (!e && d->agree && state_of(d->answer) == APPROVAL_GRANTED)
		e = d->agree(d->ctx, &a, ret_grant, f);
	if (e)
		return e;
	a.withdrawn = a.state == APPROVAL_ALLOWED;
	e = a.withdrawn ? approval_withdraw(s, a.id, d->note, f)
			: approval_decide(s, a.id, state_of(d->answer), d->note,
					  a.hunks, f);
	if (e == ERR_NO_APPROVAL)
		f->reason = "decided";
	if (e)
		return e;
	a.state = state_of(d->answer);
	a.note = d->note;
	*ret = a;
	if (a.state != APPROVAL_GRANTED)
		return ERR_OK;
	ret_grant->channel = str_of(d->channel);
	return ask_grant_keep(s, ret_grant, d->for_ms, f);
}
