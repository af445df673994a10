#include "text/intern.h"

#include "base/cancel.h"
#include "text/lines.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The table is at most half full: honest text never comes near this. */
enum { MOST_PROBES = 128, AHEAD = 16, CANCEL_LINES = 16 * 1024 };

struct slot {
	uint32_t tag;  /* upper half of the hash */
	uint32_t line; /* of the old side, from 1; 0 is free */
};

struct table {
	struct slot *slots;
	size_t mask; /* how many, less one */
	uint64_t hash_mask;
	const struct side *a;
};

bool intern_fits(struct str text)
{
	return text.len < INTERN_BYTES && lines_count(text) <= INTERN_LINES;
}

void intern_split(struct side *s, struct str text, struct arena *mem)
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

static struct str line_of(const struct side *s, uint32_t line)
{
	return str_make(s->text.ptr + s->start[line],
			s->start[line + 1] - s->start[line]);
}

/*
 * The slots of the next lines, some at a time: where they are in the table
 * cannot be foreseen, so they are all called from memory before the first is
 * looked at. Returns how many lines that is.
 */
static uint32_t look_ahead(const struct table *t, const struct side *s,
			   uint32_t first, uint64_t hashes[AHEAD])
{
	uint32_t n = (uint32_t)size_min(AHEAD, s->count - first);

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

/* Where @line is, or could be put; NULL when the search took too long. */
static struct slot *find_slot(const struct table *t, struct str line,
			      uint64_t hash)
{
	for (size_t i = 0; i < MOST_PROBES; i++) {
		struct slot *s = &t->slots[(hash + i) & t->mask];

		if (!s->line)
			return s;
		if (s->tag == tag_of(hash) &&
		    str_eq(line_of(t->a, s->line - 1), line))
			return s;
	}
	return NULL;
}

static bool ask_after(uint32_t line, size_t *next)
{
	if (line < *next)
		return false;
	*next = line + CANCEL_LINES;
	return cancel_asked();
}

/* The lines from @first on are like none of the other side. */
static void give_up(struct side *s, uint32_t first)
{
	for (uint32_t i = first; i < s->count; i++) {
		s->id[i] = INTERN_NONE;
		s->changed[i] = true;
	}
}

static void number_old(struct table *t, struct side *a)
{
	size_t ask = CANCEL_LINES;
	uint64_t hashes[AHEAD];
	uint32_t n;

	for (uint32_t first = 0; first < a->count; first += n) {
		if (ask_after(first, &ask)) {
			give_up(a, first);
			return;
		}
		n = look_ahead(t, a, first, hashes);
		for (uint32_t i = first; i < first + n; i++) {
			uint64_t hash = hashes[i - first];
			struct slot *s = find_slot(t, line_of(a, i), hash);

			if (s && !s->line)
				*s = (struct slot){ tag_of(hash), i + 1 };
			a->id[i] = s ? s->line - 1 : INTERN_NONE;
		}
	}
}

/* The line of the old side that is the same as @line, or INTERN_NONE. */
static uint32_t same_old(const struct table *t, struct str line)
{
	uint64_t hash = XXH3_64bits(line.ptr, line.len) & t->hash_mask;
	const struct slot *s = find_slot(t, line, hash);

	return s && s->line ? s->line - 1 : INTERN_NONE;
}

/*
 * Mostly the next line is the one that comes next on the old side, too: that
 * is seen without the table.
 */
static void number_new(struct table *t, struct side *b, bool *in_new)
{
	const struct side *a = t->a;
	size_t ask = CANCEL_LINES;
	uint32_t next = 0;

	for (uint32_t i = 0; i < b->count; i++, next++) {
		struct str line = line_of(b, i);

		if (ask_after(i, &ask)) {
			give_up(b, i);
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

void intern_number(struct side *a, struct side *b, uint64_t hash_mask,
		   struct arena *mem)
{
	struct table t = { .mask = 15, .hash_mask = hash_mask, .a = a };
	bool *in_new = arena_array(mem, bool, a->count);

	while (t.mask < (size_t)a->count * 2)
		t.mask = t.mask * 2 + 1;
	t.slots = arena_array(mem, struct slot, t.mask + 1);
	number_old(&t, a);
	number_new(&t, b, in_new);
	for (uint32_t i = 0; i < a->count; i++)
		a->changed[i] = a->id[i] == INTERN_NONE || !in_new[a->id[i]];
}
