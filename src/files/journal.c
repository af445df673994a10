/*
 * journal.c - both contents of a file that is written in place, kept until the
 * write is complete; see journal.h. Relies on private.h for a directory that
 * nobody else may enter.
 */
#include "files/journal.h"

#include "base/fd.h"
#include "base/log.h"
#include "files/private.h"
#include "files/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * A journal is a header of this size, the old bytes, the new bytes. It gets
 * its name when it is complete. What a power failure has cut short, or what
 * belongs to a deleted file whose inode number is used again, is told by the
 * checksum and the birth time in the header, and is put aside.
 */
enum { HEADER = 8192, BLOCK = 16 * 1024 };

static const char magic[] = "stet journal 2\n";

/* What the checksum covers, before the contents. */
struct facts {
	uint64_t old_len, new_len;
	int64_t born_s; /* birth time of the file; 0 = not known */
	uint64_t born_ns;
};

struct entry {
	int dir; /* of the journals */
	int fd;
	char name[PRIVATE_NAME], draft[PRIVATE_NAME + 4];
	char aside[PRIVATE_NAME + 8];
	struct facts facts;
};

#define auto_entry cleanup(entry_drop) struct entry

static void entry_drop(struct entry *e)
{
	fd_drop(&e->fd);
	fd_drop(&e->dir);
}

static void entry_name(struct entry *e, const struct stat *st)
{
	private_name(st->st_dev, st->st_ino, e->name);
	(void)snprintf(e->draft, sizeof(e->draft), "%s.new", e->name);
	(void)snprintf(e->aside, sizeof(e->aside), "%s.damaged", e->name);
}

/* When the file was made, where the filesystem knows: 0, or -1 with errno. */
static int note_birth(int file, struct facts *ret)
{
	struct statx sx;

	if (statx(file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BTIME,
		  &sx))
		return errno == ENOSYS ? 0 : -1;
	if (!(sx.stx_mask & STATX_BTIME))
		return 0;
	ret->born_s = sx.stx_btime.tv_sec;
	ret->born_ns = sx.stx_btime.tv_nsec;
	return 0;
}

bool journal_pending(const struct journal *j, const struct stat *st)
{
	not_zeroed char path[4096 + PRIVATE_NAME + 1];
	struct stat found;

	if (j->dir.len > 4096)
		return false;
	memcpy(path, j->dir.ptr, j->dir.len);
	path[j->dir.len] = '/';
	private_name(st->st_dev, st->st_ino, path + j->dir.len + 1);
	/* Not access(), which has the kernel copy the credentials first. */
	return !lstat(path, &found);
}

static int sync_if(const struct journal *j, int fd)
{
	return j->durable ? fd_fsync(fd) : 0;
}

/* @n bytes from one file into another. */
static int copy(int from, off_t at, int to, off_t there, uint64_t n)
{
	char block[BLOCK];

	while (n) {
		size_t want = size_min(n, BLOCK);
		ssize_t got = fd_pread(from, block, want, at);

		if (got >= 0 && (size_t)got < want) {
			errno = ESTALE; /* it got shorter */
			got = -1;
		}
		if (got < 0 || fd_pwrite(to, str_make(block, want), there))
			return -1;
		at += got;
		there += got;
		n -= want;
	}
	return 0;
}

/* Of the facts and of all that follows the header. */
static int checksum(const struct entry *e, struct hash *ret)
{
	struct hash_stream *s = hash_start();
	char block[BLOCK];
	off_t at = HEADER;
	ssize_t got;

	hash_add(s, str_make((const char *)&e->facts, sizeof(e->facts)));
	do {
		got = fd_pread(e->fd, block, BLOCK, at);
		if (got > 0)
			hash_add(s, str_make(block, (size_t)got));
		at += got > 0 ? got : 0;
	} while (got == BLOCK);
	*ret = hash_end(s);
	return got < 0 ? -1 : 0;
}

static int write_header(struct entry *e, struct str path)
{
	const struct facts *f = &e->facts;
	char header[HEADER] = "", hex[HASH_HEX + 1];
	struct hash sum;

	if (checksum(e, &sum))
		return -1;
	hash_hex(sum, hex);
	(void)snprintf(header, sizeof(header),
		       "%s%llu %llu %lld %llu\n%s\n%.*s\n", magic,
		       (unsigned long long)f->old_len,
		       (unsigned long long)f->new_len, (long long)f->born_s,
		       (unsigned long long)f->born_ns, hex,
		       (int)size_min(path.len, 4096), path.ptr);
	return fd_pwrite(e->fd, str_make(header, sizeof(header)), 0);
}

