/*
 * hunks.c - applies some hunks of a diff and leaves the others out.
 *
 * Works on lines of bytes in the encoding of the file, never on decoded text,
 * so that untouched lines keep their bytes. Pure, but for the words at the
 * end.
 */
#include "tools/change/hunks.h"

#include "text/diff/unified.h"
#include "text/lines/lines.h"
#include "tools/history/revise.h"

/* A cursor over the lines of some bytes in an encoding. */
struct line_cursor {
	const struct encoding *e;
	struct str bytes;
	size_t at, line;
};

static bool is_newline(const struct encoding *e, const char *unit)
{
	size_t low = e->big_endian ? e->unit - 1 : 0;

	for (size_t i = 0; i < e->unit; i++)
		if (unit[i] != (i == low ? '\n' : '\0'))
			return false;
	return true;
}

/* Advance by one line; false at the end. */
static bool cursor_next_line(struct line_cursor *r)
{
	struct str rest = str_skip(r->bytes, r->at);
	size_t unit = r->e->unit, n = 0;

	if (!rest.len)
		return false;
	r->line++;
	if (unit == 1) {
		r->at += lines_after(rest, 1);
		return true;
	}
	while (rest.len - n >= unit && !is_newline(r->e, rest.ptr + n))
		n += unit;
	r->at += rest.len - n < unit ? rest.len : n + unit;
	return true;
}

/* The bytes up to line @line, counted from 0. */
static struct str cursor_to_line(struct line_cursor *r, size_t line)
{
	size_t from = r->at;

	while (r->line < line && cursor_next_line(r))
		;
	return str_sub(r->bytes, from, r->at);
}

static size_t count_lines(struct line_cursor r)
{
	while (cursor_next_line(&r))
		;
	return r.line;
}

/* Start behind the byte order mark, which belongs to no line. */
static bool line_cursor_open(struct str bytes, const struct encoding *written,
			     struct line_cursor *ret)
{
	struct detected in;

	if (encoding_detect(bytes, written, &in))
		return false;
	*ret = (struct line_cursor){ .e = in.encoding,
				     .bytes = bytes,
				     .at = in.encoding->bom.len };
	return true;
}

/*
 * Can lines of both be mixed in one file? Single-byte encodings may differ, as
 * they share the newline: a file that was ASCII is detected as another encoding
 * once it has its first letter beyond ASCII.
 */
static bool can_mix(const struct line_cursor *a, const struct line_cursor *b)
{
	return a->e->unit == b->e->unit && str_eq(a->e->bom, b->e->bom) &&
	       (a->e == b->e || a->e->unit == 1) &&
	       encoding_is_stateless(a->e) && encoding_is_stateless(b->e);
}

size_t hunks_parts(const struct hunk_set *set)
{
	const struct diff *d = &set->diff;
	struct line_cursor before, after;
	size_t n = 0;

	if (!line_cursor_open(set->before, set->written, &before) ||
	    !line_cursor_open(set->after, set->written, &after) ||
	    !can_mix(&before, &after) ||
	    count_lines(before) != lines_count(d->old_text) ||
	    count_lines(after) != lines_count(d->new_text))
		return 0;
	for (size_t i = 0; i < d->count; n++)
		i = unified_hunk_end(d, i, UNIFIED_CONTEXT);
	return n;
}

static bool is_taken(const struct accepted_hunks *taken, int64_t number)
{
	const int64_t *numbers = taken->hunks.items;

	for (size_t i = 0; i < taken->hunks.count; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* For each change of the diff: is it in an accepted hunk? */
static bool *mark_accepted(const struct diff *d,
			   const struct accepted_hunks *taken,
			   struct arena *mem)
{
	bool *ret = arena_array(mem, bool, d->count);
	int64_t number = 0;
	size_t end;

	for (size_t i = 0; i < d->count; i = end) {
		end = unified_hunk_end(d, i, UNIFIED_CONTEXT);
		number++;
		for (size_t j = i; j < end; j++)
			ret[j] = is_taken(taken, number);
	}
	return ret;
}

struct str hunks_apply(const struct hunk_set *set,
		       const struct accepted_hunks *taken, struct arena *mem)
{
	const struct diff *d = &set->diff;
	const bool *made = mark_accepted(d, taken, mem);
	struct line_cursor before, after;
	auto_buf out = BUF_INIT;
	struct str old, new;

	if (!line_cursor_open(set->before, set->written, &before) ||
	    !line_cursor_open(set->after, set->written, &after))
		return set->before;
	buf_add(&out, before.e->bom);
	for (size_t i = 0; i < d->count; i++) {
		const struct diff_change *c = &d->changes[i];

		buf_add(&out, cursor_to_line(&before, c->a));
		(void)cursor_to_line(&after, c->b);
		old = cursor_to_line(&before, c->a + c->a_count);
		new = cursor_to_line(&after, c->b + c->b_count);
		buf_add(&out, made[i] ? new : old);
	}
	buf_add(&out, str_skip(before.bytes, before.at));
	return arena_copy(mem, buf_str(&out));
}

/* How many lines lie between a change and lines @from to @to. */
static size_t lines_between(const struct diff_change *c, size_t from, size_t to)
{
	size_t end = c->a + size_max(c->a_count, 1);

	if (c->a > to)
		return c->a - to;
	return from >= end ? from - end + 1 : 0;
}

bool hunks_took(const struct diff *d, const struct accepted_hunks *taken,
		size_t from, size_t to, struct arena *mem)
{
	const bool *made = mark_accepted(d, taken, mem);
	size_t nearest = SIZE_MAX, far;
	bool took = true;

	for (size_t i = 0; i < d->count; i++) {
		far = lines_between(&d->changes[i], from, to);
		if (far > nearest)
			continue;
		took = made[i] && (took || far < nearest);
		nearest = far;
	}
	return took;
}

/* The number in @word; 0 when it is not one, or too large. */
static size_t number_in(struct str word)
{
	enum { MOST_DIGITS = 9 };
	size_t n = 0;

	if (word.len > MOST_DIGITS)
		return 0;
	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] < '0' || word.ptr[i] > '9')
			return 0;
		n = n * 10 + (size_t)(word.ptr[i] - '0');
	}
	return n;
}

