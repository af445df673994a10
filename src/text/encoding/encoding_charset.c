/*
 * encoding_charset.c - the character sets of iconv, as tables.
 *
 * A set is built by asking iconv for each of up to 30,000 codes, which takes
 * some milliseconds, once per process. After that a character is a table
 * look-up, and offsets are mapped without conversion. A table is published with
 * an atomic store under a mutex and never freed.
 */
#include "text/encoding/codec.h"

#include <errno.h>
#include <iconv.h>
#include <pthread.h>
#include <stdlib.h>

/* The iconv descriptors while a set is built. */
struct charset_builder {
	struct charset *c;
	iconv_t from, to; /* from: to UTF-32LE; to: from UTF-32LE */
};

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		out_of_memory();
	return p;
}

static uint32_t get32(const unsigned char *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[1] << 8 | p[0];
}

/*
 * The single code point that @bytes decode to, or CODEC_BAD. *@ret_more: they
 * are the beginning of a longer sequence.
 */
static uint32_t iconv_decode(struct charset_builder *a, struct str bytes,
			     bool *ret_more)
{
	unsigned char room[16];
	char *in = (char *)(uintptr_t)bytes.ptr, *out = (char *)room;
	size_t left = bytes.len, space = sizeof(room);
	uint32_t code;

	*ret_more = false;
	if (iconv(a->from, &in, &left, &out, &space) == (size_t)-1)
		*ret_more = left == bytes.len && errno == EINVAL;
	else /* flush: some converters hold a character back for an accent */
		(void)!iconv(a->from, NULL, NULL, &out, &space);
	(void)!iconv(a->from, NULL, NULL, NULL, NULL);
	if (*ret_more || left || sizeof(room) - space != 4)
		return CODEC_BAD;
	code = get32(room);
	return code > 0x10ffff || (code >> 11) == 0x1b ? CODEC_BAD : code;
}

/* The bytes that iconv writes for @code, the first one highest; 0 = none. */
static uint32_t iconv_encode(struct charset_builder *a, uint32_t code)
{
	char bytes[4] = { (char)code, (char)(code >> 8), (char)(code >> 16),
			  0 };
	unsigned char room[16];
	char *in = bytes, *out = (char *)room;
	size_t left = sizeof(bytes), space = sizeof(room), n;
	uint32_t packed = 0;

	if (iconv(a->to, &in, &left, &out, &space) == (size_t)-1)
		space = sizeof(room);
	else
		(void)!iconv(a->to, NULL, NULL, &out, &space);
	(void)!iconv(a->to, NULL, NULL, NULL, NULL);
	n = sizeof(room) - space;
	for (size_t i = 0; n <= 4 && i < n; i++)
		packed = packed << 8 | room[i];
	return packed;
}

static void map_code(struct charset_builder *a, uint32_t code, uint32_t bytes)
{
	uint32_t **page, *slot, other;

	if (code >> 8 >= COUNT_OF(a->c->pages))
		return;
	page = &a->c->pages[code >> 8];
	if (!*page)
		*page = zeroed(256, sizeof(**page));
	slot = &(*page)[code & 0xff];
	if (*slot) {
		other = iconv_encode(a, code);
		if (other != bytes)
			return;
	}
	*slot = bytes;
}

static void build_three(struct charset_builder *a)
{
	unsigned char b[3] = { 0x8f };
	bool more;

	a->c->three = zeroed(128, sizeof(a->c->three[0]));
	memset(a->c->three, 0xff, 128 * sizeof(a->c->three[0]));
	for (unsigned i = 0xa1; i < 0xff; i++) {
		for (unsigned k = 0xa1; k < 0xff; k++) {
			uint32_t code;

			b[1] = (unsigned char)i;
			b[2] = (unsigned char)k;
			code = iconv_decode(a, str_make((char *)b, 3), &more);
			a->c->three[i - 0x80][k] = code;
			if (code != CODEC_BAD)
				map_code(a, code, 0x8f0000 | i << 8 | k);
		}
	}
}

/* The bytes of the @n-th four-byte code of GB18030. */
static uint32_t four_bytes(uint32_t n)
{
	return (0x81 + n / 12600) << 24 | (0x30 + n / 1260 % 10) << 16 |
	       (0x81 + n / 10 % 126) << 8 | (0x30 + n % 10);
}

