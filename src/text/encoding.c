#include "text/encoding.h"

#include "text/codec.h"
#include "text/utf8.h"

static uint32_t utf8_step(const struct encoding *e, struct str s, size_t *len)
{
	return utf8_next(s, len);
}

static size_t utf8_code(const struct encoding *e, uint32_t code, char to[4])
{
	return utf8_put(code, to);
}

static inline uint32_t unit16(const struct encoding *e, const char *p)
{
	uint32_t a = (unsigned char)p[0], b = (unsigned char)p[1];

	return e->big_endian ? a << 8 | b : b << 8 | a;
}

static inline void put16(const struct encoding *e, uint32_t unit, char *to)
{
	to[e->big_endian ? 1 : 0] = (char)(unit & 0xff);
	to[e->big_endian ? 0 : 1] = (char)(unit >> 8);
}

static uint32_t utf16_next(const struct encoding *e, struct str s, size_t *len)
{
	uint32_t high, low;

	if (s.len < 2)
		return CODEC_BAD;
	*len = 2;
	high = unit16(e, s.ptr);
	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || s.len < 4)
		return CODEC_BAD;
	low = unit16(e, s.ptr + 2);
	if (low < 0xdc00 || low > 0xdfff)
		return CODEC_BAD;
	*len = 4;
	return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static size_t utf16_put(const struct encoding *e, uint32_t code, char to[4])
{
	if (code < 0x10000) {
		put16(e, code, to);
		return 2;
	}
	code -= 0x10000;
	put16(e, 0xd800 + (code >> 10), to);
	put16(e, 0xdc00 + (code & 0x3ff), to + 2);
	return 4;
}

static uint32_t utf32_next(const struct encoding *e, struct str s, size_t *len)
{
	uint32_t a, b, code;

	if (s.len < 4)
		return CODEC_BAD;
	*len = 4;
	a = unit16(e, s.ptr);
	b = unit16(e, s.ptr + 2);
	code = e->big_endian ? a << 16 | b : b << 16 | a;
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return CODEC_BAD;
	return code;
}

static size_t utf32_put(const struct encoding *e, uint32_t code, char to[4])
{
	put16(e, e->big_endian ? code >> 16 : code & 0xffff, to);
	put16(e, e->big_endian ? code & 0xffff : code >> 16, to + 2);
	return 4;
}

static const struct codec utf8 = { utf8_step, utf8_code, .is_utf8 = true };
static const struct codec utf16 = { utf16_next, utf16_put };
static const struct codec utf32 = { utf32_next, utf32_put };

#define ENCODING(id, name, bom, unit, big_endian, codec)                   \
	const struct encoding encoding_##id = { name, STR_INIT(bom), unit, \
						big_endian, &(codec) };
#include "text/encodings.def"
#undef ENCODING

static const struct encoding *const rows[] = {
#define ENCODING(id, ...) &encoding_##id,
#include "text/encodings.def"
#undef ENCODING
};

const struct encoding *encoding_named(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_is(name, rows[i]->name))
			return rows[i];
	return NULL;
}

static bool decodes(const struct encoding *e, struct str bytes)
{
	struct str rest = str_skip(bytes, e->bom.len);
	size_t len;

	if (e->codec->is_utf8)
		return utf8_valid(rest) && str_find(rest, 0) == rest.len;
	for (; rest.len; rest = str_skip(rest, len))
		if (e->codec->next(e, rest, &len) == CODEC_BAD)
			return false;
	return true;
}

static const struct encoding *by_mark(struct str bytes)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i]->bom.len && str_starts(bytes, rows[i]->bom) &&
		    decodes(rows[i], bytes))
			return rows[i];
	return NULL;
}

enum err encoding_detect(struct str bytes, const struct encoding **ret)
{
	const struct encoding *e = by_mark(bytes);

	if (!e && !encoding_magic(bytes)) {
		if (str_find(bytes, 0) < bytes.len)
			e = encoding_guess(bytes);
		else if (utf8_valid(bytes))
			e = &encoding_utf8;
	}
	if (!e)
		return ERR_BINARY_READ;
	*ret = e;
	return ERR_OK;
}

/* The bits that no ASCII character has set, in 8 bytes of units. */
static uint64_t beyond_ascii(const struct encoding *e)
{
	size_t value_at = e->big_endian ? e->unit - 1 : 0;
	char pattern[8];
	uint64_t bits;

	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = i % e->unit == value_at ? '\x80' : '\xff';
	memcpy(&bits, pattern, sizeof(bits));
	return bits;
}

