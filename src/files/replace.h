/*
 * replace.h - put new bytes in place of a file as one step.
 *
 * replace_begin() makes a neighbour (of the file without a name that r.fd is
 * already, if it can be one), the caller writes to r.fd, and either
 * replace_commit() makes it the file or replace_drop() leaves no trace.
 * Declare it with auto_replace and every early return drops it.
 *
 * All of it happens under the lock of the directory. The neighbour's name is
 * made from the file's, so one that is already there was left by a death and
 * is removed.
 */
#ifndef STET_REPLACE_H
#define STET_REPLACE_H

#include "base/err.h"
#include "base/hash.h"

#include <sys/stat.h>

enum { REPLACE_NAME = sizeof(".stet-0123456789abcdef.tmp") };

struct replace {
	int dir;             /* of the file; not ours */
	const char *name;    /* of the file */
	struct str path;     /* for faults */
	int fd;              /* the neighbour; -1 = none */
	struct hash version; /* of what was written to it, before a commit */
	char temp[REPLACE_NAME];
	bool there; /* there is a neighbour to remove */
};

#define REPLACE_INIT     \
	{                \
		.fd = -1 \
	}
#define auto_replace cleanup(replace_drop) struct replace

/* The file that is to be replaced. */
struct replace_old {
	int fd;
	struct stat st;
	bool exact;          /* it must still have ... */
	struct hash version; /* ... this content */
};

/*
 * The faults of these two carry the errno value in .os. @salt keeps apart
 * those who do not see each other's locks; else it is 0.
 */
must_check enum err replace_begin(struct replace *r, int dir, const char *name,
				  struct str path, unsigned mode, uint64_t salt,
				  struct fault *f);

/* Remove the neighbour that a death has left; true when there was one. */
bool replace_settle(int dir, const char *name, uint64_t salt);

/*
 * Make it the file, in place of @old; NULL = there must be none. When what
 * is there is not @old any more, ERR_CHANGED and nothing has happened. The
 * fault then has the version, written to @hex, that is there.
 */
must_check enum err replace_commit(struct replace *r,
				   const struct replace_old *old,
				   char hex[HASH_HEX + 1], struct fault *f);
void replace_drop(struct replace *r);

/*
 * Remove @name if it is still @old; else ERR_CHANGED, as above, and what is
 * there stays. It is moved aside to be looked at, so that nobody writes to it
 * between the look and the end.
 */
must_check enum err replace_remove(int dir, const char *name, struct str path,
				   const struct replace_old *old, uint64_t salt,
				   char hex[HASH_HEX + 1], struct fault *f);

#endif
