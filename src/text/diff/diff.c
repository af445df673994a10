/*
 * diff.c - compare two texts by lines.
 *
 * Most texts that are compared are nearly equal. So the common prefix and
 * suffix, and in long texts the equal runs between changes (resync.h), are
 * skipped at memory speed. What is left is split into lines (intern.h), matched
 * (myers.h) and arranged for readers (slide.h). A few lines around each
 * difference are kept so that changes can slide there.
 */
#include "text/diff/diff.h"

#include "text/diff/common_prefix.h"
#include "text/diff/intern.h"
#include "text/diff/myers.h"
#include "text/diff/resync.h"
#include "text/diff/slide.h"
#include "text/lines/lines.h"

/*
 * Bytes of equal lines kept at each end of a compared part, so that changes
 * have room to slide.
 */
enum { SLIDE_ROOM = 4096 };

/* Bytes from which texts are resynchronised before lines are compared. */
enum { LONG_TEXT = 256 * 1024 };

/* Line numbers, in the whole texts, at which a compared part starts. */
struct line_pair {
	size_t a, b;
};

struct change_list {
	struct diff_change *at;
	size_t count, room;
	struct arena *mem;
};

/* Adjacent changes are joined into one. */
static void add_change(struct change_list *l, struct diff_change c)
{
	struct diff_change *last = l->count ? &l->at[l->count - 1] : NULL;
	size_t had = l->room * sizeof(c);

	if (last && last->a + last->a_count == c.a &&
	    last->b + last->b_count == c.b) {
		last->a_count += c.a_count;
		last->b_count += c.b_count;
		return;
	}
	if (l->count == l->room) {
		l->room = size_max(8, l->room * 2);
		l->at = arena_grow(l->mem, l->at, had, l->room * sizeof(c));
	}
	l->at[l->count++] = c;
}

/* The first line start at or after @at, or s.len. */
static size_t line_from(struct str s, size_t at)
{
	if (!at || at >= s.len)
		return at;
	return at - 1 + lines_after(str_skip(s, at - 1), 1);
}

/* The last line start at or before @at. */
static size_t line_upto(struct str s, size_t at)
{
	size_t nl = str_rfind(str_head(s, at), '\n');

	return nl == at ? 0 : nl + 1;
}

static bool at_line(struct str s, size_t at)
{
	return !at || s.ptr[at - 1] == '\n';
}

/* The common prefix in whole lines, in bytes. */
static size_t same_front(struct str a, struct str b)
{
	size_t same = common_prefix(a, b);

	return same == a.len && same == b.len ? same : line_upto(a, same);
}

/* The common suffix in whole lines, in bytes. */
static size_t same_end(struct str a, struct str b)
{
	size_t same = common_suffix(a, b);

	if (at_line(a, a.len - same) && at_line(b, b.len - same))
		return same;
	return same - lines_after(str_skip(a, a.len - same), 1);
}

static bool is_one_line(struct str s)
{
	return s.len && str_find(s, '\n') + 1 >= s.len;
}

/*
 * Remove common lines from both ends of *@a and *@b, but keep SLIDE_ROOM of
 * them unless one line became another, which cannot slide. Both are empty when
 * the texts are equal. Returns the offset at which they now start.
 */
static size_t trim_common(struct str *a, struct str *b)
{
	size_t front = same_front(*a, *b);
	struct str rest_a = str_skip(*a, front), rest_b = str_skip(*b, front);
	size_t back = same_end(rest_a, rest_b);
	struct str tail = str_skip(rest_a, rest_a.len - back);

	rest_a.len -= back;
	rest_b.len -= back;
	if (is_one_line(rest_a) && is_one_line(rest_b)) {
		*a = rest_a;
		*b = rest_b;
		return front;
	}
	if (!rest_a.len && !rest_b.len) {
		*a = *b = STR("");
		return front;
	}
	back -= back > SLIDE_ROOM ? line_upto(tail, SLIDE_ROOM) : back;
	front = front > SLIDE_ROOM ? line_from(*a, front - SLIDE_ROOM) : 0;
	*a = str_sub(*a, front, a->len - back);
	*b = str_sub(*b, front, b->len - back);
	return front;
}

