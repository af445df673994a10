/*
 * lenient.h - match a string that is not in the text exactly.
 *
 * The rules, each tried only when the ones before it found nothing:
 *
 *	trailing blanks  blanks at the ends of lines are ignored
 *	indentation      whole lines, all shifted by the same indentation:
 *	                 the same blanks added or removed in front of each
 *	                 non-empty line, or tabs for spaces at one tab width
 *	quotes           typographic quotes and dashes equal plain ones, and
 *	                 blanks at the ends of lines are ignored
 *
 * LF and CRLF are equal under all of them. A string that is there exactly, or
 * with other line endings, is not matched here (edit.h does that). A rule must
 * find exactly one place, overlapping ones counted; if it finds several, the
 * match fails and no further rule is tried. A string of blanks matches nothing.
 *
 * The replacement is the new string with the same shift. Lines that old and new
 * string share keep the bytes of the text, and so do shared quotes. Where the
 * replacement would be a guess, such as a new line that lacks the indentation
 * to be removed, the match fails.
 */
#ifndef STET_LENIENT_H
#define STET_LENIENT_H

#include "text/edit/edit.h"

enum lenient_rule {
	LENIENT_NONE,
	LENIENT_TRAILING,
	LENIENT_INDENT,
	LENIENT_QUOTES
};

struct lenient_match {
	enum lenient_rule rule;
	struct splice splice;
};

/* "trailing blanks", "indentation", "quotes", as results show them. */
const char *lenient_rule_name(enum lenient_rule rule);

/* False when no rule finds exactly one place. */
must_check bool lenient_find(struct str text, struct str old, struct str with,
			     struct arena *mem, struct lenient_match *ret);

#endif
