#include "base/json_tape.h"
#include "base/utf8_valid.h"

enum { SHORT = 48 }; /* bytes of a string that are looked at one by one */

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
	bool wrong;

	if (all_valid)
		return k->escape(to, s);
	while (next_part(&s, &valid, &wrong)) {
		to = k->escape(to, valid);
		if (wrong)
			to = mempcpy(to, replacement.ptr, replacement.len);
	}
	return to;
}

void json_escape(struct buf *out, struct str s)
{
	struct measure m = measure(s);
	char *to = buf_room(out, m.len);

	if (!to)
		return;
	(void)escape_to(to, s, m.valid);
	out->len += m.len;
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/*
 * Keys and most values are a few plain letters, for which the kernels have
 * more to set up than to do. False, and nothing done, if it is not one.
 */
static bool put_short(struct buf *out, struct str s)
{
	char *to;

	if (s.len > SHORT)
		return false;
	to = buf_room(out, s.len + 2);
	if (!to)
		return false;
	*to++ = '"';
	for (size_t i = 0; i < s.len; i++) {
		if (!is_plain(s.ptr[i]))
			return false;
		*to++ = s.ptr[i];
	}
	*to = '"';
	out->len += s.len + 2;
	return true;
}

static void put_quoted(struct buf *out, struct str s)
{
	struct measure m;
	char *to;

	if (put_short(out, s))
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

void json_put_str(struct json_out *o, struct str s)
{
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
