/*
 * agent_say.c - builds session/update notifications and errors for the editor.
 *
 * Nothing is sent for a session that is closed or has no id yet.
 */
#include "acp/agent_local.h"

#include "text/encoding/utf8.h"

struct str text_at(struct json object, const char *key, struct arena *mem)
{
	struct str text;

	return json_text(json_get(object, key), mem, &text) ? text : STR("");
}

struct str text_line(struct str text, size_t most)
{
	return utf8_head(str_head(text, str_find(text, '\n')), most);
}

struct str text_tail(struct str text, size_t most, struct arena *mem)
{
	size_t cut = text.len > most ? text.len - most : 0;

	if (!cut)
		return text;
	while (cut < text.len && (text.ptr[cut] & 0xC0) == 0x80)
		cut++;
	return arena_printf(mem, "[%zu bytes before this are left out]\n%.*s",
			    cut, (int)(text.len - cut), text.ptr + cut);
}

void agent_update(struct session *s, struct str update)
{
	auto_buf params = BUF_INIT;
	struct json_out o = json_out(&params);

	if (s->closed || !s->id.len)
		return;
	json_open(&o, '{');
	json_text_member(&o, "sessionId", s->id);
	json_key(&o, "update");
	json_put_raw(&o, update);
	json_close(&o, '}');
	jsonrpc_notify(s->agent->rpc, "session/update", buf_str(&params));
}

void agent_chunk(struct session *s, const char *kind, struct str id,
		 struct str text)
{
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	if (!text.len)
		return;
	json_open(&o, '{');
	json_text_member(&o, "sessionUpdate", str_of(kind));
	json_key(&o, "content");
	json_open(&o, '{');
	json_text_member(&o, "type", STR("text"));
	json_text_member(&o, "text", text);
	json_close(&o, '}');
	if (id.len)
		json_text_member(&o, "messageId", id);
	json_close(&o, '}');
	agent_update(s, buf_str(&update));
}

static void send_thought(struct session *s, struct str title, struct str text)
{
	auto_buf whole = BUF_INIT;

	buf_add(&whole, title);
	if (text.len)
		buf_lit(&whole, ": ");
	buf_add(&whole, text);
	buf_lit(&whole, "\n");
	agent_chunk(s, "agent_thought_chunk", STR(""), buf_str(&whole));
}

void agent_notice(struct session *s, const char *severity, struct str title,
		  struct str text)
{
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	if (!s->agent->notices) {
		send_thought(s, title, text);
		return;
	}
	json_open(&o, '{');
	json_text_member(&o, "sessionUpdate", STR("notice"));
	json_text_member(&o, "severity", str_of(severity));
	json_text_member(&o, "title", title);
	if (text.len)
		json_text_member(&o, "description", text);
	json_close(&o, '}');
	agent_update(s, buf_str(&update));
}

void agent_refuse(struct agent *a, struct str id, int code, struct str message)
{
	if (id.len)
		jsonrpc_error(a->rpc, id, code, message, STR(""));
}

void agent_refuse_by(struct agent *a, struct str id,
		     const struct jsonrpc_response *answer)
{
	struct str gone = buf_str(&a->codex_gone);

	if (answer->end == JSONRPC_ERROR)
		agent_refuse(a, id, AGENT_REFUSED, answer->message);
	else
		agent_refuse(a, id, AGENT_REFUSED,
			     gone.len ? gone : STR("Codex does not respond"));
}
