/*
 * ngram_scan.h - find windows of a text that resemble a string.
 *
 * One pass over the text, both reduced to skeletons in lower case and without
 * white space. A window as long as the string moves over the text; where it
 * contains many n-grams of the string is a candidate. Private to candidates.c.
 */
#ifndef STET_NGRAM_SCAN_H
#define STET_NGRAM_SCAN_H

#include "base/arena.h"

enum { NGRAM_WINDOWS = 8 };

/* A window: its byte range, and how many of its n-grams the string has. */
struct ngram_window {
	size_t from, end, hits;
};

/* Best first; returns how many. */
size_t ngram_scan(struct str text, struct str old, struct arena *mem,
		  struct ngram_window ret[NGRAM_WINDOWS]);

#endif
