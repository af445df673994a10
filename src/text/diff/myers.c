/*
 * myers.c - the linear-space variant of Myers' diff algorithm.
 *
 * A search runs from both corners of a box until the two waves meet, which is
 * half way along a shortest edit path; then the two boxes that this point makes
 * are searched. A search over its limits takes the point that came furthest, so
 * the result stays correct but may be longer. The stack is bounded because the
 * larger half waits.
 */
#include "text/diff/myers.h"

#include "base/cancel.h"

#include <assert.h>

enum { DEEPEST = 64 }; /* boxes on the stack: enough for any 32-bit size */

/*
 * Measured: the worst case, two texts of 1 MiB with lines of one or two bytes,
 * takes about 0.3 s, and the result is a tenth longer than the shortest.
 */
const struct myers_limits myers_limits = {
	.cap = 256,
	.poor_cap = 24,
	.steps = 4096 * 1024,
	.steps_each = 24,
};

/* Lines a0 to a1 of the old sequence, b0 to b1 of the new one. */
struct box {
	int32_t a0, a1, b0, b1;
};

struct point {
	int32_t x, y;
};

/*
 * The furthest x of one direction for each diagonal k = x - y: *wave_at(k).
 * Diagonals min to max are in use; every second one belongs to the present
 * number of edits.
 */
struct wave {
	int32_t *x; /* middle of the array: diagonal @origin */
	int32_t origin, min, max;
};

/* The lines of a side that are not marked as changed. */
struct sequence {
	uint32_t *id, *line;
	int32_t count;
};

struct search {
	struct sequence a, b;
	struct box box;
	struct wave front, back;
	int32_t cap, poor_cap;
	int64_t budget;
};

static int32_t *wave_at(const struct wave *w, int32_t k)
{
	return &w->x[k - w->origin];
}

/* Add one diagonal on each side, as far as the box has any. */
static void widen_wave(struct wave *w, const struct box *box, int32_t unreached)
{
	if (w->min > box->a0 - box->b1)
		*wave_at(w, --w->min - 1) = unreached;
	else
		w->min++;
	if (w->max < box->a1 - box->b0)
		*wave_at(w, ++w->max + 1) = unreached;
	else
		w->max--;
}

static bool in_use(const struct wave *w, int32_t k)
{
	return k >= w->min && k <= w->max;
}

static void start_wave(struct wave *w, int32_t x, int32_t y)
{
	w->origin = w->min = w->max = x - y;
	*wave_at(w, w->origin) = x;
}

/*
 * True when the front wave met the back wave, at @ret. The waves are copied so
 * that the compiler keeps them in registers: this is the innermost loop.
 */
static bool step_front(struct search *s, bool check, struct point *ret)
{
	const uint32_t *a = s->a.id, *b = s->b.id;
	const struct box box = s->box;
	const struct wave back = s->back;
	struct wave front;
	int64_t steps = 0;

	widen_wave(&s->front, &box, -1);
	front = s->front;
	for (int32_t k = front.max; k >= front.min; k -= 2) {
		int32_t left = *wave_at(&front, k - 1),
			above = *wave_at(&front, k + 1);
		int32_t x = left >= above ? left + 1 : above, from = x;
		int32_t end = box.a1 < box.b1 + k ? box.a1 : box.b1 + k;

		while (x < end && a[x] == b[x - k])
			x++;
		steps += x - from + 1;
		*wave_at(&front, k) = x;
		if (check && in_use(&back, k) && *wave_at(&back, k) <= x) {
			*ret = (struct point){ x, x - k };
			return true;
		}
	}
	s->budget -= steps;
	return false;
}

static bool step_back(struct search *s, bool check, struct point *ret)
{
	const uint32_t *a = s->a.id, *b = s->b.id;
	const struct box box = s->box;
	const struct wave front = s->front;
	struct wave back;
	int64_t steps = 0;

	widen_wave(&s->back, &box, INT32_MAX);
	back = s->back;
	for (int32_t k = back.max; k >= back.min; k -= 2) {
		int32_t below = *wave_at(&back, k - 1),
			right = *wave_at(&back, k + 1);
		int32_t x = below < right ? below : right - 1, from = x;
		int32_t end = box.a0 > box.b0 + k ? box.a0 : box.b0 + k;

		while (x > end && a[x - 1] == b[x - k - 1])
			x--;
		steps += from - x + 1;
		*wave_at(&back, k) = x;
		if (check && in_use(&front, k) && x <= *wave_at(&front, k)) {
			*ret = (struct point){ x, x - k };
			return true;
		}
	}
	s->budget -= steps;
	return false;
}

/*
 * The furthest point of the front wave; returns its distance from the corner.
 */
static int32_t furthest_front(const struct search *s, struct point *ret)
{
	const struct box *box = &s->box;
	int32_t best = -1;

	for (int32_t k = s->front.max; k >= s->front.min; k -= 2) {
		int32_t x = *wave_at(&s->front, k);

		x = x < box->a1 ? x : box->a1;
		x = x - k < box->b1 ? x : box->b1 + k;
		if (x + x - k > best) {
			best = x + x - k;
			*ret = (struct point){ x, x - k };
		}
	}
	return best - (box->a0 + box->b0);
}

