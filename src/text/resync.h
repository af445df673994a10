/*
 * resync.h - where two long texts differ, without a look at each line.
 *
 * What is written anew is mostly what was there: a few lines here and there
 * are others. From each difference on, a few lines are left out of one text,
 * of the other, or of both, until a long part of them is the same again,
 * which is found at the speed of memory. Where that does not help, all the
 * rest is one difference.
 *
 * The answer is right whatever the texts are; it is for diff.c, which looks
 * at the lines of each difference.
 */
#ifndef STET_RESYNC_H
#define STET_RESYNC_H

#include "base/arena.h"
#include "base/splice.h"

enum {
	RESYNC_SAME = 16 * 1024, /* bytes that are the same again */
	RESYNC_LINES = 16,       /* at most so many are left out of a text */
};

/* Splices of whole lines that make @b of @a, in ascending order. */
struct splice *resync(struct str a, struct str b, struct arena *mem,
		      size_t *ret_count);

#endif
