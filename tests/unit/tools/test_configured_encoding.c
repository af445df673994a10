/*
 * test_configured_encoding.c - which of the configured encodings applies to a
 * file.
 */
#include "../memory.h"
#include "../unit.h"

#include "tools/reading/configured_encoding.h"

static const struct encoding_rule rules[] = {
	{ STR_INIT("*.txt"), &encoding_utf8 },
	{ STR_INIT("old/**.rc"), NULL }, /* filled in below */
};

static const char *named(struct memory *m, const struct tool_options *options,
			 const char *path)
{
	auto_arena mem = ARENA_INIT;
	struct call c = { .ws = &m->ws, .options = options, .mem = &mem };
	const struct encoding *e = configured_encoding(&c, str_of(path));

	return e ? e->name : "nothing";
}

static const struct tool_options no_rules = { 0 };

static void the_nearest_file_that_says_something_counts(void **state)
{
	struct memory m = MEMORY(
		{ "/p/.editorconfig",
		  STR_INIT("[*]\ncharset=utf-16le\n[*.md]\ncharset=utf-8\n") },
		{ "/p/a/.editorconfig", STR_INIT("[*.x]\ncharset=utf-8-bom") },
		{ "/p/q/.editorconfig",
		  STR_INIT("root=true\n[*.x]\nindent=2") },
		{ "/p/.gitattributes",
		  STR_INIT("q/*.g working-tree-encoding=utf-16be\n") });

	assert_string_equal(named(&m, &no_rules, "/p/a/f.x"), "utf-8-bom");
	assert_string_equal(named(&m, &no_rules, "/p/a/f.c"), "utf-16le");
	assert_string_equal(named(&m, &no_rules, "/p/a/f.md"), "utf-8");
	/* root = true ends the search; then .gitattributes is used */
	assert_string_equal(named(&m, &no_rules, "/p/q/f.c"), "nothing");
	assert_string_equal(named(&m, &no_rules, "/p/q/f.g"), "utf-16be");
	assert_string_equal(named(&m, &no_rules, "/elsewhere/f"), "nothing");
}

static void the_persons_rules_come_first(void **state)
{
	struct encoding_rule both[] = { rules[0], rules[1] };
	struct tool_options options = { .encodings = both,
					.encoding_count = 2 };
	struct memory m = MEMORY(
		{ "/p/.editorconfig", STR_INIT("[*]\ncharset=utf-16le\n") });

	both[1].encoding = encoding_named(STR("utf-16be"));
	assert_string_equal(named(&m, &options, "/p/f.txt"), "utf-8");
	assert_string_equal(named(&m, &options, "/p/old/a/f.rc"), "utf-16be");
	assert_string_equal(named(&m, &options, "/p/f.c"), "utf-16le");
}

static void it_matters_beyond_ascii_alone(void **state)
{
	char bytes[40];

	for (size_t len = 0; len < sizeof(bytes); len++)
		for (size_t at = 0; at < len; at++) {
			memset(bytes, 'a', len);
			assert_false(configured_encoding_matters(
				str_make(bytes, len)));
			bytes[at] = '\x80';
			assert_true(configured_encoding_matters(
				str_make(bytes, len)));
			bytes[at] = '\0';
			assert_true(configured_encoding_matters(
				str_make(bytes, len)));
			bytes[at] = '\x7f';
			assert_false(configured_encoding_matters(
				str_make(bytes, len)));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_file_that_says_something_counts),
		cmocka_unit_test(the_persons_rules_come_first),
		cmocka_unit_test(it_matters_beyond_ascii_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
