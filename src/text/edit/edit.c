/*
 * edit.c - apply a sequence of edits.
 *
 * Most texts are large and most edits small, so the text stays in a piece table
 * (piece_table.h) until the end, and the tracker (edit_track.h) knows where the
 * old strings are. Line endings cost nothing but a search for a CR where there
 * is none.
 */
#include "text/edit/edit.h"

#include "text/edit/edit_eol.h"
#include "text/edit/edit_find.h"
#include "text/lines/lines.h"

enum { FIRST_LOOK = 256 };

static size_t line_start(struct edit_work *w, size_t at)
{
	size_t glance = FIRST_LOOK, from, lf;

	do {
		from = at - size_min(at, glance);
		lf = str_rfind(edit_look(w, from, at), '\n');
		if (lf < at - from)
			return from + lf + 1;
		glance *= 4;
	} while (from);
	return 0;
}

/* The end of the line of @at, newline included. */
static size_t line_end(struct edit_work *w, size_t at)
{
	size_t glance = FIRST_LOOK, to, lf;

	do {
		to = at + size_min(w->table.len - at, glance);
		lf = str_find(edit_look(w, at, to), '\n');
		if (lf < to - at)
			return at + lf + 1;
		glance *= 4;
	} while (to < w->table.len);
	return to;
}

static struct str fit_endings(struct edit_work *w, struct edit_found at,
			      struct str with)
{
	size_t start, end;
	struct eol_place p = { .above = EOL_NONE };

	with = eol_to_lf(with, w->mem);
	if (!w->crlfs || str_find(with, '\n') == with.len)
		return with;
	if (w->newlines == w->crlfs && !eol_crlfs(with) && *with.ptr != '\n')
		return eol_to_crlf(with, w->mem);
	start = line_start(w, at.at);
	end = line_end(w, at.at + at.len);
	if (start)
		p.above = edit_splits_crlf(w, start - 1) ? EOL_CRLF : EOL_LF;
	p.lines = edit_look(w, start, end);
	p.from = at.at - start;
	p.to = p.from + at.len;
	return edit_eol_fit(&p, with, w->mem);
}

/*
 * The replacement for edit @i, with the line endings of its place. A string
 * that begins with the LF of a CRLF is extended to the CR, which would
 * otherwise be left alone or doubled.
 */
static struct str replacement_for(struct edit_work *w, size_t i,
				  struct edit_found *at)
{
	const struct edit *e = &w->edits[i];
	struct str with;
	bool meant;

	if (!w->has_cr)
		return e->with;
	meant = edit_eol_meant(e->old, e->with, at->as_is, w->mem);
	if (e->old.ptr[0] == '\n' && at->as_is && edit_splits_crlf(w, at->at) &&
	    !(meant && str_starts(e->with, STR("\n")))) {
		at->at--;
		at->len++;
	}
	if (meant)
		return e->with;
	with = fit_endings(w, *at, e->with);
	w->given = eol_join(w->given, edit_eol_given(e->with, with));
	return with;
}

/*
 * Update the counts of newlines and CRLFs for the bytes @from to @to and their
 * neighbours.
 */
static void count_breaks(struct edit_work *w, size_t from, size_t to,
			 bool added)
{
	size_t start = from - size_min(from, 1);
	struct str text =
		edit_look(w, start, to + size_min(w->table.len - to, 1));
	size_t newlines = lines_newlines(text), crlfs = eol_crlfs(text);

	w->newlines = added ? w->newlines + newlines : w->newlines - newlines;
	w->crlfs = added ? w->crlfs + crlfs : w->crlfs - crlfs;
}

/* Make a replacement; returns the number of newlines before it. */
static size_t replace_tracked(struct edit_work *w, const struct edit_made *m,
			      bool last)
{
	size_t end = m->at + m->old.len, before;

	if (w->has_cr)
		count_breaks(w, m->at, end, false);
	if (!last)
		track_forget(&w->track, &w->table, m->at, end);
	before = piece_table_replace(&w->table, m->at, end, m->with);
	end = m->at + m->with.len;
	if (!last)
		track_find(&w->track, &w->table, m->at, end);
	if (w->has_cr)
		count_breaks(w, m->at, end, true);
	return before;
}

static struct edit_range apply_one(struct edit_work *w, size_t i,
				   struct edit_found at)
{
	const struct edit *e = &w->edits[i];
	struct edit_made *m = &w->made[i];
	size_t inside = lines_newlines(str_head(e->old, e->old.len - 1));
	size_t before;

	m->with = replacement_for(w, i, &at);
	m->at = at.at;
	m->old = e->old;
	if (!at.as_is || at.len != e->old.len)
		m->old =
			arena_copy(w->mem, edit_look(w, at.at, at.at + at.len));
	/* the tracker is not needed after the last edit */
	before = replace_tracked(w, m, /* last= */ i + 1 == w->n);
	return (struct edit_range){ before + 1, before + 1 + inside,
				    w->table.anchor };
}

/* Add a splice, unless it changes nothing. */
static void add_splice(struct edit_done *d, struct str original, size_t from,
		       size_t to, struct str with)
{
	if (str_eq(str_sub(original, from, to), with))
		return;
	d->splices[d->splice_count++] = (struct splice){ from, to, with };
}

static size_t count_pieces(const struct piece_table *s)
{
	size_t n = 0;

	for (const struct piece_chunk *chunk = s->first; chunk;
	     chunk = chunk->next)
		n += chunk->count;
	return n;
}

