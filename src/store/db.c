/*
 * db.c - one SQLite connection: open, migrate, replace a damaged file,
 * transactions.
 *
 * A connection is used by one thread at a time; its owner has the lock
 * (writer.c, store.c). Opening is serialised in the process. The schema is in
 * schema.def, statements are in queries.def and rows.c.
 */
#include "store/db.h"

#include "base/clock.h"
#include "base/fd.h"
#include "store/local.h"
#include "store/salvage.h"
#include "store/state_dir.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
	BUSY_MS = 10000,
	BUSY_STEP_US = 500,
	LOG_LEFT = 256,
	APPLICATION = 0x73746574 /* "stet" */
};

static const struct {
	int number;
	const char *sql;
} migrations[] = {
#define MIGRATION(number, sql) { number, sql },
#include "store/schema.def"
#undef MIGRATION
};

enum { NEWEST = COUNT_OF(migrations) };

/*
 * Held while a database is opened: the file is created through a descriptor of
 * our own, and closing that drops all POSIX locks of the process on the file.
 */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* The errno behind an error of SQLite; 0 = none. */
static int system_error(struct db *db, int code)
{
	int os = db->sql ? sqlite3_system_errno(db->sql) : 0;
	sqlite3_file *log = NULL;

	if (!os && code == SQLITE_FULL)
		return ENOSPC;
	if (os || code != SQLITE_IOERR)
		return os;
	(void)sqlite3_file_control(db->sql, "main",
				   SQLITE_FCNTL_JOURNAL_POINTER, &log);
	if (log && log->pMethods)
		(void)log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO,
						  &os);
	return os;
}

enum err db_fail(struct db *db, struct fault *f)
{
	int code = sqlite3_extended_errcode(db->sql);
	int os = system_error(db, code & 0xff);
	const char *path = db->sql ? sqlite3_db_filename(db->sql, "main") : "";
	char words[128] = "";
	struct str text;

	if ((code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB)
		db->corrupt = true;
	if (os)
		text = store_message(db->store, "%s: %s (%s)", path ? path : "",
				     sqlite3_errstr(code),
				     strerror_r(os, words, sizeof(words)));
	else
		text = store_message(db->store, "%s: %s", path ? path : "",
				     db->sql ? sqlite3_errmsg(db->sql) : "");
	return fail(f, ERR_STORE, .text = text, .os = os);
}

enum err db_run(struct db *db, const char *sql, struct fault *f)
{
	if (sqlite3_exec(db->sql, sql, NULL, NULL, NULL) == SQLITE_OK)
		return ERR_OK;
	return db_fail(db, f);
}

enum err db_number(struct db *db, const char *sql, int64_t *ret,
		   struct fault *f)
{
	sqlite3_stmt *st = NULL;
	int said = sqlite3_prepare_v2(db->sql, sql, -1, &st, NULL);
	enum err e = ERR_OK;

	if (said == SQLITE_OK)
		said = sqlite3_step(st);
	if (said == SQLITE_ROW)
		*ret = sqlite3_column_int64(st, 0);
	else
		e = db_fail(db, f);
	(void)sqlite3_finalize(st);
	return e;
}

static int note_pages(void *ctx, sqlite3 *sql, const char *name, int pages)
{
	struct db *db = ctx;

	db->sqlite_wal_pages = pages;
	return SQLITE_OK;
}

/*
 * The busy handler: another connection holds the write lock. Waits in short
 * steps of equal length with some jitter. The steps of SQLite's own handler
 * grow, so that the connection that has waited longest would be served last.
 */
static int wait_our_turn(void *ctx, int tries)
{
	struct db *db = ctx;
	const uint64_t now = clock_ms();
	struct timespec step = { 0, BUSY_STEP_US * 1000L };

	if (!tries)
		db->busy_until = now + BUSY_MS;
	if (now >= db->busy_until)
		return 0;
	db->jitter = db->jitter * 1103515245 + 12345;
	step.tv_nsec += (long)(db->jitter >> 16) % BUSY_STEP_US * 2000L;
	(void)nanosleep(&step, NULL);
	return 1;
}

/* No automatic checkpoints: the writer's thread does them when it is idle. */
static void db_configure(struct db *db)
{
	(void)sqlite3_extended_result_codes(db->sql, 1);
	db->jitter = (uint32_t)getpid();
	(void)sqlite3_busy_handler(db->sql, wait_our_turn, db);
	(void)sqlite3_wal_autocheckpoint(db->sql, 0);
	(void)sqlite3_wal_hook(db->sql, note_pages, db);
	(void)sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0,
				NULL);
}

