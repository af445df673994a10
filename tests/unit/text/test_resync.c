/*
 * test_resync.c - resynchronisation of long texts.
 */
#include "../unit.h"

#include "roll.h"

#include "base/buf.h"
#include "text/diff/resync.h"
#include "text/edit/edit.h"

enum { LINES = 4000, WIDTH = 60, MOST = 3 * LINES };

static struct str line(struct arena *mem)
{
	return arena_printf(mem, "%*u\n", WIDTH, roll(UINT32_MAX));
}

static struct str text_of(const struct str *lines, size_t n, struct arena *mem)
{
	auto_buf out = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_add(&out, lines[i]);
	return arena_copy(mem, buf_str(&out));
}

static bool at_line(struct str s, size_t at)
{
	return !at || at == s.len || s.ptr[at - 1] == '\n';
}

/* The splices turn @a into @b, in whole lines, and are not adjacent. */
static size_t assert_right(struct str a, struct str b, struct arena *mem)
{
	size_t n, done = 0;
	struct splice *s = resync(a, b, mem, &n);

	for (size_t i = 0; i < n; i++) {
		assert_true(i ? s[i].from > done : s[i].from >= done);
		assert_true(s[i].to >= s[i].from);
		assert_true(s[i].to > s[i].from || s[i].with.len);
		assert_true(at_line(a, s[i].from) && at_line(a, s[i].to));
		done = s[i].to;
	}
	assert_true(str_eq(edit_splice(a, s, n, mem), b));
	return n;
}

/* Lines removed, inserted and changed here and there. */
static void a_few_changes_are_found_each_by_itself(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (int round = 0; round < 30; round++) {
		struct str a[LINES], b[MOST];
		size_t n = 0, changes = 0, left = 0;

		for (size_t i = 0; i < LINES; i++)
			a[i] = line(&mem);
		for (size_t i = 0; i < LINES; i++) {
			size_t come = 0, go = 0;

			if (i % 500 == 250) { /* 30 KB apart */
				come = roll(RESYNC_LINES + 1);
				go = come && roll(2) ? 0 : come;
				go = come ? go : 1 + roll(RESYNC_LINES);
				changes++;
			}
			left = size_max(left, go);
			for (size_t j = 0; j < come; j++)
				b[n++] = line(&mem);
			if (!left)
				b[n++] = a[i];
			left -= left > 0;
		}
		assert_int_equal(assert_right(text_of(a, LINES, &mem),
					      text_of(b, n, &mem), &mem),
				 changes);
		arena_reset(&mem, 1 << 20);
	}
}

/* Few distinct lines, so that parts are equal by chance. */
static void any_texts_come_out_right(void **state)
{
	auto_arena mem = ARENA_INIT;

	for (int round = 0; round < 300; round++) {
		uint32_t kinds = 1 + roll(3), ends = roll(4);
		struct str a[LINES], b[MOST], kind[3], x, y;
		size_t m = roll(LINES), n = 0;

		for (size_t i = 0; i < COUNT_OF(kind); i++)
			kind[i] = line(&mem);
		for (size_t i = 0; i < m; i++) {
			a[i] = kind[roll(400) ? 0 : roll(kinds)];
			if (roll(300))
				b[n++] = a[i];
			if (!roll(300))
				b[n++] = kind[roll(kinds)];
		}
		x = text_of(a, m, &mem);
		y = text_of(b, n, &mem);
		x.len -= x.len && ends & 1;
		y.len -= y.len && ends & 2;
		(void)assert_right(x, y, &mem);
		arena_reset(&mem, 1 << 20);
	}
}

static void what_is_equal_or_has_nothing_in_common(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct str a[LINES], b[LINES], x, y;

	for (size_t i = 0; i < LINES; i++) {
		a[i] = line(&mem);
		b[i] = line(&mem);
	}
	x = text_of(a, LINES, &mem);
	y = text_of(b, LINES, &mem);
	assert_int_equal(assert_right(x, x, &mem), 0);
	assert_int_equal(assert_right(x, y, &mem), 1);
	assert_int_equal(assert_right(x, STR(""), &mem), 1);
	assert_int_equal(assert_right(STR(""), y, &mem), 1);
	assert_int_equal(assert_right(STR(""), STR(""), &mem), 0);
	assert_int_equal(assert_right(x, str_head(x, x.len - 1), &mem), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_few_changes_are_found_each_by_itself),
		cmocka_unit_test(any_texts_come_out_right),
		cmocka_unit_test(what_is_equal_or_has_nothing_in_common),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
