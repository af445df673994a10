/*
 * diff.h - which lines differ between two texts.
 *
 * The answer is a list of changes in ascending order, with at least one equal
 * line between any two: lines a, a + a_count of the old text (counted from 0)
 * became lines b, b + b_count of the new one. Cost is bounded: past a point
 * the answer is still right, but no longer the shortest, and long texts are
 * taken for the same again where a long part of them is. Where more than 4
 * million lines lie between the first and the last difference, they are one
 * change.
 */
#ifndef STET_DIFF_H
#define STET_DIFF_H

#include "base/arena.h"
#include "text/edit.h"

struct diff_change {
	size_t a, a_count;
	size_t b, b_count;
};

struct diff {
	struct str old_text, new_text;
	struct diff_change *changes;
	size_t count;
};

void diff_texts(struct str old_text, struct str new_text, struct arena *mem,
		struct diff *ret);

/*
 * The same when it is known that only these splices of @old_text made
 * @new_text: what lies outside them is not looked at line by line.
 */
void diff_splices(struct str old_text, struct str new_text,
		  const struct splice *splices, size_t n, struct arena *mem,
		  struct diff *ret);

/*
 * The changes as splices, one each, of @text: the old text, or one that has
 * the same lines and differs from it in how they end.
 */
struct splice *diff_as_splices(const struct diff *diff, struct str text,
			       struct arena *mem);

#endif
