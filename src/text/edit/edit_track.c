/*
 * edit_track.c - the scanner of the tracker.
 *
 * A few strings are searched for one after the other. Many are searched for
 * together, at every position of the text: strings are grouped into levels by
 * length; each level hashes as many bytes as its shortest string has and tests
 * a bit table. On a hit, the shapes of that hash give the lengths that are
 * worth hashing in full, and the hash table of strings decides. So strings with
 * a long common prefix cost one probe per length, not one each. Leading blanks
 * are left out of the first hash, because files are full of them.
 */
#include "text/edit/edit_track.h"

#include "base/cancel.h"
#include "base/hash.h"
#include "text/match/match.h"

enum { FEW = 12, BITS_PER_SLOT = 16 };

/*
 * The bytes hashed by a level, and its stride: with a stride of 8 each string
 * is hashed at 8 consecutive offsets, and only every 8th position of the text
 * needs to be hashed.
 */
#define LEVELS(X)   \
	X(0, 1, 1)  \
	X(1, 2, 1)  \
	X(2, 4, 1)  \
	X(3, 8, 1)  \
	X(4, 16, 1) \
	X(5, 16, 8) \
	X(6, 64, 8)

struct shape_of_level {
	size_t width, stride;
};

static const struct shape_of_level levels[TRACK_LEVELS] = {
#define X(level, width, stride) { width, stride },
	LEVELS(X)
#undef X
};

struct track_shape {
	struct track_shape *next;
	uint64_t hash;
	size_t skip, len; /* offset of the hashed bytes; length of the string */
};

/* One scan of a text. */
struct track_scan {
	struct track *t;
	struct str text;
	struct piece_table *table; /* NULL: the text is the original */
	size_t base;               /* offset of the text in the table */
	size_t from, to; /* record only matches that overlap these offsets */
	bool forget;
};

static void record_hit(const struct track_scan *s, struct track_needle *needle,
		       size_t at)
{
	size_t number = at;

	if (needle->crowded)
		return;
	if (s->table) {
		if (at + needle->head.len <= s->from || at >= s->to)
			return;
		number = piece_table_number(s->table, s->base + at);
	}
	if (s->forget) {
		needle->count--;
		needle->sum -= number;
		return;
	}
	needle->count++;
	needle->sum += number;
	needle->crowded = needle->count >= TRACK_CROWD;
}

static void scan_one(const struct track_scan *s, struct track_needle *needle)
{
	size_t at = match_find(s->text, needle->head, 0);

	while (at != MATCH_NONE && !needle->crowded) {
		record_hit(s, needle, at);
		at = match_find(s->text, needle->head, at + 1);
	}
}

static uint64_t hash_head(struct str head)
{
	return hash_of(head).low;
}

static struct track_needle **slot_of(struct track *t, uint64_t hash)
{
	return &t->table[hash & (t->slots - 1)];
}

static struct track_needle *find_needle(struct track *t, struct str head,
					uint64_t hash)
{
	struct track_needle *n = *slot_of(t, hash);

	while (n && (n->hash != hash || !str_eq(n->head, head)))
		n = n->next;
	return n;
}

static inline uint64_t word_at(const char *p, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, p, size);
	return word;
}

static inline uint64_t rotate_left(uint64_t word, unsigned by)
{
	return word << by | word >> (64 - by);
}

/*
 * @width is a constant wherever this is inlined. Every input bit reaches the
 * highest bits of the result, so use those.
 */
static inline uint64_t hash_front(const char *p, size_t width)
{
	uint64_t h = word_at(p, size_min(width, 8));

	if (width >= 16)
		h ^= rotate_left(word_at(p + width - 8, 8), 29);
	if (width >= 64)
		h ^= rotate_left(word_at(p + 20, 8), 13) ^
		     rotate_left(word_at(p + 40, 8), 47);
	return h * 0x9e3779b97f4a7c15;
}

