/*
 * history.c - operations: submit them to the writer, and query them.
 *
 * history_begin(), history_wait() and history_end() pass operations to the
 * writer's thread (writer.c). Everything else reads through the shared
 * connection, which has replayed the logs of other processes.
 */
#include "store/history.h"

#include "base/clock.h"
#include "store/history_local.h"
#include "store/ids.h"
#include "store/local.h"
#include "store/pending_op.h"
#include "store/splices.h"
#include "store/wal.h"
#include "store/writer.h"

enum {
	DEFAULT_LIMIT = 100,
	MANY_OPS = 1000,   /* beneath a path: then search from the newest */
	SPLICES_RATIO = 8, /* splices must be that much smaller */
};

/* A copy in @room, which lives as long as the operation; NULL = a view. */
static struct content content_of(struct str bytes, char *room)
{
	if (room && bytes.len)
		memcpy(room, bytes.ptr, bytes.len);
	if (room)
		bytes.ptr = room;
	return (struct content){ .kept = true, .bytes = bytes };
}

void history_begin(struct store *s, struct op *op, struct str before,
		   struct str after, struct history_ticket *ret)
{
	struct pending_op *n;
	char *room;
	bool copied;

	if (!op->time_ms)
		op->time_ms = clock_unix_ms();
	if (uuid_is_zero(op->id))
		op->id = uuid_new(op->time_ms);
	op->state = OP_INTENT;
	/*
	 * A note in the write-ahead log is committed after history_wait() has
	 * returned, when the views of the caller may be gone.
	 */
	copied = before.len + after.len <= WAL_RECORD_MAX;
	n = pending_op_new(op, copied ? before.len + after.len : 0, &room);
	if (op->existed && op->kind != OP_APPEND)
		n->before = content_of(before, copied ? room : NULL);
	if (op->exists && after.ptr)
		n->after = content_of(after, copied ? room + before.len : NULL);
	ret->number = writer_add(writer_of(s), n);
}

enum err history_wait(struct store *s, struct history_ticket ticket,
		      struct fault *f)
{
	return writer_wait(writer_of(s), ticket.number, f);
}

/*
 * The end of @op: only what the row of its intent does not have, so that
 * neither the queue nor the log has the strings twice.
 */
static struct pending_op *pending_end(const struct op *op, enum op_state state,
				      size_t bytes, char **ret_room)
{
	const struct op end = {
		.id = op->id,
		.undoes = op->undoes,
		.exists = op->exists,
		.after = op->after,
		.bytes_after = op->bytes_after,
		.mode_after = op->mode_after,
	};
	struct pending_op *n = pending_op_new(&end, bytes, ret_room);

	n->end = true;
	n->state = state;
	return n;
}

void history_end(struct store *s, const struct op *op, enum op_state state,
		 const struct str *after)
{
	size_t bytes = after && op->exists ? after->len : 0;
	struct pending_op *n;
	char *room;

	n = pending_end(op, state, bytes, &room);
	n->has_after = n->after.kept = after && op->exists;
	if (bytes)
		memcpy(room, after->ptr, bytes);
	n->after.bytes = str_make(room, bytes);
	(void)writer_add(writer_of(s), n);
}

static size_t room_for(const struct splice *splices, size_t n)
{
	size_t room = n * sizeof(*splices);

	for (size_t i = 0; i < n; i++)
		room += splices[i].with.len;
	return room;
}

/* Small contents are kept whole: struct recent compares them. */
void history_end_spliced(struct store *s, const struct op *op, struct str after,
			 const struct splice *splices, size_t n)
{
	auto_buf put = BUF_INIT;
	struct pending_op *note;
	char *room;

	if (!op->existed || !op->exists || after.len <= BLOB_IN_FILE ||
	    room_for(splices, n) >
		    size_min(after.len / SPLICES_RATIO, BLOB_IN_FILE)) {
		history_end(s, op, OP_DONE, &after);
		return;
	}
	splices_put(&put, after.len, splices, n);
	note = pending_end(op, OP_DONE, put.len, &room);
	note->has_after = note->after.kept = note->after.spliced = true;
	memcpy(room, put.ptr, put.len);
	note->after.bytes = str_make(room, put.len);
	(void)writer_add(writer_of(s), note);
}

