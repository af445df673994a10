/*
 * lenient.c - the rules of lenient matching, and the replacement text.
 *
 * A rule finds the bytes of the text that the old string stands for. Composing
 * the replacement is the same for all rules: old and new string are compared
 * line by line; unchanged lines are taken from the text, changed ones from the
 * new string, shifted. Old string and matched text have the same number of
 * lines, so a line of one gives the line of the other.
 */
#include "text/match/lenient.h"

#include "text/diff/common_prefix.h"
#include "text/diff/diff.h"
#include "text/edit/edit_eol.h"
#include "text/lines/lines.h"
#include "text/match/lenient_fold.h"
#include "text/match/lenient_indent.h"
#include "text/match/match.h"

/* State of one lenient_find(). */
struct lenient_work {
	struct str text;
	struct str given;     /* the old string without trailing blanks */
	struct str old, with; /* old and new string, with CRLF as LF */
	bool at_end; /* the old string ended in blanks: match only at a line end */
	struct shift shift;
	bool quotes;
	struct arena *mem;
};

static const char *const names[] = {
	[LENIENT_NONE] = "",
	[LENIENT_TRAILING] = "trailing blanks",
	[LENIENT_INDENT] = "indentation",
	[LENIENT_QUOTES] = "quotes",
};

const char *lenient_rule_name(enum lenient_rule rule)
{
	return names[rule];
}

static struct str without_blanks_at_end(struct str s)
{
	while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
		s.len--;
	return s;
}

/* How often @old occurs in @seen: 0, 1, or 2 for more; *@ret is its offset. */
static size_t count_folded(const struct lenient_work *w, struct str seen,
			   struct str old, size_t *ret)
{
	enum { MOST = 4096 }; /* occurrences inside a line before giving up */
	size_t found = 0, tries = 0;
	size_t at = match_find(seen, old, 0);

	for (; at != MATCH_NONE; at = match_find(seen, old, at + 1)) {
		size_t end = at + old.len;

		if (w->at_end && end < seen.len && seen.ptr[end] != '\n') {
			if (++tries > MOST)
				return 2;
			continue;
		}
		if (++found > 1)
			return 2;
		*ret = at;
	}
	return found;
}

/*
 * Find the old string in the folded text; returns how often as count_folded()
 * does.
 */
static size_t find_folded(const struct lenient_work *w, struct splice *ret)
{
	struct str seen = fold_text(w->text, w->quotes, w->mem);
	struct str old = fold_text(w->given, w->quotes, w->mem);
	size_t found, from = 0, to;

	if (!old.len)
		return 0;
	found = count_folded(w, seen, old, &from);
	if (found != 1)
		return found;
	to = from + old.len;
	if (!fold_place(w->text, w->quotes, &from, &to))
		return 2;
	*ret = (struct splice){ .from = from, .to = to };
	return 1;
}

static size_t find_shifted(struct lenient_work *w, struct splice *ret)
{
	struct shifted s;
	size_t found = shift_find(w->text, w->given, w->mem, &s);

	if (found != 1)
		return found;
	w->shift = s.shift;
	*ret = (struct splice){ .from = s.from, .to = s.to };
	return 1;
}

static struct str line_range(struct str s, size_t first, size_t count)
{
	size_t from = lines_after(s, first);
	struct str rest = str_skip(s, from);

	return str_head(rest, lines_after(rest, count));
}

/*
 * Replace lines that differ from the text in their quotes: the common prefix
 * and suffix of old and new string keep the bytes of the text.
 */
static void put_quoted(const struct lenient_work *w, struct str old,
		       struct str with, struct str mine, struct buf *out)
{
	struct fold_unit *a, *b;
	size_t n = fold_units(old, true, w->mem, &a), front = 0, back = n;
	size_t m = fold_units(mine, true, w->mem, &b);
	size_t same = common_prefix(old, with), at = 0, end = old.len;

	if (n != m) {
		buf_add(out, with);
		return;
	}
	while (front < n && a[front].to <= same)
		at = a[front++].to;
	buf_add(out, str_head(mine, front ? b[front - 1].to : 0));
	same = common_suffix(str_skip(old, at), str_skip(with, at));
	while (back > front && a[back - 1].from >= old.len - same)
		end = a[--back].from;
	buf_add(out, str_sub(with, at, with.len - (old.len - end)));
	if (back < n)
		buf_add(out, str_skip(mine, b[back].from));
}

static bool put_shifted(const struct lenient_work *w, struct str with,
			struct buf *out)
{
	struct str line;

	for (; with.len; with = str_skip(with, line.len)) {
		line = str_head(with, lines_after(with, 1));
		if (!shift_line(&w->shift, line, out))
			return false;
	}
	return true;
}

