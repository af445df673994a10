/*
 * encoding.c - the table of encodings, the Unicode codecs, decoding and
 * encoding.
 *
 * Runs of ASCII are found eight bytes at a time and copied; only other
 * characters go through a codec. Decoding writes to a sink, which grows in an
 * arena or has a fixed room. The rows are constant; charset tables are built at
 * first use (encoding_charset.c).
 */
#include "text/encoding/encoding.h"

#include "text/encoding/codec.h"
#include "text/encoding/utf8.h"

/* @s may be invalid, so the sequence is checked before it is decoded. */
static uint32_t utf8_step(const struct encoding *e, struct str s,
			  unsigned *shift, size_t *len)
{
	unsigned char lead = (unsigned char)s.ptr[0];
	size_t need = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

	if (need > s.len || utf8_check(str_head(s, need)) < need)
		return CODEC_BAD;
	return utf8_next(s, len);
}

static size_t utf8_code(const struct encoding *e, uint32_t code,
			unsigned *shift, char to[CODEC_MOST])
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

static uint32_t utf16_next(const struct encoding *e, struct str s,
			   unsigned *shift, size_t *len)
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

static size_t utf16_put(const struct encoding *e, uint32_t code,
			unsigned *shift, char to[CODEC_MOST])
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

static uint32_t utf32_next(const struct encoding *e, struct str s,
			   unsigned *shift, size_t *len)
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

static size_t utf32_put(const struct encoding *e, uint32_t code,
			unsigned *shift, char to[CODEC_MOST])
{
	put16(e, e->big_endian ? code >> 16 : code & 0xffff, to);
	put16(e, e->big_endian ? code & 0xffff : code >> 16, to + 2);
	return 4;
}

static const struct codec utf8 = { utf8_step, utf8_code, .is_utf8 = true };
static const struct codec utf16 = { utf16_next, utf16_put };
static const struct codec utf32 = { utf32_next, utf32_put };

#define ENCODING(id, name, bom, unit, big_endian, codec, iconv)              \
	static _Atomic(const struct charset *) charset_##id;                 \
	const struct encoding encoding_##id = { name,         STR_INIT(bom), \
						unit,         big_endian,    \
						&(codec),     iconv,         \
						&charset_##id };
#include "text/encoding/encodings.def"
#undef ENCODING

const struct encoding *const encoding_rows[] = {
#define ENCODING(id, ...) &encoding_##id,
#include "text/encoding/encodings.def"
#undef ENCODING
};

const size_t encoding_rows_count = COUNT_OF(encoding_rows);

static const struct {
	const char *name;
	const struct encoding *encoding;
} aliases[] = {
#define ALIAS(name, id) { name, &encoding_##id },
#include "text/encoding/encoding_names.def"
#undef ALIAS
};

static char plain(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '_' ? '-' : c;
}

static bool same_name(struct str a, const char *b)
{
	size_t i = 0;

	for (; i < a.len && b[i]; i++)
		if (plain(a.ptr[i]) != plain(b[i]))
			return false;
	return i == a.len && !b[i];
}

const struct encoding *encoding_named(struct str name)
{
	for (size_t i = 0; i < encoding_rows_count; i++)
		if (same_name(name, encoding_rows[i]->name))
			return encoding_rows[i];
	for (size_t i = 0; i < COUNT_OF(aliases); i++)
		if (same_name(name, aliases[i].name))
			return aliases[i].encoding;
	return NULL;
}

bool encoding_name_is_ascii(struct str name)
{
	return same_name(name, "ascii") || same_name(name, "us-ascii");
}

bool encoding_is_utf8(const struct encoding *e)
{
	return e->codec->is_utf8;
}

bool encoding_equal_but_bom(const struct encoding *a, const struct encoding *b)
{
	return a == b || (a && b && !a->iconv && a->codec == b->codec &&
			  a->big_endian == b->big_endian);
}

bool encoding_is_stateless(const struct encoding *e)
{
	return !e->codec->shift;
}

/*
 * A mask of the bits that no ASCII character sets, for 8 bytes of code units.
 */
