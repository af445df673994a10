/*
 * undo_tree.c - undoes changes of names: a move by the move back, a directory
 * that was made by its removal if it is still empty, and one that was removed by
 * making it again.
 */
#include "tools/change/tree_change.h"
#include "tools/history/undo_local.h"

bool undo_is_tree(const struct undo_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (!op_has_content(&g->ops[i]) || g->ops[i].kind == OP_LINK)
			return true;
	return false;
}

static void undone_tell(const struct tree_changed *changed, struct undone *ret)
{
	ret->changed.op = changed->op;
	ret->changed.op_text = changed->op_text;
	ret->changed.not_kept = changed->not_kept;
	ret->changed.hook = changed->hook;
	ret->changed.stored.key = changed->key;
}

static enum err undo_move(struct call *c, const struct op *op,
			  struct undone *ret)
{
	const struct move back = { .from = op->path,
				   .to = op->from,
				   .undoes = op->id };
	struct tree_changed changed;
	enum err e = change_move(c, &back, &changed);

	if (!e)
		undone_tell(&changed, ret);
	return e;
}

static enum err undo_link(struct call *c, const struct op *op,
			  struct undone *ret)
{
	struct link_change link = { .path = op->path, .undoes = op->id };
	struct tree_changed changed;
	enum err e = ERR_OK;

	if (op->existed)
		e = history_content(c->options->store, op, HISTORY_BEFORE,
				    c->mem, &link.target, c->fault);
	if (!e)
		e = change_link(c, &link, &changed);
	if (e)
		return e;
	undone_tell(&changed, ret);
	ret->removed = changed.removed;
	ret->created = !changed.removed;
	return ERR_OK;
}

/* The outermost directory is the last operation: create it first. */
static enum err undo_rmdirs(struct call *c, struct undo_group *g)
{
	struct tree_changed changed;
	enum err e = ERR_OK;

	for (size_t i = g->n; i-- > 0 && !e;) {
		e = change_make_dir(c, g->ops[i].path, g->ops[i].id, &changed);
		if (e)
			break;
		undone_tell(&changed, &g->undone[i]);
		g->undone[i].created = changed.made;
	}
	return e;
}

/* From the last one, which can be in those before. */
static enum err undo_mkdirs(struct call *c, struct undo_group *g)
{
	struct dir_removal *dirs =
		arena_array(c->mem, struct dir_removal, g->n);
	struct tree_changed *changed =
		arena_array(c->mem, struct tree_changed, g->n);
	enum err e;

	for (size_t i = 0; i < g->n; i++) {
		const struct op *op = &g->ops[g->n - 1 - i];

		dirs[i] = (struct dir_removal){ .path = op->path,
						.undoes = op->id,
						.if_empty = true };
	}
	e = change_remove_dirs(c, dirs, g->n, changed);
	for (size_t i = 0; i < g->n && !e; i++) {
		struct undone *undone = &g->undone[g->n - 1 - i];

		undone_tell(&changed[i], undone);
		undone->removed = changed[i].removed;
		undone->left = !changed[i].removed;
	}
	return e;
}

/* All operations of a call that changes names are of one kind. */
static bool is_all_of(const struct undo_group *g, enum op_kind kind)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->ops[i].kind != kind)
			return false;
	return true;
}

enum err undo_tree(struct call *c, struct undo_group *g)
{
	const struct op *op = g->ops;
	enum err e = ERR_OK;

	if (c->guard.if_version.len)
		return fail(c->fault, ERR_BAD_ARGS,
			    .text = STR("if_version is for a file"));
	for (size_t i = 0; i < g->n && !e; i++) {
		g->undone[i] = (struct undone){ .how = REVISE_EXACT };
		g->undone[i].changed.op_text = STR("");
		e = undo_check_place(c, &g->ops[i]);
	}
	if (e || c->preview)
		return e;
	if (is_all_of(g, OP_MKDIR))
		return undo_mkdirs(c, g);
	if (is_all_of(g, OP_RMDIR))
		return undo_rmdirs(c, g);
	if (g->n == 1 && op->kind == OP_LINK)
		return undo_link(c, op, g->undone);
	if (g->n == 1 && op->kind == OP_MOVE)
		return undo_move(c, op, g->undone);
	return fail(c->fault, ERR_OTHER_PLACE, .path = op->path,
		    .text = STR("its call changed names as well"));
}
