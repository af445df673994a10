#include "tools/change.h"

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

enum err change_file(struct call *c, const struct change *change,
		     struct changed *ret)
{
	*ret = (struct changed){ 0 };
	return store(c, change, ret);
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