static uint64_t beyond_ascii(const struct encoding *e)
{
	size_t value_at = e->big_endian ? e->unit - 1 : 0;
	char pattern[8];
	uint64_t bits;

	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = i % e->unit == value_at ? '\x80' : '\xff';
	/* in a stateful encoding an ASCII byte can mean anything */
	if (e->codec->shift)
		memset(pattern, '\xff', sizeof(pattern));
	memcpy(&bits, pattern, sizeof(bits));
	return bits;
}

/* The number of bytes at the front of @s that are ASCII, in steps of 8. */
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

/*
 * The number of bytes at the front of @s that need no codec: in UTF-8 all valid
 * ones, else ASCII.
 */
static size_t plain_bytes(const struct encoding *e, struct str s,
			  uint64_t beyond)
{
	return e->codec->is_utf8 ? utf8_check(s) : ascii_bytes(s, beyond);
}

static char *put_plain(const struct encoding *e, const char *from, size_t n,
		       char *to)
{
	if (e->unit == 1) {
		memcpy(to, from, n);
		return to + n;
	}
	from += e->big_endian ? e->unit - 1 : 0;
	for (size_t i = 0; i < n; i++)
		to[i] = from[i * e->unit];
	return to + n;
}

enum { CHUNK = 4096 }; /* bytes decoded by one charset_decode() */

/* Collects decoded text. */
struct sink {
	struct arena *mem; /* NULL: fixed room, no offsets */
	char *ptr;
	size_t len, cap;
	size_t *undecodable;
	size_t count, room;
	bool failed; /* out of memory: the content is not valid */
	bool surrogates;
};

enum { MOST_UNDECODABLE = 1 << 20 }; /* more of them: not text */

static char *sink_room(struct sink *s, size_t n)
{
	size_t cap;

	if (s->mem && s->cap - s->len < n) {
		cap = size_add(s->cap + s->cap / 2, size_add(n, 64));
		if (!arena_reserve(s->mem, cap)) {
			s->failed = true; /* the result is discarded */
			s->len = 0;
			return s->ptr;
		}
		s->ptr = arena_grow(s->mem, s->ptr, s->cap, cap);
		s->cap = cap;
	}
	return s->ptr + s->len;
}

enum { SURROGATE = 0xdc00, SURROGATE_LEN = 3 };

static void sink_surrogate(struct sink *s, char byte)
{
	unsigned code = SURROGATE + (unsigned char)byte;
	char *to = sink_room(s, SURROGATE_LEN);

	to[0] = '\xed';
	to[1] = (char)(0x80 | (code >> 6 & 0x3f));
	to[2] = (char)(0x80 | (code & 0x3f));
	s->len += SURROGATE_LEN;
	s->count++;
}

int decoding_surrogate(struct str s)
{
	unsigned second, third;

	if (s.len < SURROGATE_LEN || s.ptr[0] != '\xed')
		return -1;
	second = (unsigned char)s.ptr[1];
	third = (unsigned char)s.ptr[2];
	if (second < 0xb0 || second > 0xb3 || (third & 0xc0) != 0x80)
		return -1;
	return (int)((second & 3) << 6 | (third & 0x3f));
}

static void sink_undecodable(struct sink *s, char byte)
{
	static const char digits[] = "0123456789ABCDEF";
	unsigned char b = (unsigned char)byte;
	char *to = sink_room(s, 4);
	size_t *more;

	to[0] = '\\';
	to[1] = 'x';
	to[2] = digits[b >> 4];
	to[3] = digits[b & 15];
	s->len += 4;
	if (!s->mem || s->count >= MOST_UNDECODABLE) {
		s->count++;
		return;
	}
	if (s->count == s->room) {
		s->room = 2 * s->room + 16;
		more = arena_array(s->mem, size_t, s->room);
		if (s->count)
			memcpy(more, s->undecodable, s->count * sizeof(*more));
		s->undecodable = more;
	}
	s->undecodable[s->count++] = s->len - 4;
}

