/*
 * db.h - one connection to the database, for one thread at a time.
 *
 *	auto_rows r = rows_of(db, Q_OP_FIND);
 *
 *	put_uuid(&r, id);
 *	while (rows_next(&r, f))
 *		... get_int(&r), get_str(&r, mem) ...
 *	return r.err;
 *
 * Parameters and columns go from left to right.
 */
#ifndef STET_DB_H
#define STET_DB_H

#include "base/err.h"
#include "base/hash.h"
#include "base/uuid.h"
#include "store/state_dir.h"
#include "store/wal_reader.h"

#include <sqlite3.h>

struct store;

enum db_query {
#define QUERY(name, sql) Q_##name,
#include "store/queries.def"
#undef QUERY
	QUERIES
};

struct db {
	struct store *store;
	int dir;                   /* the state directory; -1 = not open */
	sqlite3 *sql;              /* NULL = not open */
	struct state_dir_db_id id; /* of the file that was opened */
	sqlite3_stmt *prepared[QUERIES];
	bool full_sync;       /* PRAGMA synchronous is FULL */
	bool corrupt;         /* a statement has found damage */
	bool locked;          /* we hold the lock of the state directory */
	bool in_memory;       /* empty stand-in for a missing file */
	bool unmade;          /* the file has no tables yet */
	int sqlite_wal_pages; /* not checkpointed */
	uint64_t busy_until;  /* clock_ms(): deadline of the busy handler */
	uint32_t jitter;      /* random state of the busy handler */
	struct wal_reader wal_reader; /* used by the shared connection */
	const char *salvage; /* path of a damaged database to copy rows from */
};

/*
 * Open it, unless it is open: the directory and the file are created if need
 * be, and must be private to this user; the schema is migrated. A database that
 * was moved away or deleted since is opened anew.
 */
must_check enum err db_open(struct db *db, struct fault *f);
void db_close(struct db *db);

/*
 * It is corrupt: rename it, unless another process has just done so, and create
 * a new one with the rows that can still be read.
 */
must_check enum err db_renew(struct db *db, struct fault *f);

/* ERR_STORE with the message of SQLite, and the errno if there is one. */
enum err db_fail(struct db *db, struct fault *f);

/* A write transaction; with @full it is on disk when db_commit() returns. */
must_check enum err db_begin(struct db *db, bool full, struct fault *f);
must_check enum err db_commit(struct db *db, struct fault *f);
void db_rollback(struct db *db);

/*
 * Checkpoint SQLite's log, as far as no reader prevents it; with @all also
 * truncate the log.
 */
void db_checkpoint(struct db *db, bool all);

/* Sync SQLite's log, so that all commits so far are on disk: 0, or -1. */
must_check int db_sync(struct db *db);

/* Run SQL that is not worth preparing; db_number() returns one integer. */
must_check enum err db_run(struct db *db, const char *sql, struct fault *f);
must_check enum err db_number(struct db *db, const char *sql, int64_t *ret,
			      struct fault *f);

struct rows {
	struct db *db;
	sqlite3_stmt *statement;
	int at;
	enum err err;
	size_t copies;
	uint8_t copy[6][16]; /* bound ids and hashes, @copies of them */
};

#define auto_rows cleanup(rows_end) struct rows

struct rows rows_of(struct db *db, enum db_query query);
void rows_end(struct rows *r);

/* Is there another row? False at the end, and after a failure (r->err). */
must_check bool rows_next(struct rows *r, struct fault *f);

/*
 * Find an id by a part of it. The rows of @query are an id and how well it
 * matches, best first. ERR_NO_OP; ERR_MANY_OPS when two match equally well.
 */
must_check enum err rows_part(struct db *db, enum db_query query,
			      const char *digits, struct uuid *ret,
			      struct fault *f);

/* Run a statement for its effect. */
must_check enum err rows_run(struct rows *r, struct fault *f);

void put_int(struct rows *r, int64_t n);
void put_null(struct rows *r);
void put_str(struct rows *r,
	     struct str s); /* as text; the caller keeps it until rows_end() */
void put_bytes(struct rows *r, struct str s); /* as a blob; likewise */
void put_uuid(struct rows *r, struct uuid id);
void put_optional_id(struct rows *r, struct uuid id); /* zero = NULL */
void put_hash(struct rows *r, struct hash h);

int64_t get_int(struct rows *r);
struct str get_view(struct rows *r); /* until the next row */
struct str get_str(struct rows *r, struct arena *mem);
struct uuid get_uuid(struct rows *r);
struct hash get_hash(struct rows *r);

#endif