static bool parse_header(char *header, struct facts *ret, struct hash *ret_sum)
{
	char *at = header + sizeof(magic) - 1;

	if (strncmp(header, magic, sizeof(magic) - 1) != 0)
		return false;
	ret->old_len = strtoull(at, &at, 10);
	ret->new_len = strtoull(at, &at, 10);
	ret->born_s = strtoll(at, &at, 10);
	ret->born_ns = strtoull(at, &at, 10);
	return *at == '\n' &&
	       hash_parse(str_head(str_of(at + 1), HASH_HEX), ret_sum) &&
	       at[1 + HASH_HEX] == '\n';
}

/* Is the size that the header tells the one that it has? */
static bool has_its_size(const struct facts *f, const struct stat *st)
{
	uint64_t body;

	if (st->st_size < HEADER)
		return false;
	body = (uint64_t)st->st_size - HEADER;
	return f->old_len <= body && f->new_len == body - f->old_len;
}

/*
 * Read what entry_make() has written: 1 when it is whole and for @file, 0 when
 * it is not, -1 with errno when nobody can say.
 */
static int read_header(struct entry *e, int file)
{
	char header[HEADER + 1] = "";
	struct facts now = { 0 };
	struct hash said, sum;
	struct stat st;

	if (fstat(e->fd, &st))
		return -1;
	if (!S_ISREG(st.st_mode))
		return 0;
	if (fd_pread(e->fd, header, HEADER, 0) < 0)
		return -1;
	if (!parse_header(header, &e->facts, &said) ||
	    !has_its_size(&e->facts, &st))
		return 0;
	if (checksum(e, &sum) || note_birth(file, &now))
		return -1;
	return hash_eq(sum, said) && now.born_s == e->facts.born_s &&
	       now.born_ns == e->facts.born_ns;
}

/* A draft that a death has left is not written to: it may have other names. */
static int open_draft(const struct entry *e)
{
	static const int flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW;

	if (unlinkat(e->dir, e->draft, 0) && errno != ENOENT)
		return -1;
	return fd_openat(e->dir, e->draft, flags, 0600);
}

static int entry_make(struct entry *e, const struct journal *j, int file,
		      struct str path, struct str bytes)
{
	struct stat st;
	int error;

	if (fstat(file, &st) || note_birth(file, &e->facts))
		return -1;
	entry_name(e, &st);
	e->facts.old_len = (uint64_t)st.st_size;
	e->facts.new_len = bytes.len;
	e->dir = private_open(j->dir, /* make= */ true);
	if (e->dir < 0)
		return -1;
	e->fd = open_draft(e);
	if (e->fd < 0)
		return -1;
	if (copy(file, 0, e->fd, HEADER, e->facts.old_len) ||
	    fd_pwrite(e->fd, bytes, HEADER + st.st_size) ||
	    write_header(e, path) || sync_if(j, e->fd) ||
	    renameat(e->dir, e->draft, e->dir, e->name) || sync_if(j, e->dir)) {
		error = errno;
		(void)unlinkat(e->dir, e->draft, 0);
		(void)unlinkat(e->dir, e->name, 0);
		errno = error;
		return -1;
	}
	return 0;
}

/* What a file holds, compared with its journal. */
struct verdict {
	bool mix;   /* each byte is one of the old or of the new content */
	bool fresh; /* it is the new content, whole */
};

static void judge(const struct entry *e, off_t at, struct str got,
		  struct verdict *v)
{
	char old[BLOCK], new[BLOCK];
	off_t mid = (off_t)e->facts.old_len, len = (off_t)e->facts.new_len;
	ssize_t olds = 0, news = 0;

	if (at < mid)
		olds = fd_pread(e->fd, old, size_min(got.len, mid - at),
				HEADER + at);
	if (at < len)
		news = fd_pread(e->fd, new, size_min(got.len, len - at),
				HEADER + mid + at);
	for (ssize_t i = 0; i < (ssize_t)got.len; i++) {
		char c = got.ptr[i];
		bool is_new = i < news && c == new[i];
		/* Past the old end there may be room not yet written. */
		bool is_room = i < news && i >= olds && !c;

		v->fresh = v->fresh && is_new;
		v->mix = v->mix &&
			 (is_new || is_room || (i < olds && c == old[i]));
	}
}

/*
 * Our write never makes a file shorter than both contents: one that is was
 * written by somebody else.
 */
static int is_torn(const struct entry *e, int file, bool *ret)
{
	const struct facts *f = &e->facts;
	struct verdict v = { .mix = true, .fresh = true };
	char block[BLOCK];
	off_t at = 0;
	ssize_t got;

	do {
		got = fd_pread(file, block, BLOCK, at);
		if (got < 0)
			return -1;
		judge(e, at, str_make(block, (size_t)got), &v);
		at += got;
	} while (got == BLOCK && v.mix);
	v.fresh = v.fresh && (uint64_t)at == f->new_len;
	v.mix = v.mix && (uint64_t)at >= size_min(f->old_len, f->new_len);
	*ret = v.mix && !v.fresh;
	return 0;
}

