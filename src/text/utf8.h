/*
 * utf8.h - is it UTF-8, and stepping through it.
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
 * How many bytes at the end of @s (0 to 3) begin a sequence that the next
 * block would have to finish; for checking a file block by block.
 */
size_t utf8_tail(struct str s);

/* The code point at the front of valid UTF-8, and its length in bytes. */
uint32_t utf8_next(struct str s, size_t *len);

/*
 * The same at the front of bytes that may be anything: a byte that is not
 * part of valid UTF-8 is UTF8_NOT + the byte. @s is not empty.
 */
#define UTF8_NOT 0x110000u
uint32_t utf8_any(struct str s, size_t *len);

/* Write @code in 1 to 4 bytes to @to, return how many. */
size_t utf8_put(uint32_t code, char to[4]);

/* The longest prefix of valid UTF-8 @s with at most @n bytes, cut whole. */
struct str utf8_head(struct str s, size_t n);

#endif
