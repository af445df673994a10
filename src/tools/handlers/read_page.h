/*
 * read_page.h - what Read and read_text_file share: lines of a file from a
 * given one on, and the _meta that says where to continue.
 *
 * Each tool has tables of its own, because their contracts name and describe
 * the fields differently; the structs behind them are the same.
 */
#ifndef STET_READ_PAGE_H
#define STET_READ_PAGE_H

#include "tools/reading/textfile.h"

struct read_page_args {
	struct str path;
	int64_t line, limit;
};

struct read_page_meta {
	int64_t total_lines, returned_lines;
	bool has_more;
	int64_t next_line; /* to continue with, when has_more */
	int64_t cut_lines; /* lines that are shown in part */
	struct str version, encoding, confidence, eol, source;
	int64_t undecodable;
};

/* The rows about the file itself, which both tools describe alike. */
#define READ_PAGE_FILE_ROWS                                                   \
	{ "version", FIELD_STR, .required = true,                             \
	  .offset = offsetof(struct read_page_meta, version),                 \
	  .doc = "Version of the file's content, for if_version" },           \
		{ "encoding", FIELD_STR, .required = true,                    \
		  .offset = offsetof(struct read_page_meta, encoding),        \
		  .doc = "Of the file" },                                     \
		{ "encoding_confidence", FIELD_STR,                           \
		  .offset = offsetof(struct read_page_meta, confidence),      \
		  .doc = CONFIDENCE_DOC },                                    \
	{                                                                     \
		"undecodable", FIELD_INT,                                     \
			.offset =                                             \
				offsetof(struct read_page_meta, undecodable), \
			.doc = UNDECODABLE_DOC                                \
	}

#define READ_PAGE_SOURCE_ROW                                                  \
	{                                                                     \
		"source", FIELD_STR,                                          \
			.required = true,                                     \
			.offset = offsetof(struct read_page_meta, source),    \
			.doc = "Where the content comes from: disk or editor" \
	}

/* Of @lines lines from @line on that the reply has of @page. */
void read_page_meta_fill(struct call *c, const struct page *page, int64_t line,
			 size_t lines, struct read_page_meta *ret);

#endif
