/*
 * explain.c - put the differences of an alignment into words.
 *
 * Each gap of the alignment is classified as one kind of difference
 * (indentation, quotes, letter case ...). A kind is reported once, with its
 * first gap and the number of further ones. Nothing of the searched string is
 * printed but counts and code points.
 */
#include "text/match/explain.h"

#include "base/buf.h"
#include "text/encoding/utf8.h"
#include "text/match/candidates.h"
#include "text/match/confusable.h"

enum { MAX_CODES = 3, MAX_SHOWN = 48, MAX_KINDS = 4, MAX_WORDS = 320 };

enum difference_kind {
	DIFFERENCE_BLANKS, /* becomes INDENT or TRAILING where that fits */
	DIFFERENCE_INDENT,
	DIFFERENCE_TRAILING,
	DIFFERENCE_ENDING,
	DIFFERENCE_BREAKS,
	DIFFERENCE_QUOTE,
	DIFFERENCE_DASH,
	DIFFERENCE_SPACE,
	DIFFERENCE_HIDDEN,
	DIFFERENCE_LETTER,
	DIFFERENCE_WIDE,
	DIFFERENCE_FORM,
	DIFFERENCE_CASE,
	DIFFERENCE_TEXT,
	DIFFERENCE_COUNT,
};

static const char *const labels[DIFFERENCE_COUNT] = {
	[DIFFERENCE_BLANKS] = "blanks",
	[DIFFERENCE_INDENT] = "indentation",
	[DIFFERENCE_TRAILING] = "blanks at the end",
	[DIFFERENCE_ENDING] = "line ending",
	[DIFFERENCE_BREAKS] = "line breaks",
	[DIFFERENCE_QUOTE] = "quotes",
	[DIFFERENCE_DASH] = "dashes",
	[DIFFERENCE_SPACE] = "odd blank",
	[DIFFERENCE_HIDDEN] = "no width",
	[DIFFERENCE_LETTER] = "look-alike",
	[DIFFERENCE_WIDE] = "full width",
	[DIFFERENCE_FORM] = "Unicode form",
	[DIFFERENCE_CASE] = "letter case",
	[DIFFERENCE_TEXT] = "",
};

static const enum difference_kind kind_of_confusable[] = {
	[CONFUSABLE_QUOTE] = DIFFERENCE_QUOTE,
	[CONFUSABLE_DASH] = DIFFERENCE_DASH,
	[CONFUSABLE_SPACE] = DIFFERENCE_SPACE,
	[CONFUSABLE_HIDDEN] = DIFFERENCE_HIDDEN,
	[CONFUSABLE_LETTER] = DIFFERENCE_LETTER,
	[CONFUSABLE_WIDE] = DIFFERENCE_WIDE,
};

/* A run of characters of the string or of the text. */
struct align_run {
	const struct align_char *at;
	size_t count;
};

static bool all_blank(struct align_run r)
{
	for (size_t i = 0; i < r.count; i++)
		if (!align_is_blank(r.at[i].code))
			return false;
	return true;
}

/* The kind of a character that only one side has. */
static enum difference_kind kind_of_unmatched(uint32_t code)
{
	struct confusable a;

	if (align_is_blank(code))
		return DIFFERENCE_BLANKS;
	if (code == '\n')
		return DIFFERENCE_BREAKS;
	if (code == '\r')
		return DIFFERENCE_ENDING;
	if (confusable_is_mark(code))
		return DIFFERENCE_FORM;
	if (confusable_find(code, &a) &&
	    (a.kind == CONFUSABLE_HIDDEN || a.kind == CONFUSABLE_SPACE))
		return kind_of_confusable[a.kind];
	return DIFFERENCE_TEXT;
}

