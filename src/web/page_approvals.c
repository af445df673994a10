/* The questions that wait, and what the person says to them. */

#include "rpc/ask_queue.h"
#include "store/client_name.h"
#include "text/utf8.h"
#include "tools/approvals_json.h"
#include "web/page_local.h"
#include "web/patch.h"
#include "web/query.h"

/* As much of the diff as came with the row, in whole lines if it has any. */
static struct str first_lines(const struct approval *a)
{
	size_t end = str_rfind(a->diff, '\n');

	return a->more && end < a->diff.len ? str_head(a->diff, end + 1)
					    : a->diff;
}

void put_approval(struct json_out *o, const struct op_view *view,
		  const struct approval *a)
{
	struct str diff = first_lines(a);
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

static enum err read_piece(struct visit *v, struct store *s, struct str *ret,
			   uint64_t *ret_next)
{
	struct str name = query_text(v->query, "of", &v->mem);
	struct uuid id;
	uint64_t at;
	size_t i = 0;

	while (i < APPROVAL_TEXTS && !str_is(name, text_names[i]))
		i++;
	if (i == APPROVAL_TEXTS ||
	    !query_number(v->query, "at", 0, INT64_MAX, &at))
		return fail(
			&v->fault, ERR_BAD_ARGS,
			.text = STR(
				"of is diff, before or after, at a number"));
	if (!uuid_parse(v->id, &id))
		return fail(&v->fault, ERR_NO_APPROVAL, .text = v->id);
	return approval_piece(s, id, (enum approval_text)i, at, &v->mem, ret,
			      ret_next, &v->fault);
}

void page_piece(struct visit *v)
{
	struct json_out o = json_out(&v->out);
	struct store *s = visit_store(v);
	uint64_t next = 0;
	struct str text = { 0 };

	if (!s)
		return;
	if (read_piece(v, s, &text, &next)) {
		visit_failed(v);
		return;
	}
	json_open(&o, '{');
	json_text_member(&o, "text", text);
	put_number(&o, "next", next);
	json_close(&o, '}');
}

void page_approvals(struct visit *v)
{
	struct store *s = v->page->options.server->tools.store;
	struct json_out o = json_out(&v->out);
	struct op_view view = op_view(v->page, &v->mem);
	struct approval *list = NULL;
	size_t n = 0;

	if (s &&
	    approval_list(s, /* all= */ false, &v->mem, &list, &n, &v->fault)) {
		visit_failed(v);
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

static enum err bad(struct visit *v, struct str words)
{
	return fail(&v->fault, ERR_BAD_ARGS, .text = words);
}

static enum err read_answer(struct visit *v, struct json body,
			    struct ask_decision *ret)
{
	enum { MOST_NOTE = 4000 };
	struct json answer = json_get(body, "answer");
	struct json note = json_get(body, "note");

	ret->answer = page_answer(answer);
	if (ret->answer == ASK_NOTHING)
		return bad(
			v,
			STR("answer is once, file, directory, session, always or deny"));
	ret->note = STR("");
	if (!json_is(note, JSON_NONE) && !json_text(note, &v->mem, &ret->note))
		return bad(v, STR("note is a text"));
	ret->note = utf8_head(ret->note, MOST_NOTE);
	return ERR_OK;
}

/* Numbers of hunks: "1,3". */
static enum err read_hunks(struct visit *v, struct json list, struct str *ret)
{
	struct json_walk w = json_walk(list);
	auto_buf out = BUF_INIT;
	int64_t n;

	*ret = (struct str){ NULL, 0 };
	if (json_is(list, JSON_NONE))
		return ERR_OK;
	if (!json_is(list, JSON_ARRAY))
		return bad(v,
			   STR("hunks are the numbers of those that may be"));
	while (json_step(&w)) {
		if (!json_int(w.value, &n) || n < 1)
			return bad(v, STR("hunks are numbers from 1"));
		buf_addf(&out, "%s%lld", out.len ? "," : "", (long long)n);
	}
	*ret = arena_copy(&v->mem, buf_str(&out));
	return ERR_OK;
}

static enum err decide(struct visit *v, struct store *s, struct json body,
		       struct approval *ret, struct grant *ret_grant)
{
	struct page_reach reach = { .visit = v };
	struct ask_decision decision = { .channel = "page",
					 .agree = page_agree,
					 .ctx = &reach };
	enum err e = read_answer(v, body, &decision);

	if (!e)
		e = read_hunks(v, json_get(body, "hunks"), &decision.hunks);
	if (!e)
		e = page_read_reach(v, body, &reach, &decision.for_ms);
	if (e)
		return e;
	return ask_queue_decide(s, v->id, &decision, &v->mem, ret, ret_grant,
				&v->fault);
}

void page_decide(struct visit *v)
{
	struct json_out o = json_out(&v->out);
	struct store *s = visit_store(v);
	struct op_view view = op_view(v->page, &v->mem);
	struct approval a = { .state = APPROVAL_PENDING };
	struct grant grant;
	struct json body;
	struct uuid id;
	enum err e;

	if (!s || !visit_body(v, /* may= */ false, &body))
		return;
	e = uuid_parse(v->id, &id)
		    ? decide(v, s, body, &a, &grant)
		    : fail(&v->fault, ERR_NO_APPROVAL, .text = v->id);
	if (e) {
		visit_failed(v);
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
