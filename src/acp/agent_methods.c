/*
 * agent_methods.c - the table of ACP methods that an editor may call.
 *
 * Every request is answered exactly once, here or by the module that gets it.
 */
#include "acp/agent_local.h"

static bool is_present(struct json v)
{
	return !json_is(v, JSON_NONE) && !json_is(v, JSON_NULL);
}

static bool is_true(struct json v)
{
	return json_is(v, JSON_TRUE);
}

static void note_capabilities(struct agent *a, struct json can)
{
	struct json fs = json_get(can, "fs"),
		    session = json_get(can, "session"),
		    forms = json_get(can, "elicitation");

	a->reads = is_true(json_get(fs, "readTextFile"));
	a->writes = is_true(json_get(fs, "writeTextFile"));
	a->notices = is_present(json_get(session, "notices"));
	a->compactions = is_present(json_get(session, "compaction"));
	a->forms = is_present(json_get(forms, "form"));
	a->urls = is_present(json_get(forms, "url"));
}

static void put_info(struct json_out *o, const struct agent *a)
{
	json_key(o, "agentInfo");
	json_open(o, '{');
	json_text_member(o, "name", STR("stet"));
	json_text_member(o, "title", STR("Codex by stet"));
	json_text_member(o, "version", str_of(a->options.version));
	json_close(o, '}');
}

static void initialize(struct agent *a, const struct jsonrpc_message *m)
{
	static const struct str can = STR_INIT(
		"{\"loadSession\":true,"
		"\"promptCapabilities\":{\"image\":true,\"audio\":false,\"embeddedContext\":true},"
		"\"mcpCapabilities\":{\"http\":true,\"sse\":false},"
		"\"sessionCapabilities\":{\"list\":{},\"resume\":{},\"close\":{},\"additionalDirectories\":{}},"
		"\"auth\":{\"logout\":{}}}");
	auto_buf result = BUF_INIT;
	struct json_out o = json_out(&result);

	note_capabilities(a, json_get(m->params, "clientCapabilities"));
	json_open(&o, '{');
	json_key(&o, "protocolVersion");
	json_put_int(&o, 1);
	put_info(&o, a);
	json_key(&o, "agentCapabilities");
	json_put_raw(&o, can);
	auth_put_methods(&o);
	json_close(&o, '}');
	jsonrpc_reply(a->rpc, m->id, buf_str(&result));
	codex_start(a->codex);
}

/* The methods. */

static void session_new_method(struct agent *a, const struct jsonrpc_message *m)
{
	session_open(a, m, OPENING_NEW);
}

static void session_load(struct agent *a, const struct jsonrpc_message *m)
{
	session_open(a, m, OPENING_LOAD);
}

static void session_resume(struct agent *a, const struct jsonrpc_message *m)
{
	session_open(a, m, OPENING_RESUME);
}

/* The session of a request; if there is none, the request is refused. */
static struct session *session_named(struct agent *a,
				     const struct jsonrpc_message *m)
{
	struct str id = text_at(m->params, "sessionId", m->mem);
	struct session *s = session_of(a, id);

	if (!s)
		agent_refuse(a, m->id, AGENT_NOT_FOUND,
			     arena_printf(m->mem,
					  "Unknown session '" STR_FMT "'",
					  STR_ARG(id)));
	return s;
}

static void session_prompt(struct agent *a, const struct jsonrpc_message *m)
{
	struct session *s = session_named(a, m);

	if (s)
		turn_prompt(s, m);
}

static void session_cancel(struct agent *a, const struct jsonrpc_message *m)
{
	struct session *s =
		session_of(a, text_at(m->params, "sessionId", m->mem));

	if (s)
		turn_cancel(s);
}

/* $/cancel_request of a session/prompt. */
static void cancel_request(struct agent *a, const struct jsonrpc_message *m)
{
	struct str id = json_raw(json_get(m->params, "requestId"));

	for (struct session *s = a->sessions; s; s = s->next)
		if (id.len && str_eq(buf_str(&s->prompt), id))
			turn_cancel(s);
}

static void session_close_method(struct agent *a,
				 const struct jsonrpc_message *m)
{
	struct session *s = session_named(a, m);

	if (!s)
		return;
	session_close(s);
	jsonrpc_reply(a->rpc, m->id, STR("{}"));
}

static void session_set_mode(struct agent *a, const struct jsonrpc_message *m)
{
	struct session *s = session_named(a, m);

	if (!s)
		return;
	if (session_options_set_mode(s, text_at(m->params, "modeId", m->mem))) {
		jsonrpc_reply(a->rpc, m->id, STR("{}"));
		session_options_notify(s);
	} else {
		agent_refuse(
			a, m->id, AGENT_BAD_PARAMS,
			STR("Unknown mode: the modes are read-only, auto and full-access"));
	}
}

static void send_mode_update(struct session *s)
{
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	json_open(&o, '{');
	json_text_member(&o, "sessionUpdate", STR("current_mode_update"));
	json_text_member(&o, "currentModeId", str_of(s->mode->id));
	json_close(&o, '}');
	agent_update(s, buf_str(&update));
}

static void session_set_option(struct agent *a, const struct jsonrpc_message *m)
{
	struct session *s = session_named(a, m);
	const struct agent_mode *before = s ? s->mode : NULL;
	auto_buf result = BUF_INIT;
	struct json_out o = json_out(&result);

	if (!s)
		return;
	if (!session_options_set(s, text_at(m->params, "configId", m->mem),
				 text_at(m->params, "value", m->mem))) {
		agent_refuse(a, m->id, AGENT_BAD_PARAMS,
			     STR("Unknown option or value"));
		return;
	}
	json_open(&o, '{');
	session_options_put_config(&o, s);
	json_close(&o, '}');
	jsonrpc_reply(a->rpc, m->id, buf_str(&result));
	if (s->mode != before)
		send_mode_update(s);
}

static const struct {
	const char *name;
	void (*run)(struct agent *a, const struct jsonrpc_message *m);
} methods[] = {
	{ "initialize", initialize },
	{ "authenticate", auth_begin },
	{ "logout", auth_logout },
	{ "session/new", session_new_method },
	{ "session/load", session_load },
	{ "session/resume", session_resume },
	{ "session/list", session_list },
	{ "session/close", session_close_method },
	{ "session/prompt", session_prompt },
	{ "session/cancel", session_cancel },
	{ "$/cancel_request", cancel_request },
	{ "session/set_mode", session_set_mode },
	{ "session/set_config_option", session_set_option },
};

void agent_message(void *ctx, const struct jsonrpc_message *m)
{
	struct agent *a = ctx;

	if (a->ending)
		return;
	for (size_t i = 0; i < COUNT_OF(methods); i++)
		if (str_is(m->method, methods[i].name)) {
			methods[i].run(a, m);
			return;
		}
	agent_refuse(a, m->id, AGENT_NO_METHOD,
		     arena_printf(m->mem, "Unknown method '" STR_FMT "'",
				  STR_ARG(m->method)));
}
