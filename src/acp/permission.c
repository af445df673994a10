/*
 * permission.c - session/request_permission: asks the user on behalf of Codex.
 *
 * One request for each question, and the answer back to Codex (X12, X13). The
 * open ones are s->permissions; an unknown answer counts as a rejection.
 */
#include "acp/permission_local.h"

#include "acp/calls_local.h"
#include "text/display/visible.h"

#include <stdlib.h>

const struct permission_option permission_options[] = {
	[PERMISSION_ONCE] = { "allow", "Allow", "allow_once" },
	[PERMISSION_ALWAYS] = { "always", "Always allow in this session",
				"allow_always" },
	[PERMISSION_REJECT] = { "reject", "Reject", "reject_once" },
};

/* The editor's choice; an unknown option counts as a rejection (X12). */
enum permission_answer
permission_answer_of(const struct jsonrpc_response *answer)
{
	struct json outcome = json_get(answer->result, "outcome");

	if (answer->end != JSONRPC_RESULT ||
	    !json_str_is(json_get(outcome, "outcome"), "selected"))
		return PERMISSION_CANCEL;
	for (size_t i = 0; i < COUNT_OF(permission_options); i++)
		if (json_str_is(json_get(outcome, "optionId"),
				permission_options[i].id))
			return (enum permission_answer)i;
	return PERMISSION_REJECT;
}

static void permission_unlink(struct permission *p)
{
	struct permission **at = &p->session->permissions;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
}

static void permission_free(struct permission *p)
{
	buf_free(&p->id);
	buf_free(&p->params);
	free(p);
}

void permission_drop(struct permission *p)
{
	permission_unlink(p);
	permission_free(p);
}

/* Unlinked first: the callback may end other requests. */
void permission_answered(struct permission *p, enum permission_answer answer)
{
	permission_unlink(p);
	p->on_answer(p, answer);
	permission_free(p);
}

static void on_permission_response(void *ctx,
				   const struct jsonrpc_response *answer)
{
	struct permission *p = ctx;

	p->number = 0;
	permission_answered(p, permission_answer_of(answer));
}

struct permission *permission_new(struct session *s, struct str id,
				  struct str params)
{
	struct permission *p = calloc(1, sizeof(*p));

	if (!p)
		out_of_memory();
	p->session = s;
	p->next = s->permissions;
	s->permissions = p;
	buf_add(&p->id, id);
	buf_add(&p->params, params);
	return p;
}

struct str permission_line(struct str text, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	visible_line(&out, text);
	return arena_copy(mem, buf_str(&out));
}

struct str permission_text(struct str text, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	visible_add(&out, text);
	return arena_copy(mem, buf_str(&out));
}

static void put_options(struct json_out *o, bool always)
{
	json_key(o, "options");
	json_open(o, '[');
	for (size_t i = 0; i < COUNT_OF(permission_options); i++) {
		if (i == PERMISSION_ALWAYS && !always)
			continue;
		json_open(o, '{');
		json_text_member(o, "optionId",
				 str_of(permission_options[i].id));
		json_text_member(o, "name", str_of(permission_options[i].name));
		json_text_member(o, "kind", str_of(permission_options[i].kind));
		json_close(o, '}');
	}
	json_close(o, ']');
}

void permission_ask(struct permission *p, struct str call, bool always)
{
	struct session *s = p->session;
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	json_open(&o, '{');
	json_text_member(&o, "sessionId", s->id);
	json_key(&o, "toolCall");
	json_put_raw(&o, call);
	put_options(&o, always);
	json_close(&o, '}');
	p->number =
		jsonrpc_request(s->agent->rpc, "session/request_permission",
				buf_str(&params), 0, on_permission_response, p);
}

