#include "base/fd.h"
#include "files/target.h"
#include "files/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * One append: under the lock of the directory, a single write at the end of
 * the file. What could not be written whole is cut off again. A file that is
 * not there yet gets its name when it has its content.
 */

enum { TRIES = 4 };

struct append {
	struct target t;
	const struct append_want *want;
	bool asked;
	struct appended *ret;
};

#define auto_append cleanup(append_drop) struct append

static void append_drop(struct append *a)
{
	target_drop(&a->t);
}

/* May it happen, and is this still the place? @file is what is extended. */
static enum err ask(struct append *a, uint64_t at, int file)
{
	enum err e = ERR_OK;

	if (!a->asked)
		e = errand_goes_on(a->want->errand, 0, 0, a->t.f);
	if (!e && !a->asked && a->want->ready)
		e = a->want->ready(a->want->ctx, at, a->t.f);
	a->asked = true;
	return e ? e : target_is_there(&a->t, file);
}

static bool durable(const struct append *a)
{
	return a->t.w->options.durability == DURABLE_POWER;
}

static enum err say(struct append *a, int fd, uint64_t at, uint64_t n)
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
	a->ret->stamp = stamp_of(&st);
	return ERR_OK;
}

static enum err create(struct append *a)
{
	const unsigned mode = a->want->mode ? a->want->mode : 0666;
	const struct str bytes = a->want->bytes;
	auto_replace r = REPLACE_INIT;
	char hex[HASH_HEX + 1];
	enum err e;

	e = replace_begin(&r, a->t.place.dir, a->t.place.name, a->t.path, mode,
			  target_salt(&a->t), a->t.f);
	if (e)
		return e;
	if (fd_pwrite(r.fd, bytes, 0) || (durable(a) && fd_fsync(r.fd)))
		return target_failed(&a->t, errno);
	e = ask(a, 0, -1);
	if (e)
		return e;
	e = replace_commit(&r, NULL, hex, a->t.f);
	if (e == ERR_CHANGED) /* somebody has made it, so it has an end */
		return ERR_LATER;
	if (!e)
		e = target_sync(&a->t, r.fd);
	a->ret->created = true;
	return e ? e : say(a, r.fd, 0, bytes.len);
}

/* Does the file, of @size bytes, end within a line? 1, 0, or -1. */
static int is_torn(int fd, uint64_t size)
{
	char last;
	ssize_t n;

	if (!size)
		return 0;
	n = fd_pread(fd, &last, 1, (off_t)size - 1);
	return n < 0 ? -1 : n == 1 && last != '\n';
}

/* Only what can be ours goes: nobody else's bytes after it. */
static void cut_back(int fd, uint64_t at, uint64_t n)
{
	int error = errno;
	struct stat st;

	if (!fstat(fd, &st) && (uint64_t)st.st_size > at &&
	    (uint64_t)st.st_size <= at + n)
		(void)!ftruncate(fd, (off_t)at);
	errno = error;
}

/* 0, or -1 with errno; then the file is as it was. */
static int write_end(struct append *a, int fd, uint64_t size, struct str bytes,
		     uint64_t *ret_at)
{
	ssize_t took = fd_write_once(fd, bytes);
	off_t end;

	if (took >= 0 && (size_t)took < bytes.len)
		errno = ENOSPC;
	else if (took >= 0 && !(durable(a) && fd_fsync(fd))) {
		end = bytes.len ? lseek(fd, 0, SEEK_CUR) : (off_t)size;
		*ret_at = (uint64_t)end - bytes.len;
		return 0;
	}
	cut_back(fd, size, bytes.len);
	return -1;
}

/* It may be written in place by those who have the lock of another name. */
static int hold(struct append *a, int fd, struct stat *st, struct lock *l)
{
	const struct journal *j = &a->t.w->journal;

	if (st->st_nlink < 2 && !a->t.lock.alone && !journal_pending(j, st))
		return 0;
	return journal_hold(j, fd, a->t.errand, l) || fstat(fd, st);
}

static struct str after_newline(struct arena *mem, struct str bytes)
{
	char *to = arena_alloc(mem, bytes.len + 1);

	to[0] = '\n';
	memcpy(to + 1, bytes.ptr, bytes.len);
	return str_make(to, bytes.len + 1);
}

static enum err extend(struct append *a)
{
	static const int flags =
		O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	auto_fd fd = fd_openat(a->t.place.dir, a->t.place.name, flags, 0);
	auto_lock lock = LOCK_INIT;
	struct str bytes = a->want->bytes;
	uint64_t size, at;
	struct stat st;
	int torn = 0;
	enum err e;

	if (fd < 0 && (errno == ENOENT || errno == ELOOP))
		return ERR_LATER;
	if (fd < 0 || fstat(fd, &st))
		return target_failed(&a->t, errno);
	if (st.st_ino != a->t.old.st.st_ino || st.st_dev != a->t.old.st.st_dev)
		return ERR_LATER;
	if (hold(a, fd, &st, &lock))
		return journal_failed(a->t.f, errno, a->t.path);
	if (st.st_nlink > 1) /* one may be a neighbour that a death has left */
		(void)replace_settle(a->t.place.dir, a->t.place.name,
				     target_salt(&a->t));
	size = (uint64_t)st.st_size;
	if (a->want->own_line)
		torn = is_torn(fd, size);
	if (torn < 0)
		return target_failed(&a->t, errno);
	if (torn)
		bytes = after_newline(a->t.mem, bytes);
	e = ask(a, size, fd);
	if (e)
		return e;
	if (write_end(a, fd, size, bytes, &at))
		return target_failed(&a->t, errno);
	a->ret->completed = torn;
	return say(a, fd, at, bytes.len);
}

static enum err append(struct append *a)
{
	enum err e = ERR_LATER;

	for (int i = 0; e == ERR_LATER && i < TRIES; i++) {
		*a->ret = (struct appended){ 0 };
		e = target_find(&a->t);
		if (!e)
			e = a->t.old.fd < 0 ? create(a) : extend(a);
	}
	if (e == ERR_LATER)
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
	auto_append a = {
		.t = { .w = w,
		       .roots = roots,
		       .path = path,
		       .key = want->key,
		       .errand = want->errand,
		       .mem = mem,
		       .f = f,
		       .bytes = want->bytes.len,
		       .parents = want->parents,
		       .no_follow = want->no_follow,
		       TARGET_INIT },
		.want = want,
		.ret = &out,
	};
	enum err e = append(&a);

	if (!e)
		*ret = out;
	return e;
}
