/*
 * json_masks.h - masks of the bytes of a block that JSON strings must escape.
 *
 * A mask has a bit for each of 64 bytes, the lowest for the first: made from
 * 64-bit words on any machine, and from vectors with AVX2. Private to
 * json_kernels.c.
 */
#ifndef STET_JSON_MASKS_H
#define STET_JSON_MASKS_H

#include "base/str.h"

#include <endian.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define MUST_INLINE static inline __attribute__((always_inline))

enum { BLOCK = 64 };

typedef uint64_t mask_fn(const char *p);

struct masks {
	mask_fn *special; /* quote, backslash, control */
	mask_fn *backslash;
	mask_fn *longer; /* control characters without a two-byte escape */
};

/*
 * Eight bytes at a time: zero_bytes() sets the top bit of each byte that is
 * zero, and no other; pack_tops() packs the top bits.
 */
#define BYTES(c) ((c)*0x0101010101010101u)

static inline uint64_t zero_bytes(uint64_t word)
{
	uint64_t low = BYTES(0x7fu);

	return ~(((word & low) + low) | word | low);
}

static inline uint64_t pack_tops(uint64_t tops)
{
	return (tops >> 7) * 0x0102040810204080u >> 56;
}

static inline uint64_t word_at(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

/* OR of all words of the block, to test for non-ASCII bytes. */
static inline uint64_t any_words(const char *p)
{
	uint64_t all = 0;

	for (int i = 0; i < BLOCK; i += 8)
		all |= word_at(p + i);
	return all;
}

static inline uint64_t special_words(const char *p)
{
	uint64_t mask = 0;

	for (int i = 0; i < BLOCK; i += 8) {
		uint64_t word = word_at(p + i);
		uint64_t tops = zero_bytes(word & BYTES(0xe0u)) |
				zero_bytes(word ^ BYTES((uint64_t)'"')) |
				zero_bytes(word ^ BYTES((uint64_t)'\\'));

		mask |= pack_tops(tops) << i;
	}
	return mask;
}

static inline uint64_t backslash_words(const char *p)
{
	uint64_t mask = 0;

	for (int i = 0; i < BLOCK; i += 8)
		mask |= pack_tops(zero_bytes(word_at(p + i) ^
					     BYTES((uint64_t)'\\')))
			<< i;
	return mask;
}

static inline uint64_t longer_words(const char *p)
{
	uint64_t mask = 0;

	for (int i = 0; i < BLOCK; i += 8) {
		uint64_t word = word_at(p + i);
		uint64_t tops = zero_bytes(word & BYTES(0xe0u));

		if (tops)
			tops &= ~(zero_bytes(word ^ BYTES((uint64_t)'\b')) |
				  zero_bytes(word ^ BYTES((uint64_t)'\t')) |
				  zero_bytes(word ^ BYTES((uint64_t)'\n')) |
				  zero_bytes(word ^ BYTES((uint64_t)'\f')) |
				  zero_bytes(word ^ BYTES((uint64_t)'\r')));
		mask |= pack_tops(tops) << i;
	}
	return mask;
}

#if defined(__x86_64__)

#define AVX2 static __attribute__((target("avx2,bmi,popcnt")))

AVX2 inline uint64_t half_special(const char *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)p);
	__m256i quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'));
	__m256i slash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'));
	__m256i capped = _mm256_min_epu8(v, _mm256_set1_epi8(0x1f));
	__m256i any = _mm256_cmpeq_epi8(v, capped);

	any = _mm256_or_si256(any, _mm256_or_si256(quote, slash));
	return (uint32_t)_mm256_movemask_epi8(any);
}

AVX2 inline uint64_t half_backslash(const char *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)p);
	__m256i slash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'));

	return (uint32_t)_mm256_movemask_epi8(slash);
}

/* The shuffle looks up each byte in a table of those with a two-byte escape. */
AVX2 inline uint64_t half_longer(const char *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)p);
	__m256i table = _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, '\b',
					 '\t', '\n', -1, '\f', '\r', -1, -1, -1,
					 -1, -1, -1, -1, -1, -1, -1, '\b', '\t',
					 '\n', -1, '\f', '\r', -1, -1);
	__m256i capped = _mm256_min_epu8(v, _mm256_set1_epi8(0x1f));
	__m256i brief = _mm256_cmpeq_epi8(v, _mm256_shuffle_epi8(table, v));
	__m256i control = _mm256_cmpeq_epi8(v, capped);

	return (uint32_t)_mm256_movemask_epi8(
		_mm256_andnot_si256(brief, control));
}

AVX2 inline uint64_t special_avx2(const char *p)
{
	return half_special(p) | half_special(p + 32) << 32;
}

AVX2 inline uint64_t backslash_avx2(const char *p)
{
	return half_backslash(p) | half_backslash(p + 32) << 32;
}

AVX2 inline uint64_t longer_avx2(const char *p)
{
	return half_longer(p) | half_longer(p + 32) << 32;
}

#endif

#endif
