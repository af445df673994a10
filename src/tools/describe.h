/*
 * describe.h - what a change does to a file, in words, beside its lines.
 *
 * A diff shows text. What no line of it can show is said here: that a file is
 * created or deleted, that one side is binary, another mode, another encoding
 * or other line endings. Questions, the history, `stet show` and the page all
 * use these words.
 */
#ifndef STET_DESCRIBE_H
#define STET_DESCRIBE_H

#include "tools/revise.h"

/* One side of it: @shown is the text that a person is shown, "" if binary. */
struct described_side {
	bool exists, text;
	struct str shown;
};

struct description {
	struct str does;   /* one sentence each line, without a subject */
	struct str badges; /* one each line: "utf-16le", "CRLF" */
	struct described_side before, after;
	size_t added, removed; /* lines, where a diff was made: undo_diff() */
};

/* A change that is to be described. */
struct described {
	struct side before, after;
	struct display as;
	bool appends; /* @after is what is added at the end of the file */
	bool is_text; /* a caller gave @after as text, whatever is in it */
};

void describe_change(const struct described *d, struct arena *mem,
		     struct description *ret);

/* "2,000": with commas, as people read large numbers. */
struct str describe_number(uint64_t n, struct arena *mem);

/* "1 line", "2,000 lines" */
struct str describe_count(uint64_t n, const char *one, struct arena *mem);

#endif
