/*
 * edit_eol.h - what is put into a text takes the line endings of its place.
 *
 * A line that is the same before and after keeps its own bytes; one that
 * replaces another takes the ending of that one; a new line takes the ending
 * of the line above it, without one above that of the line it was put in, and
 * in a text of one line LF. A CR that is not before an LF is data: it is
 * neither dropped, nor is another put between it and an LF.
 *
 * Only for edit.c, loose.c and their tests.
 */
#ifndef STET_EDIT_EOL_H
#define STET_EDIT_EOL_H

#include "text/eol.h"

/* The lines that a match is on, and in them the match. */
struct eol_place {
	struct str lines;
	size_t from, to; /* of @lines; never between a CR and its LF */
	enum eol above;  /* how the line above ends; EOL_NONE: there is none */
};

/* @with, which has all its line endings as LF, with those of its place. */
struct str edit_eol_fit(const struct eol_place *p, struct str with,
			struct arena *mem);

/*
 * @to is @from with other line endings: which ones did it get that @from had
 * not? EOL_NONE when they are the same.
 */
enum eol edit_eol_given(struct str from, struct str to);

/*
 * Did the caller mean the line endings of @with as they are? So it is when a
 * string that was found as it is is replaced by one with a CRLF, and when the
 * two differ in nothing but their line endings.
 */
bool edit_eol_meant(struct str old, struct str with, bool found_as_is,
		    struct arena *mem);

/* The offset in @text of the byte at @offset of eol_to_lf(text). */
size_t edit_eol_place(struct str text, size_t offset);

#endif
