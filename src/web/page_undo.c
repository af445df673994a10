/* Taking operations back and making them again, as the commands do. */

#include "tools/owner.h"
#include "web/page_local.h"
#include "web/query.h"

void page_owner(struct visit *v, struct store *s, const char *tool,
		struct owner *o)
{
	struct server *server = v->page->options.server;

	owner_begin(o, &(struct owner_options){
			       .store = s,
			       .tool = str_of(tool),
			       .client = arena_printf(&v->mem, "stet %s (page)",
						      server->version),
			       .mem = &v->mem,
			       .fault = &v->fault });
	o->options.watch = server->tools.watch;
}

enum err page_conflicts(struct visit *v, struct str word, enum conflicts *ret)
{
	static const char *const names[] = {
		[CONFLICTS_ABORT] = "abort",
		[CONFLICTS_MARKERS] = "markers",
		[CONFLICTS_OURS] = "ours",
		[CONFLICTS_THEIRS] = "theirs",
	};

	*ret = CONFLICTS_ABORT;
	if (!word.len)
		return ERR_OK;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_is(word, names[i])) {
			*ret = (enum conflicts)i;
			return ERR_OK;
		}
	return fail(&v->fault, ERR_BAD_ARGS,
		    .text = STR("conflicts is abort, markers, ours or theirs"));
}

static enum err read_conflicts(struct visit *v, struct json body,
			       enum conflicts *ret)
{
	struct json member = json_get(body, "conflicts");
	struct str word = STR("");

	if (!json_is(member, JSON_NONE) &&
	    (!json_text(member, &v->mem, &word) || !word.len))
		word = STR("?");
	return page_conflicts(v, word, ret);
}

/* The operation that it was; nothing was done: the one it was about. */
static void answer(struct visit *v, struct store *s, const struct undone *u,
		   const struct op *about)
{
	struct op_view view = op_view(v->page, &v->mem);
	struct json_out o = json_out(&v->out);
	struct op op;

	if (uuid_is_zero(u->changed.op) && about) {
		op = *about;
	} else if (history_find(s, op_id(u->changed.op, &v->mem), &v->mem, &op,
				&v->fault)) {
		visit_failed(v);
		return;
	}
	json_open(&o, '{');
	json_key(&o, "operation");
	put_operation(&o, &view, &op);
	json_text_member(&o, "result", str_of(revise_how_name(u->how)));
	json_close(&o, '}');
}

static enum err take_back(struct visit *v, struct owner *o, struct json body,
			  bool again, struct op *op, struct undone *ret)
{
	enum conflicts conflicts;
	struct op named;
	enum err e = read_conflicts(v, body, &conflicts);

	if (!e)
		e = history_find(o->options.store, v->id, &v->mem, &named,
				 &v->fault);
	if (e)
		return e;
	*op = named;
	if (again)
		e = owner_undoing(o, &named, op);
	return e ? e : owner_undo(o, op, conflicts, ret);
}

static void undo(struct visit *v, bool again)
{
	struct store *s = visit_store(v);
	struct undone undone = { .how = REVISE_ALREADY };
	auto_owner o = { 0 };
	struct json body;
	struct op op;

	if (!s || !visit_body(v, /* may= */ true, &body))
		return;
	page_owner(v, s, again ? "stet redo" : "stet undo", &o);
	if (take_back(v, &o, body, again, &op, &undone))
		visit_failed(v);
	else
		answer(v, s, &undone, &op);
}

void page_undo(struct visit *v)
{
	undo(v, /* again= */ false);
}

void page_redo(struct visit *v)
{
	undo(v, /* again= */ true);
}

static enum err bad_at(struct visit *v)
{
	return fail(
		&v->fault, ERR_BAD_ARGS,
		.text = STR(
			"at is the id of an operation, or milliseconds since 1970"));
}

/* What the file was: after an operation, or at a time. */
static enum err find_side(struct visit *v, struct owner *o, struct json at,
			  struct str path, struct side *ret)
{
	int64_t number;
	uint64_t time;
	struct str text;
	struct uuid id;
	struct op op;
	enum err e;

	if (json_int(at, &number))
		return number >= 0
			       ? owner_at_time(o, path, (uint64_t)number, ret)
			       : bad_at(v);
	if (!json_text(at, &v->mem, &text))
		return bad_at(v);
	if (query_digits(text, &time))
		return owner_at_time(o, path, time, ret);
	if (!uuid_parse(text, &id))
		return bad_at(v);
	e = history_find(o->options.store, text, &v->mem, &op, &v->fault);
	return e ? e : owner_at_op(o, path, &op, ret);
}

static enum err restore(struct visit *v, struct owner *o, struct json body,
			struct undone *ret)
{
	struct side side;
	struct str path;
	enum err e;

	if (!json_text(json_get(body, "path"), &v->mem, &path) ||
	    !str_starts(path, STR("/")))
		return fail(&v->fault, ERR_BAD_ARGS,
			    .text = STR("path is that of a file, from / on"));
	owner_reach(o, path);
	e = find_side(v, o, json_get(body, "at"), path, &side);
	/* What the person was shown is what may be replaced. */
	if (!e && !json_is(json_get(body, "version"), JSON_NONE) &&
	    !json_text(json_get(body, "version"), &v->mem,
		       &o->call.guard.if_version))
		e = fail(
			&v->fault, ERR_BAD_ARGS,
			.text = STR(
				"version is that of the file now, or \"none\""));
	return e ? e : owner_restore(o, path, &side, ret);
}

/* The latest on that file: it is what was to be restored. */
static bool latest(struct visit *v, struct store *s, struct json body,
		   struct op *ret)
{
	struct fault ignored;
	struct str path;

	return json_text(json_get(body, "path"), &v->mem, &path) &&
	       !history_last(s, path, &v->mem, ret, &ignored);
}

void page_restore(struct visit *v)
{
	struct store *s = visit_store(v);
	struct undone undone = { .how = REVISE_ALREADY };
	auto_owner o = { 0 };
	struct json body;
	struct op op;

	if (!s || !visit_body(v, /* may= */ false, &body))
		return;
	page_owner(v, s, "stet restore", &o);
	if (restore(v, &o, body, &undone))
		visit_failed(v);
	else
		answer(v, s, &undone, latest(v, s, body, &op) ? &op : NULL);
}
