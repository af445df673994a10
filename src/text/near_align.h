/*
 * near_align.h - how a string becomes the text at a place: what to change,
 * take out and put in.
 *
 * Both are taken as characters, CRLF as LF. What is seen counts more than
 * what is not, and look-alikes count little, so that a string which differs
 * only in blanks or quotes is aligned as a reader would. Only for near.c.
 */
#ifndef STET_NEAR_ALIGN_H
#define STET_NEAR_ALIGN_H

#include "base/arena.h"

struct near_char {
	uint32_t code, plain; /* plain as alike_plain(); a CR alone is LF */
	uint32_t at;          /* its first byte */
	uint32_t weight;      /* what it costs when only one side has it */
};

struct near_chars {
	struct near_char *at;
	size_t count;
	struct str bytes;
};

/*
 * What differs in one go: characters @from to @to of the string are @start
 * to @end of the text. Either side may be empty.
 */
struct near_gap {
	size_t from, to, start, end;
};

enum { NEAR_GAPS = 64 };

struct near_path {
	size_t start; /* the first character of the text that belongs to it */
	struct near_gap gaps[NEAR_GAPS];
	size_t count;
	bool more; /* gaps than these */
	uint64_t cost, weight;
};

/* The first @most characters of @bytes. */
struct near_chars near_chars(struct str bytes, size_t most, struct arena *mem);

/* Memory for aligning, to be used again. */
struct near_room;
struct near_room *near_room(struct arena *mem);

/*
 * Align @old with some part of @text that begins within its first @lead
 * characters.
 */
void near_align(const struct near_chars *old, const struct near_chars *text,
		size_t lead, struct near_room *room, struct near_path *ret);

static inline bool near_blank(uint32_t code)
{
	return code == ' ' || code == '\t';
}

#endif
