/*
 * base.h - the few words every file uses.
 *
 * Attributes spelled short, and the size helpers. Includes nothing of ours,
 * so that any header may include it first.
 */
#ifndef STET_BASE_H
#define STET_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define must_check      __attribute__((warn_unused_result))
#define cleanup(fn)     __attribute__((cleanup(fn)))
#define prints(f, args) __attribute__((format(printf, f, args), nonnull(f)))
#define never_returns   __attribute__((noreturn))

/*
 * Locals are zeroed by the compiler (-ftrivial-auto-var-init). For a large
 * buffer on a hot path, of which only what was written is ever read.
 */
#if defined(__has_attribute) && __has_attribute(uninitialized)
#define not_zeroed __attribute__((uninitialized))
#else
#define not_zeroed
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static inline size_t size_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline size_t size_max(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* a + b, or SIZE_MAX where that does not fit. */
static inline size_t size_add(size_t a, size_t b)
{
	return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

#endif
