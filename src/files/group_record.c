/*
 * group_record.c - writes and deletes the records of groups.
 *
 * The temporary name of a new record ends in ".new". A process whose draft was
 * taken for a leftover (group_record_read.c) makes another one.
 */
#include "files/group_record_local.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/secret.h"
#include "files/private_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

enum { MAX_TRIES = 8 };

static const char below[] = "groups";

const char *const group_state_words[] = {
	[GROUP_PLAN] = "plan",
	[GROUP_SWITCH] = "swit",
	[GROUP_BACK] = "back",
	[GROUP_DONE] = "done",
};

void group_record_drop(struct group_record *r)
{
	fd_drop(&r->fd);
	fd_drop(&r->dir);
}

void group_record_name(const struct group_record *r, char to[GROUP_NAME])
{
	(void)snprintf(to, GROUP_NAME, "%016llx", (unsigned long long)r->id);
}

static void kept_name(const struct group_record *r, size_t i,
		      char to[GROUP_NAME])
{
	(void)snprintf(to, GROUP_NAME, "%016llx.%zu", (unsigned long long)r->id,
		       i);
}

int group_record_dir(const struct journal *j, bool make)
{
	return private_dir_open(str_of(j->groups), make);
}

/* Not access(): the kernel would copy the credentials first. */
bool group_pending(const struct journal *j)
{
	struct stat found;

	return !lstat(j->groups, &found);
}

static int sync_if(const struct group_record *r, int fd)
{
	return r->journal->durable ? fd_fsync(fd) : 0;
}

int group_record_flock(int fd)
{
	int e;

	do
		e = flock(fd, LOCK_EX | LOCK_NB);
	while (e && errno == EINTR);
	return !e ? 1 : errno == EWOULDBLOCK ? 0 : -1;
}

static void add_sum(struct buf *b)
{
	char hex[HASH_HEX + 1];
	struct str all = str_skip(buf_str(b), GROUP_STATE_AT + GROUP_STATE_LEN);

	hash_hex(hash_of(all), hex);
	buf_addf(b, "sum %s\n", hex);
}

static void add_plan(struct buf *b, const struct group_record *r)
{
	char before[HASH_HEX + 1], after[HASH_HEX + 1];

	buf_addf(b, "%s%s\n%llx %llu %zu\n", GROUP_MAGIC,
		 group_state_words[GROUP_PLAN], (unsigned long long)r->id,
		 (unsigned long long)r->began_ms, r->count);
	for (size_t i = 0; i < r->count; i++) {
		const struct group_file *file = &r->files[i];

		hash_hex(file->before, before);
		hash_hex(file->after, after);
		buf_addf(b, "%d %d %s %s %d %llu %zu ", file->existed,
			 file->exists, before, after, file->parents,
			 (unsigned long long)file->made_ms, file->key.len);
		buf_add(b, file->key);
		buf_addc(b, '\n');
	}
	add_sum(b);
}

static void add_ways(struct buf *b, const struct group_record *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct group_file *file = &r->files[i];

		buf_addf(b, "%d %d %o %o %llu %llu\n", file->in_place,
			 file->same, file->mode_before, file->mode_after,
			 (unsigned long long)file->old_len,
			 (unsigned long long)file->new_len);
	}
	add_sum(b);
}

/* ENOENT = start over: somebody has deleted the draft or the directory. */
static int make_once(struct group_record *r, struct str text)
{
	static const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
	char name[GROUP_NAME], draft[GROUP_NAME + 4];
	auto_fd above = -1;
	int error;

	group_record_drop(r);
	group_record_name(r, name);
	(void)snprintf(draft, sizeof(draft), "%s.new", name);
	above = private_dir_open(r->journal->dir, /* make= */ true);
	if (above < 0) /* sync_names() could not open it, either */
		return -1;
	r->dir = group_record_dir(r->journal, /* make= */ true);
	if (r->dir < 0)
		return -1;
	r->fd = fd_openat(r->dir, draft, flags, 0600);
	if (r->fd < 0)
		return -1;
	if (group_record_flock(r->fd) > 0 && !fd_pwrite(r->fd, text, 0) &&
	    !renameat(r->dir, draft, r->dir, name))
		return 0;
	error = errno;
	(void)unlinkat(r->dir, draft, 0);
	errno = error;
	return -1;
}

