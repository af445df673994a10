/*
 * unified.c - print, measure or list the hunks of a diff.
 *
 * hunk_iter steps from hunk to hunk and hunk_lines from line to line; printing,
 * measuring and listing share them, so that they always agree. Line offsets are
 * carried along: no text is searched twice.
 */
#include "text/diff/unified.h"

#include "text/lines/lines.h"

static const struct str no_newline = STR_INIT("\\ No newline at end of file");

/*
 * A hunk: changes first to end, and the lines around them. a and b count from
 * 0; the offsets are those of the first line in each text.
 */
struct hunk_span {
	size_t first, end;
	size_t a, a_count, a_offset;
	size_t b, b_count, b_offset;
};

/* Iterates over hunks; has the position where the last one ended. */
struct hunk_iter {
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

/* The number of lines from @offset on, at most @most. */
static size_t lines_left(struct str text, size_t offset, size_t most)
{
	size_t n = 0;

	for (; n < most && offset < text.len; n++)
		offset += lines_after(str_skip(text, offset), 1);
	return n;
}

/*
 * Context lines after the last change; before another hunk there are always
 * enough.
 */
static size_t trail_of(const struct hunk_iter *w, const struct hunk_span *s)
{
	struct str a = str_skip(w->d->old_text, s->a_offset);
	const struct diff_change *last = &w->d->changes[s->end - 1];

	if (s->end < w->d->count)
		return w->context;
	return lines_left(a, lines_after(a, a_end(last) - s->a), w->context);
}

/* False after the last hunk. */
static bool next_span(struct hunk_iter *w, struct hunk_span *s)
{
	const struct diff_change *first, *last;
	size_t lead, trail, skip;

	if (w->change == w->d->count)
		return false;
	*s = (struct hunk_span){ w->change, unified_hunk_end(w->d, w->change,
							     w->context) };
	first = &w->d->changes[s->first];
	last = &w->d->changes[s->end - 1];
	lead = size_min(w->context, first->a - w->a);
	s->a = first->a - lead;
	s->b = first->b - lead;
	skip = lines_after(str_skip(w->d->old_text, w->a_offset), s->a - w->a);
	s->a_offset = w->a_offset + skip;
	s->b_offset = w->b_offset + skip; /* equal lines have equal bytes */
	trail = trail_of(w, s);
	s->a_count = a_end(last) + trail - s->a;
	s->b_count = b_end(last) + trail - s->b;
	w->change = s->end;
	return true;
}

/* Iterates over the lines of a hunk in the order of a diff. */
struct hunk_lines {
	const struct diff *d;
	struct hunk_span left; /* lines not yet returned */
	size_t removed, added; /* lines left of the present change */
};

static struct hunk_lines hunk_lines_of(const struct diff *d,
				       const struct hunk_span *s)
{
	return (struct hunk_lines){ d, *s, 0, 0 };
}

/* The next line of the side that @sign reads from. */
static struct str next_of(const struct diff *d, const struct hunk_span *left,
			  char sign)
{
	struct str rest = sign == '+' ? str_skip(d->new_text, left->b_offset)
				      : str_skip(d->old_text, left->a_offset);

	return str_head(rest, lines_after(rest, 1));
}

/* If the next change begins here, make it the present one. */
static void enter_change(struct hunk_lines *l)
{
	const struct diff_change *c = &l->d->changes[l->left.first];

	if (l->left.first == l->left.end || c->a != l->left.a ||
	    c->b != l->left.b)
		return;
	l->removed = c->a_count;
	l->added = c->b_count;
	l->left.first++;
}

/* False after the last line. @line includes its newline, if it has one. */
static bool next_line(struct hunk_lines *l, char *sign, struct str *line)
{
	struct hunk_span *left = &l->left;

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

/* Continue after the lines of a finished hunk. */
static void hunk_iter_advance(struct hunk_iter *w, const struct hunk_lines *l)
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

/* Numbers count from 1; an empty range names the line before it. */
static size_t shown_start(size_t line, size_t count)
{
	return count ? line + 1 : line;
}

/* Not printf(): a diff may have thousands of hunks. */
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

static void print_head(const struct hunk_span *s, struct buf *out)
{
	print_range(STR("@@ -"), s->a, s->a_count, out);
	print_range(STR(" +"), s->b, s->b_count, out);
	buf_add(out, STR(" @@\n"));
}

static void print_hunk(struct hunk_iter *w, const struct hunk_span *s,
		       struct buf *out)
{
	struct hunk_lines l = hunk_lines_of(w->d, s);
	struct str line;
	char sign;

	print_head(s, out);
	while (next_line(&l, &sign, &line))
		print_line(out, sign, line);
	hunk_iter_advance(w, &l);
}

static struct hunk_iter hunk_iter_start(const struct diff *d, size_t context)
{
	return (struct hunk_iter){ .d = d, .context = context };
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == '\x7f';
}

/* Would this name be misread in a header line? */
static bool needs_quotes(struct str name)
{
	if (str_starts(name, STR("\"")))
		return true;
	for (size_t i = 0; i < name.len; i++)
		if (is_control(name.ptr[i]))
			return true;
	return false;
}

/* As a C string, which patch and git apply both read. */
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

static void print_bare_name(struct str name, struct buf *out)
{
	if (needs_quotes(name))
		print_quoted(name, out);
	else
		buf_add(out, name);
}

static void print_name(struct str mark, struct str name, struct buf *out)
{
	buf_add(out, mark);
	print_bare_name(name, out);
	buf_addc(out, '\n');
}

void unified_print_names(struct str name, struct buf *out)
{
	print_name(STR("--- "), name, out);
	print_name(STR("+++ "), name, out);
}

static void print_hunks(const struct diff *d, size_t context, struct buf *out)
{
	struct hunk_iter w = hunk_iter_start(d, context);
	struct hunk_span s;

	while (next_span(&w, &s))
		print_hunk(&w, &s, out);
}

void unified_print(const struct diff *d, struct str name, size_t context,
		   struct buf *out)
{
	if (!d->count)
		return;
	unified_print_names(name, out);
	print_hunks(d, context, out);
}

/* "a/NAME" or "b/NAME", as a path relative to where patch is run. */
static struct str side_name(const char *side, struct str name, struct buf *room)
{
	while (str_starts(name, STR("/")))
		name = str_skip(name, 1);
	buf_add(room, str_of(side));
	buf_add(room, name);
	return buf_str(room);
}

static void print_side(const char *mark, struct str name, bool there,
		       struct buf *out)
{
	buf_add(out, str_of(mark));
	if (!there) {
		buf_lit(out, "/dev/null\n");
		return;
	}
	print_bare_name(name, out);
	if (str_find(name, ' ') < name.len && !needs_quotes(name))
		buf_addc(out, '\t');
	buf_addc(out, '\n');
}

/* The lines of git's header behind the first. */
static void print_change(const struct unified_file *file, struct str from,
			 struct str to, struct buf *out)
{
	if (!file->existed)
		buf_lit(out, "new file mode 100644\n");
	else if (!file->exists)
		buf_lit(out, "deleted file mode 100644\n");
	else if (!str_eq(file->from, file->to)) {
		print_name(STR("rename from "), str_skip(from, 2), out);
		print_name(STR("rename to "), str_skip(to, 2), out);
	}
}

void unified_print_file(const struct diff *d, const struct unified_file *file,
			size_t context, struct buf *out)
{
	auto_buf from_room = BUF_INIT, to_room = BUF_INIT;
	struct str from = side_name("a/", file->from, &from_room);
	struct str to = side_name("b/", file->to, &to_room);

	buf_lit(out, "diff --git ");
	print_bare_name(from, out);
	buf_addc(out, ' ');
	print_bare_name(to, out);
	buf_addc(out, '\n');
	print_change(file, from, to, out);
	if (!d->count)
		return;
	print_side("--- ", from, file->existed, out);
	print_side("+++ ", to, file->exists, out);
	print_hunks(d, context, out);
}

static void measure_hunk(struct hunk_iter *w, const struct hunk_span *s,
			 struct unified_size *ret)
{
	struct hunk_lines l = hunk_lines_of(w->d, s);
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
	hunk_iter_advance(w, &l);
}

void unified_measure(const struct diff *d, struct str name, size_t context,
		     struct unified_size *ret)
{
	struct hunk_iter w = hunk_iter_start(d, context);
	auto_buf heads = BUF_INIT;
	struct hunk_span s;

	*ret = (struct unified_size){ 0 };
	if (!d->count)
		return;
	unified_print_names(name, &heads);
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

/* @line after its sign, without its newline. */
static struct str signed_line(struct arena *mem, char sign, struct str line)
{
	size_t len = line.len - ends_line(line);
	char *p = arena_alloc(mem, len + 1);

	*p = sign;
	memcpy(p + 1, line.ptr, len);
	return str_make(p, len + 1);
}

static void fill_hunk(struct hunk_iter *w, const struct hunk_span *s,
		      struct arena *mem, struct unified_hunk *h)
{
	struct hunk_lines l = hunk_lines_of(w->d, s);
	struct str line;
	char sign;

	*h = (struct unified_hunk){ .old_start = s->a + 1,
				    .old_count = s->a_count,
				    .new_start = s->b + 1,
				    .new_count = s->b_count };
	/* Each text ends once, so there are at most two marks. */
	h->lines = arena_array(mem, struct str, s->a_count + s->b_count + 2);
	while (next_line(&l, &sign, &line)) {
		h->lines[h->line_count++] = signed_line(mem, sign, line);
		if (!ends_line(line))
			h->lines[h->line_count++] = no_newline;
	}
	hunk_iter_advance(w, &l);
}

struct unified_hunk *unified_hunks(const struct diff *d, size_t context,
				   struct arena *mem, size_t *count)
{
	struct hunk_iter w = hunk_iter_start(d, context);
	struct unified_hunk *hunks =
		arena_array(mem, struct unified_hunk, d->count);
	struct hunk_span s;
	size_t n = 0;

	while (next_span(&w, &s))
		fill_hunk(&w, &s, mem, &hunks[n++]);
	*count = n;
	return hunks;
}