static void build_four(struct charset_builder *a)
{
	bool more;

	a->c->four = zeroed(CHARSET_FOUR, sizeof(a->c->four[0]));
	for (uint32_t n = 0; n < CHARSET_FOUR; n++) {
		uint32_t bytes = four_bytes(n), code;
		char b[4] = { (char)(bytes >> 24), (char)(bytes >> 16),
			      (char)(bytes >> 8), (char)bytes };

		code = iconv_decode(a, str_make(b, 4), &more);
		if (code > 0xffff)
			continue;
		a->c->four[n] = (uint16_t)code;
		map_code(a, code, bytes);
	}
}

/* All codes that start with the lead byte @lead. */
static void build_two(struct charset_builder *a, unsigned lead)
{
	bool more, longer = false;

	if (!a->c->two) {
		a->c->two = zeroed(128, sizeof(a->c->two[0]));
		memset(a->c->two, 0xff, 128 * sizeof(a->c->two[0]));
	}
	for (unsigned k = 1; k < 256; k++) {
		char b[2] = { (char)lead, (char)k };
		uint32_t code = iconv_decode(a, str_make(b, 2), &more);

		longer = longer || more;
		a->c->two[lead - 0x80][k] = code;
		if (code != CODEC_BAD)
			map_code(a, code, lead << 8 | k);
	}
	if (longer && lead == 0x8f && !a->c->four)
		build_three(a);
	else if (longer && lead == 0x81 && !a->c->four)
		build_four(a);
}

static void build_all(struct charset_builder *a)
{
	bool more;

	for (unsigned i = 0; i < 256; i++) {
		char b = (char)i;
		uint32_t code = iconv_decode(a, str_make(&b, 1), &more);

		a->c->one[i] = code;
		if (code != CODEC_BAD && i)
			map_code(a, code, i);
		else if (more && i >= 0x80)
			build_two(a, i);
	}
}

/* Encode @code, which is not ASCII, as UTF-8. */
static inline char *put_utf8(uint32_t code, char *to)
{
	if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (code & 0x3f));
	return to;
}

/* Cache the UTF-8 of the two-byte characters, ready to be copied. */
static void build_text(struct charset *c)
{
	c->text = zeroed(128, sizeof(c->text[0]));
	for (size_t i = 0; i < 128; i++)
		for (size_t k = 0; k < 256; k++) {
			struct charset_text *t = &c->text[i][k];
			uint32_t code = c->two[i][k];

			if (code >= 0x80 && code < 0x10000)
				t->len = (uint8_t)(put_utf8(code, t->bytes) -
						   t->bytes);
		}
}

static const struct charset *charset_build(const char *name)
{
	struct charset_builder a = { .from = iconv_open("UTF-32LE", name) };

	if (a.from == (iconv_t)-1)
		return NULL;
	a.to = iconv_open(name, "UTF-32LE");
	if (a.to != (iconv_t)-1) {
		a.c = zeroed(1, sizeof(*a.c));
		build_all(&a);
		if (a.c->two)
			build_text(a.c);
		iconv_close(a.to);
	}
	iconv_close(a.from);
	return a.c;
}

const struct charset *charset_of(const struct encoding *e)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const struct charset *c;

	c = atomic_load_explicit(e->charset, memory_order_acquire);
	if (c)
		return c;
	pthread_mutex_lock(&lock);
	c = atomic_load_explicit(e->charset, memory_order_acquire);
	if (!c) {
		c = charset_build(e->iconv);
		atomic_store_explicit(e->charset, c, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return c;
}

/* The index of a four-byte code of GB18030; UINT32_MAX when invalid. */
static uint32_t four_index(const unsigned char *p)
{
	if (p[0] < 0x81 || p[1] < 0x30 || p[1] > 0x39 || p[2] < 0x81 ||
	    p[2] == 0xff || p[3] < 0x30 || p[3] > 0x39)
		return UINT32_MAX;
	return ((p[0] - 0x81U) * 10 + (p[1] - 0x30U)) * 1260 +
	       (p[2] - 0x81U) * 10 + (p[3] - 0x30U);
}

enum { FOUR_BEYOND = 189000 }; /* index of U+10000 */

static uint32_t next_four(const struct charset *c, const unsigned char *p)
{
	uint32_t n = four_index(p);

	if (n < CHARSET_FOUR)
		return c->four[n] ? c->four[n] : CODEC_BAD;
	if (n >= FOUR_BEYOND && n - FOUR_BEYOND <= 0xfffff)
		return 0x10000 + (n - FOUR_BEYOND);
	return CODEC_BAD;
}

static inline uint32_t next_long(const struct charset *c, struct str s,
				 size_t *len)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	uint32_t code;

	if (p[0] < 0x80 || !c->two || s.len < 2)
		return CODEC_BAD;
	code = c->two[p[0] - 0x80][p[1]];
	*len = 2;
	if (code != CODEC_BAD)
		return code;
	if (c->three && p[0] == 0x8f && s.len >= 3 && p[1] >= 0x80) {
		*len = 3;
		return c->three[p[1] - 0x80][p[2]];
	}
	*len = 4;
	return c->four && s.len >= 4 ? next_four(c, p) : CODEC_BAD;
}

