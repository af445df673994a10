#include "text/edit_all.h"

#include "base/cancel.h"
#include "text/edit_eol.h"
#include "text/lines.h"
#include "text/match.h"

enum { CANCEL_MATCHES = 4096 };

struct all {
	struct str text;
	const struct edit *edit;
	bool has_cr, as_is, meant;
	struct splice *found; /* without what they are replaced by */
	size_t count;
	struct arena *mem;
};

static bool has(struct str s, char c)
{
	return str_find(s, c) < s.len;
}

/* Whatever has been found so far is for nobody any more. */
static bool is_given_up(size_t i)
{
	return i % CANCEL_MATCHES == 0 && cancel_asked();
}

static void find_as_is(struct all *a)
{
	struct str old = a->edit->old;
	size_t at = 0;

	a->as_is = true;
	a->count = match_count(a->text, old);
	a->found = arena_array(a->mem, struct splice, a->count);
	for (size_t i = 0; i < a->count && !is_given_up(i); i++) {
		at = match_find(a->text, old, at);
		a->found[i] = (struct splice){ at, at + old.len, STR("") };
		at += old.len;
	}
}

/* Go on to where @to of the folded text is in the text itself. */
static size_t unfold(const struct all *a, size_t at, size_t *folded, size_t to)
{
	const char *p = a->text.ptr;

	for (; *folded < to; ++*folded)
		at += p[at] == '\r' && at + 1 < a->text.len && p[at + 1] == '\n'
			      ? 2
			      : 1;
	return at;
}

static void find_folded(struct all *a)
{
	struct str text = eol_to_lf(a->text, a->mem);
	struct str old = eol_to_lf(a->edit->old, a->mem);
	size_t at = 0, place = 0, folded = 0;

	a->as_is = false;
	a->count = match_count(text, old);
	a->found = arena_array(a->mem, struct splice, a->count);
	for (size_t i = 0; i < a->count && !is_given_up(i); i++) {
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

/* What to put in at @s, which may have to take the CR of its LF along. */
static void fit(const struct all *a, struct splice *s)
{
	struct str with = a->edit->with, text = a->text;
	struct eol_place p = { .above = EOL_NONE };
	size_t start, end;

	s->with = with;
	/* One that ends in the CR of a CRLF is taken as it is. */
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
	if (!has(with, '\n'))
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

/* Places that touch become one splice. */
static void join(struct all *a, struct edit_done *ret)
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

static void note_ranges(const struct all *a, struct edit_done *ret)
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

enum err edit_apply_all(struct str text, const struct edit *edit,
			struct arena *mem, struct edit_done *ret,
			size_t *ret_count, struct fault *f)
{
	struct all a = { .text = text, .edit = edit, .mem = mem };
	struct edit_done done = { .given = EOL_NONE };

	a.has_cr = has(text, '\r') || has(edit->old, '\r') ||
		   has(edit->with, '\r');
	find_as_is(&a);
	if (!a.count && a.has_cr && has(edit->old, '\n'))
		find_folded(&a);
	if (!a.count)
		return fail(f, ERR_NO_MATCH, .text = edit->old);
	a.meant =
		a.has_cr && edit_eol_meant(edit->old, edit->with, a.as_is, mem);
	for (size_t i = 0; i < a.count; i++) {
		if (is_given_up(i))
			return fail(f, ERR_CANCELLED, .path = STR(""));
		fit(&a, &a.found[i]);
		done.given =
			eol_join(done.given,
				 edit_eol_given(edit->with, a.found[i].with));
	}
	note_ranges(&a, &done);
	if (cancel_asked())
		return fail(f, ERR_CANCELLED, .path = STR(""));
	join(&a, &done);
	if (cancel_asked())
		return fail(f, ERR_CANCELLED, .path = STR(""));
	done.text = edit_splice(text, done.splices, done.splice_count, mem);
	*ret = done;
	*ret_count = a.count;
	return ERR_OK;
}
