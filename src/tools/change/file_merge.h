/*
 * file_merge.h - three-way merge of the contents of a file.
 *
 * merge.h merges texts. This merges the bytes of files in any encoding, and
 * resolves conflicts as the caller chooses.
 */
#ifndef STET_FILE_MERGE_H
#define STET_FILE_MERGE_H

#include "tools/history/revise.h"

struct file_merge {
	struct str base, ours, theirs;
	enum conflicts conflicts;
	struct str name; /* label of theirs in conflict markers */

	/* results */
	struct str bytes;
	size_t count; /* conflicts */
	struct str
		listing; /* the conflicts as "-ours" and "+theirs" lines, cut */
	struct str places; /* the conflicts as a JSON array; "" = none */
};

/*
 * False when they cannot be merged: one is binary, their encodings differ, or
 * the encoding cannot represent the result. With
 * CONFLICTS_ABORT and conflicts, bytes are as with CONFLICTS_MARKERS.
 */
must_check bool file_merge_bytes(struct file_merge *m, struct arena *mem);

#endif
