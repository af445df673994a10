/*
 * ask_queue.c - questions as rows of the store, decisions on them, and grants.
 *
 * Runs on workers and on threads of the page, as the store may block; only
 * ask_decided() and the poll of one row are also called on the loop thread.
 */
#include "rpc/ask_queue.h"

#include "base/clock.h"
#include "rpc/ask_grant.h"
#include "rpc/job.h"
#include "tools/change/hunks.h"
#include "tools/permissions/approvals_json.h"
#include "tools/permissions/grant_words.h"

enum {
	POLL_MS = 300,       /* the first interval */
	MOST_POLL_MS = 2000, /* the longest */
	POLL_PART = 16,      /* of the time that the call has waited */
};

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
		.files = q->files,
		.file_count = q->file_count,
	};

	memcpy(a.texts, q->texts, sizeof(a.texts));
	return a;
}

void ask_decided(struct server *s)
{
	for (; s; s = s->beside) {
		atomic_fetch_add(&s->decisions.count, 1);
		mutex_lock(&s->decisions.lock);
		if (s->decisions.wake)
			s->decisions.wake(s->decisions.ctx);
		mutex_unlock(&s->decisions.lock);
	}
}

void ask_on_decision(struct server *s, void (*wake)(void *ctx), void *ctx)
{
	mutex_lock(&s->decisions.lock);
	s->decisions.wake = wake;
	s->decisions.ctx = ctx;
	mutex_unlock(&s->decisions.lock);
}

bool ask_queue_add(struct job *job)
{
	struct dispatch *d = &job->dispatch;
	struct store *store = d->call.options->store;
	struct approval a = approval_of(&d->call);
	struct ask *ask = &job->ask;
	struct fault ignored;

	/* Read before the row exists, so that no decision on it is missed. */
	ask->decisions = atomic_load(&job->server->decisions.count);
	a.waits_ms = ask->waits;
	if (!store || approval_ask(store, &a, d->mem, &ignored))
		return false;
	if (a.state != APPROVAL_PENDING) /* decided meanwhile: poll at once */
		ask->decisions--;
	ask->approval = a.id;
	return true;
}

bool ask_queue_decided(struct job *job)
{
	const struct server *s = job->server;

	job->ask.decisions = atomic_load(&s->decisions.count);
	return !approval_is_pending(s->tools.store, job->ask.approval);
}

uint64_t ask_queue_next_poll(const struct job *job, uint64_t now)
{
	uint64_t first = job->server->poll_ms, later;

	later = (now - job->ask.asked) / POLL_PART;
	if (later > MOST_POLL_MS)
		later = MOST_POLL_MS;
	if (!first)
		first = POLL_MS;
	return now + (later > first ? later : first);
}

/* Complete the fault: data {"approval":...,"hint":...}, and the hint. */
static struct fault fault_with_id(struct fault f, struct uuid id,
				  struct str hint, struct arena *mem)
{
	char text[UUID_TEXT + 1];
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	f.hint = hint;
	uuid_text(id, text);
	json_open(&o, '{');
	json_text_member(&o, "approval", str_of(text));
	json_text_member(&o, "hint", f.hint);
	json_close(&o, '}');
	f.data = arena_copy(mem, buf_str(&out));
	return f;
}

/* @hint: what to do once the question is in the queue. */
static enum err refuse_undecided(struct dispatch *d, struct str hint)
{
	struct fault f = { .err = ERR_APPROVAL,
			   .text = d->call.question.summary,
			   .path = d->call.question.path };
	struct store *store = d->call.options->store;
	struct approval a = approval_of(&d->call);
	struct fault why;

	if (!store)
		f.hint = STR(
			"The user cannot be asked: the client does not support questions, and with --history=off there is no approval queue. The user can allow it beforehand: see 'stet serve --help', --allow and --approve");
	else if (approval_ask(store, &a, d->mem, &why))
		f.hint = arena_printf(d->mem,
				      STR_FMT " - so the user cannot be asked",
				      STR_ARG(fault_text(&why, d->mem)));
	else
		f = fault_with_id(f, a.id, hint, d->mem);
	return dispatch_refuse(d, &f);
}

