/*
 * call_kinds.c - how each type of tool call of Codex is shown in an editor.
 *
 * One row of call_kinds[] per item type: title, locations, content, raw input
 * and output.
 */
#include "acp/calls_local.h"

#include "text/encoding/utf8.h"
#include "tools/call/tool.h"

static struct str text_of(const struct call_item *item, const char *key)
{
	return text_at(item->json, key, item->mem);
}

void call_put_words(struct json_out *o, struct str text)
{
	if (!text.len)
		return;
	json_open(o, '{');
	json_text_member(o, "type", STR("content"));
	json_key(o, "content");
	json_open(o, '{');
	json_text_member(o, "type", STR("text"));
	json_text_member(o, "text", text);
	json_close(o, '}');
	json_close(o, '}');
}

/* Editors show Markdown: use a longer fence than any in the output. */
void call_put_output(struct json_out *o, struct str output, struct arena *mem)
{
	auto_buf text = BUF_INIT;
	size_t run = 0, most = 2;

	if (!output.len)
		return;
	output = text_tail(output, EVENTS_MOST, mem);
	for (size_t i = 0; i < output.len; i++) {
		run = output.ptr[i] == '`' ? run + 1 : 0;
		most = size_max(most, run);
	}
	for (size_t i = 0; i <= most; i++)
		buf_lit(&text, "`");
	buf_lit(&text, "\n");
	buf_add(&text, output);
	if (output.ptr[output.len - 1] != '\n')
		buf_lit(&text, "\n");
	for (size_t i = 0; i <= most; i++)
		buf_lit(&text, "`");
	call_put_words(o, buf_str(&text));
}

static void put_short(struct json_out *o, struct json v, struct arena *mem)
{
	struct json_walk w = json_walk(v);
	bool object = json_is(v, JSON_OBJECT);
	struct str text;

	if (json_text(v, mem, &text) && text.len > EVENTS_MOST) {
		struct str head = utf8_head(text, EVENTS_MOST);

		json_put_str(o,
			     arena_printf(mem, "%.*s...[truncated %zu bytes]",
					  (int)head.len, head.ptr,
					  text.len - head.len));
	} else if (object || json_is(v, JSON_ARRAY)) {
		json_open(o, object ? '{' : '[');
		while (json_step(&w)) {
			if (object && json_text(w.key, mem, &text))
				json_key_str(o, text);
			else if (object)
				continue;
			put_short(o, w.value, mem);
		}
		json_close(o, object ? '}' : ']');
	} else {
		json_put(o, v);
	}
}

void call_put_short(struct json_out *o, const char *key, struct json v,
		    struct arena *mem)
{
	if (json_is(v, JSON_NONE))
		return;
	json_key(o, key);
	if (json_raw(v).len <= EVENTS_MOST)
		json_put(o, v);
	else
		put_short(o, v, mem);
}

static void put_place(struct json_out *o, struct str path)
{
	json_open(o, '{');
	json_text_member(o, "path", path);
	json_close(o, '}');
}

/* commandExecution; commandActions describe it if Codex could parse it. */

static bool all_actions(const struct call_item *item, const char *a,
			const char *b)
{
	struct json actions = json_get(item->json, "commandActions");
	struct json_walk w = json_walk(actions);

	while (json_step(&w))
		if (!json_str_is(json_get(w.value, "type"), a) &&
		    !json_str_is(json_get(w.value, "type"), b))
			return false;
	return json_count(actions) > 0;
}

static const char *command_kind(const struct call_item *item)
{
	if (all_actions(item, "read", "read"))
		return "read";
	return all_actions(item, "search", "listFiles") ? "search" : "execute";
}

/* The inner command: "make" for "/bin/bash -lc 'make'". */
static struct str command_title(const struct call_item *item)
{
	enum { TITLE = 300 };
	struct json_walk w = json_walk(json_get(item->json, "commandActions"));
	struct str command = text_of(item, "command"), only;

	if (json_count(json_get(item->json, "commandActions")) != 1 ||
	    !json_step(&w))
		return utf8_head(command, TITLE);
	only = text_at(w.value, "command", item->mem);
	if (json_str_is(json_get(w.value, "type"), "read"))
		return arena_printf(item->mem, "Read " STR_FMT,
				    STR_ARG(text_at(w.value, "name",
						    item->mem)));
	return utf8_head(only.len ? only : command, TITLE);
}

