/*
 * myers.h - a common subsequence of two sequences of lines (Myers' diff).
 *
 * The longest one where that is cheap, otherwise a shorter one: the work is
 * linear in the number of lines, whatever they contain. Private to diff.
 */
#ifndef STET_MYERS_H
#define STET_MYERS_H

#include "text/diff/intern.h"

struct myers_limits {
	/* edits per search, at most; or sqrt(lines), if that is more */
	int32_t cap;
	int32_t poor_cap;   /* cap once the budget is used up */
	int64_t steps;      /* budget of steps for any text */
	int64_t steps_each; /* added to the budget for each line */
};

/* The limits that diff uses; tests pass others. */
extern const struct myers_limits myers_limits;

/*
 * Mark as changed all lines outside the common subsequence. Lines marked before
 * the call are left out of the search.
 */
void myers_mark(struct intern_side *a, struct intern_side *b,
		const struct myers_limits *limits, struct arena *mem);

#endif
