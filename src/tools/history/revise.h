/*
 * revise.h - applies a change (from one content to another) to a file that may
 * have changed since: a three-way merge, as git revert and cherry-pick do it.
 *
 * Undo goes from the content after an operation to the one before it, replay
 * the other way round. A file that still has the content the change starts with
 * becomes the target. A file that was changed since is merged line by line;
 * where both changed the same place there is a conflict.
 */
#ifndef STET_REVISE_H
#define STET_REVISE_H

#include "base/arena.h"
#include "base/buf.h"
#include "text/encoding/encoding.h"

/* Existence, content and mode of a file at one time. */
struct file_content {
	bool exists;
	struct str bytes;
	unsigned mode; /* 07777; 0 = unknown */
};

/* How conflicts are resolved. */
enum conflicts {
	CONFLICTS_ABORT,   /* change nothing */
	CONFLICTS_MARKERS, /* both versions, between conflict markers */
	CONFLICTS_OURS,    /* keep what the file has now */
	CONFLICTS_THEIRS,  /* take what the change has */
};

enum revise_how {
	REVISE_ALREADY, /* the file has the target content already */
	REVISE_EXACT,   /* the file has the content the change starts with */
	REVISE_MERGED,  /* other changes of the file are kept */
	REVISE_CONFLICT,
};

struct revision {
	struct file_content now, from, to;
	enum conflicts conflicts;
	struct str name; /* label of the change in conflict markers */

	/* results */
	enum revise_how how;
	struct file_content result;
	size_t count;       /* conflicts, resolved ones included */
	struct str listing; /* the conflicts as text, cut */
	struct str places;  /* the conflicts as a JSON array; "" = none */
};

/* With REVISE_CONFLICT the result is the present content. */
void revise(struct revision *r, struct arena *mem);

/*
 * A unified diff of two contents as encoding_display_text() shows them; @written is
 * the encoding of both, or NULL. False when one of them is binary.
 */
bool revise_diff(struct str before, struct str after,
		 const struct encoding *written, struct str name,
		 struct arena *mem, struct buf *out);

/* How many lines that diff adds and removes; false as above. */
bool revise_count(struct str before, struct str after, struct arena *mem,
		  size_t *ret_added, size_t *ret_removed);

const char *revise_how_name(enum revise_how how);

#endif
