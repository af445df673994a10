/*
 * test_locks.c - locks of directories: ours, and flock of other programs.
 */
#include "scratch.h"

#include "base/fd.h"
#include "files/locks.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static int open_dir(struct scratch *s, const char *name, int flags)
{
	return fd_openat(AT_FDCWD, scratch_path(s, name), flags | O_DIRECTORY,
			 0);
}

static const struct file_lock_wait at_once = { .ms = 0 };
static const struct file_lock_wait hasty = { .ms = 5 };

/* X17 */
static void a_second_lock_waits_and_then_is_busy(void **state)
{
	static const int flags[] = { O_RDONLY, O_PATH };

	for (size_t i = 0; i < COUNT_OF(flags) * 2; i++) {
		auto_scratch s = scratch_make();
		const struct file_lock_wait wait = { .ms = 5, .path = s.root };
		struct str dir = scratch_str(&s, "state/locks");
		auto_locks mine, theirs;
		auto_fd one = open_dir(&s, "root", flags[i / 2]);
		auto_fd two = open_dir(&s, "root", flags[i / 2]);
		auto_file_lock a = FILE_LOCK_INIT, b = FILE_LOCK_INIT;
		/* as another thread, or as another process would */
		struct locks *in = i % 2 ? &mine : &theirs;

		locks_init(&mine, dir);
		locks_init(&theirs, dir);
		assert_int_equal(file_lock_take(&a, &mine, one, &at_once, &s.f),
				 ERR_OK);
		assert_int_equal(a.alone, flags[i / 2] == O_PATH);
		assert_int_equal(file_lock_take(&b, in, two, &wait, &s.f),
				 ERR_BUSY);
		assert_str(s.f.path, s.root.ptr);
		file_lock_drop(&b);
		file_lock_drop(&a);
		assert_int_equal(file_lock_take(&b, in, two, &at_once, &s.f),
				 ERR_OK);
		assert_int_equal(scratch_names(&s, "root"), 0);
		assert_int_equal(scratch_names(&s, "state/locks"), 1);
	}
}

static void other_directories_are_not_locked(void **state)
{
	auto_scratch s = scratch_make();
	auto_locks in;
	auto_fd one = open_dir(&s, "root", O_RDONLY);
	auto_fd two = open_dir(&s, "outside", O_RDONLY);
	auto_file_lock a = FILE_LOCK_INIT, b = FILE_LOCK_INIT;

	locks_init(&in, scratch_str(&s, "state/locks"));
	assert_int_equal(file_lock_take(&a, &in, one, &at_once, &s.f), ERR_OK);
	assert_int_equal(file_lock_take(&b, &in, two, &at_once, &s.f), ERR_OK);
	/* dropping one lock keeps the other */
	file_lock_drop(&a);
	assert_int_equal(file_lock_take(&a, &in, two, &at_once, &s.f),
			 ERR_BUSY);
}

/* A foreign flock() delays a lock, but does not prevent it. */
static void a_foreign_flock_only_delays(void **state)
{
	auto_scratch s = scratch_make();
	auto_locks in;
	auto_fd theirs = open_dir(&s, "root", O_RDONLY);
	auto_fd ours = open_dir(&s, "root", O_RDONLY);
	auto_file_lock a = FILE_LOCK_INIT;

	locks_init(&in, scratch_str(&s, "state/locks"));
	assert_int_equal(flock(theirs, LOCK_EX), 0);
	/* a caller that must not block retries later with a timeout */
	assert_int_equal(file_lock_take(&a, &in, ours, &at_once, &s.f),
			 ERR_BUSY);
	assert_int_equal(file_lock_take(&a, &in, ours, &hasty, &s.f), ERR_OK);
	assert_true(a.alone);
	assert_true(a.waited);
	assert_int_not_equal(file_lock_salt(&a), 0);
	file_lock_drop(&a);
	fd_drop(&theirs);
	assert_int_equal(file_lock_take(&a, &in, ours, &at_once, &s.f), ERR_OK);
	assert_false(a.alone);
	assert_int_equal(file_lock_salt(&a), 0);
}

static bool stop_at_once(void *asked)
{
	++*(unsigned *)asked;
	return true;
}

/* X03 */
static void a_cancelled_caller_does_not_wait(void **state)
{
	auto_scratch s = scratch_make();
	unsigned asked = 0;
	const struct progress progress = { .stop = stop_at_once,
					   .ctx = &asked };
	/* longer than the test may take */
	const struct file_lock_wait ages = { .ms = 3600000,
					     .progress = &progress };
	auto_locks in;
	auto_fd dir = open_dir(&s, "root", O_RDONLY);
	auto_file_lock a = FILE_LOCK_INIT, b = FILE_LOCK_INIT;

	locks_init(&in, scratch_str(&s, "state/locks"));
	assert_int_equal(file_lock_take(&a, &in, dir, &at_once, &s.f), ERR_OK);
	assert_int_equal(file_lock_take(&b, &in, dir, &ages, &s.f),
			 ERR_CANCELLED);
	assert_int_equal(asked, 1);
	assert_ptr_equal(b.in, NULL);
}

/* W30: the directory is locked as by another process of this user. */
static void a_store_waits_for_the_lock(void **state)
{
	auto_scratch s = scratch_make();
	const struct ws_local_options options = { .lock_wait_ms = 20 };
	auto_locks others;
	auto_fd dir = open_dir(&s, "root", O_RDONLY);
	auto_file_lock held = FILE_LOCK_INIT;

	ws_local_free(s.ws);
	s.ws = ws_local_new(&options);
	ws_local_roots(s.ws, &s.root, 1, STR(""), NULL);
	locks_init(&others, scratch_str(&s, "state/stet/locks"));
	assert_int_equal(file_lock_take(&held, &others, dir, &at_once, &s.f),
			 ERR_OK);
	assert_int_equal(scratch_store(&s, "root/a", "x", NULL), ERR_BUSY);
	assert_int_equal(scratch_names(&s, "root"), 0);
	file_lock_drop(&held);
	assert_int_equal(scratch_store(&s, "root/a", "x", NULL), ERR_OK);
}

/*
 * A private directory that other users can access or may have created is not
 * used. The threads of this process still exclude each other.
 */
static void an_unsafe_lock_directory_is_not_used(void **state)
{
	static const char *const names[] = { "open", "linked", "file" };
	auto_scratch s = scratch_make();
	auto_fd one = open_dir(&s, "root", O_PATH);
	auto_fd two = open_dir(&s, "root", O_PATH);

	scratch_dir(&s, "open");
	scratch_link(&s, "root", "linked");
	scratch_put(&s, "file", "");
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		auto_locks in;
		auto_file_lock a = FILE_LOCK_INIT, b = FILE_LOCK_INIT;

		locks_init(&in, scratch_str(&s, names[i]));
		assert_int_equal(file_lock_take(&a, &in, one, &at_once, &s.f),
				 ERR_OK);
		assert_int_equal(a.domain, 0);
		assert_int_not_equal(file_lock_salt(&a), 0);
		assert_int_equal(file_lock_take(&b, &in, two, &hasty, &s.f),
				 ERR_BUSY);
	}
	assert_int_equal(scratch_names(&s, "open"), 0);
	assert_int_equal(scratch_names(&s, "root"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_lock_waits_and_then_is_busy),
		cmocka_unit_test(other_directories_are_not_locked),
		cmocka_unit_test(a_foreign_flock_only_delays),
		cmocka_unit_test(a_cancelled_caller_does_not_wait),
		cmocka_unit_test(a_store_waits_for_the_lock),
		cmocka_unit_test(an_unsafe_lock_directory_is_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
