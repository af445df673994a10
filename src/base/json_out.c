#include "base/json_tape.h"
#include "base/utf8_valid.h"

enum {
	SHORT = 128,       /* bytes of a string that are looked at one by one */
	SLICE = 64 * 1024, /* of one that is taken while it is made */
	MUCH = 256 * 1024, /* worth to be taken: who waits for it wakes up */
	LONGEST_ESCAPE = 6, /* of a byte */
};

static const struct str replacement = STR_INIT("\xef\xbf\xbd");

/*
 * Take the valid bytes off the front of @rest, and with them what is wrong
 * behind, for which a replacement stands. True while there was anything.
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

/* What is to be written, looked at once: how long, and all of it valid. */
struct measure {
	size_t len;
	bool valid;
};

static struct measure measure(struct str s)
{
	const struct json_kernels *k = json_kernels();
	struct measure m = { 0, true };
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
	return measure(s).len;
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

/* What stands for @c after a backslash; 0: it stands for itself, 1: more. */
static char short_escape(unsigned char c)
{
	if (c == '"' || c == '\\')
		return (char)c;
	if (c >= 0x20 && c < 0x7f)
		return 0;
	return c == '\n' ? 'n' : 1;
}

/*
 * Keys and most values are a few letters, for which the kernels have more to
 * set up than to do. False, and nothing done, if there is more to it.
 */
static bool escape_short(struct buf *out, struct str s, bool quoted)
{
	char *to, *at;

	if (s.len > SHORT || out->max) /* room is asked for that may be left */
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
	struct measure m;
	char *to;

	if (escape_short(out, s, false))
		return;
	m = measure(s);
	to = buf_room(out, m.len);
	if (!to)
		return;
	(void)escape_to(to, s, m.valid);
	out->len += m.len;
}

static void put_quoted(struct buf *out, struct str s)
{
	struct measure m;
	char *to;

	if (escape_short(out, s, true))
		return;
	m = measure(s);
	to = buf_room(out, size_add(m.len, 2));
	if (!to)
		return;
	to[0] = '"';
	(void)escape_to(to + 1, s, m.valid);
	to[m.len + 1] = '"';
	out->len += m.len + 2;
}

/* Before a value or key. */
static void begin(struct json_out *o)
{
	if (o->comma)
		buf_addc(o->buf, ',');
	o->comma = true;
}

void json_open(struct json_out *o, char bracket)
{
	begin(o);
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
	begin(o);
	put_quoted(o->buf, key);
	buf_addc(o->buf, ':');
	o->comma = false;
}

void json_key_plain(struct json_out *o, struct str key)
{
	char *to;

	begin(o);
	to = buf_room(o->buf, key.len + 3);
	if (!to)
		return;
	*to++ = '"';
	to = mempcpy(to, key.ptr, key.len);
	memcpy(to, "\":", 2);
	o->buf->len += key.len + 3;
	o->comma = false;
}

/* Take a slice off the front of @rest that ends between two characters. */
static struct str next_slice(struct str *rest)
{
	enum { MOST_FOLLOW = 3 }; /* bytes of a character after its first */
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
 * There is room for the worst: so it is not measured first, and looked at a
 * second time only if it may not be UTF-8.
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

static void flow_on(struct json_out *o)
{
	if (o->buf->len >= MUCH)
		o->flow->more(o->flow, o->buf);
}

void json_str_open(struct json_out *o)
{
	begin(o);
	buf_addc(o->buf, '"');
}

void json_str_add(struct json_out *o, struct str s)
{
	if (!o->flow || s.len <= SHORT) {
		json_escape(o->buf, s);
		return;
	}
	while (s.len) {
		escape_slice(o->buf, next_slice(&s));
		flow_on(o);
	}
}

void json_str_close(struct json_out *o)
{
	buf_addc(o->buf, '"');
}

void json_put_str(struct json_out *o, struct str s)
{
	if (o->flow && s.len > SLICE) {
		json_str_open(o);
		json_str_add(o, s);
		json_str_close(o);
		return;
	}
	begin(o);
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
	begin(o);
	while (o->flow && json.len > SLICE) {
		buf_add(o->buf, next_slice(&json));
		flow_on(o);
	}
	buf_add(o->buf, json);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/*
 * Between one scalar and the next there is punctuation and white space.
 * Moves @from on over white space, having written what was before it.
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
	begin(o);
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
