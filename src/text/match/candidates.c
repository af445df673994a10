/*
 * candidates.c - find and compare the candidates of a failed match.
 *
 * For a missing string: ngram_scan() finds windows of the text that share many
 * n-grams with it, align_find() compares each of them, and the best ones are
 * put into words by explain.c. For an ambiguous string: the lines around each
 * occurrence are compared with those around the others.
 */
#include "text/match/candidates.h"

#include "base/cancel.h"
#include "text/lines/eol.h"
#include "text/lines/lines.h"
#include "text/match/explain.h"
#include "text/match/match.h"
#include "text/match/ngram_scan.h"

enum {
	MAX_COMPARED = 8192, /* characters of the string, at most */
	BACK = 512,          /* bytes back to look for a line start */
	SLIP = 256, /* how far off, in bytes, a window of the scan may be */
	BREAKS = 8, /* leading newlines of the string to follow */
};

/* A window of the scan after its alignment. */
struct aligned_place {
	size_t from; /* offset in bytes where the aligned text begins */
	struct align_text text;
	struct align_path path;
	unsigned similarity;
};

/* The start of the line of @at, or BACK bytes before @at in a long line. */
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
			 !align_is_blank((uint32_t)old.ptr[i]))
			break;
	}
	return n;
}

static unsigned similarity_of(const struct align_path *p)
{
	uint64_t percent;

	if (!p->weight || p->cost >= p->weight)
		return 0;
	percent = 100 - (100 * p->cost + p->weight - 1) / p->weight;
	return percent > 99 ? 99 : (unsigned)percent;
}

static struct aligned_place align_at(struct str text, size_t at,
				     const struct align_text *old,
				     struct align_scratch *room,
				     struct arena *mem)
{
	struct aligned_place t = { 0 };
	size_t slip = size_min(16 + old->count / 8, SLIP), lead = 0;
	size_t back = line_start(text, at - size_min(at, slip));

	for (size_t n = breaks_in_front(old->bytes); n && back; n--)
		back = line_start(text, back - 1);
	t.from = back;
	t.text = align_text_of(str_skip(text, back),
			       old->count + old->count / 2 + 4 * BACK, mem);
	while (lead < t.text.count && t.text.at[lead].at < at - back + slip)
		lead++;
	align_find(old, &t.text, lead, room, &t.path);
	t.similarity = similarity_of(&t.path);
	return t;
}

static size_t start_of(const struct aligned_place *t)
{
	return t->from + t->text.at[t->path.start].at;
}

/*
 * Insert @t into the sorted @best; the earlier of equals first, no place twice.
 */
static size_t keep_best(struct aligned_place *best, size_t count,
			const struct aligned_place *t)
{
	size_t at = count;

	if (t->similarity < CANDIDATE_MIN_SIMILARITY || !t->path.count)
		return count;
	for (size_t i = 0; i < count; i++)
		if (start_of(&best[i]) == start_of(t))
			return count;
	while (at && (best[at - 1].similarity < t->similarity ||
		      (best[at - 1].similarity == t->similarity &&
		       start_of(&best[at - 1]) > start_of(t))))
		at--;
	if (at == CANDIDATES_SIMILAR)
		return count;
	if (count < CANDIDATES_SIMILAR)
		count++;
	for (size_t i = count - 1; i > at; i--)
		best[i] = best[i - 1];
	best[at] = *t;
	return count;
}

static struct candidate candidate_of(struct str text,
				     const struct align_text *old,
				     const struct aligned_place *t,
				     const char *what, struct arena *mem)
{
	size_t differs = t->from + t->text.at[t->path.gaps[0].start].at;
	struct explain_pair pair = {
		.old = old,
		.text = &t->text,
		.path = &t->path,
		.what = what,
		.line = lines_at(text, t->from),
		.whole = !t->from || text.ptr[t->from - 1] == '\n',
		.last = t->from + t->text.at[t->text.count].at == text.len,
	};

	struct str other;
	size_t line;
	struct candidate n = {
		.line = lines_at(text, start_of(t)),
		.similarity = t->similarity,
		.text = explain_visible_line(text, start_of(t), mem),
		.differs = explain_difference(&pair, mem),
	};

	line = lines_at(text, differs);
	other = explain_visible_line(text, differs, mem);
	if (line == n.line) /* in a long line show the part that differs */
		n.text = other;
	else if (other.len)
		n.differs =
			arena_printf(mem, STR_FMT "; line %zu is ‹" STR_FMT "›",
				     STR_ARG(n.differs), line, STR_ARG(other));
	return n;
}

size_t candidates_nearest(struct str text, struct str old, const char *what,
			  struct arena *mem,
			  struct candidate ret[CANDIDATES_SIMILAR])
{
	struct ngram_window peaks[NGRAM_WINDOWS];
	size_t n = ngram_scan(text, old, mem, peaks), count = 0;
	struct align_text chars;
	struct align_scratch *room;
	struct aligned_place best[CANDIDATES_SIMILAR];

	if (!n)
		return 0;
	chars = align_text_of(old, MAX_COMPARED, mem);
	room = align_scratch_new(mem);
	for (size_t i = 0; i < n && !cancel_asked(); i++) {
		struct aligned_place t =
			align_at(text, peaks[i].from, &chars, room, mem);

		count = keep_best(best, count, &t);
	}
	for (size_t i = 0; i < count; i++)
		ret[i] = candidate_of(text, &chars, &best[i], what, mem);
	return count;
}

