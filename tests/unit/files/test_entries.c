/*
 * test_entries.c - directory listings: sorted, in parts, within the roots
 * only.
 */
#include "scratch.h"

#include <stdio.h>
#include <sys/stat.h>

static enum err entries(struct scratch *s, const char *name, size_t skip,
			size_t limit, struct ws_entries *ret)
{
	return ws_entries(s->ws, scratch_str(s, name), skip, limit, &s->mem,
			  ret, &s->f);
}

static void directories_come_first_then_bytes(void **state)
{
	static const struct {
		const char *name;
		enum ws_entry_kind kind;
		uint64_t size;
	} want[] = {
		{ "y", WS_ENTRY_DIRECTORY, 0 }, { "z", WS_ENTRY_DIRECTORY, 0 },
		{ ".dot", WS_ENTRY_FILE, 1 },   { "B", WS_ENTRY_FILE, 0 },
		{ "a\xff", WS_ENTRY_FILE, 3 },  { "l", WS_ENTRY_LINK, 0 },
		{ "p", WS_ENTRY_OTHER, 0 },
	};
	auto_scratch s = scratch_make();
	struct ws_entries got;

	scratch_put(&s, "root/a\xff", "abc");
	scratch_put(&s, "root/B", "");
	scratch_put(&s, "root/.dot", "1");
	scratch_dir(&s, "root/z");
	scratch_dir(&s, "root/y");
	scratch_link(&s, "z", "root/l");
	assert_int_equal(mkfifo(scratch_path(&s, "root/p"), 0600), 0);
	assert_int_equal(entries(&s, "root", 0, 100, &got), ERR_OK);
	assert_true(str_eq(got.key, scratch_str(&s, "root")));
	assert_int_equal(got.count, COUNT_OF(want));
	assert_int_equal(got.total, COUNT_OF(want));
	assert_false(got.unread);
	for (size_t i = 0; i < COUNT_OF(want); i++) {
		assert_true(str_is(got.entry[i].name, want[i].name));
		assert_int_equal(got.entry[i].kind, want[i].kind);
		assert_false(got.entry[i].own);
		assert_true(got.entry[i].mtime > 0);
		if (want[i].kind == WS_ENTRY_FILE)
			assert_int_equal(got.entry[i].size, want[i].size);
	}
}

/* For every size of a part. */
static void all_parts_together_are_the_directory(void **state)
{
	enum { FILES = 57 };
	auto_scratch s = scratch_make();

	for (int i = 0; i < FILES; i++)
		scratch_put(&s,
			    arena_printf(&s.mem, "root/f%02d", i * 23 % FILES)
				    .ptr,
			    "");
	for (size_t limit = 1; limit <= FILES + 1; limit += 7) {
		struct ws_entries got;
		size_t at = 0;

		do {
			assert_int_equal(entries(&s, "root", at, limit, &got),
					 ERR_OK);
			assert_int_equal(got.total, FILES);
			for (size_t i = 0; i < got.count; i++)
				assert_true(str_is(got.entry[i].name,
						   arena_printf(&s.mem,
								"f%02zu", at++)
							   .ptr));
		} while (got.count);
		assert_int_equal(at, FILES);
	}
}

static void only_directories_beneath_the_roots_are_listed(void **state)
{
	static const struct {
		const char *name;
		enum err want;
	} rows[] = {
		{ "root", ERR_OK },
		{ "root/d", ERR_OK },
		{ "root/in", ERR_OK },
		{ "root/d/..", ERR_OK },
		{ "root/f", ERR_NOT_A_FILE },
		{ "root/none", ERR_NOT_FOUND },
		{ "root/none/none", ERR_NOT_FOUND },
		{ "root/f/none", ERR_NOT_FOUND },
		{ "root/..", ERR_DENIED },
		{ "root/out", ERR_DENIED },
		{ "outside", ERR_DENIED },
		{ "", ERR_DENIED },
	};
	auto_scratch s = scratch_make();
	struct ws_entries got;

	scratch_dir(&s, "root/d");
	scratch_put(&s, "root/f", "");
	scratch_link(&s, "d", "root/in");
	scratch_link(&s, "../outside", "root/out");
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(entries(&s, rows[i].name, 0, 9, &got),
				 rows[i].want);
	assert_int_equal(ws_entries(s.ws, STR("d"), 0, 9, &s.mem, &got, &s.f),
			 ERR_NOT_ABSOLUTE);
}

static void stets_own_files_are_marked_and_not_listed(void **state)
{
	auto_scratch s = scratch_make();
	struct own_item own = { .path = scratch_str(&s, "root/mine"),
				.tree = true };
	struct ws_entries got;

	scratch_dir(&s, "root/mine");
	scratch_put(&s, "root/mine/token", "secret");
	scratch_dir(&s, "root/other");
	ws_local_own(s.ws, &own, 1);
	assert_int_equal(entries(&s, "root", 0, 9, &got), ERR_OK);
	assert_int_equal(got.count, 2);
	assert_true(got.entry[0].own);
	assert_false(got.entry[1].own);
	assert_int_equal(entries(&s, "root/mine", 0, 9, &got), ERR_DENIED);
	assert_string_equal(s.f.reason, "config");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directories_come_first_then_bytes),
		cmocka_unit_test(all_parts_together_are_the_directory),
		cmocka_unit_test(only_directories_beneath_the_roots_are_listed),
		cmocka_unit_test(stets_own_files_are_marked_and_not_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
