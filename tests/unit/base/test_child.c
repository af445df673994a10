/*
 * test_child.c - C23: child processes end in time and leave nothing behind.
 */
#include "../unit.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LONG_MS = 60000, MOST = 1000 };

static const char *const env[] = { "PATH=/usr/bin:/bin", "ONE=1", NULL };

static struct child_result run(const char *script, struct child_options want,
			       struct arena *mem)
{
	const char *const argv[] = { "/bin/sh", "-c", script, NULL };
	struct child_result done;

	want.argv = argv;
	want.env = env;
	if (!want.limit_ms)
		want.limit_ms = LONG_MS;
	if (!want.most)
		want.most = MOST;
	child_run(&want, mem, &done);
	return done;
}

static const struct {
	const char *script;
	enum child_end end;
	int status;
	const char *out, *err;
} commands[] = {
	{ "cat", CHILD_EXITED, 0, "the input", "" },
	{ "true", CHILD_EXITED, 0, "", "" }, /* does not read its input */
	{ "echo out; echo no >&2; exit 3", CHILD_EXITED, 3, "out\n", "no\n" },
	{ "exec >&-; exec 2>&-; exit 4", CHILD_EXITED, 4, "", "" },
	{ "kill -9 $$", CHILD_KILLED, SIGKILL, "", "" },
	{ "kill -TERM $$", CHILD_KILLED, SIGTERM, "", "" },
	{ "echo $ONE; /usr/bin/env | grep -c HOME=", CHILD_EXITED, 1, "1\n0\n",
	  "" },
	{ "no-such-command-at-all 2>/dev/null", CHILD_EXITED, 127, "", "" },
	/* SIGPIPE has its default action in the child */
	{ "kill -PIPE $$", CHILD_KILLED, SIGPIPE, "", "" },
	{ "grep SigBlk /proc/self/status", CHILD_EXITED, 0,
	  "SigBlk:\t0000000000000000\n", "" },
};

static void a_command_is_told_as_it_ended(void **state)
{
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		auto_arena mem = ARENA_INIT;
		struct child_result done =
			run(commands[i].script,
			    (struct child_options){ .input = STR("the input") },
			    &mem);

		assert_int_equal(done.end, commands[i].end);
		assert_int_equal(done.status, commands[i].status);
		assert_str(done.out, commands[i].out);
		assert_str(done.err, commands[i].err);
	}
}

static void what_is_not_there_cannot_be_run(void **state)
{
	const char *const argv[] = { "/no/such/program", NULL };
	struct child_options want = {
		.argv = argv, .env = env, .most = MOST, .limit_ms = LONG_MS
	};
	auto_arena mem = ARENA_INIT;
	struct child_result done;

	child_run(&want, &mem, &done);
	if (done.end == CHILD_EXITED) /* under valgrind the start fails late */
		assert_int_equal(done.status, 127);
	else
		assert_int_equal(done.status, ENOENT);
	assert_true(done.end == CHILD_EXITED || done.end == CHILD_FAILED);
}

static void no_descriptor_is_inherited(void **state)
{
	int leaks[] = { open("/dev/null", O_RDONLY), dup(0), dup(1) };
	auto_arena mem = ARENA_INIT;
	/* The listing itself opens the directory, as 3. */
	struct child_result done = run("echo $(ls /proc/self/fd)",
				       (struct child_options){ 0 }, &mem);

	assert_str(done.out, "0 1 2 3\n");
	for (size_t i = 0; i < COUNT_OF(leaks); i++) {
		assert_true(leaks[i] > 2);
		(void)close(leaks[i]);
	}
}

static void what_is_said_is_bounded_and_never_blocks(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct child_result done =
		run("head -c 10000000 /dev/zero | tr '\\0' x;"
		    "head -c 10000000 /dev/zero | tr '\\0' y >&2; exit 5",
		    (struct child_options){ 0 }, &mem);

	assert_int_equal(done.end, CHILD_EXITED);
	assert_int_equal(done.status, 5);
	assert_int_equal(done.out.len, MOST);
	assert_int_equal(done.err.len, MOST);
	assert_int_equal(done.out.ptr[MOST - 1], 'x');
	assert_int_equal(done.err.ptr[MOST - 1], 'y');
}

static void a_long_input_is_whole_or_not_read(void **state)
{
	enum { LENGTH = 3000000 };
	auto_arena mem = ARENA_INIT;
	char *bytes = arena_alloc(&mem, LENGTH);
	struct child_options want = { .input = { bytes, LENGTH } };
	struct child_result done;

	memset(bytes, 'z', LENGTH);
	done = run("wc -c", want, &mem);
	assert_int_equal(done.end, CHILD_EXITED);
	assert_str(done.out, "3000000\n");
	done = run("exec <&-; echo closed", want, &mem);
	assert_str(done.out, "closed\n");
}

