/*
 * json_kernels.h - the inner loops over JSON strings.
 *
 * Strings are nearly all of a message here (file contents), so these four
 * loops decide how fast it goes. There is one set for any machine and one for
 * those with AVX2; json_kernels() is the best that this one has, and tests
 * hold the sets against each other. Only json*.c includes this.
 */
#ifndef STET_JSON_KERNELS_H
#define STET_JSON_KERNELS_H

#include "base/str.h"

enum {
	JSON_ESCAPED = 1 << 0, /* has at least one backslash */
	JSON_LONE = 1 << 1,    /* has half a surrogate pair */
};

struct json_kernels {
	/*
	 * @s begins after the opening quote and may go on long after the
	 * closing one. The offset of that, or of what is wrong: a control
	 * character, the backslash of a bad escape, or s.len if it never
	 * ends. Adds to @flags.
	 */
	size_t (*scan)(struct str s, unsigned *flags);

	/* How many bytes escape() makes of @s. */
	size_t (*escaped_len)(struct str s);

	/*
	 * Write @s escaped, exactly escaped_len() bytes; returns the end.
	 * *ret_ascii: it was nothing but ASCII, so that it is UTF-8, too.
	 */
	char *(*escape)(char *to, struct str s, bool *ret_ascii);

	/*
	 * Write @s, which scan() passed, decoded: at most s.len bytes;
	 * returns the end. Half a pair comes out as the three bytes that
	 * UTF-8 would have for it, if it had any.
	 */
	char *(*unescape)(char *to, struct str s);
};

extern const struct json_kernels json_kernels_portable;

/* NULL on a machine without. */
const struct json_kernels *json_kernels_avx2(void);

const struct json_kernels *json_kernels(void);

/*
 * Decode the one escape at @p, in a string that scan() passed and that ends
 * at @end: 1 to 4 bytes to @to. Returns the end of those, and makes @p the end
 * of the escape.
 */
char *json_unescape_one(char *to, const char **p, const char *end);

#endif
