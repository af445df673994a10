/*
 * hunk_index.h - the rows of a text that are a given line.
 *
 * Made by one pass over the text, so that the hunks of a patch do not each need
 * one. Private to hunk_place.c.
 */
#ifndef STET_HUNK_INDEX_H
#define STET_HUNK_INDEX_H

#include "base/arena.h"

/* A line of the text, without its ending. */
struct hunk_row {
	struct str body;
	size_t start, next; /* offsets in the text: of the line, behind it */
};

/* Rows, ascending. */
struct row_list {
	size_t *at;
	size_t count;
};

struct hunk_index {
	size_t *rows;  /* sorted by bucket, ascending in each */
	size_t *start; /* of each bucket in @rows, and the end of the last */
	size_t buckets;
};

/* Bytes that the index of @count rows takes. */
size_t hunk_index_size(size_t count);

void hunk_index_init(struct hunk_index *x, const struct hunk_row *rows,
		     size_t count, struct arena *mem);

/*
 * All rows from @from on that equal @line but for blanks at either end, and
 * maybe others. A view into the index.
 */
struct row_list hunk_index_find(const struct hunk_index *x, struct str line,
				size_t from);

/* @line without the blanks at its ends. */
struct str hunk_strip(struct str line);

#endif
