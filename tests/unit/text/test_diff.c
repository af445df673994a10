/*
 * test_diff.c - diffs are correct for any texts, and short where that is cheap.
 */
#include "../unit.h"

#include "diff_check.h"
#include "roll.h"
#include "text/diff/diff.h"

#include <stdlib.h>
#include <sys/mman.h>

static void assert_right(const struct diff *d, struct arena *mem)
{
	const char *wrong = check_diff(d, roll(5), mem);

	assert_string_equal(wrong ? wrong : "right", "right");
}

/* M10: one diff from the first text to the last. */
static void changes_are_where_a_reader_expects_them(void **state)
{
	static const struct {
		const char *old, *new;
		size_t count;
		struct diff_change want[2];
	} rules[] = {
		{ "", "", 0, { { 0 } } },
		{ "a\n", "a\n", 0, { { 0 } } },
		{ "a", "a", 0, { { 0 } } },
		{ "", "a\nb", 1, { { 0, 0, 0, 2 } } },
		{ "a\nb\n", "", 1, { { 0, 2, 0, 0 } } },
		{ "a\n", "b\n", 1, { { 0, 1, 0, 1 } } },
		/* the newline is part of the line */
		{ "a", "a\n", 1, { { 0, 1, 0, 1 } } },
		{ "a\nb\n", "a\nb", 1, { { 1, 1, 1, 1 } } },
		{ "a\r\n", "a\n", 1, { { 0, 1, 0, 1 } } },
		{ "a\n", "a\nb", 1, { { 1, 0, 1, 1 } } },
		{ "a", "a\nb", 1, { { 0, 1, 0, 2 } } },
		{ "a\nb\nc\n", "a\nx\nc\n", 1, { { 1, 1, 1, 1 } } },
		{ "ab\ncd\n", "ax\ncd\n", 1, { { 0, 1, 0, 1 } } },
		{ "xa\nb\n", "ya\nb\n", 1, { { 0, 1, 0, 1 } } },
		{ "1\nb\n2\n",
		  "3\nb\n4\n",
		  2,
		  { { 0, 1, 0, 1 }, { 2, 1, 2, 1 } } },
		/* of a run of equal lines, the last ones */
		{ "a\na\na\n", "a\n", 1, { { 1, 2, 1, 0 } } },
		/* a whole block, not the end of one and the start of another */
		{ "0\nf\n}\nh\n}\n",
		  "1\nf\n}\ng\n}\nh\n}\n",
		  2,
		  { { 0, 1, 0, 1 }, { 3, 0, 3, 2 } } },
		{ "0\n\nf\n\nh\n",
		  "1\n\nf\n\ng\n\nh\n",
		  2,
		  { { 0, 1, 0, 1 }, { 4, 0, 4, 2 } } },
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_arena mem = ARENA_INIT;
		struct diff d;

		diff_texts(str_of(rules[i].old), str_of(rules[i].new), &mem,
			   &d);
		assert_right(&d, &mem);
		assert_int_equal(d.count, rules[i].count);
		for (size_t n = 0; n < d.count; n++)
			assert_memory_equal(&d.changes[n], &rules[i].want[n],
					    sizeof(d.changes[n]));
	}
}

/* Lines of @lines random letters out of @letters; the last may be cut off. */
static struct str random_text(struct arena *mem, uint32_t lines,
			      uint32_t letters)
{
	char *p = arena_alloc(mem, (size_t)lines * 3 + 1);
	size_t n = 0;

	for (uint32_t i = 0; i < lines; i++) {
		uint32_t letter = roll(letters);

		if (letter)
			p[n++] = (char)('a' + letter % 26);
		if (letter > 26)
			p[n++] = (char)('A' + letter / 26);
		p[n++] = '\n';
	}
	if (n && !roll(3))
		n--;
	return str_make(p, n);
}

enum { SMALL = 24 };

static size_t split_small(struct str text, struct str lines[SMALL])
{
	size_t n = 0;

	while (check_take(&text, &lines[n]))
		n++;
	return n;
}

