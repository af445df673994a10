#include "tools/hunks.h"

#include "text/lines.h"
#include "text/unified.h"
#include "tools/revise.h"

/* Bytes as lines of an encoding, and how far one has come in them. */
struct reel {
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

/* Over the next line; false at the end. */
static bool reel_line(struct reel *r)
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
static struct str reel_to(struct reel *r, size_t line)
{
	size_t from = r->at;

	while (r->line < line && reel_line(r))
		;
	return str_sub(r->bytes, from, r->at);
}

static size_t count_lines(struct reel r)
{
	while (reel_line(&r))
		;
	return r.line;
}

/* Behind the mark, which is no part of the first line. */
static bool open_reel(struct str bytes, const struct encoding *written,
		      struct reel *ret)
{
	struct detected in;

	if (encoding_detect(bytes, written, &in))
		return false;
	*ret = (struct reel){ .e = in.encoding,
			      .bytes = bytes,
			      .at = in.encoding->bom.len };
	return true;
}

/*
 * Lines of the one can stand among those of the other. All encodings of one
 * byte end lines alike, so that these may differ: ASCII becomes another when
 * a first letter beyond it is put in.
 */
static bool can_mix(const struct reel *a, const struct reel *b)
{
	return a->e->unit == b->e->unit && str_eq(a->e->bom, b->e->bom) &&
	       (a->e == b->e || a->e->unit == 1) && encoding_is_free(a->e) &&
	       encoding_is_free(b->e);
}

size_t hunks_parts(const struct cut *cut)
{
	const struct diff *d = &cut->diff;
	struct reel before, after;
	size_t n = 0;

	if (!open_reel(cut->before, cut->written, &before) ||
	    !open_reel(cut->after, cut->written, &after) ||
	    !can_mix(&before, &after) ||
	    count_lines(before) != lines_count(d->old_text) ||
	    count_lines(after) != lines_count(d->new_text))
		return 0;
	for (size_t i = 0; i < d->count; n++)
		i = unified_hunk_end(d, i, UNIFIED_CONTEXT);
	return n;
}

static bool is_taken(const struct taken *taken, int64_t number)
{
	const int64_t *numbers = taken->hunks.items;

	for (size_t i = 0; i < taken->hunks.count; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* Which changes of the diff are in hunks that were taken. */
static bool *mark(const struct diff *d, const struct taken *taken,
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

struct str hunks_apply(const struct cut *cut, const struct taken *taken,
		       struct arena *mem)
{
	const struct diff *d = &cut->diff;
	const bool *made = mark(d, taken, mem);
	struct reel before, after;
	auto_buf out = BUF_INIT;
	struct str old, new;

	if (!open_reel(cut->before, cut->written, &before) ||
	    !open_reel(cut->after, cut->written, &after))
		return cut->before;
	buf_add(&out, before.e->bom);
	for (size_t i = 0; i < d->count; i++) {
		const struct diff_change *c = &d->changes[i];

		buf_add(&out, reel_to(&before, c->a));
		(void)reel_to(&after, c->b);
		old = reel_to(&before, c->a + c->a_count);
		new = reel_to(&after, c->b + c->b_count);
		buf_add(&out, made[i] ? new : old);
	}
	buf_add(&out, str_skip(before.bytes, before.at));
	return arena_copy(mem, buf_str(&out));
}

/* How many lines lie between a change and lines @from to @to. */
static size_t distance(const struct diff_change *c, size_t from, size_t to)
{
	size_t end = c->a + size_max(c->a_count, 1);

	if (c->a > to)
		return c->a - to;
	return from >= end ? from - end + 1 : 0;
}

bool hunks_took(const struct diff *d, const struct taken *taken, size_t from,
		size_t to, struct arena *mem)
{
	const bool *made = mark(d, taken, mem);
	size_t nearest = SIZE_MAX, far;
	bool took = true;

	for (size_t i = 0; i < d->count; i++) {
		far = distance(&d->changes[i], from, to);
		if (far > nearest)
			continue;
		took = made[i] && (took || far < nearest);
		nearest = far;
	}
	return took;
}

/* The number in @word; 0 when it is none, or too large for any diff. */
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
			"' is none of its hunks: they are numbers from 1 to %zu, with commas between them, as in 1,3",
			STR_ARG(shown), of));
}

enum err hunks_parse(struct str text, size_t of, struct arena *mem,
		     struct taken *ret, struct fault *f)
{
	bool *chosen = arena_zero(mem, of + 1, sizeof(*chosen));
	int64_t *numbers = arena_array(mem, int64_t, of);
	struct str word;
	size_t n;

	if (!text.len)
		return fail(f, ERR_BAD_ARGS,
			    .text = STR(
				    "choose one hunk at least, or deny it"));
	while (str_split(&text, ',', &word)) {
		n = number_in(word);
		if (!n || n > of)
			return no_such(word, of, mem, f);
		chosen[n] = true;
	}
	*ret = (struct taken){ .hunks.items = numbers, .of = (int64_t)of };
	for (n = 1; n <= of; n++)
		if (chosen[n])
			numbers[ret->hunks.count++] = (int64_t)n;
	return ERR_OK;
}

/* The numbers with @comma between them, and @last before the last one. */
static void add_numbers(struct buf *out, const struct list *list,
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
	struct taken taken = { .of = 0 };
	auto_buf out = BUF_INIT;
	enum err e;

	if (!a->parts && !a->changes)
		return fail(f, ERR_BAD_ARGS,
			    .text = STR("A read has no hunks."));
	if (!a->parts)
		return fail(
			f, ERR_BAD_ARGS,
			.text = STR(
				"it can be allowed or denied only as a whole: hunks can be chosen of a change of a text file that is there, if its diff is kept whole, has at most 1,000 hunks, and its lines stand alone (not in ISO-2022-JP)"));
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

/* Those that were not taken. */
static struct list left_out(const struct taken *taken, struct arena *mem)
{
	int64_t *numbers = arena_array(mem, int64_t, (size_t)taken->of);
	struct list list = { numbers, 0 };

	for (int64_t n = 1; n <= taken->of; n++)
		if (!is_taken(taken, n))
			numbers[list.count++] = n;
	return list;
}

/* The diff as far as a reply has room for it beside the result itself. */
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

static struct str name_of(struct str path)
{
	size_t slash = str_rfind(path, '/');

	return slash == path.len ? path : str_skip(path, slash + 1);
}

struct str hunks_tell(const struct taken *taken, const struct change *made,
		      struct str after, struct arena *mem)
{
	struct list left = left_out(taken, mem);
	auto_buf out = BUF_INIT, diff = BUF_INIT;

	buf_addf(&out, "The user accepted only hunk%s ",
		 taken->hunks.count > 1 ? "s" : "");
	add_numbers(&out, &taken->hunks, ", ", " and ");
	buf_addf(&out, " of %lld of this change. Hunk%s ", (long long)taken->of,
		 left.count > 1 ? "s" : "");
	add_numbers(&out, &left, ", ", " and ");
	buf_addf(&out, " %s not applied: there the file is as it was.",
		 left.count > 1 ? "were" : "was");
	if (revise_diff(made->before->bytes, after, made->encoding,
			name_of(made->before->key), mem, &diff)) {
		buf_lit(&out, " What was done:\n");
		add_diff(&out, buf_str(&diff));
	}
	return arena_copy(mem, buf_str(&out));
}