/* The kind of two confusable characters. */
static enum difference_kind kind_of_pair(const struct align_char *a,
					 const struct align_char *b)
{
	uint32_t base, mark;
	struct confusable like;

	if (a->plain != b->plain)
		return DIFFERENCE_TEXT;
	if (align_is_blank(a->code) && align_is_blank(b->code))
		return DIFFERENCE_BLANKS;
	if (a->plain == '\n')
		return DIFFERENCE_ENDING;
	if (confusable_find(b->code, &like) || confusable_find(a->code, &like))
		return kind_of_confusable[like.kind];
	if (confusable_decompose(a->code, &base, &mark) ||
	    confusable_decompose(b->code, &base, &mark))
		return DIFFERENCE_FORM;
	return DIFFERENCE_CASE;
}

static enum difference_kind join_kinds(enum difference_kind a,
				       enum difference_kind b)
{
	if (a == DIFFERENCE_COUNT || a == b)
		return b;
	if ((a == DIFFERENCE_BLANKS && b == DIFFERENCE_BREAKS) ||
	    (a == DIFFERENCE_BREAKS && b == DIFFERENCE_BLANKS))
		return DIFFERENCE_BREAKS;
	if ((a == DIFFERENCE_BLANKS && b == DIFFERENCE_SPACE) ||
	    (a == DIFFERENCE_SPACE && b == DIFFERENCE_BLANKS))
		return DIFFERENCE_SPACE;
	return DIFFERENCE_TEXT;
}

/*
 * Do the runs have the same length and, character by character, the same
 * skeleton?
 */
static bool are_confusable(struct align_run old, struct align_run text)
{
	if (old.count != text.count)
		return false;
	for (size_t i = 0; i < old.count; i++)
		if (old.at[i].plain != text.at[i].plain)
			return false;
	return true;
}

static enum difference_kind kind_of_runs(struct align_run old,
					 struct align_run text)
{
	enum difference_kind kind = DIFFERENCE_COUNT;

	if (are_confusable(old, text)) {
		for (size_t i = 0; i < old.count; i++)
			kind = join_kinds(kind, kind_of_pair(&old.at[i],
							     &text.at[i]));
		return kind;
	}
	for (size_t i = 0; i < old.count; i++)
		kind = join_kinds(kind, kind_of_unmatched(old.at[i].code));
	for (size_t i = 0; i < text.count; i++)
		kind = join_kinds(kind, kind_of_unmatched(text.at[i].code));
	return kind;
}

/*
 * Are the runs equal after canonical decomposition, as é and e with an accent?
 */
