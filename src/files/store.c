#include "base/clock.h"
#include "base/fd.h"
#include "files/beneath.h"
#include "files/local.h"
#include "files/locks.h"
#include "files/meta.h"
#include "files/replace.h"
#include "files/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * One store: find the place, take the lock of its directory, look at what is
 * there, then put the new bytes in its place as one step, or, where only that
 * is possible, in place under a journal.
 */

enum { TRIES = 8, LARGE = 1024 * 1024, LOCK_SLICE_MS = 50 };

struct store {
	struct ws_local *w;
	struct str path;
	const struct store_want *want;
	struct arena *mem;
	struct fault *f;
	struct place place;
	struct lock lock;
	struct replace_old old; /* old.fd is -1 when there is none */
	bool lose;              /* metadata, rather than not to store at all */
	bool done;              /* it has its new content: no other way */
	struct stored *ret;
};

#define auto_store cleanup(store_drop) struct store

static void store_drop(struct store *s)
{
	fd_drop(&s->old.fd);
	lock_drop(&s->lock);
	place_drop(&s->place);
}

static enum err os_failed(struct store *s, int error)
{
	enum err e = fail_os(s->f, error, s->path);

	s->f->bytes = s->want->bytes.len;
	return e;
}

static enum err check_kind(struct store *s, mode_t mode)
{
	if (S_ISDIR(mode))
		return fail(s->f, ERR_IS_DIRECTORY, .path = s->path);
	if (!S_ISREG(mode))
		return fail(s->f, ERR_NOT_A_FILE, .path = s->path);
	return ERR_OK;
}

/*
 * May we write to it? Being allowed to put another file in its place is not
 * the same, so this is asked before everything else.
 */
static enum err check_access(struct store *s)
{
	if (faccessat(s->place.dir, s->place.name, W_OK,
		      AT_EACCESS | AT_SYMLINK_NOFOLLOW))
		return os_failed(s, errno);
	return ERR_OK;
}

/* Open what is there under the lock; ERR_LATER = it became a link. */
static enum err open_old(struct store *s)
{
	static const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	struct stat st;
	enum err e;

