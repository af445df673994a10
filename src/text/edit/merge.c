/*
 * merge.c - three-way merge: two diffs against the base, walked in parallel.
 *
 * Changes of both sides whose base lines overlap or are adjacent form a group;
 * a group that only one side changed, or both in the same way, is taken, any
 * other is a conflict. Insertions and deletions among equal lines are first
 * widened to all lines they could be about, so that an ambiguous place counts
 * as touched.
 */
#include "text/edit/merge.h"

#include "base/buf.h"
#include "text/diff/diff.h"
#include "text/lines/lines.h"

/*
 * One of the texts, read from front to back; of a side also its changes against
 * the base.
 */
struct merge_reader {
	struct str text;
	size_t line, at; /* lines and bytes read so far */
	struct diff diff;
	size_t next;  /* index of the next change */
	size_t grown; /* lines added by the changes so far; wraps */
};

struct merge_state {
	struct merge_reader base, ours, theirs;
	const struct merge_labels *labels;
	struct arena *mem;
	struct buf out;
	struct merge_conflict *conflicts;
	size_t count, room;
};

/* Lines of the base that one side or both changed. */
struct merge_group {
	size_t from, to;
	bool ours, theirs;
};

/* Read lines @from to @to; lines before @from are skipped. */
static struct str read_lines(struct merge_reader *r, size_t from, size_t to)
{
	size_t start;

	r->at += lines_after(str_skip(r->text, r->at), from - r->line);
	start = r->at;
	r->at += lines_after(str_skip(r->text, r->at), to - from);
	r->line = to;
	return str_sub(r->text, start, r->at);
}

/* The offsets of all lines, and of the end of the text. */
static size_t *line_starts(struct str text, struct arena *mem)
{
	size_t n = lines_count(text), at = 0;
	size_t *starts = arena_alloc(mem, (n + 1) * sizeof(*starts));

	for (size_t i = 0; i < n; i++) {
		starts[i] = at;
		at += str_find(str_skip(text, at), '\n') + 1;
	}
	starts[n] = text.len;
	return starts;
}

static bool same_lines(struct str text, const size_t *starts, size_t i,
		       size_t j)
{
	return str_eq(str_sub(text, starts[i], starts[i + 1]),
		      str_sub(text, starts[j], starts[j + 1]));
}

/*
 * How far @count lines at @at can slide up and down; limits come in *@up and
 * *@down.
 */
static void slide_room(struct str text, const size_t *starts, size_t at,
		       size_t count, size_t *up, size_t *down)
{
	size_t i = 0;

	while (i < *up &&
	       same_lines(text, starts, at - 1 - i, at + count - 1 - i))
		i++;
	*up = i;
	for (i = 0; i < *down; i++)
		if (!same_lines(text, starts, at + i, at + count + i))
			break;
	*down = i;
}

/*
 * Widen insertions and deletions among equal lines to all lines that they could
 * be about.
 */
static void widen(struct str base, struct merge_reader *r, struct arena *mem)
{
	const size_t *old = line_starts(base, mem);
	const size_t *new = line_starts(r->text, mem);
	struct diff_change *was = r->diff.changes, *c;
	size_t n = r->diff.count, lines = lines_count(base), up, down;

	c = arena_alloc(mem, n * sizeof(*c));
	for (size_t i = 0; i < n; i++) {
		c[i] = was[i];
		if (c[i].a_count && c[i].b_count)
			continue;
		up = c[i].a - (i ? was[i - 1].a + was[i - 1].a_count : 0);
		down = (i + 1 < n ? was[i + 1].a : lines) -
		       (c[i].a + c[i].a_count);
		if (c[i].a_count)
			slide_room(base, old, c[i].a, c[i].a_count, &up, &down);
		else
			slide_room(r->text, new, c[i].b, c[i].b_count, &up,
				   &down);
		c[i].a -= up;
		c[i].b -= up;
		c[i].a_count += up + down;
		c[i].b_count += up + down;
	}
	r->diff.changes = c;
}

static const struct diff_change *upcoming(const struct merge_reader *r)
{
	return r->next < r->diff.count ? &r->diff.changes[r->next] : NULL;
}

/* Add the next change of a side to the group, if it begins within it. */
static bool absorb(struct merge_reader *r, struct merge_group *g)
{
	const struct diff_change *c = upcoming(r);

	if (!c || c->a > g->to)
		return false;
	g->to = size_max(g->to, c->a + c->a_count);
	r->grown += c->b_count - c->a_count;
	r->next++;
	return true;
}

