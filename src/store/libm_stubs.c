/*
 * libm_stubs.c - stands in for libm, which SQLite's archive refers to.
 *
 * SQLite is linked as an archive whose SQL functions (pow, sin, ...) need libm;
 * no statement of ours calls one, and nothing else here needs libm. Without
 * these stubs the loader would map libm at every start, 60 to 70 us of the time
 * to the first reply (docs/decisions/019-stubs-instead-of-libm.md). A call ends
 * the program instead of giving a wrong number; dev/check-banned refuses
 * <math.h> elsewhere. Hidden, because a library that is loaded later may need
 * the real functions.
 */
#include "base/base.h"

#include <math.h>
#include <stdlib.h>

#define STUB_1(name)                                                \
	__attribute__((visibility("hidden"))) double name(double x) \
	{                                                           \
		(void)x;                                            \
		abort();                                            \
	}
#define STUB_2(name)                                                          \
	__attribute__((visibility("hidden"))) double name(double x, double y) \
	{                                                                     \
		(void)x;                                                      \
		(void)y;                                                      \
		abort();                                                      \
	}

STUB_1(acos)
STUB_1(acosh)
STUB_1(asin)
STUB_1(asinh)
STUB_1(atan)
STUB_1(atanh)
STUB_1(ceil)
STUB_1(cos)
STUB_1(cosh)
STUB_1(exp)
STUB_1(floor)
STUB_1(log)
STUB_1(log10)
STUB_1(log2)
STUB_1(sin)
STUB_1(sinh)
STUB_1(sqrt)
STUB_1(tan)
STUB_1(tanh)
STUB_1(trunc)
STUB_2(atan2)
STUB_2(fmod)
STUB_2(pow)
