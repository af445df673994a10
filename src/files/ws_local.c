/*
 * ws_local.c - construction, roots, recovery and load of the local workspace.
 *
 * The other operations are in page.c, stat.c, names.c, entries.c, store.c,
 * append.c and remove.c. roots_lock protects the pointers to the roots and to
 * the list of own files; it is never held during I/O.
 */
#include "files/ws_local.h"

#include "base/fd.h"
#include "files/beneath.h"
#include "files/content.h"
#include "files/group_recover.h"
#include "files/local.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

enum { LOCK_WAIT_MS = 10000 };

static const struct workspace_ops local_ops = {
	.load = local_load,
	.store = local_store,
	.page = local_page,
	.roots = ws_local_root_list,
	.root_of = local_root_of,
	.stat = local_stat,
	.details = local_details,
	.present = local_present,
	.names = local_names,
	.entries = local_entries,
	.tree = local_tree,
	.append = local_append,
	.remove = local_remove,
	.lstat = local_lstat,
	.move = local_move,
	.make_dir = local_make_dir,
	.remove_name = local_remove_name,
	.make_link = local_make_link,
	.group = local_group,
	.recover = local_recover_groups,
};

struct workspace *ws_local_new(const struct ws_local_options *options)
{
	struct ws_local *w = calloc(1, sizeof(*w));

	if (!w)
		out_of_memory();
	w->ws.ops = &local_ops;
	w->ws.source = "disk";
	w->options = *options;
	if (!w->options.lock_wait_ms)
		w->options.lock_wait_ms = LOCK_WAIT_MS;
	private_dirs_find(&w->private, &w->mem);
	w->journal = (struct journal){
		.dir = w->private.journal,
		.groups = arena_cstr(&w->mem,
				     path_join(&w->mem, w->private.journal,
					       STR("groups"))),
		.durable = w->options.durability == DURABLE_POWER,
		.wait_ms = w->options.lock_wait_ms,
		.locks = &w->locks,
	};
	locks_init(&w->locks, w->private.locks);
	lineindex_cache_init(&w->indexes);
	tmpfile_pool_init(&w->tmpfiles);
	(void)pthread_mutex_init(&w->roots_lock, NULL);
	w->roots = roots_open(NULL, 0, STR(""));
	return &w->ws;
}

void ws_local_free(struct workspace *ws)
{
	struct ws_local *w = (struct ws_local *)ws;

	if (!w)
		return;
	roots_drop(w->roots);
	lineindex_cache_free(&w->indexes);
	tmpfile_pool_free(&w->tmpfiles);
	locks_free(&w->locks);
	(void)pthread_mutex_destroy(&w->roots_lock);
	arena_free(&w->mem);
	free(w);
}

void ws_local_roots(struct workspace *ws, const struct str *dirs, size_t n,
		    struct str advice, size_t *usable)
{
	struct ws_local *w = (struct ws_local *)ws;
	struct roots *made = roots_open(dirs, n, advice), *before;

	if (usable)
		*usable = made->n;
	(void)pthread_mutex_lock(&w->roots_lock);
	before = w->roots;
	made->own->items = w->ours;
	w->roots = made;
	(void)pthread_mutex_unlock(&w->roots_lock);
	atomic_store(&ws->recovered, false);
	atomic_store(&ws->groups_recovered, false);
	roots_drop(before);
}

static bool same_items(const struct own_items *have,
		       const struct own_item *item, size_t n)
{
	if (!have || have->n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!str_eq(have->item[i].path, item[i].path) ||
		    have->item[i].tree != item[i].tree ||
		    have->item[i].secret != item[i].secret)
			return false;
	return true;
}

/* A call may still use an old list: they are freed with the workspace. */
void ws_local_own(struct workspace *ws, const struct own_item *item, size_t n)
{
	struct ws_local *w = (struct ws_local *)ws;
	struct own_items *made;
	struct own_item *copy;

	own_open_mounts();
	(void)pthread_mutex_lock(&w->roots_lock);
	if (!same_items(w->ours, item, n)) {
		made = arena_new(&w->mem, struct own_items);
		copy = arena_array(&w->mem, struct own_item, n);
		for (size_t i = 0; i < n; i++) {
			copy[i] = item[i];
			copy[i].path = arena_copy(&w->mem, item[i].path);
		}
		*made = (struct own_items){ copy, n };
		w->ours = made;
		atomic_store(&w->roots->own->items, made);
	}
	(void)pthread_mutex_unlock(&w->roots_lock);
}

struct roots *local_roots_unchecked(struct ws_local *w)
{
	struct roots *now;

	(void)pthread_mutex_lock(&w->roots_lock);
	now = roots_ref(w->roots);
	(void)pthread_mutex_unlock(&w->roots_lock);
	return now;
}

