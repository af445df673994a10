/*
 * process.h - is the process that wrote this still there?
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

struct process {
	int64_t pid; /* for people, and for records of older versions */
	/*
	 * Stored as "started" in the history, where older versions have the
	 * ticks from the machine's start to that of the process, or 0: far
	 * less than any slot.
	 */
	uint64_t slot;
};

/* This one: the same answer all its life, and another after fork(). */
struct process process_self(void);

/*
 * Let others see that this process is there, before anything is written that
 * names it: until the descriptor that is returned is closed. -1 with errno.
 * Several may be open at a time. fork() without exec would hand the lock on.
 */
must_check int process_hold(int state_dir);

/* Does @p hold its lock? Of an older version: is it seen to be running? */
bool process_is_there(int state_dir, struct process p);

#endif
