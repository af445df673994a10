/*
 * remove_dir.c - ws_remove_dir() for directories on the disk: unlinkat() under
 * the lock of the directory above, which the system refuses unless it is empty.
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

struct rmdir_op {
	struct ws_local *w;
	const struct roots *roots;
	const struct remove_dir_want *want;
	struct str path; /* as the client named it, for faults */
	struct arena *mem;
	struct fault *f;
	struct resolved place;
	struct file_lock lock;
};

#define auto_rmdir_op cleanup(rmdir_op_drop) struct rmdir_op

static void rmdir_op_drop(struct rmdir_op *r)
{
	file_lock_drop(&r->lock);
	resolved_drop(&r->place);
}

static enum err rmdir_changed(struct rmdir_op *r)
{
	return fail(r->f, ERR_CHANGED_AT, .path = r->path);
}

static enum err rmdir_lock(struct rmdir_op *r)
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
		return rmdir_changed(r);
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

static enum err rmdir_not_empty(struct rmdir_op *r)
{
	int n = count_entries(&r->place);

	if (n < 0)
		return fail_os(r->f, errno, r->path);
	if (!n)
		return ERR_OK;
	return fail(r->f, ERR_NOT_EMPTY, .path = r->path, .count = (size_t)n);
}

static enum err rmdir_compare(struct rmdir_op *r)
{
	const struct remove_dir_want *want = r->want;
	struct stat st;

	if (fstatat(r->place.dir, r->place.name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? rmdir_changed(r)
				       : fail_os(r->f, errno, r->path);
	if (!S_ISDIR(st.st_mode) || st.st_dev != want->dev ||
	    st.st_ino != want->ino)
		return rmdir_changed(r);
	if (own_is_near(r->roots, want->key))
		return own_refused(r->path, r->f);
	if (faccessat(r->place.dir, ".", W_OK | X_OK, AT_EACCESS))
		return fail_os(r->f, errno, r->path);
	return rmdir_not_empty(r);
}

static enum err rmdir_remove(struct rmdir_op *r)
{
	enum err e;

	if (!beneath_is_at(r->roots, r->place.dir, path_parent(r->want->key),
			   r->mem))
		return rmdir_changed(r);
	if (unlinkat(r->place.dir, r->place.name, AT_REMOVEDIR)) {
		if (errno != ENOTEMPTY && errno != EEXIST)
			return fail_os(r->f, errno, r->path);
		e = rmdir_not_empty(r);
		return e ? e : rmdir_changed(r);
	}
	if (r->w->options.durability == DURABLE_POWER &&
	    fd_fsync(r->place.dir) && errno != EBADF)
		return fail_os(r->f, errno, r->path);
	return ERR_OK;
}

enum err local_remove_dir(struct workspace *ws, struct str path,
			  const struct remove_dir_want *want, struct arena *mem,
			  struct fault *f)
{
	struct ws_local *w = (struct ws_local *)ws;
	auto_roots *roots = local_roots(w);
	auto_rmdir_op r = {
		.w = w,
		.roots = roots,
		.want = want,
		.path = path,
		.mem = mem,
		.f = f,
		.place = RESOLVED_INIT,
		.lock = FILE_LOCK_INIT,
	};
	enum err e = rmdir_lock(&r);

	assert(!want->dry_run || want->ready);
	if (!e)
		e = rmdir_compare(&r);
	if (!e)
		e = progress_check(want->progress, 0, 0, f);
	if (!e && want->ready)
		e = want->ready(want->ctx, f);
	return e ? e : rmdir_remove(&r);
}