/* Decode the front of @rest with charset tables; returns how many bytes. */
static size_t decode_charset(const struct encoding *e, struct str rest,
			     struct sink *sink)
{
	struct str front = str_head(rest, CHUNK);
	char *to;
	size_t n;

	if (e->codec != &codec_charset)
		return 0;
	to = sink_room(sink, 3 * front.len + 4);
	n = charset_decode(charset_of(e), front, &to);
	sink->len = (size_t)(to - sink->ptr);
	return n;
}

/* Returns the bytes left to the next piece. */
static struct str decode_piece(const struct encoding *e,
			       const struct byte_reader *p, unsigned *shift,
			       struct sink *sink)
{
	const uint64_t beyond = beyond_ascii(e);
	struct str rest = p->piece;
	size_t len, n;
	uint32_t code;

	while (byte_reader_has(p, rest)) {
		rest = str_skip(rest, decode_charset(e, rest, sink));
		n = plain_bytes(e, rest, beyond);
		if (n)
			sink->len = (size_t)(put_plain(e, rest.ptr, n / e->unit,
						       sink_room(sink, n)) -
					     sink->ptr);
		rest = str_skip(rest, n);
		if (!byte_reader_has(p, rest))
			break;
		code = e->codec->next(e, rest, shift, &len);
		if (code == CODEC_BAD) {
			len = undecodable_len(e, rest);
			for (size_t i = 0; i < len && sink->surrogates; i++)
				sink_surrogate(sink, rest.ptr[i]);
			for (size_t i = 0; i < len && !sink->surrogates; i++)
				sink_undecodable(sink, rest.ptr[i]);
		} else if (code != CODEC_SHIFT) {
			sink->len += utf8_put(code, sink_room(sink, 4));
		}
		rest = str_skip(rest, len);
	}
	return rest;
}

size_t decoding_more(struct decoding *d, const struct byte_reader *p, char *to,
		     size_t *ret_used)
{
	struct sink sink = { .ptr = to,
			     .cap = decoding_room(p->piece.len),
			     .surrogates = d->surrogates };
	struct str rest = decode_piece(d->e, p, &d->shift, &sink);

	d->undecodable += sink.count;
	*ret_used = p->piece.len - rest.len;
	return sink.len;
}

enum err encoding_decode_escaped(const struct encoding *e, struct str bytes,
				 struct arena *mem, struct decoded_text *ret)
{
	struct str rest = str_skip(bytes, e->bom.len);
	const struct byte_reader all = { .piece = rest, .last = true };
	struct sink sink = { .mem = mem };
	unsigned shift = 0;

	if (!str_starts(bytes, e->bom) || (e->iconv && !charset_of(e)))
		return ERR_BINARY_READ;
	*ret = (struct decoded_text){ .text = rest };
	if (e->codec->is_utf8 && utf8_valid(rest))
		return ERR_OK;
	/* most texts fit: UTF-16 makes at most 3 bytes of 2 */
	sink.cap = size_add(rest.len, rest.len / 2 + 4 * CHUNK);
	if (!arena_reserve(mem, sink.cap))
		return ERR_NO_MEMORY;
	sink.ptr = arena_alloc(mem, sink.cap);
	(void)decode_piece(e, &all, &shift, &sink);
	if (sink.failed)
		return ERR_NO_MEMORY;
	if (sink.count > MOST_UNDECODABLE)
		return ERR_BINARY_READ;
	*ret = (struct decoded_text){ str_make(sink.ptr, sink.len),
				      sink.undecodable, sink.count };
	return ERR_OK;
}

enum err encoding_decode(const struct encoding *e, struct str bytes,
			 struct arena *mem, struct str *ret)
{
	struct decoded_text shown;
	enum err err = encoding_decode_escaped(e, bytes, mem, &shown);

	if (err)
		return err;
	if (shown.undecodable_count)
		return ERR_BINARY_READ;
	*ret = shown.text;
	return ERR_OK;
}

/* Returns the bytes left to the next piece. */
static struct str count_piece(const struct encoding *e,
			      const struct byte_reader *p, unsigned *shift,
			      struct encoding_counts *t)
{
	const uint64_t beyond = beyond_ascii(e);
	struct str rest = p->piece;
	size_t len, n;
	uint32_t code;