void group_record_rmdir(const struct journal *j)
{
	auto_fd dir = private_dir_open(j->dir, /* make= */ false);

	if (dir >= 0)
		(void)unlinkat(dir, below, AT_REMOVEDIR);
}

int group_record_make(struct group_record *r)
{
	auto_buf text = BUF_INIT;
	int e = -1, error;

	secret_random(&r->id, sizeof(r->id));
	r->began_ms = clock_unix_ms();
	r->state = GROUP_PLAN;
	add_plan(&text, r);
	errno = ENOENT;
	for (int i = 0; e && errno == ENOENT && i < MAX_TRIES; i++)
		e = make_once(r, buf_str(&text));
	if (!e)
		return 0;
	error = errno;
	group_record_drop(r);
	group_record_rmdir(r->journal);
	errno = error;
	return -1;
}

int group_record_keep(struct group_record *r, size_t i, int old,
		      struct str bytes)
{
	static const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
	struct group_file *file = &r->files[i];
	char name[GROUP_NAME], block[16 * 1024];
	auto_fd fd = -1;
	off_t at = 0;
	ssize_t got;

	kept_name(r, i, name);
	fd = fd_openat(r->dir, name, flags, 0600);
	if (fd < 0)
		return -1;
	do {
		got = fd_pread(old, block, sizeof(block), at);
		if (got < 0 || fd_pwrite(fd, str_make(block, (size_t)got), at))
			return -1;
		at += got;
	} while (got == sizeof(block));
	file->old_len = (uint64_t)at;
	file->new_len = bytes.len;
	return fd_pwrite(fd, bytes, at) || sync_if(r, fd) ? -1 : 0;
}

int group_record_kept(const struct group_record *r, size_t i, bool old,
		      struct arena *mem, struct str *ret)
{
	const struct group_file *file = &r->files[i];
	uint64_t len = old ? file->old_len : file->new_len;
	char name[GROUP_NAME], *to;
	auto_fd fd = -1;
	ssize_t got;

	kept_name(r, i, name);
	fd = fd_openat(r->dir, name, O_RDONLY | O_NOFOLLOW, 0);
	if (fd < 0)
		return -1;
	if (!arena_reserve(mem, len + 1)) {
		errno = ENOMEM;
		return -1;
	}
	to = arena_alloc(mem, len + 1);
	got = fd_pread(fd, to, len, old ? 0 : (off_t)file->old_len);
	if (got < 0)
		return -1;
	*ret = str_make(to, (size_t)got);
	if (hash_eq(hash_of(*ret), old ? file->before : file->after))
		return 0;
	errno = EBADMSG;
	return -1;
}

static int sync_names(const struct group_record *r)
{
	auto_fd above = -1;

	if (!r->journal->durable)
		return 0;
	above = private_dir_open(r->journal->dir, /* make= */ false);
	return above < 0 || fd_fsync(r->dir) || fd_fsync(above) ? -1 : 0;
}

int group_record_begin(struct group_record *r)
{
	auto_buf text = BUF_INIT;
	struct str all;
	size_t plan;

	add_plan(&text, r);
	plan = text.len;
	add_ways(&text, r);
	all = buf_str(&text);
	if (fd_pwrite(r->fd, str_skip(all, plan), (off_t)plan) || sync_names(r))
		return -1;
	return group_record_mark(r, GROUP_SWITCH);
}

int group_record_mark(struct group_record *r, enum group_state state)
{
	if (fd_pwrite(r->fd,
		      str_make(group_state_words[state], GROUP_STATE_LEN),
		      GROUP_STATE_AT) ||
	    (state != GROUP_DONE && sync_if(r, r->fd)))
		return -1;
	r->state = state;
	return 0;
}

int group_record_end(struct group_record *r)
{
	char name[GROUP_NAME];

	for (size_t i = 0; i < r->count; i++) {
		kept_name(r, i, name);
		if ((r->files[i].in_place || r->state == GROUP_PLAN) &&
		    unlinkat(r->dir, name, 0) && errno != ENOENT)
			return -1;
	}
	group_record_name(r, name);
	if (unlinkat(r->dir, name, 0) && errno != ENOENT)
		return -1;
	group_record_drop(r);
	group_record_rmdir(r->journal);
	return 0;
}
