/*
 * edit_find.h - find the old string of an edit in a text that is being edited.
 * Private to edit.c.
 */
#ifndef STET_EDIT_FIND_H
#define STET_EDIT_FIND_H

#include "text/edit/edit_track.h"
#include "text/edit/piece_table.h"

struct edit_room {
	char *ptr;
	size_t cap;
};

/* A replacement, in the text at the time it was made. */
struct edit_made {
	size_t at;
	struct str old, with;
};

struct edit_work {
	struct str original;
	const struct edit *edits;
	size_t n;
	struct piece_table table;
	struct track track; /* old strings, then their variants */
	struct edit_made *made;
	struct edit_room scratch, fold_room;
	bool has_cr;        /* a CR occurs; else the fields below are unused */
	struct str *folded; /* old strings with CRLF as LF */
	struct edit *variants;  /* the edits, then their variants */
	bool by_parts;          /* variants are parts of the folded strings */
	size_t newlines, crlfs; /* in the text as it is now */
	enum eol given;
	struct arena *mem;
};

/* Where an old string was found; as_is: byte for byte. */
struct edit_found {
	size_t at, len;
	bool as_is;
};

/* The bytes @from to @to of the present text; valid until the next call. */
struct str edit_look(struct edit_work *w, size_t from, size_t to);

/* Is @at between the CR and the LF of a CRLF? */
bool edit_splits_crlf(struct edit_work *w, size_t at);

/* Find the old string of edit @i; errors as of edit_apply(). */
must_check enum err edit_find(struct edit_work *w, size_t i,
			      struct edit_found *ret, struct fault *f);

#endif
