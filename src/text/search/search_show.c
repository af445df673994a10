/*
 * search_show.c - the lines of SEARCH_CONTENT: numbers, context, long lines.
 *
 * Context before a match may lie in earlier blocks: the last lines of each
 * block are kept as they would be shown.
 */
#include "text/search/search_local.h"

#include "text/encoding/encoding.h"
#include "text/encoding/utf8.h"
#include "text/lines/lines.h"

static const struct regex_span at_start;

static bool has_context(const struct searcher *s)
{
	return s->want->before || s->want->after;
}

/* The number of the line that begins at @at; @at never decreases. */
static uint64_t number_of(struct searcher *s, struct str block, size_t at)
{
	if (at > s->counted_to) {
		s->counted += lines_newlines(str_sub(block, s->counted_to, at));
		s->counted_to = at;
	}
	return s->lines + s->counted + 1;
}

size_t search_chars(struct str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++)
		n += (text.ptr[i] & '\xc0') != '\x80';
	return n;
}

/* The first @n characters of @text, in bytes. */
static size_t chars_len(struct str text, size_t n)
{
	size_t i = 0;

	for (; i < text.len; i++)
		if ((text.ptr[i] & '\xc0') != '\x80' && !n--)
			break;
	return i;
}

/* Bytes that are no UTF-8 are shown as \xNN. */
static void add_escaped(struct buf *out, struct str text)
{
	while (text.len) {
		size_t n = utf8_check(text);
		int byte;

		buf_add(out, str_head(text, n));
		text = str_skip(text, n);
		if (!text.len)
			break;
		byte = decoding_surrogate(text);
		buf_addf(out, "\\x%02X",
			 byte < 0 ? (unsigned char)text.ptr[0]
				  : (unsigned)byte);
		text = str_skip(text, byte < 0 ? 1 : 3);
	}
}

static void search_add_text(struct buf *out, struct str text, bool invalid)
{
	if (invalid)
		add_escaped(out, text);
	else
		buf_add(out, text);
}

void search_cut(struct buf *out, struct str line, struct regex_span focus,
		bool invalid)
{
	size_t chars, before, inside, from, skip, take;

	if (line.len <= SEARCH_SHOWN) {
		search_add_text(out, line, invalid);
		return;
	}
	chars = search_chars(line);
	if (chars <= SEARCH_SHOWN) {
		search_add_text(out, line, invalid);
		return;
	}
	before = search_chars(str_head(line, focus.start));
	inside = search_chars(str_sub(line, focus.start, focus.end));
	from = inside < SEARCH_SHOWN ? (SEARCH_SHOWN - inside) / 2 : 0;
	from = before > from ? before - from : 0;
	from = size_min(from, chars - SEARCH_SHOWN);
	if (from)
		buf_addf(out, "[%zu characters] ", from);
	skip = chars_len(line, from);
	line = str_skip(line, skip);
	take = chars_len(line, SEARCH_SHOWN);
	search_add_text(out, str_head(line, take), invalid);
	if (from + SEARCH_SHOWN < chars)
		buf_addf(out, " [%zu characters]", chars - from - SEARCH_SHOWN);
}

static void line_begin(struct searcher *s, char sign, uint64_t number)
{
	struct buf *to = &s->out->text;

	if (s->prefix.len) {
		buf_add(to, s->prefix);
		buf_addc(to, sign);
	}
	if (s->want->numbers)
		buf_addf(to, "%llu%c", (unsigned long long)number, sign);
}

static void line_end(struct searcher *s)
{
	struct search_output *out = s->out;

	buf_addc(&out->text, '\n');
	out->lines++;
	if (out->full && out->text.len >= SEARCH_FLUSH && !out->full(out->ctx))
		s->ended = true;
}

void search_put(struct searcher *s, char sign, uint64_t number, struct str line,
		struct regex_span focus)
{
	line_begin(s, sign, number);
	search_cut(&s->out->text, line, focus, s->flags & SEARCH_INVALID);
	line_end(s);
	s->any_shown = true;
	s->shown_line = number;
}

/* A line that is ready to be shown. */
static void put_shown(struct searcher *s, char sign, uint64_t number,
		      struct str line)
{
	line_begin(s, sign, number);
	buf_add(&s->out->text, line);
	line_end(s);
	s->any_shown = true;
	s->shown_line = number;
}

/* The offset in the block up to which lines have been shown. */
static size_t shown_in(const struct searcher *s)
{
	return s->shown_to > s->base ? (size_t)(s->shown_to - s->base) : 0;
}

/* Show the lines from @from to @to, both starts of lines, as context. */
static void show_context(struct searcher *s, struct str block, size_t from,
			 size_t to, size_t most)
{
	while (from < to && most-- && !s->ended) {
		struct hit h = search_line_of(block, from);
		uint64_t number = number_of(s, block, from);

		search_put(s, '-', number, str_sub(block, h.line, h.line_end),
			   at_start);
		from = h.line_end + 1;
		s->shown_to = s->base + from;
	}
}

static void show_after(struct searcher *s, struct str block, size_t to)
{
	size_t from = shown_in(s);
	size_t lines = s->after_left;

	if (!lines || from >= to)
		return;
	show_context(s, block, from, to, lines);
	lines -= size_min(lines,
			  lines_newlines(str_sub(block, from, shown_in(s))));
	s->after_left = lines;
}

/* The last @n of the kept lines. */
static struct str kept_tail(const struct searcher *s, size_t n)
{
	return str_skip(buf_str(&s->kept),
			lines_after(buf_str(&s->kept), s->kept_lines - n));
}

