/*
 * merge.h - three-way merge of texts by lines.
 *
 * Changes of @ours and @theirs at different places of @base are all in the
 * result; a change that both made is in it once. Changes that overlap or are
 * adjacent (no line of the base between them that both kept) are a conflict,
 * and so are changes that would be after sliding among equal lines. Lines are
 * compared with their line endings, and every byte of the result comes from one
 * of the three texts, except for the markers.
 *
 * A conflict is shown with both sides:
 *
 *	<<<<<<< label of ours
 *	lines of ours
 *	||||||| label of base      (unless that label is empty)
 *	lines of base
 *	=======
 *	lines of theirs
 *	>>>>>>> label of theirs
 *
 * Markers end in CRLF where the lines around them do; a last line without a
 * newline gets one before a marker.
 */
#ifndef STET_MERGE_H
#define STET_MERGE_H

#include "base/arena.h"

struct merge_labels {
	struct str ours, base, theirs;
};

/*
 * Lines of one text: the first, from 1, and their number; with no lines, start
 * is the line before.
 */
struct merge_lines {
	size_t start, count;
};

struct merge_conflict {
	struct merge_lines base, ours, theirs;
};

struct merged {
	struct str text;
	struct merge_conflict *conflicts;
	size_t count; /* of conflicts; 0: merged without conflict */
};

void merge_texts(struct str base, struct str ours, struct str theirs,
		 const struct merge_labels *labels, struct arena *mem,
		 struct merged *ret);

#endif
