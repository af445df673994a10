/*
 * forms.c - elicitation: forms and questions of MCP servers and of Codex.
 *
 * Approvals become session/request_permission; forms and URLs need the editor's
 * elicitation capability and are declined without it.
 */
#include "acp/calls_local.h"
#include "acp/permission_local.h"

static void reply(struct permission *p, struct str result)
{
	codex_reply(p->session->agent->codex, buf_str(&p->id), result);
}

/* Whether a tool may run: asked as any other permission. */

static void answer_approval(struct permission *p, enum permission_answer answer)
{
	static const struct str answers[] = {
		[PERMISSION_ONCE] = STR_INIT(
			"{\"action\":\"accept\",\"content\":{},\"_meta\":null}"),
		[PERMISSION_ALWAYS] = STR_INIT(
			"{\"action\":\"accept\",\"content\":{},\"_meta\":{\"persist\":\"session\"}}"),
		[PERMISSION_REJECT] = STR_INIT(
			"{\"action\":\"decline\",\"content\":null,\"_meta\":null}"),
		[PERMISSION_CANCEL] = STR_INIT(
			"{\"action\":\"cancel\",\"content\":null,\"_meta\":null}"),
	};

	reply(p, answers[answer]);
}

/* Codex does not name the call: take the latest call of that server. */
static struct open_call *asking_call(struct session *s, struct str server,
				     struct arena *mem)
{
	static const struct json_limits limits = { 0 };
	struct json_error error;
	struct json item;

	for (struct open_call *c = s->calls; c; c = c->next)
		if (c->item.len &&
		    !json_parse(buf_str(&c->item), &limits, mem, &item,
				&error) &&
		    str_eq(text_at(item, "server", mem), server))
			return c;
	return NULL;
}

static void ask_approval(struct session *s, const struct jsonrpc_message *m,
			 struct json meta)
{
	struct str server = text_at(m->params, "serverName", m->mem),
		   title = text_at(meta, "tool_title", m->mem);
	struct open_call *c = asking_call(s, server, m->mem);
	struct permission *p = permission_new(s, m->id, STR(""));
	auto_buf call = BUF_INIT;
	struct json_out o = json_out(&call);

	p->on_answer = answer_approval;
	json_open(&o, '{');
	json_text_member(&o, "toolCallId",
			 c ? buf_str(&c->id)
			   : arena_printf(m->mem, "ask-" STR_FMT,
					  STR_ARG(m->id)));
	json_text_member(
		&o, "title",
		title.len
			? arena_printf(m->mem, STR_FMT ": " STR_FMT,
				       STR_ARG(server),
				       STR_ARG(permission_line(title, m->mem)))
			: server);
	json_text_member(&o, "status", STR("pending"));
	call_put_short(&o, "rawInput", json_get(meta, "tool_params"), m->mem);
	json_key(&o, "content");
	json_open(&o, '[');
	call_put_words(&o,
		       permission_text(text_at(m->params, "message", m->mem),
				       m->mem));
	json_close(&o, ']');
	json_close(&o, '}');
	permission_ask(p, buf_str(&call), true);
}

/* A form of the editor. */

static void on_form(void *ctx, const struct jsonrpc_response *answer)
{
	struct permission *p = ctx;
	struct json content = json_get(answer->result, "content");
	auto_buf result = BUF_INIT;
	struct json_out o = json_out(&result);
	struct str action = text_at(answer->result, "action", answer->mem);

	p->number = 0;
	if (answer->end == JSONRPC_DISCONNECTED ||
	    answer->end == JSONRPC_TIMEOUT)
		action = STR("cancel");
	else if (!str_is(action, "accept") && !str_is(action, "cancel"))
		action = STR("decline");
	json_open(&o, '{');
	json_text_member(&o, "action", action);
	json_key(&o, "content");
	if (str_is(action, "accept") && json_is(content, JSON_OBJECT))
		json_put(&o, content);
	else
		json_put_null(&o);
	json_key(&o, "_meta");
	json_put_null(&o);
	json_close(&o, '}');
	reply(p, buf_str(&result));
	permission_drop(p);
}

static void put_form(struct json_out *o, const struct jsonrpc_message *m)
{
	json_text_member(o, "mode", STR("form"));
	json_key(o, "requestedSchema");
	json_put(o, json_get(m->params, "requestedSchema"));
}

static void put_url(struct json_out *o, const struct jsonrpc_message *m)
{
	json_text_member(o, "mode", STR("url"));
	json_text_member(o, "elicitationId",
			 text_at(m->params, "elicitationId", m->mem));
	json_text_member(o, "url", text_at(m->params, "url", m->mem));
}

