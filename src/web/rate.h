/*
 * rate.h - rate limiter (token bucket) per name; burst = 2 s.
 *
 * Each name has its own allowance. There are as many as tokens; should there
 * be more, the one that has been silent longest is forgotten.
 */
#ifndef STET_RATE_H
#define STET_RATE_H

#include "base/str.h"

enum { RATE_MOST = 512 };

struct rate_bucket {
	struct str name;
	uint64_t credit; /* thousandths of a request */
	uint64_t at_ms;  /* time of the last update */
};

struct rate {
	uint64_t per_second; /* 0 = any */
	size_t count;
	struct rate_bucket buckets[RATE_MOST];
};

/* Counts a request of @name, which must outlive @r. False = over the limit. */
must_check bool rate_take(struct rate *r, struct str name, uint64_t now_ms);

#endif
