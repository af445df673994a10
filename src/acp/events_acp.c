/*
 * events_acp.c - tool events as session/update of ACP v1.
 *
 * One of two forms, see events.h.
 */
#include "acp/events_local.h"
#include "files/path.h"
#include "text/diff/common_prefix.h"
#include "text/encoding/encoding.h"
#include "text/encoding/utf8.h"
#include "tools/call/args.h"

/* The verb of a tool in titles, and its object: an argument, or NULL = the path. */
static const struct {
	const char *tool, *verb, *object;
} verbs[] = {
	{ "Edit", "Edit" },
	{ "Glob", "Find", "pattern" },
	{ "Grep", "Search for", "pattern" },
	{ "NotebookEdit", "Edit" },
	{ "Read", "Read" },
	{ "Write", "Write" },
	{ "append_file", "Append to" },
	{ "copy_file", "Copy" },
	{ "create_directory", "Create directory" },
	{ "delete_file", "Delete" },
	{ "edit_file", "Edit" },
	{ "edit_text_file", "Edit" },
	{ "file_history", "History of" },
	{ "list_directory", "List" },
	{ "move_file", "Move" },
	{ "move_lines", "Move lines of" },
	{ "multi_edit_text_file", "Edit" },
	{ "read_repo_file", "Read" },
	{ "read_text_file", "Read" },
	{ "replace_lines", "Edit" },
	{ "undo_file_change", "Undo a change of" },
	{ "write_file", "Write" },
	{ "write_memory_entry", "Add to" },
	{ "write_text_file", "Write" },
};

/* Arguments that name a file and a line. */
static const char *const path_names[] = { "path", "file_path", "file",
					  "notebook_path", "source" };
static const char *const line_names[] = { "line", "offset" };

static struct str event_path(const struct tool_event *e, struct arena *mem)
{
	struct str path;

	for (size_t i = 0; i < COUNT_OF(path_names); i++)
		if (json_text(json_get(e->arguments, path_names[i]), mem,
			      &path))
			return path;
	return STR("");
}

/* The effect of a call that changed one file, or NULL. */
static const struct effect *only_effect(const struct call *c)
{
	return c->effect_count == 1 ? c->effects : NULL;
}

/* The path as the caller named it, if absolute, else the key. */
static struct str event_location(const struct tool_event *e, struct arena *mem)
{
	struct str path = event_path(e, mem);

	if (path_absolute(path))
		return path;
	return e->call->effect_count ? e->call->effects->key : STR("");
}

/* Relative to the longest root that contains it. */
static struct str shorten_path(const struct tool_event *e, struct str path,
			       struct arena *mem)
{
	struct str best = path, rest;
	const struct str *roots;
	size_t n;

	roots = ws_roots(e->call->ws, mem, &n);
	for (size_t i = 0; i < n; i++)
		if (path_beneath(path, roots[i], &rest) && rest.len &&
		    rest.len < best.len)
			best = rest;
	return best;
}

/* "Search for PATTERN" */
static struct str object_title(const struct tool_event *e, const char *verb,
			       const char *argument, struct arena *mem)
{
	enum { MOST = 100 };
	struct str text;

	for (const struct field *f = e->tool->fields; f->name; f++)
		if (!strcmp(f->name, argument) &&
		    json_text(args_value(f, e->arguments), mem, &text) &&
		    text.len)
			return arena_printf(mem, "%s " STR_FMT, verb,
					    STR_ARG(utf8_head(text, MOST)));
	return str_of(e->tool->title);
}

static struct str event_title(const struct tool_event *e, struct arena *mem)
{
	struct str path = event_path(e, mem);
	struct json edits = json_get(e->arguments, "edits");
	size_t i = 0, n = json_count(edits);