/* The disk is checked without the lock, so another thread may win. */
struct roots *local_roots(struct ws_local *w)
{
	struct roots *now = local_roots_unchecked(w),
		     *made = roots_renewed(now);

	if (!made)
		return now;
	(void)pthread_mutex_lock(&w->roots_lock);
	if (w->roots == now) {
		roots_drop(w->roots);
		w->roots = roots_ref(made);
	}
	(void)pthread_mutex_unlock(&w->roots_lock);
	roots_drop(now);
	return made;
}

const struct str *ws_local_root_list(struct workspace *ws, struct arena *mem,
				     size_t *ret_n)
{
	auto_roots *roots = local_roots_unchecked((struct ws_local *)ws);
	struct str *list = arena_array(mem, struct str, roots->n);

	for (size_t i = 0; i < roots->n; i++)
		list[i] = arena_copy(mem, roots->root[i].real);
	*ret_n = roots->n;
	return list;
}

bool local_root_of(struct workspace *ws, struct str key, struct arena *mem,
		   struct root_id *ret)
{
	auto_roots *roots = local_roots_unchecked((struct ws_local *)ws);
	struct str rest;
	const struct root *root = roots_find_key(roots, key, &rest);

	if (!root)
		return false;
	*ret = (struct root_id){ arena_copy(mem, root->real), root->dev,
				 root->ino };
	return true;
}

enum err local_recover(struct ws_local *w, const struct roots *roots,
		       struct str key, const struct stat *st,
		       const struct progress *progress, struct arena *mem,
		       struct fault *f)
{
	static const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	auto_resolved place = RESOLVED_INIT;
	auto_fd fd = -1;
	struct stat now;
	enum err e;

	e = beneath_resolve_key(roots, key, mem, &place, f);
	if (e == ERR_CHANGED)
		return ERR_OK; /* replaced by a symlink: nothing to recover */
	if (e)
		return e;
	fd = fd_openat(place.dir, place.name, flags, 0);
	if (fd < 0 || fstat(fd, &now))
		return fail_os(f, errno, key);
	if (now.st_ino != st->st_ino || now.st_dev != st->st_dev)
		return ERR_OK; /* replaced by another file: nothing to recover */
	if (!journal_recover(&w->journal, fd, progress))
		return ERR_OK;
	return journal_failed(f, errno, key);
}

/* A group's file has another inode when that group is recovered. */
static enum err recover_group_of(struct ws_local *w, const struct roots *roots,
				 struct str path,
				 const struct progress *progress,
				 struct arena *mem, struct opened *ret,
				 struct fault *f)
{
	enum err e;

	if (!group_has_begun(&w->journal, ret->key))
		return ERR_OK;
	e = group_recover_key(w, roots, ret->key, progress, f);
	/* It is in progress for a long time: read what is there. */
	if (e && e != ERR_BUSY)
		return e;
	fd_drop(&ret->fd);
	return beneath_open(roots, path, mem, ret, f);
}

enum err local_open(struct ws_local *w, const struct roots *roots,
		    struct str path, const struct progress *progress,
		    struct arena *mem, struct opened *ret, struct fault *f)
{
	enum err e;

	e = beneath_open(roots, path, mem, ret, f);
	if (!e && group_pending(&w->journal))
		e = recover_group_of(w, roots, path, progress, mem, ret, f);
	if (e || !journal_pending(&w->journal, &ret->st))
		return e;
	e = local_recover(w, roots, ret->key, &ret->st, progress, mem, f);
	if (!e && fstat(ret->fd, &ret->st))
		return fail_os(f, errno, path);
	return e;
}

enum err local_recover_groups(struct workspace *ws,
			      const struct progress *progress)
{
	struct ws_local *w = (struct ws_local *)ws;
	auto_roots *roots = local_roots(w);

	return group_recover_all(w, roots, progress);
}

enum err local_load(struct workspace *ws, struct str path, uint64_t max,
		    const struct progress *progress, struct arena *mem,
		    struct snapshot *ret, struct fault *f)
{
	struct ws_local *w = (struct ws_local *)ws;
	auto_roots *roots = local_roots(w);
	auto_opened file = { .fd = -1 };
	enum err e;

	e = local_open(w, roots, path, progress, mem, &file, f);
	ret->key = file.key;
	if (!e)
		e = progress_fits(progress, (uint64_t)file.st.st_size, f);
	if (!e)
		e = content_read(file.fd, &file.st, max, progress, mem,
				 &ret->bytes, f);
	if (e) {
		f->path = path;
		return e;
	}
	ret->version = hash_of(ret->bytes);
	ret->stat = stat_data_of(&file.st);
	ret->source = NULL;
	ret->mode = file.st.st_mode & 07777;
	return ERR_OK;
}
