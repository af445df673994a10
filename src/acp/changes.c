/*
 * changes.c - a fileChange item of Codex as ACP diffs and locations.
 *
 * Parses the unified diffs that Codex sends; characters that cannot be seen are
 * spelled out (text/display/visible).
 */
#include "acp/agent_local.h"
#include "text/display/visible.h"

struct str changes_path(struct str cwd, struct str path, struct arena *mem)
{
	if (!path.len || *path.ptr == '/')
		return path.len ? path : cwd;
	return arena_printf(mem, STR_FMT "/" STR_FMT, STR_ARG(cwd),
			    STR_ARG(path));
}

static struct str change_type(struct json change, struct arena *mem)
{
	return text_at(json_get(change, "kind"), "type", mem);
}

static struct str move_target(struct json change, struct arena *mem)
{
	return text_at(json_get(change, "kind"), "move_path", mem);
}

static struct str short_name(struct str path, struct str cwd)
{
	if (str_starts(path, cwd) && path.len > cwd.len + 1 &&
	    path.ptr[cwd.len] == '/')
		return str_skip(path, cwd.len + 1);
	return path;
}

struct str changes_title(struct json item, struct str cwd, struct arena *mem)
{
	struct json changes = json_get(item, "changes");
	struct json_walk w = json_walk(changes);
	size_t n = json_count(changes);
	struct str type, name;

	if (n != 1 || !json_step(&w))
		return arena_printf(mem, "Change %zu files", n);
	type = change_type(w.value, mem);
	name = short_name(text_at(w.value, "path", mem), cwd);
	return arena_printf(mem, "%s " STR_FMT,
			    str_is(type, "add")             ? "Add"
			    : str_is(type, "delete")        ? "Delete"
			    : move_target(w.value, mem).len ? "Move"
							    : "Edit",
			    STR_ARG(name));
}

const char *changes_kind(struct json item)
{
	struct json_walk w = json_walk(json_get(item, "changes"));
	auto_arena mem = ARENA_INIT;
	bool deletes = true;

	while (json_step(&w))
		deletes =
			deletes && str_is(change_type(w.value, &mem), "delete");
	return deletes && json_count(json_get(item, "changes")) ? "delete"
								: "edit";
}

/* Reading hunks: "@@ -3,2 +4,5 @@", then lines by their first character. */

struct change_hunk {
	int64_t line; /* first line in the new file; 0 = unknown */
	struct str body;
};

static int64_t new_line(struct str head)
{
	size_t plus = str_find(head, '+');
	int64_t line = 0;

	for (size_t i = plus + 1; i < head.len; i++) {
		if (head.ptr[i] < '0' || head.ptr[i] > '9' || line > 100000000)
			break;
		line = line * 10 + (head.ptr[i] - '0');
	}
	return line;
}

static bool next_hunk(struct str *rest, struct change_hunk *ret)
{
	struct str line, from;

	*ret = (struct change_hunk){ 0 };
	while (str_starts(*rest, STR("---")) || str_starts(*rest, STR("+++")))
		(void)str_split(rest, '\n', &line);
	if (str_starts(*rest, STR("@@")) && str_split(rest, '\n', &line))
		ret->line = new_line(line);
	from = *rest;
	while (rest->len && !str_starts(*rest, STR("@@")) &&
	       !str_starts(*rest, STR("Moved to: ")))
		(void)str_split(rest, '\n', &line);
	ret->body = str_head(from, from.len - rest->len);
	if (str_starts(*rest, STR("Moved to: "))) {
		*rest = STR("");
		if (str_ends(ret->body, STR("\n\n")))
			ret->body.len--; /* the empty line before "Moved to:" */
	}
	return ret->body.len > 0;
}

/* The lines of the old (@mark '-') or new ('+') side of a hunk. */
static void add_side(struct buf *out, struct str body, char mark)
{
	bool took = false;
	struct str line;

	if (str_ends(body, STR("\n")))
		body.len--;
	while (str_split(&body, '\n', &line)) {
		char first = line.len ? line.ptr[0] : ' ';

		if (first == '\\' && took) /* "\ No newline at end of file" */
			out->len--;
		took = first == ' ' || first == mark;
		if (!took)
			continue;
		buf_add(out, str_skip(line, 1));
		buf_lit(out, "\n");
	}
}

/* One side of a diff, made safe to display: the user approves what is shown. */
static void put_side(struct json_out *o, const char *key, struct str text)
{
	auto_buf out = BUF_INIT;

	visible_add(&out, text);
	json_text_member(o, key, buf_str(&out));
}

static void put_diff(struct json_out *o, struct str path,
		     const struct str *before, struct str after)
{
	json_open(o, '{');
	json_text_member(o, "type", STR("diff"));
	json_text_member(o, "path", path);
	if (before) {
		put_side(o, "oldText", *before);
	} else {
		json_key(o, "oldText");
		json_put_null(o);
	}
	put_side(o, "newText", after);
	json_close(o, '}');
}

void changes_put_hunks(struct json_out *o, struct str path, struct str diff)
{
	struct change_hunk hunk;

	while (next_hunk(&diff, &hunk)) {
		auto_buf before = BUF_INIT, after = BUF_INIT;
		struct str old;

		add_side(&before, hunk.body, '-');
		add_side(&after, hunk.body, '+');
		old = buf_str(&before);
		put_diff(o, path, &old, buf_str(&after));
	}
}

static void put_file_change(struct json_out *o, struct json change,
			    struct str cwd, struct arena *mem)
{
	struct str path = changes_path(cwd, text_at(change, "path", mem), mem),
		   to = move_target(change, mem),
		   diff = text_at(change, "diff", mem),
		   type = change_type(change, mem);

	if (str_is(type, "add"))
		put_diff(o, path, NULL, diff);
	else if (str_is(type, "delete"))
		put_diff(o, path, &diff, STR(""));
	else
		changes_put_hunks(o, to.len ? changes_path(cwd, to, mem) : path,
				  diff);
}

void changes_put_diffs(struct json_out *o, struct json item, struct str cwd,
		       struct arena *mem)
{
	struct json_walk w = json_walk(json_get(item, "changes"));

	while (json_step(&w))
		put_file_change(o, w.value, cwd, mem);
}

static void put_location(struct json_out *o, struct str path, int64_t line)
{
	json_open(o, '{');
	json_text_member(o, "path", path);
	if (line > 0) {
		json_key(o, "line");
		json_put_int(o, line);
	}
	json_close(o, '}');
}

void changes_put_locations(struct json_out *o, struct json item, struct str cwd,
			   struct arena *mem)
{
	struct json_walk w = json_walk(json_get(item, "changes"));

	while (json_step(&w)) {
		struct str diff = text_at(w.value, "diff", mem),
			   to = move_target(w.value, mem);
		struct change_hunk hunk = { 0 };

		if (str_is(change_type(w.value, mem), "update") &&
		    !next_hunk(&diff, &hunk))
			hunk.line = 0;
		put_location(o,
			     changes_path(cwd, text_at(w.value, "path", mem),
					  mem),
			     hunk.line);
		if (to.len)
			put_location(o, changes_path(cwd, to, mem), hunk.line);
	}
}
