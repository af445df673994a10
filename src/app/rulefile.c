/*
 * rulefile.c - adds and removes rules in the person's settings file.
 *
 * The text is spliced, so that layout and order stay. Relies on json_raw(),
 * which points into the parsed text.
 */
#include "app/rulefile.h"

#include "app/cli_path.h"
#include "app/trust.h"
#include "base/splice.h"
#include "files/path.h"
#include "files/ws_local.h"
#include "tools/call/args.h"

#include <limits.h>
#include <stdlib.h>

static const struct json_limits limits = { .max_depth = 16 };

static size_t offset_of(struct str text, struct json v)
{
	return (size_t)(json_raw(v).ptr - text.ptr);
}

static size_t end_of(struct str text, struct json v)
{
	return offset_of(text, v) + json_raw(v).len;
}

/*
 * The white space before the item at @at: a line end and indentation, or one
 * blank on the same line.
 */
static struct str set_off(struct str text, size_t at)
{
	size_t from = at;

	while (from &&
	       (text.ptr[from - 1] == ' ' || text.ptr[from - 1] == '\t'))
		from--;
	if (!from || text.ptr[from - 1] != '\n')
		return STR(" ");
	from--;
	if (from && text.ptr[from - 1] == '\r')
		from--;
	return str_sub(text, from, at);
}

static struct str quoted(struct str rule, struct arena *mem)
{
	auto_buf out = BUF_INIT;
	struct json_out o = json_out(&out);

	json_put_str(&o, rule);
	return arena_copy(mem, buf_str(&out));
}

static struct str spliced(struct str text, struct splice s, struct arena *mem)
{
	return arena_printf(mem, STR_FMT STR_FMT STR_FMT,
			    STR_ARG(str_head(text, s.from)), STR_ARG(s.with),
			    STR_ARG(str_skip(text, s.to)));
}

/*
 * A splice that appends an item to the array or object @v, indented like the
 * last item; @alone is the text between the brackets if @v is empty.
 */
static struct splice splice_in(struct str text, struct json v, struct str item,
			       struct str alone, struct arena *mem)
{
	struct json_walk w = json_walk(v);
	size_t last = 0, end = offset_of(text, v) + 1;

	while (json_step(&w)) {
		last = offset_of(text, w.object ? w.key : w.value);
		end = end_of(text, w.value);
	}
	if (!last)
		return (struct splice){ end, end_of(text, v) - 1, alone };
	return (struct splice){ end, end,
				arena_printf(mem, "," STR_FMT STR_FMT,
					     STR_ARG(set_off(text, last)),
					     STR_ARG(item)) };
}

static struct str added(struct str text, struct json all, const char *key,
			struct str item, struct arena *mem)
{
	struct json list = json_get(all, key);
	struct str member =
		arena_printf(mem, "\"%s\": [" STR_FMT "]", key, STR_ARG(item));

	if (json_is(list, JSON_ARRAY))
		return spliced(text, splice_in(text, list, item, item, mem),
			       mem);
	return spliced(text,
		       splice_in(text, all, member,
				 arena_printf(mem, "\n  " STR_FMT "\n",
					      STR_ARG(member)),
				 mem),
		       mem);
}

/* Finds the first item of @list that equals @rule. */
static bool find_rule(struct str text, struct json list, struct str rule,
		      struct arena *mem, struct splice *ret)
{
	struct json_walk w = json_walk(list);
	size_t before = 0; /* end of the previous item */
	struct str item;

	if (!json_is(list, JSON_ARRAY))
		return false;
	while (json_step(&w)) {
		*ret = (struct splice){ offset_of(text, w.value),
					end_of(text, w.value), STR("") };
		if (json_text(w.value, mem, &item) && str_eq(item, rule)) {
			if (before)
				ret->from = before;
			else if (json_step(&w))
				ret->to = offset_of(text, w.value);
			else
				*ret = (struct splice){ offset_of(text, list) +
								1,
							end_of(text, list) - 1,
							STR("") };
			return true;
		}
		before = ret->to;
	}
	return false;
}

static enum err rule_refuse(const struct rule_change *c, const char *why,
			    struct arena *mem, struct fault *f)
{
	return fail(f, ERR_BAD_ARGS, .reason = "as_it_is",
		    .text = arena_printf(mem, "%s " STR_FMT " %s",
					 verdict_name(c->verdict),
					 STR_ARG(c->rule), why));
}

