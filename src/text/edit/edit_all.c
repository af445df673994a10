/*
 * edit_all.c - replace every occurrence of a string.
 *
 * Occurrences are counted first, so that the size of the result is checked
 * before anything is allocated. Loops over occurrences poll for cancellation;
 * the result of a cancelled call is not used.
 */
#include "text/edit/edit_all.h"

#include "base/cancel.h"
#include "text/edit/edit_eol.h"
#include "text/lines/lines.h"
#include "text/match/match.h"

enum { CANCEL_MATCHES = 4096 };

struct edit_all_state {
	struct str text;
	const struct edit *edit;
	bool has_cr; /* the text or the edit contains CR */
	bool as_is;  /* matched byte for byte, not with LF = CRLF */
	bool meant;  /* the caller chose the line endings: keep them */
	struct splice *found;
	size_t count;
	size_t most; /* maximum bytes of the result */
	struct arena *mem;
};

static bool contains(struct str s, char c)
{
	return str_find(s, c) < s.len;
}

static bool is_cancelled(size_t i)
{
	return i % CANCEL_MATCHES == 0 && cancel_asked();
}

/*
 * Is the result of @count replacements within the limit and the memory budget?
 */
static enum err check_size(struct edit_all_state *a, size_t count,
			   struct fault *f)
{
	const struct edit *e = a->edit;
	size_t with = e->with.len, room, to;

	/* Each replacement may get other line endings. */
	room = a->has_cr ? size_add(with, lines_newlines(e->with)) : with;
	if (room && count > (SIZE_MAX - a->text.len) / room)
		return fail(f, ERR_TOO_LARGE, .bytes = SIZE_MAX,
			    .limit = a->most);
	to = a->text.len - size_min(a->text.len, count * e->old.len) +
	     count * with;
	if (to > a->most)
		return fail(f, ERR_TOO_LARGE, .bytes = to, .limit = a->most);
	/* Copies of the replacements: with line endings, and joined. */
	to = size_add(to, (a->has_cr ? 2 : 1) * count * room);
	return edit_check_memory(a->text.len, to, count, a->mem, f);
}

static void find_as_is(struct edit_all_state *a)
{
	struct str old = a->edit->old;
	size_t at = 0;

	a->as_is = true;
	a->found = arena_array(a->mem, struct splice, a->count);
	for (size_t i = 0; i < a->count && !is_cancelled(i); i++) {
		at = match_find(a->text, old, at);
		a->found[i] = (struct splice){ at, at + old.len, STR("") };
		at += old.len;
	}
}

/*
 * Advance @at, an offset in the text, until *@folded, the same in the folded
 * text, reaches @to.
 */
static size_t unfold(const struct edit_all_state *a, size_t at, size_t *folded,
		     size_t to)
{
	const char *p = a->text.ptr;

	for (; *folded < to; ++*folded)
		at += p[at] == '\r' && at + 1 < a->text.len && p[at + 1] == '\n'
			      ? 2
			      : 1;
	return at;
}

static void find_folded(struct edit_all_state *a, struct str text,
			struct str old)
{
	size_t at = 0, place = 0, folded = 0;

	a->as_is = false;
	a->found = arena_array(a->mem, struct splice, a->count);
	for (size_t i = 0; i < a->count && !is_cancelled(i); i++) {
		at = match_find(text, old, at);
		place = unfold(a, place, &folded, at);
		a->found[i].from = place;
		place = unfold(a, place, &folded, at + old.len);
		a->found[i].to = place;
		at += old.len;
	}
}

static size_t line_start(struct str text, size_t at)
{
	size_t lf = str_rfind(str_head(text, at), '\n');

	return lf < at ? lf + 1 : 0;
}

static bool is_inside_crlf(struct str text, size_t at)
{
	return at && at < text.len && text.ptr[at] == '\n' &&
	       text.ptr[at - 1] == '\r';
}

/*
 * Set the replacement of @s, which is extended to the CR when it begins with
 * the LF of a CRLF.
 */
