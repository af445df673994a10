/*
 * loose.h - a ladder for a string that is not there as it is.
 *
 * The rungs, each tried only when nothing was found on those before it:
 *
 *	trailing blanks  blanks at the ends of lines are not there
 *	indentation      whole lines, all that are not empty shifted alike: the
 *	                 same blanks more or less in front of each, or tabs
 *	                 for spaces, the same number of spaces for each tab
 *	quotes           typographic quotes and dashes are plain ones, and
 *	                 blanks at the ends of lines are not there
 *
 * LF and CRLF are the same on all of them. A string that is there as it is,
 * or with other line endings, is none of this ladder's (edit.h). A rung must
 * find exactly one place, also counting those that overlap; two, and the
 * ladder ends there with nothing. Nothing but blanks is found nowhere.
 *
 * What is put in is the new string shifted the same way. Lines that the old
 * and the new string share keep the bytes they have in the text, and so do
 * the quotes that both share. What would have to be guessed, such as a line
 * of the new string that has not the blanks to be taken away, is not done.
 */
#ifndef STET_LOOSE_H
#define STET_LOOSE_H

#include "text/edit.h"

enum loose_rung { LOOSE_NONE, LOOSE_TRAILING, LOOSE_INDENT, LOOSE_QUOTES };

struct loose {
	enum loose_rung rung;
	struct splice splice;
};

/* "trailing blanks", "indentation", "quotes" */
const char *loose_name(enum loose_rung rung);

/* False when there is no such place, or no single one. */
must_check bool loose_find(struct str text, struct str old, struct str with,
			   struct arena *mem, struct loose *ret);

#endif