/* The bit table has a hit at @at: record the strings that are there. */
static void probe(const struct track_scan *s, const struct track_level *level,
		  uint64_t hash, size_t at)
{
	const struct track_shape *shape =
		level->shapes[(hash >> level->shift) / BITS_PER_SLOT];

	for (; shape; shape = shape->next) {
		struct str head;
		struct track_needle *needle;

		if (shape->hash != hash || shape->skip > at ||
		    shape->len > s->text.len - (at - shape->skip))
			continue;
		head = str_make(s->text.ptr + at - shape->skip, shape->len);
		needle = find_needle(s->t, head, hash_head(head));
		if (needle)
			record_hit(s, needle, at - shape->skip);
	}
}

/* Scan positions @i to @end; returns where to continue. */
__attribute__((always_inline)) static inline size_t
scan_part(const struct track_scan *s, const struct track_level *level,
	  size_t width, size_t stride, size_t i, size_t end)
{
	const uint64_t *bits = level->bits;
	const unsigned shift = level->shift;

	for (; i < end; i += stride) {
		uint64_t hash = hash_front(s->text.ptr + i, width);
		uint64_t bit = hash >> shift;

		if (bits[bit / 64] >> bit % 64 & 1)
			probe(s, level, hash, i);
	}
	return i;
}

__attribute__((always_inline)) static inline void
scan_width(const struct track_scan *s, const struct track_level *level,
	   size_t width, size_t stride)
{
	size_t end = s->text.len < width ? 0 : s->text.len - width + 1;

	for (size_t i = 0; i < end && !cancel_asked();)
		i = scan_part(s, level, width, stride, i,
			      size_min(end, i + CANCEL_STRIDE));
}

static void scan_level(const struct track_scan *s, size_t level)
{
	const struct track_level *l = &s->t->levels[level];

	switch (level) {
#define X(number, width, stride)                 \
	case number:                             \
		scan_width(s, l, width, stride); \
		break;
		LEVELS(X)
#undef X
	}
}

static uint64_t hash_level(const char *p, size_t level)
{
	switch (levels[level].width) {
	case 1:
		return hash_front(p, 1);
	case 2:
		return hash_front(p, 2);
	case 4:
		return hash_front(p, 4);
	case 8:
		return hash_front(p, 8);
	case 16:
		return hash_front(p, 16);
	default:
		return hash_front(p, 64);
	}
}

static size_t leading_blanks(struct str s)
{
	size_t n = 0;

	while (n < s.len && memchr(" \t\r\n", s.ptr[n], 4))
		n++;
	return n < s.len ? n : 0;
}

static size_t level_of(struct str head)
{
	size_t len = head.len - leading_blanks(head), level = TRACK_LEVELS - 1;

	while (levels[level].width + levels[level].stride - 1 > len)
		level--;
	return level;
}

static void add_shape(struct track *t, struct track_level *l,
		      struct track_shape shape)
{
	uint64_t bit = shape.hash >> l->shift;
	struct track_shape **slot = &l->shapes[bit / BITS_PER_SLOT], *s;

	l->bits[bit / 64] |= (uint64_t)1 << bit % 64;
	for (s = *slot; s; s = s->next)
		if (s->hash == shape.hash && s->skip == shape.skip &&
		    s->len == shape.len)
			return;
	shape.next = *slot;
	s = arena_new(t->mem, struct track_shape);
	*s = shape;
	*slot = s;
}

static void add_shapes(struct track *t, struct str head)
{
	size_t level = level_of(head), skip = leading_blanks(head);
	struct track_level *l = &t->levels[level];

	l->longest = size_max(l->longest, head.len);
	for (size_t i = 0; i < levels[level].stride; i++, skip++)
		add_shape(t, l,
			  (struct track_shape){
				  .hash = hash_level(head.ptr + skip, level),
				  .skip = skip,
				  .len = head.len,
			  });
}

static size_t power_of_two(size_t least)
{
	size_t n = 64;

	while (n < least)
		n *= 2;
	return n;
}

