/*
 * What an editor shows, and the bytes that this stands for.
 */
#include "../unit.h"

#include "acp/view.h"

#define MARK "\xef\xbb\xbf"

static const struct {
	const char *disk, *shown;
	enum view_kind kind;
	const char *bytes; /* of VIEW_OTHER */
} rules[] = {
	{ "a\nb\n", "a\nb\n", VIEW_SAME },
	{ "a\r\nb\r\n", "a\nb\n", VIEW_SAME },
	{ "a\r\nb\r\n", "a\r\nb\r\n", VIEW_SAME },
	{ MARK "a\n", "a\n", VIEW_SAME },
	{ MARK "a\n", MARK "a\n", VIEW_SAME },
	{ "", "", VIEW_SAME },
	/* whether the last line ends is not told by all */
	{ "a\nb\n", "a\nb", VIEW_SAME },
	{ "a\nb", "a\nb\n", VIEW_SAME },
	{ "a\nb\n", "a\nb\n\n", VIEW_OTHER, "a\nb\n\n" },
	{ "a\nb\n", "a\nc\n", VIEW_OTHER, "a\nc\n" },
	{ "a\nb\n", "", VIEW_OTHER, "" },
	{ "", "a\n", VIEW_OTHER, "a\n" },
	{ "a\r\nb\r\n", "a\nc\nd\n", VIEW_OTHER, "a\r\nc\r\nd\r\n" },
	{ "a\r\nb\r\n", "c\nb\n", VIEW_OTHER, "c\r\nb\r\n" },
	{ "a\r\nb\r\n", "a\r\nc\r\n", VIEW_OTHER, "a\r\nc\r\n" },
	{ MARK "a\nb\n", "a\nc\n", VIEW_OTHER, MARK "a\nc\n" },
	{ MARK "a\r\nb\r\n", MARK "a\r\nc\r\n", VIEW_OTHER, MARK "a\r\nc\r\n" },
	/* what is not touched keeps its endings, in whichever mix */
	{ "a\r\nb\nc\r\n", "a\nb\nd\n", VIEW_OTHER, "a\r\nb\nd\n" },
	/* from LF alone nobody can tell them apart */
	{ "a\r\nb\n", "a\nb\n", VIEW_BLIND },
	{ "a\r\nb\n", "a\r\nb\n", VIEW_SAME },
	{ "a\rb\n", "a\nb\n", VIEW_BLIND },
	{ "a\rb\n", "a\rb\n", VIEW_SAME },
	/* CP932, shown by one who knows it, and by one who does not */
	{ "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\n",
	  "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88\n",
	  VIEW_SAME },
	{ "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\n",
	  "\xef\xbf\xbd\xef\xbf\xbd{\xef\xbf\xbd\xef\xbf\xbd\n", VIEW_BLIND },
	/* or takes it for another: nothing that it shows is in the file */
	{ "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\nend\n",
	  "\xd0\xaf\xd0\xaf\xd0\xaf\nend\n", VIEW_BLIND },
	{ "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\nend\n",
	  "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88\nmore\n",
	  VIEW_OTHER,
	  "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\nmore\n" },
};

static void a_view_stands_for_bytes(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_arena mem = ARENA_INIT;
		struct view_file file;
		struct view view;

		assert_true(view_open(str_of(rules[i].disk), &mem, &file));
		view_read(&file, str_of(rules[i].shown), &mem, &view);
		assert_int_equal(view.kind, rules[i].kind);
		if (view.kind == VIEW_OTHER)
			assert_str(view.bytes, rules[i].bytes);
	}
}

static const struct {
	const char *disk, *shown, *bytes;
	const char *told; /* NULL: it cannot be told */
} spellings[] = {
	{ "a\n", "a\n", "b\n", "b\n" },
	{ "", "", "b\n", "b\n" },
	{ "", "", "b\r\n", NULL },
	{ "a\r\n", "a\n", "b\r\nc\r\n", "b\nc\n" },
	{ "a\r\n", "a\r\n", "b\r\nc\n", "b\r\nc\n" },
	{ "a\r\n", "a\n", "b\n", NULL },
	{ "a\n", "a\n", "b\r\n", NULL },
	{ "a\n", "a\n", "b\rc\n", NULL },
	{ "a\n", "a\n", "\xff\xfe\0\0", NULL },
	{ MARK "a\n", "a\n", MARK "b\n", "b\n" },
	{ MARK "a\n", MARK "a\n", MARK "b\n", MARK "b\n" },
	{ MARK "a\n", "a\n", "b\n", NULL },
	{ "a\n", "a\n", MARK "b\n", NULL },
};

static void what_cannot_be_told_is_not(void **state)
{
	for (size_t i = 0; i < COUNT_OF(spellings); i++) {
		auto_arena mem = ARENA_INIT;
		struct view_file file;
		struct str told;
		struct view view, again;
		struct hash text;
		bool can;

		assert_true(view_open(str_of(spellings[i].disk), &mem, &file));
		view_read(&file, str_of(spellings[i].shown), &mem, &view);
		can = view_spell(&file, &view, str_of(spellings[i].bytes), &mem,
				 &told, &text);
		assert_int_equal(can, spellings[i].told != NULL);
		if (!can)
			continue;
		assert_str(told, spellings[i].told);
		/* and an editor that shows just that has that text */
		view_read(&file, told, &mem, &again);
		assert_true(hash_eq(again.text, text));
	}
}

static void bytes_that_are_no_text_have_no_view(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct view_file file;

	assert_false(view_open(STR("\x7f"
				   "ELF\x02\x01\0\0"),
			       &mem, &file));
	/* UTF-8 with one byte that is none */
	assert_false(view_open(
		STR("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88\n\xff\n"),
		&mem, &file));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_view_stands_for_bytes),
		cmocka_unit_test(what_cannot_be_told_is_not),
		cmocka_unit_test(bytes_that_are_no_text_have_no_view),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
