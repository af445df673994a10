#include "text/unified.h"

#include "text/lines.h"

static const struct str no_newline = STR_INIT("\\ No newline at end of file");

/*
 * A hunk before it is written: changes first to end, and the lines around
 * them. a and b count from 0; the offsets say where these lines start.
 */
struct span {
	size_t first, end;
	size_t a, a_count, a_offset;
	size_t b, b_count, b_offset;
};

/* From one hunk to the next: where the last one ended. */
struct walk {
	const struct diff *d;
	size_t context;
	size_t change;
	size_t a, a_offset, b_offset;
};

static size_t a_end(const struct diff_change *c)
{
	return c->a + c->a_count;
}

static size_t b_end(const struct diff_change *c)
{
	return c->b + c->b_count;
}

size_t unified_hunk_end(const struct diff *d, size_t i, size_t context)
{
	const struct diff_change *c = d->changes;
	size_t most = size_add(context, context);

	for (i++; i < d->count && c[i].a - a_end(&c[i - 1]) <= most; i++)
		;
	return i;
}

/* How many lines, at most @most, the text has from @offset on. */
static size_t lines_left(struct str text, size_t offset, size_t most)
{
	size_t n = 0;

	for (; n < most && offset < text.len; n++)
		offset += lines_after(str_skip(text, offset), 1);
	return n;
}

/* Lines after the last change of a hunk: before another there are enough. */
static size_t trail_of(const struct walk *w, const struct span *s)
{
	struct str a = str_skip(w->d->old_text, s->a_offset);
	const struct diff_change *last = &w->d->changes[s->end - 1];

	if (s->end < w->d->count)
		return w->context;
	return lines_left(a, lines_after(a, a_end(last) - s->a), w->context);
}

/* The next hunk, while there is one. */
static bool next_span(struct walk *w, struct span *s)
{
	const struct diff_change *first, *last;
	size_t lead, trail, skip;

	if (w->change == w->d->count)
		return false;
	*s = (struct span){ w->change,
			    unified_hunk_end(w->d, w->change, w->context) };
	first = &w->d->changes[s->first];
	last = &w->d->changes[s->end - 1];
	lead = size_min(w->context, first->a - w->a);
	s->a = first->a - lead;
	s->b = first->b - lead;
	skip = lines_after(str_skip(w->d->old_text, w->a_offset), s->a - w->a);
	s->a_offset = w->a_offset + skip;
	s->b_offset = w->b_offset + skip; /* equal lines: the same bytes */
	trail = trail_of(w, s);
	s->a_count = a_end(last) + trail - s->a;
	s->b_count = b_end(last) + trail - s->b;
	w->change = s->end;
	return true;
}

/* The lines of a hunk in the order in which they are shown. */
struct lines {
	const struct diff *d;
	struct span left;      /* what has not been shown */
	size_t removed, added; /* of the change at hand */
};

static struct lines lines_of(const struct diff *d, const struct span *s)
{
	return (struct lines){ d, *s, 0, 0 };
}

/* A line that stays is the same bytes in both. */
static struct str next_of(const struct diff *d, const struct span *left,
			  char sign)
{
	struct str rest = sign == '+' ? str_skip(d->new_text, left->b_offset)
				      : str_skip(d->old_text, left->a_offset);

	return str_head(rest, lines_after(rest, 1));
}

/* At the next change: from here on show what it took and what it put. */
static void enter_change(struct lines *l)
{
	const struct diff_change *c = &l->d->changes[l->left.first];

	if (l->left.first == l->left.end || c->a != l->left.a ||
	    c->b != l->left.b)
		return;
	l->removed = c->a_count;
	l->added = c->b_count;
	l->left.first++;
}

/* False after the last one. The line has its terminator, if it has one. */
static bool next_line(struct lines *l, char *sign, struct str *line)
{
	struct span *left = &l->left;

	if (!l->removed && !l->added)
		enter_change(l);
	if (!left->a_count && !left->b_count)
		return false;
	if (l->removed) {
		*sign = '-';
		l->removed--;
	} else if (l->added) {
		*sign = '+';
		l->added--;
	} else {
		*sign = ' ';
	}
	*line = next_of(l->d, left, *sign);
	if (*sign != '-') {
		left->b++;
		left->b_count--;
		left->b_offset += line->len;
	}
	if (*sign != '+') {
		left->a++;
		left->a_count--;
		left->a_offset += line->len;
	}
	return true;
}

/* All of them were shown: the next hunk is behind. */
static void walk_on(struct walk *w, const struct lines *l)
{
	w->a = l->left.a;
	w->a_offset = l->left.a_offset;
	w->b_offset = l->left.b_offset;
}

static bool ends_line(struct str line)
{
	return str_ends(line, STR("\n"));
}

static void print_line(struct buf *out, char sign, struct str line)
{
	char *p = buf_room(out, line.len + 1);

	if (!p)
		return;
	*p = sign;
	memcpy(p + 1, line.ptr, line.len);
	out->len += line.len + 1;
	if (ends_line(line))
		return;
	buf_addc(out, '\n');
	buf_add(out, no_newline);
	buf_addc(out, '\n');
}

