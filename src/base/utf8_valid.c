/*
 * utf8_valid.c - validate UTF-8 with AVX2, or eight bytes at a time.
 *
 * The vector version examines each byte together with the one before it (Keiser
 * and Lemire). Three tables of sixteen, one for each relevant nibble, give the
 * errors that are still possible; an error that all three allow has occurred.
 * Whether a third or fourth byte was due is added from the bytes two and three
 * back.
 */
#include "base/utf8_valid.h"

#include "base/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/*
 * What must follow a first byte: the number of bytes, and the range of the next
 * one.
 */
struct follow {
	uint8_t count, low, high;
};

static struct follow follow_of(uint8_t first)
{
	if (first >= 0xc2 && first <= 0xdf)
		return (struct follow){ 1, 0x80, 0xbf };
	if (first >= 0xe0 && first <= 0xef)
		return (struct follow){ 2, first == 0xe0 ? 0xa0 : 0x80,
					first == 0xed ? 0x9f : 0xbf };
	if (first >= 0xf0 && first <= 0xf4)
		return (struct follow){ 3, first == 0xf0 ? 0x90 : 0x80,
					first == 0xf4 ? 0x8f : 0xbf };
	return (struct follow){ 0, 0, 0 };
}

size_t utf8_sequence(struct str s, bool *whole)
{
	const uint8_t *p = (const uint8_t *)s.ptr;
	struct follow f = follow_of(p[0]);
	size_t n = 1;

	if (p[0] < 0x80 || !f.count) {
		*whole = p[0] < 0x80;
		return 1;
	}
	if (n < s.len && p[n] >= f.low && p[n] <= f.high)
		n++;
	while (n > 1 && n <= f.count && n < s.len && (p[n] & 0xc0) == 0x80)
		n++;
	*whole = n == f.count + 1u;
	return n;
}

static size_t skip_ascii(struct str s, size_t at)
{
	uint64_t word;

	for (; s.len - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, s.ptr + at, sizeof(word));
		if (word & 0x8080808080808080)
			break;
	}
	while (at < s.len && !(s.ptr[at] & 0x80))
		at++;
	return at;
}

/* Validate from @at, the start of a sequence; returns where that ends. */
static size_t check_from(struct str s, size_t at)
{
	bool whole;
	size_t n;

	while (at < s.len) {
		if (!(s.ptr[at] & 0x80)) {
			at = skip_ascii(s, at);
			continue;
		}
		n = utf8_sequence(str_skip(s, at), &whole);
		if (!whole)
			break;
		at += n;
	}
	return at;
}

size_t utf8_valid_portable(struct str s)
{
	return check_from(s, 0);
}

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2")))

/* Errors that a pair of bytes can show; it may show several at once. */
enum {
	CUT_OFF = 1 << 0,    /* first byte without a continuation */
	UNEXPECTED = 1 << 1, /* continuation after ASCII */
	OVERLONG3 = 1 << 2,  /* e0 80..9f */
	TOO_LARGE = 1 << 3,  /* f4 90..bf, and f5..ff 90..bf */
	SURROGATE = 1 << 4,  /* ed a0..bf */
	OVERLONG2 = 1 << 5,  /* c0 and c1 */
	EDGE4 = 1 << 6,      /* f0 80..8f, overlong; f5..ff 80..8f, too large */
	PAIR = 1 << 7,       /* two continuations; valid if one was due */
	ANY = CUT_OFF | UNEXPECTED | PAIR,
};

#define TWICE(...)                       \
	{                                \
		__VA_ARGS__, __VA_ARGS__ \
	}

/* The shuffle looks up each half of a vector in its own copy. */
static const _Alignas(32) uint8_t by_first_high[32] = TWICE(
	UNEXPECTED, UNEXPECTED, UNEXPECTED, UNEXPECTED, UNEXPECTED, UNEXPECTED,
	UNEXPECTED, UNEXPECTED, PAIR, PAIR, PAIR, PAIR, CUT_OFF | OVERLONG2,
	CUT_OFF, CUT_OFF | OVERLONG3 | SURROGATE, CUT_OFF | TOO_LARGE | EDGE4);

static const _Alignas(32) uint8_t by_first_low[32] =
	TWICE(ANY | OVERLONG3 | OVERLONG2 | EDGE4, ANY | OVERLONG2, ANY, ANY,
	      ANY | TOO_LARGE, ANY | TOO_LARGE | EDGE4, ANY | TOO_LARGE | EDGE4,
	      ANY | TOO_LARGE | EDGE4, ANY | TOO_LARGE | EDGE4,
	      ANY | TOO_LARGE | EDGE4, ANY | TOO_LARGE | EDGE4,
	      ANY | TOO_LARGE | EDGE4, ANY | TOO_LARGE | EDGE4,
	      ANY | TOO_LARGE | EDGE4 | SURROGATE, ANY | TOO_LARGE | EDGE4,
	      ANY | TOO_LARGE | EDGE4);

