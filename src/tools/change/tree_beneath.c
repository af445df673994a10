/*
 * tree_beneath.c - collects the files beneath a directory with a walk
 * (files/tree.h), which follows no symlink.
 */
#include "tools/change/tree_beneath.h"

#include "files/path.h"
#include "files/tree.h"

struct tree_collect {
	struct call *call;
	struct tree_beneath *to;
	bool refused; /* a directory could not be entered */
};

static enum tree_next collect_entry(void *ctx, struct tree_dir *dir,
				    const struct tree_entry *e)
{
	struct tree_collect *t = ctx;
	struct arena *mem = t->call->mem;

	struct str key = path_join(mem, dir->key, e->name);

	if (e->kind == TREE_DIRECTORY)
		*arena_add(mem, t->to->dirs, t->to->dir_count) = key;
	else
		*arena_add(mem, t->to->files, t->to->n) = key;
	return TREE_GO;
}

static void collect_refused(void *ctx, struct tree_dir *dir, struct str name,
			    enum tree_refusal why)
{
	struct tree_collect *t = ctx;

	t->refused = true;
}

static bool collect_stop(void *ctx)
{
	const struct progress *p =
		&((struct tree_collect *)ctx)->call->progress;

	return p->stop && p->stop(p->ctx);
}

enum err tree_beneath_read(struct call *c, struct str path, struct str key,
			   struct tree_beneath *ret)
{
	struct tree_collect t = { .call = c, .to = ret };
	const struct tree_visitor visitor = { .entry = collect_entry,
					      .not_entered = collect_refused,
					      .stop = collect_stop,
					      .ctx = &t };
	auto_tree_place place = { 0 };
	enum err e;

	*ret = (struct tree_beneath){ .key = key };
	e = ws_tree(c->ws, key, c->mem, &place, c->fault);
	if (e)
		return e;
	if (!str_eq(place.key, key) || place.kind != TREE_DIRECTORY)
		return fail(c->fault, ERR_CHANGED, .path = path);
	if (!tree_walk(&place, &visitor))
		return fail(c->fault, ERR_CANCELLED, .path = path);
	if (t.refused)
		return fail(c->fault, ERR_NOT_ALLOWED, .path = path,
			    .reason = "unreadable");
	return ERR_OK;
}

/* @keys, which are beneath @from, beneath @to. */
static struct str *keys_at(const struct str *keys, size_t n, struct str from,
			   struct str to, struct arena *mem)
{
	struct str *ret = arena_array(mem, struct str, n + 1);

	for (size_t i = 0; i < n; i++)
		ret[i] = path_join(mem, to, str_skip(keys[i], from.len + 1));
	return ret;
}

struct tree_beneath tree_beneath_at(const struct tree_beneath *b,
				    struct str key, struct arena *mem)
{
	return (struct tree_beneath){
		.key = key,
		.files = keys_at(b->files, b->n, b->key, key, mem),
		.n = b->n,
		.dirs = keys_at(b->dirs, b->dir_count, b->key, key, mem),
		.dir_count = b->dir_count,
	};
}
