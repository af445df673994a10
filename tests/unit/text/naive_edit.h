/*
 * naive_edit.h - a naive implementation of edit_apply(), to compare with.
 *
 * It rebuilds the whole text after every edit and searches all of it. Used by
 * unit tests and fuzz targets.
 */
#ifndef STET_NAIVE_EDIT_H
#define STET_NAIVE_EDIT_H

#include "text/diff/diff.h"

static inline const char *naive_find(struct str text, struct str needle)
{
	return text.len ? memmem(text.ptr, text.len, needle.ptr, needle.len)
			: NULL;
}

static inline size_t naive_count(struct str text, struct str needle)
{
	size_t count = 0;
	const char *at;

	while ((at = naive_find(text, needle))) {
		count++;
		text = str_skip(text, (size_t)(at - text.ptr) + needle.len);
	}
	return count;
}

static inline size_t naive_line(struct str text, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text.ptr[i] == '\n';
	return line;
}

static inline struct str naive_replace(struct str text, size_t at, size_t len,
				       struct str with, struct arena *mem)
{
	char *p = arena_alloc(mem, text.len - len + with.len);

	if (at)
		memcpy(p, text.ptr, at);
	if (with.len)
		memcpy(p + at, with.ptr, with.len);
	if (text.len - at - len)
		memcpy(p + at + with.len, text.ptr + at + len,
		       text.len - at - len);
	return str_make(p, text.len - len + with.len);
}

/* @s with CRLF folded to LF. */
static inline struct str naive_fold(struct str s, struct arena *mem)
{
	char *p = arena_alloc(mem, s.len + 1), *end = p;

	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != '\r' || i + 1 == s.len || s.ptr[i + 1] != '\n')
			*end++ = s.ptr[i];
	return str_make(p, (size_t)(end - p));
}

/*
 * The number of exact occurrences; if there are none, of those with any line
 * endings.
 */
static inline size_t naive_count_bent(struct str text, struct str old,
				      struct arena *mem)
{
	size_t count = naive_count(text, old);

	if (count)
		return count;
	return naive_count(naive_fold(text, mem), naive_fold(old, mem));
}

/* The offset in @text of the byte at @offset of the folded text. */
static inline size_t naive_unfold(struct str text, size_t offset,
				  struct arena *mem)
{
	for (size_t i = 0;; i++) {
		bool inside = i && i < text.len && text.ptr[i] == '\n' &&
			      text.ptr[i - 1] == '\r';

		if (!inside && naive_fold(str_head(text, i), mem).len == offset)
			return i;
	}
}

/* @texts are the texts before each edit up to @i. */
static inline enum err naive_missing(const struct str *texts,
				     const struct edit *edits, size_t i,
				     struct arena *mem, struct fault *f)
{
	struct str old = edits[i].old;

	for (size_t j = i; j-- > 0 && naive_count_bent(texts[0], old, mem);) {
		if (!naive_count_bent(texts[j], old, mem) ||
		    naive_count_bent(texts[j + 1], old, mem))
			continue;
		if (str_eq(edits[j].old, old))
			break;
		return fail(f, ERR_EDITS_CONFLICT, .index = i, .prior = j,
			    .text = old);
	}
	return fail(f, ERR_NO_MATCH_AT, .index = i, .text = old);
}

struct naive_match {
	struct str text;
	size_t from, to;
	bool as_is;
};

static inline bool naive_has(struct str s, const char *what)
{
	return s.len && naive_find(s, str_of(what));
}

/* The length of a line's ending: 2 for CRLF, 1 for LF, 0 for none. */
static inline int naive_ending(struct str lines, size_t line)
{
	size_t at = 0;

	for (; at < lines.len; at++) {
		if (lines.ptr[at] != '\n')
			continue;
		if (!line--)
			return at && lines.ptr[at - 1] == '\r' ? 2 : 1;
	}
	return 0;
}

/* The old line that line @i of the new text equals or replaces, or -1. */
static inline long naive_old_line(const struct diff *d, size_t i, bool *same)
{
	long line = (long)i;

	*same = true;
	for (size_t c = 0; c < d->count; c++) {
		const struct diff_change *x = &d->changes[c];

		if (i >= x->b + x->b_count) {
			line += (long)x->a_count - (long)x->b_count;
		} else if (i >= x->b) {
			*same = false;
			return i - x->b < x->a_count ? (long)(x->a + (i - x->b))
						     : -1;
		}
	}
	return line;
}

/* The folded @with, with the line endings of its place. */
static inline struct str naive_fit(const struct naive_match *m, struct str with,
				   struct arena *mem)
{
	struct str text = m->text, lines, fresh;
	size_t start = m->from, end = m->to, line = 0;
	char *p = arena_alloc(mem, 2 * with.len + 1), *to = p;
	struct diff diff;
	int now;

