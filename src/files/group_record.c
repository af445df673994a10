/*
 * group_record.c - writes, reads and deletes the records of groups.
 *
 * The temporary name of a new record ends in ".new"; one that nobody has
 * locked is a leftover, and is deleted by whoever lists the records. A process
 * whose draft was taken for that makes another one.
 */
#include "files/group_record.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/secret.h"
#include "files/content.h"
#include "files/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TRIES = 8, PAUSE_NS = 2 * 1000 * 1000, MOST = 16 * 1024 * 1024 };

static const char magic[] = "stet group 1 ";
static const char below[] = "groups";

enum { STATE_AT = sizeof(magic) - 1, STATE_LEN = 4 };

static const char *const state_words[] = {
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

static void record_name(const struct group_record *r, char to[GROUP_NAME])
{
	(void)snprintf(to, GROUP_NAME, "%016llx", (unsigned long long)r->id);
}

static void kept_name(const struct group_record *r, size_t i,
		      char to[GROUP_NAME])
{
	(void)snprintf(to, GROUP_NAME, "%016llx.%zu", (unsigned long long)r->id,
		       i);
}

static int open_groups(const struct journal *j, bool make)
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

/* 1 = locked, 0 = another process has it, -1 = there are no locks here. */
static int try_flock(int fd)
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
	struct str all = str_skip(buf_str(b), STATE_AT + STATE_LEN);

	hash_hex(hash_of(all), hex);
	buf_addf(b, "sum %s\n", hex);
}

static void add_plan(struct buf *b, const struct group_record *r)
{
	char before[HASH_HEX + 1], after[HASH_HEX + 1];

	buf_addf(b, "%s%s\n%llx %llu %zu\n", magic, state_words[GROUP_PLAN],
		 (unsigned long long)r->id, (unsigned long long)r->began_ms,
		 r->count);
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
	int error;

	group_record_drop(r);
	record_name(r, name);
	(void)snprintf(draft, sizeof(draft), "%s.new", name);
	r->dir = open_groups(r->journal, /* make= */ true);
	if (r->dir < 0)
		return -1;
	r->fd = fd_openat(r->dir, draft, flags, 0600);
	if (r->fd < 0)
		return -1;
	if (try_flock(r->fd) > 0 && !fd_pwrite(r->fd, text, 0) &&
	    !renameat(r->dir, draft, r->dir, name))
		return 0;
	error = errno;
	(void)unlinkat(r->dir, draft, 0);
	errno = error;
	return -1;
}

/* Fails while there are records. */
static void rmdir_groups(const struct journal *j)
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
	rmdir_groups(r->journal);
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
	if (fd_pwrite(r->fd, str_make(state_words[state], STATE_LEN),
		      STATE_AT) ||
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
	record_name(r, name);
	if (unlinkat(r->dir, name, 0) && errno != ENOENT)
		return -1;
	group_record_drop(r);
	rmdir_groups(r->journal);
	return 0;
}

/* Numbers and hashes of the text, which ends with a NUL. */
struct record_cursor {
	char *at, *end;
	bool bad;
};

static uint64_t take_number(struct record_cursor *c, int base)
{
	char *next = c->at;
	uint64_t n = c->bad ? 0 : strtoull(c->at, &next, base);

	if (next == c->at || (*next != ' ' && *next != '\n'))
		c->bad = true;
	else
		c->at = next + 1;
	return n;
}

static struct hash take_hash(struct record_cursor *c)
{
	struct hash h = { 0 };

	if (c->bad || c->end - c->at <= HASH_HEX ||
	    !hash_parse(str_make(c->at, HASH_HEX), &h))
		c->bad = true;
	else
		c->at += HASH_HEX + 1;
	return h;
}

static struct str take_bytes(struct record_cursor *c, uint64_t len)
{
	struct str s = STR("");

	if (c->bad || (uint64_t)(c->end - c->at) <= len) {
		c->bad = true;
		return s;
	}
	s = str_make(c->at, len);
	c->at += len + 1;
	return s;
}

/* The line with the checksum of all before it but the state. */
static void take_sum(struct record_cursor *c, const char *begin)
{
	const char *from = begin + STATE_AT + STATE_LEN;
	struct hash sum;

	if (!c->bad)
		sum = hash_of(str_make(from, (size_t)(c->at - from)));
	if (!str_is(take_bytes(c, 3), "sum") || !hash_eq(take_hash(c), sum))
		c->bad = true;
}

