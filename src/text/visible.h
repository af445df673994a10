/*
 * visible.h - text as a person may look at it: nothing in it moves a cursor,
 * changes the order of what stands there, or cannot be seen.
 *
 * The characters of text/hidden.def are spelled out, as \x1b where they are
 * ASCII and as \u{202e} where they are not. What is no UTF-8 becomes \xff,
 * byte by byte. Every terminal, question and page is written this way; what
 * programs read (JSON, the protocol, a patch in a pipe) is not.
 */
#ifndef STET_VISIBLE_H
#define STET_VISIBLE_H

#include "base/buf.h"

/* Is the code point one of those that are spelled out? */
bool visible_is_hidden(uint32_t code);

/* Text of several lines: LF and TAB stay, and so does CR LF, as LF. */
void visible_add(struct buf *out, struct str text);

/* A name, or whatever else is to stay on its line: LF and TAB are spelled. */
void visible_line(struct buf *out, struct str text);

/*
 * A unified diff: as visible_add(), but CR before LF is left out only when
 * all lines of the files end in CR LF. Where some do, it is spelled: such a
 * line is not what a line without it is.
 */
void visible_diff(struct buf *out, struct str diff);

/*
 * JSON, with hidden characters as \u202e: to a program it is the same JSON.
 */
void visible_json(struct buf *out, struct str json);

/*
 * As printf() does, with every %s as visible_line() writes it: only the
 * format has line ends. It knows %s, %c, %d, %u, %zu, %llu and %%, with widths
 * and precisions.
 */
void visible_print(struct buf *out, const char *format, va_list args)
	prints(2, 0);

#endif
