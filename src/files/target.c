#include "files/target.h"

#include "base/fd.h"
#include "files/beneath.h"
#include "files/path.h"
#include "files/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { TRIES = 8 };

void target_drop(struct target *t)
{
	fd_drop(&t->old.fd);
	lock_drop(&t->lock);
	place_drop(&t->place);
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
 * May we write to it? Being allowed to put another file in its place is not
 * the same, so this is asked before everything else.
 */
static enum err check_access(struct target *t)
{
	if (!faccessat(t->place.dir, t->place.name, W_OK,
		       AT_EACCESS | AT_SYMLINK_NOFOLLOW))
		return ERR_OK;
	return errno == ENOENT ? ERR_LATER : target_failed(t, errno);
}

/* What is there by now; ERR_LATER = it became a link. */
static enum err look_again(struct target *t)
{
	t->place.exists = !fstatat(t->place.dir, t->place.name, &t->place.st,
				   AT_SYMLINK_NOFOLLOW);
	if (!t->place.exists)
		return errno == ENOENT ? ERR_OK : target_failed(t, errno);
	if (S_ISLNK(t->place.st.st_mode))
		return ERR_LATER;
	return check_kind(t, t->place.st.st_mode);
}

/*
 * Open what is there under the lock; ERR_LATER = it is another one by now.
 * What was a file just before we had the lock is opened without a second look.
 */
static enum err open_old(struct target *t)
{
	static const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	enum err e = ERR_OK;

	if (t->waited || !t->place.exists)
		e = look_again(t);
	if (e || !t->place.exists)
		return e;
	e = check_access(t);
	if (e)
		return e;
	t->old.fd = fd_openat(t->place.dir, t->place.name, flags, 0);
	if (t->old.fd < 0 && (errno == ELOOP || errno == ENOENT))
		return ERR_LATER;
	if (t->old.fd < 0 || fstat(t->old.fd, &t->old.st))
		return target_failed(t, errno);
	return check_kind(t, t->old.st.st_mode);
}

/* A caller with little patience does not wait: it is told that it is busy. */
static enum err take_lock(struct target *t)
{
	bool hasty = t->errand && t->errand->patience;
	const struct lock_wait wait = {
		.ms = hasty ? 0 : t->w->options.lock_wait_ms,
		.errand = t->errand,
		.path = t->path,
	};
	enum err e =
		lock_take(&t->lock, &t->w->locks, t->place.dir, &wait, t->f);

	t->waited = t->waited || t->lock.waited;
	return e;
}

/*
 * The place is where links have led to. Without one it has the last name of
 * the path, in the directory that the rest of the path names.
 */
static enum err refuse_link(struct target *t)
{
	struct str dir = path_cut(t->path), rest = str_skip(t->path, dir.len);
	auto_place above = PLACE_INIT;
	struct str name;
	struct stat st;
	enum err e;

	e = beneath_place(t->roots, dir, t->mem, &above, t->f);
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

/* Where it is to be, with directories that are not there yet. */
static enum err find_new_key(struct target *t, struct str *ret)
{
	auto_place p = PLACE_INIT;
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
		e = beneath_place_key(t->roots, key, t->mem, &t->place, t->f);
	if (e)
		target_undo(t);
	return e;
}

static enum err find_place(struct target *t)
{
	enum err e;

	if (t->key.len)
		e = beneath_place_key(t->roots, t->key, t->mem, &t->place,
				      t->f);
	else
		e = beneath_place(t->roots, t->path, t->mem, &t->place, t->f);
	if (e == ERR_NO_PARENT && t->parents)
		e = make_parents(t);
	if (e) { /* the caller knows only the file that it named */
		t->f->path = t->path;
		return e;
	}
	if (!t->place.name[0])
		return fail(t->f, ERR_IS_DIRECTORY, .path = t->path);
	if (t->no_follow)
		e = refuse_link(t);
	if (!e && t->place.exists)
		e = check_kind(t, t->place.st.st_mode);
	return e;
}

/* Whoever made the directory may have taken it back while we waited. */
static bool is_unlinked(int dir)
{
	struct stat st;

	return !fstat(dir, &st) && !st.st_nlink;
}

static enum err find(struct target *t)
{
	enum err e;

	e = find_place(t);
	if (!e)
		e = take_lock(t);
	if (e)
		return e;
	if (t->parents && is_unlinked(t->place.dir))
		return ERR_LATER;
	e = open_old(t);
	if (e || t->old.fd < 0 || !journal_pending(&t->w->journal, &t->old.st))
		return e;
	e = local_settle(t->w, t->roots, t->place.key, &t->old.st, t->errand,
			 t->mem, t->f);
	if (!e && fstat(t->old.fd, &t->old.st))
		return target_failed(t, errno);
	return e;
}

enum err target_find(struct target *t)
{
	enum err e = ERR_LATER;

	for (int i = 0; e == ERR_LATER && i < TRIES; i++) {
		target_drop(t);
		e = find(t);
	}
	return e == ERR_LATER ? target_failed(t, ELOOP) : e;
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
	if (e && errno == EBADF) /* we may not read it, so not sync it */
		e = syncfs(file);
	return e ? target_failed(t, errno) : ERR_OK;
}

uint64_t target_salt(const struct target *t)
{
	return lock_salt(&t->lock);
}
