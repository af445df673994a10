/*
 * align.c - the alignment table (Wagner-Fischer), one piece of the string at a
 * time.
 *
 * A long string is cut into pieces, so that the table has a fixed size. Of a
 * piece that is not the last, only the front of its path is used: the end could
 * belong to another place once the next piece is known. Memory and time are
 * bounded by MAX_PIECES, whatever the input.
 */
#include "text/match/align.h"

#include "text/encoding/utf8.h"
#include "text/match/confusable.h"

enum {
	PIECE = 512,    /* characters of the string per table */
	BELIEVED = 384, /* of them, used unless the piece is the last */
	SLACK = 256,    /* columns beyond the length of the piece */
	LEAD = 1024,    /* columns in which the alignment may begin */
	COLUMNS = LEAD + PIECE + SLACK,
	MAX_PIECES = 5, /* stretches that are equal need no table */

	COST_SEEN = 32,
	COST_BREAK = 8,
	COST_CONFUSABLE = 4,
	COST_BLANK = 2, /* every further blank of a run costs 1 */
};

enum align_step { STEP_SAME, STEP_CHANGE, STEP_DELETE, STEP_INSERT };

struct align_scratch {
	uint16_t rows[2][COLUMNS + 1];
	uint8_t step[PIECE + 1][COLUMNS + 1];
	uint8_t path[PIECE + COLUMNS + 2];
};

struct align_scratch *align_scratch_new(struct arena *mem)
{
	return arena_alloc(mem, sizeof(struct align_scratch));
}

static unsigned weight_of(uint32_t code, uint32_t plain)
{
	if (align_is_blank(code) || code == '\r' || !plain)
		return COST_BLANK;
	return code == '\n' ? COST_BREAK : COST_SEEN;
}

static struct align_char char_of(uint32_t code, size_t at)
{
	uint32_t plain = code == '\r' ? '\n' : code;

	if (code == '\t')
		plain = ' ';
	else if (code >= 'A' && code < UTF8_NOT)
		plain = confusable_skeleton(code);
	return (struct align_char){ code, plain, (uint32_t)at,
				    weight_of(code, plain) };
}

struct align_text align_text_of(struct str bytes, size_t most,
				struct arena *mem)
{
	struct align_text c = { .bytes = bytes };
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
		if (align_is_blank(code) && c.count &&
		    align_is_blank(c.at[c.count - 1].code))
			c.at[c.count].weight = 1;
		c.count++;
		c.at[c.count].at = (uint32_t)(at + len);
	}
	if (!c.count)
		c.at[0].at = 0;
	return c;
}

static unsigned cost_of(const struct align_char *a, const struct align_char *b)
{
	if (a->code == b->code)
		return 0;
	if (a->plain == b->plain)
		return align_is_blank(a->code) && align_is_blank(b->code)
			       ? 1
			       : COST_CONFUSABLE;
	return a->weight > b->weight ? a->weight : b->weight;
}

/* Skipping any of the first @free characters of @b costs nothing. */
static void fill_table(struct align_scratch *r, const struct align_char *a,
		       size_t n, const struct align_char *b, size_t m,
		       size_t free)
{
	uint16_t *last = r->rows[0], *row = r->rows[1], *swap;

	last[0] = 0;
	for (size_t j = 1; j <= m; j++) {
		last[j] = j <= free ? 0 : last[j - 1] + b[j - 1].weight;
		r->step[0][j] = STEP_INSERT;
	}
	for (size_t i = 1; i <= n; i++) {
		unsigned out = a[i - 1].weight;

		row[0] = last[0] + out;
		r->step[i][0] = STEP_DELETE;
		for (size_t j = 1; j <= m; j++) {
			unsigned change = cost_of(&a[i - 1], &b[j - 1]);
			unsigned best = last[j - 1] + change;
			unsigned deleted = last[j] + out;
			unsigned inserted = row[j - 1] + b[j - 1].weight;
			uint8_t step = change ? STEP_CHANGE : STEP_SAME;

			if (deleted < best) {
				best = deleted;
				step = STEP_DELETE;
			}
			if (inserted < best) {
				best = inserted;
				step = STEP_INSERT;
			}
			row[j] = (uint16_t)best;
			r->step[i][j] = step;
		}
		swap = last;
		last = row;
		row = swap;
	}
	if (last != r->rows[0])
		memcpy(r->rows[0], last, (m + 1) * sizeof(*last));
}

