/*
 * remove.c - ws_remove() for files on the disk.
 *
 * Like a store without new content: find and lock the target, compare its
 * version, remove it by replace.h. Then directories above it that a given call
 * created are removed if they are empty.
 */

#include "files/content.h"
#include "files/parents.h"
#include "files/target.h"

#include <errno.h>

static enum err remove_target(struct target *t, struct hash version,
			      const struct store_want *want)
{
	char hex[HASH_HEX + 1];
	struct hash now;
	enum err e;

	if (t->old.fd < 0)
		return target_changed(t, NULL);
	if (content_hash_cancellable(t->progress, t->old.fd, t->old.st.st_size,
				     &now))
		return target_failed(t, errno);
	if (!hash_eq(now, version))
		return target_changed(t, &now);
	t->old.exact = true;
	t->old.version = version;
	e = progress_check(t->progress, 0, 0, t->f);
	if (!e && want && want->ready)
		e = want->ready(want->ctx, t->f);
	if (!e)
		e = target_is_there(t, -1);
	if (e)
		return e;
	e = replace_remove(t->place.dir, t->place.name, t->path, &t->old,
			   target_salt(t), hex, t->f);
	if (e == ERR_CHANGED && t->f->version.len)
		t->f->version = arena_copy(t->mem, t->f->version);
	return e ? e : target_sync(t, t->old.fd);
}

/* Returns with the lock of the directory released. */
static enum err remove_file(struct ws_local *w, struct roots *roots,
			    struct str path, struct hash version,
			    const struct store_want *want, struct arena *mem,
			    struct str *ret_key, struct fault *f)
{
	auto_target t = {
		.w = w,
		.roots = roots,
		.path = path,
		.key = want ? want->key : STR(""),
		.progress = want ? want->progress : NULL,
		.mem = mem,
		.f = f,
		TARGET_INIT,
	};
	enum err e = target_find(&t);

	if (!e)
		e = remove_target(&t, version, want);
	if (!e)
		*ret_key = arena_copy(mem, t.place.key);
	return e;
}

enum err local_remove(struct workspace *ws, struct str path,
		      struct hash version, const struct store_want *want,
		      struct arena *mem, struct fault *f)
{
	struct ws_local *w = (struct ws_local *)ws;
	auto_roots *roots = local_roots(w);
	struct str key;
	enum err e = remove_file(w, roots, path, version, want, mem, &key, f);

	if (!e && want && want->made_ms)
		parents_prune(roots, key, want->made_ms, mem);
	return e;
}
