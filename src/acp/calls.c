/*
 * calls.c - Codex's tool calls, by the type of their item.
 *
 * Calls of stet's own tools are reported by their events (session_server.c), so
 * that the editor sees each call once.
 */
#include "acp/agent_local.h"

#include "acp/calls_local.h"

#include <stdlib.h>

/* The list of open calls. */

struct open_call *call_of(struct session *s, struct str id)
{
	struct open_call *c = s->calls;

	while (c && !str_eq(buf_str(&c->id), id))
		c = c->next;
	return c;
}

struct open_call *call_open(struct session *s, struct str id)
{
	struct open_call *c = calloc(1, sizeof(*c));

	if (!c)
		out_of_memory();
	c->session = s;
	c->next = s->calls;
	s->calls = c;
	buf_add(&c->id, id);
	return c;
}

static void call_free(struct open_call *c)
{
	loop_timer_stop(c->later);
	buf_free(&c->id);
	buf_free(&c->item);
	buf_free(&c->output);
	free(c);
}

void call_close(struct open_call *c)
{
	struct open_call **at = &c->session->calls;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	call_free(c);
}

/* Building one update. */

static const struct call_kind *call_kind_of(struct json item)
{
	for (size_t i = 0; i < call_kind_count; i++)
		if (json_str_is(json_get(item, "type"), call_kinds[i].type))
			return &call_kinds[i];
	return NULL;
}

bool calls_is(struct json item)
{
	return call_kind_of(item) != NULL;
}

static const char *call_status(struct json item, enum call_part part)
{
	static const char *const failures[] = { "failed", "declined",
						"errored" };

	if (!(part & CALL_ENDS))
		return "in_progress";
	for (size_t i = 0; i < COUNT_OF(failures); i++)
		if (json_str_is(json_get(item, "status"), failures[i]))
			return "failed";
	return "completed";
}

static void put_call_list(struct json_out *o, const char *key, call_put *put,
			  const struct call_item *item)
{
	if (!put)
		return;
	json_key(o, key);
	json_open(o, '[');
	put(o, item);
	json_close(o, ']');
}

static void put_head(struct json_out *o, const struct call_kind *kind,
		     const struct call_item *item)
{
	json_text_member(o, "title", kind->title(item));
	json_text_member(o, "kind",
			 str_of(kind->find_kind ? kind->find_kind(item)
						: kind->kind));
	put_call_list(o, "locations", kind->locations, item);
}

static void put_call(struct json_out *o, struct json item, struct str cwd,
		     enum call_part part, struct arena *mem)
{
	const struct call_kind *kind = call_kind_of(item);
	struct call_item it = { item, cwd, part, mem };

	json_open(o, '{');
	json_text_member(o, "sessionUpdate",
			 part & CALL_BEGINS ? STR("tool_call")
					    : STR("tool_call_update"));
	json_text_member(o, "toolCallId", text_at(item, "id", mem));
	json_text_member(o, "status", str_of(call_status(item, part)));
	if (part & CALL_BEGINS || kind->late)
		put_head(o, kind, &it);
	put_call_list(o, "content", kind->content, &it);
	if (part & CALL_BEGINS && kind->input)
		kind->input(o, &it);
	if (part & CALL_ENDS && kind->output)
		kind->output(o, &it);
	json_close(o, '}');
}

void calls_put_shown(struct json_out *o, struct json item, struct str cwd,
		     struct arena *mem)
{
	const struct call_kind *kind = call_kind_of(item);
	struct call_item it = { item, cwd, CALL_BEGINS, mem };

	put_head(o, kind, &it);
	put_call_list(o, "content", kind->content, &it);
}

static void call_update(struct session *s, struct json item,
			enum call_part part, struct arena *mem)
{
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	put_call(&o, item, s->cwd, part, mem);
	agent_update(s, buf_str(&update));
}

static bool is_own_tool(struct json item)
{
	return json_str_is(json_get(item, "type"), "mcpToolCall") &&
	       json_str_is(json_get(item, "server"), "stet");
}

void calls_began(struct session *s, struct json item, struct arena *mem)
{
	struct str id = text_at(item, "id", mem);
	struct open_call *c = call_of(s, id);

	if (c || (is_own_tool(item) && s->bridge))
		return;
	c = call_open(s, id);
	buf_add(&c->item, json_raw(item));
	call_update(s, item, CALL_BEGINS, mem);
}

/* A call of an own tool that failed before its first event is reported here. */
void calls_ended(struct session *s, struct json item, struct arena *mem)
{
	struct str id = text_at(item, "id", mem);
	struct open_call *c = call_of(s, id);

	if (is_own_tool(item) && session_server_reported(s, id))
		return;
	call_update(s, item, c ? CALL_ENDS : CALL_WHOLE, mem);
	if (c)
		call_close(c);
}

/* The output of a running command, at most every OUTPUT_INTERVAL_MS. */

enum { OUTPUT_INTERVAL_MS = 150, MAX_OUTPUT = 256 << 10 };

static void on_output_timer(void *ctx)
{
	struct open_call *c = ctx;
	auto_arena mem = ARENA_INIT;
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	c->later = NULL;
	json_open(&o, '{');
	json_text_member(&o, "sessionUpdate", STR("tool_call_update"));
	json_text_member(&o, "toolCallId", buf_str(&c->id));
	json_text_member(&o, "status", STR("in_progress"));
	json_key(&o, "content");
	json_open(&o, '[');
	call_put_output(&o, buf_str(&c->output), &mem);
	json_close(&o, ']');
	json_close(&o, '}');
	agent_update(c->session, buf_str(&update));
}

void calls_output(struct session *s, struct json params, struct arena *mem)
{
	struct open_call *c = call_of(s, text_at(params, "itemId", mem));

	if (!c)
		return;
	buf_add(&c->output, text_at(params, "delta", mem));
	if (c->output.len > MAX_OUTPUT)
		buf_drop(&c->output, c->output.len - MAX_OUTPUT);
	if (!c->later)
		c->later = loop_after(s->agent->loop, OUTPUT_INTERVAL_MS,
				      on_output_timer, c);
}

/* Calls that are still open when a turn ends. */

static void call_report_failed(struct open_call *c, const char *why)
{
	auto_arena mem = ARENA_INIT;
	auto_buf update = BUF_INIT;
	struct json_out o = json_out(&update);

	json_open(&o, '{');
	json_text_member(&o, "sessionUpdate", STR("tool_call_update"));
	json_text_member(&o, "toolCallId", buf_str(&c->id));
	json_text_member(&o, "status", STR("failed"));
	json_key(&o, "content");
	json_open(&o, '[');
	if (c->output.len)
		call_put_output(&o, buf_str(&c->output), &mem);
	call_put_words(&o, str_of(why));
	json_close(&o, ']');
	json_close(&o, '}');
	agent_update(c->session, buf_str(&update));
}

static void call_fail(struct open_call *c, const char *why)
{
	struct session *s = c->session;

	if (c->ended)
		return;
	if (!c->item.len && s->agent->options.events == EVENTS_CONTRACT)
		session_server_fail_call(s, buf_str(&c->id), why);
	else
		call_report_failed(c, why);
}

void items_close_all(struct session *s, const char *why)
{
	struct open_call *c;

	while ((c = s->calls)) {
		s->calls = c->next;
		call_fail(c, why);
		call_free(c);
	}
}

void items_forget_all(struct session *s)
{
	struct open_call *c;

	while ((c = s->calls)) {
		s->calls = c->next;
		call_free(c);
	}
}
