/*
 * hash_avx2.c - XXH3 with AVX2.
 *
 * The whole file is compiled with -mavx2, because xxhash chooses its vectors at
 * compile time. Only hash.c calls this, after a check of the processor.
 */
#include "base/hash_avx2.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct hash hash_of_avx2(struct str bytes)
{
	XXH128_hash_t h = XXH3_128bits(bytes.ptr, bytes.len);

	return (struct hash){ h.high64, h.low64 };
}

void hash_add_avx2(void *xxh, struct str bytes)
{
	(void)XXH3_128bits_update(xxh, bytes.ptr, bytes.len);
}
