/*
 * hunk_place.c - where in a text a hunk goes.
 *
 * With "@@" lines the search begins at these, and ends at the place that they
 * lead to. Without, it would have to reach the end of the text, to know that
 * there is no other place; but an old line that is rare leads to all places. So
 * a patch of many hunks costs about as much as one pass over the text.
 */
#include "text/patch/hunk_place.h"

#include "base/cancel.h"
#include "text/lines/lines.h"
#include "text/patch/hunk_search.h"

enum { KEPT_BYTES = 4 * 1024 * 1024 }; /* from one hunk to the next */

enum err hunk_text_init(struct hunk_text *t, struct str text, struct arena *mem,
			struct fault *f)
{
	enum { LITTLE = 64 * 1024, COPIES = 5 };
	size_t n = lines_count(text), need;

	need = size_add(text.len * COPIES,
			n * 2 * sizeof(struct hunk_row) + hunk_index_size(n));
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
	hunk_index_init(&t->index, t->rows, t->count, mem);
	return ERR_OK;
}

void hunk_text_drop(struct hunk_text *t)
{
	arena_free(&t->lists);
}

static size_t old_count(const struct changeset_hunk *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->count; i++)
		n += h->lines[i].sign != '+';
	return n;
}

/* All places at @from or behind it. */
static struct row_list places_of(struct hunk_text *t,
				 const struct changeset_hunk *h,
				 enum lenient_rule rule, size_t from)
{
	struct hunk_search s = hunk_search_begin(t, h, rule);
	struct row_list list = { .count = 0 };
	size_t place;

	while (hunk_search_next(&s, from, &place))
		*arena_add(&t->lists, list.at, list.count) = place;
	return list;
}

static bool fits_at(const struct hunk_text *t, const struct hunk_old *old,
		    size_t row)
{
	size_t i = 0;

	while (i < old->count && row + i < t->count &&
	       str_eq(t->rows[row + i].body, old->lines[i]))
		i++;
	return i == old->count;
}

/*
 * The exact places at @from or behind it, by the rarest of the old lines; false
 * when none is rare.
 */
static bool places_by_rarest(struct hunk_text *t,
			     const struct changeset_hunk *h, size_t from,
			     struct row_list *ret)
{
	enum { RARE = 64 };
	struct hunk_old old = hunk_old_lines(h, LENIENT_NONE, &t->lists);
	struct row_list rarest = { .count = RARE + 1 }, rows;
	size_t offset = 0;

	for (size_t i = 0; i < old.count && rarest.count > 1; i++) {
		rows = hunk_index_find(&t->index, old.lines[i], from + i);
		if (rows.count >= rarest.count)
			continue;
		rarest = rows;
		offset = i;
	}
	*ret = (struct row_list){ .count = 0 };
	for (size_t i = 0; i < rarest.count && rarest.count <= RARE; i++)
		if (fits_at(t, &old, rarest.at[i] - offset))
			*arena_add(&t->lists, ret->at, ret->count) =
				rarest.at[i] - offset;
	return rarest.count <= RARE;
}

/* The rows from @from on that are the line @at of a hunk. */
static struct row_list rows_like(struct hunk_text *t, struct str at,
				 size_t from, struct arena *mem)
{
	struct row_list like = hunk_index_find(&t->index, at, from);
	struct row_list exact = { .count = 0 }, loose = { .count = 0 };

	for (size_t i = 0; i < like.count && !hunk_stopped(t); i++) {
		struct str body = t->rows[like.at[i]].body;

		if (str_eq(body, at))
			*arena_add(mem, exact.at, exact.count) = like.at[i];
		else if (!exact.count &&
			 str_eq(hunk_strip(body), hunk_strip(at)))
			*arena_add(mem, loose.at, loose.count) = like.at[i];
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

/*
 * The places at @from or behind it that the "@@" lines lead to, when these are
 * looked for from @start on.
 */
static struct row_list led_to(struct hunk_text *t,
			      const struct changeset_hunk *h,
			      enum lenient_rule rule, size_t from, size_t start)
{
	struct row_list list = rows_like(t, h->at[0], start, &t->lists), led;
	struct hunk_search s = hunk_search_begin(t, h, rule);
	size_t place = 0;

	for (size_t i = 1; i < h->at_count && list.count; i++) {
		auto_arena mem = ARENA_INIT;

		list = step(list, rows_like(t, h->at[i], start, &mem));
	}
	led = (struct row_list){ .count = 0 };
	for (size_t i = 0; i < list.count; i++) {
		if (led.count && list.at[i] < place)
			continue;
		if (!hunk_search_next(&s, size_max(from, list.at[i] + 1),
				      &place))
			break;
		*arena_add(&t->lists, led.at, led.count) = place;
	}
	return led;
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
	size_t low = from;
	struct row_list list;

	if (h->at_end)
		low = size_max(from,
			       t->count - size_min(old_count(h), t->count));
	if (h->at_count) {
		list = led_to(t, h, rule, low, from);
		return list.count || !from ? list : led_to(t, h, rule, low, 0);
	}
	if (rule == LENIENT_NONE && places_by_rarest(t, h, low, &list))
		return list;
	return places_of(t, h, rule, low);
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
	list = places_of(t, h, LENIENT_NONE, 0);
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
	why->count = candidates_nearest(t->text, hunk_joined(h, t->mem),
					"the patch", t->mem, why->candidates);
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
	struct indent_lines old = shift_lines(hunk_joined(h, t->mem), t->mem);
	struct shifted s = { 0 };
	size_t steps = 0;

	(void)shift_at(hunk_ended_text(t), t->rows[row].start, &old, &steps,
		       &s);
	return s.shift;
}

/* Does its line number decide, whatever other places there are? */
static bool fits_at_number(struct hunk_text *t, const struct changeset_hunk *h,
			   size_t from)
{
	struct hunk_old old;

	if (h->old_line <= from || h->at_count || h->at_end)
		return false;
	old = hunk_old_lines(h, LENIENT_NONE, &t->lists);
	return fits_at(t, &old, h->old_line - 1);
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
	if (fits_at_number(t, h, from)) {
		*ret = (struct hunk_place){ .first = h->old_line - 1 };
		return ERR_OK;
	}
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
