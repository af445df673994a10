/*
 * store.c - ws_store() for files on the disk.
 *
 * Find and lock the target, compare its version, then replace it atomically
 * (replace.h). A file with several hard links, in a directory that we may not
 * write to, or whose metadata a new file could not get, is overwritten in
 * place under a journal (journal.h).
 */
#include "base/fd.h"
#include "files/content.h"
#include "files/metadata.h"
#include "files/target.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { SMALL = 64 * 1024, LARGE = 1024 * 1024 };

struct store_op {
	struct target t;
	const struct store_want *want;
	bool allow_loss;  /* lose metadata rather than fail */
	bool done;        /* committed: do not try another way */
	int in_place;     /* the file that is overwritten; -1 = none */
	bool confirmed;   /* want->ready() was called */
	enum err refused; /* result of store_confirm() */
	struct stored *ret;
};

#define auto_store_op cleanup(store_op_drop) struct store_op

static void store_op_drop(struct store_op *s)
{
	target_drop(&s->t);
}

static enum err store_failed(struct store_op *s, int error)
{
	return target_failed(&s->t, error);
}

/*
 * The last check before the change. The caller's ready() is called once,
 * whichever way is then taken, and not for a cancelled call, whose bytes may
 * be truncated. @file is the file that is overwritten in place, or -1.
 */
static enum err store_confirm(struct store_op *s, int file)
{
	if (!s->confirmed)
		s->refused = progress_check(s->want->progress, 0, 0, s->t.f);
	if (!s->confirmed && !s->refused && s->want->ready)
		s->refused = s->want->ready(s->want->ctx, s->t.f);
	s->confirmed = true;
	if (!s->refused)
		s->refused = target_is_there(&s->t, file);
	return s->refused;
}

/* Check want->base. *ret_same: the file already has the new content. */
static enum err store_compare(struct store_op *s, bool *ret_same)
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
		is = content_equals(s->t.old.fd, want->bytes);
		*ret_same = is == 1;
		return is < 0 ? store_failed(s, errno) : ERR_OK;
	}
	if (content_hash_cancellable(want->progress, s->t.old.fd,
				     s->t.old.st.st_size, &now))
		return store_failed(s, errno);
	if (want->base == STORE_ABSENT || !hash_eq(now, want->version))
		return target_changed(&s->t, &now);
	s->t.old.exact = true;
	s->t.old.version = now;
	*ret_same = hash_eq(now, s->ret->version);
	return ERR_OK;
}

/* Write content and metadata to the temporary file. */
static enum err store_fill(struct store_op *s, struct replace *r,
			   struct metadata_copied *kept)
{
	const struct str bytes = s->want->bytes;
	bool is_new = s->t.old.fd < 0;

	if (bytes.len > LARGE && fallocate(r->fd, 0, 0, (off_t)bytes.len) &&
	    (errno == ENOSPC || errno == EDQUOT))
		return store_failed(s, errno);
	if (fd_pwrite(r->fd, bytes, 0))
		return store_failed(s, errno);
	if (is_new ? fstat(r->fd, &kept->now)
		   : metadata_copy(s->t.old.fd, &s->t.old.st, r->fd, kept))
		return store_failed(s, errno);
	if ((uint64_t)kept->now.st_size != bytes.len)
		return store_failed(s, EIO);
	if (s->want->set_mode &&
	    metadata_set_mode(r->fd, s->want->mode, &kept->lost))
		return store_failed(s, errno);
	if (s->t.w->options.durability == DURABLE_POWER && fd_fsync(r->fd))
		return store_failed(s, errno);
	return ERR_OK;
}

/*
 * ERR_OVERTAKEN unless the target still is the file open at @fd (@st is an
 * fstat() of it) and has the new content.
 */
static enum err check_stored(struct store_op *s, int fd, const struct stat *st)
{
	int same = content_equals(fd, s->want->bytes);
	struct stat at;
	enum err e;

