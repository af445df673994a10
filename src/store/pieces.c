/*
 * pieces.c - the long texts of questions: rows of at most APPROVAL_PIECE bytes
 * each, so that one is shown piece by piece in memory of that size.
 */
#include "store/pieces.h"

#include "base/clock.h"
#include "store/local.h"

/* The next piece of @text: whole lines, unless one is longer than a piece. */
static struct str cut_piece(struct str text)
{
	struct str piece = str_head(text, APPROVAL_PIECE);
	size_t end = str_rfind(piece, '\n');

	if (piece.len == text.len)
		return piece;
	if (end < piece.len)
		return str_head(piece, end + 1);
	/* No letter is cut in two: its last bytes begin with the bits 10. */
	while (piece.len > APPROVAL_PIECE - 4 &&
	       ((unsigned char)text.ptr[piece.len] & 0xc0) == 0x80)
		piece.len--;
	return piece;
}

static enum err add_piece(struct db *db, struct uuid id, size_t which,
			  size_t at, struct str piece, struct fault *f)
{
	auto_rows r = rows_of(db, Q_PIECE_ADD);

	put_uuid(&r, id);
	put_int(&r, (int64_t)which);
	put_int(&r, (int64_t)at);
	put_bytes(&r, piece);
	return rows_run(&r, f);
}

enum err pieces_add(struct db *db, struct uuid id,
		    const struct str texts[APPROVAL_TEXTS], struct fault *f)
{
	struct str piece;
	enum err e = ERR_OK;

	for (size_t i = 0; i < APPROVAL_TEXTS; i++)
		for (size_t at = 0; !e && at < texts[i].len; at += piece.len) {
			piece = cut_piece(str_skip(texts[i], at));
			e = add_piece(db, id, i, at, piece, f);
		}
	return e;
}

enum err pieces_sweep(struct db *db, struct fault *f)
{
	auto_rows r = rows_of(db, Q_PIECE_SWEEP);

	put_int(&r, (int64_t)clock_unix_ms());
	return rows_run(&r, f);
}

enum err pieces_fit(struct db *db, struct str asker,
		    const struct str texts[APPROVAL_TEXTS], bool *ret,
		    struct fault *f)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < APPROVAL_TEXTS; i++)
		bytes += texts[i].len;
	*ret = true;
	if (!bytes)
		return ERR_OK;
	auto_rows r = rows_of(db, Q_PIECE_SIZE);
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
	auto_rows r = rows_of(db, Q_PIECE_NEXT);

	*ret = 0;
	put_uuid(&r, id);
	put_int(&r, which);
	put_int(&r, (int64_t)at);
	if (rows_next(&r, f))
		*ret = (uint64_t)get_int(&r);
	return r.err;
}

enum err approval_piece(struct store *s, struct uuid id,
			enum approval_text which, uint64_t at,
			struct arena *mem, struct str *ret, uint64_t *ret_next,
			struct fault *f)
{
	auto_front db = NULL;
	struct str piece;
	enum err e = front_take(s, &db, f);

	if (e)
		return e;
	auto_rows r = rows_of(db, Q_PIECE_GET);
	put_uuid(&r, id);
	put_int(&r, which);
	put_int(&r, (int64_t)at);
	if (!rows_next(&r, f))
		return r.err ? r.err
			     : fail(f, ERR_NO_APPROVAL, .reason = "gone",
				    .text = STR(
					    "what it showed is not kept any more"));
	piece = get_str(&r, mem);
	e = find_next(db, id, which, at, ret_next, f);
	if (!e)
		*ret = piece;
	return e;
}
