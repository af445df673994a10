/*
 * json_kernels.h - the inner loops over JSON strings. Private to json*.c.
 *
 * Strings (file contents) are most of a message, so these four loops decide its
 * speed. There is a portable set and one for AVX2; json_kernels() is the better
 * one that this machine has, and tests compare both.
 */
#ifndef STET_JSON_KERNELS_H
#define STET_JSON_KERNELS_H

#include "base/str.h"

enum {
	JSON_ESCAPED = 1 << 0, /* has a backslash */
	JSON_LONE = 1 << 1,    /* has a lone surrogate */
};

struct json_kernels {
	/*
	 * @s begins after the opening quote and may extend beyond the closing
	 * one. Returns the offset of the closing quote or of an error: a
	 * control character, the backslash of a bad escape, or s.len if the
	 * string is unterminated. Adds to @flags.
	 */
	size_t (*scan)(struct str s, unsigned *flags);

	/* The size of @s when escaped. */
	size_t (*escaped_len)(struct str s);

	/*
	 * Write @s escaped, exactly escaped_len() bytes; returns the end.
	 * *ret_ascii: @s is ASCII, and so valid UTF-8.
	 */
	char *(*escape)(char *to, struct str s, bool *ret_ascii);

	/*
	 * Write @s, which scan() accepted, decoded: at most s.len bytes;
	 * returns the end. A lone surrogate is written in three bytes, as
	 * WTF-8.
	 */
	char *(*unescape)(char *to, struct str s);
};

extern const struct json_kernels json_kernels_portable;

/* NULL without AVX2. */
const struct json_kernels *json_kernels_avx2(void);

const struct json_kernels *json_kernels(void);

/*
 * Decode the escape at *@p, in a string that scan() accepted and that ends at
 * @end: 1 to 4 bytes to @to. Returns the end of those, and moves *@p past the
 * escape.
 */
char *json_unescape_one(char *to, const char **p, const char *end);

#endif