static enum err no_such(struct str word, size_t of, struct arena *mem,
			struct fault *f)
{
	struct str shown = str_head(word, 20);

	return fail(
		f, ERR_BAD_ARGS,
		.text = arena_printf(
			mem,
			"'" STR_FMT
			"' is not a hunk of this change: give numbers from 1 to %zu, separated by commas, as in 1,3",
			STR_ARG(shown), of));
}

enum err hunks_parse(struct str text, size_t of, struct arena *mem,
		     struct accepted_hunks *ret, struct fault *f)
{
	bool *chosen = arena_zero(mem, of + 1, sizeof(*chosen));
	int64_t *numbers = arena_array(mem, int64_t, of);
	struct str word;
	size_t n;

	if (!text.len)
		return fail(
			f, ERR_BAD_ARGS,
			.text = STR(
				"choose at least one hunk, or deny the change"));
	while (str_split(&text, ',', &word)) {
		n = number_in(word);
		if (!n || n > of)
			return no_such(word, of, mem, f);
		chosen[n] = true;
	}
	*ret = (struct accepted_hunks){ .hunks.items = numbers,
					.of = (int64_t)of };
	for (n = 1; n <= of; n++)
		if (chosen[n])
			numbers[ret->hunks.count++] = (int64_t)n;
	return ERR_OK;
}

/* The numbers with @comma between them, and @last before the last one. */
static void add_numbers(struct buf *out, const struct item_list *list,
			const char *comma, const char *last)
{
	const int64_t *numbers = list->items;

	for (size_t i = 0; i < list->count; i++)
		buf_addf(out, "%s%lld",
			 !i                     ? ""
			 : i + 1 == list->count ? last
						: comma,
			 (long long)numbers[i]);
}

enum err hunks_choose(const struct approval *a, struct str text,
		      struct arena *mem, struct str *ret, struct fault *f)
{
	struct accepted_hunks taken = { .of = 0 };
	auto_buf out = BUF_INIT;
	enum err e;

	if (!a->parts && !a->changes)
		return fail(f, ERR_BAD_ARGS,
			    .text = STR("A read has no hunks."));
	if (!a->parts)
		return fail(
			f, ERR_BAD_ARGS,
			.text = STR(
				"this change can only be allowed or denied as a whole: hunks can be selected for changes of existing text files whose diff is stored completely, has at most 1,000 hunks, and whose encoding is stateless (not ISO-2022-JP)"));
	e = hunks_parse(text, a->parts, mem, &taken, f);
	if (e)
		return e;
	*ret = STR("");
	if (taken.hunks.count == a->parts)
		return ERR_OK;
	add_numbers(&out, &taken.hunks, ",", ",");
	*ret = arena_copy(mem, buf_str(&out));
	return ERR_OK;
}

/* The numbers of the hunks that were not accepted. */
static struct item_list left_out(const struct accepted_hunks *taken,
				 struct arena *mem)
{
	int64_t *numbers = arena_array(mem, int64_t, (size_t)taken->of);
	struct item_list list = { numbers, 0 };

	for (int64_t n = 1; n <= taken->of; n++)
		if (!is_taken(taken, n))
			numbers[list.count++] = n;
	return list;
}

/* As many lines of the diff as fit beside the result in a reply. */
static void add_diff(struct buf *out, struct str diff)
{
	enum { MOST = 6 * 1024 };
	struct str head = diff;

	while (json_escaped_len(head) > MOST) {
		head = str_head(head, head.len / 2);
		head = str_head(head, str_rfind(head, '\n') + 1);
	}
	buf_add(out, head);
	if (head.len < diff.len)
		buf_lit(out, "...\n");
}

static struct str last_name(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return slash == path.len ? path : str_skip(path, slash + 1);
}

struct str hunks_describe(const struct accepted_hunks *taken,
			  const struct change *made, struct str after,
			  struct arena *mem)
{
	struct item_list left = left_out(taken, mem);
	auto_buf out = BUF_INIT, diff = BUF_INIT;

	buf_addf(&out, "The user accepted only hunk%s ",
		 taken->hunks.count > 1 ? "s" : "");
	add_numbers(&out, &taken->hunks, ", ", " and ");
	buf_addf(&out, " of %lld of this change. Hunk%s ", (long long)taken->of,
		 left.count > 1 ? "s" : "");
	add_numbers(&out, &left, ", ", " and ");
	buf_addf(&out, " %s not applied: the file is unchanged there.",
		 left.count > 1 ? "were" : "was");
	if (revise_diff(made->before->bytes, after, made->encoding,
			last_name(made->before->key), mem, &diff)) {
		buf_lit(&out, " What was done:\n");
		add_diff(&out, buf_str(&diff));
	}
	return arena_copy(mem, buf_str(&out));
}
