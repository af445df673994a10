/*
 * cpu.h - which vector instructions the processor has.
 *
 * The C library is asked where it can be, because it has run CPUID already:
 * __builtin_cpu_supports() runs it a dozen times at every start, and each is a
 * trap in a virtual machine.
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

/* All real processors with AVX2 have BMI1, but an emulated one may not. */
static inline bool cpu_has_bmi(void)
{
	return cpu_has(BMI1, "bmi");
}

#undef cpu_has

#endif
