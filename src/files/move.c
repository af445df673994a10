/*
 * move.c - ws_move() for names on the disk: one renameat2() that replaces
 * nothing, between two locked directories.
 *
 * Both directories are locked as those of a group (group_dirs.h). What was
 * renamed is compared afterwards with what was judged, and renamed back if it
 * is something else. A filesystem that cannot refuse to replace gets a hard link
 * instead, or for a directory an empty one to be replaced: both fail when the
 * name is taken.
 */
#include "base/fd.h"
#include "files/beneath.h"
#include "files/content.h"
#include "files/group_dirs.h"
#include "files/local.h"
#include "files/lstat.h"
#include "files/own.h"
#include "files/path.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

struct move_op {
	struct ws_local *w;
	const struct roots *roots;
	const struct move_want *want;
	struct arena *mem;
	struct fault *f;
	struct resolved from, to;
	struct group_dirs dirs; /* both, locked */
	bool respelled; /* both names lead to the same entry, but for case */
};

#define auto_move_op cleanup(move_op_drop) struct move_op

static void move_op_drop(struct move_op *m)
{
	group_dirs_drop(&m->dirs);
	resolved_drop(&m->from);
	resolved_drop(&m->to);
}

static enum err move_resolve(struct move_op *m)
{
	const struct move_want *want = m->want;
	enum err e =
		lstat_resolve_key(m->roots, want->from, m->mem, &m->from, m->f);

	if (e == ERR_NO_PARENT)
		e = fail(m->f, ERR_NOT_FOUND, .path = want->from_path);
	if (e)
		return e;
	e = lstat_resolve_key(m->roots, want->to, m->mem, &m->to, m->f);
	if (e)
		m->f->path = want->to_path;
	return e;
}

static enum err move_lock_add(struct move_op *m, int dir)
{
	auto_fd fd = fcntl(dir, F_DUPFD_CLOEXEC, 0);

	if (fd < 0 || group_dirs_add(&m->dirs, &fd))
		return fail_os(m->f, errno, m->want->from_path);
	return ERR_OK;
}

static enum err move_lock(struct move_op *m)
{
	enum err e;

	group_dirs_init(&m->dirs, 2, m->mem);
	e = move_lock_add(m, m->from.dir);
	if (!e)
		e = move_lock_add(m, m->to.dir);
	return e ? e
		 : group_dirs_lock(&m->dirs, m->w, m->want->progress,
				   m->want->from_path, m->f);
}

static enum err move_changed(struct move_op *m)
{
	return fail(m->f, ERR_CHANGED_AT, .path = m->want->from_path);
}

static bool is_judged(const struct move_op *m, const struct stat *st)
{
	return st->st_dev == m->want->dev && st->st_ino == m->want->ino;
}

/* Does the directory have an entry that is spelled exactly so? */
static bool has_spelling(int dir, const char *name)
{
	int fd = fd_openat(dir, ".", O_RDONLY | O_DIRECTORY, 0);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;
	bool has = false;

	if (!list) {
		fd_drop(&fd);
		return true;
	}
	while (!has && (d = readdir(list)))
		has = !strcmp(d->d_name, name);
	(void)closedir(list);
	return has;
}

/*
 * The name is taken. By the moved file itself where the filesystem takes upper
 * and lower case as equal, unless the name exists as it is spelled.
 */
static enum err move_taken(struct move_op *m, const struct stat *st)
{
	bool same_dir = m->dirs.n == 1;

	if (same_dir && is_judged(m, st) &&
	    !strcasecmp(m->from.name, m->to.name) &&
	    !has_spelling(m->to.dir, m->to.name)) {
		m->respelled = true;
		return ERR_OK;
	}
	return fail(m->f, ERR_EXISTS, .path = m->want->to_path);
}

/* Look again, under the locks. */
static enum err move_compare(struct move_op *m)
{
	struct stat *st = &m->from.st, to;