/* Is there a process of that id that is not a zombie? */
static bool is_alive(struct str number)
{
	auto_arena mem = ARENA_INIT;
	struct str path =
		arena_printf(&mem, "/proc/%ld/stat",
			     strtol(arena_cstr(&mem, number), NULL, 10));
	auto_fd fd = open(path.ptr, O_RDONLY | O_CLOEXEC);
	char stat[512] = "";
	const char *state;

	if (fd < 0 || fd_read(fd, stat, sizeof(stat) - 1) <= 0)
		return false;
	state = strrchr(stat, ')');
	return state && state[2] != 'Z' && state[2] != 'X';
}

/* After SIGKILL the kernel may take a moment. */
static void assert_gone(struct str number)
{
	assert_true(number.len > 1);
	for (int i = 0; i < 1000 && is_alive(number); i++)
		(void)usleep(10000);
	assert_false(is_alive(number));
}

static const struct {
	const char *script; /* prints the id of a process to look for */
} late[] = {
	{ "echo $$; exec sleep 600" },
	{ "trap '' TERM HUP; echo $$; while :; do sleep 1; done" },
	{ "sleep 600 & echo $!; wait" },
	{ "trap '' TERM; (trap '' TERM; exec sleep 600) & echo $!; wait" },
	{ "echo $$; kill -STOP $$" },
	{ "echo $$; yes" },
	{ "echo $$; exec >&- 2>&- <&-; exec sleep 600" },
};

static void who_is_late_is_ended_with_all_its_own(void **state)
{
	for (size_t i = 0; i < COUNT_OF(late); i++) {
		auto_arena mem = ARENA_INIT;
		struct child_result done =
			run(late[i].script,
			    (struct child_options){ .limit_ms = 300 }, &mem);

		assert_int_equal(done.end, CHILD_TIMED_OUT);
		assert_gone(str_head(done.out, str_find(done.out, '\n')));
	}
}

static void what_is_left_running_is_ended_and_not_waited_for(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct child_result done = run("sleep 600 & echo $!; exit 6",
				       (struct child_options){ 0 }, &mem);

	assert_int_equal(done.end, CHILD_EXITED);
	assert_int_equal(done.status, 6);
	assert_gone(done.out);
}

/* A daemon that holds our pipes does not block us. */
static void a_daemon_is_left_alone(void **state)
{
	auto_arena mem = ARENA_INIT;
	struct child_result done =
		run("setsid sh -c 'echo $$; exec sleep 600' & "
		    "until grep -q \"(sleep) . [0-9]* $! $! \" /proc/$!/stat; "
		    "do sleep 0.01; done",
		    (struct child_options){ 0 }, &mem);

	assert_int_equal(done.end, CHILD_EXITED);
	assert_true(done.out.len > 1);
	assert_true(is_alive(done.out));
	(void)kill((pid_t)strtol(arena_cstr(&mem, done.out), NULL, 10),
		   SIGKILL);
	assert_gone(done.out);
}

static bool after_some(void *ctx)
{
	int *left = ctx;

	return --*left < 0;
}

static void who_is_not_wanted_any_more_is_ended(void **state)
{
	int left = 3;
	auto_arena mem = ARENA_INIT;
	struct child_result done =
		run("sleep 600 & echo $!; wait",
		    (struct child_options){ .stop = after_some, .ctx = &left },
		    &mem);

	assert_int_equal(done.end, CHILD_CANCELLED);
	if (done.out.len) /* it may have been killed before */
		assert_gone(done.out);
}

static void *many(void *wrong)
{
	for (int i = 0; i < 20; i++) {
		auto_arena mem = ARENA_INIT;
		struct child_options want = { .input = STR("both") };
		struct child_result done = run("cat; exit 7", want, &mem);

		if (done.end != CHILD_EXITED || done.status != 7 ||
		    !str_is(done.out, "both"))
			*(int *)wrong += 1;
	}
	return NULL;
}

static void several_threads_run_commands_at_once(void **state)
{
	enum { THREADS = 4 };
	int wrong[THREADS] = { 0 };
	pthread_t ids[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&ids[i], NULL, many, &wrong[i]),
				 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(ids[i], NULL), 0);
		assert_int_equal(wrong[i], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_is_told_as_it_ended),
		cmocka_unit_test(what_is_not_there_cannot_be_run),
		cmocka_unit_test(no_descriptor_is_inherited),
		cmocka_unit_test(what_is_said_is_bounded_and_never_blocks),
		cmocka_unit_test(a_long_input_is_whole_or_not_read),
		cmocka_unit_test(who_is_late_is_ended_with_all_its_own),
		cmocka_unit_test(
			what_is_left_running_is_ended_and_not_waited_for),
		cmocka_unit_test(a_daemon_is_left_alone),
		cmocka_unit_test(who_is_not_wanted_any_more_is_ended),
		cmocka_unit_test(several_threads_run_commands_at_once),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
