/*
 * edit_stage.h - a text while it is edited: pieces of what was and what came.
 *
 * Nothing is moved when an edit is made; a piece is cut and another put
 * between. Every byte that was ever in the text has a number that stays the
 * same whatever happens around it: its offset for those of the original, and
 * further numbers for those put in, in the order they came.
 *
 * What is asked about one edit is close together, so each search begins where
 * the last one ended.
 *
 * Only for the files of edit_*.c and their tests.
 */
#ifndef STET_EDIT_STAGE_H
#define STET_EDIT_STAGE_H

#include "base/arena.h"

struct piece {
	const char *ptr;
	size_t len, newlines;
	size_t number; /* of its first byte */
	/*
	 * Where in the original it stands; of what was put in, where the
	 * first byte stood that it replaced. Ascends through the text.
	 */
	size_t anchor;
};

enum { STAGE_RUN = 64 };

/* Some pieces that follow each other, with their sums. */
struct stage_run {
	struct stage_run *next, *prev;
	size_t count, len, newlines;
	struct piece pieces[STAGE_RUN];
};

/* A piece: in which run, the how many-th, and what is before. */
struct stage_spot {
	struct stage_run *run;
	size_t i;
	size_t start, newlines;
};

struct stage {
	struct str original;
	size_t len;
	struct stage_run *first;
	struct stage_spot run;  /* the run that was asked for last ... */
	struct stage_spot last; /* ... and the piece */
	size_t next_number;
	size_t anchor; /* of what was replaced last */
	struct stage_put {
		size_t number, anchor;
	} * puts; /* what was put in, by number */
	size_t put_count, put_cap;
	struct arena *mem;
};

void stage_init(struct stage *s, struct str text, struct arena *mem);

/*
 * Replace @from to @to by @with, which must outlive the stage. Returns how
 * many newlines are before @from.
 */
size_t stage_replace(struct stage *s, size_t from, size_t to, struct str with);

/* The number of the byte at @offset, and where the byte of that number is. */
size_t stage_number(struct stage *s, size_t offset);
size_t stage_offset(struct stage *s, size_t number);

/* Copy the bytes @from to @to of the text as it is. */
void stage_copy(struct stage *s, size_t from, size_t to, char *ret);

/* Is @what at @from? */
bool stage_has(struct stage *s, size_t from, struct str what);

static inline bool piece_is_original(const struct stage *s,
				     const struct piece *p)
{
	return p->number < s->original.len;
}

#endif