static void build_levels(struct track *t)
{
	size_t counts[TRACK_LEVELS] = { 0 };

	for (size_t i = 0; i < t->count; i++) {
		size_t level = level_of(t->needles[i].head);

		counts[level] += levels[level].stride;
	}
	for (size_t i = 0; i < TRACK_LEVELS; i++) {
		struct track_level *l = &t->levels[i];

		if (!counts[i])
			continue;
		l->slots = power_of_two(counts[i]);
		l->shift = 64 -
			   (unsigned)__builtin_ctzll(l->slots * BITS_PER_SLOT);
		l->shapes = arena_array(t->mem, struct track_shape *, l->slots);
		l->bits = arena_array(t->mem, uint64_t,
				      l->slots * BITS_PER_SLOT / 64);
	}
	for (size_t i = 0; i < t->count; i++)
		add_shapes(t, t->needles[i].head);
}

static void add_needle(struct track *t, size_t edit, struct str old)
{
	struct str head = str_head(old, TRACK_HEAD);
	uint64_t hash = hash_head(head);
	struct track_needle *n = find_needle(t, head, hash), **slot;

	if (!n) {
		slot = slot_of(t, hash);
		n = &t->needles[t->count++];
		*n = (struct track_needle){ head, hash, .next = *slot };
		*slot = n;
		t->longest = size_max(t->longest, head.len);
	}
	t->of[edit] = n;
}

/* Limit a scan to the bytes that a string of @longest can reach. */
static struct track_scan narrow_scan(const struct track_scan *s, size_t longest)
{
	size_t start = s->from - size_min(s->from, longest - 1);
	struct track_scan n = *s;

	if (!s->table)
		return n;
	n.text = str_sub(s->text, start, size_add(s->to, longest - 1));
	n.base += start;
	n.from -= start;
	n.to -= start;
	return n;
}

static void scan_all(const struct track_scan *s)
{
	struct track_scan part;

	for (size_t i = 0; s->t->count <= FEW && i < s->t->count; i++) {
		part = narrow_scan(s, s->t->needles[i].head.len);
		scan_one(&part, &s->t->needles[i]);
	}
	for (size_t i = 0; i < TRACK_LEVELS; i++) {
		if (!s->t->levels[i].slots)
			continue;
		part = narrow_scan(s, s->t->levels[i].longest);
		scan_level(&part, i);
	}
}

void track_init(struct track *t, struct str text, const struct edit *edits,
		size_t n, struct arena *mem)
{
	*t = (struct track){ .mem = mem };
	t->needles = arena_array(mem, struct track_needle, n);
	t->of = arena_array(mem, struct track_needle *, n);
	t->slots = power_of_two(n);
	t->table = arena_array(mem, struct track_needle *, t->slots);
	for (size_t i = 0; i < n; i++)
		if (edits[i].old.len)
			add_needle(t, i, edits[i].old);
	if (t->count > FEW)
		build_levels(t);
	scan_all(&(struct track_scan){ .t = t, .text = text });
}

/*
 * Prepare a scan of the bytes around @from to @to that a tracked string could
 * overlap.
 */
static struct track_scan scan_around(struct track *t, struct piece_table *s,
				     size_t from, size_t to)
{
	size_t margin = t->longest ? t->longest - 1 : 0;
	size_t start = from - size_min(from, margin);
	size_t end = to + size_min(s->len - to, margin);

	if (end - start > t->window_cap) {
		t->window_cap = size_add(end - start, (end - start) / 2);
		t->window = arena_alloc(t->mem, t->window_cap);
	}
	piece_table_copy(s, start, end, t->window);
	return (struct track_scan){
		.t = t,
		.text = { t->window, end - start },
		.table = s,
		.base = start,
		.from = from - start,
		.to = to - start,
	};
}

void track_forget(struct track *t, struct piece_table *s, size_t from,
		  size_t to)
{
	struct track_scan scan = scan_around(t, s, from, to);

	scan.forget = true;
	scan_all(&scan);
}

void track_find(struct track *t, struct piece_table *s, size_t from, size_t to)
{
	struct track_scan scan = scan_around(t, s, from, to);

	scan_all(&scan);
}
