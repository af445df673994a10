/*
 * journal.c - an undo log for one file that is written in place.
 *
 * The journal holds the old and the new content until the write is complete;
 * see journal.h. Every function that reads or changes one runs under the lock
 * of the file. Relies on private_dir.h for a directory that no other user may
 * enter.
 */
#include "files/journal.h"

#include "base/fd.h"
#include "base/log.h"
#include "files/content.h"
#include "files/private_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * A journal is a header of this size, the old bytes, the new bytes. It is
 * renamed to its final name when it is complete. One that a power failure has
 * truncated, or that belongs to a deleted file whose inode number was reused,
 * is recognised by the checksum and the birth time in the header, and renamed
 * to NAME.damaged.
 */
enum { HEADER_SIZE = 8192, BLOCK_SIZE = 16 * 1024 };

static const char magic[] = "stet journal 2\n";

/* Header fields; the checksum covers them and both contents. */
struct journal_facts {
	uint64_t old_len, new_len;
	int64_t born_s; /* birth time of the file; 0 = unknown */
	uint64_t born_ns;
};

struct journal_entry {
	int dir; /* the directory of all journals */
	int fd;
	char name[PRIVATE_DIR_NAME], draft[PRIVATE_DIR_NAME + 4];
	char aside[PRIVATE_DIR_NAME + 8];
	struct journal_facts facts;
};

#define auto_journal_entry cleanup(entry_drop) struct journal_entry

static void entry_drop(struct journal_entry *e)
{
	fd_drop(&e->fd);
	fd_drop(&e->dir);
}

static void entry_name(struct journal_entry *e, const struct stat *st)
{
	private_dir_name(st->st_dev, st->st_ino, e->name);
	(void)snprintf(e->draft, sizeof(e->draft), "%s.new", e->name);
	(void)snprintf(e->aside, sizeof(e->aside), "%s.damaged", e->name);
}

/* The birth time, where the filesystem has one: 0, or -1 with errno. */
static int read_birth_time(int file, struct journal_facts *ret)
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
	not_zeroed char path[4096 + PRIVATE_DIR_NAME + 1];
	struct stat found;

	if (j->dir.len > 4096)
		return false;
	memcpy(path, j->dir.ptr, j->dir.len);
	path[j->dir.len] = '/';
	private_dir_name(st->st_dev, st->st_ino, path + j->dir.len + 1);
	/* Not access(): the kernel would copy the credentials first. */
	return !lstat(path, &found);
}

static int sync_if(const struct journal *j, int fd)
{
	return j->durable ? fd_fsync(fd) : 0;
}

