/*
 * changeset_parse.c - reads the format of apply_patch.
 *
 * What surrounds the patch is taken off first, from both ends: empty lines, a
 * here-document or a code fence, and the markers of the patch. What is left are
 * sections. Inside a hunk a line that begins with a blank is context, whatever
 * follows, so only at the place of a section's header may blanks precede it.
 */
#include "text/patch/changeset.h"

#include "text/lines/lines.h"

struct changeset_reader {
	struct str rest; /* behind @line */
	struct str line; /* without its ending */
	size_t number;   /* of @line, in the whole text */
	bool end;        /* there is no @line any more */
	struct arena *mem;
	struct fault *fault;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct str strip_end(struct str s)
{
	while (s.len && is_blank(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

static struct str strip_line(struct str s)
{
	while (s.len && is_blank(*s.ptr))
		s = str_skip(s, 1);
	return strip_end(s);
}

static void reader_next(struct changeset_reader *r)
{
	size_t len = lines_after(r->rest, 1);

	r->end = !r->rest.len;
	r->line = str_head(r->rest, len);
	r->rest = str_skip(r->rest, len);
	r->number++;
	if (str_ends(r->line, STR("\n")))
		r->line.len--;
	if (str_ends(r->line, STR("\r")))
		r->line.len--;
}

static enum err fail_at(const struct changeset_reader *r, size_t line,
			const char *what)
{
	return fail(r->fault, ERR_BAD_PATCH, .number = (int64_t)line,
		    .text = str_of(what), .patch_line = line);
}

static enum err fail_here(const struct changeset_reader *r, const char *what)
{
	return fail_at(r, r->number, what);
}

/* The text behind @marker, which may have blanks around it. */
static bool marked(struct str line, const char *marker, struct str *ret)
{
	struct str m = str_of(marker);

	line = strip_line(line);
	if (!str_starts(line, m))
		return false;
	*ret = strip_line(str_skip(line, m.len));
	return true;
}

/*
 * The last line of what begins with @line: the word of a here-document, or the
 * end of a code fence. False when it begins neither.
 */
static bool wrapped_in(struct str line, struct str *ret)
{
	struct str word = strip_line(line);

	if (str_starts(word, STR("```"))) {
		*ret = STR("```");
		return true;
	}
	if (str_starts(word, STR("apply_patch")))
		word = strip_line(str_skip(word, STR("apply_patch").len));
	if (!str_starts(word, STR("<<")))
		return false;
	word = strip_line(str_skip(word, 2));
	if (word.len > 2 && (*word.ptr == '\'' || *word.ptr == '"') &&
	    word.ptr[word.len - 1] == *word.ptr)
		word = str_sub(word, 1, word.len - 1);
	*ret = word;
	return word.len > 0;
}

/* Take the last line off @text. */
static struct str take_last(struct str *text)
{
	struct str all = strip_end(*text), last;
	size_t lf = str_rfind(all, '\n');
	size_t at = lf < all.len ? lf + 1 : 0;

	last = strip_line(str_skip(all, at));
	*text = str_head(all, at);
	return last;
}

/* Go to the next line that is not empty. */
static void skip_empty(struct changeset_reader *r)
{
	while (!r->end && !strip_line(r->line).len)
		reader_next(r);
}

/* The number of the last line that is not empty. */
static size_t last_line(struct str text)
{
	return lines_count(strip_end(text));
}

/* Go to the first line behind "*** Begin Patch", and end before the last. */
static enum err unwrap(struct changeset_reader *r, struct str text)
{
	struct str word, rest = text;

	r->rest = text;
	reader_next(r);
	skip_empty(r);
	if (r->end)
		return fail_at(r, 1, "the patch is empty");
	if (wrapped_in(r->line, &word)) {
		if (!str_eq(take_last(&rest), word))
			return fail_at(r, last_line(text),
				       "expected the end of what the first "
				       "line begins");
		text = rest;
		r->rest = str_sub(text, (size_t)(r->rest.ptr - text.ptr),
				  text.len);
		reader_next(r);
		skip_empty(r);
	}
	if (!str_eq(strip_line(r->line), STR("*** Begin Patch")))
		return fail_here(r, "expected '*** Begin Patch'");
	if (!str_eq(take_last(&rest), STR("*** End Patch")))
		return fail_at(r, last_line(text), "expected '*** End Patch'");
	r->rest = str_sub(rest, (size_t)(r->rest.ptr - rest.ptr), rest.len);
	reader_next(r);
	return ERR_OK;
}

static bool take_digits(struct str *s, size_t *ret)
{
	size_t n = 0;

	*ret = 0;
	for (; n < s->len && s->ptr[n] >= '0' && s->ptr[n] <= '9'; n++)
		if (*ret < SIZE_MAX / 20)
			*ret = *ret * 10 + (size_t)(s->ptr[n] - '0');
	*s = str_skip(*s, n);
	return n > 0;
}

/* "-1,3 " or "+1 ", the range of one side of a unified diff's header. */
static bool take_range(struct str *s, char sign, size_t *start)
{
	size_t count;

	if (!s->len || *s->ptr != sign)
		return false;
	*s = str_skip(*s, 1);
	if (!take_digits(s, start))
		return false;
	if (s->len && *s->ptr == ',') {
		*s = str_skip(*s, 1);
		if (!take_digits(s, &count))
			return false;
	}
	if (!str_starts(*s, STR(" ")))
		return false;
	*s = str_skip(*s, 1);
	return true;
}

/* Take "-1,3 +1,4 @@" off the front of @s, and the line of the old side. */
static bool take_numbers(struct str *s, size_t *ret)
{
	struct str rest = *s;
	size_t start, other;

	if (!take_range(&rest, '-', &start) ||
	    !take_range(&rest, '+', &other) || !str_starts(rest, STR("@@")))
		return false;
	rest = str_skip(rest, 2);
	if (rest.len && *rest.ptr != ' ')
		return false;
	*s = str_skip(rest, 1);
	*ret = start;
	return true;
}

static bool is_header(struct str line)
{
	return str_starts(line, STR("@@ ")) || str_eq(line, STR("@@"));
}

/* The "@@" lines in front of a hunk. */
static enum err read_headers(struct changeset_reader *r,
			     struct changeset_hunk *h)
{
	struct str text;

	for (; !r->end && is_header(r->line); reader_next(r)) {
		text = str_skip(r->line, STR("@@ ").len);
		while (take_numbers(&text, &h->old_line))
			continue;
		if (!strip_line(text).len)
			continue;
		if (h->at_count == CHANGESET_MOST_AT)
			return fail_here(r, "a hunk has at most 16 '@@' lines");
		*arena_add(r->mem, h->at, h->at_count) = text;
	}
	return ERR_OK;
}

static bool is_sign(char c)
{
	return c == ' ' || c == '-' || c == '+';
}

/*
 * The lines of a hunk. An empty line is context of an empty line, as the blank
 * in front of it is often lost; but not at the end, where it separates.
 */
static void read_lines(struct changeset_reader *r, struct changeset_hunk *h)
{
	size_t solid = 0;
	struct str end;

	for (; !r->end; reader_next(r)) {
		struct str line = r->line;
		char sign = line.len ? *line.ptr : ' ';

		if (!is_sign(sign))
			break;
		*arena_add(r->mem, h->lines, h->count) =
			(struct changeset_line){ sign, str_skip(line, 1) };
		if (line.len)
			solid = h->count;
	}
	h->at_end = !r->end && *r->line.ptr == '*' &&
		    marked(r->line, "*** End of File", &end) && !end.len;
	if (!h->at_end)
		h->count = solid;
	else
		reader_next(r);
}

static enum err read_hunk(struct changeset_reader *r, bool first,
			  struct changeset_section *s)
{
	struct changeset_hunk hunk = { .line = r->number };
	enum err e;

	if (!first && !is_header(r->line))
		return fail_here(
			r, "expected a line that begins with a blank, '-', "
			   "'+' or '@@', or a line of '***'");
	e = read_headers(r, &hunk);
	if (e)
		return e;
	read_lines(r, &hunk);
	if (!hunk.count && (r->end || str_starts(r->line, STR("***"))))
		return fail_at(r, hunk.line, "a hunk without lines");
	if (!hunk.count)
		return fail_here(r, "expected a line that begins with a blank, "
				    "'-' or '+'");
	*arena_add(r->mem, s->hunks, s->hunk_count) = hunk;
	return ERR_OK;
}

static enum err read_update(struct changeset_reader *r,
			    struct changeset_section *s)
{
	enum err e = ERR_OK;

	if (!r->end && marked(r->line, "*** Move to:", &s->to)) {
		if (!s->to.len)
			return fail_here(r, "a path is missing");
		reader_next(r);
	}
	while (!e) {
		while (!r->end && !r->line.len)
			reader_next(r);
		if (r->end || str_starts(r->line, STR("***")))
			break;
		e = read_hunk(r, /* first= */ !s->hunk_count, s);
	}
	if (!e && !s->hunk_count && !s->to.len)
		return fail_at(r, s->line, "an update without a hunk");
	return e;
}

/* The lines of a new file. */
static void read_added(struct changeset_reader *r, struct changeset_section *s)
{
	auto_buf content = BUF_INIT;

	for (; !r->end && r->line.len && *r->line.ptr == '+'; reader_next(r)) {
		buf_add(&content, str_skip(r->line, 1));
		buf_addc(&content, '\n');
	}
	s->content = arena_copy(r->mem, buf_str(&content));
}

static bool read_marker(const struct changeset_reader *r,
			struct changeset_section *s)
{
	static const struct {
		const char *marker;
		enum changeset_kind kind;
	} markers[] = {
		{ "*** Add File:", CHANGESET_ADD },
		{ "*** Delete File:", CHANGESET_DELETE },
		{ "*** Update File:", CHANGESET_UPDATE },
	};

	s->line = r->number;
	for (size_t i = 0; i < COUNT_OF(markers); i++) {
		s->kind = markers[i].kind;
		if (marked(r->line, markers[i].marker, &s->path))
			return true;
	}
	return false;
}

static enum err read_section(struct changeset_reader *r, struct changeset *set)
{
	struct changeset_section s = { .content = STR("") };
	enum err e = ERR_OK;
	struct str ignored;

	if (marked(r->line, "*** Environment ID:", &ignored))
		return fail_here(r, "an environment names another machine; "
				    "leave the line out");
	if (!read_marker(r, &s))
		return fail_here(r, "expected '*** Add File: PATH', '*** "
				    "Delete File: PATH' or '*** Update File: "
				    "PATH'");
	if (!s.path.len)
		return fail_here(r, "a path is missing");
	reader_next(r);
	if (s.kind == CHANGESET_ADD)
		read_added(r, &s);
	else if (s.kind == CHANGESET_UPDATE)
		e = read_update(r, &s);
	if (!e)
		*arena_add(r->mem, set->sections, set->count) = s;
	return e;
}

/* A row for each line, and copies of new files. */
static bool check_memory(struct str text, struct arena *mem, size_t *need)
{
	enum { LITTLE = 64 * 1024, ROWS = 4 * sizeof(struct changeset_line) };

	*need = size_add(text.len, size_add(1, lines_newlines(text)) * ROWS);
	return *need <= LITTLE || arena_reserve(mem, *need);
}

enum err changeset_parse(struct str text, struct arena *mem,
			 struct changeset *ret, struct fault *f)
{
	struct changeset_reader r = { .mem = mem, .fault = f };
	struct changeset set = { .count = 0 };
	size_t need;
	enum err e;

	if (!check_memory(text, mem, &need))
		return fail_memory(f, STR("this patch"), need,
				   mem->charge.budget);
	e = unwrap(&r, text);
	for (; !e; e = read_section(&r, &set)) {
		skip_empty(&r);
		if (r.end)
			break;
	}
	if (!e && !set.count)
		return fail_here(&r, "the patch changes nothing");
	if (!e)
		*ret = set;
	return e;
}
