#include "base/clock.h"

#include <time.h>

static void stamp(time_t when, char to[CLOCK_STAMP])
{
	struct tm utc;

	(void)gmtime_r(&when, &utc);
	(void)strftime(to, CLOCK_STAMP, "%Y-%m-%dT%H:%M:%SZ", &utc);
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
