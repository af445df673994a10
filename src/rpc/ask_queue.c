/*
 * ask_queue.c - questions as rows of the store, and what the answers become:
 * a decision of that row, and a grant when an answer goes beyond one call.
 */
#include "rpc/ask_queue.h"

#include "base/clock.h"

#include "tools/approvals_json.h"
#include "tools/hunks.h"

/* However long a session lasts, what was granted for it ends after a day. */
static const uint64_t SESSION_MOST_MS = 24 * 3600 * 1000ULL;

static struct approval approval_of(const struct call *c)
{
	return (struct approval){
		.tool = str_of(c->tool->name),
		.path = c->question.path,
		.client = c->caller->client,
		.session = c->caller->session,
		.scope = c->caller->scope,
		.owner = c->caller->name,
		.declared = c->caller->declared,
		.root = c->question.root,
		.changes = effects_change(c->tool->effects),
		.digest = c->question.digest,
		.binding = c->question.binding,
		.summary = c->question.summary,
		.diff = c->question.diff,
		.reason = c->question.reason,
		.parts = c->question.parts,
	};
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

/* {"approval":...,"hint":...} */
static struct str data_of(struct uuid id, struct arena *mem)
{
	char text[UUID_TEXT + 1];
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	uuid_text(id, text);
	json_open(&o, '{');
	json_text_member(&o, "approval", str_of(text));
	json_text_member(
		&o, "hint",
		STR("The person has been asked. Make the same call again later, when they have answered"));
	json_close(&o, '}');
	return arena_copy(mem, buf_str(&out));
}

enum err ask_queue_refuse(struct dispatch *d)
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
		f.data = data_of(a.id, d->mem);
	return dispatch_refuse(d, &f);
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

static struct str directory_of(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return str_head(path, slash && slash < path.len ? slash : 1);
}

/* The grant that an answer to this question is. */
static struct grant grant_of(enum ask_answer answer, const struct approval *a)
{
	struct grant g = { .reach = GRANT_ALWAYS,
			   .client = a->owner,
			   .declared = a->declared,
			   .root = a->root,
			   .asked = a->path,
			   .changes = a->changes };

	if (answer == ASK_FILE) {
		g.reach = GRANT_FILE;
		g.path = a->path;
	} else if (answer == ASK_DIRECTORY) {
		g.reach = GRANT_DIRECTORY;
		g.path = directory_of(a->path);
	} else {
		g.tool = a->tool;
	}
	if (answer == ASK_SESSION) {
		g.reach = GRANT_SESSION;
		g.session = a->session;
	}
	return g;
}

/* @for_ms = 0: for ever, or as long as a session may last. */
static enum err keep(struct store *s, struct grant *g, uint64_t for_ms,
		     struct fault *f)
{
	if (g->session.len && (!for_ms || for_ms > SESSION_MOST_MS))
		for_ms = SESSION_MOST_MS;
	g->until_ms = for_ms ? clock_unix_ms() + for_ms : 0;
	return grant_add(s, g, f);
}

/* What is missing for such an answer to hold for this client alone; or "". */
static struct str missing(enum ask_answer answer, const struct approval *a)
{
	if (answer == ASK_ONCE || answer == ASK_DENY)
		return STR("");
	if (!a->root.len)
		return STR("its file lies in no root: only once is left");
	if (answer == ASK_SESSION)
		return a->session.len
			       ? STR("")
			       : STR("it has no session: once, file, directory or always are left");
	return a->owner.len
		       ? STR("")
		       : STR("the client has no name, so nothing could hold for it alone: once or session are left");
}

void ask_queue_keep(const struct call *c, enum ask_answer answer,
		    bool dialogs_may_last)
{
	struct approval a = approval_of(c);
	struct fault ignored;
	struct grant g;

	if (answer == ASK_ALWAYS && !dialogs_may_last)
		answer = ASK_SESSION;
	g = grant_of(answer, &a);
	g.channel = STR("dialog");
	if (!dialogs_may_last)
		g.session = a.session;
	/* One that cannot be kept is still a yes to this call. */
	if (answer != ASK_ONCE && c->options->store && a.path.len &&
	    (g.session.len || !missing(answer, &a).len))
		(void)!keep(c->options->store, &g, 0, &ignored);
}

static enum err find_open(struct store *s, struct str id, struct arena *mem,
			  struct approval *ret, struct fault *f)
{
	enum { SHORT = sizeof("01234567-89ab") - 1 };
	char text[UUID_TEXT + 1];
	enum err e = approval_find(s, id, mem, ret, f);

	if (e || ret->state == APPROVAL_PENDING)
		return e;
	uuid_text(ret->id, text);
	return fail(f, ERR_NO_APPROVAL, .reason = "decided",
		    .text = arena_printf(
			    mem,
			    "%.*s is %s already: the agent has to ask again",
			    SHORT, text, approvals_state(ret->state)));
}

/* A grant is enough: nothing is left over when it is taken back. */
static enum approval_state state_of(enum ask_answer answer)
{
	if (answer == ASK_DENY)
		return APPROVAL_DENIED;
	return answer == ASK_ONCE ? APPROVAL_ALLOWED : APPROVAL_USED;
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
	enum err e = find_open(s, id, mem, &a, f);

	if (e)
		return e;
	if (missing(d->answer, &a).len)
		return fail(f, ERR_BAD_ARGS, .text = missing(d->answer, &a));
	if (d->hunks.ptr)
		e = choose(&a, d, mem, f);
	if (e)
		return e;
	e = approval_decide(s, a.id, state_of(d->answer), d->note, a.hunks, f);
	if (e == ERR_NO_APPROVAL)
		f->reason = "decided";
	if (e)
		return e;
	a.state = state_of(d->answer);
	a.note = d->note;
	*ret = a;
	if (a.state != APPROVAL_USED)
		return ERR_OK;
	*ret_grant = grant_of(d->answer, &a);
	ret_grant->channel = str_of(d->channel);
	return keep(s, ret_grant, d->for_ms, f);
}
