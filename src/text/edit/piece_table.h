/*
 * piece_table.h - a text under edit, as a list of pieces.
 *
 * A piece is a range of the original or of inserted text; an edit splits pieces
 * and inserts another, and no bytes are moved. Every byte that was ever in the
 * text has a number that never changes: its offset for bytes of the original,
 * and further numbers for inserted bytes, in the order of insertion.
 *
 * Requests about one edit are close together, so each search starts where the
 * last one ended. Private to edit_*.c and their tests.
 */
#ifndef STET_PIECE_TABLE_H
#define STET_PIECE_TABLE_H

#include "base/arena.h"

struct piece {
	const char *ptr;
	size_t len, newlines;
	size_t number; /* number of the first byte */
	/*
	 * Offset in the original; for an insertion, the offset of the first
	 * byte that it replaced. Ascends through the text.
	 */
	size_t anchor;
};

enum { PIECE_CHUNK = 64 };

/* Consecutive pieces, with their sums. */
struct piece_chunk {
	struct piece_chunk *next, *prev;
	size_t count, len, newlines;
	struct piece pieces[PIECE_CHUNK];
};

/* A piece: its chunk and index, and the bytes and newlines before it. */
struct piece_cursor {
	struct piece_chunk *chunk;
	size_t i;
	size_t start, newlines;
};

struct piece_table {
	struct str original;
	size_t len;
	struct piece_chunk *first;
	struct piece_cursor chunk; /* chunk of the last request */
	struct piece_cursor last;  /* piece of the last request */
	size_t next_number;
	size_t anchor; /* of the latest replacement */
	struct piece_insertion {
		size_t number, anchor;
	} * insertions; /* sorted by number */
	size_t insertion_count, insertion_cap;
	struct arena *mem;
};

void piece_table_init(struct piece_table *s, struct str text,
		      struct arena *mem);

/*
 * Replace bytes @from to @to by @with, which must outlive the table. Returns
 * the number of newlines before @from.
 */
size_t piece_table_replace(struct piece_table *s, size_t from, size_t to,
			   struct str with);

/* Map an offset of the present text to the number of its byte, and back. */
size_t piece_table_number(struct piece_table *s, size_t offset);
size_t piece_table_offset(struct piece_table *s, size_t number);

/* Copy bytes @from to @to of the present text. */
void piece_table_copy(struct piece_table *s, size_t from, size_t to, char *ret);

/* Does the text have @what at @from? */
bool piece_table_has(struct piece_table *s, size_t from, struct str what);

static inline bool piece_is_original(const struct piece_table *s,
				     const struct piece *p)
{
	return p->number < s->original.len;
}

#endif
