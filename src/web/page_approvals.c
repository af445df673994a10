/* The questions that wait, and what the person says to them. */

#include "rpc/ask_queue.h"
#include "store/client_name.h"
#include "text/utf8.h"
#include "tools/approvals_json.h"
#include "tools/shown.h"
#include "web/page_local.h"
#include "web/patch.h"

void put_approval(struct json_out *o, const struct approval *a,
		  struct arena *mem)
{
	struct str rest = question_rest(a->diff);
	struct patch patch;

	patch_parse(a->diff, mem, &patch);
	json_open(o, '{');
	put_id(o, "id", a->id);
	json_text_member(o, "state", str_of(approvals_state(a->state)));
	put_number(o, "time", a->time_ms);
	put_number(o, "until", a->until_ms);
	put_number(o, "waits", a->waits_ms);
	json_text_member(o, "tool", a->tool);
	json_text_member(o, "path", a->path);
	client_put(o, a->scope, a->client);
	json_text_member(o, "owner", a->owner);
	put_flag(o, "declared", a->declared);
	put_flag(o, "changes", a->changes);
	json_text_member(o, "session", a->session);
	json_text_member(o, "summary", a->summary);
	json_text_member(o, "reason", a->reason);
	json_text_member(o, "note", a->note);
	json_text_member(o, "diff", a->diff);
	put_flag(o, "cut", patch.cut || rest.len);
	json_text_member(o, "rest", rest);
	put_number(o, "lines_added", patch.added);
	put_number(o, "lines_removed", patch.removed);
	json_key(o, "hunks");
	patch_put(o, &patch);
	put_flag(o, "partial", a->parts > 0);
	json_close(o, '}');
}

void page_approvals(struct visit *v)
{
	struct store *s = v->page->options.server->tools.store;
	struct json_out o = json_out(&v->out);
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
		put_approval(&o, &list[i], &v->mem);
	json_close(&o, ']');
	json_close(&o, '}');
}

static const struct {
	const char *name;
	enum ask_answer answer;
} answers[] = {
	{ "once", ASK_ONCE },           { "file", ASK_FILE },
	{ "directory", ASK_DIRECTORY }, { "session", ASK_SESSION },
	{ "always", ASK_ALWAYS },       { "deny", ASK_DENY },
};

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
	size_t i = 0;

	while (i < COUNT_OF(answers) && !json_str_is(answer, answers[i].name))
		i++;
	if (i == COUNT_OF(answers))
		return bad(
			v,
			STR("answer is once, file, directory, session, always or deny"));
	ret->answer = answers[i].answer;
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
		       struct approval *ret)
{
	struct ask_decision decision = { .channel = "page" };
	struct grant grant;
	enum err e = read_answer(v, body, &decision);

	if (!e)
		e = read_hunks(v, json_get(body, "hunks"), &decision.hunks);
	if (e)
		return e;
	return ask_queue_decide(s, v->id, &decision, &v->mem, ret, &grant,
				&v->fault);
}

void page_decide(struct visit *v)
{
	struct json_out o = json_out(&v->out);
	struct store *s = visit_store(v);
	struct approval a = { .state = APPROVAL_PENDING };
	struct json body;
	struct uuid id;
	enum err e;

	if (!s || !visit_body(v, /* may= */ false, &body))
		return;
	e = uuid_parse(v->id, &id)
		    ? decide(v, s, body, &a)
		    : fail(&v->fault, ERR_NO_APPROVAL, .text = v->id);
	if (e) {
		visit_failed(v);
		return;
	}
	json_open(&o, '{');
	json_key(&o, "approval");
	put_approval(&o, &a, &v->mem);
	json_close(&o, '}');
}