static enum group_state parse_state(const char *text)
{
	for (size_t i = 0; i < COUNT_OF(state_words); i++)
		if (!memcmp(text + STATE_AT, state_words[i], STATE_LEN))
			return (enum group_state)i;
	return GROUP_SWITCH; /* the most careful one */
}

static void parse_plan(struct record_cursor *c, struct group_record *r,
		       struct arena *mem)
{
	r->id = take_number(c, 16);
	r->began_ms = take_number(c, 10);
	r->count = take_number(c, 10);
	if (c->bad || r->count > (size_t)(c->end - c->at)) {
		c->bad = true;
		return;
	}
	r->files = arena_array(mem, struct group_file, r->count);
	for (size_t i = 0; i < r->count; i++) {
		struct group_file *file = &r->files[i];

		*file = (struct group_file){ .dir = -1, .salt = r->id };
		file->existed = take_number(c, 10);
		file->exists = take_number(c, 10);
		file->before = take_hash(c);
		file->after = take_hash(c);
		file->parents = take_number(c, 10);
		file->made_ms = take_number(c, 10);
		file->key = take_bytes(c, take_number(c, 10));
	}
}

static void parse_ways(struct record_cursor *c, struct group_record *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct group_file *file = &r->files[i];

		file->in_place = take_number(c, 10);
		file->same = take_number(c, 10);
		file->mode_before = (unsigned)take_number(c, 8);
		file->mode_after = (unsigned)take_number(c, 8);
		file->old_len = take_number(c, 10);
		file->new_len = take_number(c, 10);
	}
}

/* False when the plan is damaged. */
static bool parse_record(char *text, size_t len, struct group_record *r,
			 struct arena *mem)
{
	struct record_cursor c = { .end = text + len };

	if (len < STATE_AT + STATE_LEN + 1 ||
	    memcmp(text, magic, sizeof(magic) - 1) != 0)
		return false;
	r->state = parse_state(text);
	c.at = text + STATE_AT + STATE_LEN + 1;
	parse_plan(&c, r, mem);
	if (!c.bad)
		take_sum(&c, text);
	if (c.bad)
		return false;
	parse_ways(&c, r);
	if (!c.bad)
		take_sum(&c, text);
	r->has_ways = !c.bad;
	return r->has_ways || r->state == GROUP_PLAN;
}

/* 1 = valid, 0 = damaged, -1 with errno. */
static int read_record(struct group_record *r, struct arena *mem)
{
	struct stat st;
	char *text;
	ssize_t got;

	if (fstat(r->fd, &st))
		return -1;
	if (!S_ISREG(st.st_mode) || st.st_size > MOST)
		return 0;
	text = arena_alloc(mem, (size_t)st.st_size + 1);
	got = fd_pread(r->fd, text, (size_t)st.st_size, 0);
	if (got < 0)
		return -1;
	text[got] = '\0';
	return parse_record(text, (size_t)got, r, mem);
}

static bool is_record_name(struct str name)
{
	if (name.len != GROUP_ID - 1)
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (hex_digit(name.ptr[i]) < 0)
			return false;
	return true;
}

/* A draft whose process is gone. */
static void remove_draft(int dir, const char *name)
{
	auto_fd fd = fd_openat(dir, name, O_RDWR | O_NOFOLLOW, 0);

	if (fd >= 0 && try_flock(fd) > 0)
		(void)unlinkat(dir, name, 0);
}

int group_record_list(const struct journal *j, struct arena *mem,
		      struct str **ret, size_t *ret_n)
{
	auto_fd dir = open_groups(j, /* make= */ false);
	struct dirent *entry;
	DIR *list;

	*ret = NULL;
	*ret_n = 0;
	if (dir < 0)
		return errno == ENOENT ? 0 : -1;
	list = fdopendir(dir);
	if (!list)
		return -1;
	dir = -1; /* closed with the list */
	while ((entry = readdir(list))) {
		struct str name = str_of(entry->d_name);

		if (str_ends(name, STR(".new")))
			remove_draft(dirfd(list), entry->d_name);
		if (!is_record_name(name))
			continue;
		*arena_add(mem, *ret, *ret_n) = arena_copy(mem, name);
	}
	(void)closedir(list);
	if (!*ret_n)
		rmdir_groups(j);
	return 0;
}

static int open_file(struct group_record *r, const char *name)
{
	group_record_drop(r);
	r->dir = open_groups(r->journal, /* make= */ false);
	if (r->dir < 0)
		return -1;
	r->fd = fd_openat(r->dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0);
	return r->fd < 0 ? -1 : 0;
}

