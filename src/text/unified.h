/*
 * unified.h - a diff as people, patch and git apply read it.
 *
 *	--- name
 *	+++ name
 *	@@ -1,6 +1,6 @@
 *
 * Always start,count, also when the count is 1; start is the line before
 * when the count is 0. A last line without a newline is followed by
 * "\ No newline at end of file".
 */
#ifndef STET_UNIFIED_H
#define STET_UNIFIED_H

#include "base/buf.h"
#include "text/diff.h"

enum { UNIFIED_CONTEXT = 3 };

/* Add the diff to @out; of equal texts, nothing at all. */
void unified_print(const struct diff *d, struct str name, size_t context,
		   struct buf *out);

/*
 * The same as hunks, for programs. Lines have their sign (' ', '-', '+', or
 * '\\' for the no-newline mark) and no line ending; old_start of an empty old
 * side is 1.
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
