/*
 * hunk_search.h - the places of a text that the old lines of a hunk fit.
 *
 * A search by one rule finds them one after the other, in ascending order, and
 * compares each line of the text once. Private to hunk_place.c.
 */
#ifndef STET_HUNK_SEARCH_H
#define STET_HUNK_SEARCH_H

#include "text/patch/hunk_place.h"

/* The old lines of a hunk. */
struct hunk_old {
	struct str *lines;
	size_t count;
	bool visible; /* they are more than blanks */
};

/* A search for the places of a hunk, in ascending order. */
struct hunk_search {
	struct hunk_text *t;
	enum lenient_rule rule;
	struct hunk_old old;
	size_t *border;
	size_t row;                   /* the next to be compared */
	size_t matched;               /* old lines that fit right above @row */
	struct indent_lines indented; /* LENIENT_INDENT: the old lines */
	size_t steps;
};

struct hunk_search hunk_search_begin(struct hunk_text *t,
				     const struct changeset_hunk *h,
				     enum lenient_rule rule);

/*
 * The first place at @from or behind it, and behind the one found before. @from
 * never decreases.
 */
bool hunk_search_next(struct hunk_search *s, size_t from, size_t *ret);

/* The old lines of @h, as @rule compares them. */
struct hunk_old hunk_old_lines(const struct changeset_hunk *h,
			       enum lenient_rule rule, struct arena *mem);

/* The old lines as text. */
struct str hunk_joined(const struct changeset_hunk *h, struct arena *mem);

/* The text with an end of its last line, so that whole lines compare. */
struct str hunk_ended_text(struct hunk_text *t);

/* Polls over all hunks of a text: each alone may be too short for it. */
bool hunk_stopped(struct hunk_text *t);

#endif
