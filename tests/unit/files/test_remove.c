/*
 * test_remove.c - ws_remove(): only the expected version is removed.
 */
#include "scratch.h"

#include <sys/stat.h>
#include <unistd.h>

static enum err take(struct scratch *s, const char *name, const char *content,
		     const struct store_want *want)
{
	return ws_remove(s->ws, scratch_str(s, name), hash_of(str_of(content)),
			 want, &s->mem, &s->f);
}

static void a_file_with_that_version_is_removed(void **state)
{
	auto_scratch s = scratch_make();

	scratch_put(&s, "root/a", "x");
	scratch_put(&s, "root/b", "x");
	scratch_link(&s, "b", "root/link");
	assert_int_equal(take(&s, "root/a", "x", NULL), ERR_OK);
	assert_null(scratch_get(&s, "root/a"));
	/* the target is removed, not the symlink */
	assert_int_equal(take(&s, "root/link", "x", NULL), ERR_OK);
	assert_null(scratch_get(&s, "root/b"));
	assert_int_equal(scratch_names(&s, "root"), 1);
	assert_int_equal(take(&s, "root/a", "x", NULL), ERR_CHANGED);
	assert_str(s.f.version, "");
}

static void a_file_with_another_version_stays(void **state)
{
	auto_scratch s = scratch_make();
	char hex[HASH_HEX + 1];

	scratch_put(&s, "root/a", "theirs");
	hash_hex(hash_of(STR("theirs")), hex);
	assert_int_equal(take(&s, "root/a", "x", NULL), ERR_CHANGED);
	assert_str(s.f.version, hex);
	assert_string_equal(scratch_get(&s, "root/a"), "theirs");
	assert_int_equal(scratch_names(&s, "root"), 1);
}

static void other_hard_links_stay(void **state)
{
	auto_scratch s = scratch_make();

	scratch_put(&s, "root/a", "x");
	assert_int_equal(link(scratch_path(&s, "root/a"),
			      scratch_path(&s, "root/b")),
			 0);
	assert_int_equal(take(&s, "root/a", "x", NULL), ERR_OK);
	assert_null(scratch_get(&s, "root/a"));
	assert_string_equal(scratch_get(&s, "root/b"), "x");
	assert_int_equal(scratch_names(&s, "root"), 1);
}

static void only_regular_files_in_the_roots_are_removed(void **state)
{
	auto_scratch s = scratch_make();

	scratch_dir(&s, "root/dir");
	scratch_put(&s, "outside/a", "x");
	scratch_link(&s, scratch_path(&s, "outside/a"), "root/out");
	assert_int_equal(take(&s, "root/dir", "x", NULL), ERR_IS_DIRECTORY);
	assert_int_equal(take(&s, "outside/a", "x", NULL), ERR_DENIED);
	assert_int_equal(take(&s, "root/out", "x", NULL), ERR_DENIED);
	assert_int_equal(take(&s, "root/no/a", "x", NULL), ERR_NO_PARENT);
	assert_string_equal(scratch_get(&s, "outside/a"), "x");
	assert_int_equal(scratch_names(&s, "root"), 2);
}

static int in_closed_directory(struct scratch *s)
{
	need(take(s, "root/dir/a", "x", NULL) == ERR_DENIED);
	need(!strcmp(scratch_get(s, "root/dir/a"), "x"));
	return 0;
}

static void a_read_only_directory_keeps_its_files(void **state)
{
	auto_scratch s = scratch_make();

	scratch_dir(&s, "root/dir");
	scratch_put(&s, "root/dir/a", "x");
	assert_int_equal(chmod(scratch_path(&s, "root/dir/a"), 0666), 0);
	assert_int_equal(chmod(scratch_path(&s, "root/dir"), 0555), 0);
	assert_int_equal(scratch_as_nobody(&s, in_closed_directory), 0);
}

static enum err say;
static unsigned times;

static enum err when_ready(void *ctx, struct fault *f)
{
	times++;
	return say ? fail(f, say, .text = STR("no")) : ERR_OK;
}

static void nothing_is_removed_when_ready_refuses(void **state)
{
	const struct store_want want = { .ready = when_ready };
	auto_scratch s = scratch_make();

	scratch_put(&s, "root/a", "x");
	say = ERR_REFUSED;
	assert_int_equal(take(&s, "root/a", "x", &want), ERR_REFUSED);
	assert_string_equal(scratch_get(&s, "root/a"), "x");
	assert_int_equal(scratch_names(&s, "root"), 1);
	assert_int_equal(take(&s, "root/a", "y", &want), ERR_CHANGED);
	assert_int_equal(times, 1);
	say = ERR_OK;
	assert_int_equal(take(&s, "root/a", "x", &want), ERR_OK);
	assert_int_equal(times, 2);
	assert_int_equal(scratch_names(&s, "root"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_with_that_version_is_removed),
		cmocka_unit_test(a_file_with_another_version_stays),
		cmocka_unit_test(other_hard_links_stay),
		cmocka_unit_test(only_regular_files_in_the_roots_are_removed),
		cmocka_unit_test(a_read_only_directory_keeps_its_files),
		cmocka_unit_test(nothing_is_removed_when_ready_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
