/*
 * wal_file.h - the layout of a write-ahead log on the disk.
 *
 * A header, then two segments of records (wal_record.h). A log never leaves the
 * machine, so numbers are in the byte order of the machine.
 *
 * On the disk the directory and the magic say "daybook", the former name:
 * logs that an older version has left must still be found and replayed.
 */
#ifndef STET_WAL_FILE_H
#define STET_WAL_FILE_H

#include "base/base.h"

#include <sys/types.h>

#define WAL_DIR "daybook"

enum {
	WAL_HEADER_SIZE = 4096, /* bytes before the first segment */
	WAL_SEGMENT_SIZE = 512 << 10,
	WAL_SEGMENTS = 2,
	WAL_SIZE = WAL_HEADER_SIZE + WAL_SEGMENTS * WAL_SEGMENT_SIZE,
};

/* "daybook1" */
static const uint64_t WAL_MAGIC = 0x316b6f6f62796164;

struct wal_header {
	uint64_t magic;
	uint64_t durable; /* its records must survive a loss of power */
};

static inline off_t wal_segment_at(int segment)
{
	return WAL_HEADER_SIZE + (off_t)segment * WAL_SEGMENT_SIZE;
}

#endif
