/*
 * intern.c - number the distinct lines of two texts, with a hash table.
 *
 * Open addressing, at most half full, keyed by XXH3 of the line. Slots are
 * prefetched for several lines at a time: on large texts the table does not fit
 * into the cache and memory latency dominates. When the call is cancelled, the
 * remaining lines count as changed.
 */
#include "text/diff/intern.h"

#include "base/cancel.h"
#include "text/lines/lines.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
	MAX_PROBES = 128, /* real text needs a few; more is an attack */
	PREFETCH = 16,    /* lines */
	CANCEL_LINES = 16 * 1024,
};

struct intern_slot {
	uint32_t tag;  /* upper half of the hash */
	uint32_t line; /* of the old side, from 1; 0: free */
};

struct intern_table {
	struct intern_slot *slots;
	size_t mask; /* number of slots less one */
	uint64_t hash_mask;
	const struct intern_side *a;
};

bool intern_fits(struct str text)
{
	return text.len < INTERN_BYTES && lines_count(text) <= INTERN_LINES;
}

void intern_split(struct intern_side *s, struct str text, struct arena *mem)
{
	size_t count = lines_count(text), at = 0;

	s->text = text;
	s->count = (uint32_t)count;
	s->start = arena_alloc(mem, (count + 1) * sizeof(*s->start));
	s->id = arena_alloc(mem, count * sizeof(*s->id));
	s->changed = arena_array(mem, bool, count);
	for (size_t i = 0; i < count; i++) {
		s->start[i] = (uint32_t)at;
		at += str_find(str_skip(text, at), '\n') + 1;
	}
	s->start[count] = (uint32_t)text.len;
}

static struct str line_of(const struct intern_side *s, uint32_t line)
{
	return str_make(s->text.ptr + s->start[line],
			s->start[line + 1] - s->start[line]);
}

/* Hash the next lines and prefetch their slots. Returns how many lines. */
static uint32_t prefetch_slots(const struct intern_table *t,
			       const struct intern_side *s, uint32_t first,
			       uint64_t hashes[PREFETCH])
{
	uint32_t n = (uint32_t)size_min(PREFETCH, s->count - first);

	for (uint32_t i = 0; i < n; i++) {
		struct str line = line_of(s, first + i);

		hashes[i] = XXH3_64bits(line.ptr, line.len) & t->hash_mask;
		__builtin_prefetch(&t->slots[hashes[i] & t->mask]);
	}
	return n;
}

static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

/* The slot of @line, or a free one for it; NULL after MAX_PROBES. */
static struct intern_slot *find_slot(const struct intern_table *t,
				     struct str line, uint64_t hash)
{
	for (size_t i = 0; i < MAX_PROBES; i++) {
		struct intern_slot *s = &t->slots[(hash + i) & t->mask];

		if (!s->line)
			return s;
		if (s->tag == tag_of(hash) &&
		    str_eq(line_of(t->a, s->line - 1), line))
			return s;
	}
	return NULL;
}

static bool check_cancel(uint32_t line, size_t *next)
{
	if (line < *next)
		return false;
	*next = line + CANCEL_LINES;
	return cancel_asked();
}

static void mark_rest_changed(struct intern_side *s, uint32_t first)
{
	for (uint32_t i = first; i < s->count; i++) {
		s->id[i] = INTERN_NONE;
		s->changed[i] = true;
	}
}

static void number_old(struct intern_table *t, struct intern_side *a)
{
	size_t ask = CANCEL_LINES;
	uint64_t hashes[PREFETCH];
	uint32_t n;

	for (uint32_t first = 0; first < a->count; first += n) {
		if (check_cancel(first, &ask)) {
			mark_rest_changed(a, first);
			return;
		}
		n = prefetch_slots(t, a, first, hashes);
		for (uint32_t i = first; i < first + n; i++) {
			uint64_t hash = hashes[i - first];
			struct intern_slot *s =
				find_slot(t, line_of(a, i), hash);

			if (s && !s->line)
				*s = (struct intern_slot){ tag_of(hash),
							   i + 1 };
			a->id[i] = s ? s->line - 1 : INTERN_NONE;
		}
	}
}

/* The number of the line of the old side equal to @line, or INTERN_NONE. */
static uint32_t same_old(const struct intern_table *t, struct str line)
{
	uint64_t hash = XXH3_64bits(line.ptr, line.len) & t->hash_mask;
	const struct intern_slot *s = find_slot(t, line, hash);

	return s && s->line ? s->line - 1 : INTERN_NONE;
}

/*
 * The line after the last match is tried first: mostly it is the one, and the
 * table is not needed.
 */
static void number_new(struct intern_table *t, struct intern_side *b,
		       bool *in_new)
{
	const struct intern_side *a = t->a;
	size_t ask = CANCEL_LINES;
	uint32_t next = 0;

	for (uint32_t i = 0; i < b->count; i++, next++) {
		struct str line = line_of(b, i);

		if (check_cancel(i, &ask)) {
			mark_rest_changed(b, i);
			return;
		}

		if (next < a->count && str_eq(line_of(a, next), line)) {
			b->id[i] = a->id[next];
		} else {
			b->id[i] = same_old(t, line);
			if (b->id[i] != INTERN_NONE)
				next = b->id[i];
		}
		b->changed[i] = b->id[i] == INTERN_NONE;
		if (!b->changed[i])
			in_new[b->id[i]] = true;
	}
}

void intern_number(struct intern_side *a, struct intern_side *b,
		   uint64_t hash_mask, struct arena *mem)
{
	struct intern_table t = { .mask = 15, .hash_mask = hash_mask, .a = a };
	bool *in_new = arena_array(mem, bool, a->count);

	while (t.mask < (size_t)a->count * 2)
		t.mask = t.mask * 2 + 1;
	t.slots = arena_array(mem, struct intern_slot, t.mask + 1);
	number_old(&t, a);
	number_new(&t, b, in_new);
	for (uint32_t i = 0; i < a->count; i++)
		a->changed[i] = a->id[i] == INTERN_NONE || !in_new[a->id[i]];
}
