/*
 * align.h - align a string with a similar part of a text.
 *
 * Weighted edit distance over characters, with CRLF taken as one LF. Visible
 * characters cost more than blanks, and confusable ones little, so that a
 * string which differs only in blanks or quotes is aligned as a reader would
 * align it. The string is aligned as a whole; the text may begin and end
 * anywhere (semi-global alignment). Private to candidates.c.
 */
#ifndef STET_ALIGN_H
#define STET_ALIGN_H

#include "base/arena.h"

struct align_char {
	uint32_t code,
		plain; /* plain: confusable_skeleton(code), or LF for a lone CR */
	uint32_t at;   /* offset of the first byte */
	uint32_t weight; /* cost when only one side has the character */
};

struct align_text {
	struct align_char *at;
	size_t count;
	struct str bytes;
};

/*
 * One difference: characters @from to @to of the string correspond to @start to
 * @end of the text. Either range may be empty.
 */
struct align_gap {
	size_t from, to, start, end;
};

enum { ALIGN_GAPS = 64 };

struct align_path {
	size_t start; /* first character of the text in the alignment */
	struct align_gap gaps[ALIGN_GAPS];
	size_t count;
	bool more; /* there were more gaps than fit */
	uint64_t cost, weight;
};

/* The first @most characters of @bytes, ready to be aligned. */
struct align_text align_text_of(struct str bytes, size_t most,
				struct arena *mem);

/* The table of the alignment; reusable, as it is large. */
struct align_scratch;
struct align_scratch *align_scratch_new(struct arena *mem);

/*
 * Align @old with the part of @text that is most similar and begins within its
 * first @lead characters.
 */
void align_find(const struct align_text *old, const struct align_text *text,
		size_t lead, struct align_scratch *room,
		struct align_path *ret);

static inline bool align_is_blank(uint32_t code)
{
	return code == ' ' || code == '\t';
}

#endif
