/*
 * name_change.c - ws_remove_name() and ws_make_link() on the disk: names that
 * have no content, changed under the lock of the directory above. The system
 * refuses to remove a directory that is not empty, and to make a symlink where
 * there is something.
 */
#include "base/fd.h"
#include "files/beneath.h"
#include "files/content.h"
#include "files/local.h"
#include "files/locks.h"
#include "files/lstat.h"
#include "files/own.h"
#include "files/path.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct name_op {
	struct ws_local *w;
	const struct roots *roots;
	const struct name_want *want;
	struct str path; /* as the client named it, for faults */
	struct arena *mem;
	struct fault *f;
	struct resolved place;
	struct file_lock lock;
	bool directory; /* that is removed */
};

#define auto_name_op cleanup(name_op_drop) struct name_op

static void name_op_drop(struct name_op *r)
{
	file_lock_drop(&r->lock);
	resolved_drop(&r->place);
}

static enum err name_changed(struct name_op *r)
{
	return fail(r->f, ERR_CHANGED_AT, .path = r->path);
}

static enum err name_lock(struct name_op *r)
{
	const struct progress *p = r->want->progress;
	const struct file_lock_wait wait = {
		.ms = p && p->byte_limit ? 0 : r->w->options.lock_wait_ms,
		.progress = p,
		.path = r->path,
	};
	enum err e;

	if (lstat_holds_root(r->roots, r->want->key))
		return fail(r->f, ERR_IS_ROOT, .path = r->path,
			    .reason = "root");
	e = lstat_resolve_key(r->roots, r->want->key, r->mem, &r->place, r->f);
	if (e == ERR_NO_PARENT)
		return name_changed(r);
	if (!e)
		e = file_lock_take(&r->lock, &r->w->locks, r->place.dir, &wait,
				   r->f);
	return e;
}

/* The number of entries, or -1 with errno. */
static int count_entries(const struct resolved *p)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
	int fd = fd_openat(p->dir, p->name, flags, 0), n = 0;
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list) {
		fd_drop(&fd);
		return -1;
	}
	while (readdir(list))
		n++;
	(void)closedir(list);
	return n - 2; /* "." and ".." */
}

static enum err name_not_empty(struct name_op *r)
{
	int n = count_entries(&r->place);

	if (n < 0)
		return fail_os(r->f, errno, r->path);
	if (!n)
		return ERR_OK;
	return fail(r->f, ERR_NOT_EMPTY, .path = r->path, .count = (size_t)n);
}

static enum err name_compare(struct name_op *r)
{
	const struct name_want *want = r->want;
	struct stat st;

	if (fstatat(r->place.dir, r->place.name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? name_changed(r)
				       : fail_os(r->f, errno, r->path);
	r->directory = S_ISDIR(st.st_mode);
	if ((!r->directory && !S_ISLNK(st.st_mode)) || st.st_dev != want->dev ||
	    st.st_ino != want->ino)
		return name_changed(r);
	if (faccessat(r->place.dir, ".", W_OK | X_OK, AT_EACCESS))
		return fail_os(r->f, errno, r->path);
	if (!r->directory)
		return ERR_OK;
	if (own_is_near(r->roots, want->key))
		return own_refused(r->path, r->f);
	return name_not_empty(r);
}

static enum err name_sync(struct name_op *r)
{
	if (r->w->options.durability == DURABLE_POWER &&
	    fd_fsync(r->place.dir) && errno != EBADF)
		return fail_os(r->f, errno, r->path);
	return ERR_OK;
}

/* Right before the change: the caller's ready(), and where the directory is. */
static enum err name_confirm(struct name_op *r)
{
	const struct name_want *want = r->want;
	enum err e = progress_check(want->progress, 0, 0, r->f);

	if (!e && want->ready)
		e = want->ready(want->ctx, r->f);
	if (!e && !beneath_is_at(r->roots, r->place.dir, path_parent(want->key),
				 r->mem))
		e = name_changed(r);
	return e;
}

static enum err name_remove(struct name_op *r)
{
	enum err e = ERR_OK;

	if (!unlinkat(r->place.dir, r->place.name,
		      r->directory ? AT_REMOVEDIR : 0))
		return name_sync(r);
	if (errno == ENOENT)
		return name_changed(r);
	if (errno != ENOTEMPTY && errno != EEXIST)
		return fail_os(r->f, errno, r->path);
	if (r->directory)
		e = name_not_empty(r);
	return e ? e : name_changed(r);
}

static enum err make_link_compare(struct name_op *r)
{
	struct stat st;

	if (!fstatat(r->place.dir, r->place.name, &st, AT_SYMLINK_NOFOLLOW))
		return fail(r->f, ERR_EXISTS, .path = r->path);
	if (errno != ENOENT ||
	    faccessat(r->place.dir, ".", W_OK | X_OK, AT_EACCESS))
		return fail_os(r->f, errno, r->path);
	return ERR_OK;
}

static enum err make_link(struct name_op *r)
{
	const char *target = arena_cstr(r->mem, r->want->target);

	if (!symlinkat(target, r->place.dir, r->place.name))
		return name_sync(r);
	return errno == EEXIST ? fail(r->f, ERR_EXISTS, .path = r->path)
			       : fail_os(r->f, errno, r->path);
}

static enum err name_run(struct workspace *ws, struct str path,
			 const struct name_want *want,
			 enum err (*compare)(struct name_op *),
			 enum err (*change)(struct name_op *),
			 struct arena *mem, struct fault *f)
{
	struct ws_local *w = (struct ws_local *)ws;
	auto_roots *roots = local_roots(w);
	auto_name_op r = {
		.w = w,
		.roots = roots,
		.want = want,
		.path = path,
		.mem = mem,
		.f = f,
		.place = RESOLVED_INIT,
		.lock = FILE_LOCK_INIT,
	};
	enum err e = name_lock(&r);

	assert(!want->dry_run || want->ready);
	if (!e)
		e = compare(&r);
	if (!e)
		e = name_confirm(&r);
	return e ? e : change(&r);
}

enum err local_remove_name(struct workspace *ws, struct str path,
			   const struct name_want *want, struct arena *mem,
			   struct fault *f)
{
	return name_run(ws, path, want, name_compare, name_remove, mem, f);
}

enum err local_make_link(struct workspace *ws, struct str path,
			 const struct name_want *want, struct arena *mem,
			 struct fault *f)
{
	return name_run(ws, path, want, make_link_compare, make_link, mem, f);
}
