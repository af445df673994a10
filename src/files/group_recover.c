/*
 * group_recover.c - finds records without a process and settles their groups.
 *
 * Order: the lock of the record, then the locks of all directories (as for the
 * group itself), then the files. A process that holds a directory's lock and
 * finds such a record releases that lock first (target_retry()).
 */
#include "files/group_recover.h"

#include "base/fd.h"
#include "files/beneath.h"
#include "files/group_settle.h"
#include "files/parents.h"
#include "files/path.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static void prune_dirs(const struct group_record *r, const struct roots *roots,
		       bool is_new, struct arena *mem)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct group_file *file = &r->files[i];

		if (is_new && !file->exists && file->made_ms)
			parents_prune(roots, file->key, file->made_ms, mem);
		else if (!is_new && !file->existed && file->parents)
			parents_prune(roots, file->key, r->began_ms, mem);
	}
}

void group_finish(struct group_record *r, const struct roots *roots,
		  bool is_new, struct arena *mem)
{
	int failed = group_tidy(r);

	prune_dirs(r, roots, is_new, mem);
	if (!failed && r->fd >= 0)
		(void)!group_record_end(r);
}

/* A place that leads elsewhere, or nowhere, by now has no directory. */
static enum err find_places(struct group_record *r, const struct roots *roots,
			    struct resolved *places, struct arena *mem,
			    struct fault *f)
{
	for (size_t i = 0; i < r->count; i++) {
		enum err e = beneath_resolve_key(roots, r->files[i].key, mem,
						 &places[i], f);

		if (e == ERR_NO_PARENT || e == ERR_CHANGED)
			continue;
		if (e)
			return e;
		r->files[i].name = places[i].name;
	}
	return ERR_OK;
}

/* The files get the descriptors of the locked directories. */
static enum err lock_places(struct group_record *r, struct resolved *places,
			    struct group_dirs *dirs, struct ws_local *w,
			    const struct progress *progress, struct fault *f)
{
	struct stat *st = calloc(r->count + 1, sizeof(*st));
	enum err e = ERR_OK;

	if (!st)
		out_of_memory();
	for (size_t i = 0; i < r->count && !e; i++)
		if (places[i].dir >= 0 &&
		    (fstat(places[i].dir, &st[i]) ||
		     group_dirs_add(dirs, &places[i].dir)))
			e = fail_os(f, errno, r->files[i].key);
	if (!e)
		e = group_dirs_lock(dirs, w, progress, r->files[0].key, f);
	for (size_t i = 0; i < r->count && !e; i++) {
		const struct group_dir *dir =
			group_dirs_find(dirs, st[i].st_dev, st[i].st_ino);

		r->files[i].dir = dir ? dir->fd : -1;
	}
	free(st);
	return e;
}

static enum err settle_locked(struct group_record *r, const struct roots *roots,
			      struct arena *mem, struct fault *f)
{
	bool is_new = r->state == GROUP_DONE;
	enum err e = ERR_OK;

	if (r->state == GROUP_SWITCH || r->state == GROUP_BACK) {
		e = group_settle(r, mem, &is_new, f);
		/* A crash from here on must not choose another direction. */
		if (!e)
			(void)!group_record_mark(r, is_new ? GROUP_DONE
							   : GROUP_BACK);
	}
	if (!e)
		group_finish(r, roots, is_new, mem);
	return e;
}

static enum err settle_record(struct group_record *r, struct ws_local *w,
			      const struct roots *roots,
			      const struct progress *progress,
			      struct arena *mem, struct fault *f)
{
	struct resolved *places = arena_array(mem, struct resolved, r->count);
	auto_group_dirs dirs = { 0 };
	enum err e;

	if (!r->count)
		return ERR_OK;
	group_dirs_init(&dirs, r->count, mem);
	for (size_t i = 0; i < r->count; i++)
		places[i] = (struct resolved)RESOLVED_INIT;
	e = find_places(r, roots, places, mem, f);
	if (!e)
		e = lock_places(r, places, &dirs, w, progress, f);
	if (!e)
		e = settle_locked(r, roots, mem, f);
	for (size_t i = 0; i < r->count; i++)
		resolved_drop(&places[i]);
	return e;
}

/* @key is for the fault. */
static enum err recover_one(struct ws_local *w, const struct roots *roots,
			    const char *name, struct str key,
			    const struct progress *progress, struct fault *f)
{
	auto_group_record r = { .journal = &w->journal, GROUP_RECORD_INIT };
	auto_arena mem = ARENA_INIT;
	enum err e;

	if (group_record_open(&r, name, w->options.lock_wait_ms, progress,
			      &mem)) {
		if (errno == ENOENT || errno == EBADMSG)
			return ERR_OK;
		return journal_failed(f, errno, key);
	}
	e = settle_record(&r, w, roots, progress, &mem, f);
	/* Nobody can recover it from here: do not stand in the way. */
	if (e == ERR_DENIED)
		return ERR_OK;
	if (e) /* the fault must not point into the arena of this function */
		f->path = key;
	return e;
}

enum err group_recover_key(struct ws_local *w, const struct roots *roots,
			   struct str key, const struct progress *progress,
			   struct fault *f)
{
	auto_arena mem = ARENA_INIT;
	struct str *names;
	size_t n;
	enum err e = ERR_OK;

	if (progress && progress->byte_limit)
		return fail(f, ERR_LATER, .path = key);
	if (group_record_list(&w->journal, &mem, &names, &n))
		return fail_os(f, errno, key);
	for (size_t i = 0; i < n && !e; i++)
		if (group_record_concerns(&w->journal, names[i], key))
			e = recover_one(w, roots, arena_cstr(&mem, names[i]),
					key, progress, f);
	return e;
}

enum err group_recover_all(struct ws_local *w, const struct roots *roots,
			   const struct progress *progress)
{
	auto_arena mem = ARENA_INIT;
	struct fault ignored = { 0 };
	struct str *names;
	size_t n;

	if (!group_pending(&w->journal))
		return ERR_OK;
	if (progress && progress->byte_limit)
		return ERR_LATER;
	if (group_record_list(&w->journal, &mem, &names, &n))
		return ERR_OK;
	for (size_t i = 0; i < n; i++)
		(void)!recover_one(w, roots, arena_cstr(&mem, names[i]),
				   STR(""), progress, &ignored);
	return ERR_OK;
}
