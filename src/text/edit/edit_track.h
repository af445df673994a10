/*
 * edit_track.h - an incremental multi-pattern search for the old strings of
 * edits.
 *
 * The original is scanned once for all of them. After that only the bytes
 * around an edit are scanned again: matches found there before are removed,
 * those found now are added. For each string the tracker keeps the number of
 * occurrences, overlapping ones included, and the sum of the numbers
 * (piece_table.h) of their first bytes: for a string with one occurrence, the
 * sum is its place.
 *
 * Only the head of a long string is tracked, so the answer is exact for "none",
 * and otherwise a place to check. Private to edit.c and its tests.
 */
#ifndef STET_EDIT_TRACK_H
#define STET_EDIT_TRACK_H

#include "text/edit/edit.h"
#include "text/edit/piece_table.h"

enum {
	TRACK_HEAD = 256, /* tracked bytes of a string */
	TRACK_CROWD = 16, /* occurrences after which a string is not followed */
	TRACK_LEVELS = 7,
};

struct track_needle {
	struct str head;
	uint64_t hash;
	size_t count, sum;
	bool crowded; /* too many occurrences: count and sum are invalid */
	struct track_needle *next; /* in the same slot of the hash table */
};

struct track_shape;

/* Strings of similar length; see edit_track.c. */
struct track_level {
	size_t longest;
	uint64_t *bits;
	struct track_shape **shapes;
	size_t slots;   /* of shapes: a power of 2; 0: no strings */
	unsigned shift; /* right shift from a hash to its bit */
};

struct track {
	struct track_needle *needles; /* distinct heads */
	size_t count;
	struct track_needle **of; /* one per edit; NULL for an empty string */
	struct track_needle **table;
	size_t slots;
	size_t longest;
	struct track_level levels[TRACK_LEVELS];
	char *window;
	size_t window_cap;
	struct arena *mem;
};

/* Scan @text for the old strings of the @n edits. */
void track_init(struct track *t, struct str text, const struct edit *edits,
		size_t n, struct arena *mem);

/*
 * Call track_forget() before bytes are replaced, and track_find() after: remove
 * and add the occurrences that overlap @from to @to.
 */
void track_forget(struct track *t, struct piece_table *s, size_t from,
		  size_t to);
void track_find(struct track *t, struct piece_table *s, size_t from, size_t to);

#endif
