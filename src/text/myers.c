/*
 * Linear space Myers: search from both corners of a box until the two waves
 * meet, which is half way along a shortest path, and do the same with the
 * two boxes that this point makes. A search that has cost too much takes the
 * point that came furthest instead.
 */
#include "text/myers.h"

#include "base/cancel.h"

#include <assert.h>

enum { DEEPEST = 64 }; /* boxes waiting: of two halves, the larger waits */

/*
 * Measured: two texts of 1 MiB with lines of a byte or two, the worst there
 * are, take about 0.3 s, and what comes out is a tenth longer than the answer
 * of programs that look for 10 s.
 */
const struct myers_limits myers_limits = {
	.cap = 256,
	.poor_cap = 24,
	.steps = 4096 * 1024,
	.steps_each = 24,
};

/* Lines a0 to a1 of one side, b0 to b1 of the other. */
struct box {
	int32_t a0, a1, b0, b1;
};

struct point {
	int32_t x, y;
};

/*
 * How far one direction came with a number of edits, for each diagonal
 * k = x - y: at(k) is the x. Diagonals min to max are in use, every second
 * one belongs to the present number of edits.
 */
struct wave {
	int32_t *x; /* the middle of its array, diagonal @origin */
	int32_t origin, min, max;
};

/* A sequence without the lines known to have changed. */
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

static int32_t *at(const struct wave *w, int32_t k)
{
	return &w->x[k - w->origin];
}

/* One edit more: a diagonal more on each side, as far as the box has any. */
static void widen(struct wave *w, const struct box *box, int32_t unreached)
{
	if (w->min > box->a0 - box->b1)
		*at(w, --w->min - 1) = unreached;
	else
		w->min++;
	if (w->max < box->a1 - box->b0)
		*at(w, ++w->max + 1) = unreached;
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
	*at(w, w->origin) = x;
}

/*
 * True when the front wave met the back wave at @ret. The waves are copied so
 * that the compiler may keep them in registers: this is the innermost loop.
 */
static bool step_front(struct search *s, bool check, struct point *ret)
{
	const uint32_t *a = s->a.id, *b = s->b.id;
	const struct box box = s->box;
	const struct wave back = s->back;
	struct wave front;
	int64_t steps = 0;

	widen(&s->front, &box, -1);
	front = s->front;
	for (int32_t k = front.max; k >= front.min; k -= 2) {
		int32_t left = *at(&front, k - 1), above = *at(&front, k + 1);
		int32_t x = left >= above ? left + 1 : above, from = x;
		int32_t end = box.a1 < box.b1 + k ? box.a1 : box.b1 + k;

		while (x < end && a[x] == b[x - k])
			x++;
		steps += x - from + 1;
		*at(&front, k) = x;
		if (check && in_use(&back, k) && *at(&back, k) <= x) {
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

	widen(&s->back, &box, INT32_MAX);
	back = s->back;
	for (int32_t k = back.max; k >= back.min; k -= 2) {
		int32_t below = *at(&back, k - 1), right = *at(&back, k + 1);
		int32_t x = below < right ? below : right - 1, from = x;
		int32_t end = box.a0 > box.b0 + k ? box.a0 : box.b0 + k;

		while (x > end && a[x - 1] == b[x - k - 1])
			x--;
		steps += from - x + 1;
		*at(&back, k) = x;
		if (check && in_use(&front, k) && x <= *at(&front, k)) {
			*ret = (struct point){ x, x - k };
			return true;
		}
	}
	s->budget -= steps;
	return false;
}

/* The point of the front wave that came furthest, and how far that is. */
static int32_t furthest_front(const struct search *s, struct point *ret)
{
	const struct box *box = &s->box;
	int32_t best = -1;

	for (int32_t k = s->front.max; k >= s->front.min; k -= 2) {
		int32_t x = *at(&s->front, k);

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
		int32_t x = *at(&s->back, k);

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

/* A point of the box, no corner, where to split it. */
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

static void trim(const struct search *s, struct box *box)
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

static void mark(const struct sequence *seq, int32_t from, int32_t to,
		 struct side *side)
{
	for (int32_t i = from; i < to; i++)
		side->changed[seq->line[i]] = true;
}

static int32_t size_of(const struct box *box)
{
	return box->a1 - box->a0 + (box->b1 - box->b0);
}

/* Put both halves of @box on the stack, the smaller one on top. */
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

static void run(struct search *s, struct side *a, struct side *b)
{
	struct box stack[DEEPEST];
	size_t depth = 1;

	stack[0] = (struct box){ 0, s->a.count, 0, s->b.count };
	while (depth) {
		struct box box = stack[--depth];

		trim(s, &box);
		if (box.a0 == box.a1 || box.b0 == box.b1 || cancel_asked()) {
			mark(&s->a, box.a0, box.a1, a);
			mark(&s->b, box.b0, box.b1, b);
			continue;
		}
		s->box = box;
		push_halves(&stack[depth], &box, find_split(s));
		depth += 2;
	}
}

static void gather(struct sequence *seq, const struct side *side,
		   struct arena *mem)
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

void myers_mark(struct side *a, struct side *b,
		const struct myers_limits *limits, struct arena *mem)
{
	struct search s = { .cap = limits->cap, .poor_cap = limits->poor_cap };
	size_t room;
	int64_t lines;

	gather(&s.a, a, mem);
	gather(&s.b, b, mem);
	lines = (int64_t)s.a.count + s.b.count;
	if (root_of(lines) > s.cap)
		s.cap = root_of(lines);
	s.budget = limits->steps + lines * limits->steps_each;

	room = (size_t)s.cap + 2; /* and a border at each end */
	s.front.x = arena_array(mem, int32_t, 2 * room + 1) + room;
	s.back.x = arena_array(mem, int32_t, 2 * room + 1) + room;
	run(&s, a, b);
}
