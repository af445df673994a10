/*
 * clock.c - time stamps and clocks, by clock_gettime().
 */
#include "base/clock.h"

#include <string.h>
#include <time.h>

/* Write @n right aligned, padded with zeros. */
static void put_digits(char *to, int width, int n)
{
	for (; width--; n /= 10)
		to[width] = (char)('0' + n % 10);
}

/*
 * Not strftime(): every call has a time stamp, and that would take as long as
 * parsing the call.
 */
static void stamp(time_t when, char to[CLOCK_STAMP])
{
	struct tm utc;

	memcpy(to, "0000-00-00T00:00:00Z", CLOCK_STAMP);
	if (!gmtime_r(&when, &utc) || utc.tm_year > 9999 - 1900)
		return;
	put_digits(to, 4, utc.tm_year + 1900);
	put_digits(to + 5, 2, utc.tm_mon + 1);
	put_digits(to + 8, 2, utc.tm_mday);
	put_digits(to + 11, 2, utc.tm_hour);
	put_digits(to + 14, 2, utc.tm_min);
	put_digits(to + 17, 2, utc.tm_sec);
}

void clock_stamp(char to[CLOCK_STAMP])
{
	stamp(time(NULL), to);
}

void clock_stamp_of(uint64_t unix_ms, char to[CLOCK_STAMP])
{
	stamp((time_t)(unix_ms / 1000), to);
}

uint64_t clock_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

uint64_t clock_unix_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t clock_boot_ms(void)
{
	struct timespec up;
	uint64_t ms;

	(void)clock_gettime(CLOCK_BOOTTIME, &up);
	ms = (uint64_t)up.tv_sec * 1000 + (uint64_t)up.tv_nsec / 1000000;
	return clock_unix_ms() - ms;
}