static uint32_t charset_next(const struct encoding *e, struct str s,
			     unsigned *shift, size_t *len)
{
	const struct charset *c = charset_of(e);
	uint32_t code;

	if (!c)
		return CODEC_BAD;
	*len = 1;
	code = c->one[(unsigned char)s.ptr[0]];
	return code != CODEC_BAD ? code : next_long(c, s, len);
}

static size_t charset_put(const struct encoding *e, uint32_t code,
			  unsigned *shift, char to[CODEC_MOST])
{
	const struct charset *c = charset_of(e);
	uint32_t bytes = c ? charset_bytes(c, code) : 0;
	size_t n = 0;

	if (!bytes && c && c->four && code >= 0x10000)
		bytes = four_bytes(FOUR_BEYOND + (code - 0x10000));
	for (int bits = 24; bits >= 0; bits -= 8)
		if (bytes >> bits)
			to[n++] = (char)(bytes >> bits);
	if (!n && !code && c)
		to[n++] = 0;
	return n;
}

/*
 * Decode a run of two-byte characters. Four bytes are copied for each: that is
 * one move, and there is room.
 */
static inline __attribute__((always_inline)) size_t
decode_run_two(const struct charset *c, struct str s, char **to, size_t *beyond)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	const struct charset_text *t;
	char *out = to ? *to : NULL;
	size_t at = 0;

	for (; s.len - at >= 2 && p[at] >= 0x80; at += 2) {
		t = &c->text[p[at] - 0x80][p[at + 1]];
		if (!t->len)
			break;
		if (to) {
			memcpy(out, t, sizeof(*t));
			out += t->len;
		}
	}
	if (to)
		*to = out;
	*beyond += at / 2;
	return at;
}

/*
 * Decode up to the first undecodable byte; inlined for speed. @to may be NULL.
 */
static inline __attribute__((always_inline)) size_t
decode_run(const struct charset *c, struct str s, char **to, size_t *beyond)
{
	const uint64_t high = 0x8080808080808080;
	size_t at = 0, len;
	uint64_t word;
	uint32_t code;

	while (at < s.len) {
		if (c->text)
			at += decode_run_two(c, str_skip(s, at), to, beyond);
		if (s.len - at >= sizeof(word)) {
			memcpy(&word, s.ptr + at, sizeof(word));
			if (!(word & high)) {
				if (to)
					*to = mempcpy(*to, &word, sizeof(word));
				at += sizeof(word);
				continue;
			}
		}
		if (at == s.len)
			break;
		len = 1;
		code = c->one[(unsigned char)s.ptr[at]];
		if (code == CODEC_BAD)
			code = next_long(c, str_skip(s, at), &len);
		if (code == CODEC_BAD)
			break;
		at += len;
		*beyond += code >= 0x80;
		if (to && code < 0x80)
			*(*to)++ = (char)code;
		else if (to)
			*to = put_utf8(code, *to);
	}
	return at;
}

size_t charset_decode(const struct charset *c, struct str s, char **to)
{
	size_t beyond = 0;

	return decode_run(c, s, to, &beyond);
}

size_t charset_count(const struct charset *c, struct str s, size_t *beyond)
{
	return decode_run(c, s, NULL, beyond);
}

const struct codec codec_charset = { charset_next, charset_put };