static bool next_group(struct merge_state *m, struct merge_group *ret)
{
	const struct diff_change *a = upcoming(&m->ours);
	const struct diff_change *b = upcoming(&m->theirs);
	struct merge_group g = { 0 };
	bool more = true;

	if (!a && !b)
		return false;
	g.from = a && (!b || a->a <= b->a) ? a->a : b->a;
	g.to = g.from;
	while (more) {
		more = absorb(&m->ours, &g);
		g.ours |= more;
		while (absorb(&m->theirs, &g))
			more = g.theirs = true;
	}
	*ret = g;
	return true;
}

static void end_line(struct merge_state *m, struct str eol)
{
	if (m->out.len && m->out.ptr[m->out.len - 1] != '\n')
		buf_add(&m->out, eol);
}

static void put_marker(struct merge_state *m, const char *marker,
		       struct str label, struct str eol)
{
	end_line(m, eol);
	buf_add(&m->out, str_of(marker));
	if (label.len) {
		buf_addc(&m->out, ' ');
		buf_add(&m->out, label);
	}
	buf_add(&m->out, eol);
}

static struct merge_lines lines_from(size_t from, struct str lines)
{
	size_t count = lines_count(lines);

	return (struct merge_lines){ from + (count > 0), count };
}

static void note_conflict(struct merge_state *m, struct merge_conflict c)
{
	size_t had = m->room * sizeof(c);

	if (m->count == m->room) {
		m->room = size_max(8, m->room * 2);
		m->conflicts = arena_grow(m->mem, m->conflicts, had,
					  m->room * sizeof(c));
	}
	m->conflicts[m->count++] = c;
}

static struct str eol_around(struct str ours, struct str base)
{
	struct str s = ours.len ? ours : base;
	size_t lf = str_find(s, '\n');

	return str_ends(str_head(s, lf + 1), STR("\r\n")) ? STR("\r\n")
							  : STR("\n");
}

static void put_conflict(struct merge_state *m, struct str ours,
			 struct str base, struct str theirs)
{
	const struct merge_labels *labels = m->labels;
	struct str eol = eol_around(ours, base.len ? base : m->base.text);

	put_marker(m, "<<<<<<<", labels->ours, eol);
	buf_add(&m->out, ours);
	if (labels->base.len) {
		put_marker(m, "|||||||", labels->base, eol);
		buf_add(&m->out, base);
	}
	put_marker(m, "=======", STR(""), eol);
	buf_add(&m->out, theirs);
	put_marker(m, ">>>>>>>", labels->theirs, eol);
}

static void put_group(struct merge_state *m, const struct merge_group *g,
		      size_t ours_before, size_t theirs_before)
{
	size_t from_ours = g->from + ours_before;
	size_t from_theirs = g->from + theirs_before;
	struct str base, ours, theirs;

	buf_add(&m->out, read_lines(&m->base, m->base.line, g->from));
	base = read_lines(&m->base, g->from, g->to);
	ours = read_lines(&m->ours, from_ours, g->to + m->ours.grown);
	theirs = read_lines(&m->theirs, from_theirs, g->to + m->theirs.grown);
	if (!g->theirs || str_eq(ours, theirs)) {
		buf_add(&m->out, ours);
		return;
	}
	if (!g->ours) {
		buf_add(&m->out, theirs);
		return;
	}
	note_conflict(m, (struct merge_conflict){
				 lines_from(g->from, base),
				 lines_from(from_ours, ours),
				 lines_from(from_theirs, theirs) });
	put_conflict(m, ours, base, theirs);
}

void merge_texts(struct str base, struct str ours, struct str theirs,
		 const struct merge_labels *labels, struct arena *mem,
		 struct merged *ret)
{
	struct merge_state m = { .base.text = base,
				 .ours.text = ours,
				 .theirs.text = theirs,
				 .labels = labels,
				 .mem = mem };
	size_t ours_before = 0, theirs_before = 0;
	struct merge_group g;

	diff_texts(base, ours, mem, &m.ours.diff);
	diff_texts(base, theirs, mem, &m.theirs.diff);
	widen(base, &m.ours, mem);
	widen(base, &m.theirs, mem);
	while (next_group(&m, &g)) {
		put_group(&m, &g, ours_before, theirs_before);
		ours_before = m.ours.grown;
		theirs_before = m.theirs.grown;
	}
	buf_add(&m.out, str_skip(base, m.base.at));
	ret->text = arena_copy(mem, buf_str(&m.out));
	ret->conflicts = m.conflicts;
	ret->count = m.count;
	buf_free(&m.out);
}
