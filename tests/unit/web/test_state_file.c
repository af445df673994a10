/*
 * test_state_file.c - private files: atomic writes, the lock, and files that
 * are refused.
 */
#include "place.h"

#include "base/fd.h"
#include "web/state_file.h"

#include <sys/stat.h>
#include <unistd.h>

static void what_is_written_is_private_and_comes_back(void **state)
{
	auto_place p = place_make();
	auto_state_file_dir d = STATE_FILE_DIR_INIT;
	struct str text;
	struct stat st;

	assert_int_equal(state_file_dir_open(p.dir, false, &d, &p.mem, &p.f),
			 ERR_NOT_FOUND);
	assert_int_equal(access(p.dir.ptr, F_OK), -1);
	assert_int_equal(state_file_dir_open(p.dir, true, &d, &p.mem, &p.f),
			 ERR_OK);
	assert_int_equal(state_file_read(&d, "f", &p.mem, &text, NULL, &p.f),
			 ERR_NOT_FOUND);
	for (int durable = 0; durable < 2; durable++) {
		struct str said = durable ? STR("two") : STR("one");

		/* left over from a crash */
		place_write(&p, ".f.tmp", "half", 0644);
		assert_int_equal(state_file_write(&d, "f", said, durable,
						  &p.mem, &p.f),
				 ERR_OK);
		assert_int_equal(stat(place_path(&p, "f"), &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		assert_int_equal(state_file_read(&d, "f", &p.mem, &text, NULL,
						 &p.f),
				 ERR_OK);
		assert_true(str_eq(text, said));
		assert_int_equal(access(place_path(&p, ".f.tmp"), F_OK), -1);
	}
}

static void what_is_no_private_file_is_refused(void **state)
{
	auto_place p = place_make();
	auto_state_file_dir d = STATE_FILE_DIR_INIT;
	struct str text;

	assert_int_equal(state_file_dir_open(p.dir, true, &d, &p.mem, &p.f),
			 ERR_OK);
	place_write(&p, "f", "text", 0604);
	assert_int_equal(state_file_read(&d, "f", &p.mem, &text, NULL, &p.f),
			 ERR_BAD_CONFIG);
	assert_non_null(strstr(place_words(&p), "other users can read it"));
	assert_int_equal(mkfifo(place_path(&p, "pipe"), 0600), 0);
	assert_int_equal(state_file_read(&d, "pipe", &p.mem, &text, NULL, &p.f),
			 ERR_BAD_CONFIG);
	assert_non_null(strstr(place_words(&p), "it is not a file"));
	place_write(&p, "long", "", 0600);
	assert_int_equal(truncate(place_path(&p, "long"), STATE_FILE_MAX + 1),
			 0);
	assert_int_equal(state_file_read(&d, "long", &p.mem, &text, NULL, &p.f),
			 ERR_BAD_CONFIG);
	assert_non_null(strstr(place_words(&p), "/stet/long: it is too large"));
}

static void one_writes_at_a_time(void **state)
{
	auto_place p = place_make();
	auto_state_file_dir d = STATE_FILE_DIR_INIT;
	auto_fd one = -1, two = -1;

	assert_int_equal(state_file_dir_open(p.dir, true, &d, &p.mem, &p.f),
			 ERR_OK);
	assert_int_equal(state_file_dir_lock(&d, &one, &p.mem, &p.f), ERR_OK);
	assert_false(state_file_dir_try_lock(&d, &two));
	fd_drop(&one);
	assert_true(state_file_dir_try_lock(&d, &two));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_private_and_comes_back),
		cmocka_unit_test(what_is_no_private_file_is_refused),
		cmocka_unit_test(one_writes_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
