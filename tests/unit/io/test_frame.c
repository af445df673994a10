/*
 * test_frame.c - lines come out whole, however the bytes go in.
 */
#include "../unit.h"

#include "base/fd.h"
#include "io/frame.h"

#include <stdlib.h>
#include <unistd.h>

/* Send @text through a pipe, @step bytes at a time; lines joined by '|'. */
static void through(struct str text, size_t step, size_t max, struct buf *lines)
{
	struct frame f = { .max = max };
	int ends[2];
	bool open = true;

	assert_int_equal(pipe(ends), 0);
	while (open) {
		auto_buf line = BUF_INIT;
		enum frame_got got;

		if (text.len) {
			assert_int_equal(fd_write(ends[1],
						  str_head(text, step)),
					 0);
			text = str_skip(text, step);
		} else {
			(void)close(ends[1]);
			open = false;
		}
		assert_true(frame_fill(&f, ends[0]) >= 0);
		for (;;) {
			got = frame_next(&f, &line);
			if (got == FRAME_NONE && !open)
				got = frame_last(&f, &line);
			if (got == FRAME_NONE)
				break;
			if (got == FRAME_TOO_LONG)
				buf_lit(lines, "LONG");
			buf_add(lines, buf_str(&line));
			buf_lit(lines, "|");
			buf_clear(&line, SIZE_MAX);
		}
	}
	(void)close(ends[0]);
	frame_free(&f);
}

static const struct {
	const char *text, *lines;
	size_t max;
} cases[] = {
	{ "a\nb\n", "a|b|", 10 },
	{ "a\n\nb", "a||b|", 10 },
	{ "", "", 10 },
	{ "12345\n123456\n1\n", "12345|LONG|1|", 5 },
	{ "1234567890123\nok\n", "LONG|ok|", 5 },
	{ "1234567890123", "LONG|", 5 },
	{ "a\r\nb", "a\r|b|", 5 },
};

/* X01: a line is a message, however the bytes arrive. */
static void lines_come_out_however_they_come_in(void **state)
{
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (size_t step = 1; step < 16; step++) {
			auto_buf lines = BUF_INIT;

			through(str_of(cases[i].text), step, cases[i].max,
				&lines);
			assert_str(buf_str(&lines), cases[i].lines);
		}
}

/* X19: long lines are handed over whole, and what follows is not lost. */
static void long_lines_are_whole(void **state)
{
	size_t n = 700 * 1000;
	auto_buf text = BUF_INIT, lines = BUF_INIT;

	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < n; i++)
			buf_addc(&text,
				 (char)('a' + (i * 7 + (size_t)round) % 26));
		buf_lit(&text, "\nshort\n");
	}
	through(buf_str(&text), 60000, 1 << 20, &lines);
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\n')
			text.ptr[i] = '|';
	assert_true(str_eq(buf_str(&lines), buf_str(&text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_out_however_they_come_in),
		cmocka_unit_test(long_lines_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
