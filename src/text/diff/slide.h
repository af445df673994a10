/*
 * slide.h - place changes where a reader expects them ("diff sliders").
 *
 * Where lines repeat, an insertion or deletion can be reported at several
 * places: of "a b a b" the first "a b", "b a" or the last "a b" may be the one
 * that was removed. Each such change is joined with a neighbour if it can slide
 * there, else moved down as far as possible. Private to diff.
 */
#ifndef STET_SLIDE_H
#define STET_SLIDE_H

#include "text/diff/diff.h"
#include "text/diff/intern.h"

/* Returns the number of changes left of @n. */
size_t slide_changes(struct diff_change *list, size_t n,
		     const struct intern_side *a, const struct intern_side *b);

#endif
