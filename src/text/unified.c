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

/* The next hunk, while there is one. */
static bool next_span(struct walk *w, struct span *s)
{
	const struct diff_change *first, *last;
	struct str a = w->d->old_text, b = w->d->new_text;
	size_t lead, trail, skip, at;

	if (w->change == w->d->count)
		return false;
	*s = (struct span){ w->change,
			    unified_hunk_end(w->d, w->change, w->context) };
	first = &w->d->changes[s->first];
	last = &w->d->changes[s->end - 1];
	lead = size_min(w->context, first->a - w->a);
	s->a = first->a - lead;
	s->b = first->b - lead;
	skip = lines_after(str_skip(a, w->a_offset), s->a - w->a);
	s->a_offset = w->a_offset + skip;
	s->b_offset = w->b_offset + skip; /* equal lines: the same bytes */

	at = s->a_offset +
	     lines_after(str_skip(a, s->a_offset), a_end(last) - s->a);
	trail = lines_left(a, at, w->context);
	s->a_count = a_end(last) + trail - s->a;
	s->b_count = b_end(last) + trail - s->b;

	w->change = s->end;
	w->a = s->a + s->a_count;
	w->a_offset = at + lines_after(str_skip(a, at), trail);
	w->b_offset =
		s->b_offset + lines_after(str_skip(b, s->b_offset), s->b_count);
	return true;
}

/* The lines of one hunk in the order in which they are shown. */
struct lines {
	const struct diff *d;
	struct span left;      /* what has not been shown */
	size_t removed, added; /* of the change at hand */
};

static struct lines lines_of(const struct diff *d, const struct span *s)
{
	return (struct lines){ d, *s, 0, 0 };
}

static struct str take_line(struct str text, size_t *offset)
{
	struct str rest = str_skip(text, *offset);
	struct str line = str_head(rest, lines_after(rest, 1));

	*offset += line.len;
	return line;
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
	if (*sign != '-') {
		*line = take_line(l->d->new_text, &left->b_offset);
		left->b++;
		left->b_count--;
	}
	if (*sign != '+') {
		*line = take_line(l->d->old_text, &left->a_offset);
		left->a++;
		left->a_count--;
	}
	return true;
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

static void print_hunk(const struct diff *d, const struct span *s,
		       struct buf *out)
{
	struct lines l = lines_of(d, s);
	struct str line;
	char sign;

	buf_addf(out, "@@ -%zu,%zu +%zu,%zu @@\n",
		 shown_start(s->a, s->a_count), s->a_count,
		 shown_start(s->b, s->b_count), s->b_count);
	while (next_line(&l, &sign, &line))
		print_line(out, sign, line);
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

void unified_print(const struct diff *d, struct str name, size_t context,
		   struct buf *out)
{
	struct walk w = start_walk(d, context);
	struct span s;

	if (!d->count)
		return;
	print_name(STR("--- "), name, out);
	print_name(STR("+++ "), name, out);
	while (next_span(&w, &s))
		print_hunk(d, &s, out);
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

static void fill_hunk(const struct diff *d, const struct span *s,
		      struct arena *mem, struct hunk *h)
{
	struct lines l = lines_of(d, s);
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
}

struct hunk *unified_hunks(const struct diff *d, size_t context,
			   struct arena *mem, size_t *count)
{
	struct walk w = start_walk(d, context);
	struct hunk *hunks = arena_array(mem, struct hunk, d->count);
	struct span s;
	size_t n = 0;

	while (next_span(&w, &s))
		fill_hunk(d, &s, mem, &hunks[n++]);
	*count = n;
	return hunks;
}
