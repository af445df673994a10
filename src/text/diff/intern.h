/*
 * intern.h - number the distinct lines of two texts, for diff.
 *
 * Two lines are equal if and only if they have the same number, so comparing
 * them is one instruction. The number of a line is the index of the first line
 * of the old side with the same bytes, line ending included. Hashes only find
 * candidates; lines are called equal after a comparison of their bytes. Private
 * to diff.
 */
#ifndef STET_INTERN_H
#define STET_INTERN_H

#include "base/arena.h"

/* Limits of a side: numbers fit into 32 bits, memory stays below 300 MB. */
enum { INTERN_BYTES = 1 << 30, INTERN_LINES = 1 << 22 };

#define INTERN_NONE UINT32_MAX /* number of a line that the old side lacks */

struct intern_side {
	struct str text;
	uint32_t count;
	uint32_t *start; /* offset of each line, and of the end of the text */
	uint32_t *id;    /* number of each line */
	bool *changed;   /* for each line: not matched on the other side */
};

/* Is this text within the limits? */
bool intern_fits(struct str text);

/*
 * Split @text, which is within the limits, into lines; ids are set by
 * intern_number().
 */
void intern_split(struct intern_side *s, struct str text, struct arena *mem);

/*
 * Number the lines of both sides, and mark those as changed that the other side
 * lacks. Tests use @hash_mask to force collisions; it is UINT64_MAX otherwise.
 * Lines that collide too often count as changed, so that no input makes this
 * slow.
 */
void intern_number(struct intern_side *a, struct intern_side *b,
		   uint64_t hash_mask, struct arena *mem);

#endif
