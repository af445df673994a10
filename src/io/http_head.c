/*
 * http_head.c - strict rules for the head of a request, against smuggling.
 *
 * Parsers differ in what they take for the end of a line; where two that are
 * behind each other differ, a request can hide in another. So lines end with
 * CR LF and nothing else, none continues in the next, and they have no control
 * characters.
 */
#include "io/http_local.h"

#include <endian.h>
#include <strings.h>

static bool is_control(unsigned char c)
{
	return (c < ' ' && c != '\t') || c == 0x7f;
}

/* The place after byte @c. */
static enum head_place head_step(enum head_place place, unsigned char c)
{
	switch (place) {
	case HEAD_BEFORE:
		if (c == '\r')
			return HEAD_BEFORE_CR;
		return is_control(c) ? HEAD_BAD : HEAD_LINE;
	case HEAD_BEFORE_CR:
		return c == '\n' ? HEAD_BEFORE : HEAD_BAD;
	case HEAD_LINE:
		if (c == '\r')
			return HEAD_CR;
		return is_control(c) ? HEAD_BAD : HEAD_LINE;
	case HEAD_CR:
		return c == '\n' ? HEAD_START : HEAD_BAD;
	case HEAD_START:
		if (c == '\r')
			return HEAD_LAST_CR;
		return c == ' ' || is_control(c) || c == '\t' ? HEAD_BAD
							      : HEAD_LINE;
	case HEAD_LAST_CR:
		return c == '\n' ? HEAD_WHOLE : HEAD_BAD;
	case HEAD_WHOLE:
	case HEAD_BAD:
	case HEAD_LONG:
		break;
	}
	return place;
}

/* Three words, one space apart; the last is HTTP/1.0 or HTTP/1.1. */
static bool fits_first_line(struct head_scan *s, char c)
{
	static const char protocol[] = "HTTP/1.";
	size_t at = s->protocol;

	if (s->place == HEAD_CR)
		return at == sizeof(protocol);
	if (s->spaces < 2) {
		s->spaces += c == ' ';
		return true;
	}
	s->protocol++;
	if (at + 1 < sizeof(protocol))
		return c == protocol[at];
	return at + 1 == sizeof(protocol) && (c == '0' || c == '1');
}

static enum head_place next_place(struct head_scan *s, char c)
{
	enum head_place before = s->place;

	s->place = head_step(before, (unsigned char)c);
	if (s->in_fields || s->place <= HEAD_BEFORE_CR)
		return s->place;
	s->in_fields = s->place == HEAD_START;
	return s->in_fields || fits_first_line(s, c) ? s->place : HEAD_BAD;
}

/* How many of eight bytes precede the first control character or tab. */
static size_t before_control(const char *p)
{
	const uint64_t each = UINT64_C(0x0101010101010101), top = each * 0x80;
	uint64_t v, del, found;

	memcpy(&v, p, sizeof(v));
	v = le64toh(v);
	del = v ^ (each * 0x7f);
	found = (((v - each * ' ') & ~v) | ((del - each) & ~del)) & top;
	return found ? (size_t)__builtin_ctzll(found) / 8 : 8;
}

/* CR LF and then the first byte of a header name? */
static bool ends_line(const char *p)
{
	return p[0] == '\r' && p[1] == '\n' && p[2] > ' ' && p[2] < 0x7f;
}

/*
 * The number of bytes that can be skipped: within header lines most bytes, and
 * the plain end of one line, do not change the place.
 */
static size_t plain_bytes(const struct head_scan *s, struct str bytes)
{
	size_t n = 0, head_step;

	if (!s->in_fields || s->place != HEAD_LINE)
		return 0;
	while (n + 8 <= bytes.len) {
		head_step = before_control(bytes.ptr + n);
		n += head_step;
		if (head_step == 8)
			continue;
		if (n + 3 > bytes.len || !ends_line(bytes.ptr + n))
			return n;
		n += 3;
	}
	return n;
}

enum head_place head_scan(struct head_scan *s, struct str bytes, size_t most)
{
	for (size_t i = 0, n; i < bytes.len && s->place < HEAD_WHOLE; i += n) {
		n = plain_bytes(s, str_skip(bytes, i));
		if (!n) {
			n = 1;
			s->place = next_place(s, bytes.ptr[i]);
		}
		s->len += n;
		if (s->len > most && s->place < HEAD_WHOLE)
			s->place = HEAD_LONG;
	}
	return s->place;
}

/* A token of RFC 9110: letters, digits and some punctuation. */
static bool is_token(struct str s)
{
	static const uint32_t set[8] = { 0, 0x03ff6cfa, 0xc7fffffe,
					 0x57ffffff };

	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (!(set[c / 32] >> c % 32 & 1))
			return false;
	}
	return s.len;
}

static bool are_names(const struct http_exchange *x)
{
	for (size_t i = 0; i < x->request.header_count; i++)
		if (!is_token(x->request.headers[i].name))
			return false;
	return true;
}

/* An absolute path: not a URL, not an authority. */
static bool is_path(const struct http_exchange *x)
{
	struct str target = str_head(buf_str(&x->head), x->target_len);

	if (str_is(target, "*"))
		return str_is(x->request.method, "OPTIONS");
	for (size_t i = 0; i < target.len; i++)
		if ((unsigned char)target.ptr[i] <= ' ' ||
		    (unsigned char)target.ptr[i] >= 0x7f ||
		    target.ptr[i] == '#')
			return false;
	return str_starts(target, STR("/"));
}

/* One Content-Length or one "chunked", not both, against smuggling. */
static bool is_length_clear(const struct http_exchange *x)
{
	static const struct str chunked = STR_INIT("chunked");
	struct str length = http_header(x, HTTP_CONTENT_LENGTH);
	size_t lengths = http_header_count(x, HTTP_CONTENT_LENGTH);
	struct str coding = http_header(x, HTTP_TRANSFER_ENCODING);
	size_t codings = http_header_count(x, HTTP_TRANSFER_ENCODING);

	if (lengths + codings > 1)
		return false;
	for (size_t i = 0; i < length.len; i++)
		if (length.ptr[i] < '0' || length.ptr[i] > '9')
			return false;
	if (codings)
		return x->conn->parser.http_minor &&
		       coding.len == chunked.len &&
		       !strncasecmp(coding.ptr, chunked.ptr, chunked.len);
	return !lengths || length.len;
}

static bool has_host(const struct http_exchange *x)
{
	size_t n = http_header_count(x, HTTP_HOST);

	return n == 1 || (!n && !x->conn->parser.http_minor);
}

static bool is_no_tunnel(const struct http_exchange *x)
{
	return x->conn->parser.method != HTTP_CONNECT;
}

static bool is_plain(const struct http_exchange *x)
{
	struct str coding = http_header(x, HTTP_CONTENT_ENCODING);

	return !coding.len || str_is(coding, "identity");
}

const struct head_rule *head_broken_rule(const struct http_exchange *x)
{
	static const struct head_rule rules[] = {
		{ are_names, 400, "Invalid header name" },
		{ is_no_tunnel, 400, "This server is not a proxy" },
		{ is_path, 400, "The request target must be a path" },
		{ has_host, 400, "Exactly one Host header is required" },
		{ is_length_clear, 400,
		  "Exactly one Content-Length or Transfer-Encoding header is required" },
		{ is_plain, 415, "Content-Encoding is not supported" },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++)
		if (!rules[i].holds(x))
			return &rules[i];
	return NULL;
}