static int put_back(const struct entry *e, const struct journal *j, int file)
{
	if (copy(e->fd, HEADER, file, 0, e->facts.old_len) ||
	    ftruncate(file, (off_t)e->facts.old_len) || sync_if(j, file))
		return -1;
	return 0;
}

static int forget(const struct entry *e, const struct journal *j)
{
	if (unlinkat(e->dir, e->name, 0))
		return -1;
	return sync_if(j, e->dir);
}

/* Once: a client that does not read stderr is not to be waited for. */
static void tell_damaged(const struct entry *e, const struct journal *j)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		log_always(
			"a journal was damaged and is now " STR_FMT
			"/%s; the file that it was for is left as it is (stet doctor lists what was put aside)",
			STR_ARG(j->dir), e->aside);
}

/*
 * Kept for the person, and out of the way: the file stays as it is. What is
 * neither a regular file nor a directory holds nothing to keep.
 */
static int put_aside(const struct entry *e, const struct journal *j)
{
	struct stat st;

	if (e->fd < 0 || fstat(e->fd, &st) ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) {
		if (unlinkat(e->dir, e->name, 0))
			return -1;
	} else if (renameat(e->dir, e->name, e->dir, e->aside)) {
		return -1;
	} else {
		tell_damaged(e, j);
	}
	return sync_if(j, e->dir);
}

/* One writer of the file at a time. */
static int lock(const struct journal *j, int fd, const struct errand *errand,
		struct lock *l)
{
	const struct lock_wait wait = { .ms = j->wait_ms, .errand = errand };
	struct fault f = { 0 };

	switch ((int)lock_take(l, j->locks, fd, &wait, &f)) {
	case ERR_OK:
		return 0;
	case ERR_BUSY:
		errno = EWOULDBLOCK;
		return -1;
	case ERR_CANCELLED:
		errno = ECANCELED;
		return -1;
	default:
		errno = f.os;
		return -1;
	}
}

enum err journal_failed(struct fault *f, int error, struct str path)
{
	if (error == EWOULDBLOCK)
		return fail(f, ERR_BUSY, .path = path, .os = error);
	return fail_os(f, error, path);
}

int journal_hold(const struct journal *j, int fd, const struct errand *errand,
		 struct lock *l)
{
	auto_entry e = { .fd = -1, .dir = -1 };
	struct stat st;
	bool torn;
	int whole;

	if (lock(j, fd, errand, l) || fstat(fd, &st))
		return -1;
	entry_name(&e, &st);
	e.dir = private_open(j->dir, /* make= */ false);
	if (e.dir >= 0)
		e.fd = fd_openat(e.dir, e.name,
				 O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (e.dir >= 0 && e.fd < 0 && errno == ELOOP)
		return put_aside(&e, j);
	if (e.fd < 0)
		return errno == ENOENT ? 0 : -1;
	whole = read_header(&e, fd);
	if (whole < 0)
		return -1;
	if (!whole)
		return put_aside(&e, j);
	if (is_torn(&e, fd, &torn) || (torn && put_back(&e, j, fd)))
		return -1;
	return forget(&e, j);
}

int journal_settle(const struct journal *j, int fd, const struct errand *errand)
{
	auto_lock held = LOCK_INIT;

	return journal_hold(j, fd, errand, &held);
}

static int overwrite(const struct journal *j, int fd, uint64_t old_len,
		     struct str bytes)
{
	/* Ask for the room first, where the filesystem can. */
	if (bytes.len > old_len &&
	    fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes.len) &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EIO))
		return -1;
	if (fd_pwrite(fd, bytes, 0) || ftruncate(fd, (off_t)bytes.len))
		return -1;
	return sync_if(j, fd);
}

/* The file's own bytes again, and no journal; errno stays. */
static void give_up(const struct entry *e, const struct journal *j, int fd,
		    bool begun)
{
	int error = errno;

	if (!begun || !put_back(e, j, fd))
		(void)forget(e, j);
	errno = error;
}

int journal_write(const struct journal *j, int fd,
		  const struct journal_want *want)
{
	auto_entry e = { .fd = -1, .dir = -1 };
	auto_lock held = LOCK_INIT;
	struct hash now;
	struct stat st;

	if (journal_hold(j, fd, want->errand, &held))
		return -1;
	if (want->base && (fstat(fd, &st) ||
			   whole_hash_for(want->errand, fd, st.st_size, &now)))
		return -1;
	if (want->base && !hash_eq(now, *want->base)) {
		errno = ESTALE;
		return -1;
	}
	if (entry_make(&e, j, fd, want->path, want->bytes))
		return -1;
	if (want->ready && want->ready(want->ctx)) {
		errno = ECANCELED;
		give_up(&e, j, fd, /* begun= */ false);
		return -1;
	}
	if (!overwrite(j, fd, e.facts.old_len, want->bytes))
		return forget(&e, j);
	give_up(&e, j, fd, /* begun= */ true);
	return -1;
}
