/*
 * confusable.h - confusable characters, and canonical decomposition.
 *
 * A confusable looks like a plain ASCII character (Unicode UTS #39):
 * typographic quotes and dashes, letters of other scripts, full-width forms,
 * invisible characters. Used to explain why two strings that look equal are
 * not, and by the lenient rule that treats typographic quotes as plain ones.
 * The rows are in confusable.def; canonical decompositions (NFC to NFD) in
 * decompositions.def.
 */
#ifndef STET_CONFUSABLE_H
#define STET_CONFUSABLE_H

#include "base/str.h"

enum confusable_kind {
	CONFUSABLE_QUOTE,
	CONFUSABLE_DASH,
	CONFUSABLE_SPACE,  /* other than U+0020 */
	CONFUSABLE_HIDDEN, /* zero width */
	CONFUSABLE_LETTER, /* letter or sign of another script */
	CONFUSABLE_WIDE,   /* full width */
};

struct confusable {
	uint32_t code,
		plain; /* plain: the ASCII character; 0 for invisible ones */
	enum confusable_kind kind;
	const char *name; /* NULL: full-width forms have none */
};

/* The row of @code; false when it is not confusable. */
bool confusable_find(uint32_t code, struct confusable *ret);

/*
 * The canonical decomposition of @code into a base and a combining mark; false
 * when it has none.
 */
bool confusable_decompose(uint32_t code, uint32_t *base, uint32_t *mark);

/* Is @code a combining mark? */
bool confusable_is_mark(uint32_t code);

/*
 * The skeleton of @code: accents removed, confusables replaced by their ASCII
 * character, lower case; 0 for invisible characters and combining marks.
 */
uint32_t confusable_skeleton(uint32_t code);

#endif
