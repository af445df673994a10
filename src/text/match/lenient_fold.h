/*
 * lenient_fold.h - fold a text for lenient comparison. Private to lenient.c and
 * hunk_place.c.
 *
 * A text is walked in units: a byte or a character, and the byte range it comes
 * from. Blanks in front of a line ending, and at the very end, belong to no
 * unit; CRLF is one unit, "\n".
 */
#ifndef STET_LENIENT_FOLD_H
#define STET_LENIENT_FOLD_H

#include "base/arena.h"

struct fold_unit {
	size_t from, to; /* byte range in the text */
	char plain;      /* the folded byte; 0: the bytes themselves */
};

struct fold_walk {
	struct str text;
	bool quotes; /* fold typographic quotes and dashes to ASCII */
	size_t at;
	size_t solid; /* blanks before this offset are not trailing */
};

bool fold_next(struct fold_walk *w, struct fold_unit *u);

/* The folded text. */
struct str fold_text(struct str text, bool quotes, struct arena *mem);

/*
 * Map *@from and *@to, offsets in the folded text, to offsets in @text; false
 * when they are not unit boundaries.
 */
must_check bool fold_place(struct str text, bool quotes, size_t *from,
			   size_t *to);

/* All units of @text; returns how many. */
size_t fold_units(struct str text, bool quotes, struct arena *mem,
		  struct fold_unit **ret);

#endif