/* The cheapest path through the table, from its first step on. */
static uint8_t *trace_path(struct align_scratch *r, size_t n, size_t m,
			   size_t free, size_t *start, size_t *steps)
{
	uint8_t *end = r->path + sizeof(r->path), *p = end;
	size_t j = 0, i = n;

	/* on a tie prefer the longer part of the text */
	for (size_t k = 1; k <= m; k++)
		if (r->rows[0][k] < r->rows[0][j] + (k == j + 1))
			j = k;
	while (i || j > free) {
		uint8_t step = r->step[i][j];

		*--p = step;
		i -= step != STEP_INSERT;
		j -= step != STEP_DELETE;
	}
	*start = j;
	*steps = (size_t)(end - p);
	return p;
}

static void add_gap(struct align_path *p, struct align_gap g)
{
	struct align_gap *last = p->count ? &p->gaps[p->count - 1] : NULL;

	if (last && last->to == g.from && last->end == g.start) {
		last->to = g.to;
		last->end = g.end;
	} else if (p->count < ALIGN_GAPS) {
		p->gaps[p->count++] = g;
	} else {
		p->more = true;
	}
}

/* Both sides, and how far they are aligned. */
struct align_position {
	const struct align_char *old, *text;
	size_t i, j;
};

/*
 * Follow the path up to character @until of the string, and record its gaps and
 * cost.
 */
static void follow_path(struct align_position *s, const uint8_t *path,
			size_t steps, size_t until, struct align_path *ret)
{
	for (; steps && s->i < until; steps--, path++) {
		struct align_gap g = { s->i, s->i + (*path != STEP_INSERT),
				       s->j, s->j + (*path != STEP_DELETE) };

		if (*path == STEP_CHANGE)
			ret->cost += cost_of(&s->old[s->i], &s->text[s->j]);
		if (*path == STEP_DELETE)
			ret->cost += s->old[s->i].weight;
		if (*path == STEP_INSERT)
			ret->cost += s->text[s->j].weight;
		if (*path != STEP_INSERT)
			ret->weight += s->old[s->i].weight;
		if (*path != STEP_SAME)
			add_gap(ret, g);
		s->i = g.to;
		s->j = g.end;
	}
}

void align_find(const struct align_text *old, const struct align_text *text,
		size_t lead, struct align_scratch *room, struct align_path *ret)
{
	struct align_position s = { old->at, text->at, 0, 0 };
	size_t steps, start, free = size_min(size_min(lead, text->count), LEAD);

	*ret = (struct align_path){ .start = 0 };
	for (int piece = 0; s.i < old->count && piece < MAX_PIECES; piece++) {
		size_t n = size_min(old->count - s.i, PIECE);
		size_t m = size_min(text->count - s.j, free + n + SLACK);
		bool last = s.i + n == old->count;
		uint8_t *path;

		fill_table(room, s.old + s.i, n, s.text + s.j, m, free);
		path = trace_path(room, n, m, free, &start, &steps);
		s.j += start;
		if (!piece)
			ret->start = s.j;
		follow_path(&s, path, steps, last ? old->count : s.i + BELIEVED,
			    ret);
		for (; s.i < old->count && s.j < text->count &&
		       s.old[s.i].code == s.text[s.j].code;
		     s.i++, s.j++)
			ret->weight += s.old[s.i].weight;
		free = 0;
	}
}
