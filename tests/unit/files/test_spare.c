#include "scratch.h"

#include "base/fd.h"
#include "files/replace.h"
#include "files/spare.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 1000, STEP_US = 10 * 1000 };

static void spares_end(struct spares *s)
{
	spares_free(s);
}

#define auto_spares cleanup(spares_end) struct spares

static int open_dir(struct scratch *s, const char *name)
{
	return fd_openat(AT_FDCWD, scratch_path(s, name),
			 O_RDONLY | O_DIRECTORY, 0);
}

/* The thread makes them when it gets to it; -1 where that is impossible. */
static int take_one(struct spares *s, int dir)
{
	bool none = false;
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0 && !none; i++) {
		(void)pthread_mutex_lock(&s->lock);
		none = s->none;
		(void)pthread_mutex_unlock(&s->lock);
		fd = spare_take(s, dir);
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

static void one_is_empty_ours_and_has_no_name(void **state)
{
	auto_scratch s = scratch_make();
	auto_spares spares;
	auto_fd dir = open_dir(&s, "root");
	auto_fd fd = -1;
	struct stat st;

	spares_init(&spares);
	fd = take_one(&spares, dir);
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

static void a_directory_that_is_written_to_once_gets_none(void **state)
{
	auto_scratch s = scratch_make();
	auto_spares spares;
	auto_fd one = open_dir(&s, "root"), two = open_dir(&s, "outside");

	spares_init(&spares);
	for (int i = 0; i < 10; i++)
		assert_int_equal(spare_take(&spares, i % 2 ? one : two), -1);
	assert_false(spares.running);
}

static void those_of_another_directory_are_not_given(void **state)
{
	auto_scratch s = scratch_make();
	auto_spares spares;
	auto_fd one = open_dir(&s, "root"), two = open_dir(&s, "outside");
	auto_fd fd = -1;

	spares_init(&spares);
	fd = take_one(&spares, one);
	assert_int_equal(spare_take(&spares, two), -1);
	assert_int_equal(spare_take(&spares, one), -1);
}

static void a_replace_takes_it(void **state)
{
	auto_scratch s = scratch_make();
	auto_spares spares;
	auto_fd dir = open_dir(&s, "root");
	auto_replace r = REPLACE_INIT;
	struct replace_old old = { .fd = -1 };
	char hex[HASH_HEX + 1];

	spares_init(&spares);
	scratch_put(&s, "root/a", "old");
	r.fd = take_one(&spares, dir);
	assert_int_equal(replace_begin(&r, dir, "a", s.root, 0600, 0, &s.f),
			 ERR_OK);
	assert_int_equal(fd_pwrite(r.fd, STR("new"), 0), 0);
	assert_int_equal(replace_commit(&r, &old, hex, &s.f), ERR_OK);
	assert_string_equal(scratch_get(&s, "root/a"), "new");
	assert_int_equal(scratch_names(&s, "root"), 1);
}

/* The end of the pipe comes when nobody has the other open. */
static void assert_closed(struct spares *spares, bool large)
{
	int ends[2];
	char c;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	spare_leave(spares, &ends[1], large);
	assert_int_equal(ends[1], -1);
	assert_int_equal(fd_read(ends[0], &c, 1), 0);
	fd_drop(&ends[0]);
}

static void what_is_left_is_closed(void **state)
{
	auto_scratch s = scratch_make();
	auto_fd dir = open_dir(&s, "root");
	auto_fd fd = -1;

	for (int with_thread = 0; with_thread < 2; with_thread++) {
		auto_spares spares;

		spares_init(&spares);
		if (with_thread)
			fd = take_one(&spares, dir);
		assert_closed(&spares, /* large= */ false);
	}
}

/* It is not there yet, or sleeps, with spares and without. */
static void what_is_large_has_a_thread_of_its_own(void **state)
{
	auto_scratch s = scratch_make();
	auto_fd dir = open_dir(&s, "root");
	auto_spares spares;
	auto_fd fd = -1;

	spares_init(&spares);
	for (int i = 0; i < 2 * SPARES; i++)
		assert_closed(&spares, /* large= */ true);
	assert_true(spares.running);
	fd = take_one(&spares, dir);
	for (int i = 0; i < 2 * SPARES; i++)
		assert_closed(&spares, /* large= */ true);
}

/* What a death has left has the name; it is not in the way. */
static void a_neighbour_that_was_left_goes(void **state)
{
	auto_scratch s = scratch_make();
	auto_spares spares;
	auto_fd dir = open_dir(&s, "root");
	auto_replace left = REPLACE_INIT, r = REPLACE_INIT;

	spares_init(&spares);
	assert_int_equal(replace_begin(&left, dir, "a", s.root, 0600, 0, &s.f),
			 ERR_OK);
	left.there = false;
	r.fd = take_one(&spares, dir);
	assert_int_equal(replace_begin(&r, dir, "a", s.root, 0600, 0, &s.f),
			 ERR_OK);
	assert_int_equal(scratch_names(&s, "root"), 1);
	replace_drop(&r);
	assert_int_equal(scratch_names(&s, "root"), 0);
}

/* One that cannot have a name there is as good as none. */
static void one_that_is_of_no_use_is_not_needed(void **state)
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

/* Written over and over, by whichever way: the bytes, the mode, no litter. */
static void what_is_stored_is_the_same_with_and_without(void **state)
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
		cmocka_unit_test(one_is_empty_ours_and_has_no_name),
		cmocka_unit_test(a_directory_that_is_written_to_once_gets_none),
		cmocka_unit_test(those_of_another_directory_are_not_given),
		cmocka_unit_test(a_replace_takes_it),
		cmocka_unit_test(what_is_left_is_closed),
		cmocka_unit_test(what_is_large_has_a_thread_of_its_own),
		cmocka_unit_test(a_neighbour_that_was_left_goes),
		cmocka_unit_test(one_that_is_of_no_use_is_not_needed),
		cmocka_unit_test(what_is_stored_is_the_same_with_and_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
