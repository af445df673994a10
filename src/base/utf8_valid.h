/*
 * utf8_valid.h - validate UTF-8 at memory speed.
 *
 * Strict, as the standard has it: no overlong forms, surrogates, or code points
 * above U+10FFFF. Here and not in the text layer because JSON needs it too.
 */
#ifndef STET_UTF8_VALID_H
#define STET_UTF8_VALID_H

#include "base/str.h"

/*
 * The length of the valid prefix of @s: s.len, or the offset of the first
 * sequence that is invalid or cut off.
 */
size_t utf8_valid_prefix(struct str s);

/*
 * The length of the sequence at the front of @s, which is not empty; *@whole:
 * it is valid. Of an invalid one, the bytes that one U+FFFD replaces, as
 * browsers and Python count them: those that could have begun a valid sequence,
 * at least one.
 */
size_t utf8_sequence(struct str s, bool *whole);

/* The implementations, for tests. */
size_t utf8_valid_portable(struct str s);
size_t utf8_valid_avx2(struct str s); /* only where utf8_has_avx2() */
bool utf8_has_avx2(void);

#endif
