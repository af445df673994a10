/*
 * Each gap of the alignment is of one kind; a kind is told once, with the
 * first gap of it, and how many more there are.
 */
#include "text/near_say.h"

#include "base/buf.h"
#include "text/alike.h"
#include "text/near.h"
#include "text/utf8.h"

enum { MOST_CODES = 3, MOST_SHOWN = 48, MOST_KINDS = 4, WORDS = 320 };

enum kind {
	KIND_BLANKS, /* refined to one of the next two by where it is */
	KIND_INDENT,
	KIND_TRAILING,
	KIND_ENDING,
	KIND_BREAKS,
	KIND_QUOTE,
	KIND_DASH,
	KIND_SPACE,
	KIND_HIDDEN,
	KIND_LETTER,
	KIND_WIDE,
	KIND_FORM,
	KIND_CASE,
	KIND_TEXT,
	KIND_COUNT,
};

static const char *const labels[KIND_COUNT] = {
	[KIND_BLANKS] = "blanks",
	[KIND_INDENT] = "indentation",
	[KIND_TRAILING] = "blanks at the end",
	[KIND_ENDING] = "line ending",
	[KIND_BREAKS] = "line breaks",
	[KIND_QUOTE] = "quotes",
	[KIND_DASH] = "dashes",
	[KIND_SPACE] = "odd blank",
	[KIND_HIDDEN] = "no width",
	[KIND_LETTER] = "look-alike",
	[KIND_WIDE] = "full width",
	[KIND_FORM] = "Unicode form",
	[KIND_CASE] = "letter case",
	[KIND_TEXT] = "",
};

static const enum kind kind_of_alike[] = {
	[ALIKE_QUOTE] = KIND_QUOTE,   [ALIKE_DASH] = KIND_DASH,
	[ALIKE_SPACE] = KIND_SPACE,   [ALIKE_HIDDEN] = KIND_HIDDEN,
	[ALIKE_LETTER] = KIND_LETTER, [ALIKE_WIDE] = KIND_WIDE,
};

/* A run of characters of one side. */
struct run {
	const struct near_char *at;
	size_t count;
};

static bool all_blank(struct run r)
{
	for (size_t i = 0; i < r.count; i++)
		if (!near_blank(r.at[i].code))
			return false;
	return true;
}

/* Of a character that only one side has. */
static enum kind kind_alone(uint32_t code)
{
	struct alike a;

	if (near_blank(code))
		return KIND_BLANKS;
	if (code == '\n')
		return KIND_BREAKS;
	if (code == '\r')
		return KIND_ENDING;
	if (alike_is_mark(code))
		return KIND_FORM;
	if (alike_find(code, &a) &&
	    (a.kind == ALIKE_HIDDEN || a.kind == ALIKE_SPACE))
		return kind_of_alike[a.kind];
	return KIND_TEXT;
}

/* Of two that look alike. */
static enum kind kind_of_pair(const struct near_char *a,
			      const struct near_char *b)
{
	uint32_t base, mark;
	struct alike like;

	if (a->plain != b->plain)
		return KIND_TEXT;
	if (near_blank(a->code) && near_blank(b->code))
		return KIND_BLANKS;
	if (a->plain == '\n')
		return KIND_ENDING;
	if (alike_find(b->code, &like) || alike_find(a->code, &like))
		return kind_of_alike[like.kind];
	if (alike_parts(a->code, &base, &mark) ||
	    alike_parts(b->code, &base, &mark))
		return KIND_FORM;
	return KIND_CASE;
}

static enum kind join(enum kind a, enum kind b)
{
	if (a == KIND_COUNT || a == b)
		return b;
	if ((a == KIND_BLANKS && b == KIND_BREAKS) ||
	    (a == KIND_BREAKS && b == KIND_BLANKS))
		return KIND_BREAKS;
	if ((a == KIND_BLANKS && b == KIND_SPACE) ||
	    (a == KIND_SPACE && b == KIND_BLANKS))
		return KIND_SPACE;
	return KIND_TEXT;
}

/* Sides of one length that look alike are told by their pairs. */
static bool are_pairs(struct run old, struct run text)
{
	if (old.count != text.count)
		return false;
	for (size_t i = 0; i < old.count; i++)
		if (old.at[i].plain != text.at[i].plain)
			return false;
	return true;
}

