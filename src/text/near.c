#include "text/near.h"

#include "base/cancel.h"
#include "text/eol.h"
#include "text/lines.h"
#include "text/match.h"
#include "text/near_say.h"
#include "text/near_scan.h"

enum {
	COMPARED = 8192, /* characters of the string */
	BACK = 512,      /* bytes to look back for the start of a line */
	SLIP = 256,      /* and how far off a place may be found */
	BREAKS = 8,
};

/* A place, compared. */
struct tried {
	size_t from; /* of the part of the text, in bytes */
	struct near_chars text;
	struct near_path path;
	unsigned similarity;
};

/* Where the line of @at begins, or nearer when it is long. */
static size_t line_start(struct str text, size_t at)
{
	size_t far = at - size_min(at, BACK), lf;
	struct str before = str_sub(text, far, at);

	lf = str_rfind(before, '\n');
	if (lf < before.len)
		return far + lf + 1;
	while (far && far < at && (text.ptr[far] & 0xc0) == 0x80)
		far++;
	return far;
}

static size_t breaks_in_front(struct str old)
{
	size_t n = 0;

	for (size_t i = 0; i < old.len && n < BREAKS; i++) {
		if (old.ptr[i] == '\n')
			n++;
		else if (old.ptr[i] != '\r' &&
			 !near_blank((uint32_t)old.ptr[i]))
			break;
	}
	return n;
}

static unsigned similarity_of(const struct near_path *p)
{
	uint64_t percent;

	if (!p->weight || p->cost >= p->weight)
		return 0;
	percent = 100 - (100 * p->cost + p->weight - 1) / p->weight;
	return percent > 99 ? 99 : (unsigned)percent;
}

static struct tried try_at(struct str text, size_t at,
			   const struct near_chars *old, struct near_room *room,
			   struct arena *mem)
{
	struct tried t = { 0 };
	size_t slip = size_min(16 + old->count / 8, SLIP), lead = 0;
	size_t back = line_start(text, at - size_min(at, slip));

	for (size_t n = breaks_in_front(old->bytes); n && back; n--)
		back = line_start(text, back - 1);
	t.from = back;
	t.text = near_chars(str_skip(text, back),
			    old->count + old->count / 2 + 4 * BACK, mem);
	while (lead < t.text.count && t.text.at[lead].at < at - back + slip)
		lead++;
	near_align(old, &t.text, lead, room, &t.path);
	t.similarity = similarity_of(&t.path);
	return t;
}

static size_t start_of(const struct tried *t)
{
	return t->from + t->text.at[t->path.start].at;
}

/* Keep the best, the earlier of equals first, each place once. */
static size_t keep(struct tried *best, size_t count, const struct tried *t)
{
	size_t at = count;

	if (t->similarity < NEAR_LEAST || !t->path.count)
		return count;
	for (size_t i = 0; i < count; i++)
		if (start_of(&best[i]) == start_of(t))
			return count;
	while (at && (best[at - 1].similarity < t->similarity ||
		      (best[at - 1].similarity == t->similarity &&
		       start_of(&best[at - 1]) > start_of(t))))
		at--;
	if (at == NEAR_MISSES)
		return count;
	if (count < NEAR_MISSES)
		count++;
	for (size_t i = count - 1; i > at; i--)
		best[i] = best[i - 1];
	best[at] = *t;
	return count;
}

static struct near explain(struct str text, const struct near_chars *old,
			   const struct tried *t, struct arena *mem)
{
	size_t differs = t->from + t->text.at[t->path.gaps[0].start].at;
	struct near_pair pair = {
		.old = old,
		.text = &t->text,
		.path = &t->path,
		.line = lines_at(text, t->from),
		.whole = !t->from || text.ptr[t->from - 1] == '\n',
		.last = t->from + t->text.at[t->text.count].at == text.len,
	};

	struct str other;
	size_t line;
	struct near n = {
		.line = lines_at(text, start_of(t)),
		.similarity = t->similarity,
		.text = near_visible(text, start_of(t), mem),
		.differs = near_differs(&pair, mem),
	};

	line = lines_at(text, differs);
	other = near_visible(text, differs, mem);
	if (line == n.line) /* of a long line the part that differs */
		n.text = other;
	else if (other.len)
		n.differs =
			arena_printf(mem, STR_FMT "; line %zu is ‹" STR_FMT "›",
				     STR_ARG(n.differs), line, STR_ARG(other));
	return n;
}

size_t near_misses(struct str text, struct str old, struct arena *mem,
		   struct near ret[NEAR_MISSES])
{
	struct near_peak peaks[NEAR_PEAKS];
	size_t n = near_scan(text, old, mem, peaks), count = 0;
	struct near_chars chars;
	struct near_room *room;
	struct tried best[NEAR_MISSES];

	if (!n)
		return 0;
	chars = near_chars(old, COMPARED, mem);
	room = near_room(mem);
	for (size_t i = 0; i < n && !cancel_asked(); i++) {
		struct tried t = try_at(text, peaks[i].from, &chars, room, mem);

		count = keep(best, count, &t);
	}
	for (size_t i = 0; i < count; i++)
		ret[i] = explain(text, &chars, &best[i], mem);
	return count;
}

