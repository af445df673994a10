/*
 * journal.h - writing a file in place so that a crash cannot leave it torn.
 *
 * For files that must keep their inode: those with several hard links, and
 * those in a directory that we may not write to. First both contents go into
 * a journal in a private directory, then the new bytes over the old ones, then
 * the journal is deleted. A journal that exists while nobody holds the file's
 * lock was left by a crash: journal_recover() restores the old bytes if the
 * file holds a mix of the two contents, and only then; what another program
 * has written since is kept. A journal that is damaged, or that was made for
 * another file, changes nothing: it is renamed to NAME.damaged.
 *
 * The file is locked as locks.h says, by its own device and inode. A journal
 * is found by the same two numbers, under whatever name the file is reached,
 * but only by the user who wrote it.
 */
#ifndef STET_JOURNAL_H
#define STET_JOURNAL_H

#include "files/locks.h"

#include <sys/stat.h>

struct journal {
	struct str dir;     /* the directory of all journals, private_dir.h */
	const char *groups; /* dir/groups, for group_record.h alone */
	bool durable;       /* fsync before each step */
	uint64_t wait_ms;   /* timeout for the lock */
	struct locks *locks;
};

/* Is there a journal for this file? One system call, made by every load. */
bool journal_pending(const struct journal *j, const struct stat *st);

/*
 * Recover the file open at @fd for reading and writing, if it has a journal.
 * 0, or -1 with errno; EWOULDBLOCK = another writer holds the lock,
 * ECANCELED = cancelled through @progress, which may be NULL.
 */
must_check int journal_recover(const struct journal *j, int fd,
			       const struct progress *progress);

/*
 * The same, and keep the lock in *@l, which must be FILE_LOCK_INIT before.
 */
must_check int journal_lock(const struct journal *j, int fd,
			    const struct progress *progress,
			    struct file_lock *l);

/* What an errno value of these functions means for the file at @path. */
enum err journal_failed(struct fault *f, int error, struct str path);

struct journal_want {
	struct str path;         /* recorded in the journal for the user */
	const struct hash *base; /* required old content; NULL = any */
	struct str bytes;
	const struct progress *progress; /* cancels the wait for the lock */
	int (*ready)(
		void *ctx); /* called before the first change; not 0 = stop */
	void *ctx;
};

/*
 * Overwrite the file open at @fd for reading and writing. 0, or -1 with errno;
 * ESTALE = its content is not the base, ECANCELED = cancelled or stopped. On
 * failure the file is as before; if rolling back failed too, the journal stays
 * and the next access recovers it.
 */
must_check int journal_write(const struct journal *j, int fd,
			     const struct journal_want *want);

#endif
