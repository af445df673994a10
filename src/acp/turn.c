/* turn.c - a prompt, from the moment it comes in until it is answered. */

#include "acp/agent_local.h"

enum { PATIENCE_MS = 5000 }; /* with Codex, after a cancel */

/* Answering it. */

/* Nothing of it is open any more, and then it is answered. */
static void settle(struct session *s, const char *why)
{
	loop_timer_stop(s->giving_up);
	s->giving_up = NULL;
	consent_cancel_all(s);
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
	settle(s, "Cancelled");
	json_open(&o, '{');
	json_text_member(&o, "stopReason", str_of(stop));
	json_close(&o, '}');
	wire_reply(s->agent->wire, buf_str(&s->prompt), buf_str(&result));
	s->prompt.len = 0;
}

void turn_fail(struct session *s, int code, struct str message)
{
	bool cancelled = s->cancelled;

	if (!s->prompt.len)
		return;
	if (cancelled) { /* whatever came of it, that is what was wanted */
		turn_end(s, "cancelled");
		return;
	}
	settle(s, "The turn failed");
	agent_refuse(s->agent, buf_str(&s->prompt), code, message);
	s->prompt.len = 0;
}

/* Beginning it. */

static void interrupt(struct session *s)
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
		interrupt(s);
}

static void on_begun(struct session *s, const struct wire_answer *answer)
{
	struct str gone = buf_str(&s->agent->codex_gone);

	if (answer->end == WIRE_ANSWERED)
		turn_started(s, json_get(answer->result, "turn"), answer->mem);
	else
		turn_fail(s, AGENT_REFUSED,
			  answer->end == WIRE_REFUSED ? answer->message : gone);
}

static void on_resumed(struct session *s, const struct wire_answer *answer)
{
	if (answer->end != WIRE_ANSWERED) {
		on_begun(s, answer);
		return;
	}
	s->lost = false;
	if (s->cancelled)
		turn_end(s, "cancelled");
	else if (s->prompt.len)
		session_ask(s, s->later_method, buf_str(&s->later), on_begun);
}

void turn_begin(struct session *s, const char *method, struct str params)
{
	auto_buf thread = BUF_INIT;
	struct json_out o = json_out(&thread);

	if (!s->lost) {
		session_ask(s, method, params, on_begun);
		return;
	}
	s->later_method = method;
	s->later.len = 0;
	buf_add(&s->later, params);
	session_put_thread(&o, s);
	session_ask(s, "thread/resume", buf_str(&thread), on_resumed);
}

/* What was chosen since the last turn holds for this and those after it. */
static void put_chosen(struct json_out *o, struct session *s)
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
	put_chosen(&o, s);
	json_close(&o, '}');
	turn_begin(s, "turn/start", buf_str(&params));
}

/* "/name ..." at the front of it, or "". */
static struct str command_in(const struct wire_message *m)
{
	struct json_walk w = json_walk(json_get(m->params, "prompt"));
	struct str text;

	if (!json_step(&w) || !json_str_is(json_get(w.value, "type"), "text"))
		return STR("");
	text = text_at(w.value, "text", m->mem);
	return str_starts(text, STR("/")) ? text : STR("");
}

void turn_prompt(struct session *s, const struct wire_message *m)
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

/* Ending it before its time. */

static void on_patience_over(void *ctx)
{
	struct session *s = ctx;

	s->giving_up = NULL;
	s->old_turn.len = 0;
	buf_add(&s->old_turn, buf_str(&s->turn));
	turn_end(s, "cancelled");
}

void turn_cancel(struct session *s)
{
	if (!s->prompt.len || s->cancelled)
		return;
	s->cancelled = true;
	consent_cancel_all(s);
	files_cancel(s);
	if (s->turn.len)
		interrupt(s);
	s->giving_up =
		loop_after(s->agent->loop, PATIENCE_MS, on_patience_over, s);
}

void turn_lost(struct session *s, struct str why)
{
	if (s->opening != OPENED || s->closed)
		return;
	s->lost = s->new_model = true;
	turn_fail(s, AGENT_REFUSED, why);
}

/* How it ended, by Codex's word for what went wrong. */

static const struct {
	const char *info;
	const char *stop; /* or NULL: an error, of @code */
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
static struct str info_of(struct json error, struct arena *mem)
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

static void fail_by(struct session *s, struct json error, struct arena *mem)
{
	struct str info = info_of(error, mem);
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
		fail_by(s, json_get(turn, "error"), mem);
	else
		turn_end(s, "end_turn");
}
