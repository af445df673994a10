/*
 * wal_read.c - replay the write-ahead logs of other processes.
 *
 * The owner may be appending meanwhile: a record that is not whole is one that
 * its owner has not confirmed to a caller yet, or one of a segment that was
 * recycled, whose records the database has. Only records that were not replayed
 * before are read (wal_reader.h). Under the lock of the connection.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "store/pending_op.h"
#include "store/wal.h"
#include "store/wal_file.h"
#include "store/wal_record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PROBE = 64,       /* bytes: at least the header of a record */
	STABLE_MS = 3000, /* more than the coarsest timestamp of a directory */
};

struct segment_records {
	struct pending_op *first, **last;
	struct wal_cursor next; /* the cursor when they are committed */
};

void wal_reader_reset(struct wal_reader *r)
{
	free(r->logs);
	r->logs = NULL;
	r->n = 0;
	r->list_is_stable = false;
}

void wal_reader_move(struct wal_reader *r, struct wal_reader *from)
{
	wal_reader_reset(r);
	r->logs = from->logs;
	r->n = from->n;
	r->stamp = from->stamp;
	r->list_is_stable = from->list_is_stable;
	r->lists_read += from->lists_read;
	r->segments_read += from->segments_read;
	*from = (struct wal_reader){ 0 };
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool same_stamp(const struct wal_dir_stamp *a,
		       const struct wal_dir_stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino &&
	       same_time(a->modified, b->modified) &&
	       same_time(a->changed, b->changed);
}

static bool is_long_ago(struct timespec t)
{
	const uint64_t ms = (uint64_t)t.tv_sec * 1000;

	return ms + STABLE_MS < clock_unix_ms();
}

/* False when there is no directory. */
static bool get_stamp(int dir, struct wal_dir_stamp *ret)
{
	struct stat st;

	if (fstatat(dir, WAL_DIR, &st, AT_SYMLINK_NOFOLLOW))
		return false;
	*ret = (struct wal_dir_stamp){ st.st_dev, st.st_ino, st.st_mtim,
				       st.st_ctim };
	return true;
}

/* The log as it was known so far, or as a new one. */
static struct wal_log log_of(const struct wal_reader *r, struct uuid name)
{
	for (size_t i = 0; i < r->n; i++)
		if (uuid_eq(r->logs[i].name, name))
			return r->logs[i];
	return (struct wal_log){ .name = name };
}

static void read_list(struct wal_reader *r, DIR *dir)
{
	struct wal_log *logs = NULL;
	struct dirent *entry;
	struct uuid name;
	size_t n = 0;

	while ((entry = readdir(dir))) {
		if (!uuid_parse(str_of(entry->d_name), &name))
			continue;
		logs = reallocarray(logs, n + 1, sizeof(*logs));
		if (!logs)
			out_of_memory();
		logs[n++] = log_of(r, name);
	}
	free(r->logs);
	r->logs = logs;
	r->n = n;
	r->lists_read++;
}

/*
 * Bring the list up to date. The stamp is taken before the directory is read:
 * a file that is made in between changes the stamp for the next look.
 */
static void refresh_list(struct wal_reader *r, int dir)
{
	struct wal_dir_stamp now;
	bool stable;

	if (!get_stamp(dir, &now)) {
		wal_reader_reset(r);
		return;
	}
	if (r->list_is_stable && same_stamp(&now, &r->stamp))
		return;
	stable = is_long_ago(now.modified) && is_long_ago(now.changed);
	auto_dir logs = state_dir_list(dir, WAL_DIR);
	if (!logs) {
		wal_reader_reset(r);
		return;
	}
	read_list(r, logs);
	r->stamp = now;
	r->list_is_stable = stable;
}

static int open_log(int logs, struct uuid name)
{
	char text[UUID_TEXT + 1];

	uuid_text(name, text);
	return fd_openat(logs, text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
}

/* The generation of the record that begins there; 0 = none does. */
static uint64_t generation_at(int fd, int segment, size_t offset)
{
	char probe[PROBE];
	ssize_t n;

	if (offset + sizeof(probe) > WAL_SEGMENT_SIZE)
		return 0;
	n = fd_pread(fd, probe, sizeof(probe),
		     wal_segment_at(segment) + (off_t)offset);
	return n > 0 ? wal_record_generation(str_make(probe, (size_t)n)) : 0;
}

/*
 * Are there records in the segment that we have not committed? A segment in
 * another generation is another one: all of its records are.
 */
static bool has_new_records(int fd, int segment, struct wal_cursor *cursor)
{
	const uint64_t generation = generation_at(fd, segment, 0);

	if (generation != cursor->generation)
		*cursor = (struct wal_cursor){ .generation = generation };
	if (!generation || !cursor->offset)
		return generation;
	return generation_at(fd, segment, cursor->offset) == generation;
}

static bool log_has_new_records(int fd, struct wal_log *log)
{
	bool any = false;

	for (int i = 0; i < WAL_SEGMENTS; i++)
		any |= has_new_records(fd, i, &log->segments[i]);
	return any;
}

static void read_segment(int fd, int segment, struct wal_cursor from,
			 struct arena *mem, struct segment_records *ret)
{
	const size_t room = WAL_SEGMENT_SIZE - from.offset;
	struct pending_op *n;
	struct str rest;
	ssize_t got;
	char *to;

	*ret = (struct segment_records){ .last = &ret->first, .next = from };
	if (!from.generation)
		return;
	to = arena_alloc(mem, room);
	got = fd_pread(fd, to, room,
		       wal_segment_at(segment) + (off_t)from.offset);
	rest = str_make(to, got > 0 ? (size_t)got : 0);
	while ((n = wal_record_get(&rest, &from.generation))) {
		n->again = true;
		*ret->last = n;
		ret->last = &n->next;
	}
	if (got > 0)
		ret->next.offset += (size_t)got - rest.len;
}

/* True when the database has all of @list now. Frees the list. */
static bool commit_records(struct db *db, struct pending_op *list)
{
	struct recent recent = { 0 };
	bool all = true;

	if (list)
		pending_ops_write(db, &recent, list, /* logged= */ 0);
	recent_drop(&recent);
	while (list) {
		struct pending_op *n = list;

		list = n->next;
		all &= !n->err;
		free(n);
	}
	return all;
}

/*
 * Has the owner begun another segment while we were reading? Then we may have
 * the end of an operation without its intent, which the database passes over.
 */
static bool has_switched(int fd, const struct wal_log *log)
{
	for (int i = 0; i < WAL_SEGMENTS; i++)
		if (generation_at(fd, i, 0) != log->segments[i].generation)
			return true;
	return false;
}

/* True when the database has all records of the log. */
static bool replay_log(struct db *db, int fd, struct wal_log *log)
{
	struct segment_records found[WAL_SEGMENTS], *older, *newer;
	auto_arena mem = ARENA_INIT;
	bool switched;

	if (!log_has_new_records(fd, log))
		return true;
	for (int i = 0; i < WAL_SEGMENTS; i++)
		read_segment(fd, i, log->segments[i], &mem, &found[i]);
	db->wal_reader.segments_read += WAL_SEGMENTS;
	switched = has_switched(fd, log);
	older = &found[found[0].next.generation > found[1].next.generation];
	newer = &found[older == found];
	*older->last = newer->first;
	if (!commit_records(db, older->first))
		return false;
	for (int i = 0; i < WAL_SEGMENTS; i++)
		log->segments[i] =
			switched ? (struct wal_cursor){ 0 } : found[i].next;
	return true;
}

/* A log whose lock we get has no owner any more: it is removed at the end. */
static void replay_one(struct db *db, int logs, struct wal_log *log)
{
	auto_fd fd = open_log(logs, log->name);
	struct wal_header header = { 0 };
	char name[UUID_TEXT + 1];
	bool dead;

	if (fd < 0 || fd_pread(fd, &header, sizeof(header), 0) < 0)
		return;
	dead = !flock(fd, LOCK_EX | LOCK_NB);
	if (header.magic && header.magic != WAL_MAGIC)
		return; /* written by another version of stet: not ours */
	if (!replay_log(db, fd, log) || !dead ||
	    (header.durable && db_sync(db)))
		return;
	uuid_text(log->name, name);
	(void)unlinkat(logs, name, 0);
	/* A file of the same name would be another log. */
	memset(log->segments, 0, sizeof(log->segments));
}

static int open_logs(const struct db *db)
{
	return fd_openat(db->dir, WAL_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
			 0);
}

void wal_replay_others(struct db *db, struct uuid own)
{
	struct wal_reader *r = &db->wal_reader;
	auto_fd logs = -1;

	refresh_list(r, db->dir);
	for (size_t i = 0; i < r->n; i++) {
		if (uuid_eq(r->logs[i].name, own))
			continue;
		if (logs < 0)
			logs = open_logs(db);
		if (logs >= 0)
			replay_one(db, logs, &r->logs[i]);
	}
}

bool wal_others_have_records(struct db *db)
{
	struct wal_reader *r = &db->wal_reader;
	auto_fd logs = -1;

	refresh_list(r, db->dir);
	if (r->n)
		logs = open_logs(db);
	for (size_t i = 0; logs >= 0 && i < r->n; i++) {
		auto_fd fd = open_log(logs, r->logs[i].name);

		if (fd >= 0 && log_has_new_records(fd, &r->logs[i]))
			return true;
	}
	return false;
}
