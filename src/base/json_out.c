/*
 * json_out.c - write JSON.
 *
 * Short strings are escaped byte by byte, long ones by the kernels
 * (json_kernels.h). Of a reply that is flushed while it is made (struct
 * json_flush), strings are written in slices.
 */
#include "base/json_tape.h"
#include "base/utf8_valid.h"

enum {
	SHORT = 128,              /* bytes of a string escaped one by one */
	SLICE = 64 * 1024,        /* bytes of a slice when flushing */
	FLUSH_BYTES = 256 * 1024, /* minimum size of a flush */
	LONGEST_ESCAPE = 6,       /* bytes for one byte */
};

static const struct str replacement = STR_INIT("\xef\xbf\xbd");

/*
 * Take the valid prefix off @rest, and the invalid sequence after it, for which
 * U+FFFD is written. False at the end.
 */
static bool next_part(struct str *rest, struct str *valid, bool *wrong)
{
	bool whole;

	if (!rest->len)
		return false;
	*valid = str_head(*rest, utf8_valid_prefix(*rest));
	*rest = str_skip(*rest, valid->len);
	*wrong = rest->len;
	if (*wrong)
		*rest = str_skip(*rest, utf8_sequence(*rest, &whole));
	return true;
}

/* The escaped size of a string, and whether it is valid UTF-8. */
struct measure_escaped {
	size_t len;
	bool valid;
};

static struct measure_escaped measure_escaped(struct str s)
{
	const struct json_kernels *k = json_kernels();
	struct measure_escaped m = { 0, true };
	struct str valid;
	bool wrong;

	while (next_part(&s, &valid, &wrong)) {
		m.len += k->escaped_len(valid);
		if (wrong) {
			m.len += replacement.len;
			m.valid = false;
		}
	}
	return m;
}

size_t json_escaped_len(struct str s)
{
	return measure_escaped(s).len;
}

static char *escape_to(char *to, struct str s, bool all_valid)
{
	const struct json_kernels *k = json_kernels();
	struct str valid;
	bool wrong, ascii;

	if (all_valid)
		return k->escape(to, s, &ascii);
	while (next_part(&s, &valid, &wrong)) {
		to = k->escape(to, valid, &ascii);
		if (wrong)
			to = mempcpy(to, replacement.ptr, replacement.len);
	}
	return to;
}

/*
 * The letter after a backslash that stands for @c; 0: no escape; 1: not handled
 * here.
 */
static char short_escape(unsigned char c)
{
	if (c == '"' || c == '\\')
		return (char)c;
	if (c >= 0x20 && c < 0x7f)
		return 0;
	return c == '\n' ? 'n' : 1;
}

/*
 * Fast path: for keys and most values the kernels would cost more to set up
 * than to run. False, with nothing written, when it does not apply.
 */
static bool escape_short(struct buf *out, struct str s, bool quoted)
{
	char *to, *at;

	if (s.len > SHORT || out->max) /* asks for more room than needed */
		return false;
	to = at = buf_room(out, 2 * s.len + 2);
	if (!to)
		return false;
	if (quoted)
		*at++ = '"';
	for (size_t i = 0; i < s.len; i++) {
		char escape = short_escape((unsigned char)s.ptr[i]);

		if (escape == 1)
			return false;
		if (escape)
			*at++ = '\\';
		*at++ = escape ? escape : s.ptr[i];
	}
	if (quoted)
		*at++ = '"';
	out->len += (size_t)(at - to);
	return true;
}

void json_escape(struct buf *out, struct str s)
{
	struct measure_escaped m;
	char *to;

	if (escape_short(out, s, false))
		return;
	m = measure_escaped(s);
	to = buf_room(out, m.len);
	if (!to)
		return;
	(void)escape_to(to, s, m.valid);
	out->len += m.len;
}

static void put_quoted(struct buf *out, struct str s)
{
	struct measure_escaped m;
	char *to;

	if (escape_short(out, s, true))
		return;
	m = measure_escaped(s);
	to = buf_room(out, size_add(m.len, 2));
	if (!to)
		return;
	to[0] = '"';
	(void)escape_to(to + 1, s, m.valid);
	to[m.len + 1] = '"';
	out->len += m.len + 2;
}

/* Write the comma before a value or key, if due. */
static void begin_value(struct json_out *o)
{
	if (o->comma)
		buf_addc(o->buf, ',');
	o->comma = true;
}

void json_open(struct json_out *o, char bracket)
{
	begin_value(o);
	buf_addc(o->buf, bracket);
	o->comma = false;
}

