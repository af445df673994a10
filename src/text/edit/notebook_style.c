/*
 * notebook_style.c - recognises how the JSON of a notebook is written, and
 * writes strings and lists in the same way.
 */
#include "text/edit/notebook_style.h"

#include "text/encoding/utf8.h"
#include "text/lines/lines.h"

struct notebook_member *notebook_members(struct json object, struct arena *mem,
					 size_t *ret_n)
{
	struct notebook_member *list = NULL;
	struct json_walk w = json_walk(object);
	size_t n = 0;

	while (json_step(&w)) {
		struct notebook_member *m = arena_add(mem, list, n);

		*m = (struct notebook_member){ json_raw(w.key),
					       json_raw(w.value), w.value };
	}
	*ret_n = n;
	return list;
}

static struct str between(struct str a, struct str b)
{
	const char *from = a.ptr + a.len;

	return str_make(from, (size_t)(b.ptr - from));
}

/* Is there an escape of a character beyond ASCII? */
static bool has_escapes(struct str text)
{
	struct str rest = text;

	for (size_t at = str_find(rest, '\\'); at + 6 <= rest.len;
	     at = str_find(rest, '\\')) {
		struct str hex = str_sub(rest, at + 2, at + 6);

		if (rest.ptr[at + 1] == 'u' &&
		    (!str_starts(hex, STR("00")) || hex.ptr[2] >= '8'))
			return true;
		rest = str_skip(rest, at + 2);
	}
	return false;
}

static bool all_ascii(struct str text)
{
	bool ascii;

	(void)lines_scan(text, &ascii);
	return ascii;
}

struct notebook_style notebook_style_of(struct str text, struct json root,
					struct arena *mem)
{
	struct notebook_style s = { .eol = STR("\n"),
				    .unit = STR(" "),
				    .colon = STR(": "),
				    .comma = STR(", ") };
	size_t n, at;
	const struct notebook_member *m = notebook_members(root, mem, &n);

	s.ascii = all_ascii(text) && has_escapes(text);
	if (!n)
		return s;
	s.colon = between(m[0].key, m[0].value);
	at = (size_t)(m[0].key.ptr - text.ptr);
	s.lines = notebook_indent_at(text, at, &s.unit) && at > s.unit.len;
	if (s.lines && str_ends(str_head(text, at - s.unit.len), STR("\r\n")))
		s.eol = STR("\r\n");
	if (!s.lines && n > 1)
		s.comma = between(m[0].value, m[1].key);
	return s;
}

bool notebook_indent_at(struct str text, size_t at, struct str *ret)
{
	struct str before = str_head(text, at);
	size_t newline = str_rfind(before, '\n');
	struct str blanks = str_skip(before, newline + 1);

	if (newline == before.len)
		return false;
	for (size_t i = 0; i < blanks.len; i++)
		if (blanks.ptr[i] != ' ' && blanks.ptr[i] != '\t')
			return false;
	*ret = blanks;
	return true;
}

void notebook_break(const struct notebook_style *s, struct str indent,
		    size_t levels, struct buf *out)
{
	if (!s->lines)
		return;
	buf_add(out, s->eol);
	buf_add(out, indent);
	for (size_t i = 0; i < levels; i++)
		buf_add(out, s->unit);
}

static void put_escape(uint32_t unit, struct buf *out)
{
	buf_addf(out, "\\u%04x", (unsigned)unit);
}

static void put_ascii(struct str escaped, struct buf *out)
{
	size_t len;

	for (struct str rest = escaped; rest.len; rest = str_skip(rest, len)) {
		uint32_t code = utf8_next(rest, &len);

		if (code < 0x80) {
			buf_addc(out, (char)code);
		} else if (code < 0x10000) {
			put_escape(code, out);
		} else {
			put_escape(0xd800 + ((code - 0x10000) >> 10), out);
			put_escape(0xdc00 + ((code - 0x10000) & 0x3ff), out);
		}
	}
}

void notebook_put_string(const struct notebook_style *s, struct str string,
			 struct buf *out)
{
	auto_buf escaped = BUF_INIT;

	json_escape(&escaped, string);
	buf_addc(out, '"');
	if (s->ascii)
		put_ascii(buf_str(&escaped), out);
	else
		buf_add(out, buf_str(&escaped));
	buf_addc(out, '"');
}

void notebook_put_list(const struct notebook_style *s, struct str source,
		       bool lines, struct str indent, struct buf *out)
{
	const struct notebook_style style = { .lines = lines,
					      .eol = s->eol,
					      .unit = s->unit };
	struct str rest = source, comma = lines ? STR(",") : s->comma;

	buf_addc(out, '[');
	while (rest.len) {
		struct str line = str_head(rest, lines_after(rest, 1));

		notebook_break(&style, indent, 1, out);
		notebook_put_string(s, line, out);
		rest = str_skip(rest, line.len);
		buf_add(out, rest.len ? comma : STR(""));
	}
	if (source.len)
		notebook_break(&style, indent, 0, out);
	buf_addc(out, ']');
}
