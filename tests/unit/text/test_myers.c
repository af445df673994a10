/*
 * test_myers.c - Myers' diff under limits of any size.
 */
#include "../unit.h"

#include "diff_check.h"
#include "roll.h"
#include "text/diff/myers.h"

/* @n lines of @letters letters; if @run, in runs of equal lines. */
static struct str random_lines(struct arena *mem, uint32_t n, uint32_t letters,
			       uint32_t run)
{
	char *p = arena_alloc(mem, (size_t)n * 2 + 1);
	char letter = 'a';

	for (uint32_t i = 0; i < n; i++) {
		if (!run || !roll(run))
			letter = (char)('a' + roll(letters));
		p[i * 2] = letter;
		p[i * 2 + 1] = '\n';
	}
	return str_make(p, (size_t)n * 2);
}

static size_t marks(const struct intern_side *s)
{
	size_t n = 0;

	for (uint32_t i = 0; i < s->count; i++)
		n += s->changed[i];
	return n;
}

/*
 * Compare @old and @new, check the result, and return the number of marked
 * lines.
 */
static size_t mark(struct str old, struct str new,
		   const struct myers_limits *limits, struct arena *mem)
{
	struct intern_side a, b;
	const char *wrong;

	intern_split(&a, old, mem);
	intern_split(&b, new, mem);
	intern_number(&a, &b, UINT64_MAX, mem);
	myers_mark(&a, &b, limits, mem);
	wrong = check_marks(&a, &b);
	assert_string_equal(wrong ? wrong : "right", "right");
	return marks(&a) + marks(&b);
}

static void known_texts_take_known_edits(void **state)
{
	static const struct {
		const char *old, *new;
		size_t want;
	} rules[] = {
		{ "", "", 0 },
		{ "", "a\nb\n", 2 },
		{ "a\nb\n", "", 2 },
		{ "a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", 5 },
		{ "a\nb\n", "b\na\n", 2 },
		{ "a\na\na\n", "a\n", 2 },
		{ "x\na\ny\n", "z\na\nw\n", 4 },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_arena mem = ARENA_INIT;

		assert_int_equal(mark(str_of(rules[i].old),
				      str_of(rules[i].new), &myers_limits,
				      &mem),
				 rules[i].want);
	}
}

static const struct myers_limits tight[] = {
	{ 1, 1, 0, 0 },   { 2, 1, 0, 0 },    { 2, 2, 1000, 0 },
	{ 5, 1, 300, 1 }, { 1000, 1, 0, 0 }, { 1000, 3, 500, 2 },
};

/* However early a search gives up, matched lines are equal and in order. */
static void under_any_limit_the_answer_is_right(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (int i = 0; i < 12000; i++) {
		uint32_t letters = 1 + roll(20), run = roll(3) * 10;
		struct str a = random_lines(&mem, roll(150), letters, run);
		struct str b = random_lines(&mem, roll(150), letters, run);
		size_t best = mark(a, b, &myers_limits, &mem);
		size_t got = mark(a, b, &tight[i % COUNT_OF(tight)], &mem);

		assert_true(got >= best);
		arena_reset(&mem, 1 << 20);
	}
}

/* Unbalanced splits: the depth stays within the stack. */
static void long_texts_under_tight_limits_come_to_an_end(void **state)
{
	for (size_t i = 0; i < COUNT_OF(tight); i++) {
		auto_arena mem = ARENA_INIT;
		struct str a = random_lines(&mem, 100000, 3, 0);
		struct str b = random_lines(&mem, 100000, 3, 0);
		struct str c = random_lines(&mem, 100000, 2, 500);

		(void)mark(a, b, &tight[i], &mem);
		(void)mark(a, c, &tight[i], &mem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_texts_take_known_edits),
		cmocka_unit_test(under_any_limit_the_answer_is_right),
		cmocka_unit_test(long_texts_under_tight_limits_come_to_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
