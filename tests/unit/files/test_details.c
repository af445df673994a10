/*
 * test_details.c - ws_details(): what stat(1) shows, within the roots only.
 */
#include "scratch.h"

#include <fcntl.h>
#include <sys/stat.h>

static enum err details(struct scratch *s, const char *name,
			struct file_details *ret)
{
	return ws_details(s->ws, scratch_str(s, name), &s->mem, ret, &s->f);
}

static void details_are_those_of_stat(void **state)
{
	const struct timespec times[] = { { 1000, 5 }, { 2000, 6 } };
	auto_scratch s = scratch_make();
	struct file_details got;

	scratch_put(&s, "root/a", "abc");
	assert_int_equal(chmod(scratch_path(&s, "root/a"), 0640), 0);
	assert_int_equal(utimensat(AT_FDCWD, scratch_path(&s, "root/a"), times,
				   0),
			 0);
	assert_int_equal(details(&s, "root/a", &got), ERR_OK);
	assert_true(str_eq(got.key, scratch_str(&s, "root/a")));
	assert_int_equal(got.kind, WS_ENTRY_FILE);
	assert_int_equal(got.size, 3);
	assert_int_equal(got.mode, 0640);
	assert_int_equal(got.accessed, 1000000000005);
	assert_int_equal(got.modified, 2000000000006);
}

static void kinds_are_told_and_links_followed(void **state)
{
	auto_scratch s = scratch_make();
	struct file_details got;

	scratch_dir(&s, "root/d");
	scratch_put(&s, "root/d/a", "12345");
	scratch_link(&s, "d/a", "root/l");
	assert_int_equal(mkfifo(scratch_path(&s, "root/p"), 0600), 0);
	assert_int_equal(details(&s, "root", &got), ERR_OK);
	assert_int_equal(got.kind, WS_ENTRY_DIRECTORY);
	assert_int_equal(details(&s, "root/d", &got), ERR_OK);
	assert_int_equal(got.kind, WS_ENTRY_DIRECTORY);
	assert_int_equal(details(&s, "root/p", &got), ERR_OK);
	assert_int_equal(got.kind, WS_ENTRY_OTHER);
	assert_int_equal(details(&s, "root/l", &got), ERR_OK);
	assert_int_equal(got.kind, WS_ENTRY_FILE);
	assert_int_equal(got.size, 5);
	assert_true(str_eq(got.key, scratch_str(&s, "root/d/a")));
}

static void nothing_is_told_of_what_is_elsewhere(void **state)
{
	auto_scratch s = scratch_make();
	struct file_details got;

	scratch_put(&s, "outside/a", "1");
	scratch_link(&s, "../outside/a", "root/out");
	scratch_link(&s, "nothing", "root/dangling");
	assert_int_equal(details(&s, "outside/a", &got), ERR_DENIED);
	assert_int_equal(details(&s, "root/out", &got), ERR_DENIED);
	assert_int_equal(details(&s, "root/dangling", &got), ERR_NOT_FOUND);
	assert_int_equal(details(&s, "root/no", &got), ERR_NOT_FOUND);
	assert_int_equal(details(&s, "root/no/no", &got), ERR_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(details_are_those_of_stat),
		cmocka_unit_test(kinds_are_told_and_links_followed),
		cmocka_unit_test(nothing_is_told_of_what_is_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
