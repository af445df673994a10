/*
 * journal.h - writing a file in place, so that a death cannot tear it.
 *
 * For files that must keep their inode: those with several names, and those
 * in a directory that we may not write to. First both contents go into a
 * journal in a private directory, then the new bytes over the old ones, then
 * the journal goes. A journal that is there while nobody holds the file's
 * lock was left by a death: journal_settle() puts the old bytes back, if the
 * file holds a mix of the two, and only then; whoever has written to it since
 * keeps what he wrote. A journal that is damaged, or that was made for another
 * file, changes nothing: it is renamed to NAME.damaged.
 *
 * The file is locked as locks.h says, by its own device and inode.
 *
 * A journal is found by the file's device and inode, under whatever name it
 * is reached, but only by the user who wrote it.
 */
#ifndef STET_JOURNAL_H
#define STET_JOURNAL_H

#include "files/locks.h"

#include <sys/stat.h>

struct journal {
	struct str dir;   /* where they are, private.h */
	bool durable;     /* wait for the disk */
	uint64_t wait_ms; /* for the lock */
	struct locks *locks;
};

/* Is there one for this file? One system call, for every load. */
bool journal_pending(const struct journal *j, const struct stat *st);

/*
 * Settle the one of the file open at @fd for reading and writing, if it has
 * one. 0, or -1 with errno; EWOULDBLOCK = somebody is writing it right now,
 * ECANCELED = @errand, which may be NULL, was given up.
 */
must_check int journal_settle(const struct journal *j, int fd,
			      const struct errand *errand);

/*
 * The same, and hold its lock, *@l, which starts as LOCK_INIT.
 */
must_check int journal_hold(const struct journal *j, int fd,
			    const struct errand *errand, struct lock *l);

/* What an errno value of these functions means for the file at @path. */
enum err journal_failed(struct fault *f, int error, struct str path);

struct journal_want {
	struct str path;         /* is noted in the journal */
	const struct hash *base; /* what it must hold, NULL = anything */
	struct str bytes;
	const struct errand *errand; /* may stop the wait for the lock */
	int (*ready)(void *ctx); /* the journal is complete; not 0 = no, stop */
	void *ctx;
};

/*
 * Write over the file open at @fd for reading and writing. 0, or -1 with
 * errno; ESTALE = it does not hold its base, ECANCELED = it was stopped. Then
 * it is as before, or, when even going back failed, the journal stays.
 */
must_check int journal_write(const struct journal *j, int fd,
			     const struct journal_want *want);

#endif
