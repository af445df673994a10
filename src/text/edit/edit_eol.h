/*
 * edit_eol.h - give a replacement the line endings of its place.
 *
 * A line that is equal before and after keeps its bytes; one that replaces
 * another takes the ending of that one; a new line takes the ending of the line
 * above it or, without one, of the line it is inserted into; in a text of one
 * line that is LF. A CR that is not before an LF is data: it is neither
 * dropped, nor is another CR put between it and an LF.
 *
 * Private to edit.c, edit_all.c, lenient.c and their tests.
 */
#ifndef STET_EDIT_EOL_H
#define STET_EDIT_EOL_H

#include "text/lines/eol.h"

/* The lines of a match, and the match in them. */
struct eol_place {
	struct str lines;
	size_t from, to; /* offsets in @lines; never between CR and LF */
	enum eol above;  /* ending of the line above; EOL_NONE: no such line */
};

/* @with, whose line endings are all LF, with those of its place. */
struct str edit_eol_fit(const struct eol_place *p, struct str with,
			struct arena *mem);

/*
 * The line endings in @to that differ from those of @from, which is the same
 * text otherwise; EOL_NONE when all are equal.
 */
enum eol edit_eol_given(struct str from, struct str to);

/*
 * Are the line endings of @with intended? They are when a string found byte for
 * byte is replaced by one with a CRLF, and when old and new string differ in
 * their line endings only.
 */
bool edit_eol_meant(struct str old, struct str with, bool found_as_is,
		    struct arena *mem);

/* The offset in @text of the byte at @offset of eol_to_lf(text). */
size_t edit_eol_place(struct str text, size_t offset);

#endif
