/*
 * section_apply.h - what a text becomes by the hunks of a section.
 *
 * Lines outside the hunks, and context, keep their bytes. A line that replaces
 * another takes the line ending of that one; a new line that of the line above
 * it or, without one, of the line below. The last line has an end or lacks it as
 * before, unless lines are added behind it: then it gets one.
 *
 * Where a hunk fits only with other indentation, its new lines are shifted as
 * its old ones are; where it fits only with other quotes, the parts of a line
 * that do not change keep the bytes of the text.
 */
#ifndef STET_SECTION_APPLY_H
#define STET_SECTION_APPLY_H

#include "text/patch/hunk_place.h"

struct section_applied {
	struct str text;
	size_t line; /* the first that changed, in @text, from 1; 0 = none */
	enum lenient_rule *rules; /* by which each hunk was placed */
};

/*
 * @crlf: line ending where the text has none. ERR_NO_PLACE, ERR_MANY_PLACES,
 * with *@ret_why; ERR_NO_MEMORY. Does not fill in a path.
 */
must_check enum err section_apply(struct str text,
				  const struct changeset_section *s, bool crlf,
				  struct arena *mem,
				  struct section_applied *ret,
				  struct hunk_failure *ret_why,
				  struct fault *f);

#endif
