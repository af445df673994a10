/*
 * edit_find.h - where in a text that is being edited an old string is.
 *
 * Only for edit.c.
 */
#ifndef STET_EDIT_FIND_H
#define STET_EDIT_FIND_H

#include "text/edit_stage.h"
#include "text/edit_track.h"

struct edit_room {
	char *ptr;
	size_t cap;
};

/* A replacement as it was made, in the text of then. */
struct edit_made {
	size_t at;
	struct str old, with;
};

struct edit_work {
	struct str original;
	const struct edit *edits;
	size_t n;
	struct stage stage;
	struct track track; /* old strings, and after them their twins */
	struct edit_made *made;
	struct edit_room scratch, fold_room;
	bool has_cr;            /* somewhere; else nothing of the next lines */
	struct str *folded;     /* old strings */
	struct edit *twins;     /* the edits, and after them their twins */
	bool by_parts;          /* twins are parts of the folded strings */
	size_t newlines, crlfs; /* in the text as it is */
	enum eol given;
	struct arena *mem;
};

/* Where an old string was found, and whether byte for byte. */
struct edit_found {
	size_t at, len;
	bool as_is;
};

/* The bytes @from to @to of the text as it is; good until the next call. */
struct str edit_look(struct edit_work *w, size_t from, size_t to);

/* Is a CR before @at, and its LF after it? */
bool edit_splits_crlf(struct edit_work *w, size_t at);

/* Find the old string of edit @i; fails as edit_apply() does. */
must_check enum err edit_find(struct edit_work *w, size_t i,
			      struct edit_found *ret, struct fault *f);

#endif
