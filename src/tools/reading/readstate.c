/*
 * readstate.c - the table of what a caller has read: a hash table with two LRU
 * lists.
 *
 * A slot holds the hash of a path (16 bytes for any length; collisions do not
 * happen). Slots are found by open addressing and hang on two lists, most
 * recently used first: all of them, and those whose content is cached. One
 * mutex, held for memory work only.
 */
#include "tools/reading/readstate.h"

#include <pthread.h>
#include <stdlib.h>

enum { FILES = 100 * 1000, CACHE = 4 << 20, FIRST = 64 };
static const uint32_t NONE = UINT32_MAX;

enum lru_list { EVERY, HELD, LISTS };

struct lru_ends {
	uint32_t newest, oldest;
};

struct read_slot {
	struct hash key, version;
	struct stat_data stat;
	char *bytes; /* cached content, or NULL */
	size_t len;
	bool forgotten; /* counts as not read */
	struct {
		uint32_t newer, older;
	} on[LISTS];
};

struct readstate {
	pthread_mutex_t lock; /* guards all that follows */
	struct readstate_limits limits;
	struct read_slot *slots;
	uint32_t used, cap;
	uint32_t *table; /* indexes of slots; NONE = free */
	uint32_t mask;   /* size of the table - 1; at least twice cap */
	struct lru_ends ends[LISTS];
	size_t held;
	struct charge charge; /* for all memory of the table */
};

static void *must_have(void *p)
{
	if (!p)
		out_of_memory();
	return p;
}

struct readstate *readstate_new(const struct readstate_limits *limits)
{
	struct readstate *r = must_have(calloc(1, sizeof(*r)));

	if (limits)
		r->limits = *limits;
	if (!r->limits.files)
		r->limits.files = FILES;
	if (!r->limits.cache)
		r->limits.cache = CACHE;
	r->charge.budget = r->limits.budget;
	charge_set(&r->charge, sizeof(*r));
	for (int i = 0; i < LISTS; i++)
		r->ends[i] = (struct lru_ends){ NONE, NONE };
	(void)pthread_mutex_init(&r->lock, NULL);
	return r;
}

void readstate_free(struct readstate *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->used; i++)
		free(r->slots[i].bytes);
	free(r->slots);
	free(r->table);
	charge_set(&r->charge, 0);
	(void)pthread_mutex_destroy(&r->lock);
	free(r);
}

static void list_take(struct readstate *r, enum lru_list list, uint32_t i)
{
	uint32_t newer = r->slots[i].on[list].newer;
	uint32_t older = r->slots[i].on[list].older;

	if (newer == NONE)
		r->ends[list].newest = older;
	else
		r->slots[newer].on[list].older = older;
	if (older == NONE)
		r->ends[list].oldest = newer;
	else
		r->slots[older].on[list].newer = newer;
}

static void list_put(struct readstate *r, enum lru_list list, uint32_t i)
{
	uint32_t before = r->ends[list].newest;

	r->slots[i].on[list].newer = NONE;
	r->slots[i].on[list].older = before;
	if (before == NONE)
		r->ends[list].oldest = i;
	else
		r->slots[before].on[list].newer = i;
	r->ends[list].newest = i;
}

static void slot_used(struct readstate *r, uint32_t i)
{
	list_take(r, EVERY, i);
	list_put(r, EVERY, i);
	if (!r->slots[i].bytes)
		return;
	list_take(r, HELD, i);
	list_put(r, HELD, i);
}

static uint32_t table_home(const struct readstate *r, struct hash key)
{
	return (uint32_t)key.low & r->mask;
}

/* The position of @key in the table, or a free one. */
static uint32_t table_place(const struct readstate *r, struct hash key)
{
	uint32_t at = table_home(r, key);

	while (r->table[at] != NONE &&
	       !hash_eq(r->slots[r->table[at]].key, key))
		at = (at + 1) & r->mask;
	return at;
}

/* Remove the entry at @gap and close the gap (backward shift deletion). */
static void table_remove(struct readstate *r, uint32_t gap)
{
	uint32_t at = gap, from;

	while (true) {
		at = (at + 1) & r->mask;
		if (r->table[at] == NONE)
			break;
		from = table_home(r, r->slots[r->table[at]].key);
		if (((at - from) & r->mask) < ((at - gap) & r->mask))
			continue;
		r->table[gap] = r->table[at];
		gap = at;
	}
	r->table[gap] = NONE;
}

static void slot_let_go(struct readstate *r, uint32_t i)
{
	struct read_slot *s = &r->slots[i];

	if (!s->bytes)
		return;
	list_take(r, HELD, i);
	free(s->bytes);
	s->bytes = NULL;
	r->held -= s->len;
	charge_set(&r->charge, r->charge.bytes - s->len);
}

