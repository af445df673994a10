/*
 * paging.h - as many lines of a text as a reply can carry.
 */
#ifndef STET_PAGING_H
#define STET_PAGING_H

#include "files/workspace.h"

/* The cost that the lines of a page have used so far. */
struct page_budget {
	const struct page_want *want;
	uint64_t spent;
	bool unlimited; /* the worst case fits: cost() is never called */
	bool full;      /* some of the text did not fit */
};

/* A budget for lines of @bytes in total. */
struct page_budget page_budget_start(const struct page_want *want,
				     uint64_t bytes);

/*
 * How many bytes of @lines, a run of whole lines, still fit. The cost is asked
 * for the whole run and then by bisection, not line by line.
 */
size_t page_budget_take(struct page_budget *t, struct str lines);

/* @want with line and limit in the place of tail, in a file of @total lines. */
struct page_want paging_place(const struct page_want *want, size_t total);

/* The number of the last requested line, of @total; 0 when none is. */
size_t paging_last(const struct page_want *want, size_t total);

/*
 * The page of @snap, a whole file: detect the encoding, decode, cut.
 * ERR_BINARY_READ, ERR_LINE_TOO_LONG.
 */
must_check enum err paging_cut(const struct snapshot *snap, struct str path,
			       const struct page_want *want, struct arena *mem,
			       struct page *ret, struct fault *f);

#endif
