/*
 * paging.h - some lines of a text, as many as the reply can carry.
 */
#ifndef STET_PAGING_H
#define STET_PAGING_H

#include "files/workspace.h"

/* Taking lines, one run after the other, until the cost is used up. */
struct taking {
	const struct page_want *want;
	uint64_t spent;
	bool cheap; /* whatever it costs, it can be taken */
	bool full;  /* there was more than could be taken */
};

/* Begin to take lines of so many bytes altogether. */
struct taking taking_from(const struct page_want *want, uint64_t bytes);

/*
 * How many bytes of @lines, a run of whole lines, still fit. The cost of a
 * run is asked for whole and then by halves, not line by line.
 */
size_t taking_more(struct taking *t, struct str lines);

/* The last line that is wanted, of @total; 0 when none is. */
size_t paging_last(const struct page_want *want, size_t total);

/*
 * The page that @snap, a whole file, gives: its encoding found, the text
 * decoded and cut. ERR_BINARY_READ, ERR_LINE_TOO_LONG.
 */
must_check enum err paging_cut(const struct snapshot *snap, struct str path,
			       const struct page_want *want, struct arena *mem,
			       struct page *ret, struct fault *f);

#endif
