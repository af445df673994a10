/*
 * history.c - operations: submit them to the writer, and read their contents.
 *
 * history_begin(), history_wait() and history_end() pass operations to the
 * writer's thread (writer.c). Contents are read through the shared connection.
 */
#include "store/history.h"

#include "base/clock.h"
#include "store/history_local.h"
#include "store/local.h"
#include "store/pending_op.h"
#include "store/splices.h"
#include "store/wal.h"
#include "store/writer.h"

enum {
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
	const bool has_content = op_has_content(op);
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
	if (has_content && op->existed && op->kind != OP_APPEND)
		n->before = content_of(before, copied ? room : NULL);
	if (has_content && op->exists && after.ptr)
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
