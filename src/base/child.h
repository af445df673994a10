/*
 * child.h - run a command of the person's, and be done with it in time.
 *
 * Its input is a file on stdin. What it says is kept up to a limit, and the
 * rest is read and forgotten, so that it never waits for us. It has a session
 * and a process group of its own: when it is late, or nobody wants it any
 * more, the group is told to end (SIGTERM) and a moment later ended
 * (SIGKILL). When it ends by itself, what it left running in the group is
 * ended too, and nobody waits for that. A process that calls setsid() is a
 * daemon on purpose, and is left alone.
 *
 * It gets no descriptor but its three, the environment it is given, no signal
 * that is blocked or ignored, and our working directory. Safe with threads.
 */
#ifndef STET_CHILD_H
#define STET_CHILD_H

#include "base/arena.h"

#include <sys/types.h>

enum child_end {
	CHILD_EXITED,
	CHILD_KILLED,  /* by a signal, not one of ours */
	CHILD_LATE,    /* by us, at its deadline */
	CHILD_STOPPED, /* by us, because stop() said so */
	CHILD_FAILED,  /* it could not be run */
};

struct child_want {
	const char *const *argv; /* ends with NULL; argv[0] is a path */
	const char *const *env;  /* "NAME=value", ends with NULL */
	struct str input;
	size_t most; /* bytes that are kept of stdout, and of stderr */
	uint64_t limit_ms;
	bool (*stop)(void *ctx); /* asked now and then; may be NULL */
	void *ctx;
};

struct child_done {
	enum child_end end;
	/*
	 * The exit status, the signal, or errno of CHILD_FAILED: EPERM when
	 * we are confined and the command was not known before that.
	 */
	int status;
	struct str out, err; /* in the arena */
};

/*
 * Start @argv in a session of its own, with nothing but @stdio open. 0, or an
 * errno value. For child_run() and its like.
 */
must_check int child_spawn(const char *const *argv, const char *const *env,
			   const int stdio[3], pid_t *ret);

/*
 * For a process that was forked and stays: it keeps nothing open but @fd, so
 * that nobody waits for it to close what the parent has.
 */
void child_let_go(int fd);

void child_run(const struct child_want *want, struct arena *mem,
	       struct child_done *ret);

#endif
