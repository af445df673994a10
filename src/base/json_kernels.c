/*
 * json_kernels.c - scan, escape and unescape JSON strings.
 *
 * Each loop is written once, over blocks of 64 bytes with a mask of the
 * relevant ones, and instantiated twice: with masks from vectors and from plain
 * words. Only escaping with vectors is different (json_expand.h).
 *
 * Copies go 64 bytes at a time even when fewer are meant; the excess is
 * overwritten next. That stays inside the target because it stays inside the
 * source: escaping never makes the rest shorter, and unescaping never makes
 * what was written longer, than the same part of the source.
 */
#include "base/json_kernels.h"

#include "base/cpu.h"
#include "base/json_expand.h"
#include "base/json_masks.h"

enum { LONGEST = 12 }; /* bytes of an escape: a surrogate pair */

struct escape {
	char text[7];
	uint8_t len;
};

/* clang-format off */
static const struct escape escapes[] = {
	[0x00] = { "\\u0000", 6 }, [0x01] = { "\\u0001", 6 },
	[0x02] = { "\\u0002", 6 }, [0x03] = { "\\u0003", 6 },
	[0x04] = { "\\u0004", 6 }, [0x05] = { "\\u0005", 6 },
	[0x06] = { "\\u0006", 6 }, [0x07] = { "\\u0007", 6 },
	[0x08] = { "\\b", 2 },     [0x09] = { "\\t", 2 },
	[0x0a] = { "\\n", 2 },     [0x0b] = { "\\u000b", 6 },
	[0x0c] = { "\\f", 2 },     [0x0d] = { "\\r", 2 },
	[0x0e] = { "\\u000e", 6 }, [0x0f] = { "\\u000f", 6 },
	[0x10] = { "\\u0010", 6 }, [0x11] = { "\\u0011", 6 },
	[0x12] = { "\\u0012", 6 }, [0x13] = { "\\u0013", 6 },
	[0x14] = { "\\u0014", 6 }, [0x15] = { "\\u0015", 6 },
	[0x16] = { "\\u0016", 6 }, [0x17] = { "\\u0017", 6 },
	[0x18] = { "\\u0018", 6 }, [0x19] = { "\\u0019", 6 },
	[0x1a] = { "\\u001a", 6 }, [0x1b] = { "\\u001b", 6 },
	[0x1c] = { "\\u001c", 6 }, [0x1d] = { "\\u001d", 6 },
	[0x1e] = { "\\u001e", 6 }, [0x1f] = { "\\u001f", 6 },
	['"'] = { "\\\"", 2 },     ['\\'] = { "\\\\", 2 },
};
/* clang-format on */

