/*
 * merge.h - two changes of one text, brought together.
 *
 * What @ours and @theirs changed in different places of @base is all in the
 * result; what both changed in the same way is in it once. Changes that
 * overlap or touch each other (no line of the base between them that both
 * kept) are a conflict, and so are those that could as well have been made
 * where they would. Texts are compared by lines with their line endings, and
 * every byte of the result comes from one of the three, but for the markers.
 *
 * In the text, a conflict is shown with both sides kept:
 *
 *	<<<<<<< label of ours
 *	lines of ours
 *	||||||| label of base      (unless that label is empty)
 *	lines of base
 *	=======
 *	lines of theirs
 *	>>>>>>> label of theirs
 *
 * Markers end in CRLF where the lines around do; a last line without an
 * ending gets one in front of a marker.
 */
#ifndef STET_MERGE_H
#define STET_MERGE_H

#include "base/arena.h"

struct merge_labels {
	struct str ours, base, theirs;
};

/* Lines of one text: the first, from 1, and how many; 0 is before it. */
struct merge_lines {
	size_t start, count;
};

struct merge_conflict {
	struct merge_lines base, ours, theirs;
};

struct merged {
	struct str text;
	struct merge_conflict *conflicts;
	size_t count; /* of conflicts; 0: the text is the merge */
};

void merge_texts(struct str base, struct str ours, struct str theirs,
		 const struct merge_labels *labels, struct arena *mem,
		 struct merged *ret);

#endif