static void command_places(struct json_out *o, const struct call_item *item)
{
	struct json_walk w = json_walk(json_get(item->json, "commandActions"));
	struct str cwd = text_of(item, "cwd");

	while (json_step(&w))
		if (json_str_is(json_get(w.value, "type"), "read"))
			put_place(o, changes_path(cwd.len ? cwd : item->cwd,
						  text_at(w.value, "path",
							  item->mem),
						  item->mem));
}

static void command_content(struct json_out *o, const struct call_item *item)
{
	int64_t status;

	call_put_output(o, text_of(item, "aggregatedOutput"), item->mem);
	if (item->part & CALL_ENDS &&
	    json_int(json_get(item->json, "exitCode"), &status) && status)
		call_put_words(o, arena_printf(item->mem, "Exit code %lld",
					       (long long)status));
}

static void command_input(struct json_out *o, const struct call_item *item)
{
	json_key(o, "rawInput");
	json_open(o, '{');
	json_text_member(o, "command", text_of(item, "command"));
	json_text_member(o, "cwd", text_of(item, "cwd"));
	json_close(o, '}');
}

static void command_output(struct json_out *o, const struct call_item *item)
{
	int64_t status;

	json_key(o, "rawOutput");
	json_open(o, '{');
	if (json_int(json_get(item->json, "exitCode"), &status)) {
		json_key(o, "exitCode");
		json_put_int(o, status);
	}
	json_text_member(o, "output",
			 text_tail(text_of(item, "aggregatedOutput"),
				   EVENTS_MOST, item->mem));
	json_close(o, '}');
}

/* fileChange */

static const char *change_kind(const struct call_item *item)
{
	return changes_kind(item->json);
}

static struct str change_title(const struct call_item *item)
{
	return changes_title(item->json, item->cwd, item->mem);
}

static void change_places(struct json_out *o, const struct call_item *item)
{
	changes_put_locations(o, item->json, item->cwd, item->mem);
}

static void change_content(struct json_out *o, const struct call_item *item)
{
	changes_put_diffs(o, item->json, item->cwd, item->mem);
}

/* mcpToolCall */

static const struct tool *own_tool(const struct call_item *item)
{
	return json_str_is(json_get(item->json, "server"), "stet")
		       ? tool_named(text_of(item, "tool"))
		       : NULL;
}

static const char *mcp_kind(const struct call_item *item)
{
	const struct tool *own = own_tool(item);

	if (own)
		return own->effects == TOOL_READS     ? "read"
		       : effects_change(own->effects) ? "edit"
						      : "other";
	return json_is(json_get(item->json, "readOnlyHint"), JSON_TRUE)
		       ? "read"
		       : "other";
}

static struct str mcp_title(const struct call_item *item)
{
	const struct tool *own = own_tool(item);

	if (own)
		return str_of(own->name);
	return arena_printf(item->mem, STR_FMT ": " STR_FMT,
			    STR_ARG(text_of(item, "server")),
			    STR_ARG(text_of(item, "tool")));
}

static void mcp_places(struct json_out *o, const struct call_item *item)
{
	static const char *const keys[] = { "path", "file_path" };
	struct json arguments = json_get(item->json, "arguments");

	for (size_t i = 0; own_tool(item) && i < COUNT_OF(keys); i++) {
		struct str path = text_at(arguments, keys[i], item->mem);

		if (path.len)
			put_place(o, changes_path(item->cwd, path, item->mem));
	}
}

/* Text and images are the same in MCP and ACP; other blocks as raw JSON. */
static void put_block(struct json_out *o, struct json block, struct arena *mem)
{
	enum { MOST_IMAGE = 8 << 20 };

	if (json_str_is(json_get(block, "type"), "text")) {
		struct str text = text_at(block, "text", mem);
		struct str head = utf8_head(text, EVENTS_MOST);

		call_put_words(o, head);
		if (head.len < text.len)
			call_put_words(o, arena_printf(mem, "[%zu more bytes]",
						       text.len - head.len));
	} else if (json_str_is(json_get(block, "type"), "image") &&
		   json_raw(block).len < MOST_IMAGE) {
		json_open(o, '{');
		json_text_member(o, "type", STR("content"));
		json_key(o, "content");
		json_open(o, '{');
		json_text_member(o, "type", STR("image"));
		json_text_member(o, "data", text_at(block, "data", mem));
		json_text_member(o, "mimeType",
				 text_at(block, "mimeType", mem));
		json_close(o, '}');
		json_close(o, '}');
	} else {
		call_put_words(o, utf8_head(json_raw(block), EVENTS_MOST));
	}
}

