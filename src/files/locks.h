/*
 * locks.h - one writer per directory at a time, across threads and processes.
 *
 * A store holds the lock of the file's directory; a file that is written in
 * place is locked as well. There are two locks, for two purposes:
 *
 * The private lock gives mutual exclusion. It is one byte of a lock file in a
 * directory that only this user can enter (private_dir.h), at an offset made
 * from the device and inode of what is locked: an OFD lock (F_OFD_SETLK), so
 * no lock files accumulate and the kernel releases it when the process dies.
 * All processes of this user with the same state directory see it. An OFD lock
 * belongs to the open file description, which the threads of a process share:
 * they exclude each other by the list in struct locks.
 *
 * The shared lock is advisory: flock() on the directory (or file) itself. It
 * serialises users of a shared project, containers with state directories of
 * their own, and older versions of stet. But any user who can open a 0755
 * directory can hold it for ever, so we wait for LOCK_SHARED_MS at most and
 * then go on without it (.alone). What protects the content from a writer who
 * sees none of our locks is the commit: names are exchanged, and what was
 * displaced must be what was read (replace.h; torture_outsider).
 *
 * Without a private lock (no usable state directory, or a filesystem without
 * locks) the shared lock and the commit are all the protection there is: no
 * write is refused for that.
 */
#ifndef STET_LOCKS_H
#define STET_LOCKS_H

#include "files/workspace.h"

#include <pthread.h>

/* The longest time that a foreign flock() delays a write. */
enum { LOCK_SHARED_MS = 100 };

struct file_lock {
	struct locks *in;       /* NULL = not held */
	struct file_lock *next; /* in the list of its struct locks */
	uint64_t at;            /* the byte of the lock file */
	uint64_t domain; /* the lock file's identity; 0 = no private lock */
	int shared;      /* the caller's descriptor, with flock; -1 = none */
	bool alone;      /* the shared lock is not held */
	bool waited;     /* the lock was held at first */
};

#define FILE_LOCK_INIT        \
	{                     \
		.shared = -1, \
	}
#define auto_file_lock cleanup(file_lock_drop) struct file_lock

/* The locks held by the threads of this process, and the lock file. */
struct locks {
	struct str dir; /* the private directory of the lock file */
	pthread_mutex_t mutex;
	struct file_lock *held; /* under mutex */
	int file;               /* under mutex; -1 = not opened yet */
	uint64_t domain;        /* under mutex; the identity of @file */
};

/* @dir must outlive @in. The lock file is opened or created at first use. */
void locks_init(struct locks *in, struct str dir);
void locks_free(struct locks *in);
#define auto_locks cleanup(locks_free) struct locks

struct file_lock_wait {
	uint64_t ms;                     /* timeout; 0 = ERR_BUSY at once */
	const struct progress *progress; /* cancels the wait; may be NULL */
	struct str path;                 /* for the fault */
};

/*
 * Lock the directory or file open at @fd. Until the lock is dropped, @fd must
 * stay open and @l must not move. ERR_BUSY after the timeout, ERR_CANCELLED.
 */
must_check enum err file_lock_take(struct file_lock *l, struct locks *in,
				   int fd, const struct file_lock_wait *wait,
				   struct fault *f);

void file_lock_drop(struct file_lock *l);

/*
 * Part of the name of temporary files (replace.h), different for writers that
 * do not see each other's locks; 0 while the shared lock is held.
 */
uint64_t file_lock_salt(const struct file_lock *l);

#endif
