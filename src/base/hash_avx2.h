/*
 * hash_avx2.h - XXH3 with AVX2, twice as fast on long inputs.
 *
 * Private to hash.c, which checks the processor, and its test.
 */
#ifndef STET_HASH_AVX2_H
#define STET_HASH_AVX2_H

#include "base/hash.h"

struct hash hash_of_portable(struct str bytes);

/* @bytes is not empty. @xxh is an XXH3_state_t. */
struct hash hash_of_avx2(struct str bytes);
void hash_add_avx2(void *xxh, struct str bytes);

#endif