static bool same_decomposition(struct align_run a, struct align_run b)
{
	uint32_t parts[2][8], base, mark;
	struct align_run side[2] = { a, b };
	size_t n[2] = { 0, 0 };

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < side[s].count; i++) {
			uint32_t code = side[s].at[i].code, marks[3];
			size_t k = 0;

			while (k < 3 &&
			       confusable_decompose(code, &base, &mark)) {
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

static struct align_run old_run(const struct explain_pair *p,
				const struct align_gap *g)
{
	return (struct align_run){ p->old->at + g->from, g->to - g->from };
}

static struct align_run text_run(const struct explain_pair *p,
				 const struct align_gap *g)
{
	return (struct align_run){ p->text->at + g->start, g->end - g->start };
}

/* Extend a gap in blanks to the whole run of blanks on both sides. */
static void widen_blanks(const struct explain_pair *p, struct align_gap *g)
{
	while (g->from && g->start > p->path->start &&
	       align_is_blank(p->old->at[g->from - 1].code) &&
	       p->text->at[g->start - 1].code == p->old->at[g->from - 1].code) {
		g->from--;
		g->start--;
	}
	while (g->to < p->old->count && g->end < p->text->count &&
	       align_is_blank(p->old->at[g->to].code) &&
	       p->text->at[g->end].code == p->old->at[g->to].code) {
		g->to++;
		g->end++;
	}
}

static enum difference_kind classify_blanks(const struct explain_pair *p,
					    const struct align_gap *g)
{
	size_t at = g->start, end = g->end;

	while (end < p->text->count && align_is_blank(p->text->at[end].code))
		end++;
	if (end < p->text->count ? p->text->at[end].code == '\n' : p->last)
		return DIFFERENCE_TRAILING;
	while (at && align_is_blank(p->text->at[at - 1].code))
		at--;
	if (at ? p->text->at[at - 1].code == '\n' : p->whole)
		return DIFFERENCE_INDENT;
	return DIFFERENCE_BLANKS;
}

/*
 * The kind of the gap *@g, which may be extended to a run of blanks or to the
 * letter of an accent.
 */
static enum difference_kind classify_gap(const struct explain_pair *p,
					 struct align_gap *g)
{
	enum difference_kind kind = kind_of_runs(old_run(p, g), text_run(p, g));
	struct align_gap wide = *g;

	if (same_decomposition(old_run(p, g), text_run(p, g)))
		return DIFFERENCE_FORM;
	if (kind == DIFFERENCE_BLANKS) {
		widen_blanks(p, g);
		return classify_blanks(p, g);
	}
	if (kind != DIFFERENCE_FORM || !g->from || g->start <= p->path->start)
		return kind == DIFFERENCE_FORM ? DIFFERENCE_TEXT : kind;
	/* a lone accent: include the letter before it */
	wide.from--;
	wide.start--;
	if (!same_decomposition(old_run(p, &wide), text_run(p, &wide)))
		return DIFFERENCE_TEXT;
	*g = wide;
	return DIFFERENCE_FORM;
}

static void put_count(struct buf *out, size_t n, const char *what)
{
	buf_addf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

static void put_blanks(struct buf *out, struct align_run r)
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

static void put_codes(struct buf *out, struct align_run r, bool named)
{
	struct confusable a;

	if (!r.count)
		buf_lit(out, "nothing");
	for (size_t i = 0; i < r.count; i++) {
		uint32_t code = r.at[i].code;

		if (i)
			buf_addc(out, ' ');
		if (i == MAX_CODES) {
			buf_lit(out, "…");
			return;
		}
		if (code >= UTF8_NOT)
			buf_addf(out, "byte %02X", code - UTF8_NOT);
		else
			buf_addf(out, "U+%04X", code);
		if (named && confusable_find(code, &a) && a.name)
			buf_addf(out, " (%s)", a.name);
	}
}

static void put_breaks(struct buf *out, struct align_run r)
{
	size_t n = 0;

	for (size_t i = 0; i < r.count; i++)
		n += r.at[i].code == '\n';
	buf_addf(out, "%zu", n);
}

static void put_ending(struct buf *out, struct align_run r)
{
	if (!r.count)
		buf_lit(out, "none");
	else
		buf_add(out,
			r.at[0].code == '\r' ? STR("a CR alone") : STR("LF"));
}

static void put_side(struct buf *out, enum difference_kind kind,
		     struct align_run r)
{
	if (kind == DIFFERENCE_INDENT || kind == DIFFERENCE_TRAILING ||
	    all_blank(r))
		put_blanks(out, r);
	else if (kind == DIFFERENCE_BREAKS)
		put_breaks(out, r);
	else if (kind == DIFFERENCE_ENDING)
		put_ending(out, r);
	else
		put_codes(out, r, /* named= */ kind != DIFFERENCE_FORM);
}

/* Add one character of a text, made visible. */
static void put_visible(struct buf *out, struct str raw, uint32_t code,
			bool shown_blank)
{
	char picture[4];
	struct confusable a;

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
		 (confusable_find(code, &a) &&
		  (a.kind == CONFUSABLE_HIDDEN || a.kind == CONFUSABLE_SPACE)))
		buf_addf(out, "⟨U+%04X⟩", code);
	else
		buf_add(out, raw);
}

static bool is_blank_at(struct str s, size_t at)
{
	return at >= s.len || align_is_blank((unsigned char)s.ptr[at]);
}

/*
 * Add characters of @line from @at on while they fit into @most bytes; returns
 * where it stopped.
 */
static size_t put_line(struct buf *out, struct str line, size_t at, size_t most)
{
	enum { LONGEST = 12 }; /* bytes of one visible character, at most */
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

struct str explain_visible_line(struct str text, size_t at, struct arena *mem)
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
	end = put_line(&out, line, from, CANDIDATE_TEXT_MAX - 2 * CUT);
	if (end < line.len)
		buf_lit(&out, "…");
	return arena_copy(mem, buf_str(&out));
}

static void put_text_side(struct buf *out, const struct explain_pair *p,
			  const struct align_gap *g)
{
	struct str all = str_sub(p->text->bytes, p->text->at[g->start].at,
				 p->text->at[g->end].at);
	struct str first = str_head(all, str_find(all, '\n'));

	buf_lit(out, "‹");
	if (put_line(out, first, 0, MAX_SHOWN) < all.len)
		buf_lit(out, "…");
	buf_lit(out, "›");
}

static void put_text_gap(struct buf *out, const struct explain_pair *p,
			 const struct align_gap *g)
{
	size_t gone = g->to - g->from;

	if (g->start == g->end) {
		buf_addf(out, "%s has ", p->what);
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
	buf_addf(out, " of %s", p->what);
}

static void put_place(struct buf *out, const struct explain_pair *p,
		      const struct align_gap *g, bool column)
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

static void put_gap(struct buf *out, const struct explain_pair *p,
		    enum difference_kind kind, const struct align_gap *g)
{
	put_place(out, p, g, /* column= */ kind >= DIFFERENCE_QUOTE);
	if (kind == DIFFERENCE_TEXT) {
		put_text_gap(out, p, g);
		return;
	}
	buf_add(out, str_of(labels[kind]));
	if (kind == DIFFERENCE_CASE)
		return;
	buf_lit(out, ", ");
	put_side(out, kind, text_run(p, g));
	buf_lit(out, " in the file, ");
	put_side(out, kind, old_run(p, g));
	buf_addf(out, " in %s", p->what);
}

/* Gaps a few characters apart on one line are reported as one. */
static bool gaps_join(const struct explain_pair *p, const struct align_gap *a,
		      const struct align_gap *b)
{
	enum { APART = 3 };

	if (b->from - a->to > APART || b->start - a->end > APART)
		return false;
	for (size_t i = a->to; i < b->from; i++)
		if (p->old->at[i].code == '\n')
			return false;
	return true;
}

struct difference {
	enum difference_kind kind;
	struct align_gap gap;
	size_t more;
};

static void add_difference(struct difference *differences, size_t *n,
			   enum difference_kind kind, struct align_gap gap)
{
	for (size_t i = 0; i < *n; i++)
		if (differences[i].kind == kind) {
			differences[i].more++;
			return;
		}
	differences[(*n)++] = (struct difference){ kind, gap, 0 };
}

static size_t
collect_differences(const struct explain_pair *p,
		    struct difference differences[DIFFERENCE_COUNT])
{
	const struct align_path *path = p->path;
	size_t n = 0;

	for (size_t i = 0; i < path->count; i++) {
		struct align_gap g = path->gaps[i];
		enum difference_kind kind = classify_gap(p, &g);

		while (kind == DIFFERENCE_TEXT && i + 1 < path->count &&
		       gaps_join(p, &g, &path->gaps[i + 1])) {
			g.to = path->gaps[i + 1].to;
			g.end = path->gaps[++i].end;
		}
		add_difference(differences, &n, kind, g);
	}
	return n;
}

struct str explain_difference(const struct explain_pair *p, struct arena *mem)
{
	enum { ROOM = 40 };
	struct difference differences[DIFFERENCE_COUNT];
	size_t n = collect_differences(p, differences);
	auto_buf out = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		auto_buf one = BUF_INIT;

		put_gap(&one, p, differences[i].kind, &differences[i].gap);
		if (differences[i].more)
			buf_addf(&one, " (and %zu more)", differences[i].more);
		if (i &&
		    (i == MAX_KINDS || out.len + one.len + ROOM > MAX_WORDS)) {
			buf_lit(&out, "; and more");
			break;
		}
		if (i)
			buf_lit(&out, "; ");
		buf_add(&out, buf_str(&one));
	}
	return arena_copy(mem, buf_str(&out));
}
