/*
 * test_globs.c - patterns of a call: parts, braces, what they fit and name; and
 * the notes and names of results.
 *
 * F15 F29 F30 F32 F43 F69 F71
 */
#include "../unit.h"

#include "tools/find/find.h"

static const struct {
	const char *glob, *path;
	enum find_fit want;
} fits[] = {
	{ "*.c", "a.c", FIND_NAMED },
	{ "*.c", "x/y/a.c", FIND_NAMED },
	{ "*.c", "a.h", FIND_NO_FIT },
	{ "*", "x/y", FIND_FITS },
	{ "**", "x/y", FIND_FITS },
	{ "src/**", "src/a/b", FIND_FITS },
	{ "src/**", "x/src/a", FIND_NO_FIT },
	{ "/a", "a", FIND_NAMED },
	{ "/a", "x/a", FIND_NO_FIT },
	{ "./src/*.c", "src/a.c", FIND_NAMED },
	{ "**/*.c", "a.c", FIND_NAMED },
	{ "src/**/*.c", "src/a.c", FIND_NAMED },
	{ "*.{c,h}", "x/a.h", FIND_NAMED },
	{ "{a,b/c}.x", "a.x", FIND_NAMED },
	{ "{a,b/c}.x", "y/a.x", FIND_NO_FIT },
	{ "{a,{b,c}d}", "cd", FIND_NAMED },
	{ "a{,b}", "a", FIND_NAMED },
	{ "[{]", "{", FIND_FITS },
	{ "\\{a", "{a", FIND_NAMED },
	{ "#a", "#a", FIND_NAMED },
	{ "[ab]?", "a1", FIND_FITS },
	{ "!*.c", "a.c", FIND_NO_FIT },
	{ "!*.c", "a.h", FIND_FITS },
	{ "*.c,!a.c", "a.c", FIND_NO_FIT },
	{ "*.c !a.c", "b.c", FIND_NAMED },
	{ "!a.c *.c", "a.c", FIND_NAMED },
	{ "*.c *.h", "x/a.h", FIND_NAMED },
	{ "* *.log", "a.log", FIND_NAMED },
	{ "*.log *", "a.log", FIND_NAMED },
	{ "", "a", FIND_FITS },
};

static void parts_fit_as_in_gitignore(void **state)
{
	for (size_t i = 0; i < COUNT_OF(fits); i++) {
		auto_arena mem = ARENA_INIT;
		struct glob_budget budget = { .steps = IGNORE_MAX_STEPS };
		struct find_globs globs;
		struct fault f;

		assert_int_equal(find_globs_parse(str_of(fits[i].glob), true,
						  &mem, &globs, &f),
				 ERR_OK);
		assert_int_equal(find_globs_fit(&globs, str_of(fits[i].path),
						&budget),
				 fits[i].want);
	}
}

static const struct {
	const char *glob, *message;
} bad[] = {
	{ "{a", "{a: unclosed {" },
	{ "a[b", "a[b: unclosed [" },
	{ "x,{a,{b}", "{a,{b}: unclosed {" },
	{ "/", "/: it matches nothing" },
};

static void a_malformed_part_is_named(void **state)
{
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		auto_arena mem = ARENA_INIT;
		struct find_globs globs;
		struct fault f;

		assert_int_equal(find_globs_parse(str_of(bad[i].glob), true,
						  &mem, &globs, &f),
				 ERR_BAD_GLOB);
		assert_str(f.text, bad[i].message);
	}
}

static void braces_are_bounded(void **state)
{
	static const char many[] =
		"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}";
	auto_arena mem = ARENA_INIT;
	struct find_globs globs;
	struct fault f;

	assert_int_equal(find_globs_parse(str_of(many), true, &mem, &globs, &f),
			 ERR_BAD_GLOB);
}

/* Matching would end at the NUL, and "*" would match every name. */
static void a_nul_is_refused(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct find_globs globs;
	struct fault f;

	assert_int_equal(find_globs_parse(STR("*\0x"), true, &mem, &globs, &f),
			 ERR_BAD_GLOB);
}

static void literal_directories_lead(void **state)
{
	static const struct {
		const char *glob, *dir;
		bool want;
	} rows[] = {
		{ "src/lib/*.c", "src", true },
		{ "src/lib/*.c", "src/lib", true },
		{ "src/lib/**/*.c", "src/lib/x", true },
		{ "src/lib/*.c", "src/other", false },
		{ "src/lib/*.c", "sr", false },
		{ "src/lib/*.c", "srcx", false },
		{ "{src,inc}/*.c", "inc", true },
		{ "{src,inc}/*.c", "doc", false },
		{ "*.c", "any", true },
		{ "**/x/*.c", "any", true },
		{ "!src/x", "any", true },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		struct find_globs globs;
		struct fault f;

		assert_int_equal(find_globs_parse(str_of(rows[i].glob), true,
						  &mem, &globs, &f),
				 ERR_OK);
		assert_int_equal(find_globs_lead(&globs, str_of(rows[i].dir)),
				 rows[i].want);
	}
}

static void literal_components_are_names(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct find_globs globs;
	struct fault f;

	assert_int_equal(
		find_globs_parse(STR("node_modules/**/*.js !dist/{a,b}/x*"),
				 true, &mem, &globs, &f),
		ERR_OK);
	assert_true(find_globs_name(&globs, STR("node_modules")));
	assert_false(find_globs_name(&globs, STR("dist")));
	assert_false(find_globs_name(&globs, STR("*.js")));
}

static void names_are_escaped(void **state)
{
	static const struct {
		const char *name, *want;
	} rows[] = {
		{ "plain.c", "plain.c" },
		{ "a\nb", "a\\x0ab" },
		{ "\x1b[2J", "\\x1b[2J" },
		{ "\x7f", "\\x7f" },
		{ "\xc2\x85", "\\xc2\\x85" },
		{ "\xff\xc3\xa9", "\\xff\xc3\xa9" },
		{ "back\\slash", "back\\slash" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;

		assert_str(find_escape(str_of(rows[i].name), &mem),
			   rows[i].want);
	}
}

static void the_note_has_its_order(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct find_counts none = { 0 };
	struct find_counts all = { .ignored_files = 2,
				   .ignored_dirs = 1,
				   .binary = 3,
				   .too_large = 1,
				   .unreadable = 1,
				   .need_approval = 1,
				   .special = 4 };
	struct find_note note = { .partial = STR("time"),
				  .next_offset = 250,
				  .decoded = STR("2 UTF-16LE") };

	assert_str(find_note_text(&none, &(struct find_note){ 0 }, &mem), "");
	assert_str(find_note_text(&all, &note, &mem),
		   "Not searched: 2 ignored files, 1 ignored directory, "
		   "3 binary, 1 too large, 1 unreadable, 1 needs approval, "
		   "4 special.\nPartial: time.\nNext: offset=250.\n"
		   "Decoded: 2 UTF-16LE.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_fit_as_in_gitignore),
		cmocka_unit_test(a_malformed_part_is_named),
		cmocka_unit_test(braces_are_bounded),
		cmocka_unit_test(a_nul_is_refused),
		cmocka_unit_test(literal_directories_lead),
		cmocka_unit_test(literal_components_are_names),
		cmocka_unit_test(names_are_escaped),
		cmocka_unit_test(the_note_has_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
