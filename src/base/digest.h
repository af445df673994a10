/*
 * digest.h - cryptographic hash of a content: BLAKE2b, 256 bits.
 *
 * Collision resistant, unlike hash.h. About one millisecond per megabyte.
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

/* Parse DIGEST_HEX hexadecimal digits; false for any other text. */
must_check bool digest_from_hex(struct str hex, struct digest *ret);

/* Constant time. */
bool digest_eq(struct digest a, struct digest b);

#endif