static void ask_editor(struct session *s, const struct jsonrpc_message *m,
		       void (*put)(struct json_out *o,
				   const struct jsonrpc_message *m))
{
	struct permission *p = permission_new(s, m->id, STR(""));
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	p->on_answer = answer_approval; /* if it is cancelled */
	json_open(&o, '{');
	json_text_member(&o, "sessionId", s->id);
	json_text_member(&o, "message", text_at(m->params, "message", m->mem));
	put(&o, m);
	json_close(&o, '}');
	p->number = jsonrpc_request(s->agent->rpc, "elicitation/create",
				    buf_str(&params), 0, on_form, p);
}

void form_ask(struct session *s, const struct jsonrpc_message *m)
{
	struct json meta = json_get(m->params, "_meta");
	struct str mode = text_at(m->params, "mode", m->mem);

	if (text_at(meta, "codex_approval_kind", m->mem).len)
		ask_approval(s, m, meta);
	else if (str_is(mode, "form") && s->agent->forms)
		ask_editor(s, m, put_form);
	else if (str_is(mode, "url") && s->agent->urls)
		ask_editor(s, m, put_url);
	else
		codex_reply(
			s->agent->codex, m->id,
			STR("{\"action\":\"decline\",\"content\":null,\"_meta\":null}"));
}

/* requestUserInput of Codex: a form with one string per question. */

static void put_question(struct json_out *o, struct json question,
			 struct arena *mem)
{
	struct json_walk w = json_walk(json_get(question, "options"));

	json_key_str(o, text_at(question, "id", mem));
	json_open(o, '{');
	json_text_member(o, "type", STR("string"));
	json_text_member(o, "title", text_at(question, "header", mem));
	json_text_member(o, "description", text_at(question, "question", mem));
	if (json_count(json_get(question, "options")) &&
	    !json_is(json_get(question, "isOther"), JSON_TRUE)) {
		json_key(o, "enum");
		json_open(o, '[');
		while (json_step(&w))
			json_put_str(o, text_at(w.value, "label", mem));
		json_close(o, ']');
	}
	json_close(o, '}');
}

static void put_questions(struct json_out *o, const struct jsonrpc_message *m)
{
	struct json_walk w = json_walk(json_get(m->params, "questions"));

	json_text_member(o, "mode", STR("form"));
	json_key(o, "requestedSchema");
	json_open(o, '{');
	json_text_member(o, "type", STR("object"));
	json_key(o, "properties");
	json_open(o, '{');
	while (json_step(&w))
		put_question(o, w.value, m->mem);
	json_close(o, '}');
	json_close(o, '}');
}

static void put_answers(struct json_out *o, struct json content,
			struct arena *mem)
{
	struct json_walk w = json_walk(content);
	struct str key, text;

	while (json_is(content, JSON_OBJECT) && json_step(&w)) {
		if (!json_text(w.key, mem, &key) ||
		    !json_text(w.value, mem, &text))
			continue;
		json_key_str(o, key);
		json_open(o, '{');
		json_key(o, "answers");
		json_open(o, '[');
		json_put_str(o, text);
		json_close(o, ']');
		json_close(o, '}');
	}
}

static void on_input(void *ctx, const struct jsonrpc_response *answer)
{
	struct permission *p = ctx;
	auto_buf result = BUF_INIT;
	struct json_out o = json_out(&result);

	p->number = 0;
	json_open(&o, '{');
	json_key(&o, "answers");
	json_open(&o, '{');
	if (answer->end == JSONRPC_RESULT)
		put_answers(&o, json_get(answer->result, "content"),
			    answer->mem);
	json_close(&o, '}');
	json_close(&o, '}');
	reply(p, buf_str(&result));
	permission_drop(p);
}

static void no_input(struct permission *p, enum permission_answer answer)
{
	reply(p, STR("{\"answers\":{}}"));
}

void form_ask_input(struct session *s, const struct jsonrpc_message *m)
{
	struct permission *p = permission_new(s, m->id, STR(""));
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	p->on_answer = no_input;
	if (!s->agent->forms) {
		permission_answered(p, PERMISSION_CANCEL);
		return;
	}
	json_open(&o, '{');
	json_text_member(&o, "sessionId", s->id);
	json_text_member(&o, "message", STR("Codex asks"));
	put_questions(&o, m);
	json_close(&o, '}');
	p->number = jsonrpc_request(s->agent->rpc, "elicitation/create",
				    buf_str(&params), 0, on_input, p);
}
