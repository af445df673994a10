/*
 * resync.h - find the differing parts of two long texts without comparing
 * lines.
 *
 * A new version of a long text mostly equals the old one but for a few lines.
 * After each difference up to RESYNC_LINES lines are skipped in one text, the
 * other, or both, until RESYNC_SAME bytes are equal again. When that fails, the
 * whole rest is one difference.
 *
 * The result is correct for any texts; diff.c compares the lines of each
 * difference.
 */
#ifndef STET_RESYNC_H
#define STET_RESYNC_H

#include "base/arena.h"
#include "base/splice.h"

enum {
	RESYNC_SAME = 16 * 1024, /* equal bytes that end a difference */
	RESYNC_LINES = 16,       /* maximum of lines skipped in a text */
};

/* Splices of whole lines that turn @a into @b, in ascending order. */
struct splice *resync(struct str a, struct str b, struct arena *mem,
		      size_t *ret_count);

#endif
