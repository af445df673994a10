/*
 * page_grants.c - what was allowed beyond one call: how far the answers to a
 * question would reach, the list of grants, and taking them back.
 */
#include "rpc/ask_grant.h"
#include "tools/approvals_json.h"
#include "tools/grant_words.h"
#include "web/page_local.h"

static const struct {
	const char *name;
	enum ask_answer answer;
} answers[] = {
	{ "once", ASK_ONCE },           { "file", ASK_FILE },
	{ "directory", ASK_DIRECTORY }, { "session", ASK_SESSION },
	{ "always", ASK_ALWAYS },       { "deny", ASK_DENY },
};

enum ask_answer page_answer(struct json word)
{
	for (size_t i = 0; i < COUNT_OF(answers); i++)
		if (json_str_is(word, answers[i].name))
			return answers[i].answer;
	return ASK_NOTHING;
}

static void words_of(const struct op_view *view, const struct grant *g,
		     struct grant_words *ret)
{
	struct str base =
		grant_base(g->root, view->roots, view->root_count, view->mem);

	/* When it ends is for the browser to write, in its own time zone. */
	grant_words(g, base, STR(""), view->mem, ret);
}

/* Files and client: what is the same for however long it holds. */
static struct str reach_of(const struct grant_words *w, struct arena *mem)
{
	return arena_printf(mem, STR_FMT " · " STR_FMT, STR_ARG(w->files),
			    STR_ARG(w->client));
}

static void put_words(struct json_out *o, const struct op_view *view,
		      const struct grant *g)
{
	struct grant_words w;

	words_of(view, g, &w);
	json_text_member(o, "reach", reach_of(&w, view->mem));
	json_text_member(o, "files", w.files);
	json_text_member(o, "who", w.client);
	json_text_member(o, "ends", w.ends);
	json_text_member(o, "except", w.except);
	put_flag(o, "widest", grant_is_widest(g));
}

static void put_offer(struct json_out *o, const struct op_view *view,
		      const struct approval *a, size_t i)
{
	struct grant g;
	struct str missing = ask_grant_of(answers[i].answer, a, &g);

	json_open(o, '{');
	json_text_member(o, "answer", str_of(answers[i].name));
	if (missing.len)
		json_text_member(o, "missing", missing);
	else
		put_words(o, view, &g);
	json_close(o, '}');
}

void put_offers(struct json_out *o, const struct op_view *view,
		const struct approval *a)
{
	json_key(o, "offers");
	json_open(o, '[');
	for (size_t i = 0; i < COUNT_OF(answers); i++)
		if (answers[i].answer > ASK_ONCE &&
		    answers[i].answer <= ASK_ALWAYS)
			put_offer(o, view, a, i);
	json_close(o, ']');
}

void put_grant(struct json_out *o, const struct op_view *view,
	       const struct grant *g)
{
	json_open(o, '{');
	put_id(o, "id", g->id);
	json_text_member(o, "answer", str_of(approvals_reach(g->reach)));
	put_words(o, view, g);
	put_number(o, "time", g->time_ms);
	put_number(o, "until", g->until_ms);
	put_number(o, "used", g->used_ms);
	json_text_member(o, "client", g->client);
	put_flag(o, "declared", g->declared);
	json_text_member(o, "session", g->session);
	json_text_member(o, "root", g->root);
	json_text_member(o, "path", g->path);
	json_text_member(o, "asked", g->asked);
	json_text_member(o, "tool", g->tool);
	put_flag(o, "changes", g->changes);
	json_text_member(o, "given", str_of(grant_given(g)));
	json_close(o, '}');
}

static enum err bad(struct visit *v, struct str words)
{
	return fail(&v->fault, ERR_BAD_ARGS, .text = words);
}

enum err page_read_reach(struct visit *v, struct json body,
			 struct page_reach *ret, uint64_t *ret_for)
{
	static const int64_t MOST_MS = 366 * 24 * 3600 * 1000LL;
	struct json reach = json_get(body, "reach");
	struct json span = json_get(body, "for_ms");
	int64_t ms = 0;

	if (!json_is(reach, JSON_NONE) &&
	    !json_text(reach, &v->mem, &ret->shown))
		return bad(v, STR("reach is a text"));
	if (!json_is(span, JSON_NONE) &&
	    (!json_int(span, &ms) || ms < 1 || ms > MOST_MS))
		return bad(
			v,
			STR("for_ms is a number of milliseconds, a year at most"));
	*ret_for = (uint64_t)ms;
	return ERR_OK;
}

enum err page_agree(void *reach, const struct approval *a,
		    const struct grant *g, struct fault *f)
{
	const struct page_reach *r = reach;
	struct op_view view = op_view(r->visit->page, &r->visit->mem);
	struct grant_words w;
	struct str now;

	words_of(&view, g, &w);
	now = reach_of(&w, view.mem);
	if (r->shown.len ? str_eq(r->shown, now) : !grant_is_widest(g))
		return ERR_OK;
	return fail(f, ERR_BAD_ARGS,
		    .text = arena_printf(
			    view.mem,
			    "reach has to be what is granted: " STR_FMT,
			    STR_ARG(now)));
}

void page_grants(struct visit *v)
{
	struct store *s = v->page->options.server->tools.store;
	struct op_view view = op_view(v->page, &v->mem);
	struct json_out o = json_out(&v->out);
	struct grant *list = NULL;
	size_t n = 0;

	if (s && grant_list(s, &v->mem, &list, &n, &v->fault)) {
		visit_failed(v);
		return;
	}
	json_open(&o, '{');
	json_key(&o, "grants");
	json_open(&o, '[');
	for (size_t i = 0; i < n; i++)
		put_grant(&o, &view, &list[i]);
	json_close(&o, ']');
	json_close(&o, '}');
}

/* One that is gone already, revoked elsewhere or over, is no failure. */
static enum err revoke_all(struct visit *v, struct store *s, struct json ids,
			   size_t *ret)
{
	struct json_walk w = json_walk(ids);
	struct uuid id;
	struct str text;
	enum err e;

	*ret = 0;
	if (!json_is(ids, JSON_ARRAY))
		return bad(v, STR("ids are those of the grants to be revoked"));
	while (json_step(&w)) {
		if (!json_text(w.value, &v->mem, &text) ||
		    !uuid_parse(text, &id))
			return bad(v, STR("an id is a UUID"));
		e = grant_remove(s, id, &v->fault);
		if (e && e != ERR_NO_APPROVAL)
			return e;
		*ret += !e;
	}
	return ERR_OK;
}

void page_revoke(struct visit *v)
{
	struct json_out o = json_out(&v->out);
	struct store *s = visit_store(v);
	struct json body;
	size_t n;

	if (!s || !visit_body(v, /* may= */ false, &body))
		return;
	if (revoke_all(v, s, json_get(body, "ids"), &n)) {
		visit_failed(v);
		return;
	}
	json_open(&o, '{');
	put_number(&o, "revoked", n);
	json_close(&o, '}');
}
