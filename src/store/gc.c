/*
 * gc.c - `stet gc`: drop operations that are too old, or too many.
 *
 * First it decides which operations go, with all of them in memory; then it
 * drops them, some in each transaction, so that other writers get their turn.
 * What one call changed together is dropped together. A
 * content is dropped when no operation refers to it, which is tested in the
 * transaction that drops it. On the shared connection; trim.c does the same in
 * the background, a little at a time.
 */
#include "base/clock.h"
#include "store/chunks.h"
#include "store/compress.h"
#include "store/history.h"
#include "store/local.h"

#include <stdio.h>

enum { OPS_AT_ONCE = 500, BLOBS_AT_ONCE = 1000, PAGES_AT_ONCE = 2000 };

struct gc_op {
	int64_t place; /* the same for all of a group */
	int64_t n, before, after;
	uint64_t time;
	bool open, drop;
};

struct gc_blob {
	int64_t id;
	uint64_t stored;
	size_t users;
};

struct gc_plan {
	struct arena mem;
	struct gc_op *ops;
	struct gc_blob *blobs;
	size_t n_ops, n_blobs, drops;
	uint64_t total; /* bytes of the contents that operations refer to */
};

static void plan_free(struct gc_plan *p)
{
	arena_free(&p->mem);
}

#define auto_plan cleanup(plan_free) struct gc_plan

static enum err load_blobs(struct db *db, struct gc_plan *p, struct fault *f)
{
	auto_rows r = rows_of(db, Q_GC_BLOBS);
	size_t room = 0;

	while (rows_next(&r, f)) {
		if (p->n_blobs == room) {
			size_t had = room;

			room = room * 2 + 256;
			p->blobs = arena_grow(&p->mem, p->blobs,
					      had * sizeof(*p->blobs),
					      room * sizeof(*p->blobs));
		}
		p->blobs[p->n_blobs] = (struct gc_blob){ .id = get_int(&r) };
		p->blobs[p->n_blobs++].stored = (uint64_t)get_int(&r);
	}
	return r.err;
}

static enum err load_ops(struct db *db, struct gc_plan *p, struct fault *f)
{
	auto_rows r = rows_of(db, Q_GC_OPS);
	size_t room = 0;

	while (rows_next(&r, f)) {
		struct gc_op *op;

		if (p->n_ops == room) {
			size_t had = room;

			room = room * 2 + 256;
			p->ops = arena_grow(&p->mem, p->ops,
					    had * sizeof(*p->ops),
					    room * sizeof(*p->ops));
		}
		op = &p->ops[p->n_ops++];
		*op = (struct gc_op){ .place = get_int(&r) };
		op->n = get_int(&r);
		op->time = (uint64_t)get_int(&r);
		op->open = get_int(&r) == OP_INTENT;
		op->before = get_int(&r);
		op->after = get_int(&r);
	}
	return r.err;
}

static struct gc_blob *plan_blob(struct gc_plan *p, int64_t id)
{
	size_t low = 0, high = p->n_blobs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->blobs[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->n_blobs && p->blobs[low].id == id ? &p->blobs[low]
							  : NULL;
}

static void plan_use(struct gc_plan *p, int64_t id)
{
	struct gc_blob *b = plan_blob(p, id);

	if (b && !b->users++)
		p->total += b->stored;
}

static void plan_release(struct gc_plan *p, int64_t id)
{
	struct gc_blob *b = plan_blob(p, id);

	if (b && !--b->users)
		p->total -= b->stored;
}

static void count_users(struct gc_plan *p)
{
	for (size_t i = 0; i < p->n_ops; i++) {
		plan_use(p, p->ops[i].before);
		plan_use(p, p->ops[i].after);
	}
}

/* The operations from @at on that are one group: the index behind them. */
static size_t group_end(const struct gc_plan *p, size_t at)
{
	const int64_t place = p->ops[at].place;

	while (at < p->n_ops && p->ops[at].place == place)
		at++;
	return at;
}

/*
 * May all of the group go? An intent without an end stays: it has to be settled
 * first.
 */
static bool may_drop(const struct gc_plan *p, size_t at, size_t end,
		     uint64_t older_ms)
{
	for (; at < end; at++)
		if (p->ops[at].open || p->ops[at].drop ||
		    (older_ms && p->ops[at].time >= older_ms))
			return false;
	return true;
}

static void plan_drop(struct gc_plan *p, size_t at, size_t end)
{
	for (; at < end; at++) {
		p->ops[at].drop = true;
		p->drops++;
		plan_release(p, p->ops[at].before);
		plan_release(p, p->ops[at].after);
	}
}

static void plan_decide(struct gc_plan *p, const struct history_gc *gc)
{
	size_t at, end;

	for (at = 0; gc->older_ms && at < p->n_ops; at = end) {
		end = group_end(p, at);
		if (may_drop(p, at, end, gc->older_ms))
			plan_drop(p, at, end);
	}
	for (at = 0; gc->max_bytes && at < p->n_ops; at = end) {
		end = group_end(p, at);
		if (p->total > gc->max_bytes &&
		    may_drop(p, at, end, /* older_ms= */ 0))
			plan_drop(p, at, end);
	}
}

static enum err drop_op(struct db *db, int64_t n, struct fault *f)
{
	auto_rows r = rows_of(db, Q_GC_OP_DROP);

