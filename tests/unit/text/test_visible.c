/*
 * test_visible.c - text for people contains nothing invisible or misleading.
 */
#include "../unit.h"

#include "text/display/visible.h"
#include "text/encoding/utf8.h"

#include "roll.h"

static const struct {
	const char *text, *want;
} rows[] = {
	{ "", "" },
	{ "plain\ttext\n", "plain\ttext\n" },
	{ "\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80", /* é 中 and a face */
	  "\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80" },
	{ "one\r\ntwo\r\n", "one\ntwo\n" },
	{ "good\rbad", "good\\x0dbad" },
	{ "\x1b[2Jgone", "\\x1b[2Jgone" },
	{ "a\x7f\b", "a\\x7f\\x08" },
	{ "\xc2\x9b", "\\u{9b}" },                     /* CSI, in 8 bits */
	{ "x\xe2\x80\xaey", "x\\u{202e}y" },           /* right to left */
	{ "a\xe2\x81\xa6z", "a\\u{2066}z" },           /* isolate */
	{ "a\xe2\x80\x8b", "a\\u{200b}" },             /* no width */
	{ "\xf3\xa0\x81\xa1", "\\u{e0061}" },          /* a tag */
	{ "\xff\xfe ok \xc3", "\\xff\\xfe ok \\xc3" }, /* no UTF-8 */
	{ "a\u3164\u115f\u1160\u2800\uffa0",           /* fillers and a blank */
	  "a\\u{3164}\\u{115f}\\u{1160}\\u{2800}\\u{ffa0}" },
	{ "\u00a0\u2003\u3000\u1680", /* blanks that are no U+0020 */
	  "\\u{a0}\\u{2003}\\u{3000}\\u{1680}" },
	{ "\u2764\ufe0f\u200d", "\u2764\\u{fe0f}\\u{200d}" },
	{ "\u0600\u06dd", "\u0600\u06dd" }, /* drawn, before a number */
};

/* The first and last of each range of hidden.def, and their neighbours. */
static void ranges_begin_and_end_where_they_say(void **state)
{
	static const struct {
		uint32_t from, to;
	} hidden[] = {
#define HIDDEN(from, to) { from, to },
#include "text/display/hidden.def"
#undef HIDDEN
	};
	uint32_t last = 0;

	for (size_t i = 0; i < COUNT_OF(hidden); i++) {
		assert_true(hidden[i].from <= hidden[i].to);
		assert_true(!i || hidden[i].from > last + 1);
		assert_true(visible_is_hidden(hidden[i].from));
		assert_true(visible_is_hidden(hidden[i].to));
		assert_false(visible_is_hidden(hidden[i].to + 1));
		assert_true(!i || !visible_is_hidden(hidden[i].from - 1));
		last = hidden[i].to;
	}
	assert_false(visible_is_hidden(0x10ffff));
}

static void a_name_stays_on_its_line(void **state)
{
	auto_buf out = BUF_INIT;

	visible_line(&out, STR("a\nb\tc\r\n\x1b\xff"));
	assert_str(buf_str(&out), "a\\x0ab\\x09c\\x0d\\x0a\\x1b\\xff");
}

#define HEAD "--- f\n+++ f\n@@ -1,2 +1,2 @@\n"

static const struct {
	const char *diff, *want;
} diffs[] = {
	{ "", "" },
	{ HEAD " one\r\n-two\r\n+2\r\n", HEAD " one\n-two\n+2\n" },
	{ HEAD " one\r\n-two\r\n+2\n", HEAD " one\\x0d\n-two\\x0d\n+2\n" },
	{ HEAD " one\n-two\n+2\r\n", HEAD " one\n-two\n+2\\x0d\n" },
	/* a last line without an end is no other kind of line */
	{ HEAD " one\r\n+2\n\\ No newline at end of file\n",
	  HEAD " one\n+2\n\\ No newline at end of file\n" },
	/* "--" in a file looks like a head */
	{ HEAD "--- x\n+y\r\n", HEAD "--- x\n+y\\x0d\n" },
	{ HEAD "+a\rb\r\n", HEAD "+a\\x0db\n" },
	{ HEAD "+\ta\u202e\n", HEAD "+\ta\\u{202e}\n" },
};