	while (byte_reader_has(p, rest)) {
		if (e->codec == &codec_charset)
			n = charset_count(charset_of(e), rest, &t->beyond);
		else
			n = plain_bytes(e, rest, beyond);
		rest = str_skip(rest, n);
		if (!byte_reader_has(p, rest))
			break;
		code = e->codec->next(e, rest, shift, &len);
		if (code == CODEC_BAD) {
			len = undecodable_len(e, rest);
			t->undecodable += len;
		} else {
			t->beyond += code >= 0x80 && code != CODEC_SHIFT;
		}
		rest = str_skip(rest, len);
	}
	return rest;
}

struct encoding_counts encoding_count(const struct encoding *e,
				      const struct byte_source *s)
{
	struct byte_reader p = { .of = s, .at = e->bom.len };
	struct encoding_counts t = { 0 };
	unsigned shift = 0;

	for (size_t used = 0; byte_reader_next(&p, used);)
		used = p.piece.len - count_piece(e, &p, &shift, &t).len;
	return t;
}

bool encoding_put(const struct encoding *e, struct str text, unsigned *shift,
		  struct buf *out, size_t *bad)
{
	size_t valid = utf8_check(text), at = 0, len, put;

	for (; at < valid; at += len) {
		char *to = buf_room(out, CODEC_MOST);
		uint32_t code = utf8_next(str_skip(text, at), &len);

		put = to ? e->codec->put(e, code, shift, to) : 0;
		if (!put)
			break;
		out->len += put;
	}
	*bad = at;
	return at == text.len;
}

enum err encoding_encode(const struct encoding *e, struct str text,
			 struct arena *mem, struct str *ret, size_t *bad)
{
	auto_buf out = BUF_INIT;
	unsigned shift = 0;

	if (e->codec->is_utf8) {
		*ret = text;
		return ERR_OK;
	}
	if (!encoding_put(e, text, &shift, &out, bad))
		return ERR_UNENCODABLE;
	if (e->codec->shift)
		out.len +=
			e->codec->shift(&shift, 0, buf_room(&out, CODEC_MOST));
	*ret = arena_copy(mem, buf_str(&out));
	return ERR_OK;
}

struct cursor cursor_start(const struct encoding *e, struct str bytes)
{
	return (struct cursor){ .e = e, .rest = str_skip(bytes, e->bom.len) };
}

void cursor_to(struct cursor *c, size_t place)
{
	const struct encoding *e = c->e;
	const uint64_t beyond = beyond_ascii(e);
	char utf8_bytes[4];
	uint32_t code;
	size_t len, n;

	while (c->rest.len && c->at < place) {
		n = size_min(place - c->at, c->rest.len / e->unit) * e->unit;
		n = plain_bytes(e, str_head(c->rest, n), beyond);
		c->at += n / e->unit;
		c->rest = str_skip(c->rest, n);
		if (!c->rest.len || c->at == place)
			break;
		code = e->codec->next(e, c->rest, &c->shift, &len);
		n = 0;
		if (code == CODEC_BAD) {
			len = undecodable_len(e, c->rest);
			n = 4 * len;
		} else if (code != CODEC_SHIFT) {
			n = utf8_put(code, utf8_bytes);
		}
		if (c->at + n > place)
			break;
		c->at += n;
		c->rest = str_skip(c->rest, len);
	}
}

void cursor_settle(struct cursor *c)
{
	unsigned shift = c->shift;
	size_t len;

	while (c->rest.len &&
	       c->e->codec->next(c->e, c->rest, &shift, &len) == CODEC_SHIFT) {
		c->shift = shift;
		c->rest = str_skip(c->rest, len);
	}
}

void encoding_places(const struct encoding *e, struct str bytes,
		     const size_t *places, size_t n, size_t *ret)
{
	struct cursor c = cursor_start(e, bytes);

	for (size_t i = 0; i < n; i++) {
		cursor_to(&c, places[i]);
		ret[i] = bytes.len - c.rest.len;
	}
}