/* Cancel our request at the editor. */
static void cancel_request(struct permission *p)
{
	struct jsonrpc *rpc = p->session->agent->rpc;
	auto_arena mem = ARENA_INIT;

	if (!p->number)
		return;
	jsonrpc_forget(rpc, p->number);
	jsonrpc_notify(rpc, "$/cancel_request",
		       arena_printf(&mem, "{\"requestId\":%llu}",
				    (unsigned long long)p->number));
	p->number = 0;
}

void permission_withdraw(struct permission *p)
{
	cancel_request(p);
	permission_drop(p);
}

void permission_cancel_all(struct session *s)
{
	struct permission *p;

	while ((p = s->permissions)) {
		s->permissions = p->next;
		cancel_request(p);
		p->on_answer(p, PERMISSION_CANCEL);
		permission_free(p);
	}
}

void permission_resolved(struct session *s, struct json params)
{
	struct str id = json_raw(json_get(params, "requestId"));
	struct permission *p = s->permissions;

	while (p && !str_eq(buf_str(&p->id), id))
		p = p->next;
	if (p)
		permission_withdraw(p);
}

/* commandExecution and fileChange: {"decision": ...} */

static void answer_decision(struct permission *p, enum permission_answer answer)
{
	static const char *const decisions[] = {
		[PERMISSION_ONCE] = "\"accept\"",
		[PERMISSION_ALWAYS] = "\"acceptForSession\"",
		[PERMISSION_REJECT] = "\"decline\"",
		[PERMISSION_CANCEL] = "\"cancel\"",
	};
	auto_arena mem = ARENA_INIT;
	struct str always = buf_str(&p->params);

	codex_reply(p->session->agent->codex, buf_str(&p->id),
		    answer == PERMISSION_ALWAYS && always.len
			    ? arena_printf(&mem, "{\"decision\":%.*s}",
					   (int)always.len, always.ptr)
			    : arena_printf(&mem, "{\"decision\":%s}",
					   decisions[answer]));
}

/*
 * Codex's decision for "always": *ret is its JSON, or "" for acceptForSession.
 * False: Codex does not offer one.
 */
static bool always_decision(struct json params, struct str *ret)
{
	struct json offered = json_get(params, "availableDecisions");
	struct json_walk w = json_walk(offered);
	bool found = !json_is(offered, JSON_ARRAY);

	*ret = STR("");
	while (json_step(&w)) {
		if (json_str_is(w.value, "acceptForSession")) {
			*ret = STR("");
			return true;
		}
		if (!json_is(json_get(w.value, "acceptWithExecpolicyAmendment"),
			     JSON_NONE)) {
			*ret = json_raw(w.value);
			found = true;
		}
	}
	return found;
}

static void open_tool_call(struct json_out *o, struct str id)
{
	json_open(o, '{');
	json_text_member(o, "toolCallId", id);
	json_text_member(o, "status", STR("pending"));
}

static void put_command(struct json_out *o, const struct jsonrpc_message *m)
{
	struct str command = text_at(m->params, "command", m->mem);

	json_text_member(o, "title",
			 command.len ? permission_text(command, m->mem)
				     : STR("Run a command"));
	json_text_member(o, "kind", STR("execute"));
	json_key(o, "rawInput");
	json_open(o, '{');
	json_text_member(o, "command", command);
	json_text_member(o, "cwd", text_at(m->params, "cwd", m->mem));
	json_close(o, '}');
	json_key(o, "content");
	json_open(o, '[');
	call_put_words(o, permission_text(text_at(m->params, "reason", m->mem),
					  m->mem));
	json_close(o, ']');
}

/* The request only names the item: take what its begin has reported. */
static void put_change_call(struct json_out *o, struct session *s,
			    struct str id, struct arena *mem)
{
	static const struct json_limits limits = { 0 };
	struct open_call *c = call_of(s, id);
	struct json_error error;
	struct json item;

	if (c && !json_parse(buf_str(&c->item), &limits, mem, &item, &error) &&
	    calls_is(item)) {
		calls_put_shown(o, item, s->cwd, mem);
	} else {
		json_text_member(o, "title", STR("Change files"));
		json_text_member(o, "kind", STR("edit"));
	}
}