static enum kind kind_of_runs(struct run old, struct run text)
{
	enum kind kind = KIND_COUNT;

	if (are_pairs(old, text)) {
		for (size_t i = 0; i < old.count; i++)
			kind = join(kind,
				    kind_of_pair(&old.at[i], &text.at[i]));
		return kind;
	}
	for (size_t i = 0; i < old.count; i++)
		kind = join(kind, kind_alone(old.at[i].code));
	for (size_t i = 0; i < text.count; i++)
		kind = join(kind, kind_alone(text.at[i].code));
	return kind;
}

/* é as one against e and its accent: the same when all is taken apart. */
static bool same_parts(struct run a, struct run b)
{
	uint32_t parts[2][8], base, mark;
	struct run side[2] = { a, b };
	size_t n[2] = { 0, 0 };

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < side[s].count; i++) {
			uint32_t code = side[s].at[i].code, marks[3];
			size_t k = 0;

			while (k < 3 && alike_parts(code, &base, &mark)) {
				marks[k++] = mark;
				code = base;
			}
			if (n[s] + k + 1 > COUNT_OF(parts[s]))
				return false;
			parts[s][n[s]++] = code;
			while (k)
				parts[s][n[s]++] = marks[--k];
		}
	}
	return n[0] == n[1] &&
	       !memcmp(parts[0], parts[1], n[0] * sizeof(parts[0][0]));
}

static struct run old_run(const struct near_pair *p, const struct near_gap *g)
{
	return (struct run){ p->old->at + g->from, g->to - g->from };
}

static struct run text_run(const struct near_pair *p, const struct near_gap *g)
{
	return (struct run){ p->text->at + g->start, g->end - g->start };
}

/* Blanks are told as whole runs of them. */
static void widen(const struct near_pair *p, struct near_gap *g)
{
	while (g->from && g->start > p->path->start &&
	       near_blank(p->old->at[g->from - 1].code) &&
	       p->text->at[g->start - 1].code == p->old->at[g->from - 1].code) {
		g->from--;
		g->start--;
	}
	while (g->to < p->old->count && g->end < p->text->count &&
	       near_blank(p->old->at[g->to].code) &&
	       p->text->at[g->end].code == p->old->at[g->to].code) {
		g->to++;
		g->end++;
	}
}

static enum kind place_blanks(const struct near_pair *p,
			      const struct near_gap *g)
{
	size_t at = g->start, end = g->end;

	while (end < p->text->count && near_blank(p->text->at[end].code))
		end++;
	if (end < p->text->count ? p->text->at[end].code == '\n' : p->last)
		return KIND_TRAILING;
	while (at && near_blank(p->text->at[at - 1].code))
		at--;
	if (at ? p->text->at[at - 1].code == '\n' : p->whole)
		return KIND_INDENT;
	return KIND_BLANKS;
}

/* What kind *@g is; may make it wider. */
static enum kind judge(const struct near_pair *p, struct near_gap *g)
{
	enum kind kind = kind_of_runs(old_run(p, g), text_run(p, g));
	struct near_gap wide = *g;

	if (same_parts(old_run(p, g), text_run(p, g)))
		return KIND_FORM;
	if (kind == KIND_BLANKS) {
		widen(p, g);
		return place_blanks(p, g);
	}
	if (kind != KIND_FORM || !g->from || g->start <= p->path->start)
		return kind == KIND_FORM ? KIND_TEXT : kind;
	/* an accent alone: the letter belongs to it */
	wide.from--;
	wide.start--;
	if (!same_parts(old_run(p, &wide), text_run(p, &wide)))
		return KIND_TEXT;
	*g = wide;
	return KIND_FORM;
}

