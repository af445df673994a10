/*
 * hunk_place.c - where in a text a hunk goes.
 *
 * For each rule all places are found in one pass (Knuth, Morris and Pratt, with
 * lines for characters), so that a repetitive text costs no more than another.
 */
#include "text/patch/hunk_place.h"

#include "base/cancel.h"
#include "text/lines/lines.h"
#include "text/match/lenient_fold.h"

enum { KEPT_BYTES = 4 * 1024 * 1024 }; /* from one hunk to the next */

/* Rows of a text, ascending. */
struct row_list {
	size_t *at;
	size_t count;
};

/* The old lines of a hunk. */
struct hunk_old {
	struct str *lines;
	size_t count;
	bool visible; /* they are more than blanks */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct str strip_blanks(struct str s)
{
	while (s.len && is_blank(s.ptr[s.len - 1]))
		s.len--;
	while (s.len && is_blank(*s.ptr))
		s = str_skip(s, 1);
	return s;
}

enum err hunk_text_init(struct hunk_text *t, struct str text, struct arena *mem,
			struct fault *f)
{
	enum { LITTLE = 64 * 1024, COPIES = 5 };
	size_t n = lines_count(text), need;

	need = size_add(text.len * COPIES, n * 2 * sizeof(struct hunk_row));
	if (need > LITTLE && !arena_reserve(mem, need))
		return fail_memory(f, STR("this patch"), need,
				   mem->charge.budget);
	*t = (struct hunk_text){ .text = text,
				 .mem = mem,
				 .ask = CANCEL_STRIDE };
	arena_charge(&t->lists, mem->charge.budget);
	t->rows = arena_array(mem, struct hunk_row, n);
	for (size_t at = 0; t->count < n; t->count++) {
		size_t next = at + lines_after(str_skip(text, at), 1);
		struct str body = str_sub(text, at, next);

		if (str_ends(body, STR("\r\n")))
			body.len -= 2;
		else if (str_ends(body, STR("\n")))
			body.len--;
		t->rows[t->count] = (struct hunk_row){ body, at, next };
		at = next;
	}
	return ERR_OK;
}

void hunk_text_drop(struct hunk_text *t)
{
	arena_free(&t->lists);
}

/* Polls over all hunks of a text: each alone may be too short for it. */
static bool is_stopped(struct hunk_text *t)
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

static struct hunk_old old_lines(const struct changeset_hunk *h,
				 enum lenient_rule rule, struct arena *mem)
{
	struct hunk_old old = { .lines = arena_array(mem, struct str,
						     h->count) };

	for (size_t i = 0; i < h->count; i++) {
		struct str line = h->lines[i].text;

		if (h->lines[i].sign == '+')
			continue;
		old.visible |= strip_blanks(line).len > 0;
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

static struct row_list equal_places(struct hunk_text *t, enum lenient_rule rule,
				    const struct hunk_old *old)
{
	size_t *border = borders_of(old, &t->lists), k = 0;
	struct row_list list = { .count = 0 };

	for (size_t i = 0; i < t->count; i++) {
		struct str line = line_of(t, rule, i);

		if (is_stopped(t))
			break;
		while (k && !str_eq(line, old->lines[k]))
			k = border[k - 1];
		k += str_eq(line, old->lines[k]);
		if (k < old->count)
			continue;
		*arena_add(&t->lists, list.at, list.count) = i + 1 - k;
		k = border[k - 1];
	}
	return list;
}

/* The text with an end of its last line, so that whole lines compare. */
static struct str ended_text(struct hunk_text *t)
{
	struct str parts[] = { t->text, STR("\n") };

	if (str_ends(t->text, STR("\n")))
		return t->text;
	if (!t->ended.len)
		t->ended = arena_join(t->mem, parts, COUNT_OF(parts));
	return t->ended;
}

/* The old lines as text. */
static struct str joined(const struct changeset_hunk *h, struct arena *mem)
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

static struct row_list shifted_places(struct hunk_text *t,
				      const struct changeset_hunk *h)
{
	struct indent_lines old = shift_lines(joined(h, &t->lists), &t->lists);
	size_t steps = 0;
	struct row_list list = { .count = 0 };
	struct shifted ignored;

	for (size_t i = 0; i + old.count <= t->count; i++) {
		if (is_stopped(t))
			break;
		if (shift_at(ended_text(t), t->rows[i].start, &old, &steps,
			     &ignored))
			*arena_add(&t->lists, list.at, list.count) = i;
	}
	return list;
}

/* All places of the old lines, wherever they are. */
static struct row_list places_of(struct hunk_text *t,
				 const struct changeset_hunk *h,
				 enum lenient_rule rule)
{
	struct hunk_old old = old_lines(h, rule, &t->lists);

	if (rule != LENIENT_NONE && !old.visible)
		return (struct row_list){ .count = 0 };
	return rule == LENIENT_INDENT ? shifted_places(t, h)
				      : equal_places(t, rule, &old);
}

static size_t old_count(const struct changeset_hunk *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->count; i++)
		n += h->lines[i].sign != '+';
	return n;
}

/* Those at @from or behind it, and for "*** End of File" only the last. */
static struct row_list allowed(const struct hunk_text *t,
			       const struct changeset_hunk *h,
			       struct row_list all, size_t from)
{
	size_t end = t->count - size_min(old_count(h), t->count);