/* How many bytes at the front of @s are ASCII units, in steps of 8. */
static size_t ascii_bytes(struct str s, uint64_t beyond)
{
	uint64_t word;
	size_t i = 0;

	for (; s.len - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, s.ptr + i, sizeof(word));
		if (word & beyond)
			break;
	}
	return i;
}

static char *put_ascii(const struct encoding *e, const char *from, size_t n,
		       char *to)
{
	from += e->big_endian ? e->unit - 1 : 0;
	for (size_t i = 0; i < n; i++)
		to[i] = from[i * e->unit];
	return to + n;
}

/* UTF-16 at worst makes 3 bytes of 2, UTF-32 4 of 4. */
static size_t most_utf8(const struct encoding *e, size_t len)
{
	return e->unit == 2 ? size_add(len, len / 2) : len;
}

enum err encoding_decode(const struct encoding *e, struct str bytes,
			 struct arena *mem, struct str *ret)
{
	struct str rest = str_skip(bytes, e->bom.len);
	const uint64_t beyond = beyond_ascii(e);
	size_t len, n;
	uint32_t code;
	char *to, *p;

	if (!str_starts(bytes, e->bom))
		return ERR_BINARY_READ;
	if (e->codec->is_utf8) {
		if (!utf8_valid(rest))
			return ERR_BINARY_READ;
		*ret = rest;
		return ERR_OK;
	}
	/* room for a whole code point at the end, whatever its length */
	p = to = arena_alloc(mem, size_add(most_utf8(e, rest.len), 4));
	while (rest.len) {
		n = ascii_bytes(rest, beyond);
		p = put_ascii(e, rest.ptr, n / e->unit, p);
		rest = str_skip(rest, n);
		if (!rest.len)
			break;
		code = e->codec->next(e, rest, &len);
		if (code == CODEC_BAD)
			return ERR_BINARY_READ;
		p += utf8_put(code, p);
		rest = str_skip(rest, len);
	}
	*ret = str_make(to, (size_t)(p - to));
	return ERR_OK;
}

enum err encoding_encode(const struct encoding *e, struct str text,
			 struct arena *mem, struct str *ret, size_t *bad)
{
	size_t valid = utf8_check(text), at = 0, len, put;
	char *to, *p;

	if (e->codec->is_utf8) {
		*ret = text;
		return ERR_OK;
	}
	if (text.len > SIZE_MAX / 4)
		out_of_memory();
	p = to = arena_alloc(mem, text.len * e->unit + 4);
	for (; at < valid; at += len) {
		put = e->codec->put(e, utf8_next(str_skip(text, at), &len), p);
		if (!put)
			break;
		p += put;
	}
	if (at < text.len) {
		*bad = at;
		return ERR_UNENCODABLE;
	}
	*ret = str_make(to, (size_t)(p - to));
	return ERR_OK;
}

/*
 * Step over code points until the one at, or around, @place in the text.
 * @at is how far the text before @rest goes.
 */
static void step_to(const struct encoding *e, struct str *rest, size_t *at,
		    size_t place)
{
	const uint64_t beyond = beyond_ascii(e);
	char utf8_bytes[4];
	uint32_t code;
	size_t len, n;

	while (rest->len && *at < place) {
		n = size_min(place - *at, rest->len / e->unit) * e->unit;
		n = ascii_bytes(str_head(*rest, n), beyond);
		*at += n / e->unit;
		*rest = str_skip(*rest, n);
		if (!rest->len || *at == place)
			break;
		code = e->codec->next(e, *rest, &len);
		if (code == CODEC_BAD)
			break;
		n = utf8_put(code, utf8_bytes);
		if (*at + n > place)
			break;
		*at += n;
		*rest = str_skip(*rest, len);
	}
}

void encoding_places(const struct encoding *e, struct str bytes,
		     const size_t *places, size_t n, size_t *ret)
{
	struct str rest = str_skip(bytes, e->bom.len);
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		if (e->codec->is_utf8) {
			ret[i] = size_min(size_add(places[i], e->bom.len),
					  bytes.len);
			continue;
		}
		step_to(e, &rest, &at, places[i]);
		ret[i] = bytes.len - rest.len;
	}
}
