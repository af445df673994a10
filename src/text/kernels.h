/*
 * kernels.h - the inner loops of the text layer, one set for each processor.
 *
 * Only for the files of this layer and their tests: kernels() is the best
 * set this machine runs, kernels_all every set it can run, so that a test
 * can hold each of them to the same rules.
 */
#ifndef STET_KERNELS_H
#define STET_KERNELS_H

#include "base/base.h"

struct kernels {
	const char *name;

	/* How many of the @n bytes at @p are @c. */
	size_t (*count)(const char *p, size_t n, char c);

	/* The same of newlines; *@ret_ascii: all are 01 to 7f. */
	size_t (*survey)(const char *p, size_t n, bool *ret_ascii);

	/* How often @a stands before @b, both within the @n bytes at @p. */
	size_t (*count_pair)(const char *p, size_t n, char a, char b);

	/*
	 * The first i below @n with p[i] == a and p[i + gap] == b, or @n.
	 * There are n + gap bytes at @p.
	 */
	size_t (*find_pair)(const char *p, size_t n, size_t gap, char a,
			    char b);

	/* Where the @k-th @c is (k >= 1), or @n when there are fewer. */
	size_t (*nth)(const char *p, size_t n, char c, size_t k);
};

/*
 * Has any of them a control that no text has: below a space, and neither tab
 * to CR nor ESC? One for all processors: it is asked of few files.
 */
bool kernels_controls(const char *p, size_t n);

extern const struct kernels kernels_portable;
#if defined(__x86_64__)
extern const struct kernels kernels_avx2;
#endif

const struct kernels *kernels(void);

/* The sets this machine can run, at most 2; returns how many. */
size_t kernels_all(const struct kernels *ret[2]);

#endif
