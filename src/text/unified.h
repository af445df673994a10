/*
 * unified.h - a diff as people, patch and git apply read it.
 *
 *	--- name
 *	+++ name
 *	@@ -1,6 +1,6 @@
 *
 * Always start,count, also when the count is 1; start is the line before
 * when the count is 0. A last line without a newline is followed by
 * "\ No newline at end of file". Changes with at most twice the context
 * between them share a hunk. All other bytes are shown as they are: a CR
 * stays before its LF, NUL is NUL.
 *
 * A name with control characters in it, or a quote in front, is written as a
 * C string, as git and GNU diff do: it could not be read otherwise. Of one
 * with spaces, patch has to be told the file.
 */
#ifndef STET_UNIFIED_H
#define STET_UNIFIED_H

#include "base/buf.h"
#include "text/diff.h"

enum { UNIFIED_CONTEXT = 3 };

/* Add the diff to @out; of equal texts, nothing at all. */
void unified_print(const struct diff *d, struct str name, size_t context,
		   struct buf *out);

/* What unified_print() would add, without making it. */
struct unified_size {
	size_t bytes, lines;   /* of the whole text */
	size_t added, removed; /* lines with "+" and with "-" */
};

void unified_measure(const struct diff *d, struct str name, size_t context,
		     struct unified_size *ret);

/* Of the hunk that begins with change @i: the change after its last one. */
size_t unified_hunk_end(const struct diff *d, size_t i, size_t context);

/*
 * The same as hunks, for programs. Lines have their sign (' ', '-', '+', or
 * '\\' for the no-newline mark) and no line ending: that is the "\n"; a CR
 * before it is data and stays. Starts count from 1 also when the count is 0,
 * so that old_start of an empty old side is 1, and new_start likewise. The
 * mark is in line_count, but in neither count of lines.
 */
struct hunk {
	size_t old_start, old_count;
	size_t new_start, new_count;
	struct str *lines;
	size_t line_count;
};

struct hunk *unified_hunks(const struct diff *d, size_t context,
			   struct arena *mem, size_t *count);

#endif
