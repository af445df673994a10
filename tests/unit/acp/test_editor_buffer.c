/*
 * test_editor_buffer.c - conversion between the text of an editor and the
 * bytes of a file.
 */
#include "../unit.h"

#include "acp/editor_buffer.h"

#define MARK "\xef\xbb\xbf"

static const struct {
	const char *disk, *shown;
	enum buffer_state state;
	const char *bytes; /* of BUFFER_MODIFIED */
} rules[] = {
	{ "a\nb\n", "a\nb\n", BUFFER_SAME },
	{ "a\r\nb\r\n", "a\nb\n", BUFFER_SAME },
	{ "a\r\nb\r\n", "a\r\nb\r\n", BUFFER_SAME },
	{ MARK "a\n", "a\n", BUFFER_SAME },
	{ MARK "a\n", MARK "a\n", BUFFER_SAME },
	{ "", "", BUFFER_SAME },
	/* a missing final newline is not reliable */
	{ "a\nb\n", "a\nb", BUFFER_SAME },
	{ "a\nb", "a\nb\n", BUFFER_SAME },
	{ "a\nb\n", "a\nb\n\n", BUFFER_MODIFIED, "a\nb\n\n" },
	{ "a\nb\n", "a\nc\n", BUFFER_MODIFIED, "a\nc\n" },
	{ "a\nb\n", "", BUFFER_MODIFIED, "" },
	{ "", "a\n", BUFFER_MODIFIED, "a\n" },
	{ "a\r\nb\r\n", "a\nc\nd\n", BUFFER_MODIFIED, "a\r\nc\r\nd\r\n" },
	{ "a\r\nb\r\n", "c\nb\n", BUFFER_MODIFIED, "c\r\nb\r\n" },
	{ "a\r\nb\r\n", "a\r\nc\r\n", BUFFER_MODIFIED, "a\r\nc\r\n" },
	{ MARK "a\nb\n", "a\nc\n", BUFFER_MODIFIED, MARK "a\nc\n" },
	{ MARK "a\r\nb\r\n", MARK "a\r\nc\r\n", BUFFER_MODIFIED,
	  MARK "a\r\nc\r\n" },
	/* unchanged lines keep their line endings */
	{ "a\r\nb\nc\r\n", "a\nb\nd\n", BUFFER_MODIFIED, "a\r\nb\nd\n" },
	/* mixed line endings cannot be derived from LF */
	{ "a\r\nb\n", "a\nb\n", BUFFER_UNUSABLE },
	{ "a\r\nb\n", "a\r\nb\n", BUFFER_SAME },
	{ "a\rb\n", "a\nb\n", BUFFER_UNUSABLE },
	{ "a\rb\n", "a\rb\n", BUFFER_SAME },
	/* CP932, decoded correctly by the editor, and not */
	{ "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\n",
	  "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88\n",
	  BUFFER_SAME },
	{ "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\n",
	  "\xef\xbf\xbd\xef\xbf\xbd{\xef\xbf\xbd\xef\xbf\xbd\n",
	  BUFFER_UNUSABLE },
	/* decoded as another encoding: no text in common */
	{ "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\nend\n",
	  "\xd0\xaf\xd0\xaf\xd0\xaf\nend\n", BUFFER_UNUSABLE },
	{ "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\nend\n",
	  "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88\nmore\n",
	  BUFFER_MODIFIED,
	  "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\nmore\n" },
};

static void a_buffer_is_converted_to_bytes(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		auto_arena mem = ARENA_INIT;
		struct disk_text file;
		struct editor_buffer buffer;

		assert_true(disk_text_open(str_of(rules[i].disk), &mem, &file));
		editor_buffer_read(&file, str_of(rules[i].shown), &mem,
				   &buffer);
		assert_int_equal(buffer.state, rules[i].state);
		if (buffer.state == BUFFER_MODIFIED)
			assert_str(buffer.bytes, rules[i].bytes);
	}
}

static const struct {
	const char *disk, *shown, *bytes;
	const char *sent; /* NULL = refused */
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

static void bytes_are_converted_to_text_or_refused(void **state)
{
	for (size_t i = 0; i < COUNT_OF(spellings); i++) {
		auto_arena mem = ARENA_INIT;
		struct disk_text file;
		struct str sent;
		struct editor_buffer buffer, again;
		struct hash text;
		bool can;

		assert_true(
			disk_text_open(str_of(spellings[i].disk), &mem, &file));
		editor_buffer_read(&file, str_of(spellings[i].shown), &mem,
				   &buffer);
		can = editor_buffer_encode(&file, &buffer,
					   str_of(spellings[i].bytes), &mem,
					   &sent, &text);
		assert_int_equal(can, spellings[i].sent != NULL);
		if (!can)
			continue;
		assert_str(sent, spellings[i].sent);
		/* reading the same text back gives the same hash */
		editor_buffer_read(&file, sent, &mem, &again);
		assert_true(hash_eq(again.text, text));
	}
}

static void binary_files_are_refused(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct disk_text file;

	assert_false(disk_text_open(STR("\x7f"
					"ELF\x02\x01\0\0"),
				    &mem, &file));
	/* UTF-8 with one invalid byte */
	assert_false(disk_text_open(
		STR("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88\n\xff\n"),
		&mem, &file));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buffer_is_converted_to_bytes),
		cmocka_unit_test(bytes_are_converted_to_text_or_refused),
		cmocka_unit_test(binary_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
