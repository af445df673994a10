/*
 * turn.c - a session/prompt, from its arrival to its response.
 *
 * s->prompt is the request id while a prompt runs. Each prompt is answered
 * exactly once: by turn_end() or turn_fail(). A cancelled turn that Codex does
 * not end within CANCEL_TIMEOUT_MS is answered without it.
 */
#include "acp/agent_local.h"

enum { CANCEL_TIMEOUT_MS = 5000 }; /* for Codex to end a cancelled turn */

/* Answering the prompt. */

/* Close everything that belongs to the turn, before the response. */
static void turn_close(struct session *s, const char *why)
{
	loop_timer_stop(s->cancel_timer);
	s->cancel_timer = NULL;
	permission_cancel_all(s);
	items_close_all(s, why);
	s->turn.len = s->streamed.len = s->later.len = 0;
	s->cancelled = false;
}

void turn_end(struct session *s, const char *stop)
{
	auto_buf result = BUF_INIT;
	struct json_out o = json_out(&result);

	if (!s->prompt.len)
		return;
	if (s->cancelled)
		stop = "cancelled";
	turn_close(s, "Cancelled");
	json_open(&o, '{');
	json_text_member(&o, "stopReason", str_of(stop));
	json_close(&o, '}');
	jsonrpc_reply(s->agent->rpc, buf_str(&s->prompt), buf_str(&result));
	s->prompt.len = 0;
}

void turn_fail(struct session *s, int code, struct str message)
{
	bool cancelled = s->cancelled;

	if (!s->prompt.len)
		return;
	if (cancelled) { /* a failure after a cancel is a cancel */
		turn_end(s, "cancelled");
		return;
	}
	turn_close(s, "The turn failed");
	agent_refuse(s->agent, buf_str(&s->prompt), code, message);
	s->prompt.len = 0;
}

/* Starting a turn. */

static void turn_interrupt(struct session *s)
{
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	json_open(&o, '{');
	json_text_member(&o, "threadId", s->id);
	json_text_member(&o, "turnId", buf_str(&s->turn));
	json_close(&o, '}');
	session_ask(s, "turn/interrupt", buf_str(&params), NULL);
}

void turn_started(struct session *s, struct json turn, struct arena *mem)
{
	struct str id = text_at(turn, "id", mem);

	if (!s->prompt.len || s->turn.len || !id.len ||
	    str_eq(id, buf_str(&s->old_turn)))
		return;
	buf_add(&s->turn, id);
	if (s->cancelled)
		turn_interrupt(s);
}

static void on_turn_begun(struct session *s,
			  const struct jsonrpc_response *answer)
{
	struct str gone = buf_str(&s->agent->codex_gone);

	if (answer->end == JSONRPC_RESULT)
		turn_started(s, json_get(answer->result, "turn"), answer->mem);
	else
		turn_fail(s, AGENT_REFUSED,
			  answer->end == JSONRPC_ERROR ? answer->message
						       : gone);
}

static void on_thread_resumed(struct session *s,
			      const struct jsonrpc_response *answer)
{
	if (answer->end != JSONRPC_RESULT) {
		on_turn_begun(s, answer);
		return;
	}
	s->lost = false;
	if (s->cancelled)
		turn_end(s, "cancelled");
	else if (s->prompt.len)
		session_ask(s, s->later_method, buf_str(&s->later),
			    on_turn_begun);
}

void turn_begin(struct session *s, const char *method, struct str params)
{
	auto_buf thread = BUF_INIT;
	struct json_out o = json_out(&thread);

	if (!s->lost) {
		session_ask(s, method, params, on_turn_begun);
		return;
	}
	s->later_method = method;
	s->later.len = 0;
	buf_add(&s->later, params);
	session_put_thread(&o, s);
	session_ask(s, "thread/resume", buf_str(&thread), on_thread_resumed);
}

/* Options changed since the last turn; Codex keeps them for later turns. */
static void put_changed_options(struct json_out *o, struct session *s)
{
	if (s->new_model) {
		json_text_member(o, "model", buf_str(&s->model));
		if (s->effort.len)
			json_text_member(o, "effort", buf_str(&s->effort));
	}
	if (s->new_mode) {
		json_text_member(o, "approvalPolicy",
				 str_of(s->mode->approval));
		json_key(o, "sandboxPolicy");
		json_put_raw(o, str_of(s->mode->policy));
	}
	s->new_model = s->new_mode = false;
}

void turn_input(struct session *s, struct str input)
{
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	json_open(&o, '{');
	json_text_member(&o, "threadId", s->id);
	json_key(&o, "input");
	json_put_raw(&o, input);
	put_changed_options(&o, s);
	json_close(&o, '}');
	turn_begin(s, "turn/start", buf_str(&params));
}