static bool lists_key(const struct group_record *r, struct str key)
{
	for (size_t i = 0; i < r->count; i++)
		if (str_eq(r->files[i].key, key))
			return true;
	return false;
}

bool group_record_concerns(const struct journal *j, struct str name,
			   struct str key)
{
	auto_group_record r = { .journal = j, GROUP_RECORD_INIT };
	auto_arena mem = ARENA_INIT;

	return !open_file(&r, arena_cstr(&mem, name)) &&
	       read_record(&r, &mem) > 0 && r.state != GROUP_PLAN &&
	       lists_key(&r, key);
}

bool group_has_begun(const struct journal *j, struct str key)
{
	auto_arena mem = ARENA_INIT;
	struct str *names;
	size_t n;

	if (group_record_list(j, &mem, &names, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (group_record_concerns(j, names[i], key))
			return true;
	return false;
}

static void overlaps_one(const struct group_record *r, struct str name,
			 bool *ret)
{
	auto_group_record other = { .journal = r->journal, GROUP_RECORD_INIT };
	auto_arena mem = ARENA_INIT;

	if (open_file(&other, arena_cstr(&mem, name)) ||
	    read_record(&other, &mem) <= 0 || other.state == GROUP_PLAN ||
	    other.id == r->id)
		return;
	for (size_t i = 0; i < r->count; i++)
		ret[i] = ret[i] || lists_key(&other, r->files[i].key);
}

void group_record_overlaps(const struct group_record *r, bool *ret)
{
	auto_arena mem = ARENA_INIT;
	char own[GROUP_NAME];
	struct str *names;
	size_t n;

	record_name(r, own);
	if (group_record_list(r->journal, &mem, &names, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (!str_is(names[i], own))
			overlaps_one(r, names[i], ret);
}

static int wait_for_flock(int fd, uint64_t wait_ms,
			  const struct progress *progress)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	const uint64_t until = clock_ms() + wait_ms;
	struct fault ignored;
	int got;

	while (!(got = try_flock(fd))) {
		if (progress_check(progress, 0, 0, &ignored)) {
			errno = ECANCELED;
			return -1;
		}
		if (clock_ms() >= until) {
			errno = EWOULDBLOCK;
			return -1;
		}
		(void)nanosleep(&pause, NULL);
	}
	return got < 0 ? -1 : 0;
}

/* Logged once: a client that does not read stderr could block us. */
static void log_damaged(const struct group_record *r, const char *aside)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		log_always(
			"a damaged record of a change of several files was quarantined as " STR_FMT
			"/%s; no file was changed ('stet doctor' lists quarantined files)",
			STR_ARG(r->journal->dir), aside);
}

static int move_aside(const struct group_record *r, int to, const char *name)
{
	char aside[GROUP_NAME + sizeof("group-.damaged")];

	(void)snprintf(aside, sizeof(aside), "group-%s.damaged", name);
	if (renameat(r->dir, name, to, aside))
		return -1;
	log_damaged(r, aside);
	return 0;
}

/*
 * Keep the record and what was kept with it for the user, beside the damaged
 * journals.
 */
static void set_aside(const struct group_record *r, const char *name)
{
	auto_fd to = private_dir_open(r->journal->dir, /* make= */ false);
	int dir = open_groups(r->journal, /* make= */ false);
	DIR *list = dir < 0 ? NULL : fdopendir(dir);
	struct dirent *e;

	if (to >= 0)
		(void)!move_aside(r, to, name);
	while (to >= 0 && list && (e = readdir(list))) {
		struct str kept = str_of(e->d_name);

		if (kept.len < GROUP_NAME && str_starts(kept, str_of(name)) &&
		    kept.ptr[GROUP_ID - 1] == '.')
			(void)!move_aside(r, to, e->d_name);
	}
	if (list)
		(void)closedir(list);
	rmdir_groups(r->journal);
}

int group_record_open(struct group_record *r, const char *name,
		      uint64_t wait_ms, const struct progress *progress,
		      struct arena *mem)
{
	struct stat st;
	int valid;

	if (open_file(r, name) || wait_for_flock(r->fd, wait_ms, progress) ||
	    fstat(r->fd, &st))
		return -1;
	if (!st.st_nlink) {
		errno = ENOENT;
		return -1;
	}
	valid = read_record(r, mem);
	if (valid > 0)
		return 0;
	if (!valid) {
		set_aside(r, name);
		errno = EBADMSG;
	}
	return -1;
}