/* In the order of OP_COLUMNS. */
struct process_id history_get_op(struct rows *r, struct arena *mem,
				 struct op *op)
{
	struct process_id by;

	op->id = get_uuid(r);
	op->time_ms = (uint64_t)get_int(r);
	op->kind = (enum op_kind)get_int(r);
	op->state = (enum op_state)get_int(r);
	op->path = get_str(r, mem);
	op->tool = get_str(r, mem);
	op->client = get_str(r, mem);
	op->session = get_str(r, mem);
	op->scope = get_str(r, mem);
	op->call = get_str(r, mem);
	op->undoes = get_uuid(r);
	op->undone = get_uuid(r);
	op->existed = get_int(r);
	op->exists = get_int(r);
	op->before = get_hash(r);
	op->after = get_hash(r);
	op->bytes_before = (uint64_t)get_int(r);
	op->bytes_after = (uint64_t)get_int(r);
	op->mode_before = (unsigned)get_int(r);
	op->mode_after = (unsigned)get_int(r);
	by.pid = get_int(r);
	by.slot = (uint64_t)get_int(r);
	op->root.path = get_str(r, mem);
	op->root.dev = (uint64_t)get_int(r);
	op->root.ino = (uint64_t)get_int(r);
	op->granted_by = get_uuid(r);
	return by;
}

struct ops {
	struct op *list;
	size_t n, room;
};

static struct op *ops_add(struct ops *ops, struct arena *mem)
{
	if (ops->n == ops->room) {
		size_t room = ops->room ? ops->room * 2 : 16;

		ops->list = arena_grow(mem, ops->list,
				       ops->room * sizeof(*ops->list),
				       room * sizeof(*ops->list));
		ops->room = room;
	}
	return &ops->list[ops->n++];
}

/* Three parameters: the path, and the bounds of all paths beneath it. */
static void put_path(struct rows *r, struct str path, struct arena *mem)
{
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	put_str(r, path);
	if (str_is(path, "/"))
		path.len = 0;
	put_str(r, arena_printf(mem, STR_FMT "/", STR_ARG(path)));
	put_str(r, arena_printf(mem, STR_FMT "0", STR_ARG(path)));
}

static enum err has_many(struct db *db, struct str path, struct arena *mem,
			 bool *ret, struct fault *f)
{
	auto_rows r = rows_of(db, Q_OP_MANY);

	put_path(&r, path, mem);
	put_int(&r, MANY_OPS);
	*ret = rows_next(&r, f) && get_int(&r) == MANY_OPS;
	return r.err;
}

/* The parameters of OP_FITS, and those of the path before them. */
void history_put_query(struct rows *r, const struct history_query *q,
		       struct arena *mem)
{
	put_path(r, q->path, mem);
	put_str(r, q->session);
	put_str(r, q->call);
	put_int(r, (int64_t)q->since_ms);
	put_int(r, q->until_ms ? (int64_t)q->until_ms : INT64_MAX);
	put_int(r, q->intents);
	put_str(r, q->client);
	put_str(r, q->text);
	put_int(r, q->kinds);
	put_str(r, q->client_part);
	put_str(r, q->token);
}

enum err history_list(struct store *s, const struct history_query *q,
		      struct arena *mem, struct op **ret, size_t *ret_n,
		      struct fault *f)
{
	auto_shared_db db = NULL;
	struct ops ops = { 0 };
	bool many = true;
	enum err e = shared_db_acquire(s, &db, f);

