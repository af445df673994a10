/*
 * page_approvals.c - API: the questions that wait, and the person's answers.
 */
#include "rpc/ask_queue.h"
#include "store/client_name.h"
#include "text/encoding/utf8.h"
#include "tools/permissions/approvals_json.h"
#include "web/page_local.h"
#include "web/patch.h"
#include "web/query.h"

/* The part of the diff that is in the row, in whole lines if there are any. */
static struct str whole_lines(const struct approval *a)
{
	size_t end = str_rfind(a->diff, '\n');

	return a->more && end < a->diff.len ? str_head(a->diff, end + 1)
					    : a->diff;
}

void put_approval(struct json_out *o, const struct op_view *view,
		  const struct approval *a)
{
	struct str diff = whole_lines(a);
	struct patch patch;

	patch_parse(diff, view->mem, &patch);
	json_open(o, '{');
	put_id(o, "id", a->id);
	json_text_member(o, "state", str_of(approvals_state(a->state)));
	put_number(o, "time", a->time_ms);
	put_number(o, "until", a->until_ms);
	put_number(o, "waits", a->waits_ms);
	json_text_member(o, "tool", a->tool);
	json_text_member(o, "path", a->path);
	approvals_put_lookalikes(o, a->path, view->mem);
	client_put(o, a->scope, a->client);
	json_text_member(o, "owner", a->owner);
	put_flag(o, "declared", a->declared);
	put_flag(o, "changes", a->changes);
	json_text_member(o, "root", a->root);
	json_text_member(o, "session", a->session);
	json_text_member(o, "summary", a->summary);
	json_text_member(o, "reason", a->reason);
	json_text_member(o, "note", a->note);
	approvals_put_facts(o, a);
	json_text_member(o, "diff", diff);
	put_flag(o, "cut", a->more);
	json_key(o, "hunks");
	patch_put(o, &patch);
	put_number(o, "parts", a->parts);
	put_offers(o, view, a);
	put_flag(o, "partial", a->parts > 0);
	json_close(o, '}');
}

static const char *const text_names[APPROVAL_TEXTS] = {
	[APPROVAL_DIFF] = "diff",
	[APPROVAL_BEFORE] = "before",
	[APPROVAL_AFTER] = "after",
};

static enum err read_piece(struct api_request *rq, struct store *s,
			   struct str *ret, uint64_t *ret_next)
{
	struct str name = query_text(rq->query, "of", &rq->mem);
	struct uuid id;
	uint64_t at;
	size_t i = 0;

	while (i < APPROVAL_TEXTS && !str_is(name, text_names[i]))
		i++;
	if (i == APPROVAL_TEXTS ||
	    !query_number(rq->query, "at", 0, INT64_MAX, &at))
		return fail(
			&rq->fault, ERR_BAD_ARGS,
			.text = STR(
				"of is diff, before or after, at a number"));
	if (!uuid_parse(rq->id, &id))
		return fail(&rq->fault, ERR_NO_APPROVAL, .text = rq->id);
	return approval_chunk(s, id, (enum approval_text)i, at, &rq->mem, ret,
			      ret_next, &rq->fault);
}

void page_piece(struct api_request *rq)
{
	struct json_out o = json_out(&rq->out);
	struct store *s = api_store(rq);
	uint64_t next = 0;
	struct str text = { 0 };

	if (!s)
		return;
	if (read_piece(rq, s, &text, &next)) {
		api_failed(rq);
		return;
	}
	json_open(&o, '{');
	json_text_member(&o, "text", text);
	put_number(&o, "next", next);
	json_close(&o, '}');
}

/* Yes answers that the person can still withdraw. */
void page_unused(struct api_request *rq)
{
	struct store *s = rq->page->options.server->tools.store;
	struct json_out o = json_out(&rq->out);
	struct op_view view = op_view(rq->page, &rq->mem);
	struct approval *list = NULL;
	size_t n = 0;

	if (s && approval_list_unused(s, &rq->mem, &list, &n, &rq->fault)) {
		api_failed(rq);
		return;
	}
	json_open(&o, '{');
	json_key(&o, "approvals");
	json_open(&o, '[');
	for (size_t i = 0; i < n; i++)
		put_approval(&o, &view, &list[i]);
	json_close(&o, ']');
	json_close(&o, '}');
}

