/*
 * base.h - macros and helpers that every file uses.
 *
 * Short names for attributes, and overflow-safe size arithmetic. Includes
 * nothing of ours, so that any header may include it first.
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
 * Locals are zeroed by the compiler (-ftrivial-auto-var-init). This is for a
 * large buffer on a hot path of which only written bytes are read.
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

/* a + b, or SIZE_MAX on overflow. */
static inline size_t size_add(size_t a, size_t b)
{
	return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

#endif
