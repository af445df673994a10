/*
 * SQLite's functions of mathematics, which no statement of ours has.
 *
 * Nothing else here wants the library they are in, and to load that is a tenth
 * of the time until the first reply. Who calls one of these after all is told
 * at once, instead of getting a wrong number. They are hidden from libraries
 * that are loaded later, as those may want the real ones.
 */
#include "base/base.h"

#include <math.h>
#include <stdlib.h>

#define OF_ONE(name)                                                \
	__attribute__((visibility("hidden"))) double name(double x) \
	{                                                           \
		(void)x;                                            \
		abort();                                            \
	}
#define OF_TWO(name)                                                          \
	__attribute__((visibility("hidden"))) double name(double x, double y) \
	{                                                                     \
		(void)x;                                                      \
		(void)y;                                                      \
		abort();                                                      \
	}

OF_ONE(acos)
OF_ONE(acosh)
OF_ONE(asin)
OF_ONE(asinh)
OF_ONE(atan)
OF_ONE(atanh)
OF_ONE(ceil)
OF_ONE(cos)
OF_ONE(cosh)
OF_ONE(exp)
OF_ONE(floor)
OF_ONE(log)
OF_ONE(log10)
OF_ONE(log2)
OF_ONE(sin)
OF_ONE(sinh)
OF_ONE(sqrt)
OF_ONE(tan)
OF_ONE(tanh)
OF_ONE(trunc)
OF_TWO(atan2)
OF_TWO(fmod)
OF_TWO(pow)
