/*
 * child.h - run a command as a child process, with a deadline.
 *
 * Its input is a file on stdin. Its output is kept up to a limit; the rest is
 * read and dropped, so that the child never blocks. It has a session and a
 * process group of its own: at the deadline, or when the call is cancelled, the
 * group gets SIGTERM and shortly after SIGKILL. When the child exits, processes
 * it left in the group are killed as well; a process that called setsid() is a
 * daemon on purpose and is left alone.
 *
 * It inherits no descriptor but its three, gets the given environment, no
 * blocked or ignored signals, and our working directory. Thread-safe.
 */
#ifndef STET_CHILD_H
#define STET_CHILD_H

#include "base/arena.h"

#include <sys/types.h>

enum child_end {
	CHILD_EXITED,
	CHILD_KILLED,    /* by a signal that we did not send */
	CHILD_TIMED_OUT, /* killed by us at the deadline */
	CHILD_CANCELLED, /* killed by us because stop() returned true */
	CHILD_FAILED,    /* could not be started */
};

struct child_options {
	const char *const *argv; /* ends with NULL; argv[0] is a path */
	const char *const *env;  /* "NAME=value", ends with NULL */
	struct str input;
	size_t most; /* bytes kept of stdout and of stderr, each */
	uint64_t limit_ms;
	bool (*stop)(void *ctx); /* polled; may be NULL */
	void *ctx;
};

struct child_result {
	enum child_end end;
	/*
	 * The exit status, the signal, or the errno of CHILD_FAILED: EPERM when
	 * we are confined and the command was not registered before.
	 */
	int status;
	struct str out, err; /* in the arena */
};

/*
 * Start @argv in its own session with only @stdio open. Returns 0 or an errno
 * value. For child_run() and the spawner.
 */
must_check int child_spawn(const char *const *argv, const char *const *env,
			   const int stdio[3], pid_t *ret);

/*
 * For a forked process that stays: close all descriptors but @fd, so that pipes
 * of the parent can reach their end.
 */
void child_close_fds(int fd);

void child_run(const struct child_options *want, struct arena *mem,
	       struct child_result *ret);

#endif