	while (i < COUNT_OF(verbs) && strcmp(verbs[i].tool, e->tool->name) != 0)
		i++;
	if (i < COUNT_OF(verbs) && verbs[i].object)
		return object_title(e, verbs[i].verb, verbs[i].object, mem);
	if (i == COUNT_OF(verbs) || !path.len)
		return str_of(e->tool->title);
	path = shorten_path(e, path, mem);
	if (!json_is(edits, JSON_ARRAY))
		return arena_printf(mem, "%s " STR_FMT, verbs[i].verb,
				    STR_ARG(path));
	return arena_printf(mem, "%s " STR_FMT " (%zu edit%s)", verbs[i].verb,
			    STR_ARG(path), n, n == 1 ? "" : "s");
}

/* A35: ACP has no kind "write". */
static const char *event_kind(const struct tool_event *e)
{
	return strcmp(e->tool->kind, "write") != 0 ? e->tool->kind : "edit";
}

static void put_place(struct json_out *o, struct str path, int64_t line)
{
	if (!path_absolute(path))
		return;
	json_open(o, '{');
	events_text(o, "path", path);
	if (line > 0 && line <= UINT32_MAX) {
		json_key(o, "line");
		json_put_int(o, line);
	}
	json_close(o, '}');
}

static void put_location(struct json_out *o, struct str path, int64_t line)
{
	json_key(o, "locations");
	json_open(o, '[');
	put_place(o, path, line);
	json_close(o, ']');
}

static int64_t event_line(const struct tool_event *e)
{
	int64_t line;

	if (strcmp(e->tool->kind, "read") != 0) /* Grep's offset is no line */
		return 0;
	for (size_t i = 0; i < COUNT_OF(line_names); i++)
		if (json_int(json_get(e->arguments, line_names[i]), &line))
			return line;
	return 0;
}

static void open_update(struct json_out *o, struct str session,
			const char *update, struct str id)
{
	events_open(o, session);
	events_text(o, "sessionUpdate", str_of(update));
	events_text(o, "toolCallId", id);
}

void events_acp_begin(const struct tool_event *e, struct str session,
		      struct buf *out)
{
	struct json_out o = json_out(out);
	auto_arena mem = ARENA_INIT;
	struct events_cut cut = { 0 };

	open_update(&o, session, "tool_call", e->id);
	events_text(&o, "title", event_title(e, &mem));
	events_text(&o, "name", str_of(e->tool->name));
	events_text(&o, "kind", str_of(event_kind(e)));
	events_text(&o, "status", STR("pending"));
	put_location(&o, event_path(e, &mem), event_line(e));
	events_input(&o, e, &mem, &cut);
	events_cut_note(&o, &cut);
	events_close(&o);
}

static void put_words(struct json_out *o, struct str text)
{
	json_open(o, '{');
	events_text(o, "type", STR("content"));
	json_key(o, "content");
	json_open(o, '{');
	events_text(o, "type", STR("text"));
	events_text(o, "text", text);
	json_close(o, '}');
	json_close(o, '}');
}

/* One side of a diff as text with LF; false if too large or binary. */
static bool diff_side(struct str bytes, const struct effect *effect,
		      struct arena *mem, struct str *ret)
{
	struct str text;

	if (bytes.len > EVENTS_MOST_DIFF ||
	    !encoding_display_text(bytes, effect->before, &effect->display, mem,
				   &text))
		return false;
	*ret = eol_to_lf(text, mem);
	return true;
}

static bool diff_sides(const struct effect *effect, struct arena *mem,
		       struct str *before, struct str *after)
{
	struct str now = effect->removed ? STR("") : effect->after;

	return !effect->name_only &&
	       diff_side(effect->before, effect, mem, before) &&
	       diff_side(now, effect, mem, after);
}

static bool put_diff(struct json_out *o, const struct effect *effect,
		     struct str path, struct arena *mem)
{
	struct str before, after;

	if (!diff_sides(effect, mem, &before, &after))
		return false;
	json_open(o, '{');
	events_text(o, "type", STR("diff"));
	events_text(o, "path", path);
	json_key(o, "oldText");
	if (effect->existed)
		json_put_str(o, before);
	else
		json_put_null(o);
	events_text(o, "newText", after);
	json_close(o, '}');
	return true;
}

