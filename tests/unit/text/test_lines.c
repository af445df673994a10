/*
 * test_lines.c - lines, and every set of kernels against naive loops.
 */
#include "../unit.h"

#include "text/lines/kernels.h"
#include "text/lines/lines.h"

static const struct {
	const char *text;
	size_t newlines, count;
	size_t starts[4]; /* offsets of lines 1 to 4 */
} rows[] = {
	{ "", 0, 0, { 0, 0, 0, 0 } },
	{ "\n", 1, 1, { 0, 1, 1, 1 } },
	{ "a", 0, 1, { 0, 1, 1, 1 } },
	{ "a\n", 1, 1, { 0, 2, 2, 2 } },
	{ "a\n\n", 2, 2, { 0, 2, 3, 3 } },
	{ "a\r\nb", 1, 2, { 0, 3, 4, 4 } },
	{ "a\rb\n", 1, 1, { 0, 4, 4, 4 } },
	{ "one\ntwo\nthree\n", 3, 3, { 0, 4, 8, 14 } },
};

/* A10 R11 R53: CRLF ends a line once, a CR alone ends none. */
static void lines_follow_their_table(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str s = str_of(rows[i].text);

		assert_int_equal(lines_newlines(s), rows[i].newlines);
		assert_int_equal(lines_count(s), rows[i].count);
		for (size_t line = 1; line <= 4; line++)
			assert_int_equal(lines_start(s, line),
					 rows[i].starts[line - 1]);
	}
}

/*
 * A09 R10 R54: a range of lines has the bytes of the file, line endings
 * included.
 */
static void slices_keep_their_terminators(void **state)
{
	struct str s = STR("a\r\nb\n\nlast");

	assert_str(str_sub(s, lines_start(s, 1), lines_start(s, 2)), "a\r\n");
	assert_str(str_sub(s, lines_start(s, 2), lines_start(s, 4)), "b\n\n");
	assert_str(str_sub(s, lines_start(s, 4), lines_start(s, 9)), "last");
}

/* A13: any line number is accepted. */
static void counts_past_the_end_stay_at_the_end(void **state)
{
	struct str s = STR("a\nb\n");

	assert_int_equal(lines_start(s, SIZE_MAX), 4);
	assert_int_equal(lines_after(s, SIZE_MAX), 4);
	assert_int_equal(lines_after(s, 0), 0);
	assert_int_equal(lines_after(s, 1), 2);
	assert_int_equal(lines_after(s, 2), 4);
	assert_int_equal(lines_after(s, 3), 4);
	assert_int_equal(lines_after((struct str){ NULL, 0 }, 1), 0);
	assert_int_equal(lines_newlines((struct str){ NULL, 0 }), 0);
}

static void the_line_of_an_offset(void **state)
{
	struct str s = STR("a\nb\n");

	assert_int_equal(lines_at(s, 0), 1);
	assert_int_equal(lines_at(s, 1), 1);
	assert_int_equal(lines_at(s, 2), 2);
	assert_int_equal(lines_at(s, 4), 3);
}

enum { BIG = 70000 };

static char big[BIG];

static void fill_big(size_t every)
{
	for (size_t i = 0; i < BIG; i++)
		big[i] = (i * 2654435761u >> 7) % every ? 'x' : '\n';
}

static void lines_are_found_across_blocks(void **state)
{
	fill_big(50);
	for (size_t from = 0, line = 1; from < BIG; line++) {
		struct str s = str_make(big, BIG);
		size_t end = from + str_find(str_skip(s, from), '\n');

		assert_int_equal(lines_start(s, line), from);
		assert_int_equal(lines_at(s, from), line);
		from = end + 1;
	}
}

static void each_kernel_counts_the_same(void **state)
{
	const struct kernels *all[2];
	size_t sets = kernels_all(all), n = 0;

	for (size_t every = 1; every < 40; every += 6) {
		fill_big(every);
		for (size_t len = 0; len < BIG; len += len < 300 ? 1 : 9973) {
			size_t skip = len % 37 % (BIG - len);
			const char *p = big + skip;

			n = 0;
			for (size_t i = 0; i < len; i++)
				n += p[i] == '\n';
			for (size_t s = 0; s < sets; s++)
				assert_int_equal(all[s]->count(p, len, '\n'),
						 n);
		}
	}
	assert_true(sets >= 1);
}

static void each_kernel_sees_what_is_not_ascii(void **state)
{
	static const char odd[] = { '\0', '\x80', '\xff', '\x01', '\x7f' };
	const struct kernels *all[2];
	size_t sets = kernels_all(all);
	bool ascii;

	fill_big(9);
	for (size_t i = 0; i < sets * COUNT_OF(odd) * 300; i++) {
		const struct kernels *k = all[i % sets];
		size_t len = 1 + i / sets % 300, at = i * 31 % len;
		char *p = big + i % 33, was = p[at], c = odd[i % COUNT_OF(odd)];
		size_t n = k->count(p, len, '\n') - (was == '\n');

		p[at] = c;
		assert_int_equal(k->scan(p, len, &ascii), n);
		assert_int_equal(ascii, c == '\x01' || c == '\x7f');
		p[at] = was;
		assert_int_equal(k->scan(p, len, &ascii), n + (was == '\n'));
		assert_true(ascii);
		/* bytes after the end do not count */
		p[len] = '\0';
		(void)k->scan(p, len, &ascii);
		assert_true(ascii);
		fill_big(9);
	}
	assert_int_equal(lines_scan(STR(""), &ascii), 0);
	assert_true(ascii);
}

static void each_kernel_scans_long_texts_alike(void **state)
{
	const struct kernels *all[2];
	size_t sets = kernels_all(all);
	bool ascii;

	fill_big(3); /* more than a byte can count, in each lane */
	for (size_t s = 0; s < sets; s++) {
		assert_int_equal(all[s]->scan(big, BIG, &ascii),
				 all[s]->count(big, BIG, '\n'));
		assert_true(ascii);
		big[BIG / 2] = '\x80';
		(void)all[s]->scan(big, BIG, &ascii);
		assert_false(ascii);
		fill_big(3);
	}
}

static void each_kernel_finds_the_nth(void **state)
{
	const struct kernels *all[2];
	size_t sets = kernels_all(all);

	fill_big(9);
	for (size_t s = 0; s < sets; s++) {
		size_t k = 0;

		for (size_t i = 0; i < 600; i++)
			if (big[i] == '\n')
				assert_int_equal(all[s]->nth(big, 600, '\n',
							     ++k),
						 i);
		assert_int_equal(all[s]->nth(big, 600, '\n', k + 1), 600);
		assert_int_equal(all[s]->nth(big, 0, '\n', 1), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_follow_their_table),
		cmocka_unit_test(slices_keep_their_terminators),
		cmocka_unit_test(counts_past_the_end_stay_at_the_end),
		cmocka_unit_test(the_line_of_an_offset),
		cmocka_unit_test(lines_are_found_across_blocks),
		cmocka_unit_test(each_kernel_counts_the_same),
		cmocka_unit_test(each_kernel_sees_what_is_not_ascii),
		cmocka_unit_test(each_kernel_scans_long_texts_alike),
		cmocka_unit_test(each_kernel_finds_the_nth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
