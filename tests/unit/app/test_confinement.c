/*
 * test_confinement.c - the confinement of a server, tested from inside.
 *
 * The confinement of a server, tested from inside. Each test has its own
 * process, because confinement cannot be undone.
 */
#include "../unit.h"

#include "app/confinement.h"
#include "base/child.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char base[] = "/tmp/stet-confinement-XXXXXX";
static char root[64], outside[64], state_dir[64];
static char own[64]; /* a state directory that is not in use */

/* How a try went: 0, errno, or past that the signal that ended it. */
enum { KILLED = 1000 };

static int opened(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	return fd < 0 ? errno : close(fd);
}

static int read_passwd(void)
{
	return opened("/etc/passwd", O_RDONLY);
}

static int read_outside(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/secret", outside);
	return opened(path, O_RDONLY);
}

static int write_outside(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/new", outside);
	return opened(path, O_WRONLY | O_CREAT);
}

static int write_program(void)
{
	return opened("/usr/lib/stet-test", O_WRONLY | O_CREAT);
}

static int read_first_process(void)
{
	return opened("/proc/1/cmdline", O_RDONLY);
}

static int read_other_process(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)getppid());
	return opened(path, O_RDONLY);
}

static int read_own_process(void)
{
	return opened("/proc/self/mountinfo", O_RDONLY);
}

static int list_processes(void)
{
	return opened("/proc", O_RDONLY | O_DIRECTORY);
}

/* How the name of an open directory is learned. */
static int read_link_of_descriptor(void)
{
	char link[64], to[256];
	int fd = open(root, O_PATH | O_DIRECTORY);
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, to, sizeof(to));
	return n == (ssize_t)strlen(root) && !memcmp(to, root, (size_t)n)
		       ? 0
		       : EINVAL;
}

static int truncate_outside(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/secret", outside);
	return syscall(SYS_truncate, path, 0) ? errno : 0;
}

static int list_own(void)
{
	return opened(own, O_RDONLY | O_DIRECTORY);
}

static int read_own(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/secret", own);
	return opened(path, O_RDONLY);
}

static int write_root(void)
{
	char path[128], other[128];

	(void)snprintf(path, sizeof(path), "%s/new", root);
	(void)snprintf(other, sizeof(other), "%s/dir", root);
	if (opened(path, O_WRONLY | O_CREAT) || mkdir(other, 0700))
		return errno;
	(void)snprintf(other, sizeof(other), "%s/dir/new", root);
	return rename(path, other) ? errno : 0; /* into another directory */
}

static int write_state(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/new", state_dir);
	return opened(path, O_WRONLY | O_CREAT);
}

/* A converter of the C library, which it loads when it is asked for. */
static int convert(void)
{
	iconv_t cd = iconv_open("UTF-8", "CP932");

	return cd == (iconv_t)-1 ? errno : iconv_close(cd);
}

static int make_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int make_local_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int trace(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? errno : 0;
}

static int start_ring(void)
{
	return syscall(425 /* io_uring_setup */, 1, NULL) < 0 ? errno : 0;
}

static int load_bpf(void)
{
	return syscall(SYS_bpf, 0, NULL, 0) < 0 ? errno : 0;
}

static int run_program(void)
{
	char name[] = "true", *const argv[] = { name, NULL };

	return execv("/bin/true", argv) ? errno : 0;
}

static int make_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid < 0 ? errno : 0;
}

static int signal_parent(void)
{
	return kill(getppid(), SIGCONT) ? errno : 0;
}

static void *nothing(void *arg)
{
	return arg;
}

static int make_thread(void)
{
	pthread_t t;
	int error = pthread_create(&t, NULL, nothing, NULL);

	return error ? error : pthread_join(t, NULL);
}

static int make_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? errno : 0;
}

static int run_hook(void)
{
	const char *const argv[] = { "/bin/sh", "-c", "true", NULL };
	const char *const env[] = { NULL };
	auto_arena mem = ARENA_INIT;
	struct child_result done;

	child_run(&(struct child_options){ .argv = argv,
					   .env = env,
					   .limit_ms = 60000 },
		  &mem, &done);
	return done.end == CHILD_FAILED ? done.status : 0;
}

/* With both, with seccomp alone, and with nothing. */
static const struct {
	const char *name;
	int (*try)(void);
	int on, syscalls;
} tries[] = {
	{ "read /etc/passwd", read_passwd, EACCES, 0 },
	{ "read outside the roots", read_outside, EACCES, 0 },
	{ "write outside the roots", write_outside, EACCES, 0 },
	{ "write beside the libraries", write_program, EACCES, -1 },
	{ "read the command line of process 1", read_first_process, EACCES, 0 },
	{ "read the state of a process", read_other_process, EACCES, 0 },
	{ "read the list of mounts", read_own_process, EACCES, 0 },
	{ "list processes", list_processes, EACCES, 0 },
	{ "read the link of a descriptor", read_link_of_descriptor, 0, 0 },
	{ "truncate outside the roots", truncate_outside, ENOSYS, ENOSYS },
	{ "list another state directory", list_own, 0, 0 },
	{ "read another state directory", read_own, EACCES, 0 },
	{ "change a root", write_root, 0, 0 },
	{ "change the state", write_state, 0, 0 },
	{ "load a converter", convert, 0, 0 },
	{ "make a socket", make_socket, ENOSYS, ENOSYS },
	{ "make a local socket", make_local_socket, ENOSYS, ENOSYS },
	{ "trace", trace, KILLED + SIGSYS, KILLED + SIGSYS },
	{ "use io_uring", start_ring, KILLED + SIGSYS, KILLED + SIGSYS },
	{ "load BPF", load_bpf, KILLED + SIGSYS, KILLED + SIGSYS },
	{ "run a program", run_program, KILLED + SIGSYS, KILLED + SIGSYS },
	{ "make a process", make_process, ENOSYS, ENOSYS },
	{ "signal a process", signal_parent, ENOSYS, ENOSYS },
	{ "make a thread", make_thread, 0, 0 },
	{ "write and run memory", make_code, ENOSYS, ENOSYS },
	{ "run a hook that is new", run_hook, EPERM, EPERM },
};

