/*
 * jsdiff.c - the greedy algorithm of Myers, forwards only and with the choices
 * that the npm package "diff" makes between equally short paths.
 *
 * The package orders the lines of a change as its path does, which is not
 * always removed lines first.
 */
#include "text/diff/jsdiff.h"

#include "text/diff/diff.h"
#include "text/diff/intern.h"

enum { CONTEXT = 4 };

/* A run of lines: ' ' in both texts, '-' in the old, '+' in the new one. */
struct run {
	struct run *before;
	size_t count;
	char sign;
};

/* The farthest point of a diagonal, and the way there; NULL = none. */
struct path {
	bool valid;
	int64_t old_pos; /* the last line that is on the way; -1 = none */
	struct run *last;
};

struct greedy {
	const struct intern_side *a, *b;
	struct arena *mem;
	struct path best[2 * JSDIFF_MOST_EDITS + 5];
	int64_t least, most; /* diagonals that still lead anywhere */
};

static struct path *path_at(struct greedy *s, int64_t diagonal)
{
	return &s->best[diagonal + JSDIFF_MOST_EDITS + 2];
}

static struct run *run_add(struct greedy *s, struct run *last, char sign,
			   size_t count)
{
	struct run *run = arena_new(s->mem, struct run);

	*run = (struct run){ last, count, sign };
	if (last && last->sign == sign)
		*run = (struct run){ last->before, last->count + count, sign };
	return run;
}

static bool lines_equal(const struct greedy *s, int64_t old_line,
			int64_t new_line)
{
	uint32_t id = s->a->id[old_line];

	return id == s->b->id[new_line] && id != INTERN_NONE;
}

/* Follow equal lines; true at the end of both texts. */
static bool path_extend(struct greedy *s, struct path *p, int64_t diagonal)
{
	const int64_t old_len = s->a->count, new_len = s->b->count;
	int64_t new_pos = p->old_pos - diagonal;
	size_t count = 0;

	while (new_pos + 1 < new_len && p->old_pos + 1 < old_len &&
	       lines_equal(s, p->old_pos + 1, new_pos + 1)) {
		new_pos++;
		p->old_pos++;
		count++;
	}
	if (count)
		p->last = run_add(s, p->last, ' ', count);
	if (p->old_pos + 1 >= old_len && new_pos + 1 < new_len &&
	    diagonal - 1 < s->most)
		s->most = diagonal - 1;
	if (new_pos + 1 >= new_len && p->old_pos + 1 < old_len &&
	    diagonal + 1 > s->least)
		s->least = diagonal + 1;
	return p->old_pos + 1 >= old_len && new_pos + 1 >= new_len;
}

/* One more edit on this diagonal; true when that is the last one. */
static bool path_step(struct greedy *s, int64_t diagonal)
{
	const int64_t old_len = s->a->count, new_len = s->b->count;
	struct path remove = *path_at(s, diagonal - 1);
	struct path add = *path_at(s, diagonal + 1);
	struct path *here = path_at(s, diagonal);
	int64_t added = add.old_pos - diagonal;
	bool can_add = add.valid && added >= 0 && added < new_len;
	bool can_remove = remove.valid && remove.old_pos + 1 < old_len;

	path_at(s, diagonal - 1)->valid = false;
	here->valid = can_add || can_remove;
	if (!here->valid)
		return false;
	if (!can_remove || (can_add && remove.old_pos < add.old_pos)) {
		here->old_pos = add.old_pos;
		here->last = run_add(s, add.last, '+', 1);
	} else {
		here->old_pos = remove.old_pos + 1;
		here->last = run_add(s, remove.last, '-', 1);
	}
	return path_extend(s, here, diagonal);
}

/* The last run of the shortest path; false when there are too many edits. */
static bool find_path(struct greedy *s, struct run **ret)
{
	struct path *start = path_at(s, 0);

	*start = (struct path){ .valid = true, .old_pos = -1 };
	s->least = INT64_MIN;
	s->most = INT64_MAX;
	if (path_extend(s, start, 0)) {
		*ret = start->last;
		return true;
	}
	s->least = INT64_MIN; /* the package sets them from the first edit on */
	s->most = INT64_MAX;
	for (int64_t edits = 1; edits <= JSDIFF_MOST_EDITS; edits++) {
		int64_t k = s->least > -edits ? s->least : -edits;

		for (; k <= edits && k <= s->most; k += 2)
			if (path_step(s, k)) {
				*ret = path_at(s, k)->last;
				return true;
			}
	}
	return false;
}

/* The same from the changes that diff.h finds. */
static struct run *runs_of_diff(const struct diff *diff, size_t lines,
				struct greedy *s)
{
	struct run *last = NULL;
	size_t at = 0;

