/*
 * slide.h - put changes where a reader expects them.
 *
 * Where lines repeat, what was added or taken away can be said in several
 * ways: of "a b a b" one may have lost the first "a b" or "b a" or the last.
 * Each such change moves next to a neighbour if it can, which makes one of
 * two, else as far down as it goes. Private to diff.
 */
#ifndef STET_SLIDE_H
#define STET_SLIDE_H

#include "text/diff.h"
#include "text/intern.h"

/* Returns how many of the @n changes are left. */
size_t slide_changes(struct diff_change *list, size_t n, const struct side *a,
		     const struct side *b);

#endif
