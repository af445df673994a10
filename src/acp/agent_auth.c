/*
 * agent_auth.c - authenticate and logout: the login of Codex, offered by ACP.
 *
 * One login can be in progress; its request id is agent.login until Codex
 * reports that it has completed.
 */
#include "acp/agent_local.h"

#include <stdlib.h>
#include <unistd.h>

static const char *api_key(void)
{
	static const char *const names[] = { "CODEX_API_KEY",
					     "OPENAI_API_KEY" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *key = getenv(names[i]);

		if (key && *key)
			return key;
	}
	return NULL;
}

static void put_api_key(struct json_out *o)
{
	json_text_member(o, "type", STR("apiKey"));
	json_text_member(o, "apiKey", str_of(api_key()));
}

static void put_chatgpt(struct json_out *o)
{
	json_text_member(o, "type", STR("chatgpt"));
}

static const struct auth_method {
	const char *id, *name, *about;
	void (*put)(struct json_out *o); /* for account/login/start */
} methods[] = {
	{ "api-key", "OpenAI API key",
	  "Log Codex in with the key in OPENAI_API_KEY or CODEX_API_KEY",
	  put_api_key },
	{ "chatgpt", "ChatGPT",
	  "Log Codex in with your ChatGPT account, in the browser",
	  put_chatgpt },
};

void auth_put_methods(struct json_out *o)
{
	json_key(o, "authMethods");
	json_open(o, '[');
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		json_open(o, '{');
		json_text_member(o, "id", str_of(methods[i].id));
		json_text_member(o, "name", str_of(methods[i].name));
		json_text_member(o, "description", str_of(methods[i].about));
		json_close(o, '}');
	}
	json_close(o, ']');
}

static void answer_login(struct agent *a, bool worked, struct str why)
{
	if (!a->login.len)
		return;
	if (worked)
		jsonrpc_reply(a->rpc, buf_str(&a->login), STR("{}"));
	else
		agent_refuse(a, buf_str(&a->login), AGENT_NO_LOGIN, why);
	a->login.len = 0;
}

static void on_page_shown(void *ctx, const struct jsonrpc_response *answer)
{
	auto_arena mem = ARENA_INIT;
	struct agent *a = ctx;

	if (answer->end == JSONRPC_RESULT &&
	    str_is(text_at(answer->result, "action", &mem), "accept"))
		return;
	answer_login(a, false, STR("The login page could not be opened"));
}

/* Ask the editor to open the login page, or return its URL as an error. */
static void show_page(struct agent *a, struct str url, struct str id)
{
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);
	auto_arena mem = ARENA_INIT;

	if (!a->urls) {
		answer_login(
			a, false,
			arena_printf(&mem,
				     "Open this page in a browser to log in, "
				     "then try again: " STR_FMT,
				     STR_ARG(url)));
		return;
	}
	json_open(&o, '{');
	json_key(&o, "requestId");
	json_put_raw(&o, buf_str(&a->login));
	json_text_member(&o, "mode", STR("url"));
	json_text_member(&o, "elicitationId", id);
	json_text_member(&o, "url", url);
	json_text_member(&o, "message", STR("Log in to ChatGPT, for Codex"));
	json_close(&o, '}');
	(void)jsonrpc_request(a->rpc, "elicitation/create", buf_str(&params), 0,
			      on_page_shown, a);
}

static void on_login_started(void *ctx, const struct jsonrpc_response *answer)
{
	struct agent *a = ctx;
	auto_arena mem = ARENA_INIT;
	struct str url;

	if (answer->end != JSONRPC_RESULT) {
		answer_login(a, false,
			     answer->end == JSONRPC_ERROR
				     ? answer->message
				     : buf_str(&a->codex_gone));
		return;
	}
	url = text_at(answer->result, "authUrl", &mem);
	if (url.len)
		show_page(a, url, text_at(answer->result, "loginId", &mem));
	else
		answer_login(a, true, STR(""));
}

static const struct auth_method *method_named(struct str id)
{
	for (size_t i = 0; i < COUNT_OF(methods); i++)
		if (str_is(id, methods[i].id))
			return &methods[i];
	return NULL;
}

void auth_begin(struct agent *a, const struct jsonrpc_message *m)
{
	const struct auth_method *method =
		method_named(text_at(m->params, "methodId", m->mem));
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	if (!method) {
		agent_refuse(a, m->id, AGENT_BAD_PARAMS,
			     STR("Unknown authentication method"));
		return;
	}
	if (method->put == put_api_key && !api_key()) {
		agent_refuse(a, m->id, AGENT_NO_LOGIN,
			     STR("There is no key in OPENAI_API_KEY or "
				 "CODEX_API_KEY: set one for the agent in the "
				 "editor's settings"));
		return;
	}
	answer_login(a, false, STR("Another login was started"));
	buf_add(&a->login, m->id);
	json_open(&o, '{');
	method->put(&o);
	json_close(&o, '}');
	agent_ask(a, "account/login/start", buf_str(&params), on_login_started,
		  a);
}

void auth_completed(struct agent *a, const struct jsonrpc_message *m)
{
	struct str why = text_at(m->params, "error", m->mem);

	answer_login(a, json_is(json_get(m->params, "success"), JSON_TRUE),
		     why.len ? why : STR("The login failed"));
}

/* A request of the editor that waits for Codex. */
struct logout_request {
	struct agent *agent;
	struct buf id;
};

static void on_logout(void *ctx, const struct jsonrpc_response *answer)
{
	struct logout_request *w = ctx;

	if (answer->end == JSONRPC_RESULT)
		jsonrpc_reply(w->agent->rpc, buf_str(&w->id), STR("{}"));
	else
		agent_refuse_by(w->agent, buf_str(&w->id), answer);
	buf_free(&w->id);
	free(w);
}

void auth_logout(struct agent *a, const struct jsonrpc_message *m)
{
	struct logout_request *w = calloc(1, sizeof(*w));

	if (!w)
		out_of_memory();
	w->agent = a;
	buf_add(&w->id, m->id);
	agent_ask(a, "account/logout", STR("null"), on_logout, w);
}