static enum err migrate_from(struct db *db, int64_t version, struct fault *f)
{
	char end[64];
	enum err e = db_run(db, "BEGIN IMMEDIATE", f);

	for (size_t i = (size_t)version; !e && i < NEWEST; i++)
		e = db_run(db, migrations[i].sql, f);
	if (!e && db->salvage)
		salvage(db->salvage, db->sql);
	(void)snprintf(end, sizeof(end),
		       "PRAGMA user_version=%d; PRAGMA application_id=%d",
		       (int)NEWEST, APPLICATION);
	if (!e)
		e = db_run(db, end, f);
	if (!e)
		e = db_commit(db, f);
	if (e)
		db_rollback(db);
	return e;
}

/*
 * A new database is written without fsync, as there is nothing to lose yet, and
 * synced once at the end instead of eight times.
 */
static enum err sync_new(struct db *db, struct fault *f)
{
	sqlite3_file *file = NULL;

	(void)sqlite3_file_control(db->sql, "main", SQLITE_FCNTL_FILE_POINTER,
				   &file);
	if (db->store->options.durable && file && file->pMethods &&
	    db->dir >= 0 &&
	    (file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) ||
	     fd_fsync(db->dir)))
		return fail(f, ERR_STORE,
			    .text = STR("it cannot be synced to disk (fsync)"),
			    .os = errno);
	return db_run(db, "PRAGMA synchronous=NORMAL", f);
}

/*
 * Under the lock of the state directory. The first pragmas count only before
 * there is a table.
 */
static enum err db_migrate(struct db *db, struct fault *f)
{
	/* A database in memory says nothing about the file of the directory. */
	const bool in_dir = db->dir >= 0 && !db->in_memory;
	int64_t version = 0;
	auto_fd lock = -1;
	enum err e = ERR_OK;

	if (in_dir && !db->locked)
		e = state_dir_lock(db->store, db->dir, &lock, f);
	if (!e)
		e = db_number(db, "PRAGMA user_version", &version, f);
	if (e || version == NEWEST)
		return e;
	if (!version)
		e = db_run(db,
			   "PRAGMA synchronous=OFF;"
			   "PRAGMA auto_vacuum=INCREMENTAL;"
			   "PRAGMA journal_mode=WAL",
			   f);
	if (!e)
		e = migrate_from(db, version, f);
	if (!e && !version)
		e = sync_new(db, f);
	if (!e && in_dir)
		state_dir_mark_made(db->dir);
	return e;
}

static enum err wrong_schema(struct db *db, int64_t version, const char *why,
			     struct fault *f)
{
	return fail(f, ERR_STORE,
		    .text = store_message(
			    db->store, "%s: %s (schema %lld, this one has %d)",
			    sqlite3_db_filename(db->sql, "main"), why,
			    (long long)version, (int)NEWEST));
}

static enum err check_schema(struct db *db, struct fault *f)
{
	int64_t version = 0, application = 0;
	enum err e = db_number(db, "PRAGMA user_version", &version, f);

	if (!e)
		e = db_number(db, "PRAGMA application_id", &application, f);
	if (e)
		return e;
	if (application && application != APPLICATION)
		return wrong_schema(db, version,
				    "it is not a history database of stet", f);
	if (version > NEWEST)
		return wrong_schema(db, version,
				    "it was written by a newer version of stet",
				    f);
	if (version == NEWEST)
		return ERR_OK;
	if (!db->store->options.read_only || db->in_memory)
		return db_migrate(db, f);
	db->unmade = !version && !application;
	e = wrong_schema(db, version,
			 "it has an older schema; the next write migrates it",
			 f);
	if (f)
		f->reason = "older";
	return e;
}

/*
 * Under the lock @opening, before the first connection: SQLite keeps no
 * statistics of its memory. Nothing reads them, and they take a lock at each
 * malloc() and free().
 */