	if (!e && q->path.len)
		e = has_many(db, q->path, mem, &many, f);
	if (e)
		return e;
	auto_rows r = rows_of(db, many ? Q_OP_LIST : Q_OP_LIST_AT);
	history_put_query(&r, q, mem);
	put_int(&r, (int64_t)(q->limit ? q->limit : DEFAULT_LIMIT));
	put_int(&r, (int64_t)q->skip);
	while (rows_next(&r, f))
		(void)history_get_op(&r, mem, ops_add(&ops, mem));
	if (r.err)
		return r.err;
	*ret = ops.list;
	*ret_n = ops.n;
	return ERR_OK;
}

enum err history_count(struct store *s, const struct history_query *q, size_t n,
		       struct arena *mem, struct history_bucket *ret,
		       struct fault *f)
{
	struct history_query within = *q;
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	memset(ret, 0, n * sizeof(*ret));
	auto_rows r = rows_of(db, Q_OP_COUNT);
	within.until_ms--;
	within.intents = false;
	history_put_query(&r, &within, mem);
	put_int(&r, (int64_t)n);
	while (rows_next(&r, f)) {
		uint64_t at = (uint64_t)get_int(&r);
		uint64_t kind = (uint64_t)get_int(&r);

		if (at < n && kind < COUNT_OF(ret->kinds))
			ret[at].kinds[kind] = (uint64_t)get_int(&r);
	}
	return r.err;
}

static enum err find_whole(struct db *db, struct uuid id, struct arena *mem,
			   struct op *ret, struct fault *f)
{
	auto_rows r = rows_of(db, Q_OP_FIND);
	char text[UUID_TEXT + 1];

	put_uuid(&r, id);
	if (rows_next(&r, f)) {
		(void)history_get_op(&r, mem, ret);
		return ERR_OK;
	}
	uuid_text(id, text);
	return r.err ? r.err
		     : fail(f, ERR_NO_OP,
			    .text = arena_copy(mem, str_of(text)));
}

enum err history_find(struct store *s, struct str id, struct arena *mem,
		      struct op *ret, struct fault *f)
{
	char digits[ID_DIGITS + 1];
	auto_shared_db db = NULL;
	struct uuid found;
	enum err e;

	if (!id_digits(id, digits))
		return fail(f, ERR_NO_OP, .text = id, .hint = id_hint(id));
	e = shared_db_acquire(s, &db, f);
	if (!e && !uuid_parse(id, &found))
		e = rows_part(db, Q_OP_PART, digits, &found, f);
	if (e == ERR_NO_OP || e == ERR_MANY_OPS)
		f->text = id;
	return e ? e : find_whole(db, found, mem, ret, f);
}

enum err history_session(struct store *s, struct str part, struct arena *mem,
			 struct str *ret, struct fault *f)
{
	auto_shared_db db = NULL;
	struct str session;
	int64_t fits;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_SESSION_PART);
	put_str(&r, part);
	if (!rows_next(&r, f))
		return r.err ? r.err : fail(f, ERR_NO_OP, .text = part);
	session = get_str(&r, mem);
	fits = get_int(&r);
	if (rows_next(&r, f)) {
		(void)get_str(&r, mem);
		if (get_int(&r) == fits)
			return fail(f, ERR_MANY_OPS, .text = part);
	}
	if (!r.err)
		*ret = session;
	return r.err;
}

size_t history_id_digits(struct store *s, size_t least)
{
	auto_shared_db db = NULL;
	struct fault ignored;

	if (shared_db_acquire(s, &db, &ignored))
		return least;
	for (; least < ID_DIGITS; least++) {
		auto_rows r = rows_of(db, Q_OP_TAILS);

		put_int(&r, (int64_t)least);
		if (!rows_next(&r, &ignored) || !get_int(&r))
			break;
	}
	return least;
}

enum err history_last(struct store *s, struct str path, struct arena *mem,
		      struct op *ret, struct fault *f)
{
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_OP_LAST);
	put_str(&r, path);
	if (!rows_next(&r, f))
		return r.err ? r.err : fail(f, ERR_NO_OP, .text = path);
	(void)history_get_op(&r, mem, ret);
	return ERR_OK;
}

