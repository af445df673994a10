/*
 * undo_group.c - undoes the operations of one call together.
 *
 * All of them are prepared before anything is written, and written by one
 * change_group(), so that a conflict or a refusal anywhere changes nothing.
 */
#include "tools/history/undo_local.h"

/* ---- which operations, and where their files are now */

static bool is_beneath(struct str path, struct str dir)
{
	return path.len > dir.len && str_starts(path, dir) &&
	       path.ptr[dir.len] == '/';
}

/*
 * Was what was at the old name removed before the move? Then another file was
 * moved, of which @op knows nothing.
 */
static bool was_removed(struct store *s, const struct op *op,
			const struct op *move)
{
	const struct history_query q = { .path = move->from,
					 .since_ms = op->time_ms,
					 .until_ms = move->time_ms,
					 .kinds = 1U << OP_DELETE |
						  1U << OP_RMDIR,
					 .limit = SIZE_MAX / 2 };
	auto_arena mem = ARENA_INIT;
	struct fault ignored = { 0 };
	struct op *ops;
	size_t n;

	if (history_list(s, &q, &mem, &ops, &n, &ignored))
		return true;
	for (size_t i = 0; i < n; i++)
		if (str_eq(ops[i].path, move->from) && op_active(s, &ops[i]) &&
		    !uuid_eq(op_group(&ops[i]), op_group(move)))
			return true;
	return false;
}

/*
 * Follow one move. What was there when the operation had ended can have been
 * moved; what it removed was not, but its directory can have been.
 */
static void follow_move(struct store *s, struct op *op, const struct op *move,
			struct arena *mem)
{
	const bool moved = op->exists && str_eq(op->path, move->from);

	if ((!moved && !is_beneath(op->path, move->from)) ||
	    was_removed(s, op, move))
		return;
	op->path = arena_printf(mem, STR_FMT STR_FMT, STR_ARG(move->path),
				STR_ARG(str_skip(op->path, move->from.len)));
	op->root = move->root;
}

/* A move that was undone, and the one that undid it, lead nowhere. */
static enum err follow_moves(struct store *s, struct undo_group *g,
			     struct arena *mem, struct fault *f)
{
	struct op *moves;
	size_t n;
	enum err e = history_moves(s, &g->ops[0], mem, &moves, &n, f);

	for (size_t i = 0; i < n && !e; i++) {
		if (!uuid_is_zero(moves[i].undoes) || !op_active(s, &moves[i]))
			continue;
		for (size_t k = 0; k < g->n; k++)
			follow_move(s, &g->ops[k], &moves[i], mem);
	}
	return e;
}

/* Move those that are in effect to the front; returns their number. */
static size_t keep_active(struct store *s, struct op *ops, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (op_active(s, &ops[i]))
			ops[kept++] = ops[i];
	return kept;
}

enum err undo_group_find(struct store *s, const struct op *op, bool only,
			 struct arena *mem, struct undo_group *ret,
			 struct fault *f)
{
	const bool active = op_active(s, op);
	struct op *ops = NULL;
	size_t n = 0;
	enum err e = ERR_OK;

	if (!uuid_is_zero(op->group))
		e = history_group(s, op->group, mem, &ops, &n, f);
	if (e)
		return e;
	n = keep_active(s, ops, n);
	*ret = (struct undo_group){ .ops = ops, .n = n };
	if (only || !active || !n) {
		*ret = (struct undo_group){ .n = 1,
					    .rest = n > active ? n - active
							       : 0 };
		ret->ops = arena_array(mem, struct op, 1);
		ret->ops[0] = *op;
	}
	ret->undone = arena_array(mem, struct undone, ret->n);
	return follow_moves(s, ret, mem, f);
}

/* ---- conflicts */

struct conflict_list {
	struct buf words, places;
	struct json_out json;
	struct str first; /* path of the first file that has one */
	size_t count;
};

static void conflict_list_free(struct conflict_list *list)
{
	buf_free(&list->words);
	buf_free(&list->places);
}

