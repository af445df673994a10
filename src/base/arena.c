/*
 * arena.c - an arena allocator: blocks from malloc(), a bump pointer, one free.
 *
 * Blocks double in size up to 1 MiB. Under AddressSanitizer the unused part of
 * a block is poisoned, and allocations have red zones. Every block is charged
 * to the arena's budget (base/budget.h).
 */
#include "base/arena.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define poison(p, n)   ASAN_POISON_MEMORY_REGION((p), (n))
#define unpoison(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
enum { RED_ZONE = 16 }; /* detects overflow into the next allocation */
#else
#define poison(p, n)   ((void)(p), (void)(n))
#define unpoison(p, n) ((void)(p), (void)(n))
enum { RED_ZONE = 0 };
#endif

/*
 * A small first block serves arenas that hold a name or two; a second one is
 * large.
 */
enum { ALIGN = 16, FIRST_BLOCK = 1024, NEXT_BLOCK = 64 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t size;
	_Alignas(ALIGN) char bytes[];
};

void out_of_memory(void)
{
	static const char words[] = "stet: out of memory\n";

	(void)!write(STDERR_FILENO, words, sizeof(words) - 1);
	abort();
}

static size_t round_up(size_t n)
{
	if (n > SIZE_MAX - ALIGN - RED_ZONE)
		out_of_memory();
	return (n + RED_ZONE + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

void large_pages(void *block, size_t size)
{
	const uintptr_t page = 2 * 1024 * 1024;
	uintptr_t from = ((uintptr_t)block + page - 1) & ~(page - 1);
	uintptr_t to = ((uintptr_t)block + size) & ~(page - 1);

	if (to > from)
		(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

static struct arena_block *take_kept(struct arena *a, size_t need)
{
	struct arena_block **link = &a->kept, *found;

	while (*link && (*link)->size < need)
		link = &(*link)->next;
	found = *link;
	if (found)
		*link = found->next;
	return found;
}

static void add_block(struct arena *a, size_t need)
{
	struct arena_block *b = take_kept(a, need);
	size_t size = FIRST_BLOCK;

	if (!b) {
		if (a->block)
			size = size_max(NEXT_BLOCK, size_min(a->block->size * 2,
							     1024 * 1024));
		size = size_max(size, need);
		b = malloc(sizeof(*b) + size);
		if (!b)
			out_of_memory();
		b->size = size;
		large_pages(b, sizeof(*b) + size);
		poison(b->bytes, b->size);
		a->held += size;
		if (a->held > a->charge.bytes)
			charge_set(&a->charge, a->held);
	}
	b->next = a->block;
	a->block = b;
	a->used = 0;
	a->size = b->size;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t need = round_up(size);
	char *p;

	if (!a->block || need > a->size - a->used)
		add_block(a, need);
	p = a->block->bytes + a->used;
	a->used += need;
	unpoison(p, size);
	return p;
}

bool arena_reserve(struct arena *a, size_t size)
{
	size_t whole = size_add(a->held, size);

	return whole <= a->charge.bytes || charge_raise(&a->charge, whole);
}

void arena_charge(struct arena *a, struct budget *b)
{
	charge_move(&a->charge, b);
}

void *arena_zero(struct arena *a, size_t count, size_t size)
{
	void *p;

	if (size && count > SIZE_MAX / size)
		out_of_memory();
	p = arena_alloc(a, count * size);
	memset(p, 0, count * size);
	return p;
}

void *arena_grow(struct arena *a, void *ptr, size_t old, size_t size)
{
	size_t had = round_up(old), need = round_up(size);
	void *p;

	if (ptr && a->block && a->used >= had &&
	    (char *)ptr == a->block->bytes + a->used - had &&
	    need <= a->size - (a->used - had)) {
		a->used = a->used - had + need;
		unpoison(ptr, size);
		return ptr;
	}
	p = arena_alloc(a, size);
	if (ptr && old)
		memcpy(p, ptr, size_min(old, size));
	return p;
}

void *arena_more(struct arena *a, void *array, size_t n, size_t size)
{
	size_t room = n ? n * 2 : 1;
	char *ret = array;

	if (room > SIZE_MAX / size)
		out_of_memory();
	if (!(n & (n - 1))) /* a power of two, or 0 */
		ret = arena_grow(a, array, n * size, room * size);
	memset(ret + n * size, 0, size);
	return ret;
}

struct str arena_copy(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.len + 1);

	if (s.len)
		memcpy(p, s.ptr, s.len);
	p[s.len] = '\0';
	return str_make(p, s.len);
}

char *arena_cstr(struct arena *a, struct str s)
{
	return (char *)arena_copy(a, s).ptr;
}

struct str arena_join(struct arena *a, const struct str *parts, size_t n)
{
	size_t len = 0;
	char *text, *to;

	for (size_t i = 0; i < n; i++)
		len = size_add(len, parts[i].len);
	text = to = arena_alloc(a, size_add(len, 1));
	for (size_t i = 0; i < n; i++)
		if (parts[i].len)
			to = mempcpy(to, parts[i].ptr, parts[i].len);
	*to = '\0';
	return str_make(text, len);
}

struct str arena_vprintf(struct arena *a, const char *format, va_list args)
{
	auto_buf text = BUF_INIT;
	char few[256];
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(few, sizeof(few), format, again);
	va_end(again);
	if (n >= 0 && (size_t)n < sizeof(few))
		return arena_copy(a, str_make(few, (size_t)n));
	buf_addv(&text, format, args);
	return arena_copy(a, buf_str(&text));
}

struct str arena_printf(struct arena *a, const char *format, ...)
{
	struct str s;
	va_list args;

	va_start(args, format);
	s = arena_vprintf(a, format, args);
	va_end(args);
	return s;
}

static void free_blocks(struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;

		unpoison(b->bytes, b->size);
		free(b);
		b = next;
	}
}

/* Keep blocks of @from while *@room lasts, and free the others. */
static void keep_blocks(struct arena *a, struct arena_block *from, size_t *room)
{
	while (from) {
		struct arena_block *next = from->next;

		if (from->size <= *room) {
			*room -= from->size;
			a->held += from->size;
			poison(from->bytes, from->size);
			from->next = a->kept;
			a->kept = from;
		} else {
			from->next = NULL;
			free_blocks(from);
		}
		from = next;
	}
}

void arena_reset(struct arena *a, size_t keep)
{
	struct arena_block *used = a->block, *kept = a->kept;

	*a = (struct arena){ .charge = a->charge };
	keep_blocks(a, used, &keep);
	keep_blocks(a, kept, &keep);
	charge_set(&a->charge, a->held);
}

void arena_free(struct arena *a)
{
	free_blocks(a->block);
	free_blocks(a->kept);
	charge_set(&a->charge, 0);
	*a = (struct arena){ .charge = a->charge };
}
