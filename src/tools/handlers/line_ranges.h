/*
 * line_ranges.h - shared by the tools that name lines by their numbers.
 *
 * A line number is a statement about one version of a file, so the caller must
 * have read it as it is, or name its version.
 */
#ifndef STET_LINE_RANGES_H
#define STET_LINE_RANGES_H

#include "tools/reading/textfile.h"

/* Lines @first to @last, from 1; @last is @first - 1 when there are none. */
struct line_range {
	int64_t first, last;
};

/* What the lines of a range are in a text. */
struct line_place {
	size_t from, to; /* offsets */
	bool at_end;     /* nothing follows */
	bool open;       /* the last line of the text has no line ending */
	bool crlf;       /* new lines here end in CRLF */
};

/*
 * Load a text file whose lines are named: ERR_UNREAD, ERR_STALE, ERR_IGNORED,
 * ERR_BINARY_EDIT.
 */
must_check enum err line_ranges_load(struct call *c, struct str path,
				     struct textfile *ret);

/* ERR_BAD_RANGE when the text has no such lines. */
must_check enum err line_ranges_find(struct call *c, struct str path,
				     struct str text, struct line_range range,
				     struct line_place *ret);

/*
 * @content as lines for @place: with the line endings there (unless
 * --write-eol=exact), the last one terminated if a line follows or the line in
 * its place was, and with the line ending first that an open last line before
 * it lacks.
 */
struct str line_ranges_fit(struct call *c, struct str content,
			   const struct line_place *place);

/* The same for content that has its line endings already. */
struct str line_ranges_close(struct call *c, struct str content,
			     const struct line_place *place);

/* "line 3", "lines 3 to 5" */
struct str line_ranges_words(struct call *c, struct line_range range);

extern const struct field line_range_fields[];

#endif
