/*
 * chunks.c - the long texts of questions: rows of at most APPROVAL_CHUNK bytes,
 * so that a text is shown chunk by chunk in memory of that size.
 *
 * In the database the table is called approval_piece.
 */
#include "store/chunks.h"

#include "base/clock.h"
#include "store/local.h"

/* The first chunk of @text: whole lines, unless one is longer than that. */
static struct str cut_chunk(struct str text)
{
	struct str chunk = str_head(text, APPROVAL_CHUNK);
	size_t end = str_rfind(chunk, '\n');

	if (chunk.len == text.len)
		return chunk;
	if (end < chunk.len)
		return str_head(chunk, end + 1);
	/* Do not cut a UTF-8 sequence: continuation bytes have the bits 10. */
	while (chunk.len > APPROVAL_CHUNK - 4 &&
	       ((unsigned char)text.ptr[chunk.len] & 0xc0) == 0x80)
		chunk.len--;
	return chunk;
}

static enum err add_chunk(struct db *db, struct uuid id, size_t which,
			  size_t at, struct str chunk, struct fault *f)
{
	auto_rows r = rows_of(db, Q_CHUNK_ADD);

	put_uuid(&r, id);
	put_int(&r, (int64_t)which);
	put_int(&r, (int64_t)at);
	put_bytes(&r, chunk);
	return rows_run(&r, f);
}

enum err chunks_add(struct db *db, struct uuid id,
		    const struct str texts[APPROVAL_TEXTS], struct fault *f)
{
	struct str chunk;
	enum err e = ERR_OK;

	for (size_t i = 0; i < APPROVAL_TEXTS; i++)
		for (size_t at = 0; !e && at < texts[i].len; at += chunk.len) {
			chunk = cut_chunk(str_skip(texts[i], at));
			e = add_chunk(db, id, i, at, chunk, f);
		}
	return e;
}

enum err chunks_sweep(struct db *db, struct fault *f)
{
	auto_rows r = rows_of(db, Q_CHUNK_SWEEP);

	put_int(&r, (int64_t)clock_unix_ms());
	return rows_run(&r, f);
}

enum err chunks_fit(struct db *db, struct str asker,
		    const struct str texts[APPROVAL_TEXTS], bool *ret,
		    struct fault *f)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < APPROVAL_TEXTS; i++)
		bytes += texts[i].len;
	*ret = true;
	if (!bytes)
		return ERR_OK;
	auto_rows r = rows_of(db, Q_CHUNK_SIZE);
	put_int(&r, (int64_t)asker.len);
	put_str(&r, asker);
	if (rows_next(&r, f))
		*ret = bytes + (uint64_t)get_int(&r) <= APPROVAL_MOST_KEPT;
	return r.err;
}

static enum err find_next(struct db *db, struct uuid id,
			  enum approval_text which, uint64_t at, uint64_t *ret,
			  struct fault *f)
{
	auto_rows r = rows_of(db, Q_CHUNK_NEXT);

	*ret = 0;
	put_uuid(&r, id);
	put_int(&r, which);
	put_int(&r, (int64_t)at);
	if (rows_next(&r, f))
		*ret = (uint64_t)get_int(&r);
	return r.err;
}

enum err approval_chunk(struct store *s, struct uuid id,
			enum approval_text which, uint64_t at,
			struct arena *mem, struct str *ret, uint64_t *ret_next,
			struct fault *f)
{
	auto_shared_db db = NULL;
	struct str chunk;
	enum err e = shared_db_acquire(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_CHUNK_GET);
	put_uuid(&r, id);
	put_int(&r, which);
	put_int(&r, (int64_t)at);
	if (!rows_next(&r, f))
		return r.err ? r.err
			     : fail(f, ERR_NO_APPROVAL, .reason = "gone",
				    .text = STR(
					    "what it showed is no longer stored"));
	chunk = get_str(&r, mem);
	e = find_next(db, id, which, at, ret_next, f);
	if (!e)
		*ret = chunk;
	return e;
}
