/*
 * consent.c - what Codex asks of the person: one session/request_permission
 * for each question, and the answer back (X12, X13).
 */

#include "acp/consent_local.h"

#include "acp/calls_local.h"
#include "text/visible.h"

#include <stdlib.h>

const struct consent_option consent_options[] = {
	[CONSENT_ONCE] = { "allow", "Allow", "allow_once" },
	[CONSENT_ALWAYS] = { "always", "Always allow in this session",
			     "allow_always" },
	[CONSENT_REJECT] = { "reject", "Reject", "reject_once" },
};

/* What the editor answered; whatever is none of them refuses (X12). */
enum consent consent_of(const struct wire_answer *answer)
{
	struct json outcome = json_get(answer->result, "outcome");

	if (answer->end != WIRE_ANSWERED ||
	    !json_str_is(json_get(outcome, "outcome"), "selected"))
		return CONSENT_CANCEL;
	for (size_t i = 0; i < COUNT_OF(consent_options); i++)
		if (json_str_is(json_get(outcome, "optionId"),
				consent_options[i].id))
			return (enum consent)i;
	return CONSENT_REJECT;
}

static void take_out(struct permission *p)
{
	struct permission **at = &p->session->asking;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
}

static void free_it(struct permission *p)
{
	buf_free(&p->id);
	buf_free(&p->params);
	free(p);
}

void consent_drop(struct permission *p)
{
	take_out(p);
	free_it(p);
}

/* Out of the list first: what is answered may end others. */
void consent_settle(struct permission *p, enum consent consent)
{
	take_out(p);
	p->answer(p, consent);
	free_it(p);
}

static void on_answer(void *ctx, const struct wire_answer *answer)
{
	struct permission *p = ctx;

	p->number = 0;
	consent_settle(p, consent_of(answer));
}

struct permission *consent_new(struct session *s, struct str id,
			       struct str params)
{
	struct permission *p = calloc(1, sizeof(*p));

	if (!p)
		out_of_memory();
	p->session = s;
	p->next = s->asking;
	s->asking = p;
	buf_add(&p->id, id);
	buf_add(&p->params, params);
	return p;
}

struct str consent_line(struct str text, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	visible_line(&out, text);
	return arena_copy(mem, buf_str(&out));
}

struct str consent_text(struct str text, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	visible_add(&out, text);
	return arena_copy(mem, buf_str(&out));
}

static void put_options(struct json_out *o, bool always)
{
	json_key(o, "options");
	json_open(o, '[');
	for (size_t i = 0; i < COUNT_OF(consent_options); i++) {
		if (i == CONSENT_ALWAYS && !always)
			continue;
		json_open(o, '{');
		json_text_member(o, "optionId", str_of(consent_options[i].id));
		json_text_member(o, "name", str_of(consent_options[i].name));
		json_text_member(o, "kind", str_of(consent_options[i].kind));
		json_close(o, '}');
	}
	json_close(o, ']');
}

void consent_ask(struct permission *p, struct str call, bool always)
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
	p->number = wire_ask(s->agent->wire, "session/request_permission",
			     buf_str(&params), 0, on_answer, p);
}

/* Nobody waits for it any more: the editor is told, too. */
static void withdraw(struct permission *p)
{
	struct wire *wire = p->session->agent->wire;
	auto_arena mem = ARENA_INIT;

	if (!p->number)
		return;
	wire_forget(wire, p->number);
	wire_tell(wire, "$/cancel_request",
		  arena_printf(&mem, "{\"requestId\":%llu}",
			       (unsigned long long)p->number));
	p->number = 0;
}

void consent_withdraw(struct permission *p)
{
	withdraw(p);
	consent_drop(p);
}

void consent_cancel_all(struct session *s)
{
	struct permission *p;

	while ((p = s->asking)) {
		s->asking = p->next;
		withdraw(p);
		p->answer(p, CONSENT_CANCEL);
		free_it(p);
	}
}

void consent_resolved(struct session *s, struct json params)
{
	struct str id = json_raw(json_get(params, "requestId"));
	struct permission *p = s->asking;

	while (p && !str_eq(buf_str(&p->id), id))
		p = p->next;
	if (p)
		consent_withdraw(p);
}

/* Commands and changes of files: {"decision": ...} */

static void answer_decision(struct permission *p, enum consent consent)
{
	static const char *const decisions[] = {
		[CONSENT_ONCE] = "\"accept\"",
		[CONSENT_ALWAYS] = "\"acceptForSession\"",
		[CONSENT_REJECT] = "\"decline\"",
		[CONSENT_CANCEL] = "\"cancel\"",
	};
	auto_arena mem = ARENA_INIT;
	struct str always = buf_str(&p->params);

	codex_reply(p->session->agent->codex, buf_str(&p->id),
		    consent == CONSENT_ALWAYS && always.len
			    ? arena_printf(&mem, "{\"decision\":%.*s}",
					   (int)always.len, always.ptr)
			    : arena_printf(&mem, "{\"decision\":%s}",
					   decisions[consent]));
}

