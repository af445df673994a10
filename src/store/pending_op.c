/*
 * pending_op.c - write operations and their contents to the database.
 *
 * Idempotent for operations that are in a write-ahead log: another process may
 * have replayed it. Called by the writer and by the replay, with the
 * connection's lock.
 */
#include "store/pending_op.h"

#include "store/local.h"
#include "store/reserve.h"
#include "store/wal.h"

#include <stdlib.h>

struct pending_op *pending_op_new(const struct op *op, size_t room,
				  char **ret_room)
{
	const size_t strings = op->path.len + op->tool.len + op->client.len +
			       op->session.len + op->scope.len + op->call.len +
			       op->root.path.len + op->from.len;
	struct pending_op *p = malloc(sizeof(*p) + strings + room);
	struct str *parts[8];
	char *at = (char *)(p + 1);

	if (!p)
		out_of_memory();
	large_pages(p, sizeof(*p) + strings + room);
	*p = (struct pending_op){ .op = *op, .segment = NO_SEGMENT };
	parts[0] = &p->op.path;
	parts[1] = &p->op.tool;
	parts[2] = &p->op.client;
	parts[3] = &p->op.session;
	parts[4] = &p->op.scope;
	parts[5] = &p->op.call;
	parts[6] = &p->op.root.path;
	parts[7] = &p->op.from;
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (parts[i]->len)
			memcpy(at, parts[i]->ptr, parts[i]->len);
		parts[i]->ptr = at;
		at += parts[i]->len;
	}
	if (ret_room)
		*ret_room = at;
	return p;
}

static void put_blob(struct rows *r, const struct content *c)
{
	if (c->kept)
		put_int(r, c->id);
	else
		put_null(r);
}

/* Another process may have replayed our log. */
static bool may_be_there(const struct pending_op *p)
{
	return p->again || p->segment != NO_SEGMENT;
}

static enum err put_intent(struct db *db, struct pending_op *p, struct fault *f)
{
	const struct op *op = &p->op;
	auto_rows r = rows_of(db, Q_OP_ADD);
	enum err e;

	put_uuid(&r, op->id);
	put_int(&r, (int64_t)op->time_ms);
	put_int(&r, op->kind);
	put_str(&r, op->path);
	put_str(&r, op->tool);
	put_str(&r, op->client);
	put_str(&r, op->session);
	put_str(&r, op->scope);
	put_str(&r, op->call);
	put_optional_id(&r, op->undoes);
	put_int(&r, op->existed);
	put_int(&r, op->exists);
	put_hash(&r, op->before);
	put_hash(&r, op->after);
	put_int(&r, (int64_t)op->bytes_before);
	put_int(&r, (int64_t)op->bytes_after);
	put_int(&r, op->mode_before);
	put_int(&r, op->mode_after);
	put_int(&r, p->by.pid);
	put_int(&r, (int64_t)p->by.slot);
	put_blob(&r, &p->before);
	put_blob(&r, &p->after);
	put_str(&r, op->root.path);
	put_int(&r, (int64_t)op->root.dev);
	put_int(&r, (int64_t)op->root.ino);
	put_optional_id(&r, op->granted_by);
	put_optional_id(&r, op->group);
	put_str(&r, op->from);
	e = rows_run(&r, f);
	if (!e && !sqlite3_changes(db->sql) && !may_be_there(p))
		e = fail(f, ERR_STORE,
			 .text = STR("an operation with this id exists"));
	return e;
}

static enum err put_undone(struct db *db, struct pending_op *p, struct fault *f)
{
	auto_rows r = rows_of(db, Q_OP_UNDONE);

	put_uuid(&r, p->op.id);
	put_uuid(&r, p->op.undoes);
	return rows_run(&r, f);
}

static enum err put_end(struct db *db, struct pending_op *p, struct fault *f)
{
	const bool with = p->has_after || !p->op.exists;
	auto_rows r = rows_of(db, with ? Q_OP_END_WITH : Q_OP_END);
	enum err e;

	put_int(&r, p->state);
	put_int(&r, p->op.exists);
	put_hash(&r, p->op.after);
	put_int(&r, (int64_t)p->op.bytes_after);
	put_int(&r, p->op.mode_after);
	if (with)
		put_blob(&r, &p->after);
	put_uuid(&r, p->op.id);
	put_int(&r, !may_be_there(p));
	e = rows_run(&r, f);
	if (!e && sqlite3_changes(db->sql) && p->state == OP_DONE &&
	    !uuid_is_zero(p->op.undoes))
		e = put_undone(db, p, f);
	return e;
}

