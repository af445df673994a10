/*
 * test_file_merge.c - three-way merge of bytes in any encoding, with every way
 * of resolving conflicts.
 */
#include "../unit.h"

#include "tools/change/file_merge.h"

#define B(lit)                       \
	{                            \
		lit, sizeof(lit) - 1 \
	}

static const struct {
	struct str base, ours, theirs;
	enum conflicts conflicts;
	size_t count;
	struct str want;
} rows[] = {
	{ B("1\n2\n3\n"), B("one\n2\n3\n"), B("1\n2\nthree\n"), 0, 0,
	  B("one\n2\nthree\n") },
	{ B("1\r\n2\r\n3\r\n"), B("one\r\n2\r\n3\r\n"), B("1\r\n2\r\n"), 0, 0,
	  B("one\r\n2\r\n") },
	{ B("caf\xe9\n2\n3"), B("caf\xe9!\n2\n3"), B("caf\xe9\n2\n4"), 0, 0,
	  B("caf\xe9!\n2\n4") },
	{ B("1\n2\n"), B("X\n2\n"), B("Y\n2\n"), CONFLICTS_MARKERS, 1,
	  B("<<<<<<< now\nX\n=======\nY\n>>>>>>> op\n2\n") },
	{ B("1\n2\n3\n"), B("X\n2\n3\n"), B("Y\n2\nthree\n"), CONFLICTS_OURS, 1,
	  B("X\n2\nthree\n") },
	{ B("1\n2\n3\n"), B("X\n2\nthree\n"), B("Y\n2\n3\n"), CONFLICTS_THEIRS,
	  1, B("Y\n2\nthree\n") },
	{ B("1\n"), B("1\nmine\n"), B("1\nyours\n"), CONFLICTS_OURS, 1,
	  B("1\nmine\n") },
	{ B("1\n"), B("1\nmine\n"), B("1\nyours\n"), CONFLICTS_THEIRS, 1,
	  B("1\nyours\n") },
	{ B("1\nx\n2\ny\n3"), B("1\nX\n2\nY\n3"), B("1\n2\n3"),
	  CONFLICTS_THEIRS, 2, B("1\n2\n3") },
	/* U+0A0A has two bytes that look like newlines */
	{ B("\xff\xfe"
	    "a\0\n\0"
	    "\n\n"
	    "\n\0"
	    "c\0"),
	  B("\xff\xfe"
	    "A\0\n\0"
	    "\n\n"
	    "\n\0"
	    "c\0"),
	  B("\xff\xfe"
	    "a\0\n\0"
	    "\n\n"
	    "\n\0"
	    "C\0"),
	  0, 0,
	  B("\xff\xfe"
	    "A\0\n\0"
	    "\n\n"
	    "\n\0"
	    "C\0") },
};

static void each_row_is_merged_so(void **state)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_arena mem = ARENA_INIT;
		struct file_merge m = { .base = rows[i].base,
					.ours = rows[i].ours,
					.theirs = rows[i].theirs,
					.conflicts = rows[i].conflicts,
					.name = STR("op") };

		assert_true(file_merge_bytes(&m, &mem));
		assert_int_equal(m.count, rows[i].count);
		assert_int_equal(m.bytes.len, rows[i].want.len);
		assert_memory_equal(m.bytes.ptr, rows[i].want.ptr, m.bytes.len);
		assert_int_equal(m.listing.len > 0, m.count > 0);
	}
}

static void what_is_no_text_is_not_merged(void **state)
{
	static const struct str odd[] = { B("\x89PNG\r\n\x1a\n"), B("a\0b\n"),
					  B("\xff\xfe"
					    "a\0\n\0") };

	for (size_t i = 0; i < COUNT_OF(odd); i++) {
		auto_arena mem = ARENA_INIT;
		struct file_merge m = { .base = STR("1\n2\n"),
					.ours = odd[i],
					.theirs = STR("1\n3\n") };

		assert_false(file_merge_bytes(&m, &mem));
	}
}

static void a_listing_shows_both_sides_and_is_short(void **state)
{
	auto_arena mem = ARENA_INIT;
	auto_buf mine = BUF_INIT, yours = BUF_INIT;
	struct file_merge m = { .base = STR("1\n2\n"),
				.ours = STR("1\nmine\n"),
				.theirs = STR("1\nyours\n") };

	assert_true(file_merge_bytes(&m, &mem));
	assert_str(m.listing, "@@ line 2 @@\n-mine\n+yours\n");
	assert_str(
		m.places,
		"[{\"line\":2,\"ours\":\"mine\\n\",\"theirs\":\"yours\\n\",\"base\":\"2\\n\"}]");
	for (int i = 0; i < 1000; i++) {
		buf_addf(&mine, "mine %d\n", i);
		buf_addf(&yours, "yours %d\n", i);
	}
	m.ours = buf_str(&mine);
	m.theirs = buf_str(&yours);
	assert_true(file_merge_bytes(&m, &mem));
	assert_true(m.listing.len <= 2048 + 8);
	assert_true(str_ends(m.listing, STR("\n...\n")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_merged_so),
		cmocka_unit_test(what_is_no_text_is_not_merged),
		cmocka_unit_test(a_listing_shows_both_sides_and_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
