/*
 * page_undo.c - API: undo, redo and restore one file, as the commands do.
 *
 * The person acts as the owner (tools/history/owner.h): no rule is asked.
 */
#include "tools/history/owner.h"
#include "web/page_local.h"
#include "web/query.h"

void page_owner(struct api_request *rq, struct store *s, const char *tool,
		struct owner *o)
{
	struct server *server = rq->page->options.server;

	owner_begin(o,
		    &(struct owner_options){
			    .store = s,
			    .tool = str_of(tool),
			    .client = arena_printf(&rq->mem, "stet %s (page)",
						   server->version),
			    .mem = &rq->mem,
			    .fault = &rq->fault });
	o->options.event_log = server->tools.event_log;
}

enum err page_conflicts(struct api_request *rq, struct str word,
			enum conflicts *ret)
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
	return fail(&rq->fault, ERR_BAD_ARGS,
		    .text = STR("conflicts is abort, markers, ours or theirs"));
}

static enum err read_conflicts(struct api_request *rq, struct json body,
			       enum conflicts *ret)
{
	struct json member = json_get(body, "conflicts");
	struct str word = STR("");

	if (!json_is(member, JSON_NONE) &&
	    (!json_text(member, &rq->mem, &word) || !word.len))
		word = STR("?");
	return page_conflicts(rq, word, ret);
}

/* The new operation; if nothing was changed, the one to be undone. */
static void put_result(struct api_request *rq, struct store *s,
		       const struct undone *u, const struct op *about)
{
	struct op_view view = op_view(rq->page, &rq->mem);
	struct json_out o = json_out(&rq->out);
	struct op op;

	if (uuid_is_zero(u->changed.op) && about) {
		op = *about;
	} else if (history_find(s, op_id(u->changed.op, &rq->mem), &rq->mem,
				&op, &rq->fault)) {
		api_failed(rq);
		return;
	}
	json_open(&o, '{');
	json_key(&o, "operation");
	put_operation(&o, &view, &op);
	json_text_member(&o, "result", str_of(revise_how_name(u->how)));
	json_close(&o, '}');
}

static enum err undo_or_redo(struct api_request *rq, struct owner *o,
			     struct json body, bool again, struct op *op,
			     struct undo_group *ret)
{
	enum conflicts conflicts;
	struct op named;
	enum err e = read_conflicts(rq, body, &conflicts);

	if (!e)
		e = history_find(o->options.store, rq->id, &rq->mem, &named,
				 &rq->fault);
	if (e)
		return e;
	*op = named;
	if (again)
		e = owner_undoing(o, &named, op);
	if (!e)
		e = page_check_preview(rq, o, body, op);
	return e ? e : owner_undo(o, op, /* only= */ false, conflicts, ret);
}

/* What became of @op, which is one of the group. */
static const struct undone *undone_of(const struct undo_group *g,
				      const struct op *op)
{
	size_t i = 0;

	while (i < g->n - 1 && !uuid_eq(g->ops[i].id, op->id))
		i++;
	return &g->undone[i];
}

static void handle_undo(struct api_request *rq, bool again)
{
	struct store *s = api_store(rq);
	struct undo_group group;
	auto_owner o = { 0 };
	struct json body;
	struct op op;

	if (!s || !api_body(rq, /* may= */ true, &body))
		return;
	page_owner(rq, s, again ? "stet redo" : "stet undo", &o);
	if (undo_or_redo(rq, &o, body, again, &op, &group))
		api_failed(rq);
	else
		put_result(rq, s, undone_of(&group, &op), &op);
}

void page_undo(struct api_request *rq)
{
	handle_undo(rq, /* again= */ false);
}

void page_redo(struct api_request *rq)
{
	handle_undo(rq, /* again= */ true);
}

static enum err bad_at(struct api_request *rq)
{
	return fail(
		&rq->fault, ERR_BAD_ARGS,
		.text = STR(
			"at is the id of an operation, or milliseconds since 1970"));
}

/* The state of the file after an operation, or at a time. */
static enum err find_side(struct api_request *rq, struct owner *o,
			  struct json at, struct str path,
			  struct file_content *ret)
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
			       : bad_at(rq);
	if (!json_text(at, &rq->mem, &text))
		return bad_at(rq);
	if (query_digits(text, &time))
		return owner_at_time(o, path, time, ret);
	if (!uuid_parse(text, &id))
		return bad_at(rq);
	e = history_find(o->options.store, text, &rq->mem, &op, &rq->fault);
	return e ? e : owner_at_op(o, path, &op, ret);
}

static enum err restore_file(struct api_request *rq, struct owner *o,
			     struct json body, struct undone *ret)
{
	struct file_content side;
	struct str path;
	enum err e;

	if (!json_text(json_get(body, "path"), &rq->mem, &path) ||
	    !str_starts(path, STR("/")))
		return fail(&rq->fault, ERR_BAD_ARGS,
			    .text = STR("path is that of a file, from / on"));
	owner_reach(o, path);
	e = find_side(rq, o, json_get(body, "at"), path, &side);
	/* Only the version that was shown may be replaced. */
	if (!e && !json_is(json_get(body, "version"), JSON_NONE) &&
	    !json_text(json_get(body, "version"), &rq->mem,
		       &o->call.guard.if_version))
		e = fail(
			&rq->fault, ERR_BAD_ARGS,
			.text = STR(
				"version is that of the file now, or \"none\""));
	return e ? e : owner_restore(o, path, &side, ret);
}

/* The latest operation on that file: what restoring it would make again. */
static bool latest_on_path(struct api_request *rq, struct store *s,
			   struct json body, struct op *ret)
{
	struct fault ignored;
	struct str path;

	return json_text(json_get(body, "path"), &rq->mem, &path) &&
	       !history_last(s, path, &rq->mem, ret, &ignored);
}

void page_restore(struct api_request *rq)
{
	struct store *s = api_store(rq);
	struct undone undone = { .how = REVISE_ALREADY };
	auto_owner o = { 0 };
	struct json body;
	struct op op;

	if (!s || !api_body(rq, /* may= */ false, &body))
		return;
	page_owner(rq, s, "stet restore", &o);
	if (restore_file(rq, &o, body, &undone))
		api_failed(rq);
	else
		put_result(rq, s, &undone,
			   latest_on_path(rq, s, body, &op) ? &op : NULL);
}
