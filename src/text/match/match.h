/*
 * match.h - exact substring search.
 *
 * Occurrences are counted from left to right and do not overlap: "aaa" has one
 * "aa". An empty needle occurs nowhere.
 */
#ifndef STET_MATCH_H
#define STET_MATCH_H

#include "base/str.h"

#define MATCH_NONE SIZE_MAX

/* The offset of the first occurrence at or after @from, or MATCH_NONE. */
size_t match_find(struct str text, struct str needle, size_t from);

size_t match_count(struct str text, struct str needle);

/* A needle that is searched for in many texts. */
struct match_plan {
	struct str needle;
	size_t first, gap; /* offset of one byte, distance to the other */
};

/* @needle is not empty, and outlives the plan. */
struct match_plan match_plan(struct str needle);
size_t match_planned(struct str text, const struct match_plan *p, size_t from);

/*
 * The same, where ASCII letters match in either case. The plan is made for a
 * needle in lower case, which is ASCII.
 */
size_t match_caseless(struct str text, const struct match_plan *p, size_t from);

#endif
