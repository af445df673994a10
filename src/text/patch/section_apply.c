/*
 * section_apply.c - what a text becomes by the hunks of a section.
 *
 * All hunks are placed first, then the new text is put together from top to
 * bottom. Those that only add at the end come last, wherever the patch has them.
 */
#include "text/patch/section_apply.h"

#include "text/lines/lines.h"

/* The new text, as far as it is there. */
struct section_work {
	struct hunk_text *t;
	struct buf out;
	size_t row;       /* of the old text, that comes next */
	struct str above; /* ending of the line above; "" = none yet */
	struct str usual; /* ending where no line has one */
	size_t changed;   /* see struct section_applied */
};

/* A run of removed and added lines without context between them. */
struct hunk_run {
	const struct changeset_line *lines;
	size_t count, removed, added;
};

static struct str ending_of(struct hunk_text *t, size_t row)
{
	const struct hunk_row *r = &t->rows[row];

	if (row >= t->count)
		return STR("");
	return str_sub(t->text, r->start + r->body.len, r->next);
}

/* The ending of a line that is put in the place of row @row. */
static struct str ending_at(const struct section_work *w, size_t row)
{
	struct str below = ending_of(w->t, row);

	if (w->above.len)
		return w->above;
	return below.len ? below : w->usual;
}

/* What is there is a complete line, if anything is. */
static void end_line(struct section_work *w)
{
	if (w->out.len && !str_ends(buf_str(&w->out), STR("\n")))
		buf_add(&w->out, ending_at(w, w->t->count));
}

/* Rows up to @to stay as they are. */
static void keep_rows(struct section_work *w, size_t to)
{
	struct hunk_text *t = w->t;
	struct str last;

	if (to == w->row)
		return;
	end_line(w);
	buf_add(&w->out,
		str_sub(t->text, t->rows[w->row].start, t->rows[to - 1].next));
	w->row = to;
	last = ending_of(t, to - 1);
	if (last.len)
		w->above = last;
	else if (to > 1)
		w->above = ending_of(t, to - 2);
}

static struct str between_lines(struct str line, struct arena *mem)
{
	struct str parts[] = { STR("\n"), line, STR("\n") };

	return arena_join(mem, parts, COUNT_OF(parts));
}

/*
 * @with in the place of @old, where the text has other quotes than @old: what
 * they have in common keeps the bytes of the text.
 */
static struct str keep_quotes(const struct section_work *w, size_t row,
			      struct str old, struct str with)
{
	struct arena *mem = w->t->mem;
	struct str text = between_lines(w->t->rows[row].body, mem);
	struct lenient_match m;

	if (!lenient_find(text, between_lines(old, mem),
			  between_lines(with, mem), mem, &m))
		return with;
	text = edit_splice(text, &m.splice, 1, mem);
	return text.len < 2 ? with : str_sub(text, 1, text.len - 1);
}

/* The removed line of @run that is number @n among them. */
static struct str removed_line(const struct hunk_run *run, size_t n)
{
	for (size_t i = 0; i < run->count; i++)
		if (run->lines[i].sign == '-' && !n--)
			return run->lines[i].text;
	return STR("");
}

/* Does the last line of @run become the last of a text without a final end? */
static bool stays_unended(const struct section_work *w,
			  const struct hunk_run *run, struct str last)
{
	size_t behind = w->row + run->removed;

	if (!run->removed || behind < w->t->count ||
	    ending_of(w->t, behind - 1).len)
		return false;
	return run->added <= run->removed ||
	       str_eq(last, removed_line(run, run->removed - 1));
}

/* Added line @text, number @n of @run; false when its shift is a guess. */
static bool add_line(struct section_work *w, const struct hunk_place *p,
		     const struct hunk_run *run, size_t n, struct str text)
{
	struct str ending = STR("");
	size_t row = w->row + n;
	bool last = n + 1 == run->added && stays_unended(w, run, text);

	if (n < run->removed) {
		ending = ending_of(w->t, row);
		if (p->rule == LENIENT_QUOTES)
			text = keep_quotes(w, row, removed_line(run, n), text);
	}
	if (!ending.len)
		ending = ending_at(w, w->row + run->removed);
	if (p->rule != LENIENT_INDENT)
		buf_add(&w->out, text);
	else if (!shift_line(&p->shift, text, &w->out))
		return false;
	w->above = ending;
	if (!last)
		buf_add(&w->out, ending);
	return true;
}

