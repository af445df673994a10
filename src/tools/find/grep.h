/*
 * grep.h - search the files that a struct find reports, on several threads.
 *
 * The calling thread walks and hands files over in batches; workers search
 * them; results are put together in the order of the walk, whichever thread
 * was faster. A small search, of less than one batch, starts no thread.
 */
#ifndef STET_GREP_H
#define STET_GREP_H

#include "text/search/search.h"
#include "tools/find/find.h"
#include "tools/find/types.h"

enum {
	GREP_MAX_ENTRIES = 100 * 1000, /* matching files that are kept */
	GREP_MAX_COSTLY = 16,          /* files the pattern was too costly in */
	GREP_MAX_WHOLE = 64 << 20,     /* bytes of a file with multiline */
};

struct grep_want {
	struct search_want search;
	const struct file_type *type; /* NULL = any */
	/* the page: lines of SEARCH_CONTENT, else files (see grep_page.c) */
	uint64_t offset, limit; /* limit 0 = no limit */
	size_t chars;           /* most characters of the page */
};

/* A file with matches; not for SEARCH_CONTENT. */
struct grep_entry {
	struct str path; /* as it is shown */
	size_t order;    /* of the walk: by path */
	uint64_t count;
	int64_t mtime; /* nanoseconds */
};

struct grep_encoding {
	const struct encoding *encoding;
	size_t files;
};

struct grep_out {
	struct arena mem;           /* owns the entries and their paths */
	struct grep_entry *entries; /* in the order of the walk */
	size_t entry_count;
	uint64_t files;   /* files with matches */
	uint64_t matches; /* in all of them */

	/* SEARCH_CONTENT: lines from the offset on */
	struct buf text;
	uint64_t lines;      /* in @text */
	uint64_t lines_seen; /* those before the offset included */
	size_t chars;        /* in @text */
	bool cut_by_limit, cut_by_chars;

	size_t costly; /* files that hit a limit of the pattern */
	bool too_many; /* more than GREP_MAX_ENTRIES */
	struct grep_encoding *decoded;
	size_t decoded_count;
	size_t uncertain; /* files whose encoding is a guess */
};

#define auto_grep_out cleanup(grep_out_drop) struct grep_out

void grep_out_drop(struct grep_out *out);

/* Run the search. @ret is to be dropped, also on failure. */
must_check enum err grep_run(struct find *find, const struct grep_want *want,
			     struct grep_out *ret);

/* The most threads of one search. */
unsigned grep_threads(const struct call *c);

#endif
