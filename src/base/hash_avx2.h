/*
 * hash_avx2.h - the same hashes, of long inputs, in half the time.
 *
 * Only for hash.c, which knows whether the processor has AVX2, and its test.
 */
#ifndef STET_HASH_AVX2_H
#define STET_HASH_AVX2_H

#include "base/hash.h"

struct hash hash_of_portable(struct str bytes);

/* Of at least one byte. @xxh is the state of a stream, as XXH3 has it. */
struct hash hash_of_avx2(struct str bytes);
void hash_add_avx2(void *xxh, struct str bytes);

#endif
