/*
 * roll.h - a deterministic random number generator for tests.
 */
#ifndef STET_TEST_ROLL_H
#define STET_TEST_ROLL_H

#include <stdint.h>

static uint64_t seed = 88172645463325252u;

static inline uint32_t roll(uint32_t sides)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % sides;
}

#endif
