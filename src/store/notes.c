#include "store/notes.h"

#include "store/daybook.h"
#include "store/local.h"
#include "store/reserve.h"

#include <stdlib.h>

struct note *note_new(const struct op *op, size_t room, char **ret_room)
{
	const size_t strings = op->path.len + op->tool.len + op->client.len +
			       op->session.len + op->scope.len + op->call.len +
			       op->root.path.len;
	struct note *n = calloc(1, sizeof(*n) + strings + room);
	struct str *parts[7];
	char *at = (char *)(n + 1);

	if (!n)
		out_of_memory();
	large_pages(n, sizeof(*n) + strings + room);
	n->op = *op;
	n->page = NO_PAGE;
	parts[0] = &n->op.path;
	parts[1] = &n->op.tool;
	parts[2] = &n->op.client;
	parts[3] = &n->op.session;
	parts[4] = &n->op.scope;
	parts[5] = &n->op.call;
	parts[6] = &n->op.root.path;
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (parts[i]->len)
			memcpy(at, parts[i]->ptr, parts[i]->len);
		parts[i]->ptr = at;
		at += parts[i]->len;
	}
	if (ret_room)
		*ret_room = at;
	return n;
}

static void put_blob(struct rows *r, const struct content *c)
{
	if (c->kept)
		put_int(r, c->id);
	else
		put_null(r);
}

/* Whoever looks takes in what is in a daybook. */
static bool may_be_there(const struct note *n)
{
	return n->again || n->page != NO_PAGE;
}

static enum err put_intent(struct db *db, struct note *n, struct fault *f)
{
	const struct op *op = &n->op;
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
	put_uuid(&r, op->undoes);
	put_int(&r, op->existed);
	put_int(&r, op->exists);
	put_hash(&r, op->before);
	put_hash(&r, op->after);
	put_int(&r, (int64_t)op->bytes_before);
	put_int(&r, (int64_t)op->bytes_after);
	put_int(&r, op->mode_before);
	put_int(&r, op->mode_after);
	put_int(&r, n->by.pid);
	put_int(&r, (int64_t)n->by.slot);
	put_blob(&r, &n->before);
	put_blob(&r, &n->after);
	put_str(&r, op->root.path);
	put_int(&r, (int64_t)op->root.dev);
	put_int(&r, (int64_t)op->root.ino);
	e = rows_run(&r, f);
	if (!e && !sqlite3_changes(db->sql) && !may_be_there(n))
		e = fail(f, ERR_STORE,
			 .text = STR("there is an operation of that name"));
	return e;
}

static enum err put_undone(struct db *db, struct note *n, struct fault *f)
{
	auto_rows r = rows_of(db, Q_OP_UNDONE);

	put_uuid(&r, n->op.id);
	put_uuid(&r, n->op.undoes);
	return rows_run(&r, f);
}

static enum err put_end(struct db *db, struct note *n, struct fault *f)
{
	const bool with = n->has_after || !n->op.exists;
	auto_rows r = rows_of(db, with ? Q_OP_END_WITH : Q_OP_END);
	enum err e;

	put_int(&r, n->state);
	put_int(&r, n->op.exists);
	put_hash(&r, n->op.after);
	put_int(&r, (int64_t)n->op.bytes_after);
	put_int(&r, n->op.mode_after);
	if (with)
		put_blob(&r, &n->after);
	put_uuid(&r, n->op.id);
	put_int(&r, !may_be_there(n));
	e = rows_run(&r, f);
	if (!e && sqlite3_changes(db->sql) && n->state == OP_DONE &&
	    !uuid_is_zero(n->op.undoes))
		e = put_undone(db, n, f);
	return e;
}

static enum err put_note(struct db *db, struct note *n, struct fault *f)
{
	enum err e = blob_put(db, &n->before, f);

	if (!e)
		e = blob_put(db, &n->after, f);
	if (e)
		return e;
	return n->end ? put_end(db, n, f) : put_intent(db, n, f);
}

/*
 * Only intents are waited for by somebody who is about to rely on them, and
 * only where there is something that a change would take away. What has
 * been kept elsewhere up to now may go the same way.
 */
static bool wants_disk(struct db *db, struct note *list, uint64_t kept)
{
	bool intents = false;

	for (struct note *n = list; n; n = n->next)
		intents |= !n->end && n->op.existed && n->number > kept;
	return intents && db->store->options.durable;
}

static enum err stage_all(struct db *db, struct recent *recent,
			  struct note *list, struct fault *f)
{
	enum err e = ERR_OK;

	for (struct note *n = list; n && !e; n = n->next) {
		e = blob_stage(db, &n->before, recent, f);
		if (!e)
			e = blob_stage(db, &n->after, recent, f);
	}
	return e;
}

static enum err write_together(struct db *db, struct recent *recent,
			       struct note *list, uint64_t kept,
			       struct fault *f)
{
	enum err e = db_open(db, f);

	if (!e)
		e = stage_all(db, recent, list, f);
	if (!e)
		e = db_begin(db, wants_disk(db, list, kept), f);
	for (struct note *n = list; n && !e; n = n->next)
		e = put_note(db, n, f);
	if (!e)
		e = db_commit(db, f);
	db_rollback(db);
	for (struct note *n = list; n; n = n->next) {
		blob_unstage(db, &n->before);
		blob_unstage(db, &n->after);
	}
	return e;
}

uint64_t notes_bytes(const struct note *list)
{
	uint64_t bytes = 0;

	for (; list; list = list->next)
		if (!list->err)
			bytes += list->before.bytes.len + list->after.bytes.len;
	return bytes;
}

/* On a full disk, what is small has the room of the reserve. */
static enum err write_list(struct db *db, struct recent *recent,
			   struct note *list, uint64_t kept, struct fault *f)
{
	enum err e = write_together(db, recent, list, kept, f);

	if (e && reserve_is_wanted(f) && notes_bytes(list) <= DAYBOOK_MOST &&
	    reserve_use(db))
		e = write_together(db, recent, list, kept, f);
	return e;
}

/* An end without its intent would end nothing, and be lost. */
static const struct note *intent_of(const struct note *list,
				    const struct note *end)
{
	while (list != end && !uuid_eq(list->op.id, end->op.id))
		list = list->next;
	return list;
}

/* As a list of its own, so that one that cannot be kept fails alone. */
static void write_alone(struct db *db, struct recent *recent,
			const struct note *list, struct note *n, uint64_t kept)
{
	const struct note *intent = intent_of(list, n);
	struct note *next = n->next;

	if (intent != n && intent->err) {
		n->err = intent->err;
		n->fault = intent->fault;
		return;
	}
	n->next = NULL;
	n->err = ERR_OK;
	n->err = write_list(db, recent, n, kept, &n->fault);
	n->next = next;
}

void notes_write(struct db *db, struct recent *recent, struct note *list,
		 uint64_t kept)
{
	struct fault f = { 0 };
	enum err e = write_list(db, recent, list, kept, &f);

	if (e && db->corrupt && !db_renew(db, &f))
		e = write_list(db, recent, list, kept, &f);
	for (struct note *n = list; n; n = n->next) {
		n->err = e;
		n->fault = f;
		if (e && list->next)
			write_alone(db, recent, list, n, kept);
	}
}

void notes_free(struct note *list)
{
	while (list) {
		struct note *n = list;

		list = n->next;
		free(n);
	}
}
