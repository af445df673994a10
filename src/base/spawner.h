/*
 * spawner.h - a process that starts commands for one that no longer may.
 *
 * A confined process has neither the right to start programs nor anything that
 * these would need. So it forks a spawner first, with the list of commands:
 * that one starts what is in the list and nothing else, with the variables of
 * its own environment and those named STET_*. Whoever takes over the server
 * can have a hook of the person's run, as any edit does; no other command, and
 * not with another PATH.
 *
 * Each command has a monitor, a process that waits for it, passes on signals
 * to its group, and ends the group when the server is gone.
 */
#ifndef STET_SPAWNER_H
#define STET_SPAWNER_H

#include "base/base.h"

#include <sys/types.h>

/* Each of @commands is an argv, which ends with NULL. */
must_check bool spawner_start(const char *const *const *commands, size_t n);

/* Has there been one? Then nothing is started in any other way. */
bool spawner_is_there(void);

/* What a monitor says; the first answers the start, the second is the end. */
struct spawner_said {
	int error; /* errno; then there is no second one */
	int code;  /* of the end: si_code and si_status of waitid() */
	int status;
};

/*
 * Start it with @stdio as its three descriptors, and @env (NULL: the spawner's
 * own environment, all of it). 0 and a socket to its monitor, or an errno
 * value: EPERM when it is not in the list. Closing the socket ends whatever is
 * left of its group.
 */
must_check int spawner_run(const char *const *argv, const char *const *env,
			   const int stdio[3], int *ret_monitor);

/* The next that the monitor says; false: nothing yet (or never again). */
must_check bool spawner_hear(int monitor, bool wait, struct spawner_said *ret);

/* A signal for the command's group. */
void spawner_signal(int monitor, int number);

#endif