static void show_kept(struct searcher *s, size_t n)
{
	struct str rest = kept_tail(s, n), line;
	uint64_t number = s->lines + 1 - n;

	for (; n && !s->ended && str_split(&rest, '\n', &line); n--) {
		put_shown(s, '-', number++, line);
	}
}

/* The start of the line @n lines before @at, but not below @low. */
static size_t lines_back(struct str block, size_t at, size_t *n, size_t low)
{
	while (*n && at > low) {
		at = search_line_of(block, at - 1).line;
		(*n)--;
	}
	return at;
}

/* Context before the line at @line; what is kept belongs to it. */
static void show_before(struct searcher *s, struct str block, size_t line)
{
	size_t low = shown_in(s), n = s->want->before, from, kept = 0;
	uint64_t first;

	from = lines_back(block, line, &n, low);
	if (!from && !low)
		kept = size_min(n, s->kept_lines);
	first = number_of(s, block, from) - kept;
	if (has_context(s) && s->any_shown && first > s->shown_line + 1) {
		buf_lit(&s->out->text, "--");
		line_end(s);
	}
	show_kept(s, kept);
	show_context(s, block, from, line, SIZE_MAX);
	s->kept_lines = 0;
	buf_clear(&s->kept, SEARCH_FLUSH);
}

/* The lines of a match; several with multiline. */
static void show_lines(struct searcher *s, struct str block,
		       const struct hit *h)
{
	size_t from = size_max(h->line, shown_in(s));

	while (from <= h->line_end && from < block.len && !s->ended) {
		struct hit one = search_line_of(block, from);
		struct regex_span focus = {
			size_max(h->span.start, one.line) - one.line,
			size_min(h->span.end, one.line_end) - one.line,
		};

		if (focus.end < focus.start)
			focus.end = focus.start;
		search_put(s, ':', number_of(s, block, from),
			   str_sub(block, one.line, one.line_end), focus);
		from = one.line_end + 1;
	}
}

/* The part of a match in each of its lines. */
static void show_part(struct searcher *s, struct str block,
		      struct regex_span span)
{
	while (span.start < span.end && !s->ended) {
		struct hit one = search_line_of(block, span.start);
		size_t end = size_min(span.end, one.line_end);

		if (end > span.start)
			search_put(s, ':', number_of(s, block, one.line),
				   str_sub(block, span.start, end), at_start);
		span.start = one.line_end + 1;
	}
}

static void show_parts(struct searcher *s, struct str block,
		       const struct hit *h)
{
	struct regex_span span = h->span;
	size_t from;

	show_part(s, block, span);
	if (regex_options(s->want->regex)->multiline)
		return;
	for (;;) {
		from = span.end + (span.end == span.start);
		while (from < block.len && (block.ptr[from] & '\xc0') == '\x80')
			from++;
		if (s->ended ||
		    search_in_line(s, block, h, from, &span) != REGEX_FOUND)
			return;
		show_part(s, block, span);
	}
}

void search_show(struct searcher *s, struct str block, const struct hit *h)
{
	if (h->line >= shown_in(s)) {
		show_after(s, block, h->line);
		if (s->ended)
			return;
		show_before(s, block, h->line);
	}
	if (s->want->only_matching)
		show_parts(s, block, h);
	else
		show_lines(s, block, h);
	s->shown_to = size_max(s->shown_to, s->base + h->line_end + 1);
	s->after_left = s->want->after;
	s->shown_line =
		number_of(s, block, search_line_of(block, h->line_end).line);
}

/* Keep the last lines of the block that were not shown. */
static void keep(struct searcher *s, struct str block)
{
	size_t low = size_min(shown_in(s), block.len), n = s->want->before;
	size_t from = block.len;
	struct str rest, line;

	if (!n)
		return;
	from = lines_back(block, from, &n, low);
	if (low || !n)
		s->kept_lines = 0;
	n = size_min(n, s->kept_lines);
	buf_drop(&s->kept, s->kept_lines ? s->kept.len - kept_tail(s, n).len
					 : s->kept.len);
	s->kept_lines = n;
	for (rest = str_skip(block, from); rest.len; s->kept_lines++) {
		(void)str_split(&rest, '\n', &line);
		search_cut(&s->kept, line, at_start, s->flags & SEARCH_INVALID);
		buf_addc(&s->kept, '\n');
	}
}

/* Keep one more line, as it is shown. */
static void keep_line(struct searcher *s, struct str shown)
{
	if (!s->want->before)
		return;
	if (s->kept_lines == s->want->before) {
		buf_drop(&s->kept, lines_after(buf_str(&s->kept), 1));
		s->kept_lines--;
	}
	buf_add(&s->kept, shown);
	buf_addc(&s->kept, '\n');
	s->kept_lines++;
}

void search_show_whole(struct searcher *s, struct str shown, bool matches)
{
	if (!matches && !s->after_left) {
		keep_line(s, shown);
		return;
	}
	if (matches)
		show_before(s, STR(""), 0);
	if (s->ended || (matches && s->want->only_matching))
		return;
	put_shown(s, matches ? ':' : '-', s->lines + 1, shown);
	s->after_left = matches ? s->want->after : s->after_left - 1;
	s->shown_to = s->base;
}

void search_show_end(struct searcher *s, struct str block)
{
	show_after(s, block, block.len);
	if (s->ended)
		return;
	keep(s, block);
	s->lines = number_of(s, block, block.len) - 1;
}