static void collect_splices(const struct edit_work *w, struct edit_done *d)
{
	const struct piece_table *s = &w->table;
	size_t at = 0, done = 0, from = 0;

	d->splices = arena_array(w->mem, struct splice, count_pieces(s) + 1);
	d->splice_count = 0;
	for (const struct piece_chunk *chunk = s->first; chunk;
	     chunk = chunk->next) {
		for (size_t i = 0; i < chunk->count; i++) {
			const struct piece *p = &chunk->pieces[i];

			if (piece_is_original(s, p)) {
				add_splice(d, w->original, from, p->number,
					   str_sub(d->text, done, at));
				from = p->number + p->len;
				done = at + p->len;
			}
			at += p->len;
		}
	}
	add_splice(d, w->original, from, w->original.len,
		   str_sub(d->text, done, at));
}

static bool has_cr(struct str s)
{
	return str_find(s, '\r') < s.len;
}

static bool any_cr(const struct edit_work *w)
{
	bool any = has_cr(w->original);

	for (size_t i = 0; !any && i < w->n; i++)
		any = has_cr(w->edits[i].old) || has_cr(w->edits[i].with);
	return any;
}

/*
 * @old with CRLF line endings. Empty for a string with a CR before a CRLF or at
 * its end: its place would be ambiguous.
 */
static struct str crlf_variant(struct str old, struct str folded,
			       struct arena *mem)
{
	if (eol_of(folded) != EOL_LF || str_ends(folded, STR("\r")))
		return STR("");
	folded = eol_to_crlf(folded, mem);
	return str_eq(folded, old) ? STR("") : folded;
}

static struct str longest_part(struct str folded)
{
	struct str longest = STR(""), part;

	while (str_split(&folded, '\n', &part))
		if (part.len > longest.len)
			longest = part;
	return longest;
}

static void track_both_endings(struct edit_work *w)
{
	w->newlines = lines_newlines(w->original);
	w->crlfs = eol_crlfs(w->original);
	w->by_parts = w->newlines != w->crlfs;
	w->folded = arena_array(w->mem, struct str, w->n);
	w->variants = arena_array(w->mem, struct edit, 2 * w->n);
	for (size_t i = 0; i < w->n; i++) {
		struct str old = w->edits[i].old;
		struct str folded = eol_to_lf(old, w->mem), *variant;

		w->folded[i] = folded;
		w->variants[i].old = old;
		variant = &w->variants[w->n + i].old;
		if (str_find(old, '\n') == old.len)
			continue; /* it has no line endings */
		*variant = w->by_parts ? longest_part(folded)
				       : crlf_variant(old, folded, w->mem);
	}
	track_init(&w->track, w->original, w->variants, 2 * w->n, w->mem);
}

/*
 * Needed are the new text, twice (once in the encoding of the file), a copy to
 * search in, and rows for each edit.
 */
enum err edit_check_memory(size_t from, size_t to, size_t n, struct arena *mem,
			   struct fault *f)
{
	enum { LITTLE = 64 * 1024, ROWS = 512 };
	size_t need = size_add(from, size_add(to, to));

	need = n < SIZE_MAX / ROWS ? size_add(need, n * ROWS) : SIZE_MAX;
	if (need <= LITTLE || arena_reserve(mem, need))
		return ERR_OK;
	return fail_memory(f, STR("this edit"), need, mem->charge.budget);
}

static size_t longest_result(struct str text, const struct edit *edits,
			     size_t n)
{
	size_t len = text.len;

	for (size_t i = 0; i < n; i++)
		len = size_add(len, edits[i].with.len);
	return len;
}

enum err edit_apply(struct str text, const struct edit *edits, size_t n,
		    struct arena *mem, struct edit_done *ret, struct fault *f)
{
	struct edit_work w = {
		.original = text, .edits = edits, .n = n, .mem = mem
	};
	struct edit_done done = { 0 };
	struct edit_found at;
	enum err e;
	char *p;

	e = edit_check_memory(text.len, longest_result(text, edits, n), n, mem,
			      f);
	if (e)
		return e;
	piece_table_init(&w.table, text, mem);
	w.has_cr = any_cr(&w);
	if (w.has_cr)
		track_both_endings(&w);
	else
		track_init(&w.track, text, edits, n, mem);
	w.made = arena_array(mem, struct edit_made, n);
	done.ranges = arena_array(mem, struct edit_range, n);
	for (size_t i = 0; i < n; i++) {
		e = edit_find(&w, i, &at, f);
		if (e)
			return e;
		done.ranges[i] = apply_one(&w, i, at);
	}
	p = arena_alloc(mem, w.table.len);
	piece_table_copy(&w.table, 0, w.table.len, p);
	done.text = str_make(p, w.table.len);
	collect_splices(&w, &done);
	done.given = w.given;
	*ret = done;
	return ERR_OK;
}

static char *append_str(char *to, struct str s)
{
	if (s.len)
		memcpy(to, s.ptr, s.len);
	return to + s.len;
}

struct str edit_splice(struct str bytes, const struct splice *splices, size_t n,
		       struct arena *mem)
{
	size_t len = bytes.len, from = 0;
	char *to, *p;

	for (size_t i = 0; i < n; i++)
		len += splices[i].with.len - (splices[i].to - splices[i].from);
	p = to = arena_alloc(mem, len);
	for (size_t i = 0; i < n; i++) {
		p = append_str(p, str_sub(bytes, from, splices[i].from));
		p = append_str(p, splices[i].with);
		from = splices[i].to;
	}
	p = append_str(p, str_skip(bytes, from));
	return str_make(to, (size_t)(p - to));
}