static void sqlite_configure(void)
{
	static bool done;

	if (!done)
		(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	done = true;
}

static enum err connect_to(struct db *db, const char *path, int flags,
			   struct fault *f)
{
	enum err e = ERR_OK;

	sqlite_configure();
	if (sqlite3_open_v2(path, &db->sql,
			    flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
			    NULL) != SQLITE_OK)
		return db_fail(db, f);
	db_configure(db);
	if (!db->store->options.read_only)
		/* A confined server has no directory for temporary files. */
		e = db_run(db,
			   "PRAGMA synchronous=NORMAL;"
			   "PRAGMA temp_store=MEMORY",
			   f);
	db->full_sync = false;
	return e ? e : check_schema(db, f);
}

/*
 * To read a database in WAL mode SQLite needs a -shm file. Where it cannot be
 * created and there is no -wal file, the database is complete without them.
 */
static enum err connect_fixed(struct db *db, const char *path,
			      struct arena *mem, struct fault *f)
{
	auto_buf uri = BUF_INIT;

	buf_lit(&uri, "file:");
	for (const char *c = path; *c; c++) {
		if (*c == '%' || *c == '?' || *c == '#')
			buf_addf(&uri, "%%%02x", (unsigned char)*c);
		else
			buf_addc(&uri, *c);
	}
	buf_lit(&uri, "?immutable=1");
	(void)sqlite3_close(db->sql);
	db->sql = NULL;
	return connect_to(db, arena_cstr(mem, buf_str(&uri)),
			  SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, f);
}

/* For a reader where there is no database yet: an empty one in memory. */
static enum err connect_to_nothing(struct db *db, struct fault *f)
{
	(void)sqlite3_close(db->sql);
	db->sql = NULL;
	db->in_memory = true;
	return connect_to(db, ":memory:",
			  SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, f);
}

static enum err connect_to_look(struct db *db, const char *path,
				struct arena *mem, struct fault *f)
{
	enum err e;
	int code;

	if (db->dir < 0)
		return connect_to_nothing(db, f);
	e = connect_to(db, path, SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_READONLY,
		       f);
	code = sqlite3_errcode(db->sql) & 0xff;
	if (e && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY) &&
	    faccessat(db->dir, STATE_DIR_DB "-wal", F_OK, 0))
		return connect_fixed(db, path, mem, f);
	/* Another process is creating it. */
	return e && db->unmade ? connect_to_nothing(db, f) : e;
}

/*
 * Under the lock @opening, before anything is written that names this process.
 * Taken anew at each open, because it may be another directory by now; the old
 * lock is dropped after the new one is held.
 */
static enum err hold_process_lock(struct db *db, struct fault *f)
{
	struct store *s = db->store;
	int held = process_hold(db->dir);

	if (held < 0)
		return fail(f, ERR_STORE,
			    .text = STR("its lock file cannot be locked"),
			    .os = errno);
	fd_drop(&s->held);
	s->held = held;
	return ERR_OK;
}

static enum err connect_any(struct db *db, struct arena *mem, struct fault *f)
{
	char *path = NULL;
	enum err e = state_dir_open(db->store, mem, &db->dir, &path, f);

	if (e)
		return e;
	db->id = state_dir_db_id(db->dir);
	/* SQLite deletes the -wal of an empty database, a reader's, too. */
	if (state_dir_is_emptied(db->dir)) {
		db->corrupt = true;
		return fail(
			f, ERR_STORE,
			.text = store_message(
				db->store,
				"%s: another program has truncated it to 0 bytes; the next change quarantines it with its log",
				path));
	}
	if (db->store->options.read_only)
		return connect_to_look(db, path, mem, f);
	e = hold_process_lock(db, f);
	return e ? e
		 : connect_to(db, path,
			      SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_READWRITE, f);
}

static bool has_moved(struct db *db)
{
	int moved = 0;

	(void)sqlite3_file_control(db->sql, "main", SQLITE_FCNTL_HAS_MOVED,
				   &moved);
	return moved;
}

