/*
 * items.c - translates notifications of Codex into session/update.
 *
 * Two tables: notifications by method, and items that are not tool calls by
 * type. Text that was streamed in deltas is not repeated when its item ends.
 */
#include "acp/agent_local.h"

static void put_chunk(struct session *s, const char *kind, struct str id,
		      struct json text, struct arena *mem)
{
	struct str words;

	if (json_text(text, mem, &words))
		agent_chunk(s, kind, id, words);
}

static bool was_streamed(const struct session *s, struct str id)
{
	struct str rest = buf_str(&s->streamed), line;

	while (str_split(&rest, '\n', &line))
		if (id.len && str_eq(line, id))
			return true;
	return false;
}

static void stream_delta(struct session *s, const char *kind,
			 const struct jsonrpc_message *m)
{
	struct str id = text_at(m->params, "itemId", m->mem);

	if (!was_streamed(s, id)) {
		buf_add(&s->streamed, id);
		buf_lit(&s->streamed, "\n");
	}
	put_chunk(s, kind, id, json_get(m->params, "delta"), m->mem);
}

static void on_words(struct session *s, const struct jsonrpc_message *m)
{
	stream_delta(s, "agent_message_chunk", m);
}

static void on_thought(struct session *s, const struct jsonrpc_message *m)
{
	stream_delta(s, "agent_thought_chunk", m);
}

/* An empty line between the parts of a summary. */
static void on_thought_part(struct session *s, const struct jsonrpc_message *m)
{
	int64_t index;

	if (json_int(json_get(m->params, "summaryIndex"), &index) && index > 0)
		agent_chunk(s, "agent_thought_chunk",
			    text_at(m->params, "itemId", m->mem), STR("\n\n"));
}

static void on_output(struct session *s, const struct jsonrpc_message *m)
{
	calls_output(s, m->params, m->mem);
}

static const char *step_status(struct str status)
{
	return str_is(status, "completed")    ? "completed"
	       : str_is(status, "inProgress") ? "in_progress"
					      : "pending";
}

static void on_plan(struct session *s, const struct jsonrpc_message *m)
{
	struct json_walk w = json_walk(json_get(m->params, "plan"));
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	json_open(&o, '{');
	json_text_member(&o, "sessionUpdate", STR("plan"));
	json_key(&o, "entries");
	json_open(&o, '[');
	while (json_step(&w)) {
		json_open(&o, '{');
		json_text_member(&o, "content",
				 text_at(w.value, "step", m->mem));
		json_text_member(&o, "priority", STR("medium"));
		json_text_member(&o, "status",
				 str_of(step_status(
					 text_at(w.value, "status", m->mem))));
		json_close(&o, '}');
	}
	json_close(&o, ']');
	json_close(&o, '}');
	agent_update(s, buf_str(&update));
}

static void on_usage(struct session *s, const struct jsonrpc_message *m)
{
	struct json usage = json_get(m->params, "tokenUsage");
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);
	int64_t used, room;

	if (!json_int(json_get(json_get(usage, "last"), "totalTokens"),
		      &used) ||
	    !json_int(json_get(usage, "modelContextWindow"), &room) ||
	    used < 0 || room < 0)
		return;
	s->tokens_used = (uint64_t)used;
	s->tokens_room = (uint64_t)room;
	json_open(&o, '{');
	json_text_member(&o, "sessionUpdate", STR("usage_update"));
	json_key(&o, "used");
	json_put_int(&o, used);
	json_key(&o, "size");
	json_put_int(&o, room);
	json_close(&o, '}');
	agent_update(s, buf_str(&update));
}

static void on_name(struct session *s, const struct jsonrpc_message *m)
{
	struct str name = text_at(m->params, "threadName", m->mem);
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	if (!name.len)
		return;
	json_open(&o, '{');
	json_text_member(&o, "sessionUpdate", STR("session_info_update"));
	json_text_member(&o, "title", name);
	json_close(&o, '}');
	agent_update(s, buf_str(&update));
}

/* A final error is reported by the end of the turn. */
static void on_error(struct session *s, const struct jsonrpc_message *m)
{
	if (json_is(json_get(m->params, "willRetry"), JSON_TRUE))
		agent_notice(s, "warning", STR("Codex is retrying"),
			     text_at(json_get(m->params, "error"), "message",
				     m->mem));
}

static void on_warning(struct session *s, const struct jsonrpc_message *m)
{
	struct str text = text_at(m->params, "message", m->mem);

	if (text.len)
		agent_notice(s, "warning", text, STR(""));
}

/* An MCP server did not start: tell the user why its tools are missing. */
static void on_server(struct session *s, const struct jsonrpc_message *m)
{
	if (str_is(text_at(m->params, "status", m->mem), "failed"))
		agent_notice(s, "warning",
			     arena_printf(m->mem,
					  "The MCP server " STR_FMT
					  " did not start",
					  STR_ARG(text_at(m->params, "name",
							  m->mem))),
			     text_at(m->params, "error", m->mem));
}

static void on_turn_started(struct session *s, const struct jsonrpc_message *m)
{
	turn_started(s, json_get(m->params, "turn"), m->mem);
}

