#include "store/db.h"

#include "base/clock.h"
#include "base/fd.h"
#include "store/local.h"
#include "store/place.h"
#include "store/salvage.h"

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
 * Opening is done by one thread at a time: the file is made by a descriptor
 * that is closed again, which ends all locks of this process on it.
 */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* Why the system refused; SQLite knows it of its files, and of its log. */
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
		text = store_words(db->store, "%s: %s (%s)", path ? path : "",
				   sqlite3_errstr(code),
				   strerror_r(os, words, sizeof(words)));
	else
		text = store_words(db->store, "%s: %s", path ? path : "",
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

	db->wal_pages = pages;
	return SQLITE_OK;
}

/*
 * Somebody else writes. Everybody waits in equal steps, short and not quite
 * the same: SQLite's own grow, so that who has waited long waits longer.
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
	db->turn = db->turn * 1103515245 + 12345;
	step.tv_nsec += (long)(db->turn >> 16) % BUSY_STEP_US * 2000L;
	(void)nanosleep(&step, NULL);
	return 1;
}

/*
 * What waits in the log is brought home by the writer when it has time, not
 * by whoever happens to commit.
 */
static void configure(struct db *db)
{
	(void)sqlite3_extended_result_codes(db->sql, 1);
	db->turn = (uint32_t)getpid();
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
 * One that is being made holds nothing yet: it is written without waiting for
 * the disk and brought there at its end, once instead of eight times.
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
			    .text = STR("it cannot be brought to the disk"),
			    .os = errno);
	return db_run(db, "PRAGMA synchronous=NORMAL", f);
}

/* What must be set before there is a table, and alone. */
static enum err migrate(struct db *db, struct fault *f)
{
	int64_t version = 0;
	auto_fd lock = -1;
	enum err e = ERR_OK;

	if (db->dir >= 0 && !db->locked)
		e = place_lock(db->store, db->dir, &lock, f);
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
	if (!e && db->dir >= 0)
		place_mark_made(db->dir);
	return e;
}

static enum err wrong_schema(struct db *db, int64_t version, const char *why,
			     struct fault *f)
{
	return fail(f, ERR_STORE,
		    .text = store_words(db->store,
					"%s: %s (schema %lld, this one has %d)",
					sqlite3_db_filename(db->sql, "main"),
					why, (long long)version, (int)NEWEST));
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
		return wrong_schema(db, version, "it is not a history", f);
	if (version > NEWEST)
		return wrong_schema(db, version,
				    "it was written by a newer stet", f);
	if (version == NEWEST)
		return ERR_OK;
	if (!db->store->options.read_only || db->in_memory)
		return migrate(db, f);
	db->unmade = !version && !application;
	e = wrong_schema(db, version, "it is older; the next write renews it",
			 f);
	if (f)
		f->reason = "older";
	return e;
}

static enum err connect_to(struct db *db, const char *path, int flags,
			   struct fault *f)
{
	enum err e = ERR_OK;

	if (sqlite3_open_v2(path, &db->sql,
			    flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
			    NULL) != SQLITE_OK)
		return db_fail(db, f);
	configure(db);
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
 * A log needs a file of its own to be looked at. Where none can be made and
 * nothing waits in it, the database is all there is.
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

/* Nothing is there yet. */
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
	    faccessat(db->dir, PLACE_DB "-wal", F_OK, 0))
		return connect_fixed(db, path, mem, f);
	/* Somebody is about to make it. */
	return e && db->unmade ? connect_to_nothing(db, f) : e;
}

/*
 * Under the lock of all who open, before anything is written that names this
 * process. Anew each time, as it may be another directory by now; the old lock
 * goes after the new one is there.
 */
static enum err show_that_we_are_there(struct db *db, struct fault *f)
{
	struct store *s = db->store;
	int held = process_hold(db->dir);

	if (held < 0)
		return fail(f, ERR_STORE,
			    .text = STR("no lock can be taken beside it"),
			    .os = errno);
	fd_drop(&s->held);
	s->held = held;
	return ERR_OK;
}

static enum err connect_any(struct db *db, struct arena *mem, struct fault *f)
{
	char *path = NULL;
	enum err e = place_open(db->store, mem, &db->dir, &path, f);

	if (e)
		return e;
	db->id = place_id(db->dir);
	/* SQLite deletes the log of an empty one, also who only looks. */
	if (place_is_emptied(db->dir)) {
		db->corrupt = true;
		return fail(
			f, ERR_STORE,
			.text = store_words(
				db->store,
				"%s: it was emptied by another program; the next change puts it aside with its log",
				path));
	}
	if (db->store->options.read_only)
		return connect_to_look(db, path, mem, f);
	e = show_that_we_are_there(db, f);
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

/* Under the lock of all who open. */
static enum err renew(struct db *db, struct arena *mem, struct fault *f)
{
	auto_fd lock = -1, dir = fd_take(&db->dir);
	const char *aside = NULL;
	bool emptied;
	enum err e;

	db_close(db);
	e = place_lock(db->store, dir, &lock, f);
	emptied = !e && place_is_emptied(dir);
	if (!e && place_is(dir, db->id))
		e = place_put_aside(db->store, dir, mem, &aside, f);
	if (e)
		return e;
	db->locked = true;
	/* To open an empty one would be to lose its log. */
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
	e = renew(db, &mem, f);
	if (e)
		db_close(db);
	(void)pthread_mutex_unlock(&opening);
	return e;
}

enum err db_open(struct db *db, struct fault *f)
{
	auto_arena mem = ARENA_INIT;
	enum err e;

	if (db->sql && db->dir >= 0 && !has_moved(db))
		return ERR_OK;
	db_close(db);
	(void)pthread_mutex_lock(&opening);
	e = connect_any(db, &mem, f);
	if (e && db->corrupt && !db->store->options.read_only)
		e = renew(db, &mem, f);
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
	 * The last one to close brings the log home, which takes as long as a
	 * write; a short log is as well read by whoever comes next.
	 */
	if (db->sql && db->wal_pages < LOG_LEFT)
		(void)sqlite3_db_config(db->sql,
					SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1,
					NULL);
	(void)sqlite3_close(db->sql);
	db->sql = NULL;
	db->wal_pages = 0;
	db->corrupt = false;
	fd_drop(&db->dir);
}

void db_checkpoint(struct db *db, bool all)
{
	if (sqlite3_wal_checkpoint_v2(db->sql, "main",
				      all ? SQLITE_CHECKPOINT_TRUNCATE
					  : SQLITE_CHECKPOINT_PASSIVE,
				      NULL, NULL) == SQLITE_OK)
		db->wal_pages = 0;
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

static enum err run_query(struct db *db, enum query query, struct fault *f)
{
	auto_rows r = rows_of(db, query);

	return rows_run(&r, f);
}

enum err db_begin(struct db *db, bool full, struct fault *f)
{
	enum err e = ERR_OK;

	if (db->store->options.read_only)
		return fail(f, ERR_STORE,
			    .text = STR("it was opened only to look at it"));
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
