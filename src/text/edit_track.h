/*
 * edit_track.h - where the old strings of many edits are, kept up to date.
 *
 * The original is read once for all of them. After that only the few bytes
 * around an edit are read again: what was found there before is taken off,
 * what is there now is added. For each string the tracker keeps how many
 * there are, overlapping ones too, and the sum of the numbers (edit_stage.h)
 * of their first bytes: of a string that is there once, the sum is its place.
 *
 * Of long strings only the head is tracked, so the answer is exact for
 * "none", and otherwise a place to look at. Only for edit.c and its tests.
 */
#ifndef STET_EDIT_TRACK_H
#define STET_EDIT_TRACK_H

#include "text/edit.h"
#include "text/edit_stage.h"

enum {
	TRACK_HEAD = 256, /* bytes of a string that are tracked */
	TRACK_CROWD = 16, /* so many of one, and it is no longer followed */
	TRACK_LEVELS = 7,
};

struct track_needle {
	struct str head;
	uint64_t hash;
	size_t count, sum;
	bool crowded;              /* then count and sum mean nothing */
	struct track_needle *next; /* in the same slot of the table */
};

struct track_shape;

/* Strings of about one length; see edit_track.c. */
struct track_level {
	size_t longest;
	uint64_t *bits;
	struct track_shape **shapes;
	size_t slots; /* of shapes: a power of 2, or 0 for no strings at all */
	unsigned shift; /* from a hash to its bit */
};

struct track {
	struct track_needle *needles; /* distinct heads */
	size_t count;
	struct track_needle **of; /* one for each edit; NULL of empty ones */
	struct track_needle **table;
	size_t slots;
	size_t longest;
	struct track_level levels[TRACK_LEVELS];
	char *window;
	size_t window_cap;
	struct arena *mem;
};

/* Find the old strings of the @n edits in @text. */
void track_init(struct track *t, struct str text, const struct edit *edits,
		size_t n, struct arena *mem);

/*
 * Before bytes @from to @to are replaced, and after: forget what touches
 * them, and find what touches what is there now.
 */
void track_forget(struct track *t, struct stage *s, size_t from, size_t to);
void track_find(struct track *t, struct stage *s, size_t from, size_t to);

#endif