/*
 * What "always" is: what Codex offers. False: nothing of that kind. @ret is
 * "" where it is the plain word for it.
 */
static bool always_of(struct json params, struct str *ret)
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

static void open_call(struct json_out *o, struct str id)
{
	json_open(o, '{');
	json_text_member(o, "toolCallId", id);
	json_text_member(o, "status", STR("pending"));
}

static void put_command(struct json_out *o, const struct wire_message *m)
{
	struct str command = text_at(m->params, "command", m->mem);

	json_text_member(o, "title",
			 command.len ? consent_text(command, m->mem)
				     : STR("Run a command"));
	json_text_member(o, "kind", STR("execute"));
	json_key(o, "rawInput");
	json_open(o, '{');
	json_text_member(o, "command", command);
	json_text_member(o, "cwd", text_at(m->params, "cwd", m->mem));
	json_close(o, '}');
	json_key(o, "content");
	json_open(o, '[');
	call_put_words(o, consent_text(text_at(m->params, "reason", m->mem),
				       m->mem));
	json_close(o, ']');
}

/* The question names the item only: what it shows was told before. */
static void put_change(struct json_out *o, struct session *s, struct str id,
		       struct arena *mem)
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

static void ask_command(struct session *s, const struct wire_message *m)
{
	auto_buf call = BUF_INIT;
	struct json_out o = json_out(&call);
	struct str always;
	bool can = always_of(m->params, &always);
	struct permission *p = consent_new(s, m->id, always);

	p->answer = answer_decision;
	open_call(&o, text_at(m->params, "itemId", m->mem));
	put_command(&o, m);
	json_close(&o, '}');
	consent_ask(p, buf_str(&call), can);
}

static void ask_change(struct session *s, const struct wire_message *m)
{
	struct str id = text_at(m->params, "itemId", m->mem);
	struct permission *p = consent_new(s, m->id, STR(""));
	auto_buf call = BUF_INIT;
	struct json_out o = json_out(&call);

	p->answer = answer_decision;
	open_call(&o, id);
	put_change(&o, s, id, m->mem);
	json_close(&o, '}');
	consent_ask(p, buf_str(&call), true);
}

/* More rights for a while: {"permissions": those asked for, "scope": ...} */

static void answer_rights(struct permission *p, enum consent consent)
{
	struct str asked = buf_str(&p->params);
	bool yes = consent == CONSENT_ONCE || consent == CONSENT_ALWAYS;
	auto_buf reply = BUF_INIT;
	struct json_out o = json_out(&reply);

	json_open(&o, '{');
	json_key(&o, "permissions");
	json_put_raw(&o, yes ? asked : STR("{}"));
	json_text_member(&o, "scope",
			 consent == CONSENT_ALWAYS ? STR("session")
						   : STR("turn"));
	json_close(&o, '}');
	codex_reply(p->session->agent->codex, buf_str(&p->id), buf_str(&reply));
}

/* Without its nulls, which the answer does not take. */
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

static void ask_rights(struct session *s, const struct wire_message *m)
{
	struct json rights = json_get(m->params, "permissions");
	auto_buf call = BUF_INIT, asked = BUF_INIT;
	struct json_out o = json_out(&call), r = json_out(&asked);
	struct permission *p;

	put_rights(&r, rights);
	p = consent_new(s, m->id, buf_str(&asked));
	p->answer = answer_rights;
	open_call(&o, text_at(m->params, "itemId", m->mem));
	json_text_member(&o, "title", STR("Give Codex more rights"));
	json_text_member(&o, "kind", STR("other"));
	json_key(&o, "rawInput");
	json_put(&o, rights);
	json_key(&o, "content");
	json_open(&o, '[');
	call_put_words(&o, text_at(m->params, "reason", m->mem));
	call_put_output(&o, buf_str(&asked), m->mem);
	json_close(&o, ']');
	json_close(&o, '}');
	consent_ask(p, buf_str(&call), true);
}

static const struct {
	const char *method;
	void (*ask)(struct session *s, const struct wire_message *m);
} questions[] = {
	{ "item/commandExecution/requestApproval", ask_command },
	{ "item/fileChange/requestApproval", ask_change },
	{ "item/permissions/requestApproval", ask_rights },
	{ "mcpServer/elicitation/request", form_ask },
	{ "item/tool/requestUserInput", form_ask_input },
};

bool consent_codex(struct session *s, const struct wire_message *m)
{
	for (size_t i = 0; i < COUNT_OF(questions); i++)
		if (str_is(m->method, questions[i].method)) {
			questions[i].ask(s, m);
			return true;
		}
	return false;
}