	if (same < 0)
		return store_failed(s, errno);
	e = target_now(&s->t, &at);
	if (e)
		return e;
	if (same && st->st_ino == at.st_ino && st->st_dev == at.st_dev &&
	    (uint64_t)at.st_size == s->want->bytes.len)
		return ERR_OK;
	return fail(s->t.f, ERR_OVERTAKEN, .path = s->t.path);
}

static void report_metadata(struct store_op *s, unsigned had, unsigned lost)
{
	s->ret->kept = metadata_names(had & ~lost, s->t.mem);
	s->ret->lost = metadata_names(lost, s->t.mem);
}

/* Lost metadata that writing in place would keep, and that was not set. */
static bool is_loss_grave(const struct store_op *s, unsigned lost)
{
	unsigned light = METADATA_NEVER_KEPT;

	if (s->want->set_mode)
		light |= METADATA_MODE;
	return lost & ~light;
}

static enum err store_by_replace(struct store_op *s)
{
	auto_replace r = REPLACE_INIT;
	bool is_new = s->t.old.fd < 0;
	char hex[HASH_HEX + 1];
	struct metadata_copied kept = { 0 };
	enum err e;

	if (!is_new)
		r.fd = tmpfile_pool_take(&s->t.w->tmpfiles, s->t.place.dir);
	e = replace_begin(&r, s->t.place.dir, s->t.place.name, s->t.path,
			  is_new ? 0666 : 0600, target_salt(&s->t), s->t.f);
	if (!e)
		e = store_fill(s, &r, &kept);
	if (!e && is_loss_grave(s, kept.lost) && !s->allow_loss)
		return ERR_LOSSY; /* retry in place */
	r.version = s->ret->version;
	if (!e)
		e = store_confirm(s, -1);
	if (!e)
		e = replace_commit(&r, is_new ? NULL : &s->t.old, hex, s->t.f);
	if (e == ERR_CHANGED && s->t.f->version.len)
		s->t.f->version = arena_copy(s->t.mem, s->t.f->version);
	s->done = !e;
	if (!e)
		e = target_sync(&s->t, r.fd);
	if (!e && !is_new)
		report_metadata(s, kept.had, kept.lost);
	return e ? e : check_stored(s, r.fd, &kept.now);
}

static int confirm_for_journal(void *ctx)
{
	struct store_op *s = ctx;

	return store_confirm(s, s->in_place) ? -1 : 0;
}

/* Restore the mode after writing in place, and report the metadata. */
static enum err finish_in_place(struct store_op *s, int fd, struct stat *st,
				unsigned had)
{
	unsigned lost = 0, gone;

	/* The kernel clears the set-ID bits on write, except for root. */
	if (!s->want->set_mode && st->st_mode & (S_ISUID | S_ISGID))
		(void)fchmod(fd, st->st_mode & 07777);
	if (s->want->set_mode && metadata_set_mode(fd, s->want->mode, &lost))
		return store_failed(s, errno);
	if (fstat(fd, st))
		return store_failed(s, errno);
	gone = had & ~metadata_extra(fd, st);
	if (s->want->set_mode)
		gone = (gone & ~(unsigned)METADATA_MODE) | lost;
	report_metadata(s, had, gone);
	return ERR_OK;
}

/* Overwrite the file: it keeps its inode. */
static enum err store_in_place(struct store_op *s)
{
	static const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	auto_fd fd = fd_openat(s->t.place.dir, s->t.place.name, flags, 0);
	const struct journal_want want = {
		.path = s->t.path,
		.base = s->t.old.exact ? &s->t.old.version : NULL,
		.bytes = s->want->bytes,
		.progress = s->want->progress,
		.ready = confirm_for_journal,
		.ctx = s,
	};
	struct hash now;
	struct stat st;
	unsigned had;
	enum err e;

	if (fd < 0 || fstat(fd, &st))
		return store_failed(s, errno);
	had = metadata_extra(fd, &st);
	if (st.st_ino != s->t.old.st.st_ino || st.st_dev != s->t.old.st.st_dev)
		return target_changed(&s->t, NULL);
	s->in_place = fd;
	if (journal_write(&s->t.w->journal, fd, &want)) {
		if (s->refused)
			return s->refused;
		if (errno == ESTALE && !content_hash(fd, st.st_size, &now))
			return target_changed(&s->t, &now);
		if (errno == EWOULDBLOCK)
			return journal_failed(s->t.f, errno, s->t.path);
		return store_failed(s, errno);
	}
	s->ret->in_place = true;
	e = finish_in_place(s, fd, &st, had);
	return e ? e : check_stored(s, fd, &st);
}

