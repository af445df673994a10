/*
 * intern.h - lines as numbers, so that comparing two is one instruction.
 *
 * The number of a line is that of the first line of the old side with the
 * same bytes, its terminator included. Hashes only find candidates; what is
 * called equal has been compared byte by byte. Private to diff.
 */
#ifndef STET_INTERN_H
#define STET_INTERN_H

#include "base/arena.h"

enum { INTERN_MAX = 1 << 30 }; /* bytes of a side, so that 32 bits do */

#define INTERN_NONE UINT32_MAX /* a line that the old side does not have */

struct side {
	struct str text;
	uint32_t count;
	uint32_t *start; /* of each line, and after them the end */
	uint32_t *id;    /* of each line */
	bool *changed;   /* each line: has it no partner on the other side? */
};

/* The lines of @text, shorter than INTERN_MAX; ids are not known yet. */
void intern_split(struct side *s, struct str text, struct arena *mem);

/*
 * Give the lines of both sides their numbers, and mark as changed those that
 * the other side does not have at all. Of the hash only the bits in
 * @hash_mask are used: all of them, unless a test wants collisions. Lines
 * that collide too often count as changed, so that nobody can make this slow.
 */
void intern_number(struct side *a, struct side *b, uint64_t hash_mask,
		   struct arena *mem);

#endif
