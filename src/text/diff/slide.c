/*
 * slide.c - move insertions and deletions among equal lines.
 *
 * A change slides by one when the line that enters it equals the line that
 * leaves it. The steps of all slides together are limited, so that no text
 * makes this quadratic; a change over the limit stays where it is.
 */
#include "text/diff/slide.h"

/* Steps per line, and for any text. */
enum { STEPS_EACH = 16, STEPS_MORE = 4096 };

struct slide_state {
	const struct intern_side *a, *b;
	size_t budget;
};

/*
 * The line numbers of the side that has lines in the one-sided change @c, and
 * where these are.
 */
static const uint32_t *moving(const struct slide_state *s,
			      const struct diff_change *c, size_t *first,
			      size_t *count)
{
	*first = c->a_count ? c->a : c->b;
	*count = c->a_count ? c->a_count : c->b_count;
	return c->a_count ? s->a->id : s->b->id;
}

/* How far @c can slide down, at most @max lines. */
static size_t room_below(struct slide_state *s, const struct diff_change *c,
			 size_t max)
{
	size_t first, count, n = 0;
	const uint32_t *id = moving(s, c, &first, &count);

	max = size_min(max, s->budget);
	while (n < max && id[first + n] == id[first + count + n])
		n++;
	s->budget -= n;
	return n;
}

static size_t room_above(struct slide_state *s, const struct diff_change *c,
			 size_t max)
{
	size_t first, count, n = 0;
	const uint32_t *id = moving(s, c, &first, &count);

	max = size_min(max, s->budget);
	while (n < max && id[first - 1 - n] == id[first + count - 1 - n])
		n++;
	s->budget -= n;
	return n;
}

/* Join two adjacent changes. */
static struct diff_change join_changes(struct diff_change c,
				       struct diff_change next)
{
	c.a_count += next.a_count;
	c.b_count += next.b_count;
	return c;
}

static size_t end_of(const struct diff_change *c)
{
	return c->a + c->a_count;
}

static bool one_sided(const struct diff_change *c)
{
	return !c->a_count || !c->b_count;
}

/*
 * Slide *@c between its neighbours, either of which may be NULL. True when it
 * was joined into @next.
 */
static bool slide_change(struct slide_state *s, struct diff_change *c,
			 const struct diff_change *prev,
			 struct diff_change *next)
{
	size_t limit = next ? next->a : s->a->count;
	size_t floor = prev ? end_of(prev) : 0;
	size_t down = room_below(s, c, limit - end_of(c)), up;

	if (next && end_of(c) + down == limit) {
		c->a += down;
		c->b += down;
		*next = join_changes(*c, *next);
		return true;
	}
	up = prev ? room_above(s, c, c->a - floor) : 0;
	if (prev && c->a - up == floor) {
		*c = join_changes(*prev, *c);
		return false;
	}
	c->a += down;
	c->b += down;
	return false;
}

size_t slide_changes(struct diff_change *list, size_t n,
		     const struct intern_side *a, const struct intern_side *b)
{
	size_t lines = (size_t)a->count + b->count, kept = 0, i = 0;
	struct slide_state s = { a, b, lines * STEPS_EACH + STEPS_MORE };

	while (i < n) {
		struct diff_change c = list[i], *prev, *next;

		prev = kept ? &list[kept - 1] : NULL;
		next = i + 1 < n ? &list[i + 1] : NULL;
		if (one_sided(&c) && slide_change(&s, &c, prev, next)) {
			i++;
			continue;
		}
		if (prev && end_of(prev) >= c.a) {
			list[i] = c; /* joined with prev: slide the result */
			kept--;
			continue;
		}
		list[kept++] = c;
		i++;
	}
	return kept;
}
