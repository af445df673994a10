/*
 * merging.h - two contents of a file that have one in common, as one.
 *
 * merge.h works on texts; these are the bytes of files, in whatever encoding
 * they are, and a conflict is settled as the caller wants.
 */
#ifndef STET_MERGING_H
#define STET_MERGING_H

#include "tools/revise.h"

struct merging {
	struct str base, ours, theirs;
	enum conflicts conflicts;
	struct str name; /* of theirs, in markers */

	/* what comes out */
	struct str bytes;
	size_t count;       /* of conflicts */
	struct str listing; /* "-" what is there, "+" what would be; short */
	struct str places;  /* the same for programs: an array; "" = none */
};

/*
 * False when they cannot be merged: one is no text, they are in different
 * encodings, or the result is not what the encoding can hold. With
 * CONFLICTS_ABORT and conflicts, bytes are as with CONFLICTS_MARKERS.
 */
must_check bool merging_bytes(struct merging *m, struct arena *mem);

#endif