static enum err write_op(struct db *db, struct pending_op *p, struct fault *f)
{
	enum err e = blob_put(db, &p->before, f);

	if (!e)
		e = blob_put(db, &p->after, f);
	if (e)
		return e;
	return p->end ? put_end(db, p, f) : put_intent(db, p, f);
}

/*
 * A sync is needed for an intent whose caller is about to replace a file, and
 * which is not in a synced write-ahead log.
 */
static bool needs_sync(struct db *db, struct pending_op *list, uint64_t logged)
{
	bool intents = false;

	for (struct pending_op *p = list; p; p = p->next)
		intents |= !p->end && p->op.existed && p->number > logged;
	return intents && db->store->options.durable;
}

static enum err stage_all(struct db *db, struct recent *recent,
			  struct pending_op *list, struct fault *f)
{
	enum err e = ERR_OK;

	for (struct pending_op *p = list; p && !e; p = p->next) {
		e = blob_stage(db, &p->before, recent, f);
		if (!e)
			e = blob_stage(db, &p->after, recent, f);
	}
	return e;
}

static enum err write_together(struct db *db, struct recent *recent,
			       struct pending_op *list, uint64_t logged,
			       struct fault *f)
{
	enum err e = db_open(db, f);

	if (!e)
		e = stage_all(db, recent, list, f);
	if (!e)
		e = db_begin(db, needs_sync(db, list, logged), f);
	for (struct pending_op *p = list; p && !e; p = p->next)
		e = write_op(db, p, f);
	if (!e)
		e = db_commit(db, f);
	db_rollback(db);
	for (struct pending_op *p = list; p; p = p->next) {
		blob_unstage(db, &p->before);
		blob_unstage(db, &p->after);
	}
	return e;
}

uint64_t pending_ops_bytes(const struct pending_op *list)
{
	uint64_t bytes = 0;

	for (; list; list = list->next)
		if (!list->err)
			bytes += list->before.bytes.len + list->after.bytes.len;
	return bytes;
}

/* On a full disk a small batch may use the space of the reserve. */
static enum err write_list(struct db *db, struct recent *recent,
			   struct pending_op *list, uint64_t logged,
			   struct fault *f)
{
	enum err e = write_together(db, recent, list, logged, f);

	if (e && reserve_is_wanted(f) &&
	    pending_ops_bytes(list) <= WAL_RECORD_MAX && reserve_use(db))
		e = write_together(db, recent, list, logged, f);
	return e;
}

/* The intent of @end in @list, or @end itself. */
static const struct pending_op *intent_of(const struct pending_op *list,
					  const struct pending_op *end)
{
	while (list != end && !uuid_eq(list->op.id, end->op.id))
		list = list->next;
	return list;
}

/*
 * In a transaction of its own, so that one failure does not spoil the others.
 * An end fails with its intent: without that it would change nothing.
 */
static void write_alone(struct db *db, struct recent *recent,
			const struct pending_op *list, struct pending_op *p,
			uint64_t logged)
{
	const struct pending_op *intent = intent_of(list, p);
	struct pending_op *next = p->next;

	if (intent != p && intent->err) {
		p->err = intent->err;
		p->fault = intent->fault;
		return;
	}
	p->next = NULL;
	p->err = ERR_OK;
	p->err = write_list(db, recent, p, logged, &p->fault);
	p->next = next;
}

void pending_ops_write(struct db *db, struct recent *recent,
		       struct pending_op *list, uint64_t logged)
{
	struct fault f = { 0 };
	enum err e = write_list(db, recent, list, logged, &f);

	if (e && db->corrupt && !db_renew(db, &f))
		e = write_list(db, recent, list, logged, &f);
	for (struct pending_op *p = list; p; p = p->next) {
		p->err = e;
		p->fault = f;
		if (e && list->next)
			write_alone(db, recent, list, p, logged);
	}
}

void pending_ops_free(struct pending_op *list)
{
	while (list) {
		struct pending_op *p = list;

		list = p->next;
		free(p);
	}
}
