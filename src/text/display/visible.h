/*
 * visible.h - text that is safe to show to a person.
 *
 * Nothing in it moves a cursor, reorders what is displayed, or is invisible.
 * The characters of text/display/hidden.def are escaped: \x1b for ASCII,
 * \u{202e} for others. Invalid UTF-8 becomes \xff, byte by byte. Every
 * terminal, question and page is written this way; output for programs (JSON,
 * the protocol, a patch in a pipe) is not.
 */
#ifndef STET_VISIBLE_H
#define STET_VISIBLE_H

#include "base/buf.h"

/* Is @code a code point that must be escaped? */
bool visible_is_hidden(uint32_t code);

/* Text of several lines: LF and TAB stay; CR LF becomes LF. */
void visible_add(struct buf *out, struct str text);

/*
 * A name, or other text that must stay on its line: LF and TAB are escaped too.
 */
void visible_line(struct buf *out, struct str text);

/*
 * A unified diff: as visible_add(), but the CR of a CR LF is dropped only when
 * all lines of the files end in CR LF. In mixed files it is escaped, because it
 * is part of the difference.
 */
void visible_diff(struct buf *out, struct str diff);

/* JSON with hidden characters escaped as \u202e: equal JSON to a program. */
void visible_json(struct buf *out, struct str json);

/*
 * printf() with every %s written by visible_line(), so that only the format has
 * newlines. It knows %s, %c, %d, %u, %zu, %llu and %%, with width and
 * precision.
 */
void visible_print(struct buf *out, const char *format, va_list args)
	prints(2, 0);

#endif
