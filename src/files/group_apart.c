/*
 * group_apart.c - a group in a workspace that cannot make it as one step.
 *
 * The files are compared first, then changed one after the other. When one
 * fails, those that were changed already are put back, as far as nobody has
 * changed them since.
 */
#include "files/group_apart.h"

#include "files/group.h"

static struct group_item *group_at(const struct group_want *want, size_t i)
{
	return &want->items[i];
}

/* The fault of one file of several names that file. */
static enum err group_changed(const struct group_item *item, struct fault *f)
{
	return fail(f, ERR_CHANGED, .path = item->path);
}

static enum err group_compare_one(struct workspace *ws,
				  const struct group_item *item,
				  const struct group_want *want,
				  struct arena *mem, struct fault *f)
{
	struct snapshot now;
	enum err e = ws_load(ws, item->want.key, UINT64_MAX, want->progress,
			     mem, &now, f);

	if (item->want.base == STORE_ABSENT)
		return e == ERR_NOT_FOUND ? ERR_OK
		       : e                ? e
					  : group_changed(item, f);
	if (e == ERR_NOT_FOUND)
		return group_changed(item, f);
	if (e)
		return e;
	return hash_eq(now.version, item->want.version)
		       ? ERR_OK
		       : group_changed(item, f);
}

static enum err group_rehearsed(void *ctx, struct fault *f)
{
	*(bool *)ctx = true;
	return ERR_ASK; /* any failure: nothing is to be changed */
}

/* As far as that can be found out without writing. */
static enum err group_rehearse_one(struct workspace *ws,
				   const struct group_item *item,
				   const struct group_want *want,
				   struct arena *mem, struct fault *f)
{
	bool reached = false;
	struct store_want one = item->want;
	struct stored ignored;
	enum err e;

	one.progress = want->progress;
	one.ready = group_rehearsed;
	one.ctx = &reached;
	one.dry_run = true;
	one.parents = false;
	if (item->remove)
		e = ws_remove(ws, item->path, one.version, &one, mem, f);
	else
		e = ws_store(ws, item->path, &one, mem, &ignored, f);
	if (e == ERR_NO_PARENT && item->want.parents)
		return ERR_OK;
	return reached ? ERR_OK : e;
}

static enum err group_change_one(struct workspace *ws, struct group_item *item,
				 const struct group_want *want,
				 struct arena *mem, struct fault *f)
{
	struct store_want one = item->want;

	one.progress = want->progress;
	one.ready = NULL;
	one.dry_run = false;
	if (item->remove)
		return ws_remove(ws, item->path, one.version, &one, mem, f);
	return ws_store(ws, item->path, &one, mem, &item->stored, f);
}

/* Best effort: what somebody else has changed since stays as it is. */
static void group_put_back(struct workspace *ws, const struct group_item *item,
			   struct arena *mem)
{
	struct store_want old = { .key = item->want.key,
				  .base = STORE_VERSION,
				  .version = item->stored.version,
				  .bytes = item->before };
	struct fault ignored;
	struct stored unused;

	if (item->want.base == STORE_ABSENT) {
		(void)!ws_remove(ws, item->path, old.version, &old, mem,
				 &ignored);
		return;
	}
	if (item->remove)
		old.base = STORE_ABSENT;
	(void)!ws_store(ws, item->path, &old, mem, &unused, &ignored);
}

enum err group_apart(struct workspace *ws, struct group_want *want,
		     struct arena *mem, struct fault *f)
{
	enum err e = ERR_OK;
	size_t done = 0;

	want->not_kept = STR("");
	for (size_t i = 0; i < want->count && !e; i++)
		e = group_compare_one(ws, group_at(want, i), want, mem, f);
	for (size_t i = 0; i < want->count && !e && want->dry_run; i++)
		e = group_rehearse_one(ws, group_at(want, i), want, mem, f);
	if (!e && want->ready)
		e = want->ready(want->ctx, f);
	for (; !e && done < want->count; done++) {
		e = group_change_one(ws, group_at(want, done), want, mem, f);
		if (e)
			break;
	}
	if (!e)
		return ERR_OK;
	while (done-- > 0)
		group_put_back(ws, group_at(want, done), mem);
	return e;
}