/* The line before, when there is none to count from. */
static size_t shown_start(size_t line, size_t count)
{
	return count ? line + 1 : line;
}

/* By hand, as there may be thousands of them and printf takes its time. */
static void print_number(size_t n, struct buf *out)
{
	char digits[3 * sizeof(n)], *end = digits + sizeof(digits), *at = end;

	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	buf_add(out, str_make(at, (size_t)(end - at)));
}

static void print_range(struct str mark, size_t line, size_t count,
			struct buf *out)
{
	buf_add(out, mark);
	print_number(shown_start(line, count), out);
	buf_addc(out, ',');
	print_number(count, out);
}

static void print_head(const struct span *s, struct buf *out)
{
	print_range(STR("@@ -"), s->a, s->a_count, out);
	print_range(STR(" +"), s->b, s->b_count, out);
	buf_add(out, STR(" @@\n"));
}

static void print_hunk(struct walk *w, const struct span *s, struct buf *out)
{
	struct lines l = lines_of(w->d, s);
	struct str line;
	char sign;

	print_head(s, out);
	while (next_line(&l, &sign, &line))
		print_line(out, sign, line);
	walk_on(w, &l);
}

static struct walk start_walk(const struct diff *d, size_t context)
{
	return (struct walk){ .d = d, .context = context };
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == '\x7f';
}

/* Would this name be taken for something else, or end the line? */
static bool needs_quotes(struct str name)
{
	if (str_starts(name, STR("\"")))
		return true;
	for (size_t i = 0; i < name.len; i++)
		if (is_control(name.ptr[i]))
			return true;
	return false;
}

/* As C would write it, which patch and git apply both read. */
static void print_quoted(struct str name, struct buf *out)
{
	buf_addc(out, '"');
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (is_control(c))
			buf_addf(out, "\\%03o", (unsigned)c);
		else if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", c);
		else
			buf_addc(out, c);
	}
	buf_addc(out, '"');
}

static void print_name(struct str mark, struct str name, struct buf *out)
{
	buf_add(out, mark);
	if (needs_quotes(name))
		print_quoted(name, out);
	else
		buf_add(out, name);
	buf_addc(out, '\n');
}

static void print_names(struct str name, struct buf *out)
{
	print_name(STR("--- "), name, out);
	print_name(STR("+++ "), name, out);
}

void unified_print(const struct diff *d, struct str name, size_t context,
		   struct buf *out)
{
	struct walk w = start_walk(d, context);
	struct span s;

	if (!d->count)
		return;
	print_names(name, out);
	while (next_span(&w, &s))
		print_hunk(&w, &s, out);
}

static void measure_hunk(struct walk *w, const struct span *s,
			 struct unified_size *ret)
{
	struct lines l = lines_of(w->d, s);
	struct str line;
	char sign;

	while (next_line(&l, &sign, &line)) {
		ret->lines++;
		ret->bytes += line.len + 1;
		ret->added += sign == '+';
		ret->removed += sign == '-';
		if (ends_line(line))
			continue;
		ret->lines++;
		ret->bytes += no_newline.len + 2;
	}
	walk_on(w, &l);
}

void unified_measure(const struct diff *d, struct str name, size_t context,
		     struct unified_size *ret)
{
	struct walk w = start_walk(d, context);
	auto_buf heads = BUF_INIT;
	struct span s;

	*ret = (struct unified_size){ 0 };
	if (!d->count)
		return;
	print_names(name, &heads);
	ret->lines = 2;
	ret->bytes = heads.len;
	while (next_span(&w, &s)) {
		buf_clear(&heads, SIZE_MAX);
		print_head(&s, &heads);
		ret->lines++;
		ret->bytes += heads.len;
		measure_hunk(&w, &s, ret);
	}
}

/* @line behind its sign, without its "\n". */
static struct str signed_line(struct arena *mem, char sign, struct str line)
{
	size_t len = line.len - ends_line(line);
	char *p = arena_alloc(mem, len + 1);

	*p = sign;
	memcpy(p + 1, line.ptr, len);
	return str_make(p, len + 1);
}

static void fill_hunk(struct walk *w, const struct span *s, struct arena *mem,
		      struct hunk *h)
{
	struct lines l = lines_of(w->d, s);
	struct str line;
	char sign;

	*h = (struct hunk){ .old_start = s->a + 1,
			    .old_count = s->a_count,
			    .new_start = s->b + 1,
			    .new_count = s->b_count };
	/* Each text ends once, so that there are two marks at most. */
	h->lines = arena_array(mem, struct str, s->a_count + s->b_count + 2);
	while (next_line(&l, &sign, &line)) {
		h->lines[h->line_count++] = signed_line(mem, sign, line);
		if (!ends_line(line))
			h->lines[h->line_count++] = no_newline;
	}
	walk_on(w, &l);
}

struct hunk *unified_hunks(const struct diff *d, size_t context,
			   struct arena *mem, size_t *count)
{
	struct walk w = start_walk(d, context);
	struct hunk *hunks = arena_array(mem, struct hunk, d->count);
	struct span s;
	size_t n = 0;

	while (next_span(&w, &s))
		fill_hunk(&w, &s, mem, &hunks[n++]);
	*count = n;
	return hunks;
}