static void ask_command(struct session *s, const struct jsonrpc_message *m)
{
	auto_buf call = BUF_INIT;
	struct json_out o = json_out(&call);
	struct str always;
	bool can = always_decision(m->params, &always);
	struct permission *p = permission_new(s, m->id, always);

	p->on_answer = answer_decision;
	open_tool_call(&o, text_at(m->params, "itemId", m->mem));
	put_command(&o, m);
	json_close(&o, '}');
	permission_ask(p, buf_str(&call), can);
}

static void ask_change(struct session *s, const struct jsonrpc_message *m)
{
	struct str id = text_at(m->params, "itemId", m->mem);
	struct permission *p = permission_new(s, m->id, STR(""));
	auto_buf call = BUF_INIT;
	struct json_out o = json_out(&call);

	p->on_answer = answer_decision;
	open_tool_call(&o, id);
	put_change_call(&o, s, id, m->mem);
	json_close(&o, '}');
	permission_ask(p, buf_str(&call), true);
}

/* permissions: {"permissions": the requested ones, "scope": ...} */

static void answer_rights(struct permission *p, enum permission_answer answer)
{
	struct str asked = buf_str(&p->params);
	bool yes = answer == PERMISSION_ONCE || answer == PERMISSION_ALWAYS;
	auto_buf reply = BUF_INIT;
	struct json_out o = json_out(&reply);

	json_open(&o, '{');
	json_key(&o, "permissions");
	json_put_raw(&o, yes ? asked : STR("{}"));
	json_text_member(&o, "scope",
			 answer == PERMISSION_ALWAYS ? STR("session")
						     : STR("turn"));
	json_close(&o, '}');
	codex_reply(p->session->agent->codex, buf_str(&p->id), buf_str(&reply));
}

/* Without null members, which Codex does not accept in the answer. */
static void put_rights(struct json_out *o, struct json rights)
{
	static const char *const keys[] = { "network", "fileSystem" };

	json_open(o, '{');
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (json_is(json_get(rights, keys[i]), JSON_OBJECT)) {
			json_key(o, keys[i]);
			json_put(o, json_get(rights, keys[i]));
		}
	json_close(o, '}');
}

static void ask_rights(struct session *s, const struct jsonrpc_message *m)
{
	struct json rights = json_get(m->params, "permissions");
	auto_buf call = BUF_INIT, asked = BUF_INIT;
	struct json_out o = json_out(&call), r = json_out(&asked);
	struct permission *p;

	put_rights(&r, rights);
	p = permission_new(s, m->id, buf_str(&asked));
	p->on_answer = answer_rights;
	open_tool_call(&o, text_at(m->params, "itemId", m->mem));
	json_text_member(&o, "title", STR("Grant Codex more permissions"));
	json_text_member(&o, "kind", STR("other"));
	json_key(&o, "rawInput");
	json_put(&o, rights);
	json_key(&o, "content");
	json_open(&o, '[');
	call_put_words(&o, text_at(m->params, "reason", m->mem));
	call_put_output(&o, buf_str(&asked), m->mem);
	json_close(&o, ']');
	json_close(&o, '}');
	permission_ask(p, buf_str(&call), true);
}

static const struct {
	const char *method;
	void (*ask)(struct session *s, const struct jsonrpc_message *m);
} requests[] = {
	{ "item/commandExecution/requestApproval", ask_command },
	{ "item/fileChange/requestApproval", ask_change },
	{ "item/permissions/requestApproval", ask_rights },
	{ "mcpServer/elicitation/request", form_ask },
	{ "item/tool/requestUserInput", form_ask_input },
};

bool permission_ask_for_codex(struct session *s,
			      const struct jsonrpc_message *m)
{
	for (size_t i = 0; i < COUNT_OF(requests); i++)
		if (str_is(m->method, requests[i].method)) {
			requests[i].ask(s, m);
			return true;
		}
	return false;
}
