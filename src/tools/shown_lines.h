/*
 * shown_lines.h - what Read, Write and Edit show of a file: lines with their
 * numbers, and what changed as hunks.
 */
#ifndef STET_SHOWN_LINES_H
#define STET_SHOWN_LINES_H

#include "tools/textfile.h"

/* The most characters of one line that are shown. */
enum { SHOWN_WIDTH = 2000 };

/*
 * Add one line to @out, without its ending. What is past SHOWN_WIDTH
 * characters is left out and counted in a mark; true then.
 */
bool shown_line(struct str line, struct buf *out);

/* Take the next line off @rest, its ending in *ret_end ("\r\n", "\n", ""). */
bool shown_next(struct str *rest, struct str *ret_line, struct str *ret_end);

/*
 * Lines @first to @last of @text as cat -n shows them, without line endings
 * of CR LF; after as many as --snippet-lines says comes "...[truncated]".
 */
struct str shown_snippet(struct call *c, struct str text, size_t first,
			 size_t last);

/* One hunk of a change, as the contract has it. */
struct shown_hunk {
	int64_t old_start, old_lines, new_start, new_lines;
	struct list lines; /* of struct str */
};

extern const struct field shown_hunk_fields[];

#define SHOWN_PATCH(out_struct)                                            \
	{                                                                  \
		"structuredPatch", FIELD_LIST,                             \
			.required = true,                                  \
			.offset = offsetof(struct out_struct, patch),      \
			.doc = "What changed, as hunks of a unified diff", \
			.fields = shown_hunk_fields,                       \
			.size = sizeof(struct shown_hunk)                  \
	}

/*
 * The hunks between two texts, whose line endings do not count. Those that
 * one reply cannot carry beside @taken bytes are left out, and *ret_cut set.
 */
struct list shown_patch(struct call *c, struct str before, struct str after,
			uint64_t taken, bool *ret_cut);

/* As much of @text as one reply can carry; *ret_cut when that is not all. */
struct str shown_fit(struct call *c, struct str text, bool *ret_cut);

#endif
