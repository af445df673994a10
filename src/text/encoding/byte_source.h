/*
 * byte_source.h - the bytes of a file, read in pieces.
 *
 * A source is read from any offset and any number of times; the file need not
 * be in memory as a whole. The reader says how many bytes of a piece it has
 * used, and the next piece starts there, so that a character cut by the end of
 * a piece is whole in the next one.
 *
 *	struct byte_reader p = { .of = s };
 *
 *	for (size_t used = 0; byte_reader_next(&p, used);)
 *		used = process(p.piece, p.last);
 */
#ifndef STET_BYTE_SOURCE_H
#define STET_BYTE_SOURCE_H

#include "base/buf.h"

enum {
	BYTE_SOURCE_MIN_PIECE = 8
}; /* bytes in any piece but the last, at least */

struct byte_source {
	uint64_t size;
	struct str held; /* all bytes, where from is NULL */
	/*
	 * Returns bytes from offset @at on, valid until the next call; "" on
	 * failure, which ends the reading. The owner of the source keeps the
	 * error.
	 */
	struct str (*from)(void *ctx, uint64_t at);
	void *ctx;
};

static inline struct byte_source byte_source_of(struct str bytes)
{
	return (struct byte_source){ .size = bytes.len, .held = bytes };
}

/* The first @n bytes, or all; copied to @room unless they are in memory. */
struct str byte_source_head(const struct byte_source *s, size_t n,
			    struct buf *room);

struct byte_reader {
	const struct byte_source *of;
	uint64_t at; /* offset of the piece */
	struct str piece;
	bool last; /* this is the last piece */
};

/* Move past the first @used bytes of the piece; false at the end. */
static inline bool byte_reader_next(struct byte_reader *p, size_t used)
{
	const struct byte_source *s = p->of;

	p->at += used;
	if (p->at >= s->size)
		return false;
	p->piece = s->from ? s->from(s->ctx, p->at)
			   : str_skip(s->held, (size_t)p->at);
	p->last = p->at + p->piece.len == s->size;
	return p->piece.len;
}

/* Is the character at the front of @rest, the end of the piece, complete? */
static inline bool byte_reader_has(const struct byte_reader *p, struct str rest)
{
	return p->last ? rest.len : rest.len >= BYTE_SOURCE_MIN_PIECE;
}

#endif
