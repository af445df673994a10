/*
 * scan.h - the byte loops under the diff: newlines, and what two texts share.
 *
 * Written so that the compiler turns them into vector code of the baseline
 * machine; they run at the speed of memory. Private to diff and unified.
 */
#ifndef STET_SCAN_H
#define STET_SCAN_H

#include "base/str.h"

/* How many "\n" are in @s. */
size_t scan_newlines(struct str s);

/* How many lines: "\n" counted, and a tail without one. */
size_t scan_lines(struct str s);

/* The offset after the @n-th "\n" of @s (n 0: 0); s.len if there are fewer. */
size_t scan_after(struct str s, size_t n);

/* How many bytes at the front of both, at the end of both, are the same. */
size_t scan_same_head(struct str a, struct str b);
size_t scan_same_tail(struct str a, struct str b);

#endif
