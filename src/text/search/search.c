/*
 * search.c - search one text, block by block.
 *
 * What decides the speed is how the next line that matches is found:
 *
 *	a literal       SIMD (text/match); the pattern is not even tried when it
 *	                is this literal and nothing else
 *	a plain pattern the whole block is matched at once; a match that spans
 *	                lines, which the translation mostly prevents, is tried
 *	                again in its first line alone
 *	any other       line by line: look-around must not see other lines
 */
#include "text/search/search_local.h"

#include "base/cancel.h"
#include "text/lines/lines.h"

#include <ctype.h>
#include <stdlib.h>

/* Bytes; a shorter literal is in nearly every line, unless it is_rare(). */
enum { MIN_LITERAL = 2 };

/* Is the literal a punctuation character? */
static bool is_rare(struct str literal)
{
	return literal.len == 1 && literal.ptr[0] > ' ' &&
	       ispunct((unsigned char)literal.ptr[0]) && literal.ptr[0] != '_';
}

static bool has_fold_variant(char c)
{
	return c == 'k' || c == 's'; /* U+212A and U+017F fold to them */
}

/* The longest part of @literal that only ASCII can match without case. */
static struct str fold_safe(struct str literal)
{
	struct str best = { 0 };

	for (size_t i = 0, n; i < literal.len; i += n + 1) {
		for (n = 0; i + n < literal.len &&
			    !has_fold_variant(literal.ptr[i + n]);)
			n++;
		if (n > best.len)
			best = str_make(literal.ptr + i, n);
	}
	return best;
}

static void plan_literal(struct searcher *s)
{
	const struct translation *t = regex_facts(s->want->regex);
	bool caseless = regex_options(s->want->regex)->caseless;
	char *copy;

	if (t->literal.len < MIN_LITERAL && !is_rare(t->literal) &&
	    !(t->whole && t->literal.len))
		return;
	copy = malloc(t->literal.len);
	if (!copy)
		return;
	for (size_t i = 0; i < t->literal.len; i++) {
		char c = t->literal.ptr[i];

		copy[i] =
			(char)(caseless && c >= 'A' && c <= 'Z' ? c | 0x20 : c);
	}
	s->literal = str_make(copy, t->literal.len);
	s->plan = match_plan(s->literal);
	s->safe = fold_safe(s->literal);
	if (s->safe.len)
		s->safe_plan = match_plan(s->safe);
}

struct searcher *search_new(const struct search_want *want)
{
	struct searcher *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->want = want;
	s->m = regex_matcher_new(want->regex);
	if (!s->m) {
		free(s);
		return NULL;
	}
	plan_literal(s);
	return s;
}

void search_free(struct searcher *s)
{
	if (!s)
		return;
	regex_matcher_free(s->m);
	buf_free(&s->kept);
	buf_free(&s->part_shown);
	free((void *)(uintptr_t)s->literal.ptr);
	free(s);
}

void search_begin(struct searcher *s, struct str prefix,
		  struct search_output *out)
{
	s->prefix = prefix;
	s->out = out;
	s->result = (struct search_result){ 0 };
	s->ended = s->by_line = s->any_shown = s->in_parts = false;
	s->shown_line = 0;
	s->base = s->lines = s->shown_to = 0;
	s->after_left = s->kept_lines = 0;
	buf_clear(&s->kept, SEARCH_FLUSH);
}

struct hit search_line_of(struct str block, size_t at)
{
	const char *before = at ? memrchr(block.ptr, '\n', at) : NULL;
	const char *behind =
		at < block.len ? memchr(block.ptr + at, '\n', block.len - at)
			       : NULL;

	return (struct hit){
		.line = before ? (size_t)(before + 1 - block.ptr) : 0,
		.line_end = behind ? (size_t)(behind - block.ptr) : block.len,
	};
}

static enum regex_text text_kind(const struct searcher *s)
{
	if (s->flags & SEARCH_ASCII)
		return REGEX_ASCII;
	return s->flags & SEARCH_INVALID ? REGEX_INVALID : REGEX_UTF8;
}

enum regex_result search_in_line(struct searcher *s, struct str block,
				 const struct hit *line, size_t from,
				 struct regex_span *ret)
{
	struct str text = str_sub(block, line->line, line->line_end);
	enum regex_result r;

	if (from > line->line_end)
		return REGEX_NONE;
	r = regex_find(s->m, text_kind(s), text, from - line->line, ret);
	if (r == REGEX_FOUND) {
		ret->start += line->line;
		ret->end += line->line;
	}
	return r;
}

/* The next place where the literal is; MATCH_NONE = no line matches. */
static size_t next_literal(const struct searcher *s, struct str block,
			   size_t from, bool *ret_exact)
{
	bool whole = regex_facts(s->want->regex)->whole;

	*ret_exact = whole;
	if (!regex_options(s->want->regex)->caseless)
		return match_planned(block, &s->plan, from);
	if (s->flags & SEARCH_ASCII)
		return match_caseless(block, &s->plan, from);
	*ret_exact = false;
	if (s->safe.len == s->literal.len)
		return match_caseless(block, &s->plan, from);
	return match_caseless(block, &s->safe_plan, from);
}

static bool literal_is_usable(const struct searcher *s)
{
	if (!s->literal.len)
		return false;
	return (s->flags & SEARCH_ASCII) || s->safe.len >= MIN_LITERAL ||
	       !regex_options(s->want->regex)->caseless;
}

