/*
 * utf8_valid.h - is it UTF-8? At the speed of memory.
 *
 * As the standard has it: no overlong forms, no surrogates, nothing past
 * U+10FFFF. The text layer builds on this; it is down here because JSON needs
 * it too.
 */
#ifndef STET_UTF8_VALID_H
#define STET_UTF8_VALID_H

#include "base/str.h"

/*
 * How many bytes at the front of @s are whole, valid sequences: s.len, or the
 * offset of the first byte of the first sequence that is wrong or cut off.
 */
size_t utf8_valid_prefix(struct str s);

/*
 * How long the sequence at the front of @s is, valid (@whole is true) or not.
 * Of a wrong one these are the bytes that one U+FFFD stands for, as browsers
 * and Python count them: those that could have begun a valid sequence, and
 * one at least. @s must not be empty.
 */
size_t utf8_sequence(struct str s, bool *whole);

/* The ways to do it; all give the same answer. For tests. */
size_t utf8_valid_portable(struct str s);
size_t utf8_valid_avx2(struct str s); /* only where utf8_has_avx2() */
bool utf8_has_avx2(void);

#endif
