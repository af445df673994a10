/*
 * utf8.h - validate and step through UTF-8.
 */
#ifndef STET_UTF8_H
#define STET_UTF8_H

#include "base/str.h"

/* The offset of the first byte that is not part of valid UTF-8, or s.len. */
size_t utf8_check(struct str s);

static inline bool utf8_valid(struct str s)
{
	return utf8_check(s) == s.len;
}

/*
 * The number of bytes at the end of @s (0 to 3) that begin an incomplete
 * sequence, for checking a file block by block.
 */
size_t utf8_tail(struct str s);

/* The code point at the front of valid UTF-8, and its length in bytes. */
uint32_t utf8_next(struct str s, size_t *len);

/*
 * The same for arbitrary bytes: an invalid byte is returned as UTF8_NOT + the
 * byte. @s is not empty.
 */
#define UTF8_NOT 0x110000u
uint32_t utf8_any(struct str s, size_t *len);

/* Encode @code in 1 to 4 bytes; returns how many. */
size_t utf8_put(uint32_t code, char to[4]);

/*
 * The longest prefix of valid UTF-8 @s in whole characters and at most @n
 * bytes.
 */
struct str utf8_head(struct str s, size_t n);

#endif
