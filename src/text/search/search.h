/*
 * search.h - search one text, which comes in blocks of whole lines.
 *
 *	struct searcher *s = search_new(&want);
 *
 *	search_begin(s, STR("src/a.c"), &out);
 *	while (search_block(s, block, flags) && there_is_more)
 *		...
 *	result = search_end(s);
 *
 * Without regex_options.multiline each line is matched alone, without its line
 * ending. With multiline the text is one block.
 *
 * Blocks are UTF-8 with LF as their only line ending; each but the last ends in
 * one. A line that is too long for a block comes in parts: see SEARCH_PART.
 *
 * A struct searcher belongs to one thread and is used for many texts.
 */
#ifndef STET_SEARCH_H
#define STET_SEARCH_H

#include "base/buf.h"
#include "text/regex/regex.h"

enum search_mode {
	SEARCH_FILES,   /* is there a match? */
	SEARCH_CONTENT, /* the lines that match */
	SEARCH_COUNT,   /* how many lines; with multiline: how many matches */
};

enum {
	SEARCH_MAX_CONTEXT = 10000, /* lines before and after */
	SEARCH_SHOWN = 500,         /* characters of a line */
	SEARCH_FLUSH = 256 * 1024,  /* bytes of output that are kept */
	SEARCH_OVERLAP = 64 * 1024, /* of the parts of a long line */
};

struct search_want {
	const struct regex *regex;
	enum search_mode mode;
	/* for SEARCH_CONTENT */
	size_t before, after; /* lines of context */
	bool numbers;         /* with line numbers */
	bool only_matching;   /* the parts that match, not their lines */
};

/* The lines of SEARCH_CONTENT, each with "\n". */
struct search_output {
	struct buf text;
	size_t lines;
	/*
	 * Called when @text has SEARCH_FLUSH bytes; takes them and empties it.
	 * False = the search of this text ends. NULL = keep everything.
	 */
	bool (*full)(void *ctx);
	void *ctx;
};

struct search_result {
	uint64_t count; /* matching lines; with multiline: matches */
	bool costly; /* REGEX_COSTLY: the rest of the text was not searched */
};

struct searcher;

/* @want and its regex outlive the search. NULL when memory is short. */
must_check struct searcher *search_new(const struct search_want *want);
void search_free(struct searcher *s);

/* @prefix comes before every line, with ":" or "-" behind it; "" = nothing. */
void search_begin(struct searcher *s, struct str prefix,
		  struct search_output *out);

enum {
	SEARCH_ASCII = 1,   /* the block is ASCII */
	SEARCH_INVALID = 2, /* some bytes are no UTF-8: they match nothing */
	/*
	 * The block is a part of one line, which goes on in the next: that
	 * begins search_part_end() bytes behind the start of this one.
	 */
	SEARCH_PART = 4,
};

/*
 * Where the part after @part begins: SEARCH_OVERLAP bytes before the end, at a
 * character.
 */
size_t search_part_end(struct str part);

/* Returns false when the search of this text has ended. */
bool search_block(struct searcher *s, struct str block, unsigned flags);

/* The end of the text. */
struct search_result search_end(struct searcher *s);

#endif
