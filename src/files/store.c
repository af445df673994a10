#include "base/fd.h"
#include "files/meta.h"
#include "files/target.h"
#include "files/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * One store: find the place, take the lock of its directory, look at what is
 * there, then put the new bytes in its place as one step, or, where only that
 * is possible, in place under a journal.
 */

enum { SMALL = 64 * 1024, LARGE = 1024 * 1024 };

struct store {
	struct target t;
	const struct store_want *want;
	bool lose;    /* metadata, rather than not to store at all */
	bool done;    /* it has its new content: no other way */
	int in_place; /* the file, where it is written in place; else -1 */
	bool asked;   /* the caller has been told that all is ready */
	enum err say; /* what ask() says */
	struct stored *ret;
};

#define auto_store cleanup(store_drop) struct store

static void store_drop(struct store *s)
{
	target_drop(&s->t);
}

static enum err os_failed(struct store *s, int error)
{
	return target_failed(&s->t, error);
}

/*
 * All is ready: may it happen, and is this still the place? The caller is
 * asked once, whichever way is then taken, and not when the call has been
 * cancelled: what it brought may have been cut short. @file is what is changed
 * in place.
 */
static enum err ask(struct store *s, int file)
{
	if (!s->asked)
		s->say = errand_goes_on(s->want->errand, 0, 0, s->t.f);
	if (!s->asked && !s->say && s->want->ready)
		s->say = s->want->ready(s->want->ctx, s->t.f);
	s->asked = true;
	if (!s->say)
		s->say = target_is_there(&s->t, file);
	return s->say;
}

/* Is the base what the caller wants? *ret_same: it has the bytes already. */
static enum err compare(struct store *s, bool *ret_same)
{
	const struct store_want *want = s->want;
	struct hash now;
	int is;

	*ret_same = false;
	if (s->t.old.fd < 0)
		return want->base == STORE_VERSION ? target_changed(&s->t, NULL)
						   : ERR_OK;
	if (want->base == STORE_ANY) {
		if ((uint64_t)s->t.old.st.st_size != want->bytes.len)
			return ERR_OK;
		is = whole_is(s->t.old.fd, want->bytes);
		*ret_same = is == 1;
		return is < 0 ? os_failed(s, errno) : ERR_OK;
	}
	if (whole_hash_for(want->errand, s->t.old.fd, s->t.old.st.st_size,
			   &now))
		return os_failed(s, errno);
	if (want->base == STORE_ABSENT || !hash_eq(now, want->version))
		return target_changed(&s->t, &now);
	s->t.old.exact = true;
	s->t.old.version = now;
	*ret_same = hash_eq(now, s->ret->version);
	return ERR_OK;
}

/* The bytes and all else the new file needs, before it gets its name. */
static enum err fill(struct store *s, struct replace *r, struct meta_kept *kept)
{
	const struct str bytes = s->want->bytes;
	bool is_new = s->t.old.fd < 0;

	if (bytes.len > LARGE && fallocate(r->fd, 0, 0, (off_t)bytes.len) &&
	    (errno == ENOSPC || errno == EDQUOT))
		return os_failed(s, errno);
	if (fd_pwrite(r->fd, bytes, 0))
		return os_failed(s, errno);
	if (is_new ? fstat(r->fd, &kept->now)
		   : meta_keep(s->t.old.fd, &s->t.old.st, r->fd, kept))
		return os_failed(s, errno);
	if ((uint64_t)kept->now.st_size != bytes.len)
		return os_failed(s, EIO);
	if (s->want->set_mode &&
	    meta_set_mode(r->fd, s->want->mode, &kept->lost))
		return os_failed(s, errno);
	if (s->t.w->options.durability == DURABLE_POWER && fd_fsync(r->fd))
		return os_failed(s, errno);
	return ERR_OK;
}

/*
 * What we are about to say: is it still true of the file with that name? Ours
 * is open at @fd, and @st was taken of it at some time.
 */
static enum err check_stored(struct store *s, int fd, const struct stat *st)
{
	struct hash now;
	struct stat at;
	enum err e;

	if (whole_hash(fd, (off_t)s->want->bytes.len, &now))
		return os_failed(s, errno);
	e = target_now(&s->t, &at);
	if (e)
		return e;
	if (st->st_ino == at.st_ino && st->st_dev == at.st_dev &&
	    (uint64_t)at.st_size == s->want->bytes.len &&
	    hash_eq(now, s->ret->version))
		return ERR_OK;
	return fail(s->t.f, ERR_OVERTAKEN, .path = s->t.path);
}

static void tell_meta(struct store *s, unsigned had, unsigned lost)
{
	s->ret->kept = meta_words(had & ~lost, s->t.mem);
	s->ret->lost = meta_words(lost, s->t.mem);
}

/* Is more lost than cannot be kept, or was to be changed anyway? */
static bool grave(const struct store *s, unsigned lost)
{
	unsigned light = META_NEVER_KEPT;

	if (s->want->set_mode)
		light |= META_MODE;
	return lost & ~light;
}

static enum err put_beside(struct store *s)
{
	auto_replace r = REPLACE_INIT;
	bool is_new = s->t.old.fd < 0;
	char hex[HASH_HEX + 1];
	struct meta_kept kept = { 0 };
	enum err e;

