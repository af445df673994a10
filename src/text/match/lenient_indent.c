/*
 * lenient_indent.c - find lines that all have the same difference in
 * indentation.
 *
 * Every line of the text is tried as the first one. The number of lines
 * compared in all is limited, so that repetitive texts cannot make this
 * quadratic.
 */
#include "text/match/lenient_indent.h"

#include "base/cancel.h"
#include "text/lines/lines.h"

enum {
	MAX_TAB_WIDTH = 8,
	MAX_STEPS = 4 << 20 /* lines compared in one search */
};

static bool is_indent(char c)
{
	return c == ' ' || c == '\t';
}

static struct indent_line line_at(struct str text, size_t at)
{
	struct str all = str_skip(text, at);
	size_t lf = str_find(all, '\n'), n = 0;
	struct indent_line l = { .next = at + lf + (lf < all.len),
				 .terminated = lf < all.len };

	all = str_head(all, lf);
	if (l.terminated && all.len && all.ptr[all.len - 1] == '\r')
		all.len--;
	while (all.len && is_indent(all.ptr[all.len - 1]))
		all.len--;
	while (n < all.len && is_indent(all.ptr[n]))
		n++;
	l.indent = str_head(all, n);
	l.rest = str_skip(all, n);
	l.end = at + all.len;
	return l;
}

static bool all_are(struct str s, char c)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != c)
			return false;
	return true;
}

/*
 * How many spaces of @spaces replace a tab of @tabs; 0 when that is not a whole
 * number.
 */
static size_t unit_of(struct str tabs, struct str spaces)
{
	size_t unit;

	if (!tabs.len || !all_are(tabs, '\t') || !all_are(spaces, ' ') ||
	    spaces.len % tabs.len)
		return 0;
	unit = spaces.len / tabs.len;
	return unit >= 2 && unit <= MAX_TAB_WIDTH ? unit : 0;
}

/*
 * The shift between two indentations; SHIFT_NONE when none of the kinds fits.
 */
static struct shift shift_of(struct str old, struct str text)
{
	struct shift s = { .kind = SHIFT_NONE };

	if (text.len > old.len && str_ends(text, old)) {
		s.kind = SHIFT_ADD;
		s.blanks = str_head(text, text.len - old.len);
	} else if (old.len > text.len && str_ends(old, text)) {
		s.kind = SHIFT_DROP;
		s.blanks = str_head(old, old.len - text.len);
	} else if ((s.unit = unit_of(text, old))) {
		s.kind = SHIFT_TABS;
	} else if ((s.unit = unit_of(old, text))) {
		s.kind = SHIFT_SPACES;
	}
	return s;
}

static bool same_shift(const struct shift *a, const struct shift *b)
{
	return a->kind == b->kind && a->unit == b->unit &&
	       str_eq(a->blanks, b->blanks);
}

/*
 * Lines without indentation match under a tab shift; *@bare notes them, as they
 * do not under SHIFT_ADD and SHIFT_DROP.
 */
static bool line_matches(const struct indent_line *old,
			 const struct indent_line *text, struct shift *shift,
			 bool *bare)
{
	struct shift s;

	if (!str_eq(old->rest, text->rest))
		return false;
	if (!old->rest.len)
		return true;
	if (!old->indent.len && !text->indent.len) {
		*bare = true;
		return true;
	}
	s = shift_of(old->indent, text->indent);
	if (s.kind == SHIFT_NONE)
		return false;
	if (shift->kind == SHIFT_NONE)
		*shift = s;
	return same_shift(shift, &s);
}

bool shift_at(struct str text, size_t at, const struct indent_lines *old,
	      size_t *steps, struct shifted *ret)
{
	struct shift shift = { .kind = SHIFT_NONE };
	bool bare = false;
	struct indent_line l;
	size_t from = at;

	for (size_t i = 0; i < old->count; i++) {
		if (++*steps > MAX_STEPS || (i && at >= text.len))
			return false;
		l = line_at(text, at);
		if (!line_matches(&old->at[i], &l, &shift, &bare) ||
		    (old->at[i].terminated && !l.terminated))
			return false;
		at = l.next;
	}
	if (shift.kind == SHIFT_NONE)
		return false;
	if (bare && (shift.kind == SHIFT_ADD || shift.kind == SHIFT_DROP))
		return false;
	*ret = (struct shifted){
		from, old->at[old->count - 1].terminated ? l.next : l.end, shift
	};
	return true;
}

struct indent_lines shift_lines(struct str old, struct arena *mem)
{
	struct indent_lines l = { .count = 0 };

	l.at = arena_array(mem, struct indent_line, lines_count(old));
	for (size_t at = 0; at < old.len; at = l.at[l.count++].next)
		l.at[l.count] = line_at(old, at);
	return l;
}

size_t shift_find(struct str text, struct str old, struct arena *mem,
		  struct shifted *ret)
{
	struct indent_lines lines = shift_lines(old, mem);
	size_t found = 0, steps = 0, ask = CANCEL_STRIDE;
	struct shifted one;

	/* a final line of blanks would match anywhere */
	if (!lines.count || (!lines.at[lines.count - 1].terminated &&
			     !lines.at[lines.count - 1].rest.len))
		return 0;
	for (size_t at = 0; at < text.len; at = line_at(text, at).next) {
		if (cancel_every(at, &ask))
			return 0;
		if (shift_at(text, at, &lines, &steps, &one)) {
			found++;
			*ret = one;
		}
		if (found > 1 || steps > MAX_STEPS)
			return 2;
	}
	return found;
}

static void put_many(struct buf *out, char c, size_t n)
{
	while (n--)
		buf_addc(out, c);
}

bool shift_line(const struct shift *s, struct str line, struct buf *out)
{
	struct indent_line l = line_at(line, 0);
	size_t n = l.indent.len;

	if (!l.rest.len) {
		buf_add(out, line);
		return true;
	}
	switch (s->kind) {
	case SHIFT_NONE:
		return false;
	case SHIFT_ADD:
		buf_add(out, s->blanks);
		buf_add(out, line);
		return true;
	case SHIFT_DROP:
		if (!str_starts(l.indent, s->blanks))
			return false;
		buf_add(out, str_skip(line, s->blanks.len));
		return true;
	case SHIFT_TABS:
		if (!all_are(l.indent, ' ') || n % s->unit)
			return false;
		put_many(out, '\t', n / s->unit);
		break;
	case SHIFT_SPACES:
		if (!all_are(l.indent, '\t'))
			return false;
		put_many(out, ' ', n * s->unit);
		break;
	}
	buf_add(out, str_skip(line, n));
	return true;
}
