/*
 * myers.h - which lines of two sequences have no partner.
 *
 * The shortest answer where that is cheap, else a right one that is longer:
 * the work grows with the number of lines, whatever they hold. Private to
 * diff.
 */
#ifndef STET_MYERS_H
#define STET_MYERS_H

#include "text/intern.h"

struct myers_limits {
	int32_t cap;        /* edits that a search tries; the root of the
			     number of lines, if that is more */
	int32_t poor_cap;   /* the same once the budget is used up */
	int64_t steps;      /* the budget: so many for any text, */
	int64_t steps_each; /* and so many more for each line */
};

/* What diff uses; tests try others. */
extern const struct myers_limits myers_limits;

/*
 * Lines that are marked as changed already are left out; of the others, mark
 * those that are not in the common sequence found.
 */
void myers_mark(struct side *a, struct side *b,
		const struct myers_limits *limits, struct arena *mem);

#endif