	while (start && text.ptr[start - 1] != '\n')
		start--;
	while (end < text.len && text.ptr[end++] != '\n')
		;
	lines = str_sub(text, start, end);
	fresh = naive_replace(lines, m->from - start, m->to - m->from, with,
			      mem);
	fresh = naive_replace(fresh, m->from - start + with.len, end - m->to,
			      naive_fold(str_sub(text, m->to, end), mem), mem);
	diff_texts(naive_fold(lines, mem), fresh, mem, &diff);
	now = naive_ending(start ? str_head(text, start) : lines,
			   start ? naive_line(text, start) - 2 : 0);
	for (size_t i = 0; i < with.len; i++) {
		size_t at = m->from - start + i;
		bool same;
		long old;

		if (with.ptr[i] == '\n') {
			old = naive_old_line(&diff, line++, &same);
			if (old >= 0 && naive_ending(lines, (size_t)old))
				now = naive_ending(lines, (size_t)old);
			if (now == 2 &&
			    (same || !at || fresh.ptr[at - 1] != '\r'))
				*to++ = '\r';
		}
		*to++ = with.ptr[i];
	}
	return str_make(p, (size_t)(to - p));
}

static inline struct str naive_put(struct naive_match *m, struct edit e,
				   struct arena *mem)
{
	struct str with = naive_fold(e.with, mem);
	bool meant = m->as_is && naive_has(e.with, "\r\n");

	if (!str_eq(e.old, e.with) && str_eq(naive_fold(e.old, mem), with))
		meant = true;
	if (m->as_is && e.old.ptr[0] == '\n' && m->from &&
	    m->text.ptr[m->from - 1] == '\r' &&
	    !(meant && str_starts(e.with, STR("\n"))))
		m->from--;
	return meant ? e.with : naive_fit(m, with, mem);
}

static inline struct naive_match naive_locate(struct str text, struct str old,
					      struct arena *mem)
{
	const char *at = naive_find(text, old);
	struct str folded = naive_fold(text, mem);
	size_t from;

	if (at) {
		from = (size_t)(at - text.ptr);
		return (struct naive_match){ text, from, from + old.len, true };
	}
	old = naive_fold(old, mem);
	from = (size_t)(naive_find(folded, old) - folded.ptr);
	return (struct naive_match){ text, naive_unfold(text, from, mem),
				     naive_unfold(text, from + old.len, mem),
				     false };
}

static inline enum err naive_apply(struct str text, const struct edit *edits,
				   size_t n, struct arena *mem,
				   struct edit_done *ret, struct fault *f)
{
	struct str *texts = arena_array(mem, struct str, n + 1);

	texts[0] = text;
	ret->ranges = arena_array(mem, struct edit_range, n);
	for (size_t i = 0; i < n; i++) {
		struct str old = edits[i].old, now = texts[i], with;
		struct naive_match m;
		size_t count;

		if (!old.len)
			return fail(f, ERR_EMPTY_OLD_AT, .index = i);
		count = naive_count_bent(now, old, mem);
		if (!count)
			return naive_missing(texts, edits, i, mem, f);
		if (count > 1)
			return fail(f, ERR_MANY_MATCHES_AT, .index = i,
				    .count = count, .text = old);
		m = naive_locate(now, old, mem);
		ret->ranges[i].start = naive_line(now, m.from);
		ret->ranges[i].end = naive_line(now, m.to - 1);
		with = naive_put(&m, edits[i], mem);
		texts[i + 1] =
			naive_replace(now, m.from, m.to - m.from, with, mem);
	}
	ret->text = texts[n];
	return ERR_OK;
}

/*
 * Do the splices of @d produce its text, in order, not adjacent, and none
 * without effect?
 */
static inline bool naive_splices_hold(struct str text,
				      const struct edit_done *d,
				      struct arena *mem)
{
	for (size_t i = 0; i < d->splice_count; i++) {
		const struct splice *s = &d->splices[i];

		if (s->from > s->to || s->to > text.len)
			return false;
		if (i && s->from <= d->splices[i - 1].to)
			return false;
		if (str_eq(str_sub(text, s->from, s->to), s->with))
			return false;
	}
	return str_eq(edit_splice(text, d->splices, d->splice_count, mem),
		      d->text);
}

/* Does edit_apply() agree with the naive implementation in every output? */
static inline bool naive_agrees(struct str text, const struct edit *edits,
				size_t n, struct arena *mem)
{
	struct edit_done a = { 0 }, b = { 0 };
	struct fault fa = { 0 }, fb = { 0 };
	enum err ea = edit_apply(text, edits, n, mem, &a, &fa);
	enum err eb = naive_apply(text, edits, n, mem, &b, &fb);

	if (ea != eb)
		return false;
	if (ea)
		return fa.err == ea && fa.index == fb.index &&
		       fa.prior == fb.prior && fa.count == fb.count &&
		       str_eq(fa.text, edits[fa.index].old);
	for (size_t i = 0; i < n; i++)
		if (a.ranges[i].start != b.ranges[i].start ||
		    a.ranges[i].end != b.ranges[i].end)
			return false;
	return str_eq(a.text, b.text) && naive_splices_hold(text, &a, mem);
}

#endif