static struct str id_words(struct uuid id, struct arena *mem)
{
	char text[UUID_TEXT + 1];

	uuid_text(id, text);
	return arena_copy(mem, str_of(text));
}

struct op_blobs {
	int64_t before, after; /* numbers of blobs; 0 = none */
};

static enum err find_blobs(struct db *db, struct uuid id, struct op_blobs *ret,
			   struct fault *f)
{
	auto_rows r = rows_of(db, Q_OP_BLOBS);

	put_uuid(&r, id);
	*ret = (struct op_blobs){ 0 };
	if (!rows_next(&r, f))
		return r.err;
	ret->before = get_int(&r);
	ret->after = get_int(&r);
	return ERR_OK;
}

enum err history_get_spliced(struct db *db, int64_t before, struct str splices,
			     struct arena *mem, struct str *ret,
			     struct fault *f)
{
	struct str from = STR("");
	bool spliced = false;
	enum err e =
		before ? blob_get(db, before, mem, &from, &spliced, f)
		       : fail(f, ERR_NO_CONTENT, .text = STR("it disappeared"));

	if (e)
		return e;
	if (spliced || !splices_make(splices, from, mem, ret))
		return fail(f, ERR_STORE,
			    .text = STR("a content in it is damaged"));
	return ERR_OK;
}

enum err history_content(struct store *s, const struct op *op,
			 enum history_side side, struct arena *mem,
			 struct str *ret, struct fault *f)
{
	auto_shared_db db = NULL;
	struct op_blobs blobs;
	struct str got;
	bool spliced;
	int64_t blob;
	enum err e = shared_db_acquire(s, &db, f);

	if (!e)
		e = find_blobs(db, op->id, &blobs, f);
	if (e)
		return e;
	blob = side == HISTORY_BEFORE ? blobs.before : blobs.after;
	if (!blob)
		return fail(f, ERR_NO_CONTENT, .text = id_words(op->id, mem));
	e = blob_get(db, blob, mem, &got, &spliced, f);
	if (!e && spliced)
		e = history_get_spliced(db, blobs.before, got, mem, &got, f);
	if (e == ERR_NO_CONTENT)
		return fail(f, e, .text = id_words(op->id, mem));
	if (!e)
		*ret = got;
	return e;
}

/* The process that began the operation of this row; the other columns follow. */
static struct process_id get_process(struct rows *r)
{
	struct process_id by;

	by.pid = get_int(r);
	by.slot = (uint64_t)get_int(r);
	return by;
}

/* Of the rows, only those that are wanted take memory. */
enum err history_open_intents(struct store *s, struct uuid after, size_t limit,
			      struct arena *mem, struct op **ret, size_t *ret_n,
			      struct fault *f)
{
	const struct process_id self = process_self();
	struct ops ops = { 0 };
	auto_shared_db db = NULL;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_OP_OPEN);
	put_uuid(&r, after);
	while (ops.n < limit && rows_next(&r, f)) {
		struct process_id by = get_process(&r);

		if (by.slot != self.slot && !process_is_there(db->dir, by))
			(void)history_get_op(&r, mem, ops_add(&ops, mem));
	}
	if (r.err)
		return r.err;
	*ret = ops.list;
	*ret_n = ops.n;
	return ERR_OK;
}

bool history_under_way(struct store *s, uint64_t before_ms)
{
	const struct process_id self = process_self();
	auto_shared_db db = NULL;
	struct fault ignored;

	if (shared_db_acquire(s, &db, &ignored))
		return false;
	auto_rows r = rows_of(db, Q_OP_UNDER_WAY);
	put_int(&r, (int64_t)before_ms);
	while (rows_next(&r, &ignored)) {
		struct process_id by = get_process(&r);

		if (by.slot != self.slot && process_is_there(db->dir, by))
			return true;
	}
	return false;
}
