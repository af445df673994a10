/*
 * page_grants.c - API of grants: the scope of the answers that a question
 * offers, the list of grants, and revoking them.
 */
#include "rpc/ask_grant.h"
#include "tools/permissions/approvals_json.h"
#include "tools/permissions/grant_words.h"
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

static void grant_words_of(const struct op_view *view, const struct grant *g,
			   struct grant_words *ret)
{
	struct str base =
		grant_base(g->root, view->roots, view->root_count, view->mem);

	/* When it ends is for the browser to write, in its own time zone. */
	grant_words(g, base, STR(""), view->mem, ret);
}

/*
 * Files and client: the part of the scope that does not depend on its duration.
 */
static struct str reach_of(const struct grant_words *w, struct arena *mem)
{
	return arena_printf(mem, STR_FMT " · " STR_FMT, STR_ARG(w->files),
			    STR_ARG(w->client));
}

static void put_words(struct json_out *o, const struct op_view *view,
		      const struct grant *g)
{
	struct grant_words w;

	grant_words_of(view, g, &w);
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
	put_number(o, "revoked", g->revoked_ms);
	put_flag(o, "over", grant_is_over(g));
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

static enum err bad_body(struct api_request *rq, struct str words)
{
	return fail(&rq->fault, ERR_BAD_ARGS, .text = words);
}

enum err page_read_reach(struct api_request *rq, struct json body,
			 struct page_reach *ret, uint64_t *ret_for)
{
	static const int64_t MOST_MS = 366 * 24 * 3600 * 1000LL;
	struct json reach = json_get(body, "reach");
	struct json span = json_get(body, "for_ms");
	int64_t ms = 0;

	if (!json_is(reach, JSON_NONE) &&
	    !json_text(reach, &rq->mem, &ret->shown))
		return bad_body(rq, STR("reach must be a string"));
	if (!json_is(span, JSON_NONE) &&
	    (!json_int(span, &ms) || ms < 1 || ms > MOST_MS))
		return bad_body(
			rq,
			STR("for_ms is a number of milliseconds, a year at most"));
	*ret_for = (uint64_t)ms;
	return ERR_OK;
}

enum err page_agree(void *reach, const struct approval *a,
		    const struct grant *g, struct fault *f)
{
	const struct page_reach *r = reach;
	struct op_view view =
		op_view(r->api_request->page, &r->api_request->mem);
	struct grant_words w;
	struct str now;

	grant_words_of(&view, g, &w);
	now = reach_of(&w, view.mem);
	if (r->shown.len ? str_eq(r->shown, now) : !grant_is_widest(g))
		return ERR_OK;
	return fail(f, ERR_BAD_ARGS,
		    .text = arena_printf(
			    view.mem, "reach must be what is granted: " STR_FMT,
			    STR_ARG(now)));
}

void page_grants(struct api_request *rq)
{
	struct store *s = rq->page->options.server->tools.store;
	struct op_view view = op_view(rq->page, &rq->mem);
	struct json_out o = json_out(&rq->out);
	struct grant *list = NULL;
	size_t n = 0;

	if (s && grant_list(s, &rq->mem, &list, &n, &rq->fault)) {
		api_failed(rq);
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

/* A grant that was revoked elsewhere, or has expired, is not an error. */
static enum err revoke_all(struct api_request *rq, struct store *s,
			   struct json ids, size_t *ret)
{
	struct json_walk w = json_walk(ids);
	struct uuid id;
	struct str text;
	enum err e;

	*ret = 0;
	if (!json_is(ids, JSON_ARRAY))
		return bad_body(
			rq, STR("ids are those of the grants to be revoked"));
	while (json_step(&w)) {
		if (!json_text(w.value, &rq->mem, &text) ||
		    !uuid_parse(text, &id))
			return bad_body(rq, STR("an id is a UUID"));
		e = grant_remove(s, id, &rq->fault);
		if (e && e != ERR_NO_APPROVAL)
			return e;
		*ret += !e;
	}
	return ERR_OK;
}

void page_revoke(struct api_request *rq)
{
	struct json_out o = json_out(&rq->out);
	struct store *s = api_store(rq);
	struct json body;
	size_t n;

	if (!s || !api_body(rq, /* may= */ false, &body))
		return;
	if (revoke_all(rq, s, json_get(body, "ids"), &n)) {
		api_failed(rq);
		return;
	}
	json_open(&o, '{');
	put_number(&o, "revoked", n);
	json_close(&o, '}');
}