static void on_turn_completed(struct session *s,
			      const struct jsonrpc_message *m)
{
	turn_completed(s, json_get(m->params, "turn"), m->mem);
}

static void on_resolved(struct session *s, const struct jsonrpc_message *m)
{
	permission_resolved(s, m->params);
}

/* Items that are not tool calls. */

static struct str item_id(struct json item, struct arena *mem)
{
	return text_at(item, "id", mem);
}

static void say_text(struct session *s, struct json item, struct arena *mem)
{
	struct str id = item_id(item, mem);

	if (!was_streamed(s, id))
		put_chunk(s, "agent_message_chunk", id, json_get(item, "text"),
			  mem);
}

static void say_review(struct session *s, struct json item, struct arena *mem)
{
	put_chunk(s, "agent_message_chunk", item_id(item, mem),
		  json_get(item, "review"), mem);
}

static void say_thoughts(struct session *s, struct json item, struct arena *mem)
{
	struct json parts = json_get(item, "summary");
	struct str id = item_id(item, mem);
	struct json_walk w;
	bool first = true;

	if (was_streamed(s, id))
		return;
	if (!json_count(parts))
		parts = json_get(item, "content");
	w = json_walk(parts);
	while (json_step(&w)) {
		if (!first)
			agent_chunk(s, "agent_thought_chunk", id, STR("\n\n"));
		put_chunk(s, "agent_thought_chunk", id, w.value, mem);
		first = false;
	}
}

static void say_compacted(struct session *s, struct json item,
			  struct arena *mem)
{
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	if (!s->agent->compactions) {
		agent_notice(s, "info", STR("The context was compacted"),
			     STR(""));
		return;
	}
	json_open(&o, '{');
	json_text_member(&o, "sessionUpdate", STR("compaction_update"));
	json_text_member(&o, "compactionId", text_at(item, "id", mem));
	json_text_member(&o, "status", STR("completed"));
	json_close(&o, '}');
	agent_update(s, buf_str(&update));
}

/* Only in a replay: the editor itself shows new prompts. */
static void say_user(struct session *s, struct json item, struct arena *mem)
{
	struct json_walk w = json_walk(json_get(item, "content"));

	while (json_step(&w))
		if (json_str_is(json_get(w.value, "type"), "text"))
			put_chunk(s, "user_message_chunk", item_id(item, mem),
				  json_get(w.value, "text"), mem);
}

static const struct {
	const char *type;
	void (*say)(struct session *s, struct json item, struct arena *mem);
	bool past; /* only in a replay */
} item_texts[] = {
	{ "agentMessage", say_text, false },
	{ "plan", say_text, false },
	{ "reasoning", say_thoughts, false },
	{ "exitedReviewMode", say_review, false },
	{ "contextCompaction", say_compacted, false },
	{ "userMessage", say_user, true },
};

static void item_say(struct session *s, struct json item, bool past,
		     struct arena *mem)
{
	for (size_t i = 0; i < COUNT_OF(item_texts); i++)
		if (json_str_is(json_get(item, "type"), item_texts[i].type) &&
		    (past || !item_texts[i].past))
			item_texts[i].say(s, item, mem);
}

static void on_item_started(struct session *s, const struct jsonrpc_message *m)
{
	struct json item = json_get(m->params, "item");

	if (calls_is(item))
		calls_began(s, item, m->mem);
}

static void on_item_completed(struct session *s,
			      const struct jsonrpc_message *m)
{
	struct json item = json_get(m->params, "item");

	if (calls_is(item))
		calls_ended(s, item, m->mem);
	else
		item_say(s, item, false, m->mem);
}

void items_replay(struct session *s, struct json item, struct arena *mem)
{
	if (calls_is(item))
		calls_ended(s, item, mem);
	else
		item_say(s, item, true, mem);
}

static const struct {
	const char *method;
	void (*run)(struct session *s, const struct jsonrpc_message *m);
	bool always; /* also while no prompt runs */
} notifications[] = {
	{ "item/agentMessage/delta", on_words, false },
	{ "item/plan/delta", on_words, false },
	{ "item/reasoning/summaryTextDelta", on_thought, false },
	{ "item/reasoning/textDelta", on_thought, false },
	{ "item/reasoning/summaryPartAdded", on_thought_part, false },
	{ "item/commandExecution/outputDelta", on_output, false },
	{ "item/started", on_item_started, false },
	{ "item/completed", on_item_completed, false },
	{ "turn/started", on_turn_started, false },
	{ "turn/completed", on_turn_completed, false },
	{ "turn/plan/updated", on_plan, false },
	{ "thread/tokenUsage/updated", on_usage, true },
	{ "thread/name/updated", on_name, true },
	{ "mcpServer/startupStatus/updated", on_server, true },
	{ "serverRequest/resolved", on_resolved, true },
	{ "error", on_error, false },
	{ "warning", on_warning, true },
	{ "guardianWarning", on_warning, true },
};

void items_message(struct session *s, const struct jsonrpc_message *m)
{
	for (size_t i = 0; i < COUNT_OF(notifications); i++)
		if (str_is(m->method, notifications[i].method)) {
			if (s->prompt.len || notifications[i].always)
				notifications[i].run(s, m);
			return;
		}
}
