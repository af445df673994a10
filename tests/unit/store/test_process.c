/*
 * test_process.c - the liveness of a process is its lock, not its PID.
 */
#include "state.h"

#include "store/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct held {
	struct process_id who;
	pid_t child;
	int dir;
};

/* Start a program that reports on @out that it runs, then reads its input. */
static void start_program(int in, int out)
{
	if (fork())
		return;
	(void)dup2(in, 0);
	(void)dup2(out, 1);
	(void)execl("/bin/sh", "sh", "-c", "echo; read line", NULL);
	_exit(1);
}

/* In a child: hold the lock until it is killed. */
static void hold(int dir, int tell, const int *in, const int *out)
{
	const struct process_id self = process_self();

	if (process_hold(dir) < 0)
		_exit(1);
	if (in)
		start_program(in[0], out[1]);
	(void)!write(tell, &self, sizeof(self));
	for (;;)
		(void)pause();
}

/* With pipes the child also starts a program (exec). */
static struct held holder(struct state *s, const int *in, const int *out)
{
	struct held h;
	int tell[2];

	assert_int_equal(mkdir(s->dir.ptr, 0700), 0);
	h.dir = open(s->dir.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(pipe2(tell, O_CLOEXEC), 0);
	h.child = fork();
	if (!h.child)
		hold(h.dir, tell[1], in, out);
	(void)close(tell[1]);
	assert_int_equal(read(tell[0], &h.who, sizeof(h.who)), sizeof(h.who));
	assert_int_equal(h.who.pid, h.child);
	(void)close(tell[0]);
	return h;
}

static void end(struct held *h)
{
	assert_int_equal(kill(h->child, SIGKILL), 0);
	assert_int_equal(waitpid(h->child, NULL, 0), h->child);
}

static void it_is_there_until_it_dies(void **state)
{
	auto_state s = state_make();
	struct held h = holder(&s, NULL, NULL);
	struct process_id other = h.who, renumbered = h.who;

	assert_true(process_is_there(h.dir, h.who));
	/* the pid does not matter: another namespace has other pids */
	renumbered.pid = INT32_MAX;
	assert_true(process_is_there(h.dir, renumbered));
	/* a reused pid does not make a process alive */
	other.slot++;
	assert_false(process_is_there(h.dir, other));
	end(&h);
	assert_false(process_is_there(h.dir, h.who));
	h.who.pid = getpid();
	assert_false(process_is_there(h.dir, h.who));
	(void)close(h.dir);
}

/* The descriptor of the lock is closed by exec. */
static void a_program_that_it_started_does_not_stand_for_it(void **state)
{
	auto_state s = state_make();
	struct held h;
	int in[2], out[2];
	char c;

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	h = holder(&s, in, out);
	assert_int_equal(read(out[0], &c, 1), 1); /* it runs */
	end(&h);
	assert_false(process_is_there(h.dir, h.who));
	(void)close(in[1]);
	(void)close(out[1]);
	assert_int_equal(read(out[0], &c, 1), 0); /* it ran until now */
	(void)close(in[0]);
	(void)close(out[0]);
	(void)close(h.dir);
}

static void each_store_of_a_process_holds_its_own(void **state)
{
	auto_state s = state_make();
	const struct process_id self = process_self();
	int dir, one, two;
	struct stat st;

	assert_int_equal(mkdir(s.dir.ptr, 0700), 0);
	dir = open(s.dir.ptr, O_RDONLY | O_DIRECTORY);
	assert_false(process_is_there(dir, self)); /* no lock file yet */
	one = process_hold(dir);
	two = process_hold(dir);
	assert_true(one >= 0 && two >= 0);
	assert_int_equal(close(one), 0);
	assert_true(process_is_there(dir, self));
	assert_int_equal(close(two), 0);
	assert_false(process_is_there(dir, self));
	assert_int_equal(fstatat(dir, "processes", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(process_self().slot, self.slot);
	(void)close(dir);
}

/* The start of this process in ticks: how older versions recorded it. */
static uint64_t ticks(void)
{
	unsigned long long n = 0;
	FILE *f = fopen("/proc/self/stat", "r");

	assert_int_equal(fscanf(f,
				"%*d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
				"%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
				&n),
			 1);
	(void)fclose(f);
	return n;
}

static void records_of_older_versions_are_judged_by_what_is_seen(void **state)
{
	auto_state s = state_make();
	struct held h = holder(&s, NULL, NULL);
	const struct process_id mine = { getpid(), ticks() };
	const struct process_id reused = { getpid(), ticks() + 1 };
	const struct process_id bare = { h.child, 0 }, none = { 0, 0 };

	assert_true(process_is_there(h.dir, mine));
	assert_false(process_is_there(h.dir, reused));
	assert_true(process_is_there(h.dir, bare));
	assert_false(process_is_there(h.dir, none));
	assert_int_equal(kill(h.child, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)h.child, &(siginfo_t){ 0 },
				WEXITED | WNOWAIT),
			 0);
	assert_false(process_is_there(h.dir, bare)); /* a zombie */
	assert_int_equal(waitpid(h.child, NULL, 0), h.child);
	assert_false(process_is_there(h.dir, bare));
	(void)close(h.dir);
}

static int is_another(struct state *s)
{
	need(process_self().slot != s->options.max_bytes);
	need(process_self().pid == getpid());
	return 0;
}

static void after_fork_it_is_another(void **state)
{
	auto_state s = state_make();

	s.options.max_bytes = process_self().slot; /* for the child */
	assert_int_equal(state_in_child(&s, is_another), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_there_until_it_dies),
		cmocka_unit_test(
			a_program_that_it_started_does_not_stand_for_it),
		cmocka_unit_test(each_store_of_a_process_holds_its_own),
		cmocka_unit_test(
			records_of_older_versions_are_judged_by_what_is_seen),
		cmocka_unit_test(after_fork_it_is_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
