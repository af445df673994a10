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
#include "store/place.h"

#include <sqlite3.h>

struct store;

enum query {
#define QUERY(name, sql) Q_##name,
#include "store/queries.def"
#undef QUERY
	QUERIES
};

struct db {
	struct store *store;
	int dir;            /* where it is; -1 = not open */
	sqlite3 *sql;       /* NULL = not open */
	struct place_id id; /* the file it was when it was opened */
	sqlite3_stmt *prepared[QUERIES];
	bool full_sync;      /* as it was set last */
	bool corrupt;        /* a call has found that out */
	bool locked;         /* we hold the lock of the place */
	bool in_memory;      /* there is none to look at: it is empty */
	bool unmade;         /* the file is there, and nothing in it */
	int wal_pages;       /* not yet in the database itself */
	uint64_t busy_until; /* so long we wait for others */
	uint32_t turn;       /* makes our steps differ from theirs */
	const char *salvage; /* a new one takes over what can be read here */
};

/*
 * Open it, unless it is: the directory and the file are made if need be, and
 * must be ours alone; the schema is brought up to date. A database that has
 * been moved away or deleted since is opened anew.
 */
must_check enum err db_open(struct db *db, struct fault *f);
void db_close(struct db *db);

/*
 * It is corrupt: put it aside, unless somebody else has just done so, and
 * begin a new one with what can still be read of it.
 */
must_check enum err db_renew(struct db *db, struct fault *f);

/* ERR_STORE in the words of SQLite, and of the system if it knows why. */
enum err db_fail(struct db *db, struct fault *f);

/* A transaction that writes; with @full it is on disk when it has ended. */
must_check enum err db_begin(struct db *db, bool full, struct fault *f);
must_check enum err db_commit(struct db *db, struct fault *f);
void db_rollback(struct db *db);

/*
 * Bring home what waits in the log, as far as nobody stands in the way;
 * with @all also make the log small.
 */
void db_checkpoint(struct db *db, bool all);

/* All that was committed so far is on disk: 0, or -1. */
must_check int db_sync(struct db *db);

/* Any SQL, for what is done once. */
must_check enum err db_run(struct db *db, const char *sql, struct fault *f);
must_check enum err db_number(struct db *db, const char *sql, int64_t *ret,
			      struct fault *f);

struct rows {
	struct db *db;
	sqlite3_stmt *statement;
	int at;
	enum err err;
};

#define auto_rows cleanup(rows_end) struct rows

struct rows rows_of(struct db *db, enum query query);
void rows_end(struct rows *r);

/* Is there another row? False at the end, and after a failure (r->err). */
must_check bool rows_next(struct rows *r, struct fault *f);

/*
 * The id that a query for a part of it finds: its rows are an id and how well
 * it fits, the best first. ERR_NO_OP; ERR_MANY_OPS when two fit as well.
 */
must_check enum err rows_part(struct db *db, enum query query,
			      const char *digits, struct uuid *ret,
			      struct fault *f);

/* Run one that gives no rows. */
must_check enum err rows_run(struct rows *r, struct fault *f);

void put_int(struct rows *r, int64_t n);
void put_null(struct rows *r);
void put_str(struct rows *r, struct str s);   /* as text; stays yours */
void put_bytes(struct rows *r, struct str s); /* as a blob; stays yours */
void put_uuid(struct rows *r, struct uuid id);
void put_hash(struct rows *r, struct hash h);

int64_t get_int(struct rows *r);
struct str get_view(struct rows *r); /* until the next row */
struct str get_str(struct rows *r, struct arena *mem);
struct uuid get_uuid(struct rows *r);
struct hash get_hash(struct rows *r);

#endif
