/*
 * naive_edit.h - what edit_apply() must do, in the plainest way: put the text
 * together after every edit and look at all of it. The yardstick for the
 * unit test and the fuzz target; slow, and easy to believe.
 */
#ifndef STET_NAIVE_EDIT_H
#define STET_NAIVE_EDIT_H

#include "text/edit.h"

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

/* @texts are the texts before each of the edits up to @i. */
static inline enum err naive_missing(const struct str *texts,
				     const struct edit *edits, size_t i,
				     struct fault *f)
{
	struct str old = edits[i].old;

	for (size_t j = i; j-- > 0 && naive_count(texts[0], old);) {
		if (!naive_count(texts[j], old) ||
		    naive_count(texts[j + 1], old))
			continue;
		if (str_eq(edits[j].old, old))
			break;
		return fail(f, ERR_EDITS_CONFLICT, .index = i, .prior = j,
			    .text = old);
	}
	return fail(f, ERR_NO_MATCH_AT, .index = i, .text = old);
}

static inline enum err naive_apply(struct str text, const struct edit *edits,
				   size_t n, struct arena *mem,
				   struct edit_done *ret, struct fault *f)
{
	struct str *texts = arena_array(mem, struct str, n + 1);

	texts[0] = text;
	ret->ranges = arena_array(mem, struct edit_range, n);
	for (size_t i = 0; i < n; i++) {
		struct str old = edits[i].old, now = texts[i];
		size_t count, at;

		if (!old.len)
			return fail(f, ERR_EMPTY_OLD_AT, .index = i);
		count = naive_count(now, old);
		if (!count)
			return naive_missing(texts, edits, i, f);
		if (count > 1)
			return fail(f, ERR_MANY_MATCHES_AT, .index = i,
				    .count = count, .text = old);
		at = (size_t)(naive_find(now, old) - now.ptr);
		ret->ranges[i].start = naive_line(now, at);
		ret->ranges[i].end = naive_line(now, at + old.len - 1);
		texts[i + 1] =
			naive_replace(now, at, old.len, edits[i].with, mem);
	}
	ret->text = texts[n];
	return ERR_OK;
}

/* Do the splices of @d make its text, in order, apart, and none for nothing? */
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

/* Does edit_apply() say the same as the plain way, in everything? */
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
