/*
 * budget.c - counters of bytes, one within the other.
 *
 * Taking from a budget takes from each one that it is part of, from the
 * inside out; when one of them has no room, what was taken is given back.
 */
#include "base/budget.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

void budget_open(struct budget *b, struct budget *whole, size_t max)
{
	b->whole = whole;
	b->max = max;
	atomic_init(&b->used, 0);
}

size_t budget_left(const struct budget *b)
{
	size_t left = SIZE_MAX, used;

	for (; b; b = b->whole) {
		used = atomic_load_explicit(&b->used, memory_order_relaxed);
		if (b->max)
			left = size_min(left,
					used < b->max ? b->max - used : 0);
	}
	return left;
}

static void budget_give(struct budget *b, const struct budget *end, size_t n)
{
	for (; b != end; b = b->whole)
		(void)atomic_fetch_sub(&b->used, n);
}

static bool budget_take(struct budget *b, size_t n)
{
	struct budget *at = b;

	for (; at; at = at->whole) {
		size_t used = atomic_fetch_add(&at->used, n);

		if (at->max && (used > at->max || n > at->max - used))
			break;
	}
	if (!at)
		return true;
	budget_give(b, at->whole, n);
	return false;
}

bool charge_raise(struct charge *c, size_t bytes)
{
	if (bytes > c->bytes && c->budget &&
	    !budget_take(c->budget, bytes - c->bytes))
		return false;
	if (bytes < c->bytes)
		budget_give(c->budget, NULL, c->bytes - bytes);
	c->bytes = bytes;
	return true;
}

void charge_set(struct charge *c, size_t bytes)
{
	struct budget *b = c->budget;

	if (bytes < c->bytes)
		budget_give(b, NULL, c->bytes - bytes);
	else if (bytes > c->bytes)
		for (; b; b = b->whole)
			(void)atomic_fetch_add(&b->used, bytes - c->bytes);
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

/* With little address space: one heap, and large blocks are given back. */
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
