/*
 * alike.h - characters that look alike, and what a plain keyboard types for
 * them.
 *
 * For saying why two strings that look the same are not, and for the rung of
 * the ladder that takes typographic quotes and dashes for plain ones. Rows
 * are in alike.def; what can be written in one piece or in two (NFC, NFD) is
 * in forms.def.
 */
#ifndef STET_ALIKE_H
#define STET_ALIKE_H

#include "base/str.h"

enum alike_kind {
	ALIKE_QUOTE,
	ALIKE_DASH,
	ALIKE_SPACE,  /* but not U+0020 */
	ALIKE_HIDDEN, /* has no width */
	ALIKE_LETTER, /* of another script, or a sign like another */
	ALIKE_WIDE,   /* full width */
};

struct alike {
	uint32_t code, plain; /* plain: 0 when it is not seen at all */
	enum alike_kind kind;
	const char *name; /* NULL: has no short one */
};

/* What @code is like; false for what stands for itself. */
bool alike_find(uint32_t code, struct alike *ret);

/* Is it @base with @mark behind it, written as one? */
bool alike_parts(uint32_t code, uint32_t *base, uint32_t *mark);

/* A mark that joins the character before it. */
bool alike_is_mark(uint32_t code);

/*
 * @code as plain as it gets: of look-alikes the plain one, of a letter with
 * an accent the letter, lower case; 0 for what is not seen, and for marks.
 */
uint32_t alike_plain(uint32_t code);

#endif
