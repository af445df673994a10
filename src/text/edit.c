/*
 * Most texts are big and most edits small, so the text is not put together
 * until the end: the stage (edit_stage.h) holds it in pieces, and the
 * tracker (edit_track.h) knows where the old strings are. Whatever it is not
 * sure about is looked up in the text as it is, put together for that.
 */
#include "text/edit.h"

#include "text/edit_stage.h"
#include "text/edit_track.h"
#include "text/lines.h"
#include "text/match.h"

struct work {
	struct str original;
	const struct edit *edits;
	size_t n;
	struct stage stage;
	struct track track;
	size_t *places; /* where each edit so far was made, in the text then */
	char *scratch;
	size_t scratch_cap;
	struct arena *mem;
};

/* The bytes @from to @to of the text as it is; good until the next call. */
static struct str look_at(struct work *w, size_t from, size_t to)
{
	if (to - from > w->scratch_cap) {
		w->scratch_cap = size_add(to - from, (to - from) / 2);
		w->scratch = arena_alloc(w->mem, w->scratch_cap);
	}
	stage_copy(&w->stage, from, to, w->scratch);
	return str_make(w->scratch, to - from);
}

/*
 * Which edit took away the last occurrence of the old string of edit @i,
 * which is not there any more but was in the original: undo the edits from
 * the latest on until it is there again. It can only come back around the
 * bytes that the undone edit had changed.
 */
static size_t taken_by(struct work *w, size_t i)
{
	struct str old = w->edits[i].old;
	size_t j = i;

	while (j--) {
		const struct edit *e = &w->edits[j];
		size_t at = w->places[j], from, to;

		(void)stage_replace(&w->stage, at, at + e->with.len, e->old);
		from = at - size_min(at, old.len - 1);
		to = size_min(size_add(at + e->old.len, old.len - 1),
			      w->stage.len);
		if (match_find(look_at(w, from, to), old, 0) != MATCH_NONE)
			return j;
	}
	return i;
}

static enum err missing(struct work *w, size_t i, struct fault *f)
{
	struct str old = w->edits[i].old;
	size_t j;

	if (match_find(w->original, old, 0) != MATCH_NONE) {
		j = taken_by(w, i);
		if (j < i && !str_eq(w->edits[j].old, old))
			return fail(f, ERR_EDITS_CONFLICT, .index = i,
				    .prior = j, .text = old);
	}
	return fail(f, ERR_NO_MATCH_AT, .index = i, .text = old);
}

/* For what the tracker cannot say: how often is it there, and where first? */
static enum err search(struct work *w, size_t i, size_t *ret, struct fault *f)
{
	struct str text = look_at(w, 0, w->stage.len), old = w->edits[i].old;
	size_t first = match_find(text, old, 0);

	if (first == MATCH_NONE)
		return missing(w, i, f);
	if (match_find(text, old, first + old.len) != MATCH_NONE)
		return fail(f, ERR_MANY_MATCHES_AT, .index = i, .text = old,
			    .count = match_count(text, old));
	*ret = first;
	return ERR_OK;
}

static enum err locate(struct work *w, size_t i, size_t *ret, struct fault *f)
{
	const struct track_needle *needle = w->track.of[i];
	size_t at;

	if (!needle)
		return fail(f, ERR_EMPTY_OLD_AT, .index = i,
			    .text = w->edits[i].old);
	if (needle->crowded || needle->count > 1)
		return search(w, i, ret, f);
	if (!needle->count)
		return missing(w, i, f);
	at = stage_offset(&w->stage, needle->sum);
	if (!stage_has(&w->stage, at, w->edits[i].old))
		return missing(w, i, f);
	*ret = at;
	return ERR_OK;
}

static struct edit_range replace(struct work *w, size_t i, size_t at)
{
	const struct edit *e = &w->edits[i];
	bool last = i + 1 == w->n; /* nobody will ask the tracker again */
	size_t before, inside;

	if (!last)
		track_forget(&w->track, &w->stage, at, at + e->old.len);
	before = stage_replace(&w->stage, at, at + e->old.len, e->with);
	if (!last)
		track_find(&w->track, &w->stage, at, at + e->with.len);
	w->places[i] = at;
	inside = lines_newlines(str_head(e->old, e->old.len - 1));
	return (struct edit_range){ before + 1, before + 1 + inside };
}

/* The next splice, from what was put in between two parts of the original. */
static void add_splice(struct edit_done *d, struct str original, size_t from,
		       size_t to, struct str with)
{
	if (str_eq(str_sub(original, from, to), with))
		return;
	d->splices[d->splice_count++] = (struct splice){ from, to, with };
}

static size_t count_pieces(const struct stage *s)
{
	size_t n = 0;

	for (const struct stage_run *run = s->first; run; run = run->next)
		n += run->count;
	return n;
}

static void collect_splices(const struct work *w, struct edit_done *d)
{
	const struct stage *s = &w->stage;
	size_t at = 0, done = 0, from = 0;

	d->splices = arena_array(w->mem, struct splice, count_pieces(s) + 1);
	d->splice_count = 0;
	for (const struct stage_run *run = s->first; run; run = run->next) {
		for (size_t i = 0; i < run->count; i++) {
			const struct piece *p = &run->pieces[i];

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

enum err edit_apply(struct str text, const struct edit *edits, size_t n,
		    struct arena *mem, struct edit_done *ret, struct fault *f)
{
	struct work w = {
		.original = text, .edits = edits, .n = n, .mem = mem
	};
	struct edit_done done = { 0 };
	size_t at = 0;
	char *p;

	stage_init(&w.stage, text, mem);
	track_init(&w.track, text, edits, n, mem);
	w.places = arena_array(mem, size_t, n);
	done.ranges = arena_array(mem, struct edit_range, n);
	for (size_t i = 0; i < n; i++) {
		enum err e = locate(&w, i, &at, f);

		if (e)
			return e;
		done.ranges[i] = replace(&w, i, at);
	}
	p = arena_alloc(mem, w.stage.len);
	stage_copy(&w.stage, 0, w.stage.len, p);
	done.text = str_make(p, w.stage.len);
	collect_splices(&w, &done);
	*ret = done;
	return ERR_OK;
}

static char *put(char *to, struct str s)
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
		p = put(p, str_sub(bytes, from, splices[i].from));
		p = put(p, splices[i].with);
		from = splices[i].to;
	}
	p = put(p, str_skip(bytes, from));
	return str_make(to, (size_t)(p - to));
}