void page_approvals(struct api_request *rq)
{
	struct store *s = rq->page->options.server->tools.store;
	struct json_out o = json_out(&rq->out);
	struct op_view view = op_view(rq->page, &rq->mem);
	struct approval *list = NULL;
	size_t n = 0;

	if (s && approval_list(s, /* all= */ false, &rq->mem, &list, &n,
			       &rq->fault)) {
		api_failed(rq);
		return;
	}
	json_open(&o, '{');
	json_key(&o, "approvals");
	json_open(&o, '[');
	for (size_t i = 0; i < n; i++)
		put_approval(&o, &view, &list[i]);
	json_close(&o, ']');
	json_close(&o, '}');
}

static enum err bad_body(struct api_request *rq, struct str words)
{
	return fail(&rq->fault, ERR_BAD_ARGS, .text = words);
}

static enum err read_answer(struct api_request *rq, struct json body,
			    struct ask_decision *ret)
{
	enum { MOST_NOTE = 4000 };
	struct json answer = json_get(body, "answer");
	struct json note = json_get(body, "note");

	ret->withdraws = json_str_is(answer, "withdraw");
	ret->answer = ret->withdraws ? ASK_DENY : page_answer(answer);
	if (ret->answer == ASK_NOTHING)
		return bad_body(
			rq,
			STR("answer is once, file, directory, session, always, deny or withdraw"));
	ret->note = STR("");
	if (!json_is(note, JSON_NONE) && !json_text(note, &rq->mem, &ret->note))
		return bad_body(rq, STR("note must be a string"));
	ret->note = utf8_head(ret->note, MOST_NOTE);
	return ERR_OK;
}

/* Numbers of hunks: "1,3". */
static enum err read_hunks(struct api_request *rq, struct json list,
			   struct str *ret)
{
	struct json_walk w = json_walk(list);
	auto_buf out = BUF_INIT;
	int64_t n;

	*ret = (struct str){ NULL, 0 };
	if (json_is(list, JSON_NONE))
		return ERR_OK;
	if (!json_is(list, JSON_ARRAY))
		return bad_body(rq, STR("hunks must be an array of numbers"));
	while (json_step(&w)) {
		if (!json_int(w.value, &n) || n < 1)
			return bad_body(rq, STR("hunks are numbers from 1"));
		buf_addf(&out, "%s%lld", out.len ? "," : "", (long long)n);
	}
	*ret = arena_copy(&rq->mem, buf_str(&out));
	return ERR_OK;
}

static enum err decide_approval(struct api_request *rq, struct store *s,
				struct json body, struct approval *ret,
				struct grant *ret_grant)
{
	struct page_reach reach = { .api_request = rq };
	struct ask_decision decision = { .channel = "page",
					 .server = rq->page->options.server,
					 .agree = page_agree,
					 .ctx = &reach };
	enum err e = read_answer(rq, body, &decision);

	if (!e)
		e = read_hunks(rq, json_get(body, "hunks"), &decision.hunks);
	if (!e)
		e = page_read_reach(rq, body, &reach, &decision.for_ms);
	if (e)
		return e;
	return ask_queue_decide(s, rq->id, &decision, &rq->mem, ret, ret_grant,
				&rq->fault);
}

void page_decide(struct api_request *rq)
{
	struct json_out o = json_out(&rq->out);
	struct store *s = api_store(rq);
	struct op_view view = op_view(rq->page, &rq->mem);
	struct approval a = { .state = APPROVAL_PENDING };
	struct grant grant;
	struct json body;
	struct uuid id;
	enum err e;

	if (!s || !api_body(rq, /* may= */ false, &body))
		return;
	e = uuid_parse(rq->id, &id)
		    ? decide_approval(rq, s, body, &a, &grant)
		    : fail(&rq->fault, ERR_NO_APPROVAL, .text = rq->id);
	if (e) {
		api_failed(rq);
		return;
	}
	json_open(&o, '{');
	json_key(&o, "approval");
	put_approval(&o, &view, &a);
	if (a.state == APPROVAL_GRANTED) {
		json_key(&o, "grant");
		put_grant(&o, &view, &grant);
	}
	json_close(&o, '}');
}