/* The character of a two-byte escape; 0 = not an escape. */
static const char meanings[256] = {
	['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
	['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

static bool is_special(char c)
{
	return (uint8_t)c < 0x20 || c == '"' || c == '\\';
}

/* The bits of @mask from @n on. */
MUST_INLINE uint64_t bits_from(uint64_t mask, size_t n)
{
	return n < BLOCK ? mask & (UINT64_MAX << n) : 0;
}

/* The number written as four hex digits, or -1. */
static int hex4(const char *p)
{
	int n = 0;

	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(p[i]);

		if (digit < 0)
			return -1;
		n = n << 4 | digit;
	}
	return n;
}

static bool is_high(int unit)
{
	return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low(int unit)
{
	return unit >= 0xdc00 && unit <= 0xdfff;
}

/*
 * The length of the \u escape at the front of @s, a surrogate pair counted as
 * one; 0 if malformed.
 */
static size_t unicode_len(struct str s, unsigned *flags)
{
	int unit = s.len >= 6 ? hex4(s.ptr + 2) : -1;

	if (unit < 0)
		return 0;
	if (is_high(unit) && s.len >= 12 && s.ptr[6] == '\\' &&
	    s.ptr[7] == 'u' && is_low(hex4(s.ptr + 8)))
		return 12;
	if (is_high(unit) || is_low(unit))
		*flags |= JSON_LONE;
	return 6;
}

/* The length of the escape at the front of @s; 0 if malformed. */
MUST_INLINE size_t escape_len(struct str s, unsigned *flags)
{
	*flags |= JSON_ESCAPED;
	if (s.len < 2)
		return 0;
	if (meanings[(uint8_t)s.ptr[1]])
		return 2;
	return s.ptr[1] == 'u' ? unicode_len(s, flags) : 0;
}

/* Scan the rest that is shorter than a block. */
static size_t scan_rest(struct str s, size_t at, unsigned *flags)
{
	size_t n;

	while (at < s.len) {
		if (!is_special(s.ptr[at])) {
			at++;
			continue;
		}
		if (s.ptr[at] != '\\')
			break;
		n = escape_len(str_skip(s, at), flags);
		if (!n)
			break;
		at += n;
	}
	return at;
}

MUST_INLINE size_t scan(struct str s, unsigned *flags, struct masks masks)
{
	size_t at = 0, skip, here, n;
	uint64_t mask;

	for (; s.len - at >= BLOCK; at += size_max(skip, BLOCK)) {
		mask = masks.special(s.ptr + at);
		for (skip = 0; mask; mask = bits_from(mask, skip)) {
			here = at + (size_t)__builtin_ctzll(mask);
			if (s.ptr[here] != '\\')
				return here;
			n = escape_len(str_skip(s, here), flags);
			if (!n)
				return here;
			skip = here + n - at;
		}
	}
	return scan_rest(s, at, flags);
}

MUST_INLINE size_t escaped_len(struct str s, struct masks masks)
{
	size_t len = s.len;

	for (; s.len >= BLOCK; s = str_skip(s, BLOCK)) {
		uint64_t special = masks.special(s.ptr);
		uint64_t longer = masks.longer(s.ptr);

		len += (size_t)__builtin_popcountll(special);
		len += 4 * (size_t)__builtin_popcountll(longer);
	}
	for (size_t i = 0; i < s.len; i++)
		if (is_special(s.ptr[i]))
			len += escapes[(uint8_t)s.ptr[i]].len - 1u;
	return len;
}

/* ORs all bytes into *@all. */
static char *escape_rest(char *to, const char *p, const char *end, char *all)
{
	for (; p < end; p++) {
		const struct escape *e;

		*all |= *p;
		if (!is_special(*p)) {
			*to++ = *p;
			continue;
		}
		e = &escapes[(uint8_t)*p];
		memcpy(to, e->text, e->len);
		to += e->len;
	}
	return to;
}

static bool is_ascii(uint64_t bytes)
{
	return !(bytes & BYTES(0x80u));
}

static char *escape_words(char *to, struct str s, bool *ret_ascii)
{
	const char *p = s.ptr, *end = p + s.len;
	uint64_t words = 0;
	char all = 0;

	while (end - p >= 2 * BLOCK) {
		const char *block = p;
		uint64_t mask = special_words(block);

		words |= any_words(block);
		for (; mask; mask &= mask - 1) {
			const char *here = block + __builtin_ctzll(mask);
			const struct escape *e = &escapes[(uint8_t)*here];

			memcpy(to, p, BLOCK);
			to += here - p;
			memcpy(to, e, sizeof(*e));
			to += e->len;
			p = here + 1;
		}
		memcpy(to, p, BLOCK);
		to += block + BLOCK - p;
		p = block + BLOCK;
	}
	to = escape_rest(to, p, end, &all);
	*ret_ascii = is_ascii(words | (uint8_t)all);
	return to;
}

static char *put_utf8(char *to, uint32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
		return to;
	}
	if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*to++ = (char)(0xe0 | code >> 12);
		} else {
			*to++ = (char)(0xf0 | code >> 18);
			*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (code & 0x3f));
	return to;
}

/* @more: enough bytes follow to look for the low surrogate. */
static char *unescape_unicode(char *to, const char **p, bool more)
{
	int unit = hex4(*p + 2), low;

	if (is_high(unit) && more && (*p)[6] == '\\' && (*p)[7] == 'u') {
		low = hex4(*p + 8);
		if (is_low(low)) {
			*p += 12;
			return put_utf8(to, 0x10000u +
						    ((uint32_t)unit - 0xd800) *
							    0x400 +
						    ((uint32_t)low - 0xdc00));
		}
	}
	*p += 6;
	return put_utf8(to, (uint32_t)unit);
}

MUST_INLINE char *unescape_one(char *to, const char **p, bool more)
{
	if ((*p)[1] == 'u')
		return unescape_unicode(to, p, more);
	*to++ = meanings[(uint8_t)(*p)[1]];
	*p += 2;
	return to;
}

char *json_unescape_one(char *to, const char **p, const char *end)
{
	return unescape_one(to, p, end - *p >= LONGEST);
}

static char *unescape_rest(char *to, const char *p, const char *end)
{
	while (p < end) {
		if (*p == '\\')
			to = unescape_one(to, &p, end - p >= LONGEST);
		else
			*to++ = *p++;
	}
	return to;
}

MUST_INLINE char *unescape(char *to, struct str s, struct masks masks)
{
	const char *p = s.ptr, *end = p + s.len;

	while (end - p >= 2 * BLOCK) {
		const char *block = p;
		uint64_t mask = masks.backslash(block);

		while (mask) {
			const char *here = block + __builtin_ctzll(mask);

			memcpy(to, p, BLOCK);
			to += here - p;
			p = here;
			to = unescape_one(to, &p, true);
			mask = bits_from(mask, (size_t)(p - block));
		}
		if (p >= block + BLOCK)
			continue;
		memcpy(to, p, BLOCK);
		to += block + BLOCK - p;
		p = block + BLOCK;
	}
	return unescape_rest(to, p, end);
}

#define WORDS                                                \
	(struct masks)                                       \
	{                                                    \
		special_words, backslash_words, longer_words \
	}

static size_t scan_words(struct str s, unsigned *flags)
{
	return scan(s, flags, WORDS);
}

static size_t escaped_len_words(struct str s)
{
	return escaped_len(s, WORDS);
}

static char *unescape_words(char *to, struct str s)
{
	return unescape(to, s, WORDS);
}

const struct json_kernels json_kernels_portable = {
	scan_words,
	escaped_len_words,
	escape_words,
	unescape_words,
};

#if defined(__x86_64__)

#define VECTORS                                           \
	(struct masks)                                    \
	{                                                 \
		special_avx2, backslash_avx2, longer_avx2 \
	}

AVX2 size_t scan_avx2(struct str s, unsigned *flags)
{
	return scan(s, flags, VECTORS);
}

AVX2 size_t escaped_len_avx2(struct str s)
{
	return escaped_len(s, VECTORS);
}

/* A block with one special byte, at @i, that has a two-byte escape. */
AVX2 inline char *escape_one_of(char *to, const char *p, size_t i)
{
	memcpy(to, p, BLOCK);
	memcpy(to + i, escapes[(uint8_t)p[i]].text, 2);
	memcpy(to + i + 2, p + i + 1, BLOCK - 1);
	return to + BLOCK + 1;
}

AVX2 char *escape_avx2(char *to, struct str s, bool *ret_ascii)
{
	const char *p = s.ptr, *end = p + s.len;
	__m256i wide = _mm256_setzero_si256();
	char all = 0;

	for (; end - p >= 2 * BLOCK; p += BLOCK) {
		struct half a = half_at(p), b = half_at(p + BLOCK / 2);

		uint64_t special = a.special | (uint64_t)b.special << 32;

		wide = _mm256_or_si256(wide, _mm256_or_si256(a.text, b.text));
		if (!special)
			to = mempcpy(to, p, BLOCK);
		else if (has_longer(a, b))
			to = escape_rest(to, p, p + BLOCK, &all);
		else if (!(special & (special - 1)))
			to = escape_one_of(to, p,
					   (size_t)__builtin_ctzll(special));
		else
			to = expand_half(expand_half(to, a), b);
	}
	to = escape_rest(to, p, end, &all);
	*ret_ascii = is_ascii((uint8_t)all) && !_mm256_movemask_epi8(wide);
	return to;
}

AVX2 char *unescape_avx2(char *to, struct str s)
{
	return unescape(to, s, VECTORS);
}

static const struct json_kernels avx2 = {
	scan_avx2,
	escaped_len_avx2,
	escape_avx2,
	unescape_avx2,
};

const struct json_kernels *json_kernels_avx2(void)
{
	return cpu_has_avx2() && cpu_has_bmi() ? &avx2 : NULL;
}

#else

const struct json_kernels *json_kernels_avx2(void)
{
	return NULL;
}

#endif

const struct json_kernels *json_kernels(void)
{
	const struct json_kernels *best = json_kernels_avx2();

	return best ? best : &json_kernels_portable;
}
