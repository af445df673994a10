/*
 * group_dirs.h - the directories of a group's files, locked in one order.
 *
 * Each directory is locked once, whatever the names that lead to it, and all in
 * the order of device and inode: so no two groups can wait for each other.
 */
#ifndef STET_GROUP_DIRS_H
#define STET_GROUP_DIRS_H

#include "files/local.h"

struct group_dir {
	int fd;
	uint64_t dev, ino;
	struct file_lock lock;
};

struct group_dirs {
	struct group_dir *dir;
	size_t n;
	bool waited; /* a lock was not free: files may have changed */
};

#define auto_group_dirs cleanup(group_dirs_drop) struct group_dirs

/* Room for @most; must be called again after group_dirs_drop(). */
void group_dirs_init(struct group_dirs *d, size_t most, struct arena *mem);

/* Add the directory open at *@fd, which is taken: 0, or -1 with errno. */
must_check int group_dirs_add(struct group_dirs *d, int *fd);

/* Lock all, or none: ERR_BUSY when that takes too long. */
must_check enum err group_dirs_lock(struct group_dirs *d, struct ws_local *w,
				    const struct progress *progress,
				    struct str path, struct fault *f);

/* After the lock; NULL if it was not added. */
const struct group_dir *group_dirs_find(const struct group_dirs *d,
					uint64_t dev, uint64_t ino);

/* Unlock and close all. */
void group_dirs_drop(struct group_dirs *d);

#endif
