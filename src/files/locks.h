/*
 * locks.h - one writer at a time.
 *
 * A store holds the lock of the directory that the file is in: flock on a
 * descriptor of the directory itself, which works between threads, processes,
 * users and containers and leaves nothing behind. Where we may not read the
 * directory, or its filesystem knows no flock, a file in a private directory
 * stands in; then only this user's processes see each other.
 */
#ifndef STET_LOCKS_H
#define STET_LOCKS_H

#include "base/err.h"

struct lock {
	int fd;     /* what is locked */
	bool ours;  /* stands in, to be closed */
	bool alone; /* other users do not see it */
};

#define LOCK_INIT         \
	{                 \
		.fd = -1, \
	}
#define auto_lock cleanup(lock_drop) struct lock

/*
 * Lock the directory @dir, which must stay open until the lock is dropped.
 * ERR_BUSY after @wait_ms. @path is for the fault.
 */
must_check enum err lock_take(struct lock *l, int dir, struct str stand_in,
			      uint64_t wait_ms, struct str path,
			      struct fault *f);

/* Lock the file open at @fd itself: 0, or -1 with errno (EWOULDBLOCK). */
must_check int lock_file(int fd, uint64_t wait_ms);

/* Does this errno value mean that something else has to be locked? */
bool lock_impossible(int error);

void lock_drop(struct lock *l);

#endif
