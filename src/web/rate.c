/*
 * rate.c - a token bucket per client name, for one thread.
 */
#include "web/rate.h"

enum { ONE = 1000, BURST = 2 };

static struct rate_bucket *bucket_find(struct rate *r, struct str name)
{
	for (size_t i = 0; i < r->count; i++)
		if (str_eq(r->buckets[i].name, name))
			return &r->buckets[i];
	return NULL;
}

static struct rate_bucket *bucket_add(struct rate *r, struct str name,
				      uint64_t now)
{
	struct rate_bucket *at = &r->buckets[0];

	if (r->count < RATE_MOST)
		at = &r->buckets[r->count++];
	else
		for (size_t i = 1; i < RATE_MOST; i++)
			if (r->buckets[i].at_ms < at->at_ms)
				at = &r->buckets[i];
	*at = (struct rate_bucket){ name, r->per_second * BURST * ONE, now };
	return at;
}

bool rate_take(struct rate *r, struct str name, uint64_t now_ms)
{
	const uint64_t most = r->per_second * BURST * ONE;
	struct rate_bucket *b;
	uint64_t passed;

	if (!r->per_second)
		return true;
	b = bucket_find(r, name);
	if (!b)
		b = bucket_add(r, name, now_ms);
	/* a clock that was set back has let no time pass */
	passed = now_ms > b->at_ms ? now_ms - b->at_ms : 0;
	b->at_ms = now_ms;
	if (passed > (uint64_t)BURST * 1000)
		passed = (uint64_t)BURST * 1000; /* fills it */
	b->credit += passed * r->per_second;
	if (b->credit > most)
		b->credit = most;
	if (b->credit < ONE)
		return false;
	b->credit -= ONE;
	return true;
}