/* Length of a shortest diff, by dynamic programming. */
static size_t least_changes(struct str old, struct str new)
{
	struct str a[SMALL + 1], b[SMALL + 1];
	size_t common[SMALL + 1][SMALL + 1] = { 0 };
	size_t n = split_small(old, a), m = split_small(new, b);

	for (size_t i = n; i-- > 0;)
		for (size_t j = m; j-- > 0;)
			common[i][j] = str_eq(a[i], b[j])
					       ? common[i + 1][j + 1] + 1
					       : size_max(common[i + 1][j],
							  common[i][j + 1]);
	return n + m - 2 * common[0][0];
}

static size_t changed_lines(const struct diff *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->count; i++)
		n += d->changes[i].a_count + d->changes[i].b_count;
	return n;
}

/* M10 M58: any two texts. */
static void diffs_of_small_texts_are_right_and_shortest(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (int i = 0; i < 20000; i++) {
		uint32_t letters = 1 + roll(6);
		struct str a = random_text(&mem, roll(SMALL), letters);
		struct str b = random_text(&mem, roll(SMALL), letters);
		struct diff d;

		diff_texts(a, b, &mem, &d);
		assert_right(&d, &mem);
		assert_int_equal(changed_lines(&d), least_changes(a, b));
		arena_reset(&mem, 1 << 20);
	}
}

static struct str joined(struct arena *mem, struct str a, struct str b,
			 struct str c)
{
	char *p = arena_alloc(mem, a.len + b.len + c.len);

	memcpy(p, a.ptr, a.len);
	memcpy(p + a.len, b.ptr, b.len);
	memcpy(p + a.len + b.len, c.ptr, c.len);
	return str_make(p, a.len + b.len + c.len);
}

/* A common prefix and suffix, in whole lines or not, is skipped. */
static void long_common_parts_do_not_change_the_answer(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (int i = 0; i < 1500; i++) {
		uint32_t letters = 1 + roll(4);
		struct str a = random_text(&mem, roll(4), letters);
		struct str b = random_text(&mem, roll(4), letters);
		struct str front = random_text(&mem, roll(6000), letters);
		struct str back = random_text(&mem, roll(6000), letters);
		struct diff d;

		diff_texts(joined(&mem, front, a, back),
			   joined(&mem, front, b, back), &mem, &d);
		assert_right(&d, &mem);
		/* each line of both, and one that the boundary splits */
		assert_in_range(changed_lines(&d), 0, 3 + 3 + 4);
		arena_reset(&mem, 1 << 20);
	}
}

/* A text of lines with @width bytes each. */
static struct str wide_text(struct arena *mem, size_t lines, size_t width)
{
	char *p = arena_alloc(mem, lines * width);

	for (size_t i = 0; i < lines; i++) {
		for (size_t j = 0; j < width; j++)
			p[i * width + j] = (char)('a' + roll(26));
		p[(i + 1) * width - 1] = '\n';
	}
	return str_make(p, lines * width);
}

static struct str whole_lines(struct str s)
{
	size_t last = str_rfind(s, '\n');

	return str_head(s, last == s.len ? 0 : last + 1);
}

/* Texts long enough for resync(). */
static void changes_far_apart_are_as_short_as_alone(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (int i = 0; i < 50; i++) {
		uint32_t letters = 1 + roll(4);
		struct str part = wide_text(&mem, 1000 + roll(3000), 80);
		struct str a = random_text(&mem, roll(SMALL), letters);
		struct str b = random_text(&mem, roll(SMALL), letters);
		struct str long_a, long_b;
		struct diff d;
		size_t least;

		a = whole_lines(a);
		b = whole_lines(b);
		least = least_changes(a, b);
		long_a = joined(&mem, part, a, part);
		long_b = joined(&mem, part, b, part);
		long_a = joined(&mem, long_a, b, long_a);
		long_b = joined(&mem, long_b, a, long_b);
		diff_texts(long_a, long_b, &mem, &d);
		assert_right(&d, &mem);
		assert_true(changed_lines(&d) <= 3 * least);
		arena_reset(&mem, 1 << 20);
	}
}

