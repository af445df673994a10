/*
 * Most texts that are compared are nearly the same. So first the bytes that
 * both have in front and at the end, and in long ones those between changes
 * (resync.h), are set aside, which runs at the speed of memory; only lines
 * around changes are looked at as lines.
 */
#include "text/diff.h"

#include "text/common.h"
#include "text/intern.h"
#include "text/lines.h"
#include "text/myers.h"
#include "text/resync.h"
#include "text/slide.h"

/*
 * Of what was set aside, whole lines in about so many bytes are taken back
 * at each end: changes may have to slide there.
 */
enum { SLIDE_ROOM = 4096 };

/* In longer texts it is first looked for where they differ at all. */
enum { LONG = 256 * 1024 };

/* Where a pair of texts starts: in lines of the whole ones. */
struct place {
	size_t a, b;
};

struct list {
	struct diff_change *at;
	size_t count, room;
	struct arena *mem;
};

/* Without a line between them, two are one. */
static void add_change(struct list *l, struct diff_change c)
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

/* How many bytes of whole lines both have in front. */
static size_t same_front(struct str a, struct str b)
{
	size_t same = common_head(a, b);

	return same == a.len && same == b.len ? same : line_upto(a, same);
}

/* The same at the end. */
static size_t same_end(struct str a, struct str b)
{
	size_t same = common_tail(a, b);

	if (at_line(a, a.len - same) && at_line(b, b.len - same))
		return same;
	return same - lines_after(str_skip(a, a.len - same), 1);
}

static bool is_one_line(struct str s)
{
	return s.len && str_find(s, '\n') + 1 >= s.len;
}

/*
 * Cut *@a and *@b down to what lies between common lines, and some of those
 * unless one line became another, which has nowhere to slide; both are empty
 * when the texts are equal. Returns where they start.
 */
static size_t trim(struct str *a, struct str *b)
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

/* The runs of marked lines, as changes. */
static struct list collect(const struct side *a, const struct side *b,
			   struct arena *mem)
{
	struct list l = { .mem = mem };
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

static void diff_lines(struct list *out, struct str old_text,
		       struct str new_text, struct place at)
{
	struct side a, b;
	struct list found;

	intern_split(&a, old_text, out->mem);
	intern_split(&b, new_text, out->mem);
	intern_number(&a, &b, /* hash_mask= */ UINT64_MAX, out->mem);
	myers_mark(&a, &b, &myers_limits, out->mem);
	found = collect(&a, &b, out->mem);
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
 * Is there memory to compare them line by line? All their lines could be
 * empty; without it they are one change.
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

/* Add what differs between two texts that start at @at in the whole ones. */
static void diff_pair(struct list *out, struct str a, struct str b,
		      struct place at)
{
	struct str old_text = a;
	size_t front = trim(&a, &b), skipped;

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

/* A part of both texts: @from to @end of the old one. */
struct region {
	size_t from, end;
	size_t grown; /* how much longer the new one is; may wrap */
};

/* Where the line of @at starts, with room to slide; @lowest or more. */
static size_t region_start(struct str text, size_t lowest, size_t at)
{
	if (at <= lowest + SLIDE_ROOM)
		return lowest;
	at -= lowest + SLIDE_ROOM;
	return lowest + line_upto(str_skip(text, lowest), at);
}

/*
 * The lines of splice *@i with room to slide, and those of all that follow
 * without a line between. At @lowest, and where the region ends, both texts
 * start a line: what stands around a splice is the same in both.
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
 * Is it one line that becomes another, and by @s alone? That has nowhere to
 * slide, so that the lines around it, all of a text with many edits, need not
 * be looked at.
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
	struct list out = { .mem = mem };
	struct place line = { 0, 0 };
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
	struct list out = { .mem = mem };

	if (size_min(old_text.len, new_text.len) >= LONG) {
		size_t n;
		struct splice *differ = resync(old_text, new_text, mem, &n);

		diff_splices(old_text, new_text, differ, n, mem, ret);
		return;
	}
	diff_pair(&out, old_text, new_text, (struct place){ 0, 0 });
	*ret = (struct diff){ old_text, new_text, out.at, out.count };
}

/* Go on by @n lines from @at. */
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
