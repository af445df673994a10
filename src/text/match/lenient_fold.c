/*
 * lenient_fold.c - fold a text for lenient comparison.
 *
 * Long texts are walked with a look at the cancel flag every CANCEL_STRIDE
 * bytes; what a cancelled walk returns is never used (base/cancel.h).
 */
#include "text/match/lenient_fold.h"

#include "base/cancel.h"
#include "text/encoding/utf8.h"
#include "text/match/confusable.h"

static bool is_trailing_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The length of the line ending at @at; 0 when there is none. */
static size_t break_at(struct str s, size_t at)
{
	if (at < s.len && s.ptr[at] == '\n')
		return 1;
	return str_starts(str_skip(s, at), STR("\r\n")) ? 2 : 0;
}

/*
 * Skip trailing blanks; w->solid keeps other blanks from being examined twice.
 */
static void skip_unseen(struct fold_walk *w)
{
	size_t end = w->at;

	if (w->at < w->solid)
		return;
	while (end < w->text.len && is_trailing_blank(w->text.ptr[end]))
		end++;
	if (end == w->text.len || break_at(w->text, end))
		w->at = end;
	else
		w->solid = end;
}

static char plain_of(uint32_t code)
{
	struct confusable a;

	if (code < UTF8_NOT && confusable_find(code, &a) &&
	    (a.kind == CONFUSABLE_QUOTE || a.kind == CONFUSABLE_DASH))
		return (char)a.plain;
	return 0;
}

bool fold_next(struct fold_walk *w, struct fold_unit *u)
{
	size_t len = 1, ends;

	skip_unseen(w);
	if (w->at >= w->text.len)
		return false;
	*u = (struct fold_unit){ .from = w->at };
	ends = break_at(w->text, w->at);
	if (ends) {
		len = ends;
		u->plain = '\n';
	} else if (w->quotes && w->text.ptr[w->at] & 0x80) {
		u->plain = plain_of(utf8_any(str_skip(w->text, w->at), &len));
	}
	w->at += len;
	u->to = w->at;
	return true;
}

struct str fold_text(struct str text, bool quotes, struct arena *mem)
{
	struct fold_walk w = { .text = text, .quotes = quotes };
	char *p = arena_alloc(mem, text.len), *end = p;
	size_t ask = CANCEL_STRIDE;
	struct fold_unit u;

	while (!cancel_every(w.at, &ask) && fold_next(&w, &u)) {
		if (u.plain)
			*end++ = u.plain;
		else
			end = mempcpy(end, text.ptr + u.from, u.to - u.from);
	}
	return str_make(p, (size_t)(end - p));
}

bool fold_place(struct str text, bool quotes, size_t *from, size_t *to)
{
	struct fold_walk w = { .text = text, .quotes = quotes };
	size_t at = 0, start = SIZE_MAX, ask = CANCEL_STRIDE;
	struct fold_unit u;

	while (at < *to && !cancel_every(at, &ask) && fold_next(&w, &u)) {
		if (at == *from)
			start = u.from;
		at += u.plain ? 1 : u.to - u.from;
	}
	if (at != *to || start == SIZE_MAX)
		return false;
	*from = start;
	*to = u.to;
	return true;
}

size_t fold_units(struct str text, bool quotes, struct arena *mem,
		  struct fold_unit **ret)
{
	struct fold_walk w = { .text = text, .quotes = quotes };
	struct fold_unit *units, u;
	size_t n = 0;

	units = arena_alloc(mem, (text.len + 1) * sizeof(*units));
	while (fold_next(&w, &u))
		units[n++] = u;
	*ret = units;
	return n;
}
