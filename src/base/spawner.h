/*
 * spawner.h - a fork server: starts commands for a confined process.
 *
 * A confined process can no longer start programs, nor access what these need.
 * So it forks the spawner before, with the list of commands: the spawner starts
 * what is on the list and nothing else, with variables of its own environment
 * and those named STET_*. An attacker who takes over the server can run a
 * configured hook, as any edit does, but no other command, and not with another
 * PATH.
 *
 * Each command has a monitor, a process that waits for it, forwards signals to
 * its process group, and kills the group when the server is gone.
 */
#ifndef STET_SPAWNER_H
#define STET_SPAWNER_H

#include "base/base.h"

#include <sys/types.h>

/* Fork the spawner. Each of @commands is an argv, terminated by NULL. */
must_check bool spawner_start(const char *const *const *commands, size_t n);

/* Was a spawner started? Then commands are started only through it. */
bool spawner_is_running(void);

/*
 * A message of a monitor: the first answers the start, the second reports the
 * end.
 */
struct spawner_status {
	int error; /* errno of a failed start; no second message follows */
	int code;  /* si_code and si_status of waitid() */
	int status;
};

/*
 * Start @argv with @stdio as its descriptors, and @env (NULL: the spawner's
 * whole environment). Returns 0 and a socket to its monitor, or an errno value:
 * EPERM when it is not on the list. Closing the socket kills what is left of
 * its process group.
 */
must_check int spawner_run(const char *const *argv, const char *const *env,
			   const int stdio[3], int *ret_monitor);

/*
 * Read the next message of the monitor; false: none yet. ECHILD when the
 * monitor is gone.
 */
must_check bool spawner_read_status(int monitor, bool wait,
				    struct spawner_status *ret);

/* Send a signal to the command's process group. */
void spawner_signal(int monitor, int number);

#endif
