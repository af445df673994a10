/*
 * clock.h - time stamps and clocks.
 */
#ifndef STET_CLOCK_H
#define STET_CLOCK_H

#include "base/base.h"

enum { CLOCK_STAMP = sizeof("2026-01-15T10:30:00Z") };

/* The present time in UTC, to the second: 2026-01-15T10:30:00Z. */
void clock_stamp(char to[CLOCK_STAMP]);

/* The same for @unix_ms milliseconds since 1970. */
void clock_stamp_of(uint64_t unix_ms, char to[CLOCK_STAMP]);

/* Monotonic clock, in milliseconds. */
uint64_t clock_ms(void);

/* Wall clock, in milliseconds since 1970. */
uint64_t clock_unix_ms(void);

/* When the machine was booted, in milliseconds since 1970. */
uint64_t clock_boot_ms(void);

#endif
