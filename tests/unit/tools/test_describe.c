/*
 * test_describe.c - descriptions of changes: created, deleted and binary
 * files, mode, encoding, line endings, badges.
 */
#include "../unit.h"

#include "tools/change/describe.h"

#define SIDE(text)                                                    \
	{                                                             \
		.exists = true, .bytes = STR_INIT(text), .mode = 0644 \
	}
#define ABSENT    \
	{         \
		0 \
	}

/* "żółć" and a line end, in two encodings; and binary content. */
#define ISO  "\xbf\xf3\xb3\xe6\n"
#define UTF8 "\xc5\xbc\xc3\xb3\xc5\x82\xc4\x87\n"
#define UTF16      \
	"\xff\xfe" \
	"a\0\n\0"
#define BINARY "\0\1\2\3\4\5\6\7"

static const struct {
	const char *name;
	struct described change;
	const char *does, *badges;
} rows[] = {
	{ "created",
	  { .before = ABSENT, .after = SIDE("a\nb\n") },
	  "creates a file of 2 lines",
	  "" },
	{ "created, one line",
	  { .before = ABSENT, .after = SIDE("a\n") },
	  "creates a file of 1 line",
	  "" },
	{ "created empty",
	  { .before = ABSENT, .after = SIDE("") },
	  "creates an empty file",
	  "" },
	{ "created binary",
	  { .before = ABSENT, .after = SIDE(BINARY) },
	  "creates a binary file of 8 bytes",
	  "" },
	{ "deleted",
	  { .before = SIDE("a\r\nb\r\n"), .after = ABSENT },
	  "deletes a file of 2 lines",
	  "CRLF" },
	{ "deleted binary",
	  { .before = SIDE(BINARY), .after = ABSENT },
	  "deletes a binary file of 8 bytes",
	  "" },
	{ "binary by text",
	  { .before = SIDE(BINARY), .after = SIDE("a\n") },
	  "replaces a binary file of 8 bytes by a file of 1 line",
	  "" },
	{ "text by binary",
	  { .before = SIDE("a\n"), .after = SIDE(BINARY) },
	  "replaces a file of 1 line by a binary file of 8 bytes",
	  "" },
	{ "binary by binary",
	  { .before = SIDE(BINARY), .after = SIDE(BINARY "\1") },
	  "replaces a binary file of 8 bytes by one of 9 bytes",
	  "" },
	{ "the same binary",
	  { .before = SIDE(BINARY), .after = SIDE(BINARY) },
	  "",
	  "" },
	{ "lines only",
	  { .before = SIDE("a\n"), .after = SIDE("b\n") },
	  "",
	  "" },
	{ "mode",
	  { .before = SIDE("a\n"),
	    .after = { .exists = true,
		       .bytes = STR_INIT("a\n"),
		       .mode = 0755 } },
	  "changes mode to 755",
	  "" },
	{ "setuid",
	  { .before = SIDE("a\n"),
	    .after = { .exists = true,
		       .bytes = STR_INIT("b\n"),
		       .mode = 04755 } },
	  "changes mode to 4755",
	  "" },
	{ "an unknown mode",
	  { .before = SIDE("a\n"),
	    .after = { .exists = true, .bytes = STR_INIT("b\n") } },
	  "",
	  "" },
	{ "line ends",
	  { .before = SIDE("a\nb\n"), .after = SIDE("a\r\nb\r\n") },
	  "changes line endings from LF to CRLF",
	  "CRLF" },
	{ "mixed line ends",
	  { .before = SIDE("a\r\nb\r\n"), .after = SIDE("a\r\nb\n") },
	  "changes line endings from CRLF to mixed",
	  "mixed line endings" },
	{ "encoding",
	  { .before = SIDE(UTF16), .after = SIDE("a\n") },
	  "changes the encoding from utf-16le to utf-8",
	  "" },
	{ "into another encoding",
	  { .before = SIDE(UTF8), .after = SIDE(UTF16) },
	  "changes the encoding from utf-8 to utf-16le",
	  "utf-16le" },
	{ "ASCII is the same in both",
	  { .before = SIDE("a\n"), .after = SIDE(UTF8) },
	  "",
	  "" },
	{ "all of it",
	  { .before = SIDE(UTF16),
	    .after = { .exists = true,
		       .bytes = STR_INIT("a\r\n"),
		       .mode = 0755 } },
	  "changes the encoding from utf-16le to utf-8\n"
	  "changes line endings from LF to CRLF\n"
	  "changes mode to 755",
	  "CRLF" },
	{ "appended",
	  { .before = SIDE("a\n"), .after = SIDE("b\nc\n"), .appends = true },
	  "adds 2 lines at the end",
	  "" },
	{ "appended binary",
	  { .before = SIDE("a\n"), .after = SIDE(BINARY), .appends = true },
	  "adds 8 bytes at the end",
	  "" },
};

static void each_change_has_its_words(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		struct description got;

		describe_change(&rows[i].change, &mem, &got);
		print_message("# %s\n", rows[i].name);
		assert_string_equal(arena_cstr(&mem, got.does), rows[i].does);
		assert_string_equal(arena_cstr(&mem, got.badges),
				    rows[i].badges);
		assert_int_equal(got.before.exists,
				 rows[i].change.before.exists);
		assert_int_equal(got.after.exists, rows[i].change.after.exists);
	}
}

/* A named encoding counts where the bytes alone could be another one. */
static void a_named_encoding_is_a_badge(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct described d = {
		.before = SIDE(ISO),
		.after = SIDE(ISO ISO),
		.as = { encoding_named(STR("iso-8859-2")), true },
	};
	struct description got;

	describe_change(&d, &mem, &got);
	assert_string_equal(arena_cstr(&mem, got.does), "");
	assert_string_equal(arena_cstr(&mem, got.badges), "iso-8859-2");
	assert_string_equal(arena_cstr(&mem, got.after.shown), UTF8 UTF8);
}

static void numbers_have_commas(void **state)
{
	static const struct {
		uint64_t n;
		const char *number, *count;
	} cases[] = {
		{ 0, "0", "0 lines" },
		{ 1, "1", "1 line" },
		{ 999, "999", "999 lines" },
		{ 1000, "1,000", "1,000 lines" },
		{ 1234567, "1,234,567", "1,234,567 lines" },
		{ UINT64_MAX, "18,446,744,073,709,551,615",
		  "18,446,744,073,709,551,615 lines" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		auto_arena mem = ARENA_INIT;

		assert_string_equal(arena_cstr(&mem, describe_number(cases[i].n,
								     &mem)),
				    cases[i].number);
		assert_string_equal(arena_cstr(&mem,
					       describe_count(cases[i].n,
							      "line", &mem)),
				    cases[i].count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_change_has_its_words),
		cmocka_unit_test(a_named_encoding_is_a_badge),
		cmocka_unit_test(numbers_have_commas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