/* Removes every copy of the rule, reparsing after each removal. */
static enum err rule_removed(struct str text, const struct rule_change *c,
			     struct arena *mem, struct str *ret,
			     struct fault *f)
{
	const char *key = verdict_name(c->verdict);
	struct json_error error;
	struct splice s;
	struct json all;
	bool found = false;

	while (!json_parse(text, &limits, mem, &all, &error) &&
	       find_rule(text, json_get(all, key), c->rule, mem, &s)) {
		text = spliced(text, s, mem);
		found = true;
	}
	if (!found)
		return rule_refuse(c, "is not in this file", mem, f);
	*ret = text;
	return ERR_OK;
}

static enum err with(struct str text, const struct rule_change *c,
		     struct arena *mem, struct str *ret, struct fault *f)
{
	const char *key = verdict_name(c->verdict);
	struct json_error error;
	struct splice s;
	struct json all;

	if (json_parse(text, &limits, mem, &all, &error))
		return fail(f, ERR_BAD_CONFIG, .text = STR("invalid JSON"));
	if (find_rule(text, json_get(all, key), c->rule, mem, &s))
		return rule_refuse(c, "is already there", mem, f);
	*ret = added(text, all, key, quoted(c->rule, mem), mem);
	return ERR_OK;
}

enum err rulefile_edit(struct str path, struct str text,
		       const struct rule_change *c, struct arena *mem,
		       struct str *ret, struct fault *f)
{
	struct config_file before = { 0 }, after = { 0 };
	struct rule parsed = { 0 };
	struct str edited = STR("");
	enum err e;

	if (c->rule.len > RULEFILE_MOST_RULE)
		return fail(f, ERR_BAD_ARGS,
			    .text = STR("a rule has at most 4096 bytes"));
	if (!c->remove && rule_parse(c->rule, mem, &parsed, f))
		return fail(f, ERR_BAD_ARGS, .text = f->text);
	if (!text.ptr)
		text = STR("{}\n");
	e = configfile_read(path, text, mem, &before, f);
	if (!e)
		e = c->remove ? rule_removed(text, c, mem, &edited, f)
			      : with(text, c, mem, &edited, f);
	if (!e)
		e = configfile_read(path, edited, mem, &after, f);
	if (!e)
		*ret = edited;
	return e;
}

/* The symlink's target, so that the symlink itself is kept. */
static struct str real_place(struct str path, struct arena *mem)
{
	char *real = realpath(arena_cstr(mem, path), NULL);
	struct str ret = real ? arena_copy(mem, str_of(real)) : path;

	free(real);
	return ret;
}

static enum err rulefile_store(struct workspace *ws, struct str path,
			       const struct rule_change *c, struct arena *mem,
			       struct str *ret, struct fault *f)
{
	struct store_want want = { .base = STORE_VERSION };
	struct snapshot snap = { 0 };
	struct stored stored;
	enum err e = ws_load(ws, path, CONFIG_MOST_BYTES, NULL, mem, &snap, f);

	if (e == ERR_NOT_FOUND) {
		want = (struct store_want){ .base = STORE_ABSENT,
					    .set_mode = true,
					    .mode = 0600 };
		snap.bytes = (struct str){ 0 };
	} else if (e) {
		return e;
	}
	want.version = snap.version;
	e = rulefile_edit(path, snap.bytes, c, mem, &want.bytes, f);
	if (!e)
		e = ws_store(ws, path, &want, mem, &stored, f);
	if (!e)
		*ret = want.bytes;
	return e;
}

enum err rulefile_change(struct str path, const struct rule_change *c,
			 struct arena *mem, struct str *ret, struct fault *f)
{
	struct workspace *ws;
	struct str dir, at = real_place(path, mem);
	enum err e;

	if (!str_starts(at, STR("/")))
		at = cli_path(arena_cstr(mem, at), mem);
	dir = str_head(at, size_max(str_rfind(at, '/'), 1));
	trust_make_directories(dir, mem);
	ws = ws_local_new(&(struct ws_local_options){ 0 });
	ws_local_roots(ws, &dir, 1, STR(""), NULL);
	e = rulefile_store(ws, at, c, mem, ret, f);
	if (e &&
	    f->text.ptr) /* the text may belong to the workspace, which is freed */
		f->text = arena_copy(mem, f->text);
	ws_local_free(ws);
	return e;
}
