/*
 * group_record_read.c - finds, locks and reads the records of groups.
 *
 * A temporary name of a record ends in ".new"; one that nobody has locked is a
 * leftover, and is deleted by whoever lists the records.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "files/content.h"
#include "files/group_record_local.h"
#include "files/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_NS = 2 * 1000 * 1000, MOST = 16 * 1024 * 1024 };

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
	const char *from = begin + GROUP_STATE_AT + GROUP_STATE_LEN;
	struct hash sum;

	if (!c->bad)
		sum = hash_of(str_make(from, (size_t)(c->at - from)));
	if (!str_is(take_bytes(c, 3), "sum") || !hash_eq(take_hash(c), sum))
		c->bad = true;
}

static enum group_state parse_state(const char *text)
{
	for (size_t i = 0; i < COUNT_OF(group_state_words); i++)
		if (!memcmp(text + GROUP_STATE_AT, group_state_words[i],
			    GROUP_STATE_LEN))
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

	if (len < GROUP_STATE_AT + GROUP_STATE_LEN + 1 ||
	    memcmp(text, GROUP_MAGIC, GROUP_STATE_AT) != 0)
		return false;
	r->state = parse_state(text);
	c.at = text + GROUP_STATE_AT + GROUP_STATE_LEN + 1;
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

	if (fd >= 0 && group_record_flock(fd) > 0)
		(void)unlinkat(dir, name, 0);
}

int group_record_list(const struct journal *j, struct arena *mem,
		      struct str **ret, size_t *ret_n)
{
	auto_fd dir = group_record_dir(j, /* make= */ false);
	struct dirent *entry;
	DIR *list;

	*ret = NULL;
	*ret_n = 0;
	if (dir < 0)
		return errno == ENOENT ? 0 : -1;
	list = fdopendir(dir);
	if (!list)
		return -1;
	(void)fd_take(&dir); /* closed with the list */
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
		group_record_rmdir(j);
	return 0;
}

static int open_file(struct group_record *r, const char *name)
{
	group_record_drop(r);
	r->dir = group_record_dir(r->journal, /* make= */ false);
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

	group_record_name(r, own);
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

	while (!(got = group_record_flock(fd))) {
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
	int dir = group_record_dir(r->journal, /* make= */ false);
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
	group_record_rmdir(r->journal);
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
