/*
 * search_local.h - the state of a search, shared by its files.
 */
#ifndef STET_SEARCH_LOCAL_H
#define STET_SEARCH_LOCAL_H

#include "text/match/match.h"
#include "text/search/search.h"

/* A match, and the lines that it is in, without the last newline. */
struct hit {
	size_t line, line_end; /* offsets in the block */
	struct regex_span span;
};

struct searcher {
	const struct search_want *want;
	struct regex_matcher *m;

	/* what is searched for before the pattern is tried */
	struct str literal;     /* "" = nothing; lower case if caseless */
	struct match_plan plan; /* of @literal */
	struct str safe;        /* part of it without k and s, for -i */
	struct match_plan safe_plan;

	/* the text */
	struct str prefix;
	struct search_output *out;
	struct search_result result;
	bool ended;
	uint64_t base;  /* offset of the block in the text */
	uint64_t lines; /* newlines before the block */
	unsigned flags; /* of the block */
	bool by_line;   /* a match across lines was too costly in this block */

	/* the output */
	uint64_t shown_to; /* offset behind the last line that was shown */
	bool any_shown;
	uint64_t shown_line; /* number of the last line that was shown */
	size_t after_left;   /* lines of context still to be shown */
	size_t counted_to; /* offset in the block: newlines are counted so far */
	uint64_t counted;  /* newlines of the block before @counted_to */
	struct buf kept;   /* last lines of earlier blocks, as they are shown */
	size_t kept_lines;

	/* a line that comes in parts */
	bool in_parts;
	bool part_hit;         /* the line matches */
	uint64_t part_chars;   /* characters before the present part */
	uint64_t part_from;    /* offset in the text from which matches count */
	struct buf part_shown; /* the window of the line that is shown */
	uint64_t part_before;  /* characters of the line before the window */
	uint64_t part_after_at; /* characters up to the end of the window */
};

/* Bounds of the line of @at. */
struct hit search_line_of(struct str block, size_t at);

/* The next match at or after @from, which is the start of a line. */
enum regex_result search_next(struct searcher *s, struct str block, size_t from,
			      struct hit *ret);

/* The next match in the line of @h, at or after @from (an offset). */
enum regex_result search_in_line(struct searcher *s, struct str block,
				 const struct hit *line, size_t from,
				 struct regex_span *ret);

/* Show a match and the context before it; context after it is still due. */
void search_show(struct searcher *s, struct str block, const struct hit *h);

/* The block ends: show context that is due, keep what may become some. */
void search_show_end(struct searcher *s, struct str block);

/* The text of a line as it is shown, around @focus. */
void search_cut(struct buf *out, struct str line, struct regex_span focus,
		bool invalid);

/* One line of output. */
void search_put(struct searcher *s, char sign, uint64_t number, struct str line,
		struct regex_span focus);

/*
 * A whole line by the text that is shown of it, at the end of a long line: a
 * match, or context if some is due.
 */
void search_show_whole(struct searcher *s, struct str shown, bool matches);

/* A part of a long line, or its last part. */
void search_long(struct searcher *s, struct str part, bool last);

/* The number of characters; a byte that is no UTF-8 counts as one. */
size_t search_chars(struct str text);

#endif
