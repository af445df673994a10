/*
 * visible.c - escape hidden characters in text for people.
 *
 * The ranges of hidden.def are sorted, so a code point is found by bisection;
 * printable ASCII, which is most text, skips that.
 */
#include "text/display/visible.h"

#include "text/encoding/utf8.h"

static const struct {
	uint32_t from, to;
} hidden[] = {
#define HIDDEN(from, to) { from, to },
#include "text/display/hidden.def"
#undef HIDDEN
};

bool visible_is_hidden(uint32_t code)
{
	size_t low = 0, high = COUNT_OF(hidden);

	if (code >= 0x20 && code < 0x7f)
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code > hidden[middle].to)
			low = middle + 1;
		else
			high = middle;
	}
	return low < COUNT_OF(hidden) && code >= hidden[low].from;
}

static void add_escaped(struct buf *out, uint32_t code)
{
	if (code < 0x80)
		buf_addf(out, "\\x%02x", (unsigned)code);
	else
		buf_addf(out, "\\u{%x}", (unsigned)code);
}

/* How line ends are written. */
enum line_ends {
	ENDS_LF,     /* CR LF becomes LF */
	ENDS_EXACT,  /* LF stays, a CR before it is escaped */
	ENDS_ESCAPED /* LF, CR and TAB are escaped */
};

static void add_code(struct buf *out, struct str rest, size_t len,
		     uint32_t code, enum line_ends ends)
{
	if (code == '\r' && ends == ENDS_LF && str_starts(rest, STR("\r\n")))
		return;
	if (visible_is_hidden(code) ||
	    (ends == ENDS_ESCAPED && (code == '\n' || code == '\t')))
		add_escaped(out, code);
	else
		buf_add(out, str_head(rest, len));
}

static void add_valid(struct buf *out, struct str text, enum line_ends ends)
{
	size_t len;

	for (; text.len; text = str_skip(text, len)) {
		uint32_t code = utf8_next(text, &len);

		add_code(out, text, len, code, ends);
	}
}

static void add_text(struct buf *out, struct str text, enum line_ends ends)
{
	size_t good;

	while (text.len) {
		good = utf8_check(text);
		add_valid(out, str_head(text, good), ends);
		text = str_skip(text, good);
		if (text.len)
			buf_addf(out, "\\x%02x", (unsigned char)text.ptr[0]);
		text = str_skip(text, 1);
	}
}

void visible_add(struct buf *out, struct str text)
{
	add_text(out, text, ENDS_LF);
}

void visible_line(struct buf *out, struct str text)
{
	add_text(out, text, ENDS_ESCAPED);
}

/*
 * Do all lines of the files end in CR LF? A last line may have no line ending.
 */
static bool all_crlf(struct str diff)
{
	bool in_hunk = false,
	     bare = false; /* bare: the line before has no CR */
	struct str line;

	while (str_split(&diff, '\n', &line)) {
		char kind = line.len ? line.ptr[0] : '\0';

		if (bare && kind != '\\')
			return false;
		in_hunk = in_hunk || kind == '@';
		bare = in_hunk && (kind == ' ' || kind == '-' || kind == '+') &&
		       !str_ends(line, STR("\r"));
	}
	return !bare;
}

void visible_diff(struct buf *out, struct str diff)
{
	add_text(out, diff, all_crlf(diff) ? ENDS_LF : ENDS_EXACT);
}

static void add_json_escape(struct buf *out, uint32_t code)
{
	if (code > 0xffff) {
		code -= 0x10000;
		buf_addf(out, "\\u%04x", 0xd800 + (unsigned)(code >> 10));
		code = 0xdc00 + (code & 0x3ff);
	}
	buf_addf(out, "\\u%04x", (unsigned)code);
}

/* Hidden ASCII in valid JSON is a newline between values, or DEL. */
void visible_json(struct buf *out, struct str json)
{
	size_t len;

	for (; json.len; json = str_skip(json, len)) {
		uint32_t code = utf8_any(json, &len);

		if (code >= 0x7f && code < UTF8_NOT && visible_is_hidden(code))
			add_json_escape(out, code);
		else
			buf_add(out, str_head(json, len));
	}
}