/* Make a change of each run of marked lines. */
static struct change_list collect_changes(const struct intern_side *a,
					  const struct intern_side *b,
					  struct arena *mem)
{
	struct change_list l = { .mem = mem };
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		struct diff_change c = { .a = i, .b = j };

		while (i < a->count && a->changed[i])
			i++;
		while (j < b->count && b->changed[j])
			j++;
		c.a_count = i - c.a;
		c.b_count = j - c.b;
		if (c.a_count || c.b_count)
			add_change(&l, c);
		i++;
		j++;
	}
	return l;
}

static void diff_lines(struct change_list *out, struct str old_text,
		       struct str new_text, struct line_pair at)
{
	struct intern_side a, b;
	struct change_list found;

	intern_split(&a, old_text, out->mem);
	intern_split(&b, new_text, out->mem);
	intern_number(&a, &b, /* hash_mask= */ UINT64_MAX, out->mem);
	myers_mark(&a, &b, &myers_limits, out->mem);
	found = collect_changes(&a, &b, out->mem);
	if (!found.count)
		return;
	found.count = slide_changes(found.at, found.count, &a, &b);
	for (size_t i = 0; i < found.count; i++) {
		found.at[i].a += at.a;
		found.at[i].b += at.b;
	}
	if (!out->count) {
		*out = found;
		return;
	}
	for (size_t i = 0; i < found.count; i++)
		add_change(out, found.at[i]);
}

/*
 * Reserve the memory for a comparison by lines. Without it the texts are one
 * change.
 */
static bool can_compare(struct str a, struct str b, struct arena *mem)
{
	enum { LITTLE = 64 * 1024, EACH = 48 };
	size_t lines;

	if (a.len + b.len <= LITTLE)
		return true;
	if (!intern_fits(a) || !intern_fits(b))
		return false;
	lines = lines_count(a) + lines_count(b);
	return arena_reserve(mem, lines * EACH);
}

/* Add the changes between two parts that start at @at in the whole texts. */
static void diff_pair(struct change_list *out, struct str a, struct str b,
		      struct line_pair at)
{
	struct str old_text = a;
	size_t front = trim_common(&a, &b), skipped;

	if (!a.len && !b.len)
		return;
	skipped = lines_newlines(str_head(old_text, front));
	at.a += skipped;
	at.b += skipped;
	if (a.len && b.len && !(is_one_line(a) && is_one_line(b)) &&
	    can_compare(a, b, out->mem))
		diff_lines(out, a, b, at);
	else
		add_change(out, (struct diff_change){ at.a, lines_count(a),
						      at.b, lines_count(b) });
}

/* A part of both texts: bytes @from to @end of the old one. */
struct region {
	size_t from, end;
	size_t grown; /* bytes by which the new part is longer; wraps */
};

/* The start of the line of @at less SLIDE_ROOM, but not before @lowest. */
static size_t region_start(struct str text, size_t lowest, size_t at)
{
	if (at <= lowest + SLIDE_ROOM)
		return lowest;
	at -= lowest + SLIDE_ROOM;
	return lowest + line_upto(str_skip(text, lowest), at);
}

/*
 * The lines of splice *@i with SLIDE_ROOM, and of all splices that follow
 * without a line between. At @lowest, and at the end of the region, a line
 * starts in both texts: bytes around a splice are equal.
 */
static struct region next_region(struct str text, const struct splice *splices,
				 size_t n, size_t *i, size_t lowest)
{
	size_t from = region_start(text, lowest, splices[*i].from);
	struct region r = { from, from, 0 };

	do {
		const struct splice *s = &splices[(*i)++];
		size_t end = size_min(s->to + SLIDE_ROOM, text.len);

		if (r.end < end)
			r.end = line_from(text, end);
		r.grown += s->with.len - (s->to - s->from);
	} while (*i < n &&
		 region_start(text, r.end, splices[*i].from) == r.end);
	return r;
}