static void add_conflict(struct conflict_list *list,
			 const struct undo_step *step)
{
	if (!list->first.len)
		list->first = step->path;
	list->count += step->r.count;
	buf_addf(&list->words, STR_FMT ":\n" STR_FMT, STR_ARG(step->path),
		 STR_ARG(step->r.listing));
	json_open(&list->json, '{');
	json_text_member(&list->json, "path", step->path);
	json_key(&list->json, "conflicts");
	json_put_raw(&list->json,
		     step->r.places.len ? step->r.places : STR("[]"));
	json_close(&list->json, '}');
}

static enum err fail_conflicts(struct call *c, const struct undo_group *g,
			       const struct conflict_list *list)
{
	return fail(
		c->fault, ERR_UNDO_CONFLICT, .path = list->first,
		.name = STR("undo"), .text = op_id(op_group(g->ops), c->mem),
		.count = list->count,
		.changed = arena_copy(c->mem, buf_str(&list->words)),
		.conflicts = arena_copy(c->mem, buf_str(&list->places)),
		.reason = "conflict",
		.hint = STR(
			"Nothing was changed in any file. Undo newer operations on these files first, or edit them, or undo only some files"));
}

static enum err check_conflicts(struct call *c, const struct undo_group *g,
				const struct undo_step *steps)
{
	cleanup(conflict_list_free) struct conflict_list list = { 0 };

	list.json = json_out(&list.places);
	json_open(&list.json, '[');
	for (size_t i = 0; i < g->n; i++)
		if (steps[i].r.how == REVISE_CONFLICT)
			add_conflict(&list, &steps[i]);
	json_close(&list.json, ']');
	return list.count ? fail_conflicts(c, g, &list) : ERR_OK;
}

/* ---- the change */

/*
 * A file that was moved is moved back: the new file at its old name gets the
 * metadata of the one that is removed.
 */
static void find_source(const struct undo_group *g, struct undo_step *steps,
			struct undo_step *step)
{
	if (step->r.now.exists)
		return;
	for (size_t i = 0; i < g->n; i++) {
		const struct op *moved = steps[i].op;

		if (moved->kind != OP_MOVE || !steps[i].change.remove ||
		    !str_eq(moved->from, step->op->path))
			continue;
		step->change.from = step->change.like = steps[i].path;
		return;
	}
}

/* Each result has its own diff, the call has all of them. */
static void join_diffs(struct call *c, const struct undo_step *steps, size_t n)
{
	auto_buf all = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_add(&all, steps[i].undone.diff);
	c->diff = arena_copy(c->mem, buf_str(&all));
}

static enum err write_group(struct call *c, struct undo_group *g,
			    struct undo_step *steps)
{
	struct change *changes = arena_array(c->mem, struct change, g->n);
	struct changed *changed = arena_array(c->mem, struct changed, g->n);
	size_t n = 0;
	enum err e = ERR_OK;

	for (size_t i = 0; i < g->n; i++)
		if (steps[i].writes)
			changes[n++] = steps[i].change;
	if (n)
		e = change_group(c, changes, n, changed);
	if (e)
		return e;
	n = 0;
	for (size_t i = 0; i < g->n; i++) {
		g->undone[i] = steps[i].undone;
		if (steps[i].writes)
			g->undone[i].changed = changed[n++];
	}
	return ERR_OK;
}

enum err undo_group(struct call *c, struct undo_group *g,
		    enum conflicts conflicts)
{
	struct undo_step *steps;
	enum err e = ERR_OK;

	if (undo_is_tree(g))
		return undo_tree(c, g);
	if (g->n == 1)
		return undo_operation(c, g->ops, conflicts, g->undone);
	if (c->guard.if_version.len)
		return fail(
			c->fault, ERR_BAD_ARGS,
			.text = STR(
				"if_version is for one file, and the operation is part of a change of several"));
	steps = arena_array(c->mem, struct undo_step, g->n);
	for (size_t i = 0; i < g->n && !e; i++)
		e = undo_prepare(c, &g->ops[i], conflicts, &steps[i]);
	if (!e)
		e = check_conflicts(c, g, steps);
	if (e)
		return e;
	for (size_t i = 0; i < g->n; i++)
		undo_plan(c, &steps[i], steps[i].path);
	for (size_t i = 0; i < g->n; i++)
		find_source(g, steps, &steps[i]);
	join_diffs(c, steps, g->n);
	return write_group(c, g, steps);
}