/* The text of a prompt that starts with "/", else "". */
static struct str command_in(const struct jsonrpc_message *m)
{
	struct json_walk w = json_walk(json_get(m->params, "prompt"));
	struct str text;

	if (!json_step(&w) || !json_str_is(json_get(w.value, "type"), "text"))
		return STR("");
	text = text_at(w.value, "text", m->mem);
	return str_starts(text, STR("/")) ? text : STR("");
}

void turn_prompt(struct session *s, const struct jsonrpc_message *m)
{
	auto_buf input = BUF_INIT;
	struct json_out o = json_out(&input);
	struct str command = command_in(m), why;

	if (s->prompt.len || s->opening != OPENED) {
		agent_refuse(s->agent, m->id, AGENT_BAD_REQUEST,
			     STR("A prompt of this session is still running: "
				 "wait for it, or cancel it"));
		return;
	}
	if (!prompt_put(&o, json_get(m->params, "prompt"), m->mem, &why)) {
		agent_refuse(s->agent, m->id, AGENT_BAD_PARAMS, why);
		return;
	}
	buf_add(&s->prompt, m->id);
	s->cancelled = false;
	if (!command.len || !commands_run(s, command))
		turn_input(s, buf_str(&input));
}

/* Cancelling. */

static void on_cancel_timeout(void *ctx)
{
	struct session *s = ctx;

	s->cancel_timer = NULL;
	s->old_turn.len = 0;
	buf_add(&s->old_turn, buf_str(&s->turn));
	turn_end(s, "cancelled");
}

void turn_cancel(struct session *s)
{
	if (!s->prompt.len || s->cancelled)
		return;
	s->cancelled = true;
	permission_cancel_all(s);
	session_server_cancel_calls(s);
	if (s->turn.len)
		turn_interrupt(s);
	s->cancel_timer = loop_after(s->agent->loop, CANCEL_TIMEOUT_MS,
				     on_cancel_timeout, s);
}

void turn_lost(struct session *s, struct str why)
{
	if (s->opening != OPENED || s->closed)
		return;
	s->lost = s->new_model = true;
	turn_fail(s, AGENT_REFUSED, why);
}

/* The stop reason or error code for Codex's error info. */

static const struct {
	const char *info;
	const char *stop; /* stopReason; NULL = an error with @code */
	int code;
} ends[] = {
	{ "contextWindowExceeded", "max_tokens", 0 },
	{ "sessionBudgetExceeded", "max_tokens", 0 },
	{ "cyberPolicy", "refusal", 0 },
	{ "misalignmentPolicyViolation", "refusal", 0 },
	{ "tooManyDenials", "max_turn_requests", 0 },
	{ "unauthorized", NULL, AGENT_NO_LOGIN },
};

/* "unauthorized", or {"httpConnectionFailed": {"httpStatusCode": 401}} */
static struct str error_info(struct json error, struct arena *mem)
{
	struct json info = json_get(error, "codexErrorInfo");
	struct json_walk w = json_walk(info);
	int64_t status;

	if (json_is(info, JSON_OBJECT) && json_step(&w) &&
	    json_int(json_get(w.value, "httpStatusCode"), &status) &&
	    status == 401)
		return STR("unauthorized");
	return text_at(error, "codexErrorInfo", mem);
}

static void turn_failed_by(struct session *s, struct json error,
			   struct arena *mem)
{
	struct str info = error_info(error, mem);
	struct str message = text_at(error, "message", mem);
	int code = AGENT_REFUSED;

	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		if (!str_is(info, ends[i].info))
			continue;
		code = ends[i].code;
		if (!ends[i].stop)
			break;
		agent_notice(s, "error", STR("Codex ended the turn"), message);
		turn_end(s, ends[i].stop);
		return;
	}
	turn_fail(s, code, message.len ? message : STR("The turn failed"));
}

void turn_completed(struct session *s, struct json turn, struct arena *mem)
{
	struct str id = text_at(turn, "id", mem),
		   status = text_at(turn, "status", mem);

	if (!s->prompt.len || (s->turn.len && !str_eq(id, buf_str(&s->turn))) ||
	    str_eq(id, buf_str(&s->old_turn)))
		return;
	if (s->cancelled || str_is(status, "interrupted"))
		turn_end(s, "cancelled");
	else if (str_is(status, "failed"))
		turn_failed_by(s, json_get(turn, "error"), mem);
	else
		turn_end(s, "end_turn");
}
