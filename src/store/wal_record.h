/*
 * wal_record.h - one record of a write-ahead log: an operation as bytes.
 *
 * Each is { hash, size, generation, body }: the hash is of all that follows
 * it, and every use of a segment has a generation of its own. So a reader can
 * tell a record that a crash has cut off, and what is left of a former use of
 * the segment, from those that count.
 */
#ifndef STET_WAL_RECORD_H
#define STET_WAL_RECORD_H

#include "base/buf.h"
#include "store/writer.h"

void wal_record_put(struct buf *out, const struct pending_op *p,
		    uint64_t generation);

/*
 * The generation of the record that @bytes begin with, which may be torn; 0
 * when they do not begin with one. The header is less than 64 bytes long.
 */
uint64_t wal_record_generation(struct str bytes);

/*
 * The first record of *@rest, which is moved past it; NULL when there is no
 * whole one of *@generation. 0 there means any, and is set to the one found.
 * The contents are views of *@rest; free() the result.
 */
must_check struct pending_op *wal_record_get(struct str *rest,
					     uint64_t *generation);

#endif
