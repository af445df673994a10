/*
 * describe.h - what a change does to a file, beside its lines, in words.
 *
 * A diff shows lines. Everything else about a change is described here: that a
 * file is created or deleted, is binary, or gets another mode, encoding or line
 * endings. Questions, the history, `stet show` and the page use these texts.
 */
#ifndef STET_DESCRIBE_H
#define STET_DESCRIBE_H

#include "tools/history/revise.h"

/* One side of a change; @shown is its text for people, "" if binary. */
struct described_side {
	bool exists, text;
	struct str shown;
};

struct description {
	struct str does;   /* sentences without a subject, one per line */
	struct str badges; /* one per line: "utf-16le", "CRLF" */
	struct described_side before, after;
	size_t added, removed; /* lines; set by undo_diff() only */
};

/* Input of describe_change(). */
struct described {
	struct file_content before, after;
	struct display as;
	bool appends; /* @after is appended to the file */
	bool is_text; /* @after is text, even if it looks binary */
};

void describe_change(const struct described *d, struct arena *mem,
		     struct description *ret);

/* "2,000": with commas, as people read large numbers. */
struct str describe_number(uint64_t n, struct arena *mem);

/* "1 line", "2,000 lines" */
struct str describe_count(uint64_t n, const char *one, struct arena *mem);

#endif
