/*
 * process.h - is the process that wrote a row still alive?
 *
 * Whoever writes to a state directory holds a lock there as long as it lives:
 * on one byte of the file `processes`, at an offset drawn at random for the
 * process (its slot). The kernel drops the lock with the process, however that
 * ends, so nothing has to be tidied up, and a slot is not given twice, so a
 * reused pid deceives nobody. It works across pid namespaces, without /proc,
 * and nobody else can hold the lock: the directory is private.
 */
#ifndef STET_PROCESS_H
#define STET_PROCESS_H

#include "base/base.h"

struct process_id {
	int64_t pid; /* for people, and for records of older versions */
	/*
	 * Stored as "started" in the history, where older versions have the
	 * ticks from the machine's start to that of the process, or 0: far
	 * less than any slot.
	 */
	uint64_t slot;
};

/* This process; the answer changes only after fork(). */
struct process_id process_self(void);

/*
 * Take the lock, before anything is written that names this process; it is held
 * until the returned descriptor is closed. -1 with errno. Several may be open
 * at a time. A child made by fork() without exec would inherit the lock.
 */
must_check int process_hold(int state_dir);

/* Does @p hold its lock? For rows of older versions: does /proc show it? */
bool process_is_there(int state_dir, struct process_id p);

#endif
