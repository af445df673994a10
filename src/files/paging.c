#include "files/paging.h"

#include "text/encoding.h"
#include "text/lines.h"

enum { RUN = 256 * 1024 };

struct taking taking_from(const struct page_want *want, uint64_t bytes)
{
	return (struct taking){
		.want = want,
		.cheap = want->worst && bytes <= want->max_cost / want->worst,
	};
}

static bool pays(struct taking *t, struct str lines)
{
	const struct page_want *want = t->want;
	uint64_t cost = lines.len;

	if (t->cheap)
		return true;
	if (want->cost)
		cost = want->cost(want->ctx, lines);
	if (cost > want->max_cost - t->spent)
		return false;
	t->spent += cost;
	return true;
}

/* Where a line ends near the middle of @s; s.len when it is only one. */
static size_t near_middle(struct str s)
{
	size_t mid = s.len / 2, end;

	end = mid + str_find(str_skip(s, mid), '\n') + 1;
	if (end < s.len)
		return end;
	end = str_rfind(str_head(s, mid), '\n');
	return end < mid ? end + 1 : s.len;
}

size_t taking_more(struct taking *t, struct str lines)
{
	size_t taken = 0;

	if (!lines.len || pays(t, lines))
		return lines.len;
	/* It does not fit as a whole: so neither does what is left of it. */
	while (true) {
		size_t half = near_middle(lines);

		if (half == lines.len)
			break;
		if (pays(t, str_head(lines, half))) {
			taken += half;
			lines = str_skip(lines, half);
		} else {
			lines = str_head(lines, half);
		}
	}
	t->full = true;
	return taken;
}

size_t paging_last(const struct page_want *want, size_t total)
{
	if (want->line > total || !want->limit)
		return 0;
	return size_min(size_add(want->line, want->limit - 1), total);
}

/* What of @text, the lines asked for, can be taken. */
static size_t take_all(struct taking *t, struct str text)
{
	size_t taken = 0;

	while (taken < text.len && !t->full) {
		struct str rest = str_skip(text, taken);
		size_t n = size_min(rest.len, RUN);

		n += str_find(str_skip(rest, n - 1), '\n');
		taken += taking_more(t, str_head(rest, n));
	}
	return taken;
}

static enum err cut_text(struct str text, struct str path,
			 const struct page_want *want, struct page *ret,
			 struct fault *f)
{
	struct taking t;
	size_t last;

	ret->total_lines = lines_count(text);
	last = paging_last(want, ret->total_lines);
	if (!last) {
		ret->text = STR("");
		return ERR_OK;
	}
	text = str_skip(text, lines_start(text, want->line));
	text = str_head(text, lines_after(text, last - want->line + 1));
	t = taking_from(want, text.len);
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
			     .stamp = snap->stamp,
			     .whole = snap->bytes,
			     .source = snap->source };
	struct shown shown;
	enum err e;

	e = encoding_detect(snap->bytes, want->named, &page.in);
	if (!e)
		e = encoding_show(page.in.encoding, snap->bytes, mem, &shown);
	if (e)
		return fail(f, e, .path = path);
	page.undecodable = shown.stray_count;
	e = cut_text(shown.text, path, want, &page, f);
	if (!e)
		*ret = page;
	return e;
}
