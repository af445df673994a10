#include "tools/change.h"

#include "tools/hooks.h"
#include "tools/watch.h"

#include <errno.h>

static enum err store(struct call *c, const struct change *change,
		      struct changed *ret)
{
	const struct snapshot *before = change->before;
	struct store_want want = {
		.base = before ? STORE_VERSION : STORE_ABSENT,
		.bytes = change->after,
		.errand = &c->errand,
		.parents = change->parents,
		.set_mode = change->set_mode,
		.mode = change->mode,
	};

	if (before)
		want.version = before->version;
	if (change->remove)
		return ws_remove(c->ws, change->path, before->version, &want,
				 c->mem, c->fault);
	return ws_store(c->ws, change->path, &want, c->mem, &ret->stored,
			c->fault);
}

/* The path as hooks get it: a workspace that cannot look has no links. */
static enum err resolve(struct call *c, const struct change *change,
			const struct changed *changed, struct str *ret)
{
	struct look look;
	enum err e;

	*ret = change->before ? change->before->key : change->path;
	if (changed->stored.key.len)
		*ret = changed->stored.key;
	if (changed->stored.key.len || change->before || !c->options->hooks)
		return ERR_OK;
	e = ws_look(c->ws, change->path, c->mem, &look, c->fault);
	if (e == ERR_IO && c->fault->os == ENOTSUP)
		return ERR_OK;
	if (!e)
		*ret = look.key;
	return e;
}

static enum err run_hooks(struct call *c, enum hook_when when,
			  const struct change *change,
			  const struct changed *changed)
{
	struct hook_facts facts = {
		.tool = str_of(c->tool->name),
		.kind = change->remove   ? STR("remove")
			: change->before ? STR("update")
					 : STR("create"),
		.client = c->caller->client,
		.session = c->caller->session,
		.operation = changed->op_text,
	};
	enum err e = resolve(c, change, changed, &facts.path);

	return e ? e : hooks_run(c, when, &facts);
}

enum err change_file(struct call *c, const struct change *change,
		     struct changed *ret)
{
	enum err e;

	*ret = (struct changed){ 0 };
	e = run_hooks(c, HOOK_BEFORE_EDIT, change, ret);
	if (!e)
		e = store(c, change, ret);
	if (!e && run_hooks(c, HOOK_AFTER_EDIT, change, ret))
		ret->hook = c->fault->text;
	if (!e)
		watch_change(c, change, ret);
	return e;
}

enum err change_append(struct call *c, const struct addition *a,
		       struct appended *ret)
{
	return ws_append(c->ws, a->path, &a->want, c->mem, ret, c->fault);
}

enum err change_may_see(struct call *c, struct str path, struct str key)
{
	return ERR_OK;
}

void change_has_read(struct call *c, const struct snapshot *snap)
{
}
