/*
 * paging.c - cuts a page out of a text within a budget of cost.
 *
 * Pure work on bytes: shared by page.c, decoded.c and workspaces that can only
 * load whole files.
 */
#include "files/paging.h"

#include "text/encoding/encoding.h"
#include "text/lines/lines.h"

enum { RUN_SIZE = 256 * 1024 };

struct page_budget page_budget_start(const struct page_want *want,
				     uint64_t bytes)
{
	return (struct page_budget){
		.want = want,
		.unlimited =
			want->worst && bytes <= want->max_cost / want->worst,
	};
}

static bool budget_pay(struct page_budget *t, struct str lines)
{
	const struct page_want *want = t->want;
	uint64_t cost = lines.len;

	if (t->unlimited)
		return true;
	if (want->cost)
		cost = want->cost(want->ctx, lines);
	if (cost > want->max_cost - t->spent)
		return false;
	t->spent += cost;
	return true;
}

/* A line end near the middle of @s; s.len when it is a single line. */
static size_t near_middle(struct str s)
{
	size_t mid = s.len / 2, end;

	end = mid + str_find(str_skip(s, mid), '\n') + 1;
	if (end < s.len)
		return end;
	end = str_rfind(str_head(s, mid), '\n');
	return end < mid ? end + 1 : s.len;
}

size_t page_budget_take(struct page_budget *t, struct str lines)
{
	size_t taken = 0;

	if (!lines.len || budget_pay(t, lines))
		return lines.len;
	/* Bisect: @lines always is a run that does not fit as a whole. */
	while (true) {
		size_t half = near_middle(lines);

		if (half == lines.len)
			break;
		if (budget_pay(t, str_head(lines, half))) {
			taken += half;
			lines = str_skip(lines, half);
		} else {
			lines = str_head(lines, half);
		}
	}
	t->full = true;
	return taken;
}

struct page_want paging_place(const struct page_want *want, size_t total)
{
	struct page_want placed = *want;

	if (want->tail) {
		placed.line = total > want->tail ? total - want->tail + 1 : 1;
		placed.limit = want->tail;
	}
	return placed;
}

size_t paging_last(const struct page_want *want, size_t total)
{
	if (want->line > total || !want->limit)
		return 0;
	return size_min(size_add(want->line, want->limit - 1), total);
}

/* The length of the prefix of @text that the budget allows. */
static size_t take_all(struct page_budget *t, struct str text)
{
	size_t taken = 0;

	while (taken < text.len && !t->full) {
		struct str rest = str_skip(text, taken);
		size_t n = size_min(rest.len, RUN_SIZE);

		n += str_find(str_skip(rest, n - 1), '\n');
		taken += page_budget_take(t, str_head(rest, n));
	}
	return taken;
}

static enum err cut_text(struct str text, struct str path,
			 const struct page_want *want, struct page *ret,
			 struct fault *f)
{
	struct page_want placed;
	struct page_budget t;
	size_t last;

	ret->total_lines = lines_count(text);
	placed = paging_place(want, ret->total_lines);
	want = &placed;
	ret->first = want->line;
	last = paging_last(want, ret->total_lines);
	if (!last) {
		ret->text = STR("");
		return ERR_OK;
	}
	text = str_skip(text, lines_start(text, want->line));
	text = str_head(text, lines_after(text, last - want->line + 1));
	t = page_budget_start(want, text.len);
	ret->text = str_head(text, take_all(&t, text));
	if (t.full && !ret->text.len)
		return fail(f, ERR_LINE_TOO_LONG, .path = path,
			    .number = (int64_t)want->line,
			    .bytes = lines_after(text, 1),
			    .limit = want->max_cost);
	ret->lines = lines_count(ret->text);
	ret->cut = t.full;
	return ERR_OK;
}

enum err paging_cut(const struct snapshot *snap, struct str path,
		    const struct page_want *want, struct arena *mem,
		    struct page *ret, struct fault *f)
{
	struct page page = { .version = snap->version,
			     .key = snap->key,
			     .stat = snap->stat,
			     .whole = snap->bytes,
			     .source = snap->source };
	struct decoded_text shown;
	enum err e;

	e = encoding_detect(snap->bytes, want->named, &page.in);
	if (!e)
		e = encoding_decode_escaped(page.in.encoding, snap->bytes, mem,
					    &shown);
	if (e)
		return fail(f, e, .path = path);
	page.undecodable = shown.undecodable_count;
	e = cut_text(shown.text, path, want, &page, f);
	if (!e)
		*ret = page;
	return e;
}
