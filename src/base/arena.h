/*
 * arena.h - memory that lives as long as one call.
 *
 * Allocations are never freed one by one: arena_reset() ends all of them at
 * once and keeps some blocks for the next call, so that steady work needs no
 * memory from the kernel. Running out of memory ends the program with a message
 * (files are consistent at every instant, so nothing is lost). Code that
 * allocates a size chosen by a peer therefore calls arena_reserve() first, and
 * fails with ERR_NO_MEMORY when the budget has no room.
 *
 * Not thread-safe.
 */
#ifndef STET_ARENA_H
#define STET_ARENA_H

#include "base/budget.h"

#include <stdarg.h>

struct arena_block;

struct arena {
	struct arena_block *block; /* block in use; earlier ones follow */
	struct arena_block *kept;  /* empty blocks kept by arena_reset() */
	size_t used, size;         /* bytes of the block in use */
	size_t held;               /* total bytes of all blocks */
	struct charge charge;      /* for these bytes and reservations */
};

#define ARENA_INIT        \
	{                 \
		.used = 0 \
	}
#define auto_arena cleanup(arena_free) struct arena

/* @size bytes, not zeroed, aligned for any type; @size 0 is fine. */
must_check void *arena_alloc(struct arena *a, size_t size);

/* @count elements of @size bytes, zeroed. */
must_check void *arena_zero(struct arena *a, size_t count, size_t size);

#define arena_new(a, type) ((type *)arena_zero((a), 1, sizeof(type)))
#define arena_array(a, type, count) \
	((type *)arena_zero((a), (count), sizeof(type)))

/*
 * Resize the allocation at @ptr from @old to @size bytes: in place when it was
 * the latest and there is room, else by copying.
 */
must_check void *arena_grow(struct arena *a, void *ptr, size_t old,
			    size_t size);

/*
 * @array of @n elements of @size bytes with room for one more, which is zeroed.
 * The capacity doubles whenever @n is a power of two, so that appending one by
 * one takes memory in proportion to the count, not to its square.
 */
must_check void *arena_more(struct arena *a, void *array, size_t n,
			    size_t size);

/*
 * Append to an array that is grown by this macro only; yields the new element.
 */
#define arena_add(a, array, count)                                      \
	((array) = arena_more((a), (array), (count), sizeof(*(array))), \
	 &(array)[(count)++])

/* A copy of @s with a terminating NUL. */
struct str arena_copy(struct arena *a, struct str s);

/* The same as a C string; NUL bytes inside @s are kept. */
char *arena_cstr(struct arena *a, struct str s);

/* The @n parts concatenated, with a terminating NUL. */
struct str arena_join(struct arena *a, const struct str *parts, size_t n);

struct str arena_printf(struct arena *a, const char *format, ...) prints(2, 3);
struct str arena_vprintf(struct arena *a, const char *format, va_list args)
	prints(2, 0);

/*
 * Reserve about @size bytes, to be allocated here or elsewhere: false when the
 * budget has no room. The reservation ends with arena_reset().
 */
must_check bool arena_reserve(struct arena *a, size_t size);

/* Charge the arena's memory to @b from now on. */
void arena_charge(struct arena *a, struct budget *b);

/* Free all allocations; keep at most @keep bytes of blocks for the next use. */
void arena_reset(struct arena *a, size_t keep);

/* Free all memory. The arena can be used again. */
void arena_free(struct arena *a);

/*
 * Ask for 2 MiB pages (MADV_HUGEPAGE): a few page faults instead of thousands
 * for the content of a large file.
 */
void large_pages(void *block, size_t size);

/* Print a message and abort(). */
never_returns void out_of_memory(void);

#endif
