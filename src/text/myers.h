/*
 * myers.h - which lines of two sequences have no partner.
 *
 * The shortest answer where that is cheap, else a right one that is longer:
 * the work grows with the number of lines, whatever they hold. Private to
 * diff.
 */
#ifndef STET_MYERS_H
#define STET_MYERS_H

#include "text/intern.h"

/*
 * Lines that are marked as changed already are left out; of the others, mark
 * those that are not in the common sequence found.
 */
void myers_mark(struct side *a, struct side *b, struct arena *mem);

#endif