static bool add_change_text(const struct lenient_work *w,
			    const struct diff_change *c, struct str mine,
			    struct buf *out)
{
	struct str with = line_range(w->with, c->b, c->b_count);

	if (w->shift.kind != SHIFT_NONE)
		return put_shifted(w, with, out);
	if (w->quotes)
		put_quoted(w, line_range(w->old, c->a, c->a_count), with,
			   line_range(mine, c->a, c->a_count), out);
	else
		buf_add(out, with);
	return true;
}

/*
 * The replacement for @mine, the part of the text that matched; false when it
 * would be a guess.
 */
static bool compose_lines(const struct lenient_work *w, struct str mine,
			  struct buf *out)
{
	struct diff d;
	size_t line = 0;

	diff_texts(w->old, w->with, w->mem, &d);
	for (size_t i = 0; i < d.count; i++) {
		const struct diff_change *c = &d.changes[i];

		buf_add(out, line_range(mine, line, c->a - line));
		if (!add_change_text(w, c, mine, out))
			return false;
		line = c->a + c->a_count;
	}
	buf_add(out, line_range(mine, line, SIZE_MAX));
	return true;
}

/* Give @with the line endings of its place, as for any edit. */
static struct str fit_endings(const struct lenient_work *w,
			      const struct splice *s, struct str with)
{
	struct str before = str_head(w->text, s->from);
	size_t lf = str_rfind(before, '\n');
	size_t start = lf < before.len ? lf + 1 : 0;
	struct str rest = str_skip(w->text, s->to);
	size_t end = s->to + size_min(rest.len, str_find(rest, '\n') + 1);
	struct eol_place p = { .lines = str_sub(w->text, start, end),
			       .from = s->from - start,
			       .to = s->to - start,
			       .above = EOL_NONE };

	if (start)
		p.above = str_ends(str_head(w->text, start), STR("\r\n"))
				  ? EOL_CRLF
				  : EOL_LF;
	return edit_eol_fit(&p, with, w->mem);
}

static bool make_splice(const struct lenient_work *w, enum lenient_rule rule,
			struct splice s, struct lenient_match *ret)
{
	auto_buf out = BUF_INIT;
	struct str mine = str_sub(w->text, s.from, s.to);

	mine = eol_to_lf(mine, w->mem);
	if (lines_newlines(mine) != lines_newlines(w->old) ||
	    !compose_lines(w, mine, &out))
		return false;
	s.with = fit_endings(w, &s, arena_copy(w->mem, buf_str(&out)));
	*ret = (struct lenient_match){ rule, s };
	return true;
}

static bool has_visible(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != '\n' && s.ptr[i] != ' ' && s.ptr[i] != '\t')
			return true;
	return false;
}

static bool occurs(struct str text, struct str old, struct arena *mem)
{
	if (match_find(text, old, 0) != MATCH_NONE)
		return true;
	return match_find(eol_to_lf(text, mem), eol_to_lf(old, mem), 0) !=
	       MATCH_NONE;
}

/*
 * Reserve memory for copies of the text and a row per byte of the old string.
 */
static bool check_memory(struct str text, struct str old, struct arena *mem)
{
	enum { LITTLE = 64 * 1024, COPIES = 3, ROWS = 64 };

	if (text.len + old.len <= LITTLE)
		return true;
	return arena_reserve(mem, COPIES * text.len + ROWS * old.len);
}

bool lenient_find(struct str text, struct str old, struct str with,
		  struct arena *mem, struct lenient_match *ret)
{
	struct lenient_work w = { .text = text, .mem = mem };
	enum lenient_rule rule = LENIENT_TRAILING;
	struct splice s = { 0 };
	size_t found;

	if (!old.len || !check_memory(text, old, mem) || occurs(text, old, mem))
		return false;
	w.given = without_blanks_at_end(old);
	w.at_end = w.given.len < old.len;
	w.old = eol_to_lf(w.given, mem);
	w.with = eol_to_lf(with, mem);
	/*
	 * blanks after a final newline belong to a line that is not part of the
	 * string
	 */
	if (!has_visible(w.old) || (w.at_end && str_ends(w.old, STR("\n"))))
		return false;
	if (w.at_end)
		w.with = without_blanks_at_end(w.with);
	found = find_folded(&w, &s);
	if (!found) {
		rule = LENIENT_INDENT;
		found = find_shifted(&w, &s);
	}
	if (!found) {
		rule = LENIENT_QUOTES;
		w.quotes = true;
		found = find_folded(&w, &s);
	}
	return found == 1 && make_splice(&w, rule, s, ret);
}
