/*
 * loose_fold.h - texts without what a rung of the ladder does not see.
 *
 * A text is walked in units: what is seen of it, and the bytes that stand
 * for it. Blanks in front of a line ending, and at the very end, belong to
 * no unit; CRLF is one unit, "\n". Only for loose.c.
 */
#ifndef STET_LOOSE_FOLD_H
#define STET_LOOSE_FOLD_H

#include "base/arena.h"

struct fold_unit {
	size_t from, to; /* its bytes */
	char plain;      /* what is seen, or 0: the bytes */
};

struct fold_walk {
	struct str text;
	bool quotes; /* typographic quotes and dashes are plain ones */
	size_t at, solid;
};

bool fold_next(struct fold_walk *w, struct fold_unit *u);

/* All that is seen of @text. */
struct str fold_text(struct str text, bool quotes, struct arena *mem);

/*
 * The bytes of @text that are seen as bytes @from to @to of what is seen;
 * false when these are not whole units.
 */
must_check bool fold_place(struct str text, bool quotes, size_t *from,
			   size_t *to);

/* All units; returns how many. */
size_t fold_units(struct str text, bool quotes, struct arena *mem,
		  struct fold_unit **ret);

#endif
