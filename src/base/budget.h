/*
 * budget.h - a limit on the memory that peers make the process hold.
 *
 * A budget is a number of bytes, and may be part of a larger one: that of a
 * client is part of the server's. Whoever holds memory for a peer has a
 * struct charge for it and says how much that is:
 *
 *	charge_raise()	before memory is asked for: false means refuse
 *	charge_set()	what is held already, or cannot be refused any more
 *
 * so that the limit can be passed by what is small, but not by what a peer
 * chose the size of. Budgets and charges of NULL have no limit.
 *
 * A part may have a share: so many bytes it can always have, however much the
 * other parts hold. They do not count in the larger budget, whose owner leaves
 * room for the shares of all parts.
 *
 * Budgets are safe for several threads at once; a charge belongs to one.
 */
#ifndef STET_BUDGET_H
#define STET_BUDGET_H

#include "base/str.h"

#include <stdatomic.h>

struct budget {
	struct budget *whole; /* the one that it is part of; NULL */
	size_t max;           /* bytes; 0 = no limit */
	size_t share;         /* the first bytes, which whole does not count */
	atomic_size_t used;
};

struct charge {
	struct budget *budget; /* NULL = nobody counts */
	size_t bytes;
};

void budget_open(struct budget *b, struct budget *whole, size_t max);

/* Give the part @b a share, before it is used. */
void budget_share(struct budget *b, size_t share);

/* How many bytes can still be taken from it. */
size_t budget_left(const struct budget *b);

/* Hold @bytes in all; false, and nothing has changed: there is no room. */
must_check bool charge_raise(struct charge *c, size_t bytes);

/* The same, whether or not there is room. */
void charge_set(struct charge *c, size_t bytes);

/* Count for @b from now on. */
void charge_move(struct charge *c, struct budget *b);

/*
 * How much memory peers may take here: @wanted, but no more than half of what
 * the process may have (RLIMIT_AS, RLIMIT_DATA) or the machine has. Where the
 * process may have little, malloc() is told to keep less of it for itself.
 */
size_t budget_for_process(size_t wanted);

#endif
