/*
 * append.c - ws_append() for files on the disk.
 *
 * Under the lock of the directory, one write() with O_APPEND; a short write is
 * truncated again. A file that does not exist is created with its content, by
 * replace.h. A race with another program returns ERR_RETRY to append_run(),
 * which starts over a bounded number of times.
 */
#include "base/fd.h"
#include "files/content.h"
#include "files/target.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { MAX_TRIES = 4 };

struct append_op {
	struct target t;
	const struct append_want *want;
	bool confirmed;
	struct appended *ret;
};

#define auto_append_op cleanup(append_op_drop) struct append_op

static void append_op_drop(struct append_op *a)
{
	target_drop(&a->t);
}

/* The last check before the change; @file is the file to extend, or -1. */
static enum err append_confirm(struct append_op *a, uint64_t at,
			       struct str bytes, int file)
{
	enum err e = ERR_OK;

	if (!a->confirmed)
		e = progress_check(a->want->progress, 0, 0, a->t.f);
	if (!e && !a->confirmed && a->want->ready)
		e = a->want->ready(a->want->ctx, at, bytes, a->t.f);
	a->confirmed = true;
	return e ? e : target_is_there(&a->t, file);
}

static bool append_is_durable(const struct append_op *a)
{
	return a->t.w->options.durability == DURABLE_POWER;
}

static enum err append_report(struct append_op *a, int fd, uint64_t at,
			      uint64_t n)
{
	struct stat st, now;
	enum err e;

	if (fstat(fd, &st))
		return target_failed(&a->t, errno);
	e = target_now(&a->t, &now);
	if (e)
		return e;
	if (st.st_ino != now.st_ino || st.st_dev != now.st_dev)
		return fail(a->t.f, ERR_OVERTAKEN, .path = a->t.path);
	a->ret->key = a->t.place.key;
	a->ret->at = at;
	a->ret->written = n;
	a->ret->stat = stat_data_of(&st);
	return ERR_OK;
}

static enum err append_create(struct append_op *a)
{
	const unsigned mode = a->want->mode ? a->want->mode : 0666;
	const struct str bytes = a->want->bytes;
	auto_replace r = REPLACE_INIT;
	char hex[HASH_HEX + 1];
	enum err e;

	if (a->want->version)
		return fail(a->t.f, ERR_CHANGED, .path = a->t.path);
	if (a->want->dry_run) {
		e = target_can_create(&a->t);
		return e ? e : append_confirm(a, 0, bytes, -1);
	}
	e = replace_begin(&r, a->t.place.dir, a->t.place.name, a->t.path, mode,
			  target_salt(&a->t), a->t.f);
	if (e)
		return e;
	if (fd_pwrite(r.fd, bytes, 0) ||
	    (append_is_durable(a) && fd_fsync(r.fd)))
		return target_failed(&a->t, errno);
	e = append_confirm(a, 0, bytes, -1);
	if (e)
		return e;
	e = replace_commit(&r, NULL, hex, a->t.f);
	if (e == ERR_CHANGED) /* created meanwhile: extend it */
		return ERR_RETRY;
	if (!e)
		e = target_sync(&a->t, r.fd);
	a->ret->created = true;
	return e ? e : append_report(a, r.fd, 0, bytes.len);
}

/* Is the last line not terminated? 1, 0, or -1 with errno. */
static int ends_within_line(int fd, uint64_t size, struct str newline)
{
	char last[8];
	size_t len = newline.len < size ? newline.len : (size_t)size;
	ssize_t n;

	if (!len || len > sizeof(last))
		return 0;
	n = fd_pread(fd, last, len, (off_t)(size - len));
	return n < 0 ? -1 : !str_eq(str_make(last, (size_t)n), newline);
}

/* ERR_CHANGED unless the file has the version that the caller expects. */
static enum err append_check_version(struct append_op *a, int fd, uint64_t size)
{
	struct hash now;

	if (!a->want->version)
		return ERR_OK;
	if (content_hash_cancellable(a->want->progress, fd, (off_t)size, &now))
		return target_failed(&a->t, errno);
	if (!hash_eq(now, *a->want->version))
		return fail(a->t.f, ERR_CHANGED, .path = a->t.path);
	return ERR_OK;
}

/* Undo a short write, unless another program has appended after it. */
static void cut_back(int fd, uint64_t at, uint64_t n)
{
	int error = errno;
	struct stat st;

	if (!fstat(fd, &st) && (uint64_t)st.st_size > at &&
	    (uint64_t)st.st_size <= at + n)
		(void)!ftruncate(fd, (off_t)at);
	errno = error;
}

