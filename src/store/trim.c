/*
 * trim.c - drop the oldest operations when the history is over its limit.
 *
 * A group of operations goes as a whole. Run by the writer's thread, one step at
 * a time. It begins at nine tenths of
 * the limit and stops at eight, so that it runs seldom and the limit is not
 * passed meanwhile. The steps:
 *
 * 	TRIM_REST  -> TRIM_COUNT	9/10 of the limit may be reached
 * 	TRIM_COUNT -> TRIM_REST		they are not
 * 	TRIM_COUNT -> TRIM_DROP		they are (8/10 while dropping)
 * 	TRIM_DROP  -> TRIM_COUNT	some operations went: count again
 * 	TRIM_DROP  -> TRIM_FILES	none can go
 * 	TRIM_COUNT -> TRIM_FILES	less than 8/10 after dropping
 * 	TRIM_FILES -> TRIM_VACUUM -> TRIM_REST
 */
#include "store/trim.h"

#include "store/blobs.h"

#include <stdio.h>

enum { ROWS_AT_ONCE = 2000, OPS_AT_ONCE = 200, PAGES_AT_ONCE = 1000 };

static uint64_t limit_tenths(const struct trim *t, unsigned n)
{
	return t->max / 10 * n;
}

static void begin_count(struct trim *t)
{
	t->step = TRIM_COUNT;
	t->total = t->noted = 0;
	t->at = 0;
}

/*
 * An upper bound: equal contents are stored once, and compressed. It only says
 * when to count again.
 */
void trim_note(struct trim *t, uint64_t bytes)
{
	t->noted += bytes;
	if (t->max && t->step == TRIM_REST &&
	    t->total + t->noted > limit_tenths(t, 9))
		begin_count(t);
}

bool trim_is_urgent(const struct trim *t)
{
	return t->max && t->step != TRIM_REST &&
	       (t->total > limit_tenths(t, 9) || t->noted > limit_tenths(t, 1));
}

static enum err count_some(struct db *db, struct trim *t, struct fault *f)
{
	auto_rows r = rows_of(db, Q_TRIM_COUNT);
	int64_t rows = 0;

	put_int(&r, t->at);
	put_int(&r, ROWS_AT_ONCE);
	if (rows_next(&r, f)) {
		rows = get_int(&r);
		t->total += (uint64_t)get_int(&r);
		t->at = get_int(&r);
	}
	if (r.err || rows == ROWS_AT_ONCE)
		return r.err;
	if (t->total > limit_tenths(t, t->dropping ? 8 : 9))
		t->step = TRIM_DROP;
	else
		t->step = t->dropping ? TRIM_FILES : TRIM_REST;
	return ERR_OK;
}

/*
 * The last operation that has to go to free @bytes. Contents that others refer
 * to stay: then there is another round.
 */
static enum err find_last(struct db *db, uint64_t bytes, int64_t *ret,
			  struct fault *f)
{
	auto_rows r = rows_of(db, Q_TRIM_OLDEST);
	uint64_t sum = 0;

	*ret = 0;
	put_int(&r, OPS_AT_ONCE);
	while (sum < bytes && rows_next(&r, f)) {
		*ret = get_int(&r);
		sum += (uint64_t)get_int(&r);
	}
	return r.err;
}

static enum err drop_ops(struct db *db, uint64_t bytes, bool *ret_any,
			 struct fault *f)
{
	int64_t last;
	enum err e = find_last(db, bytes, &last, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_TRIM_OPS);
	put_int(&r, last);
	e = rows_run(&r, f);
	*ret_any = !e && sqlite3_changes(db->sql);
	return e;
}

static enum err drop_blobs(struct db *db, bool *any, struct fault *f)
{
	auto_rows r = rows_of(db, Q_GC_BLOB_DROP);

	put_int(&r, ROWS_AT_ONCE);
	while (rows_next(&r, f))
		*any = true;
	return r.err;
}

static enum err drop_some(struct db *db, struct trim *t, struct fault *f)
{
	bool any = false;
	enum err e = db_begin(db, false, f);

	if (!e)
		e = drop_ops(db, limit_tenths(t, 1), &any, f);
	if (!e)
		e = drop_blobs(db, &any, f);
	if (!e)
		e = db_commit(db, f);
	db_rollback(db);
	if (e)
		return e;
	t->dropping = true;
	/* Other processes drop and compress, too: count again. */
	if (any)
		begin_count(t);
	else /* all that are left are intents without an end */
		t->step = TRIM_FILES;
	return ERR_OK;
}

/* Give free pages back to the file system. */
static enum err vacuum_some(struct db *db, struct trim *t, struct fault *f)
{
	int64_t before = 0, left = 0;
	char sql[64];
	enum err e = db_number(db, "PRAGMA freelist_count", &before, f);

	(void)snprintf(sql, sizeof(sql), "PRAGMA incremental_vacuum(%d)",
		       PAGES_AT_ONCE);
	if (!e)
		e = db_run(db, sql, f);
	if (!e)
		e = db_number(db, "PRAGMA freelist_count", &left, f);
	if (!e && (!left || left >= before)) {
		db_checkpoint(db, true);
		t->step = TRIM_REST;
		t->total = size_min(t->total, limit_tenths(t, 8));
		trim_note(t, 0); /* more may have been written meanwhile */
	}
	return e;
}

static enum err trim_step(struct db *db, struct trim *t, struct fault *f)
{
	switch (t->step) {
	case TRIM_COUNT:
		return count_some(db, t, f);
	case TRIM_DROP:
		return drop_some(db, t, f);
	case TRIM_FILES:
		t->step = TRIM_VACUUM;
		t->dropping = false;
		return blob_sweep(db, false, f);
	case TRIM_VACUUM:
		return vacuum_some(db, t, f);
	case TRIM_REST:
		break;
	}
	return ERR_OK;
}

enum err trim_some(struct db *db, struct trim *t, bool *ret_more,
		   struct fault *f)
{
	enum err e = t->max ? trim_step(db, t, f) : ERR_OK;

	if (e) /* tried again when more is written */
		t->step = TRIM_REST;
	*ret_more = t->max && t->step != TRIM_REST;
	return e;
}