/* Lines at the boundary are longer than SLIDE_ROOM. */
static void long_common_lines_do_not_change_the_answer(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (int i = 0; i < 400; i++) {
		struct str a = random_text(&mem, roll(3), 3);
		struct str b = random_text(&mem, roll(3), 3);
		struct str wide = wide_text(&mem, 3, 5000 + roll(5000));
		struct str front =
			str_head(wide, roll(3) * wide.len / 3 + roll(2) * 4500);
		struct str back = str_skip(wide, front.len);
		struct diff d;

		diff_texts(joined(&mem, front, a, back),
			   joined(&mem, front, b, back), &mem, &d);
		assert_right(&d, &mem);
		assert_in_range(changed_lines(&d), 0, 2 + 2 + 4);
		arena_reset(&mem, 1 << 20);
	}
}

/* Some splices of @old, ascending, with a byte between them. */
static size_t random_splices(struct str old, struct arena *mem,
			     struct splice *ret, size_t most)
{
	size_t n = 0, at = 0;

	while (n < most && at <= old.len) {
		struct splice *s = &ret[n++];

		s->from = at + roll((uint32_t)(old.len - at) / 2 + 1);
		s->to = s->from +
			roll((uint32_t)size_min(old.len - s->from, 40) + 1);
		s->with = random_text(mem, roll(4), 4);
		at = s->to + 1;
	}
	return n;
}

static struct str splice_all(struct str old, const struct splice *s, size_t n,
			     struct arena *mem)
{
	auto_buf out = BUF_INIT;
	size_t done = 0;

	for (size_t i = 0; i < n; i++) {
		buf_add(&out, str_sub(old, done, s[i].from));
		buf_add(&out, s[i].with);
		done = s[i].to;
	}
	buf_add(&out, str_skip(old, done));
	return arena_copy(mem, buf_str(&out));
}

/* M10 M58: diffs of splices, however close together. */
static void splices_give_a_diff_that_is_right(void **state)
{
	static const uint32_t lines[] = { 0, 1, 5, 30, 3000, 12000 };
	auto_arena mem = ARENA_INIT;

	for (int i = 0; i < 6000; i++) {
		size_t kind = i % 60 ? roll(4) : 4 + roll(2);
		struct str a = random_text(&mem, lines[kind], 1 + roll(40));
		struct splice s[8];
		size_t n = random_splices(a, &mem, s, roll(COUNT_OF(s) + 1));
		struct diff d;

		diff_splices(a, splice_all(a, s, n, &mem), s, n, &mem, &d);
		assert_right(&d, &mem);
		arena_reset(&mem, 1 << 20);
	}
}

/* Lines longer than SLIDE_ROOM: regions are adjacent. */
static void splices_in_very_long_lines_are_right(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (int i = 0; i < 300; i++) {
		struct str a = wide_text(&mem, 1 + roll(6), 3000 + roll(9000));
		struct splice s[6];
		size_t n = random_splices(a, &mem, s, COUNT_OF(s));
		struct diff d;

		diff_splices(a, splice_all(a, s, n, &mem), s, n, &mem, &d);
		assert_right(&d, &mem);
		arena_reset(&mem, 1 << 20);
	}
}

static void splices_that_change_nothing_are_no_change(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str text = STR("one\ntwo\nthree\n");
	struct splice same = { 4, 7, STR("two") };
	struct diff d;

	diff_splices(text, text, &same, 1, &mem, &d);
	assert_int_equal(d.count, 0);
	diff_splices(text, text, NULL, 0, &mem, &d);
	assert_int_equal(d.count, 0);
}

static const struct {
	struct splice splices[2];
	size_t n;
	struct diff_change want;
} nearby[] = {
	{ { { 1, 2, STR_INIT("X") } }, 1, { 0, 1, 0, 1 } },
	{ { { 0, 4, STR_INIT("xyz\n") } }, 1, { 0, 1, 0, 1 } },
	{ { { 1, 2, STR_INIT("X") }, { 5, 6, STR_INIT("Y") } },
	  2,
	  { 0, 2, 0, 2 } },
	{ { { 0, 1, STR_INIT("X") }, { 2, 3, STR_INIT("Y") } },
	  2,
	  { 0, 1, 0, 1 } },
	{ { { 3, 4, STR_INIT("") } }, 1, { 0, 2, 0, 1 } },
	{ { { 0, 4, STR_INIT("xyz") } }, 1, { 0, 2, 0, 1 } },
	{ { { 1, 2, STR_INIT("X\nY") } }, 1, { 0, 1, 0, 2 } },
	{ { { 5, 6, STR_INIT("Y") }, { 8, 8, STR_INIT("new\n") } },
	  2,
	  { 1, 1, 1, 2 } },
	{ { { 12, 15, STR_INIT("X") } }, 1, { 3, 1, 3, 1 } },
	{ { { 12, 15, STR_INIT("X\n") } }, 1, { 3, 1, 3, 1 } },
};