enum err ask_queue_refuse(struct dispatch *d)
{
	return refuse_undecided(
		d,
		STR("The person has been asked. Make the same call again later, when they have answered"));
}

enum err ask_queue_refuse_command(struct dispatch *d)
{
	return refuse_undecided(
		d,
		STR("The call waits for approval. When the user has allowed it, run the same command again"));
}

enum err ask_queue_refuse_declined(struct dispatch *d)
{
	return refuse_undecided(
		d,
		STR("The client declined without asking anybody, so the person has been asked in another way. Make the same call again later, when they have answered"));
}

bool ask_queue_withdraw(struct server *s, struct uuid id)
{
	struct store *store = s->tools.store;
	char text[UUID_TEXT + 1];
	auto_arena mem = ARENA_INIT;
	struct approval a;
	struct fault ignored;

	if (!approval_decide(store, id, APPROVAL_EXPIRED, STR(""), STR(""),
			     &ignored)) {
		ask_decided(s); /* an equal call may wait for it */
		return true;
	}
	uuid_text(id, text);
	/* Expired: an equal call has withdrawn it, which is no decision. */
	return approval_find(store, str_of(text), &mem, &a, &ignored) ||
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

	if (!c->options->store ||
	    !ask_queue_grant(c, answer, dialogs_may_last, &g))
		return;
	ask_grant_set_end(&g, 0);
	/* If the grant cannot be stored, the answer still allows this call. */
	(void)!grant_add(c->options->store, &g, &ignored);
}

/* Find an approval that is pending, or a yes that may be revoked. */
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
				    ? "a grant is revoked by its own id"
				    : "the agent has to ask again"));
}

/* A grant replaces the yes: revoking it must leave nothing allowed. */
static enum approval_state state_after(enum ask_answer answer)
{
	if (answer == ASK_DENY)
		return APPROVAL_DENIED;
	return answer == ASK_ONCE ? APPROVAL_ALLOWED : APPROVAL_GRANTED;
}

static enum err choose_hunks(struct approval *a, const struct ask_decision *d,
			     struct arena *mem, struct fault *f)
{
	if (d->answer != ASK_ONCE)
		return fail(
			f, ERR_BAD_ARGS,
			.text = STR(
				"hunks cannot be combined with a grant: they select parts of one call"));
	return hunks_choose(a, d->hunks, mem, &a->hunks, f);
}

static enum err store_decision(struct store *s, const struct ask_decision *d,
			       struct approval *a, struct grant *g,
			       struct fault *f)
{
	a->withdrawn = a->state == APPROVAL_ALLOWED;
	a->state = state_after(d->answer);
	if (a->withdrawn)
		return approval_withdraw(s, a->id, d->note, f);
	if (a->state != APPROVAL_GRANTED)
		return approval_decide(s, a->id, a->state, d->note, a->hunks,
				       f);
	g->channel = str_of(d->channel);
	ask_grant_set_end(g, d->for_ms);
	return approval_grant(s, a->id, d->note, g, f);
}

static enum err decide_row(struct store *s, struct str id,
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
		e = choose_hunks(&a, d, mem, f);
	if (!e && d->agree && state_after(d->answer) == APPROVAL_GRANTED)
		e = d->agree(d->ctx, &a, ret_grant, f);
	if (e)
		return e;
	e = store_decision(s, d, &a, ret_grant, f);
	if (e == ERR_NO_APPROVAL)
		f->reason = "decided";
	if (e)
		return e;
	a.note = d->note;
	*ret = a;
	return ERR_OK;
}

enum err ask_queue_decide(struct store *s, struct str id,
			  const struct ask_decision *d, struct arena *mem,
			  struct approval *ret, struct grant *ret_grant,
			  struct fault *f)
{
	enum err e = decide_row(s, id, d, mem, ret, ret_grant, f);

	if (!e && d->server)
		ask_decided(d->server);
	return e;
}