/* The directory forbids a temporary file or the rename, not the write. */
static bool directory_forbids(const struct store_op *s)
{
	if (s->done || s->refused)
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
 * A new file would lose the owner or other metadata: overwrite in place, and
 * accept the loss only when the journal cannot be written either.
 */
static enum err store_in_place_or_lose(struct store_op *s)
{
	enum err e = store_in_place(s);

	if (!e || e == ERR_CHANGED || !directory_forbids(s))
		return e;
	s->allow_loss = true;
	return store_by_replace(s);
}

static enum err store_content(struct store_op *s)
{
	enum err e;

	if (s->t.old.fd < 0)
		return store_by_replace(s);
	/* The second link may be a temporary file left by a crash. */
	if (s->t.old.st.st_nlink > 1 &&
	    replace_remove_stale(s->t.place.dir, s->t.place.name,
				 target_salt(&s->t)) &&
	    fstat(s->t.old.fd, &s->t.old.st))
		return store_failed(s, errno);
	if (s->t.old.st.st_nlink > 1)
		return store_in_place(s);
	e = store_by_replace(s);
	if (s->refused)
		return e;
	if (e == ERR_LOSSY)
		return store_in_place_or_lose(s);
	if (e && e != ERR_CHANGED && directory_forbids(s))
		return store_in_place(s);
	return e;
}

/*
 * A dry run: everything store_content() would find out before it writes. An
 * existing file may be written (target.c has checked), if need be in place in a
 * directory that takes no new file.
 */
static enum err store_check(struct store_op *s)
{
	enum err e = target_can_create(&s->t);

	if (e && e != ERR_DISK_FULL && s->t.old.fd >= 0)
		e = ERR_OK;
	return e ? e : store_confirm(s, -1);
}

/* The content is unchanged: set the mode if requested. */
static enum err store_mode(struct store_op *s)
{
	unsigned lost = 0;
	enum err e;

	if (!s->want->set_mode ||
	    (s->t.old.st.st_mode & 07777) == (s->want->mode & 07777))
		return ERR_OK;
	e = store_confirm(s, s->t.old.fd);
	if (e)
		return e;
	if (metadata_set_mode(s->t.old.fd, s->want->mode, &lost))
		return store_failed(s, errno);
	if (s->t.w->options.durability == DURABLE_POWER &&
	    fd_fsync(s->t.old.fd))
		return store_failed(s, errno);
	s->ret->lost = metadata_names(lost, s->t.mem);
	return ERR_OK;
}

static enum err store_run(struct store_op *s)
{
	bool same;
	enum err e;

	e = target_find(&s->t);
	if (!e)
		e = store_compare(s, &same);
	if (!e)
		e = same               ? store_mode(s)
		    : s->want->dry_run ? store_check(s)
				       : store_content(s);
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
	struct stored out = { .version = want->hash ? *want->hash
						    : hash_of(want->bytes) };
	auto_store_op s = {
		.t = { .w = w,
		       .roots = roots,
		       .path = path,
		       .key = want->key,
		       .progress = want->progress,
		       .mem = mem,
		       .f = f,
		       .bytes = want->bytes.len,
		       .parents = want->parents,
		       TARGET_INIT },
		.want = want,
		.in_place = -1,
		.ret = &out,
	};
	enum err e;

	assert(!want->dry_run || want->ready);
	e = store_run(&s);
	if (e)
		return e;
	out.created = s.t.old.fd < 0;
	if (s.done)
		tmpfile_pool_close_later(&w->tmpfiles, &s.t.old.fd,
					 s.t.old.st.st_size > SMALL);
	out.key = s.t.place.key;
	*ret = out;
	return ERR_OK;
}
