/*
 * read_text.h - lines of a file as plain text: what read_text_file has in both
 * of its contracts, and read_file.
 *
 * The lines are a range (line, limit), the first (head) or the last (tail).
 * The reference server's contract, read_text_reference_*, has only head and tail
 * in its schema, takes relative paths, and its result is the text alone.
 */
#ifndef STET_READ_TEXT_H
#define STET_READ_TEXT_H

#include "tools/handlers/read_page.h"

struct read_text_args {
	struct str path;
	int64_t line, limit;
	int64_t head, tail; /* 0 = left out */
};

/*
 * Rows for the arguments; @hidden: accepted without being in the schema.
 */
#define READ_TEXT_RANGE_ROWS(hidden)                                                                        \
	{ "line",                                                                                           \
	  FIELD_INT,                                                                                        \
	  .unlisted = (hidden),                                                                             \
	  .offset = offsetof(struct read_text_args, line),                                                  \
	  .doc = "Starting line number (1-indexed). If omitted, read from line 1",                          \
	  .absent = 1,                                                                                      \
	  .min = 1,                                                                                         \
	  .below = ERR_BAD_LINE },                                                                          \
	{                                                                                                   \
		"limit", FIELD_INT,                                                                         \
			.unlisted = (hidden),                                                               \
			.offset = offsetof(struct read_text_args, limit),                                   \
			.doc = "Maximum number of lines to return. If omitted, return all remaining lines", \
			.absent = INT64_MAX, .min = 1, .below = ERR_BAD_LIMIT                               \
	}

#define READ_TEXT_ENDS_ROWS(hidden)                                      \
	{ "head",                                                        \
	  FIELD_INT,                                                     \
	  .unlisted = (hidden),                                          \
	  .offset = offsetof(struct read_text_args, head),               \
	  .doc = "Only the first N lines",                               \
	  .min = 0,                                                      \
	  .below = ERR_BAD_ARGS },                                       \
	{                                                                \
		"tail", FIELD_INT,                                       \
			.unlisted = (hidden),                            \
			.offset = offsetof(struct read_text_args, tail), \
			.doc = "Only the last N lines", .min = 0,        \
			.below = ERR_BAD_ARGS                            \
	}

/*
 * The page that the arguments of @c ask for, as long as one reply can carry.
 * ERR_HEAD_AND_TAIL, ERR_BAD_ARGS for head or tail with line or limit.
 */
must_check enum err read_text_want(struct call *c, struct page_want *ret);

/* Load the page, with a hint for a line that is too long. */
must_check enum err read_text_page(struct call *c, struct str path,
				   struct page_want *want, struct page *ret);

/* "[lines 1-9 of 20; go on with line 10]", to be put behind @page's text. */
struct str read_text_continues(struct call *c, const struct page *page);

/* The reference server's contract: struct read_text_args, { content }. */
struct read_text_reference_out {
	struct str content;
};

extern const struct field read_text_reference_fields[];
extern const struct field read_text_reference_members[];
extern const char *const read_text_reference_constraints[];
enum err read_text_reference_run(struct call *c);

#endif
