/*
 * private.h - directories that only this user can see.
 *
 * For what has no place beside the user's files: the file of locks, and
 * journals of files that are written in place.
 */
#ifndef STET_PRIVATE_H
#define STET_PRIVATE_H

#include "base/arena.h"
#include "base/hash.h"

enum { PRIVATE_NAME = 17 };

struct private_dirs {
	struct str locks;   /* of the lock file, see locks.h */
	struct str journal; /* of journals: survives a restart of the machine */
};

/* Where they are for this user; from the environment, read once. */
void private_find(struct private_dirs *ret, struct arena *mem);

/*
 * Open one, making it first if it must be. -1 with errno; EPERM when it is
 * not ours alone.
 */
must_check int private_open(struct str dir, bool make);

/* The name there for a file or a directory. */
void private_name(uint64_t dev, uint64_t ino, char to[PRIVATE_NAME]);

#endif
