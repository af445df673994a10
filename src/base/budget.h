/*
 * budget.h - a limit on the memory that peers make the process hold.
 *
 * A budget is a number of bytes and may be part of a larger one: a client's
 * budget is part of the server's. Code that holds memory for a peer keeps a
 * struct charge:
 *
 *	charge_raise()	before allocating: false means refuse
 *	charge_set()	for memory that is held already, or cannot be refused
 *
 * So small allocations may exceed the limit, but not those whose size a peer
 * chooses. A NULL budget has no limit.
 *
 * A budget may have a guaranteed share: bytes that are always available to it,
 * however much the others use. They do not count in the parent, whose owner
 * leaves room for the shares of all children.
 *
 * Budgets are thread-safe; a charge belongs to one thread.
 */
#ifndef STET_BUDGET_H
#define STET_BUDGET_H

#include "base/str.h"

#include <stdatomic.h>

struct budget {
	struct budget *whole; /* parent; NULL = none */
	size_t max;           /* bytes; 0 = no limit */
	size_t share;         /* guaranteed bytes, not counted in @whole */
	atomic_size_t used;
};

struct charge {
	struct budget *budget; /* NULL = not counted */
	size_t bytes;
};

void budget_open(struct budget *b, struct budget *whole, size_t max);

/* Guarantee @share bytes to @b, before it is used. */
void budget_share(struct budget *b, size_t share);

/* The number of bytes still available. */
size_t budget_left(const struct budget *b);

/*
 * Set the charge to @bytes; false, and nothing changed, when there is no room.
 */
must_check bool charge_raise(struct charge *c, size_t bytes);

/* The same, even beyond the limit. */
void charge_set(struct charge *c, size_t bytes);

/* Move the charge to the budget @b. */
void charge_move(struct charge *c, struct budget *b);

/*
 * The memory that peers may use: @wanted, but at most half of the process limit
 * (RLIMIT_AS, RLIMIT_DATA) or of the machine's memory. Under a low limit
 * malloc() is tuned to use less address space.
 */
size_t budget_for_process(size_t wanted);

#endif
