/*
 * supply.h - the bytes of a file, which need not be held as a whole.
 *
 * They are gone through in pieces, from any place on and as often as it
 * takes. Who goes through them says how much of a piece is used up: the next
 * one starts there, so that what the end of a piece cuts in two is whole in
 * the piece after it.
 *
 *	struct pass p = { .of = s };
 *
 *	for (size_t used = 0; pass_on(&p, used);)
 *		used = look_at(p.piece, p.last);
 */
#ifndef STET_SUPPLY_H
#define STET_SUPPLY_H

#include "base/buf.h"

enum { SUPPLY_LEAST = 8 }; /* bytes of any piece but the last */

struct supply {
	uint64_t size;
	struct str held; /* all of them, where there is no from() */
	/*
	 * Those at @at and after it, good until the next call; "" when that
	 * failed, which ends the pass: whoever made the supply knows.
	 */
	struct str (*from)(void *ctx, uint64_t at);
	void *ctx;
};

static inline struct supply supply_of(struct str bytes)
{
	return (struct supply){ .size = bytes.len, .held = bytes };
}

/* The first @n bytes, or all: in @room, if not as they are held. */
struct str supply_head(const struct supply *s, size_t n, struct buf *room);

struct pass {
	const struct supply *of;
	uint64_t at; /* where the piece is */
	struct str piece;
	bool last; /* nothing comes after it */
};

/* To what comes after the first @used bytes of the piece; false: nothing. */
static inline bool pass_on(struct pass *p, size_t used)
{
	const struct supply *s = p->of;

	p->at += used;
	if (p->at >= s->size)
		return false;
	p->piece = s->from ? s->from(s->ctx, p->at)
			   : str_skip(s->held, (size_t)p->at);
	p->last = p->at + p->piece.len == s->size;
	return p->piece.len;
}

/* Is what stands at the front of @rest, the end of the piece, all there? */
static inline bool pass_has(const struct pass *p, struct str rest)
{
	return p->last ? rest.len : rest.len >= SUPPLY_LEAST;
}

#endif