size_t candidates_similar(struct str text, struct str old, struct arena *mem,
			  struct candidate ret[CANDIDATES_SIMILAR])
{
	return candidates_nearest(text, old, "old_string", mem, ret);
}

/* Limits of the search for a line that tells occurrences apart. */
enum {
	AROUND = 8, /* lines above and below */
	MAX_PLACES = 32,
	MAX_LINE = 4096, /* bytes */
};

struct places {
	struct str text;
	size_t at[MAX_PLACES], end[MAX_PLACES];
	size_t count;
};

static void find_places(struct places *p, struct str old)
{
	size_t at = match_find(p->text, old, 0);

	for (; at != MATCH_NONE && p->count < MAX_PLACES;
	     at = match_find(p->text, old, at + old.len)) {
		p->at[p->count] = at;
		p->end[p->count++] = at + old.len;
	}
}

/* The start of the line of @at; false when it is more than MAX_LINE away. */
static bool step_back(struct str text, size_t at, size_t *ret)
{
	size_t far = at - size_min(at, MAX_LINE);
	struct str before = str_sub(text, far, at);
	size_t lf = str_rfind(before, '\n');

	*ret = lf < before.len ? far + lf + 1 : 0;
	return lf < before.len || !far;
}

/* The start of the next line; false when there is none within MAX_LINE. */
static bool step_on(struct str text, size_t at, size_t *ret)
{
	struct str rest = str_head(str_skip(text, at), MAX_LINE);
	size_t lf = str_find(rest, '\n');

	*ret = at + lf + 1;
	return lf < rest.len && *ret < text.len;
}

static bool is_empty(struct str line)
{
	while (line.len && (align_is_blank((unsigned char)line.ptr[0]) ||
			    line.ptr[0] == '\r'))
		line = str_skip(line, 1);
	return !line.len;
}

/*
 * The line @away lines from occurrence @i: 0 is its own, negative is above.
 * False for an empty line, which distinguishes nothing.
 */
static bool line_away(const struct places *p, size_t i, int away,
		      struct str *ret, size_t *offset)
{
	struct str text = p->text, rest;
	size_t at = p->at[i];

	if (away > 0) {
		at = p->end[i] - 1;
		/* of an occurrence of several lines, +1 is its last line */
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
	rest = str_head(str_skip(text, at), MAX_LINE);
	*ret = str_head(rest, str_find(rest, '\n'));
	return !is_empty(*ret);
}

/* Which occurrences have a line at @away that no other occurrence has there? */
static void find_unique_lines(const struct places *p, int away,
			      bool apart[MAX_PLACES])
{
	struct str lines[MAX_PLACES], own;
	bool there[MAX_PLACES];
	size_t offset;

	for (size_t i = 0; i < p->count; i++) {
		there[i] = line_away(p, i, away, &lines[i], &offset);
		/* a copy of its own line does not help */
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

/* For each occurrence the nearest line that distinguishes it. */
static void find_distinguishing_lines(const struct places *p,
				      int marks[MAX_PLACES])
{
	bool apart[MAX_PLACES];

	for (size_t i = 0; i < p->count; i++)
		marks[i] = NOWHERE;
	for (int d = 0; d <= AROUND; d++) {
		for (int away = -d; away <= d; away += d ? 2 * d : 1) {
			find_unique_lines(p, away, apart);
			for (size_t i = 0; i < p->count; i++)
				if (apart[i] && marks[i] == NOWHERE)
					marks[i] = away;
		}
	}
}

static struct candidate candidate_of_match(const struct places *p, size_t i,
					   int away, struct arena *mem)
{
	struct candidate n = { .line = lines_at(p->text, p->at[i]),
			       .similarity = 100 };
	struct str line;
	size_t offset;

	if (away == NOWHERE || !line_away(p, i, away, &line, &offset)) {
		n.differs = STR("no nearby line distinguishes it");
		return n;
	}
	n.text = explain_visible_line(p->text, p->at[i], mem);
	n.differs = STR("its own line distinguishes it");
	if (away)
		n.differs =
			arena_printf(mem,
				     "line %zu distinguishes it: ‹" STR_FMT "›",
				     lines_at(p->text, offset),
				     STR_ARG(explain_visible_line(p->text,
								  offset,
								  mem)));
	return n;
}

static size_t tell_apart(struct places *p, struct arena *mem,
			 struct candidate ret[CANDIDATES_AMBIGUOUS])
{
	int marks[MAX_PLACES];

	find_distinguishing_lines(p, marks);
	p->count = size_min(p->count, CANDIDATES_AMBIGUOUS);
	for (size_t i = 0; i < p->count; i++)
		ret[i] = candidate_of_match(p, i, marks[i], mem);
	return p->count;
}

size_t candidates_ambiguous(struct str text, struct str old, struct arena *mem,
			    struct candidate ret[CANDIDATES_AMBIGUOUS])
{
	struct places p = { .text = text };

	find_places(&p, old);
	if (!p.count) {
		p.text = eol_to_lf(text, mem);
		find_places(&p, eol_to_lf(old, mem));
	}
	return p.count ? tell_apart(&p, mem, ret) : 0;
}

size_t candidates_of(struct str text, const struct candidate_place *places,
		     size_t n, struct arena *mem,
		     struct candidate ret[CANDIDATES_AMBIGUOUS])
{
	struct places p = { .text = text };

	for (; p.count < size_min(n, MAX_PLACES); p.count++) {
		p.at[p.count] = places[p.count].at;
		p.end[p.count] = places[p.count].end;
	}
	return tell_apart(&p, mem, ret);
}