/* Copy @n bytes from one file to another: 0, or -1 with errno. */
static int copy_range(int from, off_t at, int to, off_t there, uint64_t n)
{
	char block[BLOCK_SIZE];

	while (n) {
		size_t want = size_min(n, BLOCK_SIZE);
		ssize_t got = fd_pread(from, block, want, at);

		if (got >= 0 && (size_t)got < want) {
			errno = ESTALE; /* truncated meanwhile */
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

/* Over the header fields and everything after the header. */
static int entry_checksum(const struct journal_entry *e, struct hash *ret)
{
	struct hash_stream *s = hash_start();
	char block[BLOCK_SIZE];
	off_t at = HEADER_SIZE;
	ssize_t got;

	hash_add(s, str_make((const char *)&e->facts, sizeof(e->facts)));
	do {
		got = fd_pread(e->fd, block, BLOCK_SIZE, at);
		if (got > 0)
			hash_add(s, str_make(block, (size_t)got));
		at += got > 0 ? got : 0;
	} while (got == BLOCK_SIZE);
	*ret = hash_end(s);
	return got < 0 ? -1 : 0;
}

static int write_header(struct journal_entry *e, struct str path)
{
	const struct journal_facts *f = &e->facts;
	char header[HEADER_SIZE] = "", hex[HASH_HEX + 1];
	struct hash sum;

	if (entry_checksum(e, &sum))
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

static bool parse_header(char *header, struct journal_facts *ret,
			 struct hash *ret_sum)
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

/* Does the size in the header match that of the journal? */
static bool has_its_size(const struct journal_facts *f, const struct stat *st)
{
	uint64_t body;

	if (st->st_size < HEADER_SIZE)
		return false;
	body = (uint64_t)st->st_size - HEADER_SIZE;
	return f->old_len <= body && f->new_len == body - f->old_len;
}

/*
 * Read what entry_make() wrote: 1 when it is valid and belongs to @file, 0 when
 * not, -1 with errno when that cannot be determined.
 */
static int read_header(struct journal_entry *e, int file)
{
	char header[HEADER_SIZE + 1] = "";
	struct journal_facts now = { 0 };
	struct hash said, sum;
	struct stat st;

	if (fstat(e->fd, &st))
		return -1;
	if (!S_ISREG(st.st_mode))
		return 0;
	if (fd_pread(e->fd, header, HEADER_SIZE, 0) < 0)
		return -1;
	if (!parse_header(header, &e->facts, &said) ||
	    !has_its_size(&e->facts, &st))
		return 0;
	if (entry_checksum(e, &sum) || read_birth_time(file, &now))
		return -1;
	return hash_eq(sum, said) && now.born_s == e->facts.born_s &&
	       now.born_ns == e->facts.born_ns;
}

/* A draft left by a crash is replaced, not reused: it may have hard links. */
static int open_draft(const struct journal_entry *e)
{
	static const int flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW;

	if (unlinkat(e->dir, e->draft, 0) && errno != ENOENT)
		return -1;
	return fd_openat(e->dir, e->draft, flags, 0600);
}

static int entry_make(struct journal_entry *e, const struct journal *j,
		      int file, struct str path, struct str bytes)
{
	struct stat st;
	int error;

	if (fstat(file, &st) || read_birth_time(file, &e->facts))
		return -1;
	entry_name(e, &st);
	e->facts.old_len = (uint64_t)st.st_size;
	e->facts.new_len = bytes.len;
	e->dir = private_dir_open(j->dir, /* make= */ true);
	if (e->dir < 0)
		return -1;
	e->fd = open_draft(e);
	if (e->fd < 0)
		return -1;
	if (copy_range(file, 0, e->fd, HEADER_SIZE, e->facts.old_len) ||
	    fd_pwrite(e->fd, bytes, HEADER_SIZE + st.st_size) ||
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

/* How the content of a file compares with its journal. */
struct journal_match {
	bool mixed;    /* every byte is from the old or the new content */
	bool complete; /* the file has exactly the new content */
};

static void match_block(const struct journal_entry *e, off_t at, struct str got,
			struct journal_match *v)
{
	char old[BLOCK_SIZE], new[BLOCK_SIZE];
	off_t mid = (off_t)e->facts.old_len, len = (off_t)e->facts.new_len;
	ssize_t olds = 0, news = 0;

	if (at < mid)
		olds = fd_pread(e->fd, old, size_min(got.len, mid - at),
				HEADER_SIZE + at);
	if (at < len)
		news = fd_pread(e->fd, new, size_min(got.len, len - at),
				HEADER_SIZE + mid + at);
	for (ssize_t i = 0; i < (ssize_t)got.len; i++) {
		char c = got.ptr[i];
		bool is_new = i < news && c == new[i];
		/* Zeros past the old end: extended, but not yet written. */
		bool is_room = i < news && i >= olds && !c;

		v->complete = v->complete && is_new;
		v->mixed = v->mixed &&
			   (is_new || is_room || (i < olds && c == old[i]));
	}
}

/*
 * Torn: a mix of both contents. Our own write never makes the file shorter than
 * the shorter one; a file that is was written by another program.
 */
static int is_torn(const struct journal_entry *e, int file, bool *ret)
{
	const struct journal_facts *f = &e->facts;
	struct journal_match v = { .mixed = true, .complete = true };
	char block[BLOCK_SIZE];
	off_t at = 0;
	ssize_t got;

	do {
		got = fd_pread(file, block, BLOCK_SIZE, at);
		if (got < 0)
			return -1;
		match_block(e, at, str_make(block, (size_t)got), &v);
		at += got;
	} while (got == BLOCK_SIZE && v.mixed);
	v.complete = v.complete && (uint64_t)at == f->new_len;
	v.mixed = v.mixed && (uint64_t)at >= size_min(f->old_len, f->new_len);
	*ret = v.mixed && !v.complete;
	return 0;
}

static int entry_restore(const struct journal_entry *e, const struct journal *j,
			 int file)
{
	if (copy_range(e->fd, HEADER_SIZE, file, 0, e->facts.old_len) ||
	    ftruncate(file, (off_t)e->facts.old_len) || sync_if(j, file))
		return -1;
	return 0;
}

static int entry_remove(const struct journal_entry *e, const struct journal *j)
{
	if (unlinkat(e->dir, e->name, 0))
		return -1;
	return sync_if(j, e->dir);
}

/* Logged once: a client that does not read stderr could block us. */
static void log_damaged(const struct journal_entry *e, const struct journal *j)
{
	static atomic_flag logged = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&logged))
		log_always(
			"a damaged journal was quarantined as " STR_FMT
			"/%s; its file was not changed ('stet doctor' lists quarantined files)",
			STR_ARG(j->dir), e->aside);
}

/*
 * Keep an invalid journal as NAME.damaged for the user; the file is left as it
 * is. Anything but a regular file or a directory is deleted.
 */
static int entry_set_aside(const struct journal_entry *e,
			   const struct journal *j)
{
	struct stat st;

	if (e->fd < 0 || fstat(e->fd, &st) ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) {
		if (unlinkat(e->dir, e->name, 0))
			return -1;
	} else if (renameat(e->dir, e->name, e->dir, e->aside)) {
		return -1;
	} else {
		log_damaged(e, j);
	}
	return sync_if(j, e->dir);
}

static int take_file_lock(const struct journal *j, int fd,
			  const struct progress *progress, struct file_lock *l)
{
	const struct file_lock_wait wait = { .ms = j->wait_ms,
					     .progress = progress };
	struct fault f = { 0 };

	switch ((int)file_lock_take(l, j->locks, fd, &wait, &f)) {
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

int journal_lock(const struct journal *j, int fd,
		 const struct progress *progress, struct file_lock *l)
{
	auto_journal_entry e = { .fd = -1, .dir = -1 };
	struct stat st;
	bool torn;
	int valid;

	if (take_file_lock(j, fd, progress, l) || fstat(fd, &st))
		return -1;
	entry_name(&e, &st);
	e.dir = private_dir_open(j->dir, /* make= */ false);
	if (e.dir >= 0)
		e.fd = fd_openat(e.dir, e.name,
				 O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (e.dir >= 0 && e.fd < 0 && errno == ELOOP)
		return entry_set_aside(&e, j);
	if (e.fd < 0)
		return errno == ENOENT ? 0 : -1;
	valid = read_header(&e, fd);
	if (valid < 0)
		return -1;
	if (!valid)
		return entry_set_aside(&e, j);
	if (is_torn(&e, fd, &torn) || (torn && entry_restore(&e, j, fd)))
		return -1;
	return entry_remove(&e, j);
}

int journal_recover(const struct journal *j, int fd,
		    const struct progress *progress)
{
	auto_file_lock held = FILE_LOCK_INIT;

	return journal_lock(j, fd, progress, &held);
}

static int overwrite_file(const struct journal *j, int fd, uint64_t old_len,
			  struct str bytes)
{
	/* Fail before the first byte is overwritten when the disk is full. */
	if (bytes.len > old_len &&
	    fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes.len) &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EIO))
		return -1;
	if (fd_pwrite(fd, bytes, 0) || ftruncate(fd, (off_t)bytes.len))
		return -1;
	return sync_if(j, fd);
}

/* Restore the old bytes if needed, delete the journal; errno is kept. */
static void entry_roll_back(const struct journal_entry *e,
			    const struct journal *j, int fd, bool begun)
{
	int error = errno;

	if (!begun || !entry_restore(e, j, fd))
		(void)entry_remove(e, j);
	errno = error;
}

int journal_write(const struct journal *j, int fd,
		  const struct journal_want *want)
{
	auto_journal_entry e = { .fd = -1, .dir = -1 };
	auto_file_lock held = FILE_LOCK_INIT;
	struct hash now;
	struct stat st;

	if (journal_lock(j, fd, want->progress, &held))
		return -1;
	if (want->base &&
	    (fstat(fd, &st) ||
	     content_hash_cancellable(want->progress, fd, st.st_size, &now)))
		return -1;
	if (want->base && !hash_eq(now, *want->base)) {
		errno = ESTALE;
		return -1;
	}
	if (entry_make(&e, j, fd, want->path, want->bytes))
		return -1;
	if (want->ready && want->ready(want->ctx)) {
		errno = ECANCELED;
		entry_roll_back(&e, j, fd, /* begun= */ false);
		return -1;
	}
	if (!overwrite_file(j, fd, e.facts.old_len, want->bytes))
		return entry_remove(&e, j);
	entry_roll_back(&e, j, fd, /* begun= */ true);
	return -1;
}