	if (!is_new)
		r.fd = spare_take(&s->t.w->spares, s->t.place.dir);
	e = replace_begin(&r, s->t.place.dir, s->t.place.name, s->t.path,
			  is_new ? 0666 : 0600, target_salt(&s->t), s->t.f);
	if (!e)
		e = fill(s, &r, &kept);
	if (!e && grave(s, kept.lost) && !s->lose)
		return ERR_LATER; /* not while it can be written where it is */
	r.version = s->ret->version;
	if (!e)
		e = ask(s, -1);
	if (!e)
		e = replace_commit(&r, is_new ? NULL : &s->t.old, hex, s->t.f);
	if (e == ERR_CHANGED && s->t.f->version.len)
		s->t.f->version = arena_copy(s->t.mem, s->t.f->version);
	s->done = !e;
	if (!e)
		e = target_sync(&s->t, r.fd);
	if (!e && !is_new)
		tell_meta(s, kept.had, kept.lost);
	return e ? e : check_stored(s, r.fd, &kept.now);
}

static int ask_for_journal(void *ctx)
{
	struct store *s = ctx;

	return ask(s, s->in_place) ? -1 : 0;
}

/* The mode after writing in place, and what else is there still of @had. */
static enum err finish_in_place(struct store *s, int fd, struct stat *st,
				unsigned had)
{
	unsigned lost = 0, gone;

	/* Writing takes the set-user-ID bit from those who are not root. */
	if (!s->want->set_mode && st->st_mode & (S_ISUID | S_ISGID))
		(void)fchmod(fd, st->st_mode & 07777);
	if (s->want->set_mode && meta_set_mode(fd, s->want->mode, &lost))
		return os_failed(s, errno);
	if (fstat(fd, st))
		return os_failed(s, errno);
	gone = had & ~meta_extra(fd, st);
	if (s->want->set_mode)
		gone = (gone & ~(unsigned)META_MODE) | lost;
	tell_meta(s, had, gone);
	return ERR_OK;
}

/* The file must keep its inode. */
static enum err put_in_place(struct store *s)
{
	static const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	auto_fd fd = fd_openat(s->t.place.dir, s->t.place.name, flags, 0);
	const struct journal_want want = {
		.path = s->t.path,
		.base = s->t.old.exact ? &s->t.old.version : NULL,
		.bytes = s->want->bytes,
		.errand = s->want->errand,
		.ready = ask_for_journal,
		.ctx = s,
	};
	struct hash now;
	struct stat st;
	unsigned had;
	enum err e;

	if (fd < 0 || fstat(fd, &st))
		return os_failed(s, errno);
	had = meta_extra(fd, &st);
	if (st.st_ino != s->t.old.st.st_ino || st.st_dev != s->t.old.st.st_dev)
		return target_changed(&s->t, NULL);
	s->in_place = fd;
	if (journal_write(&s->t.w->journal, fd, &want)) {
		if (s->say)
			return s->say;
		if (errno == ESTALE && !whole_hash(fd, st.st_size, &now))
			return target_changed(&s->t, &now);
		if (errno == EWOULDBLOCK)
			return journal_failed(s->t.f, errno, s->t.path);
		return os_failed(s, errno);
	}
	s->ret->in_place = true;
	e = finish_in_place(s, fd, &st, had);
	return e ? e : check_stored(s, fd, &st);
}

/* Refused a neighbour, or its place: what only the directory forbids. */
static bool directory_forbids(const struct store *s)
{
	if (s->done || s->say)
		return false;
	switch (s->t.f->os) {
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

	if (s->t.old.fd < 0)
		return put_beside(s);
	/* The second name may be a neighbour that a death has left. */
	if (s->t.old.st.st_nlink > 1 &&
	    replace_settle(s->t.place.dir, s->t.place.name,
			   target_salt(&s->t)) &&
	    fstat(s->t.old.fd, &s->t.old.st))
		return os_failed(s, errno);
	if (s->t.old.st.st_nlink > 1)
		return put_in_place(s);
	e = put_beside(s);
	if (s->say)
		return e;
	if (e == ERR_LATER)
		return put_with_loss(s);
	if (e && e != ERR_CHANGED && directory_forbids(s))
		return put_in_place(s);
	return e;
}

/* It has the bytes already; has it the mode? */
static enum err put_mode(struct store *s)
{
	unsigned lost = 0;
	enum err e;

	if (!s->want->set_mode ||
	    (s->t.old.st.st_mode & 07777) == (s->want->mode & 07777))
		return ERR_OK;
	e = ask(s, s->t.old.fd);
	if (e)
		return e;
	if (meta_set_mode(s->t.old.fd, s->want->mode, &lost))
		return os_failed(s, errno);
	if (s->t.w->options.durability == DURABLE_POWER &&
	    fd_fsync(s->t.old.fd))
		return os_failed(s, errno);
	s->ret->lost = meta_words(lost, s->t.mem);
	return ERR_OK;
}

static enum err store(struct store *s)
{
	bool same;
	enum err e;

	e = target_find(&s->t);
	if (!e)
		e = compare(s, &same);
	if (!e)
		e = same ? put_mode(s) : put(s);
	if (e)
		target_undo(&s->t);
	if (e == ERR_DISK_FULL)
		s->t.f->bytes = s->want->bytes.len;
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
		.t = { .w = w,
		       .roots = roots,
		       .path = path,
		       .key = want->key,
		       .errand = want->errand,
		       .mem = mem,
		       .f = f,
		       .bytes = want->bytes.len,
		       .parents = want->parents,
		       TARGET_INIT },
		.want = want,
		.in_place = -1,
		.ret = &out,
	};
	enum err e = store(&s);

	if (e)
		return e;
	out.created = s.t.old.fd < 0;
	if (s.done)
		spare_leave(&w->spares, &s.t.old.fd,
			    s.t.old.st.st_size > SMALL);
	out.key = s.t.place.key;
	*ret = out;
	return ERR_OK;
}
