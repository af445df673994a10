/*
 * test_tmpfile_pool.c - temporary files that are made in advance.
 */
#include "scratch.h"

#include "base/fd.h"
#include "files/replace.h"
#include "files/tmpfile_pool.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 1000, STEP_US = 10 * 1000 };

static void pool_end(struct tmpfile_pool *p)
{
	tmpfile_pool_free(p);
}

#define auto_tmpfile_pool cleanup(pool_end) struct tmpfile_pool

static int open_dir(struct scratch *s, const char *name)
{
	return fd_openat(AT_FDCWD, scratch_path(s, name),
			 O_RDONLY | O_DIRECTORY, 0);
}

/* Wait for the thread to fill the pool; -1 without O_TMPFILE. */
static int take_one(struct tmpfile_pool *p, int dir)
{
	bool unsupported = false;
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0 && !unsupported; i++) {
		(void)pthread_mutex_lock(&p->lock);
		unsupported = p->unsupported;
		(void)pthread_mutex_unlock(&p->lock);
		fd = tmpfile_pool_take(p, dir);
		if (fd < 0)
			(void)usleep(STEP_US);
	}
	return fd;
}

static bool can_be_made(int dir)
{
	auto_fd fd = fd_openat(dir, ".", O_RDWR | O_TMPFILE, 0600);

	return fd >= 0;
}

static void a_pooled_file_is_empty_and_has_no_name(void **state)
{
	auto_scratch s = scratch_make();
	auto_tmpfile_pool pool;
	auto_fd dir = open_dir(&s, "root");
	auto_fd fd = -1;
	struct stat st;

	tmpfile_pool_init(&pool);
	fd = take_one(&pool, dir);
	assert_int_equal(fd >= 0, can_be_made(dir));
	if (fd < 0)
		return;
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(scratch_names(&s, "root"), 0);
}

static void alternating_directories_do_not_fill_the_pool(void **state)
{
	auto_scratch s = scratch_make();
	auto_tmpfile_pool pool;
	auto_fd one = open_dir(&s, "root"), two = open_dir(&s, "outside");

	tmpfile_pool_init(&pool);
	for (int i = 0; i < 10; i++)
		assert_int_equal(tmpfile_pool_take(&pool, i % 2 ? one : two),
				 -1);
	assert_false(pool.running);
}

static void files_of_another_directory_are_not_returned(void **state)
{
	auto_scratch s = scratch_make();
	auto_tmpfile_pool pool;
	auto_fd one = open_dir(&s, "root"), two = open_dir(&s, "outside");
	auto_fd fd = -1;

	tmpfile_pool_init(&pool);
	fd = take_one(&pool, one);
	assert_int_equal(tmpfile_pool_take(&pool, two), -1);
	assert_int_equal(tmpfile_pool_take(&pool, one), -1);
}

static void replace_uses_a_pooled_file(void **state)
{
	auto_scratch s = scratch_make();
	auto_tmpfile_pool pool;
	auto_fd dir = open_dir(&s, "root");
	auto_replace r = REPLACE_INIT;
	struct replace_old old = { .fd = -1 };
	char hex[HASH_HEX + 1];

	tmpfile_pool_init(&pool);
	scratch_put(&s, "root/a", "old");
	r.fd = take_one(&pool, dir);
	assert_int_equal(replace_begin(&r, dir, "a", s.root, 0600, 0, &s.f),
			 ERR_OK);
	assert_int_equal(fd_pwrite(r.fd, STR("new"), 0), 0);
	assert_int_equal(replace_commit(&r, &old, hex, &s.f), ERR_OK);
	assert_string_equal(scratch_get(&s, "root/a"), "new");
	assert_int_equal(scratch_names(&s, "root"), 1);
}

/* Reading a pipe returns 0 once its write end, given to the pool, is closed. */
static void assert_closed(struct tmpfile_pool *pool, bool large)
{
	int ends[2];
	char c;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	tmpfile_pool_close_later(pool, &ends[1], large);
	assert_int_equal(ends[1], -1);
	assert_int_equal(fd_read(ends[0], &c, 1), 0);
	fd_drop(&ends[0]);
}

static void replaced_files_are_closed(void **state)
{
	auto_scratch s = scratch_make();
	auto_fd dir = open_dir(&s, "root");
	auto_fd fd = -1;

	for (int with_thread = 0; with_thread < 2; with_thread++) {
		auto_tmpfile_pool pool;

		tmpfile_pool_init(&pool);
		if (with_thread)
			fd = take_one(&pool, dir);
		assert_closed(&pool, /* large= */ false);
	}
}

