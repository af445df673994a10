/*
 * kernels_avx2.c - the kernels with AVX2, 32 bytes at a time.
 *
 * Compiled for every x86-64 build with a target attribute, and called only when
 * cpu_has_avx2(). Byte sums are folded every 255 rounds, before they overflow.
 */
#include "text/lines/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define with_avx2   __attribute__((target("avx2,popcnt,bmi")))
#define inline_avx2 with_avx2 __attribute__((always_inline)) static inline

enum { WIDE = 32, ROUNDS = 255 };

inline_avx2 __m256i load32(const char *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

/* 0xff where the byte is @a and the byte @gap further is @b. */
inline_avx2 __m256i pairs32(const char *p, size_t gap, __m256i a, __m256i b)
{
	__m256i hit = _mm256_cmpeq_epi8(load32(p), a);

	if (!gap)
		return hit;
	return _mm256_and_si256(hit, _mm256_cmpeq_epi8(load32(p + gap), b));
}

inline_avx2 uint32_t mask32(__m256i v)
{
	return (uint32_t)_mm256_movemask_epi8(v);
}

inline_avx2 size_t sum64(__m256i v)
{
	return (size_t)_mm256_extract_epi64(v, 0) +
	       (size_t)_mm256_extract_epi64(v, 1) +
	       (size_t)_mm256_extract_epi64(v, 2) +
	       (size_t)_mm256_extract_epi64(v, 3);
}

/* Count in @rounds times 128 bytes; at most 255 rounds. */
inline_avx2 __m256i count_rounds(const char *p, size_t rounds, size_t gap,
				 __m256i a, __m256i b)
{
	const __m256i zero = _mm256_setzero_si256();
	__m256i s0 = zero, s1 = zero, s2 = zero, s3 = zero;

	for (; rounds; rounds--, p += 4 * WIDE) {
		s0 = _mm256_sub_epi8(s0, pairs32(p, gap, a, b));
		s1 = _mm256_sub_epi8(s1, pairs32(p + WIDE, gap, a, b));
		s2 = _mm256_sub_epi8(s2, pairs32(p + 2 * WIDE, gap, a, b));
		s3 = _mm256_sub_epi8(s3, pairs32(p + 3 * WIDE, gap, a, b));
	}
	s0 = _mm256_add_epi64(_mm256_sad_epu8(s0, zero),
			      _mm256_sad_epu8(s1, zero));
	s2 = _mm256_add_epi64(_mm256_sad_epu8(s2, zero),
			      _mm256_sad_epu8(s3, zero));
	return _mm256_add_epi64(s0, s2);
}

inline_avx2 size_t count32(const char *p, size_t n, size_t gap, char a, char b)
{
	__m256i first = _mm256_set1_epi8(a), second = _mm256_set1_epi8(b);
	__m256i sums = _mm256_setzero_si256();
	size_t i = 0, total;

	while (n - i >= (size_t)4 * WIDE) {
		size_t rounds = size_min((n - i) / ((size_t)4 * WIDE), ROUNDS);

		sums = _mm256_add_epi64(sums, count_rounds(p + i, rounds, gap,
							   first, second));
		i += rounds * 4 * WIDE;
	}
	total = sum64(sums);
	for (; n - i >= WIDE; i += WIDE)
		total += (size_t)_mm_popcnt_u32(
			mask32(pairs32(p + i, gap, first, second)));
	for (; i < n; i++)
		total += p[i] == a && p[i + gap] == b;
	return total;
}

with_avx2 static size_t avx2_count(const char *p, size_t n, char c)
{
	return count32(p, n, 0, c, c);
}

/*
 * Count newlines in @rounds times 64 bytes; *@foreign collects NUL and
 * non-ASCII.
 */
inline_avx2 size_t scan_rounds(const char *p, size_t rounds, __m256i *foreign)
{
	const __m256i zero = _mm256_setzero_si256();
	const __m256i newline = _mm256_set1_epi8('\n');
	__m256i s0 = zero, s1 = zero, high = zero, nul = zero;

	for (; rounds; rounds--, p += 2 * WIDE) {
		__m256i a = load32(p), b = load32(p + WIDE);
		__m256i least = _mm256_min_epu8(a, b);

		s0 = _mm256_sub_epi8(s0, _mm256_cmpeq_epi8(a, newline));
		s1 = _mm256_sub_epi8(s1, _mm256_cmpeq_epi8(b, newline));
		high = _mm256_or_si256(high, _mm256_or_si256(a, b));
		nul = _mm256_or_si256(nul, _mm256_cmpeq_epi8(least, zero));
	}
	*foreign = _mm256_or_si256(*foreign, _mm256_or_si256(high, nul));
	return sum64(_mm256_add_epi64(_mm256_sad_epu8(s0, zero),
				      _mm256_sad_epu8(s1, zero)));
}

with_avx2 static size_t avx2_scan(const char *p, size_t n, bool *ret_ascii)
{
	__m256i foreign = _mm256_setzero_si256();
	size_t i = 0, total = 0;
	bool rest = false;

	while (n - i >= (size_t)2 * WIDE) {
		size_t rounds = size_min((n - i) / ((size_t)2 * WIDE), ROUNDS);

		total += scan_rounds(p + i, rounds, &foreign);
		i += rounds * 2 * WIDE;
	}
	for (; i < n; i++) {
		total += p[i] == '\n';
		rest = rest || (p[i] & 0x80) || !p[i];
	}
	*ret_ascii =
		!rest && !mask32(foreign); /* mask32() takes the top bits */
	return total;
}

with_avx2 static size_t avx2_count_pair(const char *p, size_t n, char a, char b)
{
	return n ? count32(p, n - 1, 1, a, b) : 0;
}

with_avx2 static size_t avx2_find_pair(const char *p, size_t n, size_t gap,
				       char a, char b)
{
	__m256i first = _mm256_set1_epi8(a), second = _mm256_set1_epi8(b);
	size_t i = 0;

	for (; n - i >= (size_t)2 * WIDE; i += (size_t)2 * WIDE) {
		__m256i x = pairs32(p + i, gap, first, second);
		__m256i y = pairs32(p + i + WIDE, gap, first, second);

		if (_mm256_testz_si256(x, x) && _mm256_testz_si256(y, y))
			continue;
		if (mask32(x))
			return i + _tzcnt_u32(mask32(x));
		return i + WIDE + _tzcnt_u32(mask32(y));
	}
	for (; n - i >= WIDE; i += WIDE) {
		uint32_t hit = mask32(pairs32(p + i, gap, first, second));

		if (hit)
			return i + _tzcnt_u32(hit);
	}
	while (i < n && (p[i] != a || p[i + gap] != b))
		i++;
	return i;
}

/* 0xff where the bytes are @a and @b with bit 5 set. */
inline_avx2 __m256i caseless32(const char *p, size_t gap, __m256i a, __m256i b)
{
	const __m256i bit = _mm256_set1_epi8(0x20);
	__m256i x = _mm256_or_si256(load32(p), bit);
	__m256i y = _mm256_or_si256(load32(p + gap), bit);

	return _mm256_and_si256(_mm256_cmpeq_epi8(x, a),
				_mm256_cmpeq_epi8(y, b));
}

with_avx2 static size_t avx2_find_pair_caseless(const char *p, size_t n,
						size_t gap, char a, char b)
{
	__m256i first = _mm256_set1_epi8(a), second = _mm256_set1_epi8(b);
	size_t i = 0;

	for (; n - i >= WIDE; i += WIDE) {
		uint32_t hit = mask32(caseless32(p + i, gap, first, second));

		if (hit)
			return i + _tzcnt_u32(hit);
	}
	while (i < n && ((p[i] | 0x20) != a || (p[i + gap] | 0x20) != b))
		i++;
	return i;
}

with_avx2 static size_t avx2_nth(const char *p, size_t n, char c, size_t k)
{
	__m256i wanted = _mm256_set1_epi8(c);
	size_t i = 0;

	for (; n - i >= WIDE; i += WIDE) {
		uint32_t hit = mask32(pairs32(p + i, 0, wanted, wanted));
		size_t seen = (size_t)_mm_popcnt_u32(hit);

		if (seen < k) {
			k -= seen;
			continue;
		}
		while (--k)
			hit = _blsr_u32(hit);
		return i + _tzcnt_u32(hit);
	}
	for (; i < n; i++)
		if (p[i] == c && !--k)
			break;
	return i;
}

const struct kernels kernels_avx2 = {
	.name = "avx2",
	.count = avx2_count,
	.scan = avx2_scan,
	.count_pair = avx2_count_pair,
	.find_pair = avx2_find_pair,
	.find_pair_caseless = avx2_find_pair_caseless,
	.nth = avx2_nth,
};

#endif
