/*
 * json_expand.h - put a backslash before some of eight bytes, all at once.
 *
 * Texts of programs have something to escape every ten bytes or so: too often
 * to copy what lies between piece by piece. Here eight bytes go to their new
 * places in one shuffle, whose row is chosen by the mask of those that get a
 * backslash. Only json_kernels.c includes this.
 */
#ifndef STET_JSON_EXPAND_H
#define STET_JSON_EXPAND_H

#include "base/json_masks.h"

#if defined(__x86_64__)

#define G 0x80 /* no byte comes here: a shuffle makes it 0 */

static const _Alignas(16) uint8_t json_places[256][16] = {
#include "base/json_places.def"
};

#undef G

/* Eight bytes, and after them what is to be overwritten. */
AVX2 inline char *expand8(char *to, __m128i bytes, unsigned mask)
{
	__m128i row = _mm_load_si128((const __m128i *)json_places[mask]);
	__m128i gaps = _mm_cmpgt_epi8(_mm_setzero_si128(), row);
	__m128i slashes = _mm_and_si128(gaps, _mm_set1_epi8('\\'));

	_mm_storeu_si128((__m128i *)to,
			 _mm_or_si128(_mm_shuffle_epi8(bytes, row), slashes));
	return to + 8 + _mm_popcnt_u32(mask);
}

/* Newline becomes n, and so on; there must be none without such a letter. */
AVX2 inline __m128i letters(__m128i v)
{
	const __m128i table = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 'b', 't',
					    'n', 0, 'f', 'r', 0, 0);
	__m128i capped = _mm_min_epu8(v, _mm_set1_epi8(0x1f));

	return _mm_blendv_epi8(v, _mm_shuffle_epi8(table, v),
			       _mm_cmpeq_epi8(v, capped));
}

/* A block, of which @mask needs escapes of one letter each. */
AVX2 inline char *expand_block(char *to, const char *p, uint64_t mask)
{
	for (int i = 0; i < BLOCK; i += 16, mask >>= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(p + i));

		v = letters(v);
		to = expand8(to, v, mask & 0xff);
		to = expand8(to, _mm_srli_si128(v, 8), mask >> 8 & 0xff);
	}
	return to;
}

#endif

#endif
