/*
 * wal_reader.h - how far a connection has replayed the logs of other processes.
 *
 * Every read of the history begins with a replay. To read the logs whole each
 * time would be up to a megabyte and a transaction for each process that is
 * running. So a connection remembers the list of logs, and for each segment of
 * each log the place behind the last record that it has committed.
 *
 * What it relies on to know that nothing has changed:
 *
 * - For the list: the identity and the timestamps of the directory. Timestamps
 *   are as coarse as a tick of the kernel (up to 10 ms; 2 s on FAT), so that a
 *   file made right after the list was read may not change them. A list is
 *   therefore kept only if the directory had been left alone for a while when
 *   it was read.
 * - For a log: the bytes behind the last record, and the generation of the
 *   segment. Not its timestamps, because two appends can share a tick; not its
 *   size, because a durable log has its full size from the start; and not the
 *   directory, which does not change when a log grows. An append is one
 *   pwrite(), and the page cache shows it to every process when that returns.
 *
 * It is valid for one database only: db_close() drops it.
 */
#ifndef STET_WAL_READER_H
#define STET_WAL_READER_H

#include "base/uuid.h"
#include "store/wal_file.h"

#include <time.h>

struct wal_cursor {
	uint64_t
		generation; /* of the records seen; 0 = the segment was empty */
	size_t offset;      /* in the segment, behind the last committed one */
};

struct wal_log {
	struct uuid name;
	struct wal_cursor segments[WAL_SEGMENTS];
};

/* The identity and the timestamps of the directory of the logs. */
struct wal_dir_stamp {
	uint64_t dev, ino;
	struct timespec modified, changed;
};

struct wal_reader {
	struct wal_log *logs;
	size_t n;
	struct wal_dir_stamp stamp;
	bool list_is_stable;    /* an equal stamp means an equal list */
	uint64_t lists_read;    /* how often the directory was read */
	uint64_t segments_read; /* how often records were read from a segment */
};

/* Forget everything: the next replay reads all logs from their start. */
void wal_reader_reset(struct wal_reader *r);

/* Take over what @from knows, which forgets it. */
void wal_reader_move(struct wal_reader *r, struct wal_reader *from);

#endif