static void near_lines_that_become_others_are_one_change(void **state)
{
	struct str a = STR("one\ntwo\nthr\nfou");
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(nearby); i++) {
		const struct splice *s = nearby[i].splices;
		struct str b = splice_all(a, s, nearby[i].n, &mem);
		struct diff d;

		diff_splices(a, b, s, nearby[i].n, &mem, &d);
		assert_int_equal(d.count, 1);
		assert_memory_equal(d.changes, &nearby[i].want,
				    sizeof(nearby[i].want));
	}
}

/*
 * A difference outside the splices, which breaks the contract, is not seen:
 * only their lines are compared.
 */
static void what_lies_outside_the_splices_is_not_looked_at(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str a = wide_text(&mem, 1000, 100);
	struct splice s = { 50050, 50051, STR("\n\n") };
	struct str b = splice_all(a, &s, 1, &mem);
	struct diff_change want = { 500, 1, 500, 3 };
	struct diff d;

	memset((char *)b.ptr + 120, '!', 5);
	memset((char *)b.ptr + b.len - 120, '!', 5);
	diff_splices(a, b, &s, 1, &mem, &d);
	assert_int_equal(d.count, 1);
	assert_memory_equal(d.changes, &want, sizeof(want));
}

static void splices_and_whole_texts_agree_on_what_changed(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (int i = 0; i < 40; i++) {
		struct str a = wide_text(&mem, 2000, 40), b;
		struct splice s[8];
		size_t n = random_splices(a, &mem, s, COUNT_OF(s));
		struct diff some, all;

		b = splice_all(a, s, n, &mem);
		diff_splices(a, b, s, n, &mem, &some);
		diff_texts(a, b, &mem, &all);
		assert_int_equal(some.count, all.count);
		assert_memory_equal(some.changes, all.changes,
				    all.count * sizeof(*all.changes));
		arena_reset(&mem, 1 << 20);
	}
}

/* The @n lines of @text, all @width wide, in another order. */
static struct str shuffled(struct arena *mem, struct str text, size_t n,
			   size_t width)
{
	char *p = arena_alloc(mem, text.len), tmp[128];

	memcpy(p, text.ptr, text.len);
	for (size_t i = n; i > 1; i--) {
		char *x = p + (i - 1) * width;
		char *y = p + roll((uint32_t)i) * width;

		memcpy(tmp, x, width);
		memmove(x, y, width);
		memcpy(y, tmp, width);
	}
	return str_make(p, text.len);
}

/* Over all limits the diff is still correct, and ends in time. */
static void texts_with_little_in_common_are_right(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str a = wide_text(&mem, 20000, 40);
	struct diff d;

	diff_texts(a, shuffled(&mem, a, 20000, 40), &mem, &d);
	assert_right(&d, &mem);
	diff_texts(a, wide_text(&mem, 20000, 40), &mem, &d);
	assert_right(&d, &mem);
	assert_int_equal(d.count, 1);
	for (uint32_t letters = 2; letters < 30; letters += 9) {
		diff_texts(random_text(&mem, 60000, letters),
			   random_text(&mem, 60000, letters), &mem, &d);
		assert_right(&d, &mem);
	}
}

/* @n times the lines of @unit, with another first line in every @nth one. */
static struct str repeated(struct arena *mem, const char *unit, size_t n,
			   size_t nth, char other)
{
	size_t len = strlen(unit);
	char *p = arena_alloc(mem, n * len);

	for (size_t i = 0; i < n; i++) {
		memcpy(p + i * len, unit, len);
		if (nth && i % nth == nth - 1)
			p[i * len] = other;
	}
	return str_make(p, n * len);
}