/* With no thread yet, with one that waits, and with one that fills the pool. */
static void a_large_file_is_closed_at_once_by_the_thread(void **state)
{
	auto_scratch s = scratch_make();
	auto_fd dir = open_dir(&s, "root");
	auto_tmpfile_pool pool;
	auto_fd fd = -1;

	tmpfile_pool_init(&pool);
	for (int i = 0; i < 2 * TMPFILE_POOL_SIZE; i++)
		assert_closed(&pool, /* large= */ true);
	assert_true(pool.running);
	fd = take_one(&pool, dir);
	for (int i = 0; i < 2 * TMPFILE_POOL_SIZE; i++)
		assert_closed(&pool, /* large= */ true);
}

/* The temporary name may be taken by a file that a crash has left. */
static void a_stale_temporary_file_is_removed(void **state)
{
	auto_scratch s = scratch_make();
	auto_tmpfile_pool pool;
	auto_fd dir = open_dir(&s, "root");
	auto_replace left = REPLACE_INIT, r = REPLACE_INIT;

	tmpfile_pool_init(&pool);
	assert_int_equal(replace_begin(&left, dir, "a", s.root, 0600, 0, &s.f),
			 ERR_OK);
	left.linked = false;
	r.fd = take_one(&pool, dir);
	assert_int_equal(replace_begin(&r, dir, "a", s.root, 0600, 0, &s.f),
			 ERR_OK);
	assert_int_equal(scratch_names(&s, "root"), 1);
	replace_drop(&r);
	assert_int_equal(scratch_names(&s, "root"), 0);
}

/* A descriptor that cannot be linked is replaced by a new file. */
static void an_unusable_descriptor_is_not_used(void **state)
{
	auto_scratch s = scratch_make();
	auto_fd dir = open_dir(&s, "root");
	auto_replace r = REPLACE_INIT;
	struct replace_old old = { .fd = -1 };
	char hex[HASH_HEX + 1];
	int ends[2];

	scratch_put(&s, "root/a", "old");
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	(void)close(ends[0]);
	r.fd = ends[1];
	assert_int_equal(replace_begin(&r, dir, "a", s.root, 0600, 0, &s.f),
			 ERR_OK);
	assert_int_equal(fd_pwrite(r.fd, STR("new"), 0), 0);
	assert_int_equal(replace_commit(&r, &old, hex, &s.f), ERR_OK);
	assert_string_equal(scratch_get(&s, "root/a"), "new");
}

/* 100 stores: the pool is used for some of them. */
static void stores_give_the_same_result_with_and_without_the_pool(void **state)
{
	auto_scratch s = scratch_make();
	struct stored stored;
	struct stat st;
	char text[32];

	s.durability = DURABLE_PROCESS;
	ws_local_free(s.ws);
	s.ws = ws_local_new(
		&(struct ws_local_options){ .durability = DURABLE_PROCESS });
	ws_local_roots(s.ws, &s.root, 1, STR(""), NULL);
	scratch_put(&s, "root/a", "first");
	assert_int_equal(chmod(scratch_path(&s, "root/a"), 0641), 0);
	for (int i = 0; i < 100; i++) {
		(void)snprintf(text, sizeof(text), "text %d", i);
		assert_int_equal(scratch_store(&s, "root/a", text, &stored),
				 ERR_OK);
		assert_string_equal(scratch_get(&s, "root/a"), text);
		assert_int_equal(stat(scratch_path(&s, "root/a"), &st), 0);
		assert_int_equal(st.st_mode & 07777, 0641);
		assert_int_equal(st.st_nlink, 1);
		assert_int_equal(scratch_names(&s, "root"), 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pooled_file_is_empty_and_has_no_name),
		cmocka_unit_test(alternating_directories_do_not_fill_the_pool),
		cmocka_unit_test(files_of_another_directory_are_not_returned),
		cmocka_unit_test(replace_uses_a_pooled_file),
		cmocka_unit_test(replaced_files_are_closed),
		cmocka_unit_test(a_large_file_is_closed_at_once_by_the_thread),
		cmocka_unit_test(a_stale_temporary_file_is_removed),
		cmocka_unit_test(an_unusable_descriptor_is_not_used),
		cmocka_unit_test(
			stores_give_the_same_result_with_and_without_the_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