/* Under the lock @opening. */
static enum err renew_locked(struct db *db, struct arena *mem, struct fault *f)
{
	auto_fd lock = -1, dir = fd_take(&db->dir);
	const char *aside = NULL;
	bool emptied;
	enum err e;

	db_close(db);
	e = state_dir_lock(db->store, dir, &lock, f);
	emptied = !e && state_dir_is_emptied(dir);
	if (!e && state_dir_db_is(dir, db->id))
		e = state_dir_put_aside(db->store, dir, mem, &aside, f);
	if (e)
		return e;
	db->locked = true;
	/* SQLite would delete the -wal beside an empty file. */
	db->salvage = emptied ? NULL : aside;
	e = connect_any(db, mem, f);
	db->locked = false;
	db->salvage = NULL;
	return e;
}

enum err db_renew(struct db *db, struct fault *f)
{
	auto_arena mem = ARENA_INIT;
	bool moved = db->sql && has_moved(db);
	enum err e;

	if (moved || db->store->options.read_only) {
		db_close(db);
		return db_open(db, f);
	}
	(void)pthread_mutex_lock(&opening);
	e = renew_locked(db, &mem, f);
	if (e)
		db_close(db);
	(void)pthread_mutex_unlock(&opening);
	return e;
}

enum err db_open(struct db *db, struct fault *f)
{
	auto_arena mem = ARENA_INIT;
	enum err e;

	if (db->sql && db->dir >= 0 && !db->in_memory && !has_moved(db))
		return ERR_OK;
	db_close(db);
	(void)pthread_mutex_lock(&opening);
	e = connect_any(db, &mem, f);
	if (e && db->corrupt && !db->store->options.read_only)
		e = renew_locked(db, &mem, f);
	if (e)
		db_close(db);
	(void)pthread_mutex_unlock(&opening);
	return e;
}

void db_close(struct db *db)
{
	for (size_t i = 0; i < QUERIES; i++) {
		(void)sqlite3_finalize(db->prepared[i]);
		db->prepared[i] = NULL;
	}
	/*
	 * The last connection to close would checkpoint, which takes as long as
	 * a write. A short log can stay for the next connection.
	 */
	if (db->sql && db->sqlite_wal_pages < LOG_LEFT)
		(void)sqlite3_db_config(db->sql,
					SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1,
					NULL);
	(void)sqlite3_close(db->sql);
	db->sql = NULL;
	db->sqlite_wal_pages = 0;
	db->corrupt = false;
	db->in_memory = db->unmade = false;
	wal_reader_reset(&db->wal_reader);
	fd_drop(&db->dir);
}

void db_checkpoint(struct db *db, bool all)
{
	if (sqlite3_wal_checkpoint_v2(db->sql, "main",
				      all ? SQLITE_CHECKPOINT_TRUNCATE
					  : SQLITE_CHECKPOINT_PASSIVE,
				      NULL, NULL) == SQLITE_OK)
		db->sqlite_wal_pages = 0;
}

int db_sync(struct db *db)
{
	sqlite3_file *log = NULL;

	if (!db->sql)
		return -1;
	(void)sqlite3_file_control(db->sql, "main",
				   SQLITE_FCNTL_JOURNAL_POINTER, &log);
	if (!log || !log->pMethods ||
	    log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) != SQLITE_OK)
		return -1;
	return 0;
}

static enum err run_query(struct db *db, enum db_query query, struct fault *f)
{
	auto_rows r = rows_of(db, query);

	return rows_run(&r, f);
}

enum err db_begin(struct db *db, bool full, struct fault *f)
{
	enum err e = ERR_OK;

	if (db->store->options.read_only)
		return fail(f, ERR_STORE,
			    .text = STR("it was opened read-only"));
	if (full != db->full_sync)
		e = db_run(db,
			   full ? "PRAGMA synchronous=FULL"
				: "PRAGMA synchronous=NORMAL",
			   f);
	if (e)
		return e;
	db->full_sync = full;
	return run_query(db, Q_BEGIN, f);
}

enum err db_commit(struct db *db, struct fault *f)
{
	return run_query(db, Q_COMMIT, f);
}

void db_rollback(struct db *db)
{
	if (db->sql && !sqlite3_get_autocommit(db->sql))
		(void)sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
}
