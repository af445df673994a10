/*
 * arena.h - memory that lives as long as one call.
 *
 * Take what you need, never give it back: arena_reset() ends it all at once
 * and keeps some blocks for the next call, so that steady work asks the
 * kernel for nothing. Running out of memory ends the program with a message
 * (files are whole at every instant, so nothing is lost): so whoever is about
 * to take memory in a size that a peer chose asks arena_reserve() first, and
 * fails with ERR_NO_MEMORY when there is none in the budget.
 *
 * Not for two threads at once.
 */
#ifndef STET_ARENA_H
#define STET_ARENA_H

#include "base/budget.h"

#include <stdarg.h>

struct arena_block;

struct arena {
	struct arena_block *block; /* the one in use; earlier ones behind it */
	struct arena_block *kept;  /* empty ones, from before the reset */
	size_t used, size;         /* of the one in use */
	size_t held;               /* bytes of all blocks */
	struct charge charge;      /* for those, and for what is reserved */
};

#define ARENA_INIT        \
	{                 \
		.used = 0 \
	}
#define auto_arena cleanup(arena_free) struct arena

/* @size bytes, not cleared, aligned for any type; @size 0 is fine. */
must_check void *arena_alloc(struct arena *a, size_t size);

/* @count things of @size bytes, cleared. */
must_check void *arena_zero(struct arena *a, size_t count, size_t size);

#define arena_new(a, type) ((type *)arena_zero((a), 1, sizeof(type)))
#define arena_array(a, type, count) \
	((type *)arena_zero((a), (count), sizeof(type)))

/*
 * Make the allocation at @ptr, which has @old bytes, @size bytes long: in
 * place when it was the latest and there is room, else as a copy.
 */
must_check void *arena_grow(struct arena *a, void *ptr, size_t old,
			    size_t size);

/*
 * The array @array of @n things of @size bytes with room for one more, which
 * is cleared. The room doubles whenever @n is a power of two, so that adding
 * one by one takes memory in proportion to the count, not to its square.
 */
must_check void *arena_more(struct arena *a, void *array, size_t n,
			    size_t size);

/* One more in an array that was made by this alone: where it is. */
#define arena_add(a, array, count)                                      \
	((array) = arena_more((a), (array), (count), sizeof(*(array))), \
	 &(array)[(count)++])

/* A copy of @s, terminated. */
struct str arena_copy(struct arena *a, struct str s);

/* The same as a C string; NUL bytes inside @s stay inside. */
char *arena_cstr(struct arena *a, struct str s);

/* The @n parts one after the other, terminated. */
struct str arena_join(struct arena *a, const struct str *parts, size_t n);

struct str arena_printf(struct arena *a, const char *format, ...) prints(2, 3);
struct str arena_vprintf(struct arena *a, const char *format, va_list args)
	prints(2, 0);

/*
 * About @size more bytes will be taken, from here or beside: false when the
 * budget of the arena has no room for them. They stay reserved until the
 * arena is reset.
 */
must_check bool arena_reserve(struct arena *a, size_t size);

/* What it holds counts for @b from now on. */
void arena_charge(struct arena *a, struct budget *b);

/* Forget everything; keep at most @keep bytes of blocks for the next use. */
void arena_reset(struct arena *a, size_t keep);

/* Give all of it back. The arena can be used again. */
void arena_free(struct arena *a);

/*
 * A file of megabytes is touched from end to end: in pages of 2 MiB, where
 * the kernel has them for the asking, that is a few faults and not thousands.
 */
void large_pages(void *block, size_t size);

/* End the program: there is no memory. */
never_returns void out_of_memory(void);

#endif
