#include "scratch.h"

#include "base/fd.h"
#include "files/locks.h"

#include <fcntl.h>
#include <unistd.h>

static int open_dir(struct scratch *s, const char *name, int flags)
{
	return fd_openat(AT_FDCWD, scratch_path(s, name), flags | O_DIRECTORY,
			 0);
}

/* X17: one at a time, and the second one gives up after its wait. */
static void the_second_one_waits_and_then_says_busy(void **state)
{
	static const int flags[] = { O_RDONLY, O_PATH };

	for (size_t i = 0; i < COUNT_OF(flags); i++) {
		auto_scratch s = scratch_make();
		struct str stand_in = scratch_str(&s, "state/locks");
		auto_fd one = open_dir(&s, "root", flags[i]);
		auto_fd two = open_dir(&s, "root", flags[i]);
		auto_lock a = LOCK_INIT, b = LOCK_INIT;

		assert_int_equal(lock_take(&a, one, stand_in, 0, s.root, &s.f),
				 ERR_OK);
		assert_int_equal(a.alone, flags[i] == O_PATH);
		assert_int_equal(lock_take(&b, two, stand_in, 5, s.root, &s.f),
				 ERR_BUSY);
		assert_str(s.f.path, s.root.ptr);
		lock_drop(&b);
		lock_drop(&a);
		assert_int_equal(lock_take(&b, two, stand_in, 0, s.root, &s.f),
				 ERR_OK);
		assert_int_equal(scratch_names(&s, "root"), 0);
	}
}

static void other_directories_are_not_locked(void **state)
{
	auto_scratch s = scratch_make();
	auto_fd one = open_dir(&s, "root", O_RDONLY);
	auto_fd two = open_dir(&s, "outside", O_RDONLY);
	auto_lock a = LOCK_INIT, b = LOCK_INIT;

	assert_int_equal(lock_take(&a, one, STR("/"), 0, s.root, &s.f), ERR_OK);
	assert_int_equal(lock_take(&b, two, STR("/"), 0, s.root, &s.f), ERR_OK);
}

/* W30: a store in a directory that somebody holds. */
static void a_store_waits_for_the_lock(void **state)
{
	auto_scratch s = scratch_make();
	const struct ws_local_options hasty = { .lock_wait_ms = 20 };
	auto_fd dir = open_dir(&s, "root", O_RDONLY);

	ws_local_free(s.ws);
	s.ws = ws_local_new(&hasty);
	ws_local_roots(s.ws, &s.root, 1, STR(""), NULL);
	assert_int_equal(lock_file(dir, 0), 0);
	assert_int_equal(scratch_store(&s, "root/a", "x", NULL), ERR_BUSY);
	assert_int_equal(scratch_names(&s, "root"), 0);
	fd_drop(&dir);
	assert_int_equal(scratch_store(&s, "root/a", "x", NULL), ERR_OK);
}

/* A private directory that others can see is not used. */
static void a_stand_in_that_is_not_ours_is_refused(void **state)
{
	auto_scratch s = scratch_make();
	auto_fd dir = open_dir(&s, "root", O_PATH);
	auto_lock a = LOCK_INIT;

	scratch_dir(&s, "open");
	assert_int_equal(lock_take(&a, dir, scratch_str(&s, "open"), 0, s.root,
				   &s.f),
			 ERR_DENIED);
	scratch_link(&s, "root", "linked");
	assert_int_equal(lock_take(&a, dir, scratch_str(&s, "linked"), 0,
				   s.root, &s.f),
			 ERR_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_one_waits_and_then_says_busy),
		cmocka_unit_test(other_directories_are_not_locked),
		cmocka_unit_test(a_store_waits_for_the_lock),
		cmocka_unit_test(a_stand_in_that_is_not_ours_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