static void fit_replacement(const struct edit_all_state *a, struct splice *s)
{
	struct str with = a->edit->with, text = a->text;
	struct eol_place p = { .above = EOL_NONE };
	size_t start, end;

	s->with = with;
	/* An old string that ends in the CR of a CRLF is replaced as it is. */
	if (!a->has_cr || str_ends(a->edit->old, STR("\r")))
		return;
	if (is_inside_crlf(text, s->from)) {
		if (a->meant && str_starts(with, STR("\n")))
			return;
		s->from--;
	}
	if (a->meant)
		return;
	s->with = with = eol_to_lf(with, a->mem);
	if (!contains(with, '\n'))
		return;
	start = line_start(text, s->from);
	end = s->to + lines_after(str_skip(text, s->to), 1);
	if (start)
		p.above = is_inside_crlf(text, start - 1) ? EOL_CRLF : EOL_LF;
	p.lines = str_sub(text, start, end);
	p.from = s->from - start;
	p.to = s->to - start;
	s->with = edit_eol_fit(&p, with, a->mem);
}

/* Adjacent occurrences become one splice. */
static void join_adjacent(struct edit_all_state *a, struct edit_done *ret)
{
	struct splice *to = arena_array(a->mem, struct splice, a->count);
	size_t n = 0;

	for (size_t i = 0, j; i < a->count; i = j) {
		size_t len = 0;
		char *p;

		for (j = i; j < a->count &&
			    (j == i || a->found[j].from == a->found[j - 1].to);
		     j++)
			len += a->found[j].with.len;
		p = arena_alloc(a->mem, len);
		to[n++] = (struct splice){ a->found[i].from, a->found[j - 1].to,
					   str_make(p, len) };
		for (size_t k = i; k < j; k++) {
			struct str with = a->found[k].with;

			if (with.len)
				memcpy(p, with.ptr, with.len);
			p += with.len;
		}
	}
	ret->splices = to;
	ret->splice_count = n;
}

static void set_ranges(const struct edit_all_state *a, struct edit_done *ret)
{
	size_t line = 1, at = 0;

	ret->ranges = arena_array(a->mem, struct edit_range, a->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct splice *s = &a->found[i];
		struct str inside = str_sub(a->text, s->from, s->to - 1);

		line += lines_newlines(str_sub(a->text, at, s->from));
		ret->ranges[i] = (struct edit_range){
			line, line + lines_newlines(inside), s->from
		};
		at = s->from;
	}
}

static enum err find_all(struct edit_all_state *a, struct fault *f)
{
	const struct edit *edit = a->edit;
	struct str text, old;
	enum err e;

	a->count = match_count(a->text, edit->old);
	e = check_size(a, a->count, f);
	if (e)
		return e;
	find_as_is(a);
	if (a->count || !a->has_cr || !contains(edit->old, '\n'))
		return ERR_OK;
	text = eol_to_lf(a->text, a->mem);
	old = eol_to_lf(edit->old, a->mem);
	a->count = match_count(text, old);
	e = check_size(a, a->count, f);
	if (!e)
		find_folded(a, text, old);
	return e;
}

enum err edit_apply_all(struct str text, const struct edit *edit, size_t most,
			struct arena *mem, struct edit_done *ret,
			size_t *ret_count, struct fault *f)
{
	struct edit_all_state a = {
		.text = text, .edit = edit, .most = most, .mem = mem
	};
	struct edit_done done = { .given = EOL_NONE };
	enum err e;

	a.has_cr = contains(text, '\r') || contains(edit->old, '\r') ||
		   contains(edit->with, '\r');
	e = find_all(&a, f);
	if (e)
		return e;
	if (!a.count)
		return fail(f, ERR_NO_MATCH, .text = edit->old);
	a.meant =
		a.has_cr && edit_eol_meant(edit->old, edit->with, a.as_is, mem);
	for (size_t i = 0; i < a.count; i++) {
		if (is_cancelled(i))
			return fail(f, ERR_CANCELLED, .path = STR(""));
		fit_replacement(&a, &a.found[i]);
		done.given =
			eol_join(done.given,
				 edit_eol_given(edit->with, a.found[i].with));
	}
	set_ranges(&a, &done);
	if (cancel_asked())
		return fail(f, ERR_CANCELLED, .path = STR(""));
	join_adjacent(&a, &done);
	if (cancel_asked())
		return fail(f, ERR_CANCELLED, .path = STR(""));
	done.text = edit_splice(text, done.splices, done.splice_count, mem);
	*ret = done;
	*ret_count = a.count;
	return ERR_OK;
}