/* 0, or -1 with errno and the file unchanged. */
static int write_end(struct append_op *a, int fd, uint64_t size,
		     struct str bytes, uint64_t *ret_at)
{
	ssize_t took = fd_write_once(fd, bytes);
	off_t end;

	if (took >= 0 && (size_t)took < bytes.len)
		errno = ENOSPC;
	else if (took >= 0 && !(append_is_durable(a) && fd_fsync(fd))) {
		end = bytes.len ? lseek(fd, 0, SEEK_CUR) : (off_t)size;
		*ret_at = (uint64_t)end - bytes.len;
		return 0;
	}
	cut_back(fd, size, bytes.len);
	return -1;
}

/* Also lock the file if it may be written in place through another name. */
static int append_lock_file(struct append_op *a, int fd, struct stat *st,
			    struct file_lock *l)
{
	const struct journal *j = &a->t.w->journal;

	if (st->st_nlink < 2 && !a->t.lock.alone && !journal_pending(j, st))
		return 0;
	return journal_lock(j, fd, a->t.progress, l) || fstat(fd, st);
}

static struct str after_eol(struct arena *mem, struct str eol, struct str bytes)
{
	char *to = arena_alloc(mem, eol.len + bytes.len);

	memcpy(to, eol.ptr, eol.len);
	memcpy(to + eol.len, bytes.ptr, bytes.len);
	return str_make(to, eol.len + bytes.len);
}

static enum err append_extend(struct append_op *a)
{
	static const int flags =
		O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	auto_fd fd = fd_openat(a->t.place.dir, a->t.place.name, flags, 0);
	auto_file_lock lock = FILE_LOCK_INIT;
	struct str bytes = a->want->bytes;
	uint64_t size, at;
	struct stat st;
	int unterminated;
	enum err e;

	if (fd < 0 && (errno == ENOENT || errno == ELOOP))
		return ERR_RETRY;
	if (fd < 0 || fstat(fd, &st))
		return target_failed(&a->t, errno);
	if (st.st_ino != a->t.old.st.st_ino || st.st_dev != a->t.old.st.st_dev)
		return ERR_RETRY;
	if (append_lock_file(a, fd, &st, &lock))
		return journal_failed(a->t.f, errno, a->t.path);
	if (st.st_nlink > 1) /* one may be a temporary file left by a crash */
		(void)replace_remove_stale(a->t.place.dir, a->t.place.name,
					   target_salt(&a->t));
	size = (uint64_t)st.st_size;
	e = append_check_version(a, fd, size);
	if (e)
		return e;
	unterminated = ends_within_line(fd, size, a->want->newline);
	if (unterminated < 0)
		return target_failed(&a->t, errno);
	if (unterminated)
		bytes = after_eol(a->t.mem, a->want->eol, bytes);
	e = append_confirm(a, size, bytes, fd);
	if (e)
		return e;
	if (write_end(a, fd, size, bytes, &at))
		return target_failed(&a->t, errno);
	a->ret->completed = unterminated;
	return append_report(a, fd, at, bytes.len);
}

static enum err append_run(struct append_op *a)
{
	enum err e = ERR_RETRY;

	for (int i = 0; e == ERR_RETRY && i < MAX_TRIES; i++) {
		*a->ret = (struct appended){ 0 };
		e = target_find(&a->t);
		if (!e)
			e = a->t.old.fd < 0 ? append_create(a)
					    : append_extend(a);
	}
	if (e == ERR_RETRY)
		e = target_failed(&a->t, EAGAIN);
	if (e)
		target_undo(&a->t);
	if (e == ERR_DISK_FULL)
		a->t.f->bytes = a->want->bytes.len;
	return e;
}

enum err local_append(struct workspace *ws, struct str path,
		      const struct append_want *want, struct arena *mem,
		      struct appended *ret, struct fault *f)
{
	struct ws_local *w = (struct ws_local *)ws;
	auto_roots *roots = local_roots(w);
	struct appended out;
	auto_append_op a = {
		.t = { .w = w,
		       .roots = roots,
		       .path = path,
		       .key = want->key,
		       .progress = want->progress,
		       .mem = mem,
		       .f = f,
		       .bytes = want->bytes.len,
		       .parents = want->parents,
		       .no_follow = want->no_follow,
		       TARGET_INIT },
		.want = want,
		.ret = &out,
	};
	enum err e = append_run(&a);

	if (!e)
		*ret = out;
	return e;
}