/* Cache the content, unless it is more than a quarter of the cache. */
static void slot_hold(struct readstate *r, uint32_t i, struct str bytes)
{
	struct read_slot *s = &r->slots[i];

	slot_let_go(r, i);
	if (bytes.len > r->limits.cache / 4)
		return;
	while (r->held + bytes.len > r->limits.cache)
		slot_let_go(r, r->ends[HELD].oldest);
	if (!charge_raise(&r->charge, r->charge.bytes + bytes.len))
		return;
	s->bytes = must_have(malloc(bytes.len + 1));
	if (bytes.len)
		memcpy(s->bytes, bytes.ptr, bytes.len);
	s->len = bytes.len;
	r->held += s->len;
	list_put(r, HELD, i);
}

/* Memory of a table with @size positions and of @cap slots. */
static size_t bytes_of(uint32_t cap, uint32_t size)
{
	return cap * sizeof(struct read_slot) + size * sizeof(uint32_t);
}

/* Double the slots if the budget allows; the first ones are always made. */
static void readstate_grow(struct readstate *r)
{
	uint32_t cap = r->cap ? r->cap * 2 : FIRST, size = 2;
	size_t had = r->cap ? bytes_of(r->cap, r->mask + 1) : 0, whole;

	cap = (uint32_t)size_min(cap, r->limits.files);
	while (size < 2 * cap)
		size *= 2;
	whole = r->charge.bytes - had + bytes_of(cap, size);
	if (!charge_raise(&r->charge, whole) && r->cap)
		return;
	charge_set(&r->charge, whole);
	r->slots = must_have(reallocarray(r->slots, cap, sizeof(*r->slots)));
	r->table = must_have(reallocarray(r->table, size, sizeof(*r->table)));
	r->cap = cap;
	r->mask = size - 1;
	memset(r->table, 0xff, size * sizeof(*r->table));
	for (uint32_t i = 0; i < r->used; i++)
		r->table[table_place(r, r->slots[i].key)] = i;
}

/* A slot for a new @key: a free one, or the least recently used. */
static uint32_t readstate_add(struct readstate *r, struct hash key)
{
	uint32_t i;

	if (r->used == r->cap && r->cap < r->limits.files)
		readstate_grow(r);
	if (r->used < r->cap) {
		i = r->used++;
	} else {
		i = r->ends[EVERY].oldest;
		slot_let_go(r, i);
		list_take(r, EVERY, i);
		table_remove(r, table_place(r, r->slots[i].key));
	}
	r->slots[i] = (struct read_slot){ .key = key };
	r->table[table_place(r, key)] = i;
	list_put(r, EVERY, i);
	return i;
}

static uint32_t readstate_find(const struct readstate *r, struct hash key)
{
	return r->used ? r->table[table_place(r, key)] : (uint32_t)NONE;
}

void readstate_put(struct readstate *r, struct str key, struct hash version,
		   const struct stat_data *stat, const struct str *bytes)
{
	struct hash hash = hash_of(key);
	struct read_slot *s;
	uint32_t i;

	(void)pthread_mutex_lock(&r->lock);
	i = readstate_find(r, hash);
	if (i == NONE)
		i = readstate_add(r, hash);
	s = &r->slots[i];
	/* The cached content is of another version. */
	if (!hash_eq(s->version, version))
		slot_let_go(r, i);
	s->version = version;
	s->forgotten = false;
	s->stat = *stat;
	slot_used(r, i);
	if (bytes && !s->bytes)
		slot_hold(r, i, *bytes);
	(void)pthread_mutex_unlock(&r->lock);
}

bool readstate_get(struct readstate *r, struct str key, struct arena *mem,
		   struct read_entry *ret)
{
	struct hash hash = hash_of(key);
	const struct read_slot *s;
	bool known;
	uint32_t i;

	(void)pthread_mutex_lock(&r->lock);
	i = readstate_find(r, hash);
	known = i != NONE && !r->slots[i].forgotten;
	if (known) {
		slot_used(r, i);
		s = &r->slots[i];
		*ret = (struct read_entry){ s->version, s->stat, { 0 } };
		if (s->bytes)
			ret->bytes =
				arena_copy(mem, str_make(s->bytes, s->len));
	}
	(void)pthread_mutex_unlock(&r->lock);
	return known;
}

void readstate_forget(struct readstate *r, struct str key)
{
	uint32_t i;

	(void)pthread_mutex_lock(&r->lock);
	i = readstate_find(r, hash_of(key));
	if (i != NONE) {
		slot_let_go(r, i);
		r->slots[i].forgotten = true;
	}
	(void)pthread_mutex_unlock(&r->lock);
}

size_t readstate_size(struct readstate *r)
{
	size_t size;

	(void)pthread_mutex_lock(&r->lock);
	size = sizeof(*r) + r->cap * sizeof(*r->slots) +
	       (r->cap ? r->mask + (size_t)1 : 0) * sizeof(*r->table) + r->held;
	(void)pthread_mutex_unlock(&r->lock);
	return size;
}
