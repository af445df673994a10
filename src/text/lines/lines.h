/*
 * lines.h - the definition of a line, for all layers.
 *
 * A line is text up to and including "\n", or a final part that is not empty:
 * "" has none, "a" and "a\n" one, "a\n\n" two. CRLF ends one line; a CR alone
 * is data. Lines count from 1.
 */
#ifndef STET_LINES_H
#define STET_LINES_H

#include "base/str.h"

/* The number of newlines in @s. */
size_t lines_newlines(struct str s);

/* The same, and whether @s is all ASCII without NUL, in one pass. */
size_t lines_scan(struct str s, bool *ret_ascii);

/* The number of lines of @s. */
size_t lines_count(struct str s);

/* The offset of line @line; s.len when there are fewer. */
size_t lines_start(struct str s, size_t line);

/* The line of the byte at @offset, which may be s.len. */
size_t lines_at(struct str s, size_t offset);

/*
 * The offset after the @n-th newline of @s (0 for n = 0); s.len when there are
 * fewer.
 */
size_t lines_after(struct str s, size_t n);

#endif
