/*
 * Built for AVX2 as a whole, unlike other files: xxhash chooses its vectors
 * when it is compiled. Only hash.c calls this, where the processor has them.
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
