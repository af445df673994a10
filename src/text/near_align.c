/*
 * The usual table of costs, with the direction each came from, for a piece of
 * the string at a time; of a piece that is not the last only the front is
 * believed, because its end may belong elsewhere.
 */
#include "text/near_align.h"

#include "text/alike.h"
#include "text/utf8.h"

enum {
	PIECE = 512,
	BELIEVED = 384,
	SLACK = 256,
	LEAD = 1024,
	COLUMNS = LEAD + PIECE + SLACK,
	MOST_PIECES = 5, /* that are aligned; equal fronts are free */

	COST_SEEN = 32,
	COST_BREAK = 8,
	COST_ALIKE = 4,
	COST_BLANK = 2, /* and each that follows one, one */
};

enum way { WAY_SAME, WAY_CHANGE, WAY_OUT, WAY_IN };

struct near_room {
	uint16_t rows[2][COLUMNS + 1];
	uint8_t way[PIECE + 1][COLUMNS + 1];
	uint8_t path[PIECE + COLUMNS + 2];
};

struct near_room *near_room(struct arena *mem)
{
	return arena_alloc(mem, sizeof(struct near_room));
}

static unsigned weight_of(uint32_t code, uint32_t plain)
{
	if (near_blank(code) || code == '\r' || !plain)
		return COST_BLANK;
	return code == '\n' ? COST_BREAK : COST_SEEN;
}

static struct near_char char_of(uint32_t code, size_t at)
{
	uint32_t plain = code == '\r' ? '\n' : code;

	if (code == '\t')
		plain = ' ';
	else if (code >= 'A' && code < UTF8_NOT)
		plain = alike_plain(code);
	return (struct near_char){ code, plain, (uint32_t)at,
				   weight_of(code, plain) };
}

struct near_chars near_chars(struct str bytes, size_t most, struct arena *mem)
{
	struct near_chars c = { .bytes = bytes };
	size_t len;

	c.at = arena_alloc(mem,
			   (size_min(most, bytes.len) + 1) * sizeof(*c.at));
	for (size_t at = 0; at < bytes.len && c.count < most; at += len) {
		uint32_t code = utf8_any(str_skip(bytes, at), &len);

		if (str_starts(str_skip(bytes, at), STR("\r\n"))) {
			code = '\n';
			len = 2;
		}
		c.at[c.count] = char_of(code, at);
		if (near_blank(code) && c.count &&
		    near_blank(c.at[c.count - 1].code))
			c.at[c.count].weight = 1;
		c.count++;
		c.at[c.count].at = (uint32_t)(at + len);
	}
	if (!c.count)
		c.at[0].at = 0;
	return c;
}

static unsigned cost_of(const struct near_char *a, const struct near_char *b)
{
	if (a->code == b->code)
		return 0;
	if (a->plain == b->plain)
		return near_blank(a->code) && near_blank(b->code) ? 1
								  : COST_ALIKE;
	return a->weight > b->weight ? a->weight : b->weight;
}

/* Fill the table; @free of the columns in front cost nothing. */
static void fill(struct near_room *r, const struct near_char *a, size_t n,
		 const struct near_char *b, size_t m, size_t free)
{
	uint16_t *last = r->rows[0], *row = r->rows[1], *swap;

	last[0] = 0;
	for (size_t j = 1; j <= m; j++) {
		last[j] = j <= free ? 0 : last[j - 1] + b[j - 1].weight;
		r->way[0][j] = WAY_IN;
	}
	for (size_t i = 1; i <= n; i++) {
		unsigned out = a[i - 1].weight;

		row[0] = last[0] + out;
		r->way[i][0] = WAY_OUT;
		for (size_t j = 1; j <= m; j++) {
			unsigned change = cost_of(&a[i - 1], &b[j - 1]);
			unsigned best = last[j - 1] + change;
			unsigned gone = last[j] + out;
			unsigned come = row[j - 1] + b[j - 1].weight;
			uint8_t way = change ? WAY_CHANGE : WAY_SAME;

			if (gone < best) {
				best = gone;
				way = WAY_OUT;
			}
			if (come < best) {
				best = come;
				way = WAY_IN;
			}
			row[j] = (uint16_t)best;
			r->way[i][j] = way;
		}
		swap = last;
		last = row;
		row = swap;
	}
	if (last != r->rows[0])
		memcpy(r->rows[0], last, (m + 1) * sizeof(*last));
}

/* The path to the end of the piece, from its first step on. */
static uint8_t *trace(struct near_room *r, size_t n, size_t m, size_t free,
		      size_t *start, size_t *steps)
{
	uint8_t *end = r->path + sizeof(r->path), *p = end;
	size_t j = 0, i = n;

	/* rather one more character changed than one too few */
	for (size_t k = 1; k <= m; k++)
		if (r->rows[0][k] < r->rows[0][j] + (k == j + 1))
			j = k;
	while (i || j > free) {
		uint8_t way = r->way[i][j];

		*--p = way;
		i -= way != WAY_IN;
		j -= way != WAY_OUT;
	}
	*start = j;
	*steps = (size_t)(end - p);
	return p;
}

static void add_gap(struct near_path *p, struct near_gap g)
{
	struct near_gap *last = p->count ? &p->gaps[p->count - 1] : NULL;

	if (last && last->to == g.from && last->end == g.start) {
		last->to = g.to;
		last->end = g.end;
	} else if (p->count < NEAR_GAPS) {
		p->gaps[p->count++] = g;
	} else {
		p->more = true;
	}
}

/* Both sides, and how far they have been aligned. */
struct sides {
	const struct near_char *old, *text;
	size_t i, j;
};

/* Go along the path while it is believed. */
static void walk(struct sides *s, const uint8_t *path, size_t steps,
		 size_t until, struct near_path *ret)
{
	for (; steps && s->i < until; steps--, path++) {
		struct near_gap g = { s->i, s->i + (*path != WAY_IN), s->j,
				      s->j + (*path != WAY_OUT) };

		if (*path == WAY_CHANGE)
			ret->cost += cost_of(&s->old[s->i], &s->text[s->j]);
		if (*path == WAY_OUT)
			ret->cost += s->old[s->i].weight;
		if (*path == WAY_IN)
			ret->cost += s->text[s->j].weight;
		if (*path != WAY_IN)
			ret->weight += s->old[s->i].weight;
		if (*path != WAY_SAME)
			add_gap(ret, g);
		s->i = g.to;
		s->j = g.end;
	}
}

void near_align(const struct near_chars *old, const struct near_chars *text,
		size_t lead, struct near_room *room, struct near_path *ret)
{
	struct sides s = { old->at, text->at, 0, 0 };
	size_t steps, start, free = size_min(size_min(lead, text->count), LEAD);

	*ret = (struct near_path){ .start = 0 };
	for (int piece = 0; s.i < old->count && piece < MOST_PIECES; piece++) {
		size_t n = size_min(old->count - s.i, PIECE);
		size_t m = size_min(text->count - s.j, free + n + SLACK);
		bool last = s.i + n == old->count;
		uint8_t *path;

		fill(room, s.old + s.i, n, s.text + s.j, m, free);
		path = trace(room, n, m, free, &start, &steps);
		s.j += start;
		if (!piece)
			ret->start = s.j;
		walk(&s, path, steps, last ? old->count : s.i + BELIEVED, ret);
		for (; s.i < old->count && s.j < text->count &&
		       s.old[s.i].code == s.text[s.j].code;
		     s.i++, s.j++)
			ret->weight += s.old[s.i].weight;
		free = 0;
	}
}