static const _Alignas(32) uint8_t by_second_high[32] =
	TWICE(CUT_OFF, CUT_OFF, CUT_OFF, CUT_OFF, CUT_OFF, CUT_OFF, CUT_OFF,
	      CUT_OFF, UNEXPECTED | PAIR | OVERLONG2 | OVERLONG3 | EDGE4,
	      UNEXPECTED | PAIR | OVERLONG2 | OVERLONG3 | TOO_LARGE,
	      UNEXPECTED | PAIR | OVERLONG2 | SURROGATE | TOO_LARGE,
	      UNEXPECTED | PAIR | OVERLONG2 | SURROGATE | TOO_LARGE, CUT_OFF,
	      CUT_OFF, CUT_OFF, CUT_OFF);

AVX2 static inline __m256i look_up(const uint8_t table[32], __m256i nibbles)
{
	return _mm256_shuffle_epi8(_mm256_load_si256((const __m256i *)table),
				   nibbles);
}

AVX2 static inline __m256i high_nibbles(__m256i v)
{
	return _mm256_and_si256(_mm256_srli_epi16(v, 4),
				_mm256_set1_epi8(0x0f));
}

/* Nonzero bytes where @now, which follows @last, is invalid. */
AVX2 static inline __m256i find_errors(__m256i last, __m256i now)
{
	__m256i seam = _mm256_permute2x128_si256(last, now, 0x21);
	__m256i back1 = _mm256_alignr_epi8(now, seam, 15);
	__m256i back2 = _mm256_alignr_epi8(now, seam, 14);
	__m256i back3 = _mm256_alignr_epi8(now, seam, 13);
	__m256i low = _mm256_and_si256(back1, _mm256_set1_epi8(0x0f));
	__m256i pair, third, fourth, due;

	pair = look_up(by_first_high, high_nibbles(back1));
	pair = _mm256_and_si256(pair, look_up(by_first_low, low));
	pair = _mm256_and_si256(pair,
				look_up(by_second_high, high_nibbles(now)));
	/* the top bit is set where two back is e0.., or three back f0.. */
	third = _mm256_subs_epu8(back2, _mm256_set1_epi8(0xe0 - 0x80));
	fourth = _mm256_subs_epu8(back3, _mm256_set1_epi8(0xf0 - 0x80));
	due = _mm256_and_si256(_mm256_or_si256(third, fourth),
			       _mm256_set1_epi8((char)0x80));
	return _mm256_xor_si256(pair, due);
}

AVX2 static inline __m256i load(const char *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

/* Skip blocks of 128 bytes that are all ASCII. */
AVX2 static size_t skip_ascii_avx2(struct str s, size_t at)
{
	for (; s.len - at >= 128; at += 128) {
		const char *p = s.ptr + at;
		__m256i some = _mm256_or_si256(load(p), load(p + 32));
		__m256i more = _mm256_or_si256(load(p + 64), load(p + 96));

		if (_mm256_movemask_epi8(_mm256_or_si256(some, more)))
			break;
	}
	return at;
}

/*
 * The start of the sequence that continues at @at. Everything before is valid,
 * except that the last sequence may be cut off.
 */
static size_t step_back(struct str s, size_t at)
{
	for (size_t n = 1; n <= 3 && n <= at; n++) {
		uint8_t c = (uint8_t)s.ptr[at - n];

		if (c < 0x80)
			break;
		if (c >= 0xc0)
			return at - n;
	}
	return at;
}

AVX2 size_t utf8_valid_avx2(struct str s)
{
	__m256i last = _mm256_setzero_si256(), now, errors;
	size_t at = skip_ascii_avx2(s, 0);

	for (; s.len - at >= 32; at += 32, last = now) {
		now = load(s.ptr + at);
		if (!_mm256_movemask_epi8(_mm256_or_si256(last, now))) {
			at = skip_ascii_avx2(s, at + 32) - 32;
			continue;
		}
		errors = find_errors(last, now);
		if (!_mm256_testz_si256(errors, errors))
			break;
	}
	return check_from(s, step_back(s, at));
}

bool utf8_has_avx2(void)
{
	return cpu_has_avx2();
}

#else

size_t utf8_valid_avx2(struct str s)
{
	return check_from(s, 0);
}

bool utf8_has_avx2(void)
{
	return false;
}

#endif

size_t utf8_valid_prefix(struct str s)
{
	/* vectors do not pay off for short inputs */
	if (s.len < 64 || !utf8_has_avx2())
		return check_from(s, 0);
	return utf8_valid_avx2(s);
}
