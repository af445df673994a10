/*
 * target.c - finds, locks and opens the file that is about to change.
 *
 * Everything after the lock is relative to the descriptor of the directory. A
 * race that can be resolved by starting over returns ERR_RETRY to
 * target_find(), which repeats a bounded number of times.
 */
#include "files/target.h"

#include "base/fd.h"
#include "files/beneath.h"
#include "files/content.h"
#include "files/group_record.h"
#include "files/group_recover.h"
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MAX_TRIES = 8 };

void target_drop(struct target *t)
{
	fd_drop(&t->old.fd);
	file_lock_drop(&t->lock);
	resolved_drop(&t->place);
}

void target_undo(struct target *t)
{
	parents_undo(t->roots, &t->made, t->mem);
}

enum err target_failed(struct target *t, int error)
{
	enum err e = fail_os(t->f, error, t->path);

	t->f->bytes = t->bytes;
	return e;
}

enum err target_changed(struct target *t, const struct hash *now)
{
	char hex[HASH_HEX + 1] = "";

	if (now)
		hash_hex(*now, hex);
	return fail(t->f, ERR_CHANGED, .path = t->path,
		    .version = arena_copy(t->mem, str_of(hex)));
}

enum err target_is_there(struct target *t, int file)
{
	struct str key = t->place.key;
	int fd = file;

	if (file < 0) {
		key = path_parent(key);
		fd = t->place.dir;
	}
	return beneath_is_at(t->roots, fd, key, t->mem)
		       ? ERR_OK
		       : target_changed(t, NULL);
}

static enum err check_kind(struct target *t, mode_t mode)
{
	if (S_ISDIR(mode))
		return fail(t->f, ERR_IS_DIRECTORY, .path = t->path);
	if (!S_ISREG(mode))
		return fail(t->f, ERR_NOT_A_FILE, .path = t->path);
	return ERR_OK;
}

/*
 * A read-only file must not be replaced, although the directory may permit it:
 * check write access first.
 */
static enum err check_access(struct target *t)
{
	if (!faccessat(t->place.dir, t->place.name, W_OK,
		       AT_EACCESS | AT_SYMLINK_NOFOLLOW))
		return ERR_OK;
	return errno == ENOENT ? ERR_RETRY : target_failed(t, errno);
}

/* Stat the name again; ERR_RETRY = it is a symlink now. */
static enum err target_restat(struct target *t)
{
	t->place.exists = !fstatat(t->place.dir, t->place.name, &t->place.st,
				   AT_SYMLINK_NOFOLLOW);
	if (!t->place.exists)
		return errno == ENOENT ? ERR_OK : target_failed(t, errno);
	if (S_ISLNK(t->place.st.st_mode))
		return ERR_RETRY;
	return check_kind(t, t->place.st.st_mode);
}

/*
 * Open the file under the lock; ERR_RETRY = it was replaced meanwhile. Without
 * a wait for the lock, the result of path resolution is still fresh enough.
 */
static enum err open_file(struct target *t)
{
	static const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	enum err e = ERR_OK;

	if (t->waited || !t->place.exists)
		e = target_restat(t);
	if (e || !t->place.exists)
		return e;
	e = check_access(t);
	if (e)
		return e;
	t->old.fd = fd_openat(t->place.dir, t->place.name, flags, 0);
	if (t->old.fd < 0 && (errno == ELOOP || errno == ENOENT))
		return ERR_RETRY;
	if (t->old.fd < 0 || fstat(t->old.fd, &t->old.st))
		return target_failed(t, errno);
	return check_kind(t, t->old.st.st_mode);
}

/* A caller on the event loop must not block: ERR_BUSY at once. */
static enum err target_lock(struct target *t)
{
	bool must_not_block = t->progress && t->progress->byte_limit;
	const struct file_lock_wait wait = {
		.ms = must_not_block ? 0 : t->w->options.lock_wait_ms,
		.progress = t->progress,
		.path = t->path,
	};
	enum err e = file_lock_take(&t->lock, &t->w->locks, t->place.dir, &wait,
				    t->f);

	t->waited = t->waited || t->lock.waited;
	return e;
}

/*
 * Refuse a path whose last component is a symlink: then the resolved file has
 * another name, or another directory, than the path says.
 */
static enum err refuse_symlink(struct target *t)
{
	struct str dir = path_cut(t->path), rest = str_skip(t->path, dir.len);
	auto_resolved above = RESOLVED_INIT;
	struct str name;
	struct stat st;
	enum err e;

	e = beneath_resolve(t->roots, dir, t->mem, &above, t->f);
	if (e)
		return e;
	if (fstat(t->place.dir, &st))
		return target_failed(t, errno);
	if (path_next(&rest, &name) && str_is(name, t->place.name) &&
	    above.exists && above.st.st_ino == st.st_ino &&
	    above.st.st_dev == st.st_dev)
		return ERR_OK;
	return fail(t->f, ERR_DENIED, .path = t->path, .os = ELOOP,
		    .reason = "symlink");
}