/*
 * Does splice @s alone change one line into another? Such a change cannot
 * slide, so the lines around it need not be compared; with many edits that
 * would be the whole text.
 */
static bool is_line_for_line(struct str old_text, struct str new_text,
			     const struct splice *s, size_t n, size_t lowest,
			     size_t shift, struct region *ret)
{
	size_t at = line_upto(str_skip(old_text, lowest), s->from - lowest);
	struct region r = { .from = lowest + at,
			    .end = line_from(old_text, s->to),
			    .grown = s->with.len - (s->to - s->from) };
	size_t new_end = r.end + shift + r.grown;
	struct str a, b;

	if (n > 1 && s[1].from < r.end)
		return false;
	a = str_sub(old_text, r.from, r.end);
	b = str_sub(new_text, r.from + shift, new_end);
	*ret = r;
	return is_one_line(a) && is_one_line(b) && !str_eq(a, b) &&
	       at_line(old_text, r.end) && at_line(new_text, new_end);
}

void diff_splices(struct str old_text, struct str new_text,
		  const struct splice *splices, size_t n, struct arena *mem,
		  struct diff *ret)
{
	struct change_list out = { .mem = mem };
	struct line_pair line = { 0, 0 };
	size_t i = 0, done = 0, shift = 0, skipped;

	while (i < n) {
		struct region r;
		bool simple = is_line_for_line(old_text, new_text, &splices[i],
					       n - i, done, shift, &r);
		struct str a, b;

		if (simple)
			i++;
		else
			r = next_region(old_text, splices, n, &i, done);
		a = str_sub(old_text, r.from, r.end);
		b = str_sub(new_text, r.from + shift, r.end + shift + r.grown);
		skipped = lines_newlines(str_sub(old_text, done, r.from));
		line.a += skipped;
		line.b += skipped;
		if (simple)
			add_change(&out, (struct diff_change){ line.a, 1,
							       line.b, 1 });
		else
			diff_pair(&out, a, b, line);
		if (i < n) {
			line.a += lines_newlines(a);
			line.b += lines_newlines(b);
		}
		done = r.end;
		shift += r.grown;
	}
	*ret = (struct diff){ old_text, new_text, out.at, out.count };
}

void diff_texts(struct str old_text, struct str new_text, struct arena *mem,
		struct diff *ret)
{
	struct change_list out = { .mem = mem };

	if (size_min(old_text.len, new_text.len) >= LONG_TEXT) {
		size_t n;
		struct splice *differ = resync(old_text, new_text, mem, &n);

		diff_splices(old_text, new_text, differ, n, mem, ret);
		return;
	}
	diff_pair(&out, old_text, new_text, (struct line_pair){ 0, 0 });
	*ret = (struct diff){ old_text, new_text, out.at, out.count };
}

/* The offset @n lines after @at. */
static size_t lines_on(struct str text, size_t at, size_t n)
{
	return at + lines_after(str_skip(text, at), n);
}

struct splice *diff_as_splices(const struct diff *diff, struct str text,
			       struct arena *mem)
{
	struct splice *splices = arena_array(mem, struct splice, diff->count);
	size_t a = 0, b = 0, line = 0, start;

	for (size_t i = 0; i < diff->count; i++) {
		const struct diff_change *d = &diff->changes[i];

		b = lines_on(diff->new_text, b, d->a - line);
		a = lines_on(text, a, d->a - line);
		start = b;
		b = lines_on(diff->new_text, b, d->b_count);
		splices[i].from = a;
		a = lines_on(text, a, d->a_count);
		splices[i].to = a;
		splices[i].with = str_sub(diff->new_text, start, b);
		line = d->a + d->a_count;
	}
	return splices;
}
