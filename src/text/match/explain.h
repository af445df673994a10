/*
 * explain.h - put the differences of an alignment into words. Private to
 * candidates.c.
 */
#ifndef STET_EXPLAIN_H
#define STET_EXPLAIN_H

#include "text/match/align.h"

/* A string and the part of a text that it is aligned with. */
struct explain_pair {
	const struct align_text *old, *text;
	const struct align_path *path;
	const char *what; /* the string in words */
	size_t line;      /* line of the part's first character */
	bool whole;       /* the part begins at the start of that line */
	bool last;        /* the part extends to the end of the text */
};

/* The differences in words, in at most CANDIDATE_DIFFERS_MAX bytes. */
struct str explain_difference(const struct explain_pair *p, struct arena *mem);

/*
 * The line that contains @at, with invisible characters made visible, in at
 * most CANDIDATE_TEXT_MAX bytes: of a longer line the part around @at, with …
 * for the rest.
 */
struct str explain_visible_line(struct str text, size_t at, struct arena *mem);

#endif
