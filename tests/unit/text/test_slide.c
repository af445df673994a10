/*
 * test_slide.c - where insertions and deletions among equal lines are placed.
 */
#include "../unit.h"

#include "text/diff/slide.h"

enum { MOST = 3 };

/* One letter is one line; changes as a, a_count, b, b_count. */
static const struct {
	const char *old, *new;
	struct diff_change from[MOST], want[MOST];
} rules[] = {
	/* nothing repeats: no move */
	{ "abc", "abxc", { { 2, 0, 2, 1 } }, { { 2, 0, 2, 1 } } },
	{ "abxc", "abc", { { 2, 1, 2, 0 } }, { { 2, 1, 2, 0 } } },
	/* as far down as possible */
	{ "aaaa", "aa", { { 0, 2, 0, 0 } }, { { 2, 2, 2, 0 } } },
	{ "xaay", "xaaaay", { { 1, 0, 1, 2 } }, { { 3, 0, 3, 2 } } },
	{ "f}h}", "f}g}h}", { { 1, 0, 1, 2 } }, { { 2, 0, 2, 2 } } },
	/* a change on both sides does not move */
	{ "aab", "caab", { { 0, 1, 0, 2 } }, { { 0, 1, 0, 2 } } },
	/* down to the next change: joined */
	{ "aab1",
	  "aaab2",
	  { { 0, 0, 0, 1 }, { 3, 1, 4, 1 } },
	  { { 2, 0, 2, 1 }, { 3, 1, 4, 1 } } },
	{ "aa1",
	  "aaa2",
	  { { 0, 0, 0, 1 }, { 2, 1, 3, 1 } },
	  { { 2, 1, 2, 2 } } },
	/* up to the change before, if only that is in reach */
	{ "1aab",
	  "2aaab",
	  { { 0, 1, 0, 1 }, { 3, 0, 3, 1 } },
	  { { 0, 1, 0, 2 } } },
	/* a joined change slides on */
	{ "aaaaab",
	  "aaab",
	  { { 0, 1, 0, 0 }, { 2, 1, 1, 0 } },
	  { { 3, 2, 3, 0 } } },
	/* a deletion up to an insertion */
	{ "aaax",
	  "yax",
	  { { 0, 0, 0, 1 }, { 1, 2, 2, 0 } },
	  { { 0, 2, 0, 1 } } },
};

static void make_side(struct intern_side *s, const char *letters,
		      struct arena *mem)
{
	size_t n = strlen(letters);

	*s = (struct intern_side){ .count = (uint32_t)n };
	s->id = arena_array(mem, uint32_t, n);
	for (size_t i = 0; i < n; i++)
		s->id[i] = (unsigned char)letters[i];
}

static size_t length(const struct diff_change list[MOST])
{
	size_t n = 0;

	while (n < MOST && (list[n].a_count || list[n].b_count))
		n++;
	return n;
}

static void changes_go_to_their_neighbours_or_down(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_arena mem = ARENA_INIT;
		struct diff_change list[MOST];
		struct intern_side a, b;
		size_t n;

		make_side(&a, rules[i].old, &mem);
		make_side(&b, rules[i].new, &mem);
		memcpy(list, rules[i].from, sizeof(list));
		n = slide_changes(list, length(list), &a, &b);
		assert_int_equal(n, length(rules[i].want));
		assert_memory_equal(list, rules[i].want, n * sizeof(*list));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_go_to_their_neighbours_or_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