static void a_diff_shows_line_ends_that_differ(void **state)
{
	for (size_t i = 0; i < COUNT_OF(diffs); i++) {
		auto_buf out = BUF_INIT;

		visible_diff(&out, str_of(diffs[i].diff));
		assert_str(buf_str(&out), diffs[i].want);
	}
}

static void json_stays_what_it_is(void **state)
{
	auto_buf out = BUF_INIT;

	visible_json(&out, STR("{\"a\": \"\u202e \U000e0041 \u4e2d \x7f\"}\n"));
	assert_str(buf_str(&out),
		   "{\"a\": \"\\u202e \\udb40\\udc41 \u4e2d \\u007f\"}\n");
}

static prints(2, 3) void print(struct buf *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	visible_print(out, format, args);
	va_end(args);
}

static void only_the_format_has_line_ends(void **state)
{
	const struct str name = STR("a\nb");
	auto_buf out = BUF_INIT;

	print(&out, "%s: " STR_FMT "|%-6s|%4s|%.2s|%c%c 100%%\n", "x\x1b",
	      STR_ARG(name), "ab", "cd", "efg", 'h', '\n');
	assert_str(buf_str(&out),
		   "x\\x1b: a\\x0ab|ab    |  cd|ef|h\\x0a 100%\n");
}

static void numbers_are_numbers(void **state)
{
	auto_buf out = BUF_INIT;

	print(&out, "%d %u %zu %llu %lu|%5d|%-4zu|%*s|", -7, 8U, (size_t)9,
	      18446744073709551615ULL, 10UL, 42, (size_t)1, 3, "x");
	assert_str(buf_str(&out),
		   "-7 8 9 18446744073709551615 10|   42|1   |  x|");
}

static void hidden_characters_are_shown(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_buf out = BUF_INIT;

		visible_add(&out, str_of(rows[i].text));
		assert_str(buf_str(&out), rows[i].want);
	}
}

/* Only what may be seen, in valid UTF-8. */
static void assert_visible(struct str text, const char *besides)
{
	size_t len;

	assert_true(utf8_valid(text));
	for (; text.len; text = str_skip(text, len)) {
		uint32_t code = utf8_next(text, &len);

		assert_false(visible_is_hidden(code));
		if (code == '\n' || code == '\t')
			assert_non_null(strchr(besides, (int)code));
	}
}

/* Bytes at random, and code points at random, many of them hidden. */
static void whatever_comes_in_nothing_hidden_comes_out(void **state)
{
	static const uint32_t near[] = { 0,      0x20,   0x80,   0x600,
					 0x1150, 0x1800, 0x2000, 0x2060,
					 0x27f0, 0x3160, 0xfe00, 0xe0000 };

	for (int turn = 0; turn < 20000; turn++) {
		auto_buf in = BUF_INIT, text = BUF_INIT, line = BUF_INIT,
			 diff = BUF_INIT;
		char to[4];

		for (int i = 0; i < 12; i++) {
			uint32_t code = near[roll(COUNT_OF(near))] + roll(32);

			if (roll(2))
				buf_addc(&in, (char)roll(256));
			else
				buf_add(&in, str_make(to, utf8_put(code, to)));
		}
		visible_add(&text, buf_str(&in));
		visible_line(&line, buf_str(&in));
		visible_diff(&diff, buf_str(&in));
		assert_visible(buf_str(&text), "\n\t");
		assert_visible(buf_str(&line), "");
		assert_visible(buf_str(&diff), "\n\t");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_characters_are_shown),
		cmocka_unit_test(ranges_begin_and_end_where_they_say),
		cmocka_unit_test(a_name_stays_on_its_line),
		cmocka_unit_test(a_diff_shows_line_ends_that_differ),
		cmocka_unit_test(json_stays_what_it_is),
		cmocka_unit_test(only_the_format_has_line_ends),
		cmocka_unit_test(numbers_are_numbers),
		cmocka_unit_test(whatever_comes_in_nothing_hidden_comes_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