static void mcp_content(struct json_out *o, const struct call_item *item)
{
	struct json_walk w =
		json_walk(json_get(json_get(item->json, "result"), "content"));

	while (json_step(&w))
		put_block(o, w.value, item->mem);
	call_put_words(o, text_at(json_get(item->json, "error"), "message",
				  item->mem));
}

static void mcp_input(struct json_out *o, const struct call_item *item)
{
	call_put_short(o, "rawInput", json_get(item->json, "arguments"),
		       item->mem);
}

static void mcp_output(struct json_out *o, const struct call_item *item)
{
	call_put_short(o, "rawOutput", json_get(item->json, "result"),
		       item->mem);
}

/* dynamicToolCall */

static struct str dynamic_title(const struct call_item *item)
{
	return text_of(item, "tool");
}

/* webSearch */

static const char *web_kind(const struct call_item *item)
{
	return text_at(json_get(item->json, "action"), "url", item->mem).len
		       ? "fetch"
		       : "search";
}

static struct str web_title(const struct call_item *item)
{
	struct str url =
		text_at(json_get(item->json, "action"), "url", item->mem);
	struct str query = text_of(item, "query");

	if (url.len)
		return arena_printf(item->mem, "Open " STR_FMT, STR_ARG(url));
	if (!query.len)
		return STR("Search the web");
	return arena_printf(item->mem, "Search the web for " STR_FMT,
			    STR_ARG(query));
}

static void web_input(struct json_out *o, const struct call_item *item)
{
	call_put_short(o, "rawInput", json_get(item->json, "action"),
		       item->mem);
}

/* imageView, imageGeneration */

static struct str image_title(const struct call_item *item)
{
	return arena_printf(item->mem, "View " STR_FMT,
			    STR_ARG(text_of(item, "path")));
}

static void image_places(struct json_out *o, const struct call_item *item)
{
	put_place(o, changes_path(item->cwd, text_of(item, "path"), item->mem));
}

static struct str drawing_title(const struct call_item *item)
{
	return STR("Generate an image");
}

static void drawing_content(struct json_out *o, const struct call_item *item)
{
	call_put_words(o, text_of(item, "revisedPrompt"));
}

static void drawing_places(struct json_out *o, const struct call_item *item)
{
	if (text_of(item, "savedPath").len)
		put_place(o, text_of(item, "savedPath"));
}

/* collabAgentToolCall, sleep */

static struct str helper_title(const struct call_item *item)
{
	return arena_printf(item->mem, "Agent: " STR_FMT,
			    STR_ARG(text_of(item, "tool")));
}

static void helper_content(struct json_out *o, const struct call_item *item)
{
	call_put_words(o, text_of(item, "prompt"));
}

static struct str sleep_title(const struct call_item *item)
{
	int64_t ms;

	if (!json_int(json_get(item->json, "durationMs"), &ms))
		ms = 0;
	return arena_printf(item->mem, "Wait %lld ms", (long long)ms);
}

const struct call_kind call_kinds[] = {
	{ "commandExecution", NULL, command_kind, command_title, command_places,
	  command_content, command_input, command_output, false },
	{ "fileChange", NULL, change_kind, change_title, change_places,
	  change_content, NULL, NULL, true },
	{ "mcpToolCall", NULL, mcp_kind, mcp_title, mcp_places, mcp_content,
	  mcp_input, mcp_output, false },
	{ "dynamicToolCall", "other", NULL, dynamic_title, NULL, NULL,
	  mcp_input, NULL, false },
	{ "collabAgentToolCall", "think", NULL, helper_title, NULL,
	  helper_content, NULL, NULL, false },
	{ "webSearch", NULL, web_kind, web_title, NULL, NULL, web_input, NULL,
	  true },
	{ "imageView", "read", NULL, image_title, image_places, NULL, NULL,
	  NULL, false },
	{ "imageGeneration", "other", NULL, drawing_title, drawing_places,
	  drawing_content, NULL, NULL, true },
	{ "sleep", "other", NULL, sleep_title, NULL, NULL, NULL, NULL, false },
};
const size_t call_kind_count = COUNT_OF(call_kinds);