void json_close(struct json_out *o, char bracket)
{
	buf_addc(o->buf, bracket);
	o->comma = true;
}

void json_key_str(struct json_out *o, struct str key)
{
	begin_value(o);
	put_quoted(o->buf, key);
	buf_addc(o->buf, ':');
	o->comma = false;
}

void json_key_plain(struct json_out *o, struct str key)
{
	char *to;

	begin_value(o);
	to = buf_room(o->buf, key.len + 3);
	if (!to)
		return;
	*to++ = '"';
	to = mempcpy(to, key.ptr, key.len);
	memcpy(to, "\":", 2);
	o->buf->len += key.len + 3;
	o->comma = false;
}

/* Take a slice off the front of @rest, cut between two characters. */
static struct str next_slice(struct str *rest)
{
	enum { MOST_FOLLOW = 3 }; /* continuation bytes of a character */
	struct str slice = str_head(*rest, SLICE);

	for (size_t n = SLICE; n < rest->len && n >= SLICE - MOST_FOLLOW; n--)
		if (((unsigned char)rest->ptr[n] & 0xc0) != 0x80) {
			slice.len = n;
			break;
		}
	*rest = str_skip(*rest, slice.len);
	return slice;
}

/*
 * Room for the worst case is reserved, so the slice is not measured first, and
 * is checked for UTF-8 only if it is not ASCII.
 */
static void escape_slice(struct buf *out, struct str s)
{
	char *to, *end;
	bool ascii;

	to = out->max ? NULL : buf_room(out, LONGEST_ESCAPE * s.len);
	if (to) {
		end = json_kernels()->escape(to, s, &ascii);
		if (ascii || utf8_valid_prefix(s) == s.len) {
			out->len += (size_t)(end - to);
			return;
		}
	}
	json_escape(out, s);
}

static void flush_if_full(struct json_out *o)
{
	if (o->buf->len >= FLUSH_BYTES)
		o->flush->write(o->flush, o->buf);
}

void json_str_open(struct json_out *o)
{
	begin_value(o);
	buf_addc(o->buf, '"');
}

void json_str_add(struct json_out *o, struct str s)
{
	if (!o->flush || s.len <= SHORT) {
		json_escape(o->buf, s);
		return;
	}
	while (s.len) {
		escape_slice(o->buf, next_slice(&s));
		flush_if_full(o);
	}
}

void json_str_close(struct json_out *o)
{
	buf_addc(o->buf, '"');
}

void json_put_str(struct json_out *o, struct str s)
{
	if (o->flush && s.len > SLICE) {
		json_str_open(o);
		json_str_add(o, s);
		json_str_close(o);
		return;
	}
	begin_value(o);
	put_quoted(o->buf, s);
}

void json_put_int(struct json_out *o, int64_t n)
{
	uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	char digits[20], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0)
		*--at = '-';
	json_put_raw(o, str_make(at, (size_t)(digits + sizeof(digits) - at)));
}

void json_put_bool(struct json_out *o, bool b)
{
	json_put_raw(o, b ? STR("true") : STR("false"));
}

void json_put_null(struct json_out *o)
{
	json_put_raw(o, STR("null"));
}

void json_put_raw(struct json_out *o, struct str json)
{
	begin_value(o);
	while (o->flush && json.len > SLICE) {
		buf_add(o->buf, next_slice(&json));
		flush_if_full(o);
	}
	buf_add(o->buf, json);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/*
 * Write the punctuation between two scalars without white space: copies up to
 * the last white space and advances @from.
 */
static void drop_space(struct buf *out, const char **from, const char *p,
		       const char *end)
{
	for (; p < end; p++) {
		if (!is_space(*p))
			continue;
		buf_add(out, str_make(*from, (size_t)(p - *from)));
		*from = p + 1;
	}
}

void json_put(struct json_out *o, struct json v)
{
	const struct json_node *node = json_node(v), *last;
	const char *from, *p;
	struct str raw = json_raw(v);

	if (!node)
		return;
	begin_value(o);
	from = p = raw.ptr;
	last = v.doc->nodes + node->next;
	for (; node < last; node++) {
		if (node->kind == JSON_OBJECT || node->kind == JSON_ARRAY)
			continue;
		drop_space(o->buf, &from, p, v.doc->text + node->start);
		p = v.doc->text + node->start + node->len;
	}
	drop_space(o->buf, &from, p, raw.ptr + raw.len);
	buf_add(o->buf, str_make(from, (size_t)(raw.ptr + raw.len - from)));
}
