/*
 * lines.h - what a line is, once for everybody.
 *
 * A line is text up to and including "\n", or a tail that is not empty: ""
 * has none, "a" and "a\n" one, "a\n\n" two. CRLF ends one line; a CR alone
 * is data. Lines count from 1.
 */
#ifndef STET_LINES_H
#define STET_LINES_H

#include "base/str.h"

/* How many "\n" are in @s. */
size_t lines_newlines(struct str s);

/* The same, and with the same look: is all of @s ASCII, and nothing NUL? */
size_t lines_survey(struct str s, bool *ret_ascii);

/* How many lines @s has. */
size_t lines_count(struct str s);

/* Where line @line starts; s.len when there are fewer. */
size_t lines_start(struct str s, size_t line);

/* Which line the byte at @offset is on (offset may be s.len). */
size_t lines_at(struct str s, size_t offset);

/*
 * Where the @n-th "\n" of @s ends (the offset after it; 0 for n = 0); s.len
 * when there are fewer.
 */
size_t lines_after(struct str s, size_t n);

#endif
