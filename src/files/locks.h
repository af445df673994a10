/*
 * locks.h - one writer at a time, and nobody else can hold a writer up.
 *
 * A store holds the lock of the directory that its file is in; a file that is
 * written in place is locked as well. There are two locks, for two reasons:
 *
 * The private lock counts. It is one byte of a lock file in a directory that
 * only this user can enter (private.h), at a place made from the device and
 * inode of what is locked: an OFD lock (fcntl F_OFD_SETLK), so nothing piles
 * up and the kernel lets go when the process dies. All processes of this user
 * with the same state directory see it. An OFD lock belongs to the open file
 * description, which the threads of a process share: among themselves they
 * are kept apart by the list in struct locks.
 *
 * The shared lock is a courtesy: flock on the directory (or file) itself. It
 * keeps apart users of a shared project, containers with state directories of
 * their own, and older versions of stet. But any user who can open a 0755
 * directory can hold it for ever, so it is waited for LOCK_SHARED_MS at most
 * and then done without (.alone). What protects the content from a writer who
 * sees none of our locks is the commit: names are exchanged, and what was
 * displaced must be what was read (replace.h; torture_outsider).
 *
 * Where there is no private lock to be had (no usable state directory, or one
 * that somebody else has made; a filesystem without locks) the shared lock
 * and the commit are all there is: no write is refused for that.
 */
#ifndef STET_LOCKS_H
#define STET_LOCKS_H

#include "files/workspace.h"

#include <pthread.h>

/* The longest that somebody else's flock delays a write. */
enum { LOCK_SHARED_MS = 100 };

struct lock {
	struct locks *in;  /* NULL = nothing is held */
	struct lock *next; /* in the list of its struct locks */
	uint64_t at;       /* the byte of the lock file */
	uint64_t domain;   /* the lock file's identity; 0 = no private lock */
	int shared;        /* the caller's descriptor, with flock; -1 = none */
	bool alone;  /* writers who do not share our state are not shut out */
	bool waited; /* it was not free at once */
};

#define LOCK_INIT             \
	{                     \
		.shared = -1, \
	}
#define auto_lock cleanup(lock_drop) struct lock

/* The locks that the threads of this process hold, and the lock file. */
struct locks {
	struct str dir; /* the private directory of the lock file */
	pthread_mutex_t mutex;
	struct lock *held; /* under mutex */
	int file;          /* under mutex; -1 = not opened yet */
	uint64_t domain;   /* under mutex; of the file */
};

/* @dir must outlive it. The lock file is opened, or made, at the first use. */
void locks_init(struct locks *in, struct str dir);
void locks_free(struct locks *in);
#define auto_locks cleanup(locks_free) struct locks

struct lock_wait {
	uint64_t ms;                 /* 0 = ERR_BUSY unless it is free */
	const struct errand *errand; /* may give up; NULL = nobody does */
	struct str path;             /* for the fault */
};

/*
 * Lock the directory or file open at @fd, which must stay open, and @l in its
 * place, until the lock is dropped. ERR_BUSY after @wait, ERR_CANCELLED.
 */
must_check enum err lock_take(struct lock *l, struct locks *in, int fd,
			      const struct lock_wait *wait, struct fault *f);

void lock_drop(struct lock *l);

/*
 * Keeps the temporary files of writers apart who do not see each other's
 * locks (replace.h); 0 = all of them do.
 */
uint64_t lock_salt(const struct lock *l);

#endif
