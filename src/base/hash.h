/*
 * hash.h - fast content hash for change detection: XXH3, 128 bits. Not
 * collision resistant against an attacker; digest.h is.
 */
#ifndef STET_HASH_H
#define STET_HASH_H

#include "base/arena.h"

struct hash {
	uint64_t high, low;
};

enum { HASH_HEX = 32 };

struct hash hash_of(struct str bytes);
void hash_hex(struct hash h, char to[HASH_HEX + 1]);
struct str hash_text(struct hash h, struct arena *mem);

/* Parse 32 lower-case hexadecimal digits; false for any other text. */
must_check bool hash_parse(struct str hex, struct hash *ret);

static inline bool hash_eq(struct hash a, struct hash b)
{
	return a.high == b.high && a.low == b.low;
}

/* Hash incrementally: start, add any number of times, end. */
struct hash_stream;
struct hash_stream *hash_start(void);
void hash_add(struct hash_stream *s, struct str bytes);
struct hash hash_end(struct hash_stream *s); /* frees the stream */

#endif
