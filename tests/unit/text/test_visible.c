/* What a person is shown does what it looks like. */
#include "../unit.h"

#include "text/visible.h"

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
};

static void hidden_characters_are_shown(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_buf out = BUF_INIT;

		visible_add(&out, str_of(rows[i].text));
		assert_str(buf_str(&out), rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_characters_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