	while (all.count && *all.at < from) {
		all.at++;
		all.count--;
	}
	if (!h->at_end || !all.count)
		return all;
	all.at += all.count - 1;
	all.count = *all.at == end;
	return all;
}

/* The rows from @from on that are the line @at of a hunk. */
static struct row_list rows_like(struct hunk_text *t, struct str at,
				 size_t from, struct arena *mem)
{
	struct row_list exact = { .count = 0 }, loose = { .count = 0 };

	for (size_t i = from; i < t->count && !is_stopped(t); i++) {
		struct str body = t->rows[i].body;

		if (str_eq(body, at))
			*arena_add(mem, exact.at, exact.count) = i;
		else if (!exact.count &&
			 str_eq(strip_blanks(body), strip_blanks(at)))
			*arena_add(mem, loose.at, loose.count) = i;
	}
	return exact.count ? exact : loose;
}

/* For each row of @list the first one of @next behind it; each once. */
static struct row_list step(struct row_list list, struct row_list next)
{
	size_t n = 0, j = 0;

	for (size_t i = 0; i < list.count; i++) {
		while (j < next.count && next.at[j] <= list.at[i])
			j++;
		if (j == next.count)
			break;
		if (!n || list.at[n - 1] != next.at[j])
			list.at[n++] = next.at[j];
	}
	list.count = n;
	return list;
}

/* The places that the "@@" lines lead to, when looked for from @start on. */
static struct row_list led_to(struct hunk_text *t,
			      const struct changeset_hunk *h,
			      struct row_list places, size_t start)
{
	struct row_list list = rows_like(t, h->at[0], start, &t->lists);

	for (size_t i = 1; i < h->at_count && list.count; i++) {
		auto_arena mem = ARENA_INIT;

		list = step(list, rows_like(t, h->at[i], start, &mem));
	}
	return step(list, places);
}

/*
 * The places that count. An "@@" line is looked for behind the hunk before, and
 * if it leads nowhere from there, in all of the text: hunks of one function may
 * name it twice.
 */
static struct row_list places_from(struct hunk_text *t,
				   const struct changeset_hunk *h,
				   enum lenient_rule rule, size_t from)
{
	struct row_list all = places_of(t, h, rule), led;

	all = allowed(t, h, all, from);
	if (!h->at_count || !all.count)
		return all;
	led = led_to(t, h, all, from);
	return led.count || !from ? led : led_to(t, h, all, 0);
}

static bool has_row(struct row_list list, size_t row)
{
	for (size_t i = 0; i < list.count; i++)
		if (list.at[i] == row)
			return true;
	return false;
}

static struct candidate_place *ranges_of(struct hunk_text *t,
					 struct row_list list, size_t rows)
{
	struct candidate_place *p =
		arena_array(&t->lists, struct candidate_place, list.count);

