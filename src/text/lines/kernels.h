/*
 * kernels.h - SIMD inner loops of the text layer, one set per processor.
 *
 * kernels() is the fastest set this machine can run; kernels_all() lists every
 * set it can run, so that tests compare them with each other. Private to the
 * text layer.
 */
#ifndef STET_KERNELS_H
#define STET_KERNELS_H

#include "base/base.h"

struct kernels {
	const char *name;

	/* The number of bytes equal to @c. */
	size_t (*count)(const char *p, size_t n, char c);

	/* The number of newlines; *@ret_ascii: all bytes are 01 to 7f. */
	size_t (*scan)(const char *p, size_t n, bool *ret_ascii);

	/*
	 * The number of times @a is followed by @b within the @n bytes at @p.
	 */
	size_t (*count_pair)(const char *p, size_t n, char a, char b);

	/*
	 * The first i below @n with p[i] == a and p[i + gap] == b, or @n. There
	 * are n + gap bytes at @p.
	 */
	size_t (*find_pair)(const char *p, size_t n, size_t gap, char a,
			    char b);

	/*
	 * The same where bit 5 of the text's bytes counts as set, as it is in
	 * @a and @b: letters of either case, and a few other bytes.
	 */
	size_t (*find_pair_caseless)(const char *p, size_t n, size_t gap,
				     char a, char b);

	/* The offset of the @k-th @c (k >= 1), or @n when there are fewer. */
	size_t (*nth)(const char *p, size_t n, char c, size_t k);
};

/*
 * Is there a control character that text does not have: below a space, other
 * than tab to CR and ESC? One version for all processors: few files need it.
 */
bool kernels_controls(const char *p, size_t n);

extern const struct kernels kernels_portable;
#if defined(__x86_64__)
extern const struct kernels kernels_avx2;
#endif

const struct kernels *kernels(void);

/* The sets that this machine can run; returns how many. */
size_t kernels_all(const struct kernels *ret[2]);

#endif
