/*
 * tree_change.c - what all changes of names have in common; see tree_local.h.
 */
#include "tools/change/recovery.h"
#include "tools/change/tree_local.h"

/* A worker only: the walk, the question and the history may take long. */
enum err tree_begin(struct call *c)
{
	c->also = STR("");
	return c->progress.byte_limit ? ERR_LATER : recovery_run_once(c);
}

struct str tree_without_slashes(struct str path)
{
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	return path;
}

enum err tree_check_hidden(struct call *c, struct str path, struct str key)
{
	if (!key.len || !gate_hides(c, path, key))
		return ERR_OK;
	return fail(c->fault, ERR_DENIED, .path = path, .reason = "rule");
}

/* What has the name, unless a rule hides it from the caller. */
enum err tree_look(struct call *c, struct str path, struct node_info *ret)
{
	enum err e = gate_check_dotdot(c, path), hidden;

	*ret = (struct node_info){ .key = STR("") };
	if (!e)
		e = tree_check_hidden(c, path, path);
	if (e)
		return e;
	e = ws_lstat(c->ws, path, c->mem, ret, c->fault);
	hidden = tree_check_hidden(c, path, ret->key);
	return hidden ? hidden : e;
}

/* .ready of a dry run: ERR_ASK = everything else succeeded. */
enum err tree_end_dry_run(void *ctx, struct fault *f)
{
	return fail(f, ERR_ASK, .path = STR(""));
}

/* The rules have said that a person is to be asked; would it succeed? */
enum err tree_rehearsed(struct call *c, enum err e)
{
	c->lost_race = e == ERR_CHANGED || e == ERR_CHANGED_AT;
	return e ? e : ERR_ASK;
}

/* Rules and approval, and whether a required hook has lost its trust. */
enum err tree_gate(struct call *c, struct action_facts *facts, size_t n)
{
	enum err e = gate_change(c, facts, n), lost = ERR_OK;

	if (e && e != ERR_ASK)
		return e;
	for (size_t i = 0; i < n && !lost; i++)
		lost = hooks_check_lost(c, facts[i].key);
	return lost ? lost : e;
}

void tree_note_record(struct record *r, struct tree_changed *ret)
{
	if (r->lost.len)
		ret->not_kept = r->lost;
	if (!r->begun || r->lost.len)
		return;
	ret->op = r->op.id;
	ret->op_text = record_name(r);
}
