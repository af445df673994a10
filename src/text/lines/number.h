/*
 * number.h - text with line numbers, as cat -n prints it.
 */
#ifndef STET_NUMBER_H
#define STET_NUMBER_H

#include "base/buf.h"

/*
 * Add the lines of @text to @out, numbered from @first, each number right
 * aligned to the width of the largest (at least @width), then a tab. @text
 * is split at every "\n", so that one at the end makes an empty last line;
 * lines are joined by "\n".
 */
void number_lines(struct str text, size_t first, unsigned width,
		  struct buf *out);

#endif