static int32_t furthest_back(const struct search *s, struct point *ret)
{
	const struct box *box = &s->box;
	int32_t best = INT32_MAX;

	for (int32_t k = s->back.max; k >= s->back.min; k -= 2) {
		int32_t x = *wave_at(&s->back, k);

		x = x > box->a0 ? x : box->a0;
		x = x - k > box->b0 ? x : box->b0 + k;
		if (x + x - k < best) {
			best = x + x - k;
			*ret = (struct point){ x, x - k };
		}
	}
	return box->a1 + box->b1 - best;
}

static struct point furthest(const struct search *s)
{
	struct point front = { 0 }, back = { 0 };

	return furthest_front(s, &front) >= furthest_back(s, &back) ? front
								    : back;
}

/* A point of the box, not a corner, at which to split it. */
static struct point find_split(struct search *s)
{
	const struct box *box = &s->box;
	bool odd = ((box->a1 - box->a0) - (box->b1 - box->b0)) & 1;
	struct point p;

	start_wave(&s->front, box->a0, box->b0);
	start_wave(&s->back, box->a1, box->b1);
	for (int32_t cost = 1;; cost++) {
		if (step_front(s, odd, &p) || step_back(s, !odd, &p))
			return p;
		if (cost >= s->cap || (cost >= s->poor_cap && s->budget < 0))
			return furthest(s);
	}
}

static void trim_box(const struct search *s, struct box *box)
{
	const uint32_t *a = s->a.id, *b = s->b.id;

	while (box->a0 < box->a1 && box->b0 < box->b1 &&
	       a[box->a0] == b[box->b0]) {
		box->a0++;
		box->b0++;
	}
	while (box->a0 < box->a1 && box->b0 < box->b1 &&
	       a[box->a1 - 1] == b[box->b1 - 1]) {
		box->a1--;
		box->b1--;
	}
}

static void mark_changed(const struct sequence *seq, int32_t from, int32_t to,
			 struct intern_side *side)
{
	for (int32_t i = from; i < to; i++)
		side->changed[seq->line[i]] = true;
}

static int32_t size_of(const struct box *box)
{
	return box->a1 - box->a0 + (box->b1 - box->b0);
}

/* Push both halves of @box, the smaller one last. */
static void push_halves(struct box *top, const struct box *box, struct point p)
{
	struct box low = { box->a0, p.x, box->b0, p.y };
	struct box high = { p.x, box->a1, p.y, box->b1 };
	bool low_first = size_of(&low) <= size_of(&high);

	assert(p.x >= box->a0 && p.x <= box->a1);
	assert(p.y >= box->b0 && p.y <= box->b1);
	assert(size_of(&low) && size_of(&high));
	top[0] = low_first ? high : low;
	top[1] = low_first ? low : high;
}

static void split_boxes(struct search *s, struct intern_side *a,
			struct intern_side *b)
{
	struct box stack[DEEPEST];
	size_t depth = 1;

	stack[0] = (struct box){ 0, s->a.count, 0, s->b.count };
	while (depth) {
		struct box box = stack[--depth];

		trim_box(s, &box);
		if (box.a0 == box.a1 || box.b0 == box.b1 || cancel_asked()) {
			mark_changed(&s->a, box.a0, box.a1, a);
			mark_changed(&s->b, box.b0, box.b1, b);
			continue;
		}
		s->box = box;
		push_halves(&stack[depth], &box, find_split(s));
		depth += 2;
	}
}

static void gather_unchanged(struct sequence *seq,
			     const struct intern_side *side, struct arena *mem)
{
	seq->id = arena_alloc(mem, side->count * sizeof(*seq->id));
	seq->line = arena_alloc(mem, side->count * sizeof(*seq->line));
	seq->count = 0;
	for (uint32_t i = 0; i < side->count; i++) {
		if (side->changed[i])
			continue;
		seq->id[seq->count] = side->id[i];
		seq->line[seq->count++] = i;
	}
}

static int32_t root_of(int64_t n)
{
	int32_t root = 0;

	for (int32_t bit = 1 << 16; bit; bit /= 2)
		if ((int64_t)(root + bit) * (root + bit) <= n)
			root += bit;
	return root;
}

void myers_mark(struct intern_side *a, struct intern_side *b,
		const struct myers_limits *limits, struct arena *mem)
{
	struct search s = { .cap = limits->cap, .poor_cap = limits->poor_cap };
	size_t room;
	int64_t lines;

	gather_unchanged(&s.a, a, mem);
	gather_unchanged(&s.b, b, mem);
	lines = (int64_t)s.a.count + s.b.count;
	if (root_of(lines) > s.cap)
		s.cap = root_of(lines);
	s.budget = limits->steps + lines * limits->steps_each;

	room = (size_t)s.cap + 2; /* with a border at each end */
	s.front.x = arena_array(mem, int32_t, 2 * room + 1) + room;
	s.back.x = arena_array(mem, int32_t, 2 * room + 1) + room;
	split_boxes(&s, a, b);
}
