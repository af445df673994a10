/*
 * edit_eol.c - give a replacement the line endings of its place.
 *
 * In a text with one kind of line ending this is a conversion. In a mixed one
 * the lines of the place are compared with the new ones (diff.h), so that each
 * new line is paired with the old line it comes from.
 */
#include "text/edit/edit_eol.h"

#include "text/diff/diff.h"
#include "text/lines/lines.h"

static enum eol ending(struct str line)
{
	if (str_ends(line, STR("\r\n")))
		return EOL_CRLF;
	return str_ends(line, STR("\n")) ? EOL_LF : EOL_NONE;
}

/* Take the first line, newline included, off @rest. */
static struct str take_eol_line(struct str *rest)
{
	struct str line = str_head(*rest, str_find(*rest, '\n') + 1);

	*rest = str_skip(*rest, line.len);
	return line;
}

static bool ends_in_cr(struct str s)
{
	return str_ends(s, STR("\r"));
}

/* Does @with, placed after @before, have a CR before an LF? */
static bool has_odd_cr(struct str before, struct str with)
{
	return eol_crlfs(with) ||
	       (ends_in_cr(before) && str_starts(with, STR("\n")));
}

static struct str join_parts(struct str a, struct str b, struct str c,
			     struct arena *mem)
{
	const struct str parts[] = { a, b, c };
	char *to = arena_alloc(mem, size_add(size_add(a.len, b.len), c.len));
	size_t len = 0;

	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (parts[i].len)
			memcpy(to + len, parts[i].ptr, parts[i].len);
		len += parts[i].len;
	}
	return str_make(to, len);
}

static void diff_place(const struct eol_place *p, struct str with,
		       struct arena *mem, struct diff *ret)
{
	struct str before = str_head(p->lines, p->from);
	struct str after = str_skip(p->lines, p->to);

	diff_texts(eol_to_lf(p->lines, mem),
		   join_parts(eol_to_lf(before, mem), with,
			      eol_to_lf(after, mem), mem),
		   mem, ret);
}

/* Pairs new lines with old ones, from the first line on. */
struct pairing {
	const struct diff *diff;
	size_t next; /* index of the next change */
};

/*
 * The old line that line @i of the new text comes from, or SIZE_MAX. In a
 * change the first new line comes from the first old one, and so on.
 */
static size_t comes_from(struct pairing *p, size_t i, bool *same)
{
	const struct diff_change *c = p->diff->changes;
	size_t a = 0, b = 0;

	while (p->next < p->diff->count &&
	       i >= c[p->next].b + c[p->next].b_count)
		p->next++;
	*same = p->next == p->diff->count || i < c[p->next].b;
	if (!*same) {
		c += p->next;
		return i - c->b < c->a_count ? c->a + (i - c->b) : SIZE_MAX;
	}
	if (p->next) {
		c += p->next - 1;
		a = c->a + c->a_count;
		b = c->b + c->b_count;
	}
	return a + (i - b);
}

static enum eol *endings(struct str lines, struct arena *mem)
{
	size_t n = lines_count(lines);
	enum eol *all = arena_array(mem, enum eol, n);

	for (size_t i = 0; i < n; i++)
		all[i] = ending(take_eol_line(&lines));
	return all;
}

/* For mixed line endings: line by line. */
static struct str fit_lines(const struct eol_place *p, struct str with,
			    struct arena *mem)
{
	size_t breaks = lines_newlines(with);
	char *to = arena_alloc(mem, size_add(with.len, breaks)), *end = to;
	const enum eol *old = endings(p->lines, mem);
	enum eol now = p->above ? p->above : old[0];
	struct str before = str_head(p->lines, p->from);
	struct pairing pairs = { 0 };
	struct diff diff;

	diff_place(p, with, mem, &diff);
	pairs.diff = &diff;
	for (size_t i = 0; i < breaks; i++) {
		struct str line = take_eol_line(&with);
		struct str body = str_head(line, line.len - 1);
		bool same, odd = ends_in_cr(body.len || i ? body : before);
		size_t from = comes_from(&pairs, i, &same);

		if (from != SIZE_MAX && old[from])
			now = old[from];
		if (body.len)
			end = mempcpy(end, body.ptr, body.len);
		if (now == EOL_CRLF && (same || !odd))
			*end++ = '\r';
		*end++ = '\n';
	}
	if (with.len)
		end = mempcpy(end, with.ptr, with.len);
	return str_make(to, (size_t)(end - to));
}

struct str edit_eol_fit(const struct eol_place *p, struct str with,
			struct arena *mem)
{
	enum eol around = eol_join(p->above, eol_of(p->lines));
	bool odd = has_odd_cr(str_head(p->lines, p->from), with);

	if (around == EOL_MIXED || (around == EOL_CRLF && odd))
		return fit_lines(p, with, mem);
	return around == EOL_CRLF ? eol_to_crlf(with, mem) : with;
}

enum eol edit_eol_given(struct str from, struct str to)
{
	enum eol given = EOL_NONE;

	if (str_eq(from, to))
		return EOL_NONE;
	while (to.len) {
		enum eol before = ending(take_eol_line(&from));
		enum eol after = ending(take_eol_line(&to));

		if (before != after)
			given = eol_join(given, after);
	}
	return given;
}

bool edit_eol_meant(struct str old, struct str with, bool found_as_is,
		    struct arena *mem)
{
	bool crlf = eol_crlfs(with);

	if (found_as_is && crlf)
		return true;
	if (!crlf && !eol_crlfs(old))
		return false;
	return !str_eq(old, with) &&
	       str_eq(eol_to_lf(old, mem), eol_to_lf(with, mem));
}

size_t edit_eol_place(struct str text, size_t offset)
{
	size_t at = 0, done = 0; /* offsets in @text, and in the folded text */

	for (;;) {
		struct str rest = str_skip(text, at);
		size_t cr = str_find(rest, '\r');

		if (offset - done <= cr)
			return at + (offset - done);
		at += cr + 1;
		done += cr;
		if (at == text.len || text.ptr[at] != '\n')
			done++;
	}
}