/* The line where the content of the file first differs; 0 = unknown. */
static int64_t first_line(const struct effect *effect, struct arena *mem)
{
	struct str before, after;
	size_t same;
	int64_t line = 1;

	if (!diff_sides(effect, mem, &before, &after))
		return 0;
	same = common_prefix(before, after);
	for (size_t i = 0; i < same; i++)
		line += before.ptr[i] == '\n';
	return line;
}

static void put_locations(struct json_out *o, const struct call *c,
			  struct arena *mem)
{
	bool moves = !strcmp(c->tool->kind, "move");

	json_key(o, "locations");
	json_open(o, '[');
	for (size_t i = 0; i < c->effect_count; i++) {
		const struct effect *effect = &c->effects[i];

		if (effect->moved)
			continue;
		if (moves)
			put_place(o, effect->from, 0);
		put_place(o, effect->key, moves ? 0 : first_line(effect, mem));
	}
	json_close(o, ']');
}

static bool put_diffs(struct json_out *o, const struct tool_event *e,
		      struct arena *mem)
{
	const struct effect *only = only_effect(e->call);
	bool any = false;

	if (only)
		return put_diff(o, only, event_location(e, mem), mem);
	for (size_t i = 0; i < e->call->effect_count; i++)
		any = put_diff(o, &e->call->effects[i], e->call->effects[i].key,
			       mem) ||
		      any;
	return any;
}

static struct str fenced(struct str diff, struct arena *mem)
{
	struct str head = utf8_head(diff, EVENTS_MOST);
	auto_buf out = BUF_INIT;

	buf_lit(&out, "```diff\n");
	buf_add(&out, head);
	if (head.len < diff.len)
		buf_addf(&out, "\n...[truncated %zu bytes]\n",
			 diff.len - head.len);
	buf_lit(&out, "```\n");
	return arena_copy(mem, buf_str(&out));
}

static void put_event_content(struct json_out *o, const struct tool_event *e,
			      struct arena *mem)
{
	json_key(o, "content");
	json_open(o, '[');
	if (e->fault)
		put_words(o, fault_text(e->fault, mem));
	else if (!put_diffs(o, e, mem) && e->call->diff.len)
		put_words(o, fenced(e->call->diff, mem));
	json_close(o, ']');
}

/* The number of files, where it is known only now. */
static void put_files(struct json_out *o, const struct tool_event *e,
		      struct arena *mem)
{
	size_t files = 0;

	for (size_t i = 0; i < e->call->effect_count; i++)
		files += !e->call->effects[i].moved;
	if (files < 2)
		return;
	events_text(o, "title",
		    arena_printf(mem, STR_FMT " (%zu files)",
				 STR_ARG(event_title(e, mem)), files));
}

/* The line that the tool has named, else that of the one file's first change. */
static int64_t result_line(const struct tool_event *e, struct arena *mem)
{
	const struct effect *only = only_effect(e->call);

	if (e->call->line || !only || only->removed)
		return (int64_t)e->call->line;
	return first_line(only, mem);
}

static void put_result(struct json_out *o, const struct tool_event *e,
		       struct arena *mem)
{
	const struct call *c = e->call;
	const struct effect *only = only_effect(c);

	put_files(o, e, mem);
	if (only && only->removed)
		events_text(o, "kind", STR("delete"));
	if (c->effect_count > 1 || (only && !strcmp(c->tool->kind, "move")))
		put_locations(o, c, mem);
	else if (c->line || only)
		put_location(o, event_location(e, mem), result_line(e, mem));
}

void events_acp_end(const struct tool_event *e, struct str session,
		    struct buf *out)
{
	const struct call *c = e->call;
	struct json_out o = json_out(out);
	auto_arena mem = ARENA_INIT;
	struct events_cut cut = { 0 };

	open_update(&o, session, "tool_call_update", e->id);
	events_text(&o, "status", e->fault ? STR("failed") : STR("completed"));
	if (!e->fault)
		put_result(&o, e, &mem);
	if (e->fault || c->effect_count || c->diff.len)
		put_event_content(&o, e, &mem);
	events_output(&o, e, &mem, &cut);
	events_cut_note(&o, &cut);
	events_close(&o);
}
