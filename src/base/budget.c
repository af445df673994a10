/*
 * budget.c - nested atomic counters of bytes.
 *
 * Adding to a budget adds to each of its parents, from the inside out; when one
 * of them is over its limit, all of it is subtracted again. So counters may
 * exceed a limit for a moment, but never lose a byte.
 */
#include "base/budget.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

void budget_open(struct budget *b, struct budget *whole, size_t max)
{
	b->whole = whole;
	b->max = max;
	b->share = 0;
	atomic_init(&b->used, 0);
}

void budget_share(struct budget *b, size_t share)
{
	b->share = share;
}

size_t budget_left(const struct budget *b)
{
	size_t used, left;

	if (!b)
		return SIZE_MAX;
	used = atomic_load_explicit(&b->used, memory_order_relaxed);
	left = budget_left(b->whole);
	if (used < b->share && left < SIZE_MAX - b->share)
		left += b->share - used;
	return b->max ? size_min(left, used < b->max ? b->max - used : 0)
		      : left;
}

/* The part of @used that counts in the parent. */
static size_t beyond_share(const struct budget *b, size_t used)
{
	return used > b->share ? used - b->share : 0;
}

/*
 * The amount for the parent follows from the counter before and after, so the
 * sum is right whatever other threads do.
 */
static void budget_give(struct budget *b, size_t n)
{
	for (; b && n; b = b->whole) {
		size_t used = atomic_fetch_sub(&b->used, n);

		n = beyond_share(b, used) - beyond_share(b, used - n);
	}
}

/* Add @n; false when that exceeds a limit, but it is added all the same. */
static bool budget_add(struct budget *b, size_t n)
{
	bool fits = true;

	for (; b && n; b = b->whole) {
		size_t used = atomic_fetch_add(&b->used, n);

		if (b->max && (used > b->max || n > b->max - used))
			fits = false;
		n = beyond_share(b, used + n) - beyond_share(b, used);
	}
	return fits;
}

static bool budget_take(struct budget *b, size_t n)
{
	if (budget_add(b, n))
		return true;
	budget_give(b, n);
	return false;
}

bool charge_raise(struct charge *c, size_t bytes)
{
	if (bytes > c->bytes && c->budget &&
	    !budget_take(c->budget, bytes - c->bytes))
		return false;
	if (bytes < c->bytes)
		budget_give(c->budget, c->bytes - bytes);
	c->bytes = bytes;
	return true;
}

void charge_set(struct charge *c, size_t bytes)
{
	if (bytes < c->bytes)
		budget_give(c->budget, c->bytes - bytes);
	else if (bytes > c->bytes)
		(void)!budget_add(c->budget, bytes - c->bytes);
	c->bytes = bytes;
}

void charge_move(struct charge *c, struct budget *b)
{
	size_t bytes = c->bytes;

	if (c->budget == b)
		return;
	charge_set(c, 0);
	c->budget = b;
	charge_set(c, bytes);
}

/*
 * Under a low limit: one malloc arena, and large blocks are unmapped when
 * freed.
 */
static void spare_address_space(void)
{
	enum { LARGE = 512 * 1024 };

	(void)mallopt(M_ARENA_MAX, 1);
	(void)mallopt(M_MMAP_THRESHOLD, LARGE);
}

size_t budget_for_process(size_t wanted)
{
	const size_t little = (size_t)4 << 30;
	const int kinds[] = { RLIMIT_AS, RLIMIT_DATA };
	size_t pages = (size_t)sysconf(_SC_PHYS_PAGES);
	size_t most = pages * (size_t)sysconf(_SC_PAGESIZE);
	struct rlimit limit;

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (!getrlimit(kinds[i], &limit) &&
		    limit.rlim_cur != RLIM_INFINITY)
			most = size_min(most, limit.rlim_cur);
	if (most < little)
		spare_address_space();
	return size_min(wanted, most / 2);
}
