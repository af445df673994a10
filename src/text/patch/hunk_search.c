/*
 * hunk_search.c - the places of a text that the old lines of a hunk fit.
 *
 * One pass (Knuth, Morris and Pratt, with lines for characters), so that a
 * repetitive text costs no more than another.
 */
#include "text/patch/hunk_search.h"

#include "base/cancel.h"
#include "text/match/lenient_fold.h"

bool hunk_stopped(struct hunk_text *t)
{
	return cancel_seen() || cancel_every(t->steps++, &t->ask);
}

/* The lines of the text as @rule compares them. */
static struct str line_of(struct hunk_text *t, enum lenient_rule rule, size_t i)
{
	bool quotes = rule == LENIENT_QUOTES;
	struct str rest, *lines = t->folded[quotes];

	if (rule == LENIENT_NONE)
		return t->rows[i].body;
	if (!lines) {
		lines = arena_array(t->mem, struct str, t->count);
		rest = fold_text(t->text, quotes, t->mem);
		for (size_t n = 0; n < t->count; n++)
			if (!str_split(&rest, '\n', &lines[n]))
				lines[n] = STR("");
		t->folded[quotes] = lines;
	}
	return lines[i];
}

struct hunk_old hunk_old_lines(const struct changeset_hunk *h,
			       enum lenient_rule rule, struct arena *mem)
{
	struct hunk_old old = { .lines = arena_array(mem, struct str,
						     h->count) };

	for (size_t i = 0; i < h->count; i++) {
		struct str line = h->lines[i].text;

		if (h->lines[i].sign == '+')
			continue;
		old.visible |= hunk_strip(line).len > 0;
		if (rule != LENIENT_NONE)
			line = fold_text(line, rule == LENIENT_QUOTES, mem);
		old.lines[old.count++] = line;
	}
	return old;
}

/* For each line of @old the longest border of the lines up to it. */
static size_t *borders_of(const struct hunk_old *old, struct arena *mem)
{
	size_t *border = arena_array(mem, size_t, old->count), k = 0;

	for (size_t i = 1; i < old->count; i++) {
		while (k && !str_eq(old->lines[i], old->lines[k]))
			k = border[k - 1];
		k += str_eq(old->lines[i], old->lines[k]);
		border[i] = k;
	}
	return border;
}

struct str hunk_ended_text(struct hunk_text *t)
{
	struct str parts[] = { t->text, STR("\n") };

	if (str_ends(t->text, STR("\n")))
		return t->text;
	if (!t->ended.len)
		t->ended = arena_join(t->mem, parts, COUNT_OF(parts));
	return t->ended;
}

struct str hunk_joined(const struct changeset_hunk *h, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	for (size_t i = 0; i < h->count; i++) {
		if (h->lines[i].sign == '+')
			continue;
		buf_add(&out, h->lines[i].text);
		buf_addc(&out, '\n');
	}
	return arena_copy(mem, buf_str(&out));
}

struct hunk_search hunk_search_begin(struct hunk_text *t,
				     const struct changeset_hunk *h,
				     enum lenient_rule rule)
{
	struct hunk_search s = { .t = t,
				 .rule = rule,
				 .old = hunk_old_lines(h, rule, &t->lists) };

	if (rule == LENIENT_INDENT)
		s.indented = shift_lines(hunk_joined(h, &t->lists), &t->lists);
	else
		s.border = borders_of(&s.old, &t->lists);
	return s;
}

static bool next_shifted(struct hunk_search *s, size_t *ret)
{
	struct hunk_text *t = s->t;
	struct shifted ignored;

	while (s->row + s->indented.count <= t->count && !hunk_stopped(t)) {
		*ret = s->row++;
		if (shift_at(hunk_ended_text(t), t->rows[*ret].start,
			     &s->indented, &s->steps, &ignored))
			return true;
	}
	return false;
}

static bool next_equal(struct hunk_search *s, size_t from, size_t *ret)
{
	const struct hunk_old *old = &s->old;
	size_t k = s->matched;
	bool found = false;

	while (!found && s->row < s->t->count && !hunk_stopped(s->t)) {
		struct str line = line_of(s->t, s->rule, s->row++);

		while (k && !str_eq(line, old->lines[k]))
			k = s->border[k - 1];
		k += str_eq(line, old->lines[k]);
		if (k < old->count)
			continue;
		*ret = s->row - k;
		found = *ret >= from;
		k = s->border[k - 1];
	}
	s->matched = k;
	return found;
}

bool hunk_search_next(struct hunk_search *s, size_t from, size_t *ret)
{
	if (s->rule != LENIENT_NONE && !s->old.visible)
		return false;
	if (s->row < from) {
		s->row = from;
		s->matched = 0;
	}
	return s->rule == LENIENT_INDENT ? next_shifted(s, ret)
					 : next_equal(s, from, ret);
}