	if (fstatat(s->place.dir, s->place.name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? ERR_OK : os_failed(s, errno);
	if (S_ISLNK(st.st_mode))
		return ERR_LATER;
	e = check_kind(s, st.st_mode);
	if (!e)
		e = check_access(s);
	if (e)
		return e;
	s->old.fd = fd_openat(s->place.dir, s->place.name, flags, 0);
	if (s->old.fd < 0 && (errno == ELOOP || errno == ENOENT))
		return ERR_LATER;
	if (s->old.fd < 0 || fstat(s->old.fd, &s->old.st))
		return os_failed(s, errno);
	return check_kind(s, s->old.st.st_mode);
}

/* Wait for whoever has the lock, but not for a caller who gives up. */
static enum err take_lock(struct store *s)
{
	uint64_t until = clock_ms() + s->w->options.lock_wait_ms;
	enum err e, stop = ERR_OK;

	do {
		lock_drop(&s->lock);
		e = lock_take(&s->lock, s->place.dir, s->w->private.locks,
			      LOCK_SLICE_MS, s->path, s->f);
		if (e == ERR_BUSY)
			stop = errand_goes_on(s->want->errand, 0, 0, s->f);
	} while (e == ERR_BUSY && !stop && clock_ms() < until);
	return stop ? stop : e;
}

/* Find it and lock its directory: as often as it moves under our hands. */
static enum err find(struct store *s, const struct roots *roots)
{
	enum err e;

	e = beneath_place(roots, s->path, s->mem, &s->place, s->f);
	if (e)
		return e;
	if (!s->place.name[0])
		return fail(s->f, ERR_IS_DIRECTORY, .path = s->path);
	if (s->place.exists) {
		e = check_kind(s, s->place.st.st_mode);
		if (e)
			return e;
	}
	e = take_lock(s);
	if (e)
		return e;
	e = open_old(s);
	if (e || s->old.fd < 0 || !journal_pending(&s->w->journal, &s->old.st))
		return e;
	e = local_settle(s->w, roots, s->path, &s->old.st, s->mem, s->f);
	if (!e && fstat(s->old.fd, &s->old.st))
		return os_failed(s, errno);
	return e;
}

static enum err find_again(struct store *s, const struct roots *roots)
{
	enum err e = ERR_LATER;

	for (int i = 0; e == ERR_LATER && i < TRIES; i++) {
		store_drop(s);
		e = find(s, roots);
	}
	return e == ERR_LATER ? os_failed(s, ELOOP) : e;
}

static enum err changed(struct store *s, const struct hash *now)
{
	char hex[HASH_HEX + 1] = "";

	if (now)
		hash_hex(*now, hex);
	return fail(s->f, ERR_CHANGED, .path = s->path,
		    .version = arena_copy(s->mem, str_of(hex)));
}

/* Is the base what the caller wants? *ret_same: it has the bytes already. */
static enum err compare(struct store *s, bool *ret_same)
{
	const struct store_want *want = s->want;
	struct hash now;
	int is;

	*ret_same = false;
	if (s->old.fd < 0)
		return want->base == STORE_VERSION ? changed(s, NULL) : ERR_OK;
	if (want->base == STORE_ANY) {
		if ((uint64_t)s->old.st.st_size != want->bytes.len)
			return ERR_OK;
		is = whole_is(s->old.fd, want->bytes);
		*ret_same = is == 1;
		return is < 0 ? os_failed(s, errno) : ERR_OK;
	}
	if (whole_hash(s->old.fd, &now))
		return os_failed(s, errno);
	if (want->base == STORE_ABSENT || !hash_eq(now, want->version))
		return changed(s, &now);
	s->old.exact = true;
	s->old.version = now;
	*ret_same = hash_eq(now, s->ret->version);
	return ERR_OK;
}

static enum err sync_dir(struct store *s, int file)
{
	int e;

	if (s->w->options.durability != DURABLE_POWER)
		return ERR_OK;
	e = fd_fsync(s->place.dir);
	if (e && errno == EBADF) /* we may not read it, so not sync it */
		e = syncfs(file);
	return e ? os_failed(s, errno) : ERR_OK;
}

/* The bytes and all else the new file needs, before it gets its name. */
static enum err fill(struct store *s, struct replace *r, unsigned *lost)
{
	const struct str bytes = s->want->bytes;
	struct stat st;

	if (bytes.len > LARGE && fallocate(r->fd, 0, 0, (off_t)bytes.len) &&
	    (errno == ENOSPC || errno == EDQUOT))
		return os_failed(s, errno);
	if (fd_pwrite(r->fd, bytes, 0))
		return os_failed(s, errno);
	if (s->old.fd >= 0 && meta_keep(s->old.fd, &s->old.st, r->fd, lost))
		return os_failed(s, errno);
	if (s->w->options.durability == DURABLE_POWER && fd_fsync(r->fd))
		return os_failed(s, errno);
	if (fstat(r->fd, &st))
		return os_failed(s, errno);
	return (uint64_t)st.st_size == bytes.len ? ERR_OK : os_failed(s, EIO);
}

/* What we are about to say: is it still true of the file with that name? */
static enum err check_stored(struct store *s, int fd)
{
	struct hash now;
	struct stat st, at;

	if (fstat(fd, &st) || whole_hash(fd, &now))
		return os_failed(s, errno);
	if (fstatat(s->place.dir, s->place.name, &at, AT_SYMLINK_NOFOLLOW)) {
		if (errno != ENOENT)
			return os_failed(s, errno);
		at = (struct stat){ 0 };
	}
	if (st.st_ino == at.st_ino && st.st_dev == at.st_dev &&
	    (uint64_t)at.st_size == s->want->bytes.len &&
	    hash_eq(now, s->ret->version))
		return ERR_OK;
	return fail(s->f, ERR_OVERTAKEN, .path = s->path);
}

/* Those who do not see our lock must not take our neighbour for theirs. */
static uint64_t salt(const struct store *s)
{
	return s->lock.alone ? geteuid() : 0;
}

static void tell_meta(struct store *s, unsigned had, unsigned lost)
{
	s->ret->kept = meta_words(had & ~lost, s->mem);
	s->ret->lost = meta_words(lost, s->mem);
}

static enum err put_beside(struct store *s)
{
	auto_replace r = REPLACE_INIT;
	bool is_new = s->old.fd < 0;
	char hex[HASH_HEX + 1];
	unsigned lost = 0;
	enum err e;

	e = replace_begin(&r, s->place.dir, s->place.name, s->path,
			  is_new ? 0666 : 0600, salt(s), s->f);
	if (!e)
		e = fill(s, &r, &lost);
	if (!e && lost & ~META_NEVER_KEPT && !s->lose)
		e = ERR_LATER; /* not while it can be written where it is */
	r.version = s->ret->version;
	if (!e)
		e = replace_commit(&r, is_new ? NULL : &s->old, hex, s->f);
	if (e == ERR_CHANGED && s->f->version.len)
		s->f->version = arena_copy(s->mem, s->f->version);
	s->done = !e;
	if (!e)
		e = sync_dir(s, r.fd);
	if (!e && !is_new)
		tell_meta(s, meta_extra(s->old.fd, &s->old.st), lost);
	return e ? e : check_stored(s, r.fd);
}

/* The file must keep its inode. */
static enum err put_in_place(struct store *s)
{
	static const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	auto_fd fd = fd_openat(s->place.dir, s->place.name, flags, 0);
	struct hash now;
	struct stat st;
	unsigned had;

	if (fd < 0 || fstat(fd, &st))
		return os_failed(s, errno);
	had = meta_extra(fd, &st);
	if (st.st_ino != s->old.st.st_ino || st.st_dev != s->old.st.st_dev)
		return changed(s, NULL);
	if (journal_write(&s->w->journal, fd, s->path,
			  s->old.exact ? &s->old.version : NULL,
			  s->want->bytes)) {
		if (errno == ESTALE && !whole_hash(fd, &now))
			return changed(s, &now);
		return os_failed(s, errno);
	}
	/* Writing takes the set-user-ID bit from those who are not root. */
	if (st.st_mode & (S_ISUID | S_ISGID))
		(void)fchmod(fd, st.st_mode & 07777);
	if (fstat(fd, &st))
		return os_failed(s, errno);
	tell_meta(s, had, had & ~meta_extra(fd, &st));
	s->ret->in_place = true;
	return check_stored(s, fd);
}

/* Refused a neighbour, or its place: what only the directory forbids. */
static bool directory_forbids(const struct store *s)
{
	if (s->done)
		return false;
	switch (s->f->os) {
	case EACCES:
	case EPERM:
	case EROFS:
	case EBUSY:
		return true;
	default:
		return false;
	}
}

/*
 * A neighbour would not have the owner or something else of the file: write
 * it in place, and lose that only when even the journal cannot be written.
 */
static enum err put_with_loss(struct store *s)
{
	enum err e = put_in_place(s);

	if (!e || e == ERR_CHANGED || !directory_forbids(s))
		return e;
	s->lose = true;
	return put_beside(s);
}

static enum err put(struct store *s)
{
	enum err e;

	if (s->old.fd < 0)
		return put_beside(s);
	/* The second name may be a neighbour that a death has left. */
	if (s->old.st.st_nlink > 1 &&
	    replace_settle(s->place.dir, s->place.name, salt(s)) &&
	    fstat(s->old.fd, &s->old.st))
		return os_failed(s, errno);
	if (s->old.st.st_nlink > 1)
		return put_in_place(s);
	e = put_beside(s);
	if (e == ERR_LATER)
		return put_with_loss(s);
	if (e && e != ERR_CHANGED && directory_forbids(s))
		return put_in_place(s);
	return e;
}

enum err local_store(struct workspace *ws, struct str path,
		     const struct store_want *want, struct arena *mem,
		     struct stored *ret, struct fault *f)
{
	struct ws_local *w = (struct ws_local *)ws;
	auto_roots *roots = local_roots(w);
	struct stored out = { .version = hash_of(want->bytes) };
	auto_store s = {
		.w = w,
		.path = path,
		.want = want,
		.mem = mem,
		.f = f,
		.place = PLACE_INIT,
		.lock = LOCK_INIT,
		.old.fd = -1,
		.ret = &out,
	};
	bool same;
	enum err e;

	e = find_again(&s, roots);
	if (!e)
		e = compare(&s, &same);
	if (!e && !same)
		e = put(&s);
	if (e) {
		if (e == ERR_DISK_FULL)
			f->bytes = want->bytes.len;
		return e;
	}
	out.created = s.old.fd < 0;
	out.key = s.place.key;
	*ret = out;
	return ERR_OK;
}
