/*
 * A rung says which bytes of the text the old string stands for. What is put
 * in for them is the same for all rungs: old and new string are compared line
 * by line; lines of both are taken from the text as they are, and the new
 * ones from the new string, shifted. The lines of the old string and those of
 * the text are the same in number, so the one says where the other is.
 */
#include "text/loose.h"

#include "text/common.h"
#include "text/diff.h"
#include "text/edit_eol.h"
#include "text/lines.h"
#include "text/loose_fold.h"
#include "text/loose_indent.h"
#include "text/match.h"

/* What the ladder works on. */
struct work {
	struct str text;
	struct str sent;      /* the old string */
	struct str old, with; /* both with LF for all line endings */
	bool at_end; /* the old string ended in blanks: so must the line */
	struct shift shift;
	bool quotes;
	struct arena *mem;
};

static const char *const names[] = {
	[LOOSE_NONE] = "",
	[LOOSE_TRAILING] = "trailing blanks",
	[LOOSE_INDENT] = "indentation",
	[LOOSE_QUOTES] = "quotes",
};

const char *loose_name(enum loose_rung rung)
{
	return names[rung];
}

static struct str without_blanks_at_end(struct str s)
{
	while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
		s.len--;
	return s;
}

/* How often @old is in @seen: 0, 1, or 2 for more; where it is. */
static size_t count_seen(const struct work *w, struct str seen, struct str old,
			 size_t *ret)
{
	enum { MOST = 4096 }; /* that are not at the end of a line */
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

/* The place of the old string in what is seen of the text. */
static size_t find_seen(const struct work *w, struct splice *ret)
{
	struct str seen = fold_text(w->text, w->quotes, w->mem);
	struct str old = fold_text(w->sent, w->quotes, w->mem);
	size_t found, from = 0, to;

	if (!old.len)
		return 0;
	found = count_seen(w, seen, old, &from);
	if (found != 1)
		return found;
	to = from + old.len;
	if (!fold_place(w->text, w->quotes, &from, &to))
		return 2;
	*ret = (struct splice){ .from = from, .to = to };
	return 1;
}

static size_t find_shifted(struct work *w, struct splice *ret)
{
	struct shifted s;
	size_t found = shift_find(w->text, w->sent, w->mem, &s);

	if (found != 1)
		return found;
	w->shift = s.shift;
	*ret = (struct splice){ .from = s.from, .to = s.to };
	return 1;
}

static struct str lines_of(struct str s, size_t first, size_t count)
{
	size_t from = lines_after(s, first);
	struct str rest = str_skip(s, from);

	return str_head(rest, lines_after(rest, count));
}

/*
 * New lines for old ones that differ in their quotes from the text's: what
 * old and new have in common in front and at the end stays as the text has it.
 */
static void put_quoted(const struct work *w, struct str old, struct str with,
		       struct str mine, struct buf *out)
{
	struct fold_unit *a, *b;
	size_t n = fold_units(old, true, w->mem, &a), front = 0, back = n;
	size_t m = fold_units(mine, true, w->mem, &b);
	size_t same = common_head(old, with), at = 0, end = old.len;

	if (n != m) {
		buf_add(out, with);
		return;
	}
	while (front < n && a[front].to <= same)
		at = a[front++].to;
	buf_add(out, str_head(mine, front ? b[front - 1].to : 0));
	same = common_tail(str_skip(old, at), str_skip(with, at));
	while (back > front && a[back - 1].from >= old.len - same)
		end = a[--back].from;
	buf_add(out, str_sub(with, at, with.len - (old.len - end)));
	if (back < n)
		buf_add(out, str_skip(mine, b[back].from));
}

static bool put_shifted(const struct work *w, struct str with, struct buf *out)
{
	struct str line;

	for (; with.len; with = str_skip(with, line.len)) {
		line = str_head(with, lines_after(with, 1));
		if (!shift_line(&w->shift, line, out))
			return false;
	}
	return true;
}

static bool put_change(const struct work *w, const struct diff_change *c,
		       struct str mine, struct buf *out)
{
	struct str with = lines_of(w->with, c->b, c->b_count);

	if (w->shift.kind != SHIFT_NONE)
		return put_shifted(w, with, out);
	if (w->quotes)
		put_quoted(w, lines_of(w->old, c->a, c->a_count), with,
			   lines_of(mine, c->a, c->a_count), out);
	else
		buf_add(out, with);
	return true;
}

/* The new string in the manner of @mine, which is the old one in the text. */
static bool compose(const struct work *w, struct str mine, struct buf *out)
{
	struct diff d;
	size_t line = 0;

	diff_texts(w->old, w->with, w->mem, &d);
	for (size_t i = 0; i < d.count; i++) {
		const struct diff_change *c = &d.changes[i];

		buf_add(out, lines_of(mine, line, c->a - line));
		if (!put_change(w, c, mine, out))
			return false;
		line = c->a + c->a_count;
	}
	buf_add(out, lines_of(mine, line, SIZE_MAX));
	return true;
}

/* The line endings of the place, as for any edit. */
static struct str fit(const struct work *w, const struct splice *s,
		      struct str with)
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

static bool settle(const struct work *w, enum loose_rung rung, struct splice s,
		   struct loose *ret)
{
	auto_buf out = BUF_INIT;
	struct str mine = str_sub(w->text, s.from, s.to);

	mine = eol_to_lf(mine, w->mem);
	if (lines_newlines(mine) != lines_newlines(w->old) ||
	    !compose(w, mine, &out))
		return false;
	s.with = fit(w, &s, arena_copy(w->mem, buf_str(&out)));
	*ret = (struct loose){ rung, s };
	return true;
}

static bool is_seen(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != '\n' && s.ptr[i] != ' ' && s.ptr[i] != '\t')
			return true;
	return false;
}

static bool is_there(struct str text, struct str old, struct arena *mem)
{
	if (match_find(text, old, 0) != MATCH_NONE)
		return true;
	return match_find(eol_to_lf(text, mem), eol_to_lf(old, mem), 0) !=
	       MATCH_NONE;
}

/* Copies of the text, and of the old string a row for each character. */
static bool can_look(struct str text, struct str old, struct arena *mem)
{
	enum { LITTLE = 64 * 1024, COPIES = 3, ROWS = 64 };

	if (text.len + old.len <= LITTLE)
		return true;
	return arena_reserve(mem, COPIES * text.len + ROWS * old.len);
}

bool loose_find(struct str text, struct str old, struct str with,
		struct arena *mem, struct loose *ret)
{
	struct work w = { .text = text, .mem = mem };
	enum loose_rung rung = LOOSE_TRAILING;
	struct splice s = { 0 };
	size_t found;

	if (!old.len || !can_look(text, old, mem) || is_there(text, old, mem))
		return false;
	w.sent = without_blanks_at_end(old);
	w.at_end = w.sent.len < old.len;
	w.old = eol_to_lf(w.sent, mem);
	w.with = eol_to_lf(with, mem);
	/* the blanks of a line that is not in it: which one's? */
	if (!is_seen(w.old) || (w.at_end && str_ends(w.old, STR("\n"))))
		return false;
	if (w.at_end)
		w.with = without_blanks_at_end(w.with);
	found = find_seen(&w, &s);
	if (!found) {
		rung = LOOSE_INDENT;
		found = find_shifted(&w, &s);
	}
	if (!found) {
		rung = LOOSE_QUOTES;
		w.quotes = true;
		found = find_seen(&w, &s);
	}
	return found == 1 && settle(&w, rung, s, ret);
}
