/*
 * clock.h - what time it is.
 */
#ifndef STET_CLOCK_H
#define STET_CLOCK_H

#include "base/base.h"

enum { CLOCK_STAMP = sizeof("2026-01-15T10:30:00Z") };

/* Now, in UTC, to the second: 2026-01-15T10:30:00Z. */
void clock_stamp(char to[CLOCK_STAMP]);

/* The same of a moment in milliseconds since 1970. */
void clock_stamp_of(uint64_t unix_ms, char to[CLOCK_STAMP]);

/* Milliseconds of a clock that only goes forward. */
uint64_t clock_ms(void);

/* Milliseconds since 1970, as the machine's clock has them. */
uint64_t clock_unix_ms(void);

/* The moment at which the machine was started, in the same way. */
uint64_t clock_boot_ms(void);

#endif
