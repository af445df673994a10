/*
 * json_expand.h - insert backslashes before some of eight bytes, all at once.
 *
 * Source code has something to escape every ten bytes or so: too often to copy
 * the parts in between one by one. Here eight bytes are moved to their new
 * positions by one shuffle, whose row is selected by the mask of the bytes to
 * escape. Private to json_kernels.c.
 */
#ifndef STET_JSON_EXPAND_H
#define STET_JSON_EXPAND_H

#include "base/json_masks.h"

#if defined(__x86_64__)

#define G 8 /* index of the backslash, after the eight bytes */

static const _Alignas(16) uint8_t json_places[256][16] = {
#include "base/json_places.def"
};

#undef G

/*
 * @bytes are eight bytes and a backslash. Writes 16 bytes, of which the excess
 * is overwritten next.
 */
AVX2 inline char *expand8(char *to, __m128i bytes, unsigned mask)
{
	__m128i row = _mm_load_si128((const __m128i *)json_places[mask]);

	_mm_storeu_si128((__m128i *)to, _mm_shuffle_epi8(bytes, row));
	return to + 8 + _mm_popcnt_u32(mask);
}

/* Half a block, prepared for escaping. */
struct half {
	__m256i text;     /* controls replaced by their letter; 0: no letter */
	uint32_t special; /* mask of bytes that get a backslash */
};

AVX2 inline struct half half_at(const char *p)
{
	const __m256i table =
		_mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 'b', 't', 'n', 0, 'f',
				 'r', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'b', 't',
				 'n', 0, 'f', 'r', 0, 0);
	__m256i v = _mm256_loadu_si256((const __m256i *)p);
	/* indices from 0x10 on have their top bit set and give 0 */
	__m256i row = _mm256_adds_epu8(v, _mm256_set1_epi8(0x70));
	__m256i letter = _mm256_shuffle_epi8(table, row);
	__m256i capped = _mm256_min_epu8(v, _mm256_set1_epi8(0x1f));
	__m256i control = _mm256_cmpeq_epi8(v, capped);
	__m256i quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'));
	__m256i slash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'));
	__m256i any = _mm256_or_si256(control, _mm256_or_si256(quote, slash));

	return (struct half){
		_mm256_or_si256(_mm256_andnot_si256(control, v), letter),
		(uint32_t)_mm256_movemask_epi8(any),
	};
}

AVX2 inline char *expand16(char *to, __m128i v, unsigned mask)
{
	const __m128i slashes = _mm_set1_epi8('\\');

	to = expand8(to, _mm_unpacklo_epi64(v, slashes), mask & 0xff);
	return expand8(to, _mm_unpackhi_epi64(v, slashes), mask >> 8 & 0xff);
}

AVX2 inline char *expand_half(char *to, struct half h)
{
	to = expand16(to, _mm256_castsi256_si128(h.text), h.special);
	return expand16(to, _mm256_extracti128_si256(h.text, 1),
			h.special >> 16);
}

/* Does one have a control character without a two-byte escape? */
AVX2 inline bool has_longer(struct half a, struct half b)
{
	__m256i least = _mm256_min_epu8(a.text, b.text);
	__m256i none = _mm256_cmpeq_epi8(least, _mm256_setzero_si256());

	return !_mm256_testz_si256(none, none);
}

#endif

#endif
