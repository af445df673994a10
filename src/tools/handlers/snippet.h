/*
 * snippet.h - numbered lines and hunks of a diff, for Read, Write and Edit.
 */
#ifndef STET_SNIPPET_H
#define STET_SNIPPET_H

#include "tools/reading/textfile.h"

/* Longer lines are cut, in characters. */
enum { SNIPPET_WIDTH = 2000 };

/*
 * Add one line to @out, without its ending. A line longer than SNIPPET_WIDTH is
 * cut, and a mark has the number of missing characters; returns true then.
 */
bool snippet_line(struct str line, struct buf *out);

/* Take the next line off @rest, its ending in *ret_end ("\r\n", "\n", ""). */
bool snippet_next_line(struct str *rest, struct str *ret_line,
		       struct str *ret_end);

/*
 * Lines @first to @last of @text as cat -n shows them, without line endings
 * of CR LF; after as many as --snippet-lines says comes "...[truncated]".
 */
struct str snippet_of_lines(struct call *c, struct str text, size_t first,
			    size_t last);

/* One hunk of a change, as the contract has it. */
struct snippet_hunk {
	int64_t old_start, old_lines, new_start, new_lines;
	struct item_list lines; /* of struct str */
};

extern const struct field snippet_hunk_fields[];

#define SNIPPET_PATCH(out_struct)                                          \
	{                                                                  \
		"structuredPatch", FIELD_LIST,                             \
			.required = true,                                  \
			.offset = offsetof(struct out_struct, patch),      \
			.doc = "What changed, as hunks of a unified diff", \
			.fields = snippet_hunk_fields,                     \
			.size = sizeof(struct snippet_hunk)                \
	}

/*
 * The hunks between two texts, whose line endings do not count. Those that
 * one reply cannot carry beside @taken bytes are left out, and *ret_cut set.
 */
struct item_list snippet_patch(struct call *c, struct str before,
			       struct str after, uint64_t taken, bool *ret_cut);

/* As much of @text as one reply can carry; *ret_cut when that is not all. */
struct str snippet_fit(struct call *c, struct str text, bool *ret_cut);

#endif
