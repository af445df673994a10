/*
 * unified.h - unified diffs, as patch and git apply read them.
 *
 *	--- name
 *	+++ name
 *	@@ -1,6 +1,6 @@
 *
 * Ranges are always start,count, also when the count is 1; start is the line
 * before when the count is 0. A last line without a newline is followed by "\
 * No newline at end of file". Changes with at most twice the context between
 * them share a hunk. All other bytes are written as they are: a CR stays before
 * its LF, NUL is NUL.
 *
 * A name with control characters, or with a quote at its front, is written as a
 * C string, as git and GNU diff do. For a name with spaces, patch must be told
 * the file.
 */
#ifndef STET_UNIFIED_H
#define STET_UNIFIED_H

#include "base/buf.h"
#include "text/diff/diff.h"

enum { UNIFIED_CONTEXT = 3 };

/* Add the diff to @out; nothing for equal texts. */
void unified_print(const struct diff *d, struct str name, size_t context,
		   struct buf *out);

/* Its first two lines, for a file whose diff is left out. */
void unified_print_names(struct str name, struct buf *out);

/* A file of a diff of several; a missing side is /dev/null. */
struct unified_file {
	struct str from, to; /* names; different for a file that was moved */
	bool existed, exists;
};

/*
 * The same with git's headers, so that "patch -p1" and git apply create, remove
 * and rename files. A name with spaces is followed by a tab, as in git's diffs.
 */
void unified_print_file(const struct diff *d, const struct unified_file *file,
			size_t context, struct buf *out);

/* The size of what unified_print() would add. */
struct unified_size {
	size_t bytes, lines;   /* of the whole diff */
	size_t added, removed; /* lines that begin with + and with - */
};

void unified_measure(const struct diff *d, struct str name, size_t context,
		     struct unified_size *ret);

/* The index after the last change of the hunk that begins with change @i. */
size_t unified_hunk_end(const struct diff *d, size_t i, size_t context);

/*
 * The same as structs. A line has its sign (' ', '-', '+', or '\\' for the
 * no-newline mark) and no "\n"; a CR before that is data and stays. Starts
 * count from 1 also when the count is 0, so the old_start of an empty old side
 * is 1, and new_start likewise. The mark counts in line_count only.
 */
struct unified_hunk {
	size_t old_start, old_count;
	size_t new_start, new_count;
	struct str *lines;
	size_t line_count;
};

struct unified_hunk *unified_hunks(const struct diff *d, size_t context,
				   struct arena *mem, size_t *count);

#endif