/* How far around a place to look for what tells it apart. */
enum { AROUND = 8, LOOKED_AT = 32, LONGEST_LINE = 4096 };

struct places {
	struct str text;
	size_t at[LOOKED_AT], end[LOOKED_AT];
	size_t count;
};

static void find_places(struct places *p, struct str old)
{
	size_t at = match_find(p->text, old, 0);

	for (; at != MATCH_NONE && p->count < LOOKED_AT;
	     at = match_find(p->text, old, at + old.len)) {
		p->at[p->count] = at;
		p->end[p->count++] = at + old.len;
	}
}

/* Where the line of @at begins; false when that is far. */
static bool step_back(struct str text, size_t at, size_t *ret)
{
	size_t far = at - size_min(at, LONGEST_LINE);
	struct str before = str_sub(text, far, at);
	size_t lf = str_rfind(before, '\n');

	*ret = lf < before.len ? far + lf + 1 : 0;
	return lf < before.len || !far;
}

/* Where the next line begins; false when there is none, or far. */
static bool step_on(struct str text, size_t at, size_t *ret)
{
	struct str rest = str_head(str_skip(text, at), LONGEST_LINE);
	size_t lf = str_find(rest, '\n');

	*ret = at + lf + 1;
	return lf < rest.len && *ret < text.len;
}

static bool is_empty(struct str line)
{
	while (line.len &&
	       (near_blank((unsigned char)line.ptr[0]) || line.ptr[0] == '\r'))
		line = str_skip(line, 1);
	return !line.len;
}

/*
 * The line @away from place @i: 0 its own, else so many above or below. One
 * with nothing on it is no mark.
 */
static bool line_away(const struct places *p, size_t i, int away,
		      struct str *ret, size_t *offset)
{
	struct str text = p->text, rest;
	size_t at = p->at[i];

	if (away > 0) {
		at = p->end[i] - 1;
		/* below the first line is also the last of several */
		away -= lines_newlines(str_sub(text, p->at[i], at)) > 0;
	}
	for (; away > 0; away--)
		if (!step_on(text, at, &at))
			return false;
	if (!step_back(text, at, &at))
		return false;
	for (; away < 0; away++)
		if (!at || !step_back(text, at - 1, &at))
			return false;
	*offset = at;
	rest = str_head(str_skip(text, at), LONGEST_LINE);
	*ret = str_head(rest, str_find(rest, '\n'));
	return !is_empty(*ret);
}

/* Which places have another line there than all the others? */
static void tell_apart(const struct places *p, int away, bool apart[LOOKED_AT])
{
	struct str lines[LOOKED_AT], own;
	bool there[LOOKED_AT];
	size_t offset;

	for (size_t i = 0; i < p->count; i++) {
		there[i] = line_away(p, i, away, &lines[i], &offset);
		/* one just like its own tells nobody anything */
		apart[i] = there[i] &&
			   !(away && line_away(p, i, 0, &own, &offset) &&
			     str_eq(own, lines[i]));
	}
	for (size_t i = 0; i < p->count; i++)
		for (size_t j = 0; j < i; j++)
			if (there[i] && there[j] && str_eq(lines[i], lines[j]))
				apart[i] = apart[j] = false;
}

enum { NOWHERE = AROUND + 1 };

/* For each place the nearest line that tells it from the others. */
static void find_marks(const struct places *p, int marks[LOOKED_AT])
{
	bool apart[LOOKED_AT];

	for (size_t i = 0; i < p->count; i++)
		marks[i] = NOWHERE;
	for (int d = 0; d <= AROUND; d++) {
		for (int away = -d; away <= d; away += d ? 2 * d : 1) {
			tell_apart(p, away, apart);
			for (size_t i = 0; i < p->count; i++)
				if (apart[i] && marks[i] == NOWHERE)
					marks[i] = away;
		}
	}
}

static struct near place(const struct places *p, size_t i, int away,
			 struct arena *mem)
{
	struct near n = { .line = lines_at(p->text, p->at[i]),
			  .similarity = 100 };
	struct str line;
	size_t offset;

	if (away == NOWHERE || !line_away(p, i, away, &line, &offset)) {
		n.differs = STR("nothing near it tells it apart");
		return n;
	}
	n.text = near_visible(p->text, p->at[i], mem);
	n.differs = STR("its own line tells it apart");
	if (away)
		n.differs =
			arena_printf(mem,
				     "line %zu tells it apart: ‹" STR_FMT "›",
				     lines_at(p->text, offset),
				     STR_ARG(near_visible(p->text, offset,
							  mem)));
	return n;
}

size_t near_places(struct str text, struct str old, struct arena *mem,
		   struct near ret[NEAR_PLACES])
{
	struct places p = { .text = text };
	int marks[LOOKED_AT];

	find_places(&p, old);
	if (!p.count) {
		p.text = eol_to_lf(text, mem);
		find_places(&p, eol_to_lf(old, mem));
	}
	if (!p.count)
		return 0;
	find_marks(&p, marks);
	p.count = size_min(p.count, NEAR_PLACES);
	for (size_t i = 0; i < p.count; i++)
		ret[i] = place(&p, i, marks[i], mem);
	return p.count;
}
