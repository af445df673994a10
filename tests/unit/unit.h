/*
 * unit.h - what every unit test includes: cmocka, in the order it wants.
 */
#ifndef STET_UNIT_H
#define STET_UNIT_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#undef fail /* ours, in err.h, is another */
/* clang-format on */

#include "base/str.h"

/* The view @got holds exactly @want. */
#define assert_str(got, want)                                                \
	do {                                                                 \
		struct str got_ = (got), want_ = str_of(want);               \
		assert_int_equal(got_.len, want_.len);                       \
		if (want_.len)                                               \
			assert_memory_equal(got_.ptr, want_.ptr, want_.len); \
	} while (0)

#endif