static bool replace_run(struct section_work *w, const struct hunk_place *p,
			const struct hunk_run *run)
{
	size_t n = 0;

	if (run->added)
		end_line(w);
	if (!w->changed)
		w->changed = lines_newlines(buf_str(&w->out)) + 1;
	for (size_t i = 0; i < run->count; i++)
		if (run->lines[i].sign == '+' &&
		    !add_line(w, p, run, n++, run->lines[i].text))
			return false;
	w->row += run->removed;
	return true;
}

/* The run of @h from line @i on. */
static struct hunk_run run_at(const struct changeset_hunk *h, size_t i)
{
	struct hunk_run run = { .lines = &h->lines[i] };

	for (; i < h->count && h->lines[i].sign != ' '; i++, run.count++) {
		run.removed += h->lines[i].sign == '-';
		run.added += h->lines[i].sign == '+';
	}
	return run;
}

/* False when a line lacks the indentation that would have to be shifted. */
static bool apply_hunk(struct section_work *w, const struct changeset_hunk *h,
		       const struct hunk_place *p)
{
	struct hunk_run run;

	keep_rows(w, p->first);
	for (size_t i = 0; i < h->count;) {
		run = run_at(h, i);
		i += run.count ? run.count : 1;
		if (!run.count)
			keep_rows(w, w->row + 1);
		else if (!replace_run(w, p, &run))
			return false;
	}
	return true;
}

static size_t rows_of(const struct changeset_hunk *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->count; i++)
		n += h->lines[i].sign != '+';
	return n;
}

static enum err place_all(struct hunk_text *t,
			  const struct changeset_section *s,
			  struct hunk_place *places, struct hunk_failure *why)
{
	size_t from = 0;
	enum err e;

	for (size_t i = 0; i < s->hunk_count; i++) {
		const struct changeset_hunk *h = &s->hunks[i];

		e = hunk_place_find(t, h, from, &places[i], why);
		why->hunk = i + 1;
		why->line = h->line;
		if (e)
			return e;
		if (rows_of(h))
			from = places[i].first + rows_of(h);
	}
	return ERR_OK;
}

/* Hunks with old lines, or those without. */
static enum err apply_all(struct section_work *w,
			  const struct changeset_section *s,
			  const struct hunk_place *places, bool additions,
			  struct hunk_failure *why)
{
	for (size_t i = 0; i < s->hunk_count; i++) {
		const struct changeset_hunk *h = &s->hunks[i];

		if (!rows_of(h) != additions || apply_hunk(w, h, &places[i]))
			continue;
		*why = (struct hunk_failure){
			.hunk = i + 1,
			.line = h->line,
			.hint = "It fits with other indentation, but a line "
				"to be added lacks what would be replaced; "
				"nothing was changed",
		};
		return ERR_NO_PLACE;
	}
	return ERR_OK;
}

enum err section_apply(struct str text, const struct changeset_section *s,
		       bool crlf, struct arena *mem,
		       struct section_applied *ret,
		       struct hunk_failure *ret_why, struct fault *f)
{
	struct hunk_place *places =
		arena_array(mem, struct hunk_place, s->hunk_count);
	struct hunk_text t;
	struct section_work w = { .t = &t,
				  .usual = crlf ? STR("\r\n") : STR("\n") };
	enum err e = hunk_text_init(&t, text, mem, f);

	if (e)
		return e;
	e = place_all(&t, s, places, ret_why);
	if (!e)
		e = apply_all(&w, s, places, /* additions= */ false, ret_why);
	if (!e)
		keep_rows(&w, t.count);
	if (!e)
		e = apply_all(&w, s, places, /* additions= */ true, ret_why);
	if (!e) {
		*ret = (struct section_applied){
			.text = arena_copy(mem, buf_str(&w.out)),
			.line = w.changed,
			.rules = arena_array(mem, enum lenient_rule,
					     s->hunk_count),
		};
		for (size_t i = 0; i < s->hunk_count; i++)
			ret->rules[i] = places[i].rule;
	}
	buf_free(&w.out);
	hunk_text_drop(&t);
	return e;
}
