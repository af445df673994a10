/*
 * wal.h - the write-ahead log in front of SQLite.
 *
 * A transaction takes longer than all else that a small change waits for. So
 * small operations are first appended to a file of our own, with one pwrite()
 * each, and committed to the database later, many in one transaction. Every
 * store that writes often has such a log, in daybook/ beside the database
 * (wal_file.h), and holds a flock() on it as long as it lives.
 *
 * Before a process reads the history it replays the logs of the other processes
 * into the database, and removes those whose owner has died. Replay is
 * idempotent: an intent that the database has, and the end of an operation that
 * has ended, change nothing. docs/write-ahead-log.md has the whole story.
 *
 * A log has two segments: one is appended to while the records of the other are
 * committed. Not safe for several threads at once, but for wal_sync().
 */
#ifndef STET_WAL_H
#define STET_WAL_H

#include "store/db.h"

struct wal;
struct pending_op;

/* The most bytes of content that an operation in a log has. */
enum { WAL_RECORD_MAX = 64 << 10 };

/*
 * Create the log @name in the directory of @db; NULL when that cannot be done.
 * With @durable its blocks are allocated and on disk before the first append.
 */
struct wal *wal_new(struct db *db, struct uuid name, bool durable);

/*
 * Close the log. The file is removed, unless @keep or unless it has records
 * that the database does not have.
 */
void wal_free(struct wal *w, bool keep);

/* Append all of @list, or nothing: false when it does not fit or fails. */
must_check bool wal_append(struct wal *w, struct pending_op *list);

/* Sync all appended records: 0, or -1. */
must_check int wal_sync(struct wal *w);

/* True when the file was removed: no reader would find its records. */
bool wal_is_unlinked(const struct wal *w);

/* True when the current segment is more than half full: commit it soon. */
bool wal_is_filling(const struct wal *w);

/* Append to the other segment from now on, if that is empty. */
void wal_switch_segment(struct wal *w);

/* The database has @p, which is in this log. */
void wal_note_committed(struct wal *w, const struct pending_op *p);

/* True when the database has every record of the segment not appended to. */
bool wal_can_recycle(const struct wal *w);

/*
 * Empty that segment. The records must be as durable in the database as they
 * are here before this is called.
 */
void wal_recycle(struct wal *w);

/*
 * Replay what is new in the logs beside @db, other than our own one, @own, into
 * it. Failures are not reported; the records are missing then.
 */
void wal_replay_others(struct db *db, struct uuid own);

/* True when a log beside @db has records that were not replayed. */
bool wal_others_have_records(struct db *db);

#endif