static enum regex_result next_by_literal(struct searcher *s, struct str block,
					 size_t from, struct hit *ret)
{
	while (from < block.len) {
		bool exact;
		size_t at = next_literal(s, block, from, &exact);
		enum regex_result r;

		if (at == MATCH_NONE)
			break;
		*ret = search_line_of(block, at);
		if (exact) {
			ret->span =
				(struct regex_span){ at, at + s->literal.len };
			return REGEX_FOUND;
		}
		r = search_in_line(s, block, ret, ret->line, &ret->span);
		if (r != REGEX_NONE)
			return r;
		from = ret->line_end + 1;
	}
	return REGEX_NONE;
}

static enum regex_result next_by_line(struct searcher *s, struct str block,
				      size_t from, struct hit *ret)
{
	size_t poll = from;

	while (from < block.len) {
		enum regex_result r;

		*ret = search_line_of(block, from);
		r = search_in_line(s, block, ret, ret->line, &ret->span);
		if (r != REGEX_NONE)
			return r;
		from = ret->line_end + 1;
		if (cancel_every(from, &poll))
			break;
	}
	return REGEX_NONE;
}

static enum regex_result next_in_block(struct searcher *s, struct str block,
				       size_t from, struct hit *ret)
{
	while (from < block.len) {
		enum regex_result r =
			regex_find(s->m, text_kind(s), block, from, &ret->span);
		size_t start = ret->span.start, end = ret->span.end;

		if (r == REGEX_NONE)
			break;
		if (r == REGEX_COSTLY) {
			s->by_line = true;
			return next_by_line(s, block, from, ret);
		}
		if (start == block.len && block.ptr[start - 1] == '\n')
			break; /* behind the last line */
		*ret = search_line_of(block, start);
		ret->span = (struct regex_span){ start, end };
		if (end <= ret->line_end)
			return REGEX_FOUND;
		r = search_in_line(s, block, ret, ret->line, &ret->span);
		if (r != REGEX_NONE)
			return r;
		from = ret->line_end + 1;
	}
	return REGEX_NONE;
}

/* With multiline: the lines of a match are those of its first and last byte. */
static enum regex_result next_multiline(struct searcher *s, struct str block,
					size_t from, struct hit *ret)
{
	struct regex_span span;
	enum regex_result r =
		regex_find(s->m, text_kind(s), block, from, &span);

	if (r != REGEX_FOUND)
		return r;
	if (span.start == block.len &&
	    (!block.len || block.ptr[block.len - 1] == '\n'))
		return REGEX_NONE;
	*ret = search_line_of(block, span.start);
	if (span.end > span.start)
		ret->line_end = search_line_of(block, span.end - 1).line_end;
	ret->span = span;
	return REGEX_FOUND;
}

enum regex_result search_next(struct searcher *s, struct str block, size_t from,
			      struct hit *ret)
{
	if (regex_options(s->want->regex)->multiline)
		return next_multiline(s, block, from, ret);
	if (literal_is_usable(s))
		return next_by_literal(s, block, from, ret);
	if (s->by_line || (s->flags & SEARCH_INVALID) ||
	    !regex_facts(s->want->regex)->is_plain)
		return next_by_line(s, block, from, ret);
	return next_in_block(s, block, from, ret);
}

/* Where to look for the next match. */
static size_t next_from(const struct searcher *s, const struct hit *h)
{
	if (!regex_options(s->want->regex)->multiline)
		return h->line_end + 1;
	return h->span.end > h->span.start ? h->span.end : h->span.end + 1;
}

/* A continuation byte cannot start a match. */
static size_t to_character(struct str block, size_t at)
{
	while (at < block.len && (block.ptr[at] & '\xc0') == '\x80')
		at++;
	return at;
}

static void search_lines(struct searcher *s, struct str block)
{
	struct hit h = { 0 };
	size_t from = 0, poll = 0;

	while (from < block.len && !s->ended) {
		enum regex_result r = search_next(s, block, from, &h);

		if (r == REGEX_NONE)
			break;
		if (r == REGEX_COSTLY) {
			s->result.costly = s->ended = true;
			break;
		}
		s->result.count++;
		if (s->want->mode == SEARCH_FILES)
			s->ended = true;
		if (s->want->mode == SEARCH_CONTENT)
			search_show(s, block, &h);
		from = to_character(block, next_from(s, &h));
		if (cancel_every(from, &poll))
			s->ended = true;
	}
}

bool search_block(struct searcher *s, struct str block, unsigned flags)
{
	bool content = s->want->mode == SEARCH_CONTENT;
	size_t end;

	s->flags = flags;
	s->by_line = false;
	s->counted_to = 0;
	s->counted = 0;
	if (s->in_parts || (flags & SEARCH_PART)) {
		end = flags & SEARCH_PART ? block.len : str_find(block, '\n');
		search_long(s, str_head(block, end), !(flags & SEARCH_PART));
		if (flags & SEARCH_PART)
			return !s->ended;
		block = str_skip(block, end + 1);
		s->counted_to = 0;
	}
	search_lines(s, block);
	if (content && !s->ended)
		search_show_end(s, block);
	s->base += block.len;
	return !s->ended;
}

struct search_result search_end(struct searcher *s)
{
	return s->result;
}