	for (size_t i = 0; i < list.count; i++)
		p[i] = (struct candidate_place){
			t->rows[list.at[i]].start,
			t->rows[list.at[i] + rows - 1].next
		};
	return p;
}

/* Decide between the places of @list, of which there is at least one. */
static enum err choose(struct hunk_text *t, const struct changeset_hunk *h,
		       struct row_list list, size_t *ret,
		       struct hunk_failure *why)
{
	*ret = list.at[0];
	if (list.count == 1)
		return ERR_OK;
	if (h->old_line && has_row(list, h->old_line - 1)) {
		*ret = h->old_line - 1;
		return ERR_OK;
	}
	why->places = list.count;
	why->hint = "Add lines of context, or an @@ line from above the place; "
		    "nothing was changed";
	why->count = candidates_of(t->text, ranges_of(t, list, old_count(h)),
				   list.count, t->mem, why->candidates);
	return ERR_MANY_PLACES;
}

/* An "@@" line that is nowhere in the text. */
static bool explain_missing_at(struct hunk_text *t,
			       const struct changeset_hunk *h,
			       struct hunk_failure *why)
{
	for (size_t i = 0; i < h->at_count && !cancel_seen(); i++) {
		auto_arena mem = ARENA_INIT;

		if (rows_like(t, h->at[i], 0, &mem).count)
			continue;
		why->hint = "Its @@ line is not a whole line of the file; "
			    "nothing was changed";
		why->count = candidates_nearest(t->text, h->at[i], "the patch",
						t->mem, why->candidates);
		return true;
	}
	return false;
}

static enum err explain_none(struct hunk_text *t,
			     const struct changeset_hunk *h,
			     struct hunk_failure *why)
{
	struct row_list list;

	if (explain_missing_at(t, h, why))
		return ERR_NO_PLACE;
	list = places_of(t, h, LENIENT_NONE);
	if (list.count) {
		why->hint = h->at_end ? "Its lines are in the file, but not "
					"the last; nothing was changed"
				      : "Its lines are in the file, but not "
					"behind its @@ lines and the hunk "
					"before; nothing was changed";
		why->count =
			candidates_of(t->text, ranges_of(t, list, old_count(h)),
				      list.count, t->mem, why->candidates);
		return ERR_NO_PLACE;
	}
	why->hint = "Nothing was changed";
	why->count = candidates_nearest(t->text, joined(h, t->mem), "the patch",
					t->mem, why->candidates);
	return ERR_NO_PLACE;
}

/* A hunk that only adds goes to the end, unless it says something else. */
static enum err place_addition(const struct hunk_text *t,
			       const struct changeset_hunk *h,
			       struct hunk_place *ret, struct hunk_failure *why)
{
	*ret = (struct hunk_place){ .first = t->count };
	if (!h->at_count && !h->old_line)
		return ERR_OK;
	why->hint = "A hunk of only + lines goes to the end of the file, and "
		    "an @@ line does not say where: add a line of context";
	return ERR_NO_PLACE;
}

static struct shift shift_of(struct hunk_text *t,
			     const struct changeset_hunk *h, size_t row)
{
	struct indent_lines old = shift_lines(joined(h, t->mem), t->mem);
	struct shifted s = { 0 };
	size_t steps = 0;

	(void)shift_at(ended_text(t), t->rows[row].start, &old, &steps, &s);
	return s.shift;
}

enum err hunk_place_find(struct hunk_text *t, const struct changeset_hunk *h,
			 size_t from, struct hunk_place *ret,
			 struct hunk_failure *ret_why)
{
	static const enum lenient_rule rules[] = {
		LENIENT_NONE, LENIENT_TRAILING, LENIENT_INDENT, LENIENT_QUOTES
	};
	struct hunk_place place = { 0 };
	struct row_list list;
	enum err e;

	arena_reset(&t->lists, KEPT_BYTES);
	*ret_why = (struct hunk_failure){ 0 };
	if (!old_count(h))
		return place_addition(t, h, ret, ret_why);
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		list = places_from(t, h, rules[i], from);
		if (!list.count)
			continue;
		e = choose(t, h, list, &place.first, ret_why);
		if (e)
			return e;
		place.rule = rules[i];
		if (place.rule == LENIENT_INDENT)
			place.shift = shift_of(t, h, place.first);
		*ret = place;
		return ERR_OK;
	}
	return explain_none(t, h, ret_why);
}