static void put_count(struct buf *out, size_t n, const char *what)
{
	buf_addf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

static void put_blanks(struct buf *out, struct run r)
{
	size_t tabs = 0;

	for (size_t i = 0; i < r.count; i++)
		tabs += r.at[i].code == '\t';
	if (!r.count)
		buf_lit(out, "none");
	if (tabs)
		put_count(out, tabs, "tab");
	if (tabs && tabs < r.count)
		buf_lit(out, " and ");
	if (tabs < r.count)
		put_count(out, r.count - tabs, "space");
}

static void put_codes(struct buf *out, struct run r, bool named)
{
	struct alike a;

	if (!r.count)
		buf_lit(out, "nothing");
	for (size_t i = 0; i < r.count; i++) {
		uint32_t code = r.at[i].code;

		if (i)
			buf_addc(out, ' ');
		if (i == MOST_CODES) {
			buf_lit(out, "…");
			return;
		}
		if (code >= UTF8_NOT)
			buf_addf(out, "byte %02X", code - UTF8_NOT);
		else
			buf_addf(out, "U+%04X", code);
		if (named && alike_find(code, &a) && a.name)
			buf_addf(out, " (%s)", a.name);
	}
}

static void put_breaks(struct buf *out, struct run r)
{
	size_t n = 0;

	for (size_t i = 0; i < r.count; i++)
		n += r.at[i].code == '\n';
	buf_addf(out, "%zu", n);
}

static void put_ending(struct buf *out, struct run r)
{
	if (!r.count)
		buf_lit(out, "none");
	else
		buf_add(out,
			r.at[0].code == '\r' ? STR("a CR alone") : STR("LF"));
}

static void put_side(struct buf *out, enum kind kind, struct run r)
{
	if (kind == KIND_INDENT || kind == KIND_TRAILING || all_blank(r))
		put_blanks(out, r);
	else if (kind == KIND_BREAKS)
		put_breaks(out, r);
	else if (kind == KIND_ENDING)
		put_ending(out, r);
	else
		put_codes(out, r, /* named= */ kind != KIND_FORM);
}

/* One character of a text, made visible. */
static void put_visible(struct buf *out, struct str raw, uint32_t code,
			bool shown_blank)
{
	char picture[4];
	struct alike a;

	if (code == '\t')
		buf_lit(out, "→");
	else if (code == ' ' && shown_blank)
		buf_lit(out, "·");
	else if (code < ' ' || code == 0x7f)
		buf_add(out,
			str_make(picture,
				 utf8_put(code == 0x7f ? 0x2421 : 0x2400 + code,
					  picture)));
	else if (code >= UTF8_NOT)
		buf_addf(out, "⟨%02X⟩", code - UTF8_NOT);
	else if ((code >= 0x80 && code < 0xa0) ||
		 (alike_find(code, &a) &&
		  (a.kind == ALIKE_HIDDEN || a.kind == ALIKE_SPACE)))
		buf_addf(out, "⟨U+%04X⟩", code);
	else
		buf_add(out, raw);
}

static bool is_blank_at(struct str s, size_t at)
{
	return at >= s.len || near_blank((unsigned char)s.ptr[at]);
}

/* Add characters of @line from @at on while they fit into @most bytes. */
static size_t put_line(struct buf *out, struct str line, size_t at, size_t most)
{
	enum { LONGEST = 12 }; /* one character made visible */
	size_t start = out->len, len;

	for (; at < line.len && out->len - start + LONGEST <= most; at += len) {
		uint32_t code = utf8_any(str_skip(line, at), &len);
		bool blank = !at || is_blank_at(line, at - 1) ||
			     is_blank_at(line, at + 1);

		put_visible(out, str_sub(line, at, at + len), code, blank);
	}
	return at;
}

static struct str line_around(struct str text, size_t at, size_t *start)
{
	size_t lf = str_rfind(str_head(text, at), '\n');
	struct str rest;

	*start = lf == size_min(at, text.len) ? 0 : lf + 1;
	rest = str_skip(text, *start);
	return str_head(rest, str_find(rest, '\n'));
}

struct str near_visible(struct str text, size_t at, struct arena *mem)
{
	enum { FRONT = 40, CUT = 3 };
	auto_buf out = BUF_INIT;
	size_t start, from = 0, end;
	struct str line = line_around(text, at, &start);

	at -= start;
	if (at > 2 * (size_t)FRONT) {
		from = at - FRONT;
		while (from < at && (line.ptr[from] & 0xc0) == 0x80)
			from++;
		buf_lit(&out, "…");
	}
	end = put_line(&out, line, from, NEAR_TEXT - 2 * CUT);
	if (end < line.len)
		buf_lit(&out, "…");
	return arena_copy(mem, buf_str(&out));
}

static void put_text_side(struct buf *out, const struct near_pair *p,
			  const struct near_gap *g)
{
	struct str all = str_sub(p->text->bytes, p->text->at[g->start].at,
				 p->text->at[g->end].at);
	struct str first = str_head(all, str_find(all, '\n'));

	buf_lit(out, "‹");
	if (put_line(out, first, 0, MOST_SHOWN) < all.len)
		buf_lit(out, "…");
	buf_lit(out, "›");
}

static void put_text_gap(struct buf *out, const struct near_pair *p,
			 const struct near_gap *g)
{
	size_t gone = g->to - g->from;

	if (g->start == g->end) {
		buf_lit(out, "old_string has ");
		put_count(out, gone, "character");
		buf_lit(out, " more");
		return;
	}
	buf_lit(out, "the file has ");
	put_text_side(out, p, g);
	if (!gone) {
		buf_lit(out, " more");
		return;
	}
	buf_lit(out, " for ");
	put_count(out, gone, "character");
	buf_lit(out, " of old_string");
}

static void put_place(struct buf *out, const struct near_pair *p,
		      const struct near_gap *g, bool column)
{
	size_t line = p->line, from = 0;

	for (size_t j = 0; j < g->start; j++)
		if (p->text->at[j].code == '\n') {
			line++;
			from = j + 1;
		}
	buf_addf(out, "line %zu", line);
	if (column && (from || p->whole))
		buf_addf(out, ", column %zu", g->start - from + 1);
	buf_lit(out, ": ");
}

static void put_gap(struct buf *out, const struct near_pair *p, enum kind kind,
		    const struct near_gap *g)
{
	put_place(out, p, g, /* column= */ kind >= KIND_QUOTE);
	if (kind == KIND_TEXT) {
		put_text_gap(out, p, g);
		return;
	}
	buf_add(out, str_of(labels[kind]));
	if (kind == KIND_CASE)
		return;
	buf_lit(out, ", ");
	put_side(out, kind, text_run(p, g));
	buf_lit(out, " in the file, ");
	put_side(out, kind, old_run(p, g));
	buf_lit(out, " in old_string");
}

/* Words that are changed in several letters are one gap. */
static bool joins(const struct near_pair *p, const struct near_gap *a,
		  const struct near_gap *b)
{
	enum { APART = 3 };

	if (b->from - a->to > APART || b->start - a->end > APART)
		return false;
	for (size_t i = a->to; i < b->from; i++)
		if (p->old->at[i].code == '\n')
			return false;
	return true;
}

struct told {
	enum kind kind;
	struct near_gap gap;
	size_t more;
};

static void tell(struct told *told, size_t *n, enum kind kind,
		 struct near_gap gap)
{
	for (size_t i = 0; i < *n; i++)
		if (told[i].kind == kind) {
			told[i].more++;
			return;
		}
	told[(*n)++] = (struct told){ kind, gap, 0 };
}

static size_t sort_out(const struct near_pair *p, struct told told[KIND_COUNT])
{
	const struct near_path *path = p->path;
	size_t n = 0;

	for (size_t i = 0; i < path->count; i++) {
		struct near_gap g = path->gaps[i];
		enum kind kind = judge(p, &g);

		while (kind == KIND_TEXT && i + 1 < path->count &&
		       joins(p, &g, &path->gaps[i + 1])) {
			g.to = path->gaps[i + 1].to;
			g.end = path->gaps[++i].end;
		}
		tell(told, &n, kind, g);
	}
	return n;
}

struct str near_differs(const struct near_pair *p, struct arena *mem)
{
	enum { ROOM = 40 };
	struct told told[KIND_COUNT];
	size_t n = sort_out(p, told);
	auto_buf out = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		auto_buf one = BUF_INIT;

		put_gap(&one, p, told[i].kind, &told[i].gap);
		if (told[i].more)
			buf_addf(&one, " (and %zu more)", told[i].more);
		if (i &&
		    (i == MOST_KINDS || out.len + one.len + ROOM > WORDS)) {
			buf_lit(&out, "; and more");
			break;
		}
		if (i)
			buf_lit(&out, "; ");
		buf_add(&out, buf_str(&one));
	}
	return arena_copy(mem, buf_str(&out));
}
