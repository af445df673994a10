/*
 * store_op.c - compares, prepares, overwrites and checks one file.
 */
#include "files/store_op.h"

#include "base/fd.h"
#include "files/content.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { LARGE = 1024 * 1024 };

/* The temporary file is removed while the directory is still locked. */
void store_op_drop(struct store_op *s)
{
	replace_drop(&s->r);
	fd_drop(&s->like.fd);
	target_drop(&s->t);
}

static enum err store_failed(struct store_op *s, int error)
{
	return target_failed(&s->t, error);
}

enum err store_confirm(struct store_op *s, int file)
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

enum err store_compare(struct store_op *s, bool *ret_same)
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
static enum err store_fill(struct store_op *s)
{
	const struct replace_old *from = s->t.old.fd < 0 ? &s->like : &s->t.old;
	struct metadata_copied *kept = &s->kept;
	const struct str bytes = s->want->bytes;
	int fd = s->r.fd;

	if (bytes.len > LARGE && fallocate(fd, 0, 0, (off_t)bytes.len) &&
	    (errno == ENOSPC || errno == EDQUOT))
		return store_failed(s, errno);
	if (fd_pwrite(fd, bytes, 0))
		return store_failed(s, errno);
	if (from->fd < 0 ? fstat(fd, &kept->now)
			 : metadata_copy(from->fd, &from->st, fd, kept))
		return store_failed(s, errno);
	if ((uint64_t)kept->now.st_size != bytes.len)
		return store_failed(s, EIO);
	if (s->want->set_mode &&
	    metadata_set_mode(fd, s->want->mode, &kept->lost))
		return store_failed(s, errno);
	return ERR_OK;
}

/* Lost metadata that writing in place would keep, and that was not set. */
static bool is_loss_grave(const struct store_op *s, unsigned lost)
{
	unsigned light = METADATA_NEVER_KEPT;

	if (s->want->set_mode)
		light |= METADATA_MODE;
	return lost & ~light;
}

enum err store_prepare(struct store_op *s, uint64_t salt, int fd)
{
	bool is_new = s->t.old.fd < 0;
	enum err e;

	replace_drop(&s->r);
	s->r.fd = fd;
	s->kept = (struct metadata_copied){ 0 };
	e = replace_begin(&s->r, s->t.place.dir, s->t.place.name, s->t.path,
			  is_new && s->like.fd < 0 ? 0666 : 0600, salt, s->t.f);
	if (!e)
		e = store_fill(s);
	s->r.version = s->ret->version;
	if (e || is_new || s->allow_loss || !is_loss_grave(s, s->kept.lost))
		return e;
	return ERR_LOSSY;
}

enum err store_sync(struct store_op *s)
{
	if (s->t.w->options.durability == DURABLE_POWER && fd_fsync(s->r.fd))
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

enum err store_check_replaced(struct store_op *s)
{
	if (s->t.old.fd >= 0 || s->like.fd >= 0)
		report_metadata(s, s->kept.had, s->kept.lost);
	return check_stored(s, s->r.fd, &s->kept.now);
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

enum err store_in_place(struct store_op *s)
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

bool store_is_forbidden(const struct store_op *s)
{
	if (s->refused)
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

enum err store_can(struct store_op *s)
{
	enum err e = target_can_create(&s->t);

	if (e && e != ERR_DISK_FULL && s->t.old.fd >= 0)
		e = ERR_OK;
	return e ? e : store_confirm(s, -1);
}

enum err store_mode(struct store_op *s)
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
