/*
 * near_scan.h - where in a text could something like a string be?
 *
 * One pass: text and string are taken without blanks, plain and in lower
 * case; a window as long as the string moves over the text, and where most
 * of the short pieces in it are pieces of the string too, is a place. Only
 * for near.c.
 */
#ifndef STET_NEAR_SCAN_H
#define STET_NEAR_SCAN_H

#include "base/arena.h"

enum { NEAR_PEAKS = 8 };

/* A window: its first byte in the text, and how many pieces are known. */
struct near_peak {
	size_t from, end, hits;
};

/* Best first; returns how many. */
size_t near_scan(struct str text, struct str old, struct arena *mem,
		 struct near_peak ret[NEAR_PEAKS]);

#endif
