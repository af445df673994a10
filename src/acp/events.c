/*
 * events.c - tool events as session/update, in the dialect of the contracts.
 *
 * Also the parts that both dialects share. Runs on the thread of the tool call;
 * uses no state.
 */
#include "acp/events.h"

#include "acp/events_local.h"
#include "text/encoding/utf8.h"
#include "tools/call/result.h"

void events_text(struct json_out *o, const char *key, struct str text)
{
	json_key(o, key);
	json_put_str(o, text);
}

void events_open(struct json_out *o, struct str session)
{
	json_open(o, '{');
	events_text(o, "jsonrpc", STR("2.0"));
	events_text(o, "method", STR("session/update"));
	json_key(o, "params");
	json_open(o, '{');
	events_text(o, "sessionId", session);
	json_key(o, "update");
	json_open(o, '{');
}

void events_close(struct json_out *o)
{
	json_close(o, '}');
	json_close(o, '}');
	json_close(o, '}');
}

static void open_update(struct json_out *o, struct str session,
			const char *type, struct str id)
{
	events_open(o, session);
	events_text(o, "type", str_of(type));
	events_text(o, "id", id);
}

static void put_cut_text(struct json_out *o, struct str text,
			 struct events_cut *cut)
{
	struct str head = utf8_head(text, EVENTS_MOST);
	auto_buf shown = BUF_INIT;

	if (text.len <= EVENTS_MOST) {
		json_put_str(o, text);
		return;
	}
	cut->total += text.len;
	buf_add(&shown, head);
	buf_addf(&shown, "...[truncated %zu bytes]", text.len - head.len);
	json_put_str(o, buf_str(&shown));
}

static void put_cut(struct json_out *o, struct json v, struct arena *mem,
		    struct events_cut *cut);

static void put_cut_members(struct json_out *o, struct json v,
			    struct arena *mem, struct events_cut *cut)
{
	struct json_walk w = json_walk(v);
	bool object = json_is(v, JSON_OBJECT);
	struct str key;

	json_open(o, object ? '{' : '[');
	while (json_step(&w)) {
		if (object && json_text(w.key, mem, &key))
			json_key_str(o, key);
		else if (object)
			continue;
		put_cut(o, w.value, mem, cut);
	}
	json_close(o, object ? '}' : ']');
}

/* Copy a value, truncating long strings. */
static void put_cut(struct json_out *o, struct json v, struct arena *mem,
		    struct events_cut *cut)
{
	struct str text;

	if (json_is(v, JSON_OBJECT) || json_is(v, JSON_ARRAY))
		put_cut_members(o, v, mem, cut);
	else if (json_text(v, mem, &text))
		put_cut_text(o, text, cut);
	else
		json_put(o, v);
}

void events_cut_note(struct json_out *o, const struct events_cut *cut)
{
	if (!cut->total)
		return;
	json_key(o, "_meta");
	json_open(o, '{');
	json_key(o, "truncated");
	json_put_bool(o, true);
	json_key(o, "totalBytes");
	json_put_int(o, (int64_t)cut->total);
	json_close(o, '}');
}

static struct str contract_title(const struct tool_event *e, struct arena *mem)
{
	struct json edits = json_get(e->arguments, "edits");
	size_t n = json_count(edits);

	if (!json_is(edits, JSON_ARRAY))
		return str_of(e->tool->name);
	return arena_printf(mem, "%s (%zu edit%s)", e->tool->name, n,
			    n == 1 ? "" : "s");
}

static void put_contract_locations(struct json_out *o,
				   const struct tool_event *e,
				   struct arena *mem)
{
	struct str path;

	json_key(o, "locations");
	json_open(o, '[');
	if (json_text(json_get(e->arguments, "path"), mem, &path) ||
	    json_text(json_get(e->arguments, "file_path"), mem, &path)) {
		json_open(o, '{');
		events_text(o, "path", path);
		json_close(o, '}');
	}
	json_close(o, ']');
}

void events_input(struct json_out *o, const struct tool_event *e,
		  struct arena *mem, struct events_cut *cut)
{
	json_key(o, "rawInput");
	if (json_is(e->arguments, JSON_NONE))
		json_put_raw(o, STR("{}"));
	else
		put_cut(o, e->arguments, mem, cut);
}

static void contract_begin(const struct tool_event *e, struct str session,
			   struct buf *out)
{
	struct json_out o = json_out(out);
	auto_arena mem = ARENA_INIT;
	struct events_cut cut = { 0 };

	open_update(&o, session, "toolCall", e->id);
	events_text(&o, "kind", str_of(e->tool->kind));
	events_text(&o, "status", STR("pending"));
	events_text(&o, "title", contract_title(e, &mem));
	put_contract_locations(&o, e, &mem);
	events_input(&o, e, &mem, &cut);
	events_cut_note(&o, &cut);
	events_close(&o);
}

static void put_failure(struct json_out *o, const struct fault *f)
{
	/* only the members that the contracts name */
	struct fault bare = *f;

	bare.reason = NULL;
	bare.hint = bare.version = bare.changed = bare.data = STR("");
	json_key(o, "rawOutput");
	result_put_failure(o, &bare);
}

static void put_success(struct json_out *o, const struct tool_event *e,
			struct arena *mem, struct events_cut *cut)
{
	struct json_limits limits = { 0 };
	struct json_error error;
	auto_buf payload = BUF_INIT;
	struct json v;

	result_payload(e->call, &payload);
	json_key(o, "rawOutput");
	if (json_parse(buf_str(&payload), &limits, mem, &v, &error))
		json_put_null(o);
	else
		put_cut(o, v, mem, cut);
}

void events_output(struct json_out *o, const struct tool_event *e,
		   struct arena *mem, struct events_cut *cut)
{
	if (e->fault)
		put_failure(o, e->fault);
	else
		put_success(o, e, mem, cut);
}

/* The diff of tools that make one. */
static void put_contract_content(struct json_out *o, struct str diff)
{
	json_key(o, "content");
	json_open(o, '[');
	json_open(o, '{');
	events_text(o, "type", STR("text"));
	events_text(o, "text", diff);
	json_close(o, '}');
	json_close(o, ']');
}

static void contract_end(const struct tool_event *e, struct str session,
			 struct buf *out)
{
	struct json_out o = json_out(out);
	auto_arena mem = ARENA_INIT;
	struct events_cut cut = { 0 };

	open_update(&o, session, "toolCallUpdate", e->id);
	json_key(&o, "fields");
	json_open(&o, '{');
	events_text(&o, "status", e->fault ? STR("failed") : STR("completed"));
	events_output(&o, e, &mem, &cut);
	if (!e->fault && e->call->diff.ptr)
		put_contract_content(&o, e->call->diff);
	json_close(&o, '}');
	events_cut_note(&o, &cut);
	events_close(&o);
}

/* In the order of enum events_dialect. */
static const struct {
	void (*begin)(const struct tool_event *, struct str, struct buf *);
	void (*end)(const struct tool_event *, struct str, struct buf *);
} dialects[] = {
	[EVENTS_ACP] = { events_acp_begin, events_acp_end },
	[EVENTS_CONTRACT] = { contract_begin, contract_end },
};

void events_begin(const struct tool_event *e, enum events_dialect dialect,
		  struct str session, struct buf *out)
{
	dialects[dialect].begin(e, session, out);
}

void events_end(const struct tool_event *e, enum events_dialect dialect,
		struct str session, struct buf *out)
{
	dialects[dialect].end(e, session, out);
}
