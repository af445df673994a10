/*
 * wal.c - one process's own write-ahead log: create, append, sync, recycle.
 *
 * Called by writer.c under its lock, but for wal_sync(), which needs only the
 * descriptor. Reading the logs of other processes is in wal_read.c.
 */
#include "store/wal.h"

#include "base/fd.h"
#include "store/wal_file.h"
#include "store/wal_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct wal_segment {
	size_t used;        /* bytes */
	size_t uncommitted; /* records that the database does not have */
};

struct wal {
	int dir, fd;
	char name[UUID_TEXT + 1];
	struct wal_segment segments[WAL_SEGMENTS];
	int current;         /* index of the segment that is appended to */
	uint64_t generation; /* one more at each switch; in every record */
	struct buf out;
};

/* fdatasync() of a file that grows takes longer: it writes metadata, too. */
static int wal_preallocate(int fd)
{
	static const char zeros[64 << 10];

	for (off_t at = 0; at < WAL_SIZE; at += (off_t)sizeof(zeros))
		if (fd_pwrite(fd, str_make(zeros, sizeof(zeros)), at))
			return -1;
	return 0;
}

static int write_head(int fd, bool durable)
{
	const struct wal_header head = { .magic = WAL_MAGIC,
					 .durable = durable };

	return fd_pwrite(fd, str_make((const char *)&head, sizeof(head)), 0);
}

/*
 * A process that replays the logs of dead ones may have taken the lock between
 * our open() and this, and have removed the empty file.
 */
static bool wal_lock_own(int fd)
{
	struct stat st;

	return !flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &st) && st.st_nlink;
}

static int wal_create(int dir, const char *name, bool durable)
{
	auto_fd fd = fd_openat(dir, name,
			       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);

	if (fd < 0)
		return -1;
	if (wal_lock_own(fd) && !(durable && wal_preallocate(fd)) &&
	    !write_head(fd, durable) &&
	    !(durable && (fd_fsync(fd) || fd_fsync(dir))))
		return fd_take(&fd);
	(void)unlinkat(dir, name, 0);
	return -1;
}

static int wal_dir_create(struct db *db, bool durable)
{
	if (!mkdirat(db->dir, WAL_DIR, 0700)) {
		if (durable && fd_fsync(db->dir))
			return -1;
	} else if (errno != EEXIST) {
		return -1;
	}
	return fd_openat(db->dir, WAL_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
			 0);
}

struct wal *wal_new(struct db *db, struct uuid name, bool durable)
{
	auto_fd dir = wal_dir_create(db, durable), fd = -1;
	struct wal *w;
	char text[UUID_TEXT + 1];

	if (dir < 0)
		return NULL;
	uuid_text(name, text);
	fd = wal_create(dir, text, durable);
	if (fd < 0)
		return NULL;
	w = calloc(1, sizeof(*w));
	if (!w)
		out_of_memory();
	w->dir = fd_take(&dir);
	w->fd = fd_take(&fd);
	memcpy(w->name, text, sizeof(text));
	w->generation = 1;
	return w;
}

void wal_free(struct wal *w, bool keep)
{
	if (!w)
		return;
	for (int i = 0; i < WAL_SEGMENTS; i++)
		keep |= w->segments[i].uncommitted;
	if (!keep)
		(void)unlinkat(w->dir, w->name, 0);
	fd_drop(&w->fd);
	fd_drop(&w->dir);
	buf_free(&w->out);
	free(w);
}

static bool fits_record(const struct pending_op *p)
{
	return p->before.bytes.len + p->after.bytes.len <= WAL_RECORD_MAX;
}

bool wal_append(struct wal *w, struct pending_op *list)
{
	struct wal_segment *segment = &w->segments[w->current];
	size_t count = 0;

	buf_clear(&w->out, WAL_RECORD_MAX);
	for (struct pending_op *p = list; p; p = p->next, count++) {
		if (!fits_record(p) || w->out.len > WAL_SEGMENT_SIZE)
			return false;
		wal_record_put(&w->out, p, w->generation);
	}
	if (w->out.len > WAL_SEGMENT_SIZE - segment->used ||
	    fd_pwrite(w->fd, buf_str(&w->out),
		      wal_segment_at(w->current) + (off_t)segment->used))
		return false;
	segment->used += w->out.len;
	segment->uncommitted += count;
	for (struct pending_op *p = list; p; p = p->next)
		p->segment = w->current;
	return true;
}

int wal_sync(struct wal *w)
{
	return fd_fdatasync(w->fd);
}

bool wal_is_unlinked(const struct wal *w)
{
	struct stat st;

	return fstat(w->fd, &st) || !st.st_nlink;
}

bool wal_is_filling(const struct wal *w)
{
	return w->segments[w->current].used > WAL_SEGMENT_SIZE / 2;
}

void wal_switch_segment(struct wal *w)
{
	if (!w->segments[w->current].used || w->segments[!w->current].used)
		return;
	w->current = !w->current;
	w->generation++;
}

void wal_note_committed(struct wal *w, const struct pending_op *p)
{
	w->segments[p->segment].uncommitted--;
}

bool wal_can_recycle(const struct wal *w)
{
	const struct wal_segment *segment = &w->segments[!w->current];

	return segment->used && !segment->uncommitted;
}

/*
 * Zero the first record's hash and size, which ends the segment for a reader.
 * Should the write fail, replaying the records once more changes nothing.
 */
void wal_recycle(struct wal *w)
{
	static const char nothing[sizeof(struct hash) + sizeof(uint64_t)];

	(void)!fd_pwrite(w->fd, str_make(nothing, sizeof(nothing)),
			 wal_segment_at(!w->current));
	w->segments[!w->current].used = 0;
}
