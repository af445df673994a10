/*
 * line_ranges.c - loads a file whose lines are named by number, and fits text
 * into a range of its lines.
 */
#include "tools/handlers/line_ranges.h"

#include "text/lines/eol.h"
#include "text/lines/lines.h"

enum err line_ranges_load(struct call *c, struct str path, struct textfile *ret)
{
	enum err e = textfile_check_ignored(c, path, STR(""));

	*ret = (struct textfile){ 0 };
	if (!e)
		e = textfile_fetch(c, path, &ret->snap);
	if (!e)
		e = textfile_check_ignored(c, path, ret->snap.key);
	if (!e)
		e = file_read_check_current(c, path, &ret->snap);
	if (e)
		return e;
	if (textfile_show(c, path, ret))
		return fail(c->fault, ERR_BINARY_EDIT, .path = path);
	return ERR_OK;
}

/*
 * How the first line of the range ends, else the nearest one above that has an
 * end, else the one below.
 */
static bool place_is_crlf(struct str text, size_t from, size_t to)
{
	struct str above = str_head(text, from);
	size_t newline = str_rfind(above, '\n');
	struct str line = str_skip(text, from);

	line = str_head(line, lines_after(line, 1));
	if (to > from && str_ends(line, STR("\n")))
		return str_ends(line, STR("\r\n"));
	if (newline < above.len)
		return str_ends(str_head(above, newline + 1), STR("\r\n"));
	return str_ends(line, STR("\r\n"));
}

enum err line_ranges_find(struct call *c, struct str path, struct str text,
			  struct line_range range, struct line_place *ret)
{
	const int64_t count = (int64_t)lines_count(text);
	size_t from, to;

	if (range.first < 1 || range.first > count + 1 || range.last > count ||
	    range.last < range.first - 1)
		return fail(c->fault, ERR_BAD_RANGE, .path = path,
			    .number = range.first,
			    .limit =
				    (uint64_t)(range.last < 0 ? 0 : range.last),
			    .count = (size_t)count);
	from = lines_start(text, (size_t)range.first);
	to = from + lines_after(str_skip(text, from),
				(size_t)(range.last - range.first + 1));
	*ret = (struct line_place){ .from = from,
				    .to = to,
				    .at_end = to == text.len,
				    .open = text.len &&
					    !str_ends(text, STR("\n")),
				    .crlf = place_is_crlf(text, from, to) };
	return ERR_OK;
}

struct str line_ranges_close(struct call *c, struct str content,
			     const struct line_place *place)
{
	struct str eol = place->crlf ? STR("\r\n") : STR("\n");
	bool joins = place->at_end && place->open;
	auto_buf out = BUF_INIT;

	if (!content.len)
		return content;
	if (joins && place->from == place->to)
		buf_add(&out, eol);
	buf_add(&out, content);
	if (!joins && !str_ends(content, STR("\n")))
		buf_add(&out, eol);
	return arena_copy(c->mem, buf_str(&out));
}

struct str line_ranges_fit(struct call *c, struct str content,
			   const struct line_place *place)
{
	if (!c->options->write_exact) {
		content = eol_to_lf(content, c->mem);
		if (place->crlf)
			content = eol_to_crlf(content, c->mem);
	}
	return line_ranges_close(c, content, place);
}

struct str line_ranges_words(struct call *c, struct line_range r)
{
	return arena_printf(c->mem,
			    r.first == r.last ? "line %lld"
					      : "lines %lld to %lld",
			    (long long)r.first, (long long)r.last);
}

const struct field line_range_fields[] = {
	{ "start", FIELD_INT, .required = true,
	  .offset = offsetof(struct line_range, first), .doc = "First line" },
	{ "end", FIELD_INT, .required = true,
	  .offset = offsetof(struct line_range, last),
	  .doc = "Last line; start - 1 if there are none" },
	FIELDS_END,
};