static void texts_that_repeat_themselves_are_right(void **state)
{
	static const char *const units[] = { "a\n", "a\nb\n", "a\nb\na\n",
					     "\n\na\n" };
	auto_arena mem = ARENA_INIT;

	for (size_t i = 0; i < COUNT_OF(units) * 24; i++) {
		const char *one = units[roll(4)], *two = units[roll(4)];
		struct str a = repeated(&mem, one, 1 + roll(9000), roll(50),
					"ab"[roll(2)]);
		struct str b = repeated(&mem, two, 1 + roll(9000), roll(50),
					"bc"[roll(2)]);
		struct diff d;

		diff_texts(a, b, &mem, &d);
		assert_right(&d, &mem);
		arena_reset(&mem, 1 << 20);
	}
}

/* Texts with many changes: the diff has no more than were made. */
static void many_small_changes_are_found_one_by_one(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str a = wide_text(&mem, 20000, 50);
	char *p = arena_alloc(&mem, a.len);
	struct diff d;

	memcpy(p, a.ptr, a.len);
	for (size_t i = 0; i < 100; i++)
		p[(i * 200 + 7) * 50] = '!';
	diff_texts(a, str_make(p, a.len), &mem, &d);
	assert_right(&d, &mem);
	assert_int_equal(d.count, 100);
	assert_int_equal(changed_lines(&d), 200);
}

static void a_text_too_large_to_compare_is_one_change(void **state)
{
	size_t size = (size_t)1 << 30;
	char *huge = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	/* the common first line is part of the change */
	struct diff_change want = { 0, 3, 0, 3 };
	auto_arena mem = ARENA_INIT;
	struct diff d;

	assert_ptr_not_equal(huge, MAP_FAILED);
	memcpy(huge, "a\nb", 3);
	memcpy(huge + size / 2, "\n", 1);
	huge[size - 1] = 'z';
	diff_texts(str_make(huge, size), STR("a\nx\ny"), &mem, &d);
	assert_int_equal(d.count, 1);
	assert_memory_equal(d.changes, &want, sizeof(want));
	munmap(huge, size);
}

/* A cancelled diff of texts that differ in every second line. */
static void too_many_lines_to_compare_are_one_change(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str a = repeated(&mem, "a\nb\n", 2100000, 1, '1');
	struct str b = repeated(&mem, "a\nb\n", 2100000, 1, '2');
	struct str front = wide_text(&mem, 100, 100);
	struct diff d;

	diff_texts(joined(&mem, front, a, front), joined(&mem, front, b, front),
		   &mem, &d);
	assert_right(&d, &mem);
	assert_int_equal(d.count, 1);
	assert_in_range(d.changes[0].a, 50, 100);
	assert_in_range(d.changes[0].a_count, 4200000, 4200100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_where_a_reader_expects_them),
		cmocka_unit_test(diffs_of_small_texts_are_right_and_shortest),
		cmocka_unit_test(long_common_parts_do_not_change_the_answer),
		cmocka_unit_test(changes_far_apart_are_as_short_as_alone),
		cmocka_unit_test(long_common_lines_do_not_change_the_answer),
		cmocka_unit_test(splices_give_a_diff_that_is_right),
		cmocka_unit_test(splices_in_very_long_lines_are_right),
		cmocka_unit_test(splices_that_change_nothing_are_no_change),
		cmocka_unit_test(near_lines_that_become_others_are_one_change),
		cmocka_unit_test(
			what_lies_outside_the_splices_is_not_looked_at),
		cmocka_unit_test(splices_and_whole_texts_agree_on_what_changed),
		cmocka_unit_test(texts_with_little_in_common_are_right),
		cmocka_unit_test(texts_that_repeat_themselves_are_right),
		cmocka_unit_test(many_small_changes_are_found_one_by_one),
		cmocka_unit_test(a_text_too_large_to_compare_is_one_change),
		cmocka_unit_test(too_many_lines_to_compare_are_one_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
