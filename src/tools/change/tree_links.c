/*
 * tree_links.c - the steps of change.c for a symlink that is removed, or made
 * again by undo: rules, question, hooks, history record, workspace, hooks.
 */
#include "base/cancel.h"
#include "tools/change/tree_local.h"

struct linking {
	struct call *call;
	const struct link_change *asked;
	struct str path;
	bool makes;
	struct node_info node;
	struct action_facts facts;
	struct record record;
};

static enum err link_look(struct linking *l)
{
	struct call *c = l->call;
	enum err e = tree_look(c, l->path, &l->node);

	if (e)
		return e;
	if (l->makes && l->node.exists)
		return fail(c->fault, ERR_EXISTS, .path = l->path);
	if (l->makes && !l->node.has_parent)
		return fail(c->fault, ERR_NO_PARENT, .path = l->path);
	if (!l->makes && !l->node.exists)
		return fail(c->fault, ERR_NOT_FOUND, .path = l->path);
	if (!l->makes && l->node.kind != WS_ENTRY_LINK)
		return fail(c->fault, ERR_CHANGED_AT, .path = l->path);
	return ERR_OK;
}

static void link_facts(struct linking *l)
{
	struct call *c = l->call;
	struct str target = l->makes ? l->asked->target : l->node.target;

	l->facts = (struct action_facts){
		.path = l->path,
		.key = l->node.key,
		.as_is = true,
		.remove = !l->makes,
		.summary = arena_printf(c->mem,
					"%s wants to %s the symlink " STR_FMT,
					c->tool->name,
					l->makes ? "make" : "delete",
					STR_ARG(l->node.key)),
		.does = arena_printf(c->mem, "it leads to " STR_FMT,
				     STR_ARG(target)),
	};
}

static enum err link_store(struct linking *l,
			   enum err (*ready)(void *, struct fault *), void *ctx,
			   bool dry_run)
{
	struct call *c = l->call;
	const struct name_want want = { .key = l->node.key,
					.dev = l->node.stat.dev,
					.ino = l->node.stat.ino,
					.target = l->asked->target,
					.progress = &c->progress,
					.ready = ready,
					.ctx = ctx,
					.dry_run = dry_run };

	return l->makes ? ws_make_link(c->ws, l->path, &want, c->mem, c->fault)
			: ws_remove_name(c->ws, l->path, &want, c->mem,
					 c->fault);
}

static enum err link_hooks(struct linking *l, enum hook_when when,
			   struct str operation)
{
	return change_hooks(l->call, when, OP_LINK,
			    (struct hook_facts){ .path = l->node.key,
						 .operation = operation });
}

static void link_record(struct linking *l)
{
	struct str target = l->makes ? l->asked->target : l->node.target;
	struct op op = { .kind = OP_LINK,
			 .path = l->node.key,
			 .undoes = l->asked->undoes,
			 .existed = !l->makes,
			 .exists = l->makes,
			 .granted_by = l->facts.grant };

	*(l->makes ? &op.after : &op.before) = hash_of(target);
	*(l->makes ? &op.bytes_after : &op.bytes_before) = target.len;
	record_begin(l->call, &l->record, &op, l->makes ? STR("") : target,
		     l->makes ? target : STR(""));
}

static void link_tell(struct linking *l)
{
	struct effect *effect = arena_zero(l->call->mem, 1, sizeof(*effect));

	*effect = (struct effect){ .key = l->node.key,
				   .existed = !l->makes,
				   .removed = !l->makes,
				   .name_only = true };
	l->call->effects = effect;
	l->call->effect_count = 1;
}

static enum err link_make(struct linking *l, struct tree_changed *ret)
{
	struct call *c = l->call;
	enum err e;

	link_record(l);
	e = link_store(l, record_ready, &l->record, /* dry_run= */ false);
	record_end(&l->record, e);
	c->lost_race = e == ERR_CHANGED_AT;
	if (e)
		return e;
	cancel_end();
	tree_note_record(&l->record, ret);
	ret->removed = !l->makes;
	if (link_hooks(l, HOOK_AFTER_EDIT, ret->op_text))
		ret->hook = c->fault->text;
	link_tell(l);
	return ERR_OK;
}

enum err change_link(struct call *c, const struct link_change *link,
		     struct tree_changed *ret)
{
	struct linking *l = arena_zero(c->mem, 1, sizeof(*l));
	enum err e = tree_begin(c);

	*l = (struct linking){ .call = c,
			       .asked = link,
			       .path = tree_without_slashes(link->path),
			       .makes = link->target.len };
	if (!e)
		e = link_look(l);
	if (e)
		return e;
	*ret = (struct tree_changed){ .key = l->node.key };
	link_facts(l);
	e = tree_gate(c, &l->facts, 1);
	if (e == ERR_ASK)
		return tree_rehearsed(c, link_store(l, tree_end_dry_run, NULL,
						    /* dry_run= */ true));
	if (!e)
		e = link_hooks(l, HOOK_BEFORE_EDIT, STR(""));
	return e ? e : link_make(l, ret);
}
