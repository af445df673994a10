/*
 * visible.h - text as a person may look at it: nothing in it moves a cursor,
 * changes the order of what stands there, or cannot be seen.
 */
#ifndef STET_VISIBLE_H
#define STET_VISIBLE_H

#include "base/buf.h"

/*
 * Add @text: control characters, what turns the direction of writing and what
 * is invisible become \x1b and \u{202e}; LF and tabs stay, CR goes where LF
 * follows. What is no UTF-8 becomes \xff, byte by byte.
 */
void visible_add(struct buf *out, struct str text);

#endif
