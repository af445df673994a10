/*
 * edit_find.c - find the old string of an edit.
 *
 * The tracker knows where most old strings are; what it is not sure about is
 * searched for in the present text.
 *
 * A string that does not occur byte for byte is searched for with other line
 * endings: text and string are compared with CRLF folded to LF. To avoid
 * folding the whole text each time, the tracker also follows a variant of each
 * string: in a text with CRLF only, the string with CRLF; in any other its
 * longest part without a newline, which gives the place where the string could
 * be.
 */
#include "text/edit/edit_find.h"

#include "text/edit/edit_eol.h"
#include "text/match/match.h"

static char *reserve_room(struct edit_work *w, struct edit_room *room,
			  size_t len)
{
	if (len > room->cap) {
		room->cap = size_add(len, len / 2);
		room->ptr = arena_alloc(w->mem, room->cap);
	}
	return room->ptr;
}

struct str edit_look(struct edit_work *w, size_t from, size_t to)
{
	char *p = reserve_room(w, &w->scratch, to - from);

	piece_table_copy(&w->table, from, to, p);
	return str_make(p, to - from);
}

/* @text with CRLF folded to LF; valid until the next call. */
static struct str fold(struct edit_work *w, struct str text)
{
	char *p = reserve_room(w, &w->fold_room, text.len);

	return str_make(p, eol_copy_lf(text, p));
}

/* Can the old string of edit @i occur with other line endings? */
static bool has_newline(const struct edit_work *w, size_t i)
{
	struct str old = w->edits[i].old;

	return w->has_cr && str_find(old, '\n') < old.len;
}

static bool is_in(struct edit_work *w, struct str text, size_t i)
{
	if (match_find(text, w->edits[i].old, 0) != MATCH_NONE)
		return true;
	return has_newline(w, i) &&
	       match_find(fold(w, text), w->folded[i], 0) != MATCH_NONE;
}

bool edit_splits_crlf(struct edit_work *w, size_t at)
{
	return at && at < w->table.len &&
	       str_eq(edit_look(w, at - 1, at + 1), STR("\r\n"));
}

/*
 * Which edit removed the last occurrence of the old string of edit @i, which
 * occurred in the original? Undo the edits from the latest on until it occurs
 * again: it can only come back around the bytes of the undone edit.
 */
static size_t find_conflict(struct edit_work *w, size_t i)
{
	size_t reach = w->edits[i].old.len * (has_newline(w, i) ? 2 : 1), j = i;

	while (j--) {
		const struct edit_made *m = &w->made[j];
		size_t from = m->at - size_min(m->at, reach), to;

		(void)piece_table_replace(&w->table, m->at, m->at + m->with.len,
					  m->old);
		to = size_min(size_add(m->at + m->old.len, reach),
			      w->table.len);
		to += edit_splits_crlf(w, to);
		if (is_in(w, edit_look(w, from, to), i))
			return j;
	}
	return i;
}

static enum err fail_no_match(struct edit_work *w, size_t i, struct fault *f)
{
	struct str old = w->edits[i].old;
	size_t j;

	if (is_in(w, w->original, i)) {
		j = find_conflict(w, i);
		if (j < i && !str_eq(w->edits[j].old, old))
			return fail(f, ERR_EDITS_CONFLICT, .index = i,
				    .prior = j, .text = old);
	}
	return fail(f, ERR_NO_MATCH_AT, .index = i, .text = old);
}

/* The only occurrence of @old, the old string of edit @i, in @text. */
static enum err only_one(struct edit_work *w, size_t i, struct str text,
			 struct str old, struct edit_found *ret,
			 struct fault *f)
{
	size_t first = match_find(text, old, 0);

	if (first == MATCH_NONE)
		return fail_no_match(w, i, f);
	if (match_find(text, old, first + old.len) != MATCH_NONE)
		return fail(f, ERR_MANY_MATCHES_AT, .index = i,
			    .text = w->edits[i].old,
			    .count = match_count(text, old));
	*ret = (struct edit_found){ first, old.len, .as_is = true };
	return ERR_OK;
}

static enum err search_folded(struct edit_work *w, size_t i,
			      struct edit_found *ret, struct fault *f)
{
	struct str text = edit_look(w, 0, w->table.len);
	struct edit_found found = { 0 };
	size_t end;
	enum err e;

	e = only_one(w, i, fold(w, text), w->folded[i], &found, f);
	if (e)
		return e;
	end = edit_eol_place(text, found.at + found.len);
	found.at = edit_eol_place(text, found.at);
	*ret = (struct edit_found){ found.at, end - found.at, .as_is = false };
	return ERR_OK;
}

/*
 * Is the old string of edit @i around the only occurrence of its part, at @at?
 */
static enum err around_part(struct edit_work *w, size_t i, size_t at,
			    struct edit_found *ret, struct fault *f)
{
	struct str old = w->folded[i], text, folded;
	size_t before = (size_t)(w->variants[w->n + i].old.ptr - old.ptr);
	size_t from = at - size_min(at, 2 * before), start, end;
	size_t to =
		size_min(size_add(at, 2 * (old.len - before)), w->table.len);

	text = edit_look(w, from, to);
	start = fold(w, str_head(text, at - from)).len;
	folded = fold(w, text);
	if (start < before ||
	    !str_starts(str_skip(folded, start - before), old))
		return fail_no_match(w, i, f);
	end = edit_eol_place(text, start - before + old.len);
	start = edit_eol_place(text, start - before);
	*ret = (struct edit_found){ from + start, end - start, .as_is = false };
	return ERR_OK;
}

/* Find the string with other line endings. */
static enum err locate_folded(struct edit_work *w, size_t i,
			      struct edit_found *ret, struct fault *f)
{
	const struct track_needle *variant;
	struct str old;
	size_t at;

	if (!has_newline(w, i))
		return fail_no_match(w, i, f);
	old = w->variants[w->n + i].old;
	variant = w->track.of[w->n + i];
	if (!variant || variant->crowded || variant->count > 1 ||
	    (!w->by_parts && w->newlines != w->crlfs))
		return search_folded(w, i, ret, f);
	if (!variant->count)
		return fail_no_match(w, i, f);
	at = piece_table_offset(&w->table, variant->sum);
	if (w->by_parts)
		return around_part(w, i, at, ret, f);
	if (!piece_table_has(&w->table, at, old))
		return fail_no_match(w, i, f);
	*ret = (struct edit_found){ at, old.len, .as_is = false };
	return ERR_OK;
}

/* Search the whole text, where the tracker has no exact answer. */
static enum err search_text(struct edit_work *w, size_t i,
			    struct edit_found *ret, struct fault *f)
{
	struct str text = edit_look(w, 0, w->table.len), old = w->edits[i].old;

	if (match_find(text, old, 0) == MATCH_NONE)
		return locate_folded(w, i, ret, f);
	return only_one(w, i, text, old, ret, f);
}

enum err edit_find(struct edit_work *w, size_t i, struct edit_found *ret,
		   struct fault *f)
{
	const struct track_needle *needle = w->track.of[i];
	struct str old = w->edits[i].old;
	size_t at;

	if (!needle)
		return fail(f, ERR_EMPTY_OLD_AT, .index = i, .text = old);
	if (needle->crowded || needle->count > 1)
		return search_text(w, i, ret, f);
	if (!needle->count)
		return locate_folded(w, i, ret, f);
	at = piece_table_offset(&w->table, needle->sum);
	if (!piece_table_has(&w->table, at, old))
		return locate_folded(w, i, ret, f);
	*ret = (struct edit_found){ at, old.len, .as_is = true };
	return ERR_OK;
}