	put_int(&r, n);
	return rows_run(&r, f);
}

/* All of one group, or nothing if it stays; counts them in *@n. */
static enum err drop_group(struct db *db, const struct gc_plan *p, size_t at,
			   size_t *n, struct fault *f)
{
	const size_t end = group_end(p, at);
	enum err e = ERR_OK;

	for (; at < end && p->ops[at].drop && !e; at++) {
		e = drop_op(db, p->ops[at].n, f);
		++*n;
	}
	return e;
}

static enum err drop_ops(struct db *db, struct gc_plan *p,
			 struct history_gc *gc, struct fault *f)
{
	enum err e = ERR_OK;
	size_t at = 0;

	while (at < p->n_ops && !e) {
		size_t n = 0;

		e = db_begin(db, false, f);
		while (at < p->n_ops && n < OPS_AT_ONCE && !e) {
			e = drop_group(db, p, at, &n, f);
			at = group_end(p, at);
		}
		if (!e)
			e = db_commit(db, f);
		if (e)
			break;
		gc->ops += n;
		if (gc->moved)
			gc->moved(gc->ctx, gc->ops, p->drops);
	}
	return e;
}

static enum err drop_some_blobs(struct db *db, struct history_gc *gc,
				bool *ret_more, struct fault *f)
{
	enum err e = db_begin(db, false, f);
	size_t n = 0;

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_GC_BLOB_DROP);
	put_int(&r, BLOBS_AT_ONCE);
	while (rows_next(&r, f)) {
		gc->bytes += (uint64_t)get_int(&r);
		n++;
	}
	if (r.err)
		return r.err;
	gc->blobs += n;
	*ret_more = n == BLOBS_AT_ONCE;
	rows_end(&r);
	return db_commit(db, f);
}

static enum err drop_approvals(struct db *db, uint64_t older, struct fault *f)
{
	const int64_t now = (int64_t)clock_unix_ms();
	enum err e = db_begin(db, false, f);

	if (e)
		return e;
	auto_rows asked = rows_of(db, Q_GC_APPROVALS);
	put_int(&asked, (int64_t)older);
	put_int(&asked, now);
	e = rows_run(&asked, f);
	if (!e)
		e = chunks_sweep(db, f);
	if (e)
		return e;
	auto_rows may = rows_of(db, Q_GC_GRANTS);
	put_int(&may, now);
	e = rows_run(&may, f);
	return e ? e : db_commit(db, f);
}

/* Give free pages back to the file system, some at a time. */
static enum err gc_vacuum(struct db *db, struct fault *f)
{
	int64_t left = 0, last = INT64_MAX;
	char sql[64];
	enum err e = db_number(db, "PRAGMA freelist_count", &left, f);

	(void)snprintf(sql, sizeof(sql), "PRAGMA incremental_vacuum(%d)",
		       PAGES_AT_ONCE);
	while (!e && left && left < last) {
		last = left;
		e = db_run(db, sql, f);
		if (!e)
			e = db_number(db, "PRAGMA freelist_count", &left, f);
	}
	if (!e)
		db_checkpoint(db, true);
	return e;
}

enum err history_gc(struct store *s, struct history_gc *gc, struct fault *f)
{
	auto_shared_db db = NULL;
	auto_plan plan = { 0 };
	bool more = true;
	uint64_t total;
	enum err e = shared_db_acquire(s, &db, f);

	gc->ops = gc->blobs = 0;
	gc->bytes = 0;
	if (!e)
		e = load_blobs(db, &plan, f);
	if (!e)
		e = load_ops(db, &plan, f);
	if (e)
		return e;
	count_users(&plan);
	total = plan.total;
	plan_decide(&plan, gc);
	if (gc->plan) {
		gc->ops = plan.drops;
		gc->bytes = total - plan.total;
		return ERR_OK;
	}
	e = drop_ops(db, &plan, gc, f);
	while (!e && more)
		e = drop_some_blobs(db, gc, &more, f);
	if (!e && gc->older_ms)
		e = drop_approvals(db, gc->older_ms, f);
	for (more = true; !e && more;)
		e = compress_some(db, &more, f);
	if (!e)
		e = blob_sweep(db, true, f);
	return e ? e : gc_vacuum(db, f);
}