	for (size_t i = 0; i < diff->count; i++) {
		const struct diff_change *c = &diff->changes[i];

		if (c->a > at)
			last = run_add(s, last, ' ', c->a - at);
		if (c->a_count)
			last = run_add(s, last, '-', c->a_count);
		if (c->b_count)
			last = run_add(s, last, '+', c->b_count);
		at = c->a + c->a_count;
	}
	return lines > at ? run_add(s, last, ' ', lines - at) : last;
}

/* A hunk that is being put together. */
struct printing {
	const struct intern_side *a, *b;
	struct buf *out;
	struct buf lines;
	size_t old_line, new_line; /* from 0, of the next line */
	size_t old_start, new_start;
	size_t old_count, new_count;
	bool open;
};

static struct str jsdiff_line(const struct intern_side *s, size_t line)
{
	return str_make(s->text.ptr + s->start[line],
			s->start[line + 1] - s->start[line]);
}

static void print_line(struct printing *p, char sign, struct str line)
{
	buf_addc(&p->lines, sign);
	buf_add(&p->lines, line);
	if (!str_ends(line, STR("\n")))
		buf_lit(&p->lines, "\n\\ No newline at end of file\n");
}

static void hunk_close(struct printing *p)
{
	if (!p->open)
		return;
	buf_addf(p->out, "@@ -%zu,%zu +%zu,%zu @@\n",
		 p->old_start + (p->old_count > 0), p->old_count,
		 p->new_start + (p->new_count > 0), p->new_count);
	buf_add(p->out, buf_str(&p->lines));
	buf_clear(&p->lines, SIZE_MAX);
	p->open = false;
}

static void put_context(struct printing *p, size_t old_line, size_t count)
{
	for (size_t i = 0; i < count; i++)
		print_line(p, ' ', jsdiff_line(p->a, old_line + i));
	p->old_count += count;
	p->new_count += count;
}

static void hunk_open(struct printing *p, size_t context)
{
	p->open = true;
	p->old_start = p->old_line - context;
	p->new_start = p->new_line - context;
	p->old_count = p->new_count = 0;
	put_context(p, p->old_start, context);
}

static void put_equal(struct printing *p, size_t count, bool is_last)
{
	bool joins = count <= 2 * CONTEXT && !is_last;

	if (p->open)
		put_context(p, p->old_line,
			    joins ? count : size_min(count, CONTEXT));
	if (!joins)
		hunk_close(p);
	p->old_line += count;
	p->new_line += count;
}

static void put_changed(struct printing *p, const struct run *run)
{
	bool removed = run->sign == '-';
	const struct intern_side *side = removed ? p->a : p->b;
	size_t *line = removed ? &p->old_line : &p->new_line;
	size_t *count = removed ? &p->old_count : &p->new_count;
	const struct run *before = run->before;

	if (!p->open)
		hunk_open(p, before ? size_min(before->count, CONTEXT) : 0);
	for (size_t i = 0; i < run->count; i++)
		print_line(p, run->sign, jsdiff_line(side, (*line)++));
	*count += run->count;
}

/* @last is the last run; the list is turned round for that. */
static void print_runs(struct printing *p, struct run *last, struct arena *mem)
{
	size_t n = 0;
	const struct run **runs;

	for (struct run *r = last; r; r = r->before)
		n++;
	runs = arena_array(mem, const struct run *, n);
	for (struct run *r = last; r; r = r->before)
		runs[--n] = r;
	for (const struct run *r = NULL; r != last; n++) {
		r = runs[n];
		if (r->sign == ' ')
			put_equal(p, r->count, r == last);
		else
			put_changed(p, r);
	}
	hunk_close(p);
}

void jsdiff_print(struct str name, struct str old_text, struct str new_text,
		  struct arena *mem, struct buf *out)
{
	struct intern_side a = { 0 }, b = { 0 };
	struct greedy *s = arena_new(mem, struct greedy);
	struct printing p = { .a = &a, .b = &b, .out = out, .lines = BUF_INIT };
	struct run *last = NULL;
	struct diff diff;

	buf_addf(out, "Index: " STR_FMT "\n", STR_ARG(name));
	buf_lit(out,
		"===================================================================\n");
	buf_addf(out, "--- " STR_FMT "\toriginal\n+++ " STR_FMT "\tmodified\n",
		 STR_ARG(name), STR_ARG(name));
	if (str_eq(old_text, new_text) || !intern_fits(old_text) ||
	    !intern_fits(new_text))
		return;
	intern_split(&a, old_text, mem);
	intern_split(&b, new_text, mem);
	intern_number(&a, &b, UINT64_MAX, mem);
	*s = (struct greedy){ .a = &a, .b = &b, .mem = mem };
	if (!find_path(s, &last)) {
		diff_texts(old_text, new_text, mem, &diff);
		last = runs_of_diff(&diff, a.count, s);
	}
	print_runs(&p, last, mem);
	buf_free(&p.lines);
}
