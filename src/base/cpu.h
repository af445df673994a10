/*
 * cpu.h - does this processor have the wide vectors?
 *
 * Asked of the C library, which has looked already, where it can be: the
 * compiler's own way looks again at every start, a dozen times, and in a
 * virtual machine each of them is a way out of it and back.
 */
#ifndef STET_CPU_H
#define STET_CPU_H

#include "base/base.h"

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

#if !defined(__x86_64__)
#define cpu_has(theirs, ours) false
#elif defined(CPU_FEATURE_ACTIVE)
#define cpu_has(theirs, ours) CPU_FEATURE_ACTIVE(theirs)
#else
#define cpu_has(theirs, ours) (__builtin_cpu_supports(ours) != 0)
#endif

static inline bool cpu_has_avx2(void)
{
	return cpu_has(AVX2, "avx2");
}

/* Every processor with AVX2 that there is has it; one made up may not. */
static inline bool cpu_has_bmi(void)
{
	return cpu_has(BMI1, "bmi");
}

#undef cpu_has

#endif
