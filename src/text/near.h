/*
 * near.h - a string that was not found explains itself.
 *
 * Where in the text is something like it, how much, and what differs, in
 * words and with what cannot be seen made visible: a tab is shown as →, a
 * blank at either end of a line and each of several as ·, a CR as ␍, other
 * control characters as their pictures, and what has no width or is an odd
 * blank as its code point in ⟨⟩.
 *
 * What is shown is the text's: of the string that was looked for nothing is
 * repeated but blanks in numbers and characters as code points. Line endings
 * do not differ: LF and CRLF are one (see edit.h).
 *
 * Time is bounded: one pass over the text, then a fixed amount of comparing
 * for the places that pass found. Of a very long string only the front is
 * compared.
 */
#ifndef STET_NEAR_H
#define STET_NEAR_H

#include "base/arena.h"

enum {
	NEAR_MISSES = 3,
	NEAR_PLACES = 5,
	NEAR_LEAST = 40,       /* percent; less is not near */
	NEAR_TEXT = 160,       /* bytes of text, at the most */
	NEAR_WORDS = 320 + 200 /* of differs: words, and another line */
};

struct near {
	size_t line;         /* where it begins, from 1 */
	unsigned similarity; /* percent; 100 only for what was found */
	struct str text;     /* that line of the text, made visible; or "" */
	struct str differs; /* what is different, in words, and on which line */
};

/*
 * The places most like @old, which is not in @text; best first. Returns how
 * many.
 */
size_t near_misses(struct str text, struct str old, struct arena *mem,
		   struct near ret[NEAR_MISSES]);

/*
 * The first places of @old, which is several times in @text, each with a
 * line nearby that the others do not have there. Returns how many.
 */
size_t near_places(struct str text, struct str old, struct arena *mem,
		   struct near ret[NEAR_PLACES]);

#endif