/* The key of a file whose directories may not exist yet. */
static enum err find_new_key(struct target *t, struct str *ret)
{
	auto_resolved p = RESOLVED_INIT;
	struct str rest;
	enum err e = ERR_OK;

	*ret = t->key;
	if (!t->key.len)
		e = beneath_key(t->roots, t->path, t->mem, &p, &rest, ret,
				t->f);
	return e;
}

static enum err make_parents(struct target *t)
{
	bool durable = t->w->options.durability == DURABLE_POWER;
	struct str key;
	enum err e = find_new_key(t, &key);

	if (!e)
		e = parents_make(t->roots, key, durable, t->mem, &t->made,
				 t->f);
	if (!e)
		e = beneath_resolve_key(t->roots, key, t->mem, &t->place, t->f);
	if (e)
		target_undo(t);
	return e;
}

enum err target_place(struct target *t)
{
	enum err e;

	if (t->key.len)
		e = beneath_resolve_key(t->roots, t->key, t->mem, &t->place,
					t->f);
	else
		e = beneath_resolve(t->roots, t->path, t->mem, &t->place, t->f);
	if (e == ERR_NO_PARENT && t->parents)
		e = make_parents(t);
	if (e) { /* the client only knows the path that it named */
		t->f->path = t->path;
		return e;
	}
	if (!t->place.name[0])
		return fail(t->f, ERR_IS_DIRECTORY, .path = t->path);
	if (t->no_follow)
		e = refuse_symlink(t);
	if (!e && t->place.exists)
		e = check_kind(t, t->place.st.st_mode);
	return e;
}

/* Another call may have undone its creation while we waited. */
static bool is_unlinked(int dir)
{
	struct stat st;

	return !fstat(dir, &st) && !st.st_nlink;
}

/*
 * Under the lock no other process is within the change of this file: a group
 * with it that has begun to change files has to be recovered.
 */
static bool has_unrecovered_group(struct target *t)
{
	t->unrecovered = !t->recovered && group_pending(&t->w->journal) &&
			 group_has_begun(&t->w->journal, t->place.key);
	return t->unrecovered;
}

enum err target_open(struct target *t)
{
	enum err e;

	if (t->parents && is_unlinked(t->place.dir))
		return ERR_RETRY;
	if (has_unrecovered_group(t))
		return ERR_RETRY;
	e = open_file(t);
	if (e || t->old.fd < 0 || !journal_pending(&t->w->journal, &t->old.st))
		return e;
	e = local_recover(t->w, t->roots, t->place.key, &t->old.st, t->progress,
			  t->mem, t->f);
	if (!e && fstat(t->old.fd, &t->old.st))
		return target_failed(t, errno);
	return e;
}

static enum err target_find_once(struct target *t)
{
	enum err e;

	e = target_place(t);
	if (!e)
		e = target_lock(t);
	return e ? e : target_open(t);
}

enum err target_retry(struct target *t)
{
	enum err e = ERR_OK;

	target_drop(t);
	if (t->unrecovered)
		e = group_recover_key(t->w, t->roots, t->place.key, t->progress,
				      t->f);
	t->recovered = t->recovered || t->unrecovered;
	t->unrecovered = false;
	if (e)
		t->f->path = t->path;
	return e;
}

enum err target_find(struct target *t)
{
	enum err e = ERR_RETRY;

	for (int i = 0; e == ERR_RETRY && i < MAX_TRIES; i++) {
		e = target_retry(t);
		if (!e)
			e = target_find_once(t);
	}
	return e == ERR_RETRY ? target_failed(t, ELOOP) : e;
}

/* A filesystem that reports no blocks is taken to have space. */
static bool has_space(int dir, uint64_t bytes)
{
	struct statfs fs;
	uint64_t blocks;

	if (fstatfs(dir, &fs) || !fs.f_blocks || !fs.f_bsize)
		return true;
	blocks = geteuid() ? fs.f_bavail : fs.f_bfree;
	return bytes / (uint64_t)fs.f_bsize < blocks;
}

enum err target_can_create(struct target *t)
{
	if (faccessat(t->place.dir, ".", W_OK | X_OK, AT_EACCESS))
		return target_failed(t, errno);
	if (!has_space(t->place.dir, t->bytes))
		return target_failed(t, ENOSPC);
	return ERR_OK;
}

enum err target_now(struct target *t, struct stat *ret)
{
	if (!fstatat(t->place.dir, t->place.name, ret, AT_SYMLINK_NOFOLLOW))
		return ERR_OK;
	if (errno != ENOENT)
		return target_failed(t, errno);
	*ret = (struct stat){ 0 };
	return ERR_OK;
}

enum err target_sync(struct target *t, int file)
{
	int e;

	if (t->w->options.durability != DURABLE_POWER)
		return ERR_OK;
	e = fd_fsync(t->place.dir);
	if (e &&
	    errno == EBADF) /* O_PATH: not readable, so it cannot be synced */
		e = syncfs(file);
	return e ? target_failed(t, errno) : ERR_OK;
}

uint64_t target_salt(const struct target *t)
{
	return file_lock_salt(&t->lock);
}
