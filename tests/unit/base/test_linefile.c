/*
 * test_linefile.c - T61: lines are whole, one write each, and never block.
 */
#include "../unit.h"

#include "base/fd.h"
#include "base/linefile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/stet-linefile-XXXXXX", path[64];

static int make_dir(void **state)
{
	(void)snprintf(path, sizeof(path), "%s/log", mkdtemp(dir));
	return 0;
}

static int drop_dir(void **state)
{
	return rmdir(dir);
}

static void add(struct linefile *l, const char *text)
{
	auto_buf line = BUF_INIT;

	buf_add(&line, str_of(text));
	linefile_add(l, &line);
	assert_int_equal(line.len, 0);
}

static void assert_holds(const char *want)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	char got[256] = "";

	assert_true(fd_read(fd, got, sizeof(got) - 1) >= 0);
	assert_string_equal(got, want);
}

static void lines_go_to_the_end_of_a_private_file(void **state)
{
	struct linefile one, two;
	struct stat st;

	(void)umask(0);
	assert_int_equal(linefile_open(&one, path), 0);
	assert_int_equal(linefile_open(&two, path), 0);
	add(&one, "1");
	add(&two, "2");
	add(&one, "3");
	assert_holds("1\n2\n3\n");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* truncated, as by logrotate */
	assert_int_equal(truncate(path, 0), 0);
	add(&two, "4");
	assert_holds("4\n");
	assert_int_equal(fcntl(one.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	linefile_close(&one);
	linefile_close(&two);
	assert_int_equal(unlink(path), 0);
}

/* RLIMIT_FSIZE simulates a full disk. */
static void a_torn_line_is_ended_before_the_next(void **state)
{
	struct rlimit all, few = { 7, RLIM_INFINITY };
	struct linefile l;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
	few.rlim_max = all.rlim_max;
	assert_int_equal(linefile_open(&l, path), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
	add(&l, "one");
	add(&l, "two or more");
	add(&l, "lost");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
	add(&l, "three");
	add(&l, "four");
	assert_holds("one\ntwo\nthree\nfour\n");
	linefile_close(&l);
	assert_int_equal(unlink(path), 0);
}

static void what_cannot_be_written_is_told_at_once(void **state)
{
	struct linefile l;
	int saved = dup(STDOUT_FILENO), ends[2];

	assert_int_equal(linefile_open(&l, "/no/such/directory/f"), ENOENT);
	assert_int_equal(linefile_open(&l, dir), EISDIR);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(linefile_open(&l, path),
			 ENXIO); /* a FIFO without a reader */
	assert_int_equal(unlink(path), 0);
	/* only the protocol is written to stdout */
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_true(dup2(ends[1], STDOUT_FILENO) >= 0);
	assert_int_equal(linefile_open(&l, "/dev/stdout"), EINVAL);
	assert_int_equal(linefile_open(&l, "/proc/self/fd/1"), EINVAL);
	assert_true(dup2(saved, STDOUT_FILENO) >= 0);
	(void)close(saved);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void a_full_pipe_does_not_block(void **state)
{
	struct linefile l;
	auto_fd reader = -1;

	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader >= 0);
	assert_int_equal(linefile_open(&l, path), 0);
	for (int i = 0; i < 10000; i++)
		add(&l, "as much as a pipe holds, and some more");
	linefile_close(&l);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_go_to_the_end_of_a_private_file),
		cmocka_unit_test(a_torn_line_is_ended_before_the_next),
		cmocka_unit_test(what_cannot_be_written_is_told_at_once),
		cmocka_unit_test(a_full_pipe_does_not_block),
	};

	(void)signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