static void confine_here(int choice)
{
	struct config config = config_default;
	auto_arena mem = ARENA_INIT;
	char *dirs[] = { root };
	struct server *s;
	struct fault f;

	config.confine = choice;
	config.state_dir = state_dir;
	config.policy.no_config = true;
	s = config_server(&config, &f, &mem);
	if (!s)
		_exit(125);
	if (config_roots(s, dirs, 1, &mem, &f))
		_exit(125);
	confinement_enter(s, &config);
}

static int tried(int choice, int (*try)(void))
{
	pid_t pid = fork();
	int how;

	if (!pid) {
		confine_here(choice);
		_exit(try());
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	return WIFSIGNALED(how) ? KILLED + WTERMSIG(how) : WEXITSTATUS(how);
}

static void clear_root(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/dir/new", root);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/dir", root);
	(void)rmdir(path);
}

static void check_all(int choice)
{
	struct confine_state can = confine_possible();

	for (size_t i = 0; i < COUNT_OF(tries); i++) {
		int want = choice == CONFINEMENT_ON ? tries[i].on
						    : tries[i].syscalls;
		int got;

		if (want < 0 || (!can.seccomp && want && want != EACCES) ||
		    (!can.landlock && want == EACCES))
			continue;
		clear_root();
		got = tried(choice, tries[i].try);
		if (got != want)
			print_error("%s: %d, not %d\n", tries[i].name, got,
				    want);
		assert_int_equal(got, want);
	}
}

static void a_server_has_what_it_needs_and_nothing_else(void **state)
{
	check_all(CONFINEMENT_ON);
}

static void without_landlock_calls_are_limited_still(void **state)
{
	check_all(CONFINEMENT_SYSCALLS);
}

static void unconfined_it_can_do_these_things(void **state)
{
	assert_int_equal(tried(CONFINEMENT_OFF, read_passwd), 0);
	assert_int_equal(tried(CONFINEMENT_OFF, make_socket), 0);
	assert_int_equal(tried(CONFINEMENT_OFF, trace), 0);
	assert_int_equal(tried(CONFINEMENT_OFF, make_process), 0);
	assert_int_equal(tried(CONFINEMENT_OFF, run_hook), 0);
}

static int covers_outside(void)
{
	return confinement_covers(outside) ? 0 : 1;
}

static int covers_root(void)
{
	return confinement_covers(root) ? 0 : 1;
}

static void what_lies_beyond_is_told(void **state)
{
	assert_int_equal(tried(CONFINEMENT_ON, covers_root), 0);
	assert_int_equal(tried(CONFINEMENT_ON, covers_outside),
			 confine_possible().landlock ? 1 : 0);
	assert_int_equal(tried(CONFINEMENT_SYSCALLS, covers_outside), 0);
}

static void what_is_in_force_is_said_in_words(void **state)
{
	static const struct {
		struct confine_state state;
		const char *words;
	} rows[] = {
		{ { 7, true, true, true, true },
		  "Landlock 7 (files, network, signals), seccomp, no_new_privs" },
		{ { 2, false, false, true, true },
		  "Landlock 2 (files), seccomp, no_new_privs" },
		{ { 0 }, "no Landlock, no seccomp, no_new_privs is not set" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		auto_buf out = BUF_INIT;

		confine_describe(&rows[i].state, &out);
		assert_str(buf_str(&out), rows[i].words);
	}
}

static int prepare(void **state)
{
	static const char *const names[] = { "root", "outside", "state",
					     "stet" };
	char *const to[] = { root, outside, state_dir, own };
	char path[128];

	if (!mkdtemp(base) || setenv("XDG_STATE_HOME", base, 1))
		return -1;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		(void)snprintf(to[i], sizeof(root), "%s/%s", base, names[i]);
		if (mkdir(to[i], 0700))
			return -1;
	}
	(void)snprintf(path, sizeof(path), "%s/secret", own);
	if (opened(path, O_WRONLY | O_CREAT))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/secret", outside);
	return opened(path, O_WRONLY | O_CREAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_has_what_it_needs_and_nothing_else),
		cmocka_unit_test(without_landlock_calls_are_limited_still),
		cmocka_unit_test(unconfined_it_can_do_these_things),
		cmocka_unit_test(what_lies_beyond_is_told),
		cmocka_unit_test(what_is_in_force_is_said_in_words),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
