/*
 * digest.h - what names a content for good: BLAKE2b, 256 bits.
 *
 * Unlike hash.h it holds against forgers: nobody can make two contents with
 * the same digest. It takes about a millisecond for a megabyte.
 */
#ifndef STET_DIGEST_H
#define STET_DIGEST_H

#include "base/str.h"

enum { DIGEST_BYTES = 32, DIGEST_HEX = 64 };

struct digest {
	uint8_t bytes[DIGEST_BYTES];
};

struct digest digest_of(struct str bytes);
void digest_hex(struct digest d, char to[DIGEST_HEX + 1]);

/* Takes the same time wherever they differ. */
bool digest_eq(struct digest a, struct digest b);

#endif
