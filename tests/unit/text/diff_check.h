/*
 * diff_check.h - check the promises of diff.h for any diff, in unit tests and
 * the fuzzer.
 *
 * Each check returns NULL or an error message.
 */
#ifndef STET_DIFF_CHECK_H
#define STET_DIFF_CHECK_H

#include "text/diff/intern.h"
#include "text/diff/unified.h"

/* Take the next line, with its newline if it has one, off the front. */
static inline bool check_take(struct str *rest, struct str *line)
{
	*line = str_head(*rest, str_find(*rest, '\n') + 1);
	*rest = str_skip(*rest, line->len);
	return line->len > 0;
}

/* The next @n lines of both exist and are equal. */
static inline bool check_equal(struct str *a, struct str *b, size_t n)
{
	struct str x, y;

	for (; n; n--)
		if (!check_take(a, &x) || !check_take(b, &y) || !str_eq(x, y))
			return false;
	return true;
}

static inline bool check_skip(struct str *rest, size_t n)
{
	struct str line;

	for (; n; n--)
		if (!check_take(rest, &line))
			return false;
	return true;
}

/*
 * The promises of diff.h. Since what is outside the changes is equal, line
 * by line and up to the end, putting the new lines of each change in place
 * of its old ones gives the new text.
 */
static inline const char *check_changes(const struct diff *d)
{
	struct str a = d->old_text, b = d->new_text;
	size_t i = 0, j = 0;

	for (size_t n = 0; n < d->count; n++) {
		const struct diff_change *c = &d->changes[n];

		if (!c->a_count && !c->b_count)
			return "an empty change";
		if (n ? c->a <= i || c->b <= j : c->a < i || c->b < j)
			return "no equal line between two changes";
		if (c->a - i != c->b - j || !check_equal(&a, &b, c->a - i))
			return "lines before a change differ";
		if (!check_skip(&a, c->a_count) || !check_skip(&b, c->b_count))
			return "a change past the end";
		i = c->a + c->a_count;
		j = c->b + c->b_count;
	}
	return str_eq(a, b) ? NULL : "lines after the last change differ";
}

/* The unmarked lines of @a and @b are equal, in order. */
static inline const char *check_marks(const struct intern_side *a,
				      const struct intern_side *b)
{
	uint32_t i = 0, j = 0;

	for (;; i++, j++) {
		while (i < a->count && a->changed[i])
			i++;
		while (j < b->count && b->changed[j])
			j++;
		if (i == a->count || j == b->count)
			break;
		if (a->id[i] != b->id[j] || a->id[i] == INTERN_NONE)
			return "partners that differ";
	}
	if (i < a->count || j < b->count)
		return "a line without a partner";
	return NULL;
}

/* Read "<number><end>" off the front. */
static inline bool check_number(struct str *s, char end, size_t *ret)
{
	size_t n = 0, i = 0;

	for (; i < s->len && s->ptr[i] >= '0' && s->ptr[i] <= '9'; i++)
		n = n * 10 + (size_t)(s->ptr[i] - '0');
	if (!i || i == s->len || s->ptr[i] != end)
		return false;
	*s = str_skip(*s, i + 1);
	*ret = n;
	return true;
}

/* start, count of one side, as lines from 0 */
static inline bool check_side(struct str *s, char sign, char end, size_t *start,
			      size_t *count)
{
	if (!s->len || *s->ptr != sign)
		return false;
	*s = str_skip(*s, 1);
	if (!check_number(s, ',', start) || !check_number(s, end, count))
		return false;
	*start -= *count ? 1 : 0;
	return true;
}

/*
 * The line of a patch line: without its newline if the no-newline mark follows.
 */
static inline struct str check_body(struct str line, struct str *patch)
{
	static const struct str mark =
		STR_INIT("\\ No newline at end of file\n");

	line = str_skip(line, 1);
	if (!str_starts(*patch, mark))
		return line;
	*patch = str_skip(*patch, mark.len);
	return str_head(line, line.len - 1);
}

/* Apply one hunk, after its header; the old lines must match exactly. */
static inline const char *check_hunk(struct str *patch, struct str *old,
				     size_t a_count, size_t b_count,
				     struct buf *out)
{
	struct str line, body, was;

	while (a_count || b_count) {
		if (!check_take(patch, &line))
			return "a hunk is cut off";
		body = check_body(line, patch);
		if (*line.ptr != ' ' && *line.ptr != '-' && *line.ptr != '+')
			return "a line without a sign";
		if (*line.ptr != '+') {
			if (!a_count-- || !check_take(old, &was) ||
			    !str_eq(was, body))
				return "an old line is not there";
		}
		if (*line.ptr != '-') {
			if (!b_count--)
				return "too many new lines";
			buf_add(out, body);
		}
	}
	return NULL;
}

/* Applying @patch, two header lines and hunks, to @old gives @want. */
static inline const char *check_patch(struct str patch, struct str old,
				      struct str want)
{
	auto_buf out = BUF_INIT;
	size_t a = 0, b = 0, start, a_count, b_start, b_count;
	const char *wrong;
	struct str line;

	if (patch.len && !check_skip(&patch, 2))
		return "no header";
	while (check_take(&patch, &line)) {
		struct str head = str_skip(line, 3);

		if (!str_starts(line, STR("@@ ")) ||
		    !check_side(&head, '-', ' ', &start, &a_count) ||
		    !check_side(&head, '+', ' ', &b_start, &b_count) ||
		    !str_is(head, "@@\n"))
			return "a bad hunk header";
		if (start < a)
			return "hunks overlap";
		for (; a < start; a++, b++) {
			if (!check_take(&old, &line))
				return "a hunk past the end";
			buf_add(&out, line);
		}
		if (b != b_start)
			return "a hunk at another line than it says";
		wrong = check_hunk(&patch, &old, a_count, b_count, &out);
		if (wrong)
			return wrong;
		a += a_count;
		b += b_count;
	}
	buf_add(&out, old);
	return str_eq(buf_str(&out), want) ? NULL : "another text came out";
}

/* unified_hunks() of @d equals its unified text. */
static inline const char *check_hunks(const struct diff *d, size_t context,
				      struct arena *mem)
{
	auto_buf text = BUF_INIT;
	auto_buf hunks = BUF_INIT;
	struct unified_hunk *h;
	size_t n;

	unified_print(d, STR("x"), context, &text);
	h = unified_hunks(d, context, mem, &n);
	if (n)
		buf_lit(&hunks, "--- x\n+++ x\n");
	for (size_t i = 0; i < n; i++) {
		buf_addf(&hunks, "@@ -%zu,%zu +%zu,%zu @@\n",
			 h[i].old_start - !h[i].old_count, h[i].old_count,
			 h[i].new_start - !h[i].new_count, h[i].new_count);
		for (size_t j = 0; j < h[i].line_count; j++) {
			buf_add(&hunks, h[i].lines[j]);
			buf_addc(&hunks, '\n');
		}
	}
	if (!str_eq(buf_str(&text), buf_str(&hunks)))
		return "hunks and text differ";
	return check_patch(buf_str(&text), d->old_text, d->new_text);
}

/* All of the checks above. */
static inline const char *check_diff(const struct diff *d, size_t context,
				     struct arena *mem)
{
	const char *wrong = check_changes(d);

	return wrong ? wrong : check_hunks(d, context, mem);
}

#endif
