/*
 * near_say.h - the words for what differs. Only for near.c.
 */
#ifndef STET_NEAR_SAY_H
#define STET_NEAR_SAY_H

#include "text/near_align.h"

/* A string and the part of a text that it was aligned with. */
struct near_pair {
	const struct near_chars *old, *text;
	const struct near_path *path;
	size_t line; /* of the text: that of its first character */
	bool whole;  /* the first character begins that line */
	bool last;   /* the part goes to the end of the text */
};

/* What differs, in at most NEAR_WORDS bytes. */
struct str near_differs(const struct near_pair *p, struct arena *mem);

/*
 * The line that has @at in @text, made visible, in at most NEAR_TEXT bytes:
 * of a longer one the part around @at, with … for what is not shown.
 */
struct str near_visible(struct str text, size_t at, struct arena *mem);

#endif
