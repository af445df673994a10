/*
 * private_dir.h - directories with mode 0700 for locks and journals.
 *
 * The lock file (locks.h) and the journals of files that are written in place
 * (journal.h) must not be visible to, or writable by, other users.
 */
#ifndef STET_PRIVATE_DIR_H
#define STET_PRIVATE_DIR_H

#include "base/arena.h"
#include "base/hash.h"

enum { PRIVATE_DIR_NAME = 17 };

struct private_dirs {
	struct str locks;   /* holds the lock file, see locks.h */
	struct str journal; /* holds journals; must survive a reboot */
};

/* Their paths for this user, from XDG_STATE_HOME, HOME and fallbacks. */
void private_dirs_find(struct private_dirs *ret, struct arena *mem);

/*
 * Open one, with @make also creating it. -1 with errno; EPERM when it belongs
 * to another user or grants others access.
 */
must_check int private_dir_open(struct str dir, bool make);

/* The name there for the file or directory with that device and inode. */
void private_dir_name(uint64_t dev, uint64_t ino, char to[PRIVATE_DIR_NAME]);

#endif