	if (fstatat(m->from.dir, m->from.name, st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT
			       ? move_changed(m)
			       : fail_os(m->f, errno, m->want->from_path);
	if (!is_judged(m, st))
		return move_changed(m);
	if (!fstatat(m->to.dir, m->to.name, &to, AT_SYMLINK_NOFOLLOW))
		return move_taken(m, &to);
	return errno == ENOENT ? ERR_OK
			       : fail_os(m->f, errno, m->want->to_path);
}

static enum err move_refuse(struct move_op *m)
{
	const struct move_want *want = m->want;
	bool directory = S_ISDIR(m->from.st.st_mode);
	struct str rest;
	struct stat to;

	if (fstat(m->to.dir, &to))
		return fail_os(m->f, errno, want->to_path);
	if (directory && own_is_near(m->roots, want->from))
		return own_refused(want->from_path, m->f);
	if (directory && path_beneath(want->to, want->from, &rest) && rest.len)
		return fail(m->f, ERR_INTO_ITSELF, .path = want->from_path);
	if (m->from.st.st_dev != to.st_dev)
		return fail(m->f, ERR_OTHER_DEVICE, .path = want->to_path);
	return ERR_OK;
}

/* Are both directories still where they were judged? */
static enum err move_is_there(struct move_op *m)
{
	if (beneath_is_at(m->roots, m->from.dir, path_parent(m->want->from),
			  m->mem) &&
	    beneath_is_at(m->roots, m->to.dir, path_parent(m->want->to),
			  m->mem))
		return ERR_OK;
	return move_changed(m);
}

/* A filesystem without RENAME_NOREPLACE; -1 with errno. */
static int rename_slowly(const struct resolved *from, const struct resolved *to,
			 bool directory)
{
	int error;

	if (!directory) {
		if (linkat(from->dir, from->name, to->dir, to->name, 0))
			return -1;
		return unlinkat(from->dir, from->name, 0);
	}
	if (mkdirat(to->dir, to->name, 0700))
		return -1;
	if (!renameat(from->dir, from->name, to->dir, to->name))
		return 0;
	error = errno;
	(void)unlinkat(to->dir, to->name, AT_REMOVEDIR);
	errno = error;
	return -1;
}

static int rename_name(const struct resolved *from, const struct resolved *to,
		       bool directory)
{
	if (!renameat2(from->dir, from->name, to->dir, to->name,
		       RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	return rename_slowly(from, to, directory);
}

static enum err rename_failed(struct move_op *m, int error)
{
	const struct move_want *want = m->want;

	switch (error) {
	case EEXIST:
		return fail(m->f, ERR_EXISTS, .path = want->to_path);
	case EXDEV:
		return fail(m->f, ERR_OTHER_DEVICE, .path = want->to_path);
	case ENOENT:
		return move_changed(m);
	default:
		return fail_os(m->f, error, want->from_path);
	}
}

static enum err move_rename(struct move_op *m)
{
	bool directory = S_ISDIR(m->from.st.st_mode);
	struct stat st;

	if (m->respelled
		    ? renameat(m->from.dir, m->from.name, m->to.dir, m->to.name)
		    : rename_name(&m->from, &m->to, directory))
		return rename_failed(m, errno);
	if (fstatat(m->to.dir, m->to.name, &st, AT_SYMLINK_NOFOLLOW))
		return fail_os(m->f, errno, m->want->to_path);
	if (is_judged(m, &st))
		return ERR_OK;
	/* Something else got the name after the comparison: put it back. */
	(void)rename_name(&m->to, &m->from, S_ISDIR(st.st_mode));
	return move_changed(m);
}

static enum err move_sync(struct move_op *m)
{
	if (m->w->options.durability != DURABLE_POWER)
		return ERR_OK;
	/* EBADF: O_PATH, as it is not readable; it cannot be synced */
	if (fd_fsync(m->to.dir) && errno != EBADF)
		return fail_os(m->f, errno, m->want->to_path);
	if (fd_fsync(m->from.dir) && errno != EBADF)
		return fail_os(m->f, errno, m->want->from_path);
	return ERR_OK;
}

/* A file that a crash has left torn is recovered where its journal knows it. */
static enum err move_recover(struct move_op *m)
{
	if (!S_ISREG(m->from.st.st_mode) ||
	    !journal_pending(&m->w->journal, &m->from.st))
		return ERR_OK;
	return local_recover(m->w, m->roots, m->want->from, &m->from.st,
			     m->want->progress, m->mem, m->f);
}

/* Everything that can be found out without changing anything. */
static enum err move_prepare(struct move_op *m)
{
	enum err e = move_resolve(m);

	if (!e)
		e = move_lock(m);
	if (!e)
		e = move_compare(m);
	if (!e)
		e = move_refuse(m);
	if (!e && !m->want->dry_run)
		e = move_recover(m);
	if (!e && (faccessat(m->from.dir, ".", W_OK | X_OK, AT_EACCESS) ||
		   faccessat(m->to.dir, ".", W_OK | X_OK, AT_EACCESS)))
		e = fail_os(m->f, errno, m->want->from_path);
	return e ? e : progress_check(m->want->progress, 0, 0, m->f);
}

enum err local_move(struct workspace *ws, const struct move_want *want,
		    struct arena *mem, struct fault *f)
{
	struct ws_local *w = (struct ws_local *)ws;
	auto_roots *roots = local_roots(w);
	auto_move_op m = {
		.w = w,
		.roots = roots,
		.want = want,
		.mem = mem,
		.f = f,
		.from = RESOLVED_INIT,
		.to = RESOLVED_INIT,
	};
	enum err e = move_prepare(&m);

	assert(!want->dry_run || want->ready);
	if (!e && want->ready)
		e = want->ready(want->ctx, f);
	if (!e)
		e = move_is_there(&m);
	if (!e)
		e = move_rename(&m);
	return e ? e : move_sync(&m);
}
