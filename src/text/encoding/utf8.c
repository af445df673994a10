/*
 * utf8.c - validate and step through UTF-8.
 *
 * Bulk validation is base/utf8_valid.c, which uses SIMD; here are the functions
 * for single characters.
 */
#include "text/encoding/utf8.h"

#include "base/utf8_valid.h"

/* The byte at @i, or 0 past the end, which is not a continuation byte. */
static unsigned byte_at(struct str s, size_t i)
{
	return i < s.len ? (unsigned char)s.ptr[i] : 0;
}

static bool is_continuation(unsigned c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * The length of the valid sequence at the front of @s, or 0. The second byte
 * has narrower bounds after E0, ED, F0 and F4, which excludes overlong forms,
 * surrogates and codes above U+10FFFF.
 */
static size_t sequence_len(struct str s)
{
	unsigned a = byte_at(s, 0), b = byte_at(s, 1);

	if (a < 0x80)
		return 1;
	if (a < 0xc2 || a > 0xf4 || !is_continuation(b))
		return 0;
	if (a < 0xe0)
		return 2;
	if (!is_continuation(byte_at(s, 2)))
		return 0;
	if (a < 0xf0) {
		if ((a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f))
			return 0;
		return 3;
	}
	if ((a == 0xf0 && b < 0x90) || (a == 0xf4 && b > 0x8f))
		return 0;
	return is_continuation(byte_at(s, 3)) ? 4 : 0;
}

size_t utf8_check(struct str s)
{
	return utf8_valid_prefix(s);
}

/*
 * The length of the sequence that @part begins when @fill bytes complete it, or
 * 0.
 */
static size_t completed_len(struct str part, char fill)
{
	char whole[4] = { fill, fill, fill, fill };

	memcpy(whole, part.ptr, part.len);
	return sequence_len(str_make(whole, sizeof(whole)));
}

size_t utf8_tail(struct str s)
{
	for (size_t back = 1; back <= size_min(3, s.len); back++) {
		struct str part = str_skip(s, s.len - back);

		if (is_continuation(byte_at(part, 0)))
			continue;
		/* one of the two is a valid second byte after any lead byte */
		if (completed_len(part, '\x80') > back ||
		    completed_len(part, '\xbf') > back)
			return back;
		return 0;
	}
	return 0;
}

uint32_t utf8_next(struct str s, size_t *len)
{
	unsigned a = byte_at(s, 0), b = byte_at(s, 1) & 0x3f;
	unsigned c = byte_at(s, 2) & 0x3f, d = byte_at(s, 3) & 0x3f;

	if (a < 0x80) {
		*len = 1;
		return a;
	}
	if (a < 0xe0) {
		*len = 2;
		return (a & 0x1f) << 6 | b;
	}
	if (a < 0xf0) {
		*len = 3;
		return (a & 0x0f) << 12 | b << 6 | c;
	}
	*len = 4;
	return (a & 0x07) << 18 | b << 12 | c << 6 | d;
}

uint32_t utf8_any(struct str s, size_t *len)
{
	*len = 1;
	if (byte_at(s, 0) < 0x80)
		return byte_at(s, 0);
	if (!sequence_len(s))
		return UTF8_NOT + byte_at(s, 0);
	return utf8_next(s, len);
}

size_t utf8_put(uint32_t code, char to[4])
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

struct str utf8_head(struct str s, size_t n)
{
	if (n >= s.len)
		return s;
	while (n && is_continuation(byte_at(s, n)))
		n--;
	return str_head(s, n);
}
