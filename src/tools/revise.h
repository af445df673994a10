/*
 * revise.h - a change from one content to another, made in a third.
 *
 * To undo an operation is to take the file from what it was afterwards to
 * what it was before; to replay one is the other way round. A file that is
 * still as the change finds it simply becomes what it leads to. One that
 * somebody has changed since gets what is separate from that, line by line;
 * where both have changed the same place there is a conflict.
 */
#ifndef STET_REVISE_H
#define STET_REVISE_H

#include "base/arena.h"
#include "base/buf.h"
#include "text/encoding.h"

/* A file as it was at one time, or is. */
struct side {
	bool exists;
	struct str bytes;
	unsigned mode; /* 07777; 0 = unknown */
};

/* What becomes of places that both have changed. */
enum conflicts {
	CONFLICTS_ABORT,   /* nothing is changed at all */
	CONFLICTS_MARKERS, /* both are put there, between markers */
	CONFLICTS_OURS,    /* they stay as they are now */
	CONFLICTS_THEIRS,  /* they become what the change makes of them */
};

enum revise_how {
	REVISE_ALREADY, /* it is what it would become */
	REVISE_EXACT,   /* it is what the change begins with */
	REVISE_MERGED,  /* it has other changes, too, and keeps them */
	REVISE_CONFLICT,
};

struct revision {
	struct side now, from, to;
	enum conflicts conflicts;
	struct str name; /* what the change is called, in markers */

	/* what comes out */
	enum revise_how how;
	struct side result;
	size_t count;       /* of conflicts, also of those that were settled */
	struct str listing; /* of them: what is there, what would be; short */
	struct str places;  /* the lines of each, as JSON; "" = none */
};

/* With REVISE_CONFLICT result is what it is now. */
void revise(struct revision *r, struct arena *mem);

/*
 * A unified diff of two contents as encoding_text() shows them; @written is
 * the encoding of both, or NULL. False when one of them is no text.
 */
bool revise_diff(struct str before, struct str after,
		 const struct encoding *written, struct str name,
		 struct arena *mem, struct buf *out);

/* How many lines that diff adds and removes; false as above. */
bool revise_count(struct str before, struct str after, struct arena *mem,
		  size_t *ret_added, size_t *ret_removed);

const char *revise_how_name(enum revise_how how);

#endif
