/*
 * search_long.c - a line of more than a megabyte, which comes in parts.
 *
 * Parts overlap by SEARCH_OVERLAP bytes, so that a match that is not longer lies
 * in one of them. A match counts in the part in which its start is not in the
 * overlap with the next one. Of the line only what is shown is kept.
 */
#include "text/search/search_local.h"

size_t search_part_end(struct str part)
{
	size_t at = part.len;

	if (part.len <= SEARCH_OVERLAP)
		return at;
	at -= SEARCH_OVERLAP;
	while (at && (part.ptr[at] & '\xc0') == '\x80')
		at--;
	return at;
}

/* The 500 characters around a match, of which the part has some at least. */
static void keep_window(struct searcher *s, struct str part,
			struct regex_span span)
{
	size_t from = span.start, to, n;

	for (n = SEARCH_SHOWN / 4; from && n; n--)
		while (--from && (part.ptr[from] & '\xc0') == '\x80')
			;
	for (to = from, n = SEARCH_SHOWN; to < part.len && n; n--)
		while (++to < part.len && (part.ptr[to] & '\xc0') == '\x80')
			;
	buf_clear(&s->part_shown, SEARCH_FLUSH);
	buf_add(&s->part_shown, str_sub(part, from, to));
	s->part_before = s->part_chars + search_chars(str_head(part, from));
	s->part_after_at = s->part_chars + search_chars(str_head(part, to));
}

static void add_window(const struct searcher *s, struct buf *out)
{
	/* it has no more than SEARCH_SHOWN characters: nothing is cut */
	search_cut(out, buf_str(&s->part_shown), (struct regex_span){ 0, 0 },
		   s->flags & SEARCH_INVALID);
}

static void long_hit(struct searcher *s, struct str part,
		     struct regex_span span, uint64_t number)
{
	static const struct regex_span at_start;

	if (!s->part_hit) {
		s->part_hit = true;
		s->result.count++;
		keep_window(s, part, span);
		s->ended = s->want->mode == SEARCH_FILES;
	}
	if (s->want->mode == SEARCH_CONTENT && s->want->only_matching &&
	    span.end > span.start)
		search_put(s, ':', number, str_sub(part, span.start, span.end),
			   at_start);
}

static void search_part(struct searcher *s, struct str part, size_t limit)
{
	const struct hit line = { .line = 0, .line_end = part.len };
	bool all = s->want->mode == SEARCH_CONTENT && s->want->only_matching;
	size_t from = (size_t)(s->part_from - s->base);
	struct regex_span span;

	while (from < limit && !s->ended && (all || !s->part_hit)) {
		enum regex_result r =
			search_in_line(s, part, &line, from, &span);

		if (r == REGEX_COSTLY)
			s->result.costly = s->ended = true;
		if (r != REGEX_FOUND || span.start >= limit)
			break;
		long_hit(s, part, span, s->lines + 1);
		from = span.end + (span.end == span.start);
	}
	s->part_from = s->base + size_max(from, limit);
}

/* The line as it is shown, at its end. */
static void show_long(struct searcher *s)
{
	auto_buf text = BUF_INIT;

	if (s->part_before)
		buf_addf(&text, "[%llu characters] ",
			 (unsigned long long)s->part_before);
	add_window(s, &text);
	if (s->part_chars > s->part_after_at)
		buf_addf(&text, " [%llu characters]",
			 (unsigned long long)(s->part_chars -
					      s->part_after_at));
	search_show_whole(s, buf_str(&text), s->part_hit);
}

static void long_begin(struct searcher *s, struct str part)
{
	s->in_parts = true;
	s->part_hit = false;
	s->part_chars = 0;
	s->part_from = s->base;
	keep_window(s, part, (struct regex_span){ 0, 0 });
}

void search_long(struct searcher *s, struct str part, bool last)
{
	size_t limit = last ? part.len + 1 : search_part_end(part);

	regex_matcher_cut(s->m, s->in_parts, !last);
	if (!s->in_parts)
		long_begin(s, part);
	search_part(s, part, limit);
	regex_matcher_cut(s->m, false, false);
	if (!last) {
		s->part_chars += search_chars(str_head(part, limit));
		s->base += limit;
		return;
	}
	s->in_parts = false;
	s->part_chars += search_chars(part);
	s->base += part.len + 1;
	if (s->want->mode == SEARCH_CONTENT && !s->ended)
		show_long(s);
	s->lines++;
}
