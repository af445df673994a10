/*
 * tmpfile_pool.h - preallocated temporary files for replacing a file.
 *
 * Creating a file is the most expensive part of a small write: ext4 skips
 * every inode that was freed in the last seconds, and each replace frees one,
 * so creation gets slower the more is written. When one directory is written
 * to repeatedly, a background thread keeps a few O_TMPFILE files open there.
 * They have no name, so a crash leaves nothing behind, and they are closed
 * after a second without use. The pool stays empty where the filesystem has
 * no O_TMPFILE. The same thread closes replaced files, because the last
 * close() frees the inode, which takes about a third of the time of an fsync.
 */
#ifndef STET_TMPFILE_POOL_H
#define STET_TMPFILE_POOL_H

#include "base/base.h"

#include <pthread.h>
#include <sys/types.h>

enum { TMPFILE_POOL_SIZE = 8 };

struct tmpfile_pool {
	pthread_t thread;

	pthread_mutex_t lock; /* protects everything below */
	pthread_cond_t wakeup;
	bool running, ending;
	bool refill;      /* the thread is to fill the pool */
	bool unsupported; /* O_TMPFILE failed in this directory */
	bool close_now;   /* a large file waits in to_close */
	int dir;          /* O_PATH of the directory; -1 = pool unused */
	dev_t dev;        /* directory of the last tmpfile_pool_take() */
	ino_t ino;
	int fd[TMPFILE_POOL_SIZE];
	size_t count;
	int to_close[TMPFILE_POOL_SIZE]; /* replaced files */
	size_t to_close_count;
};

void tmpfile_pool_init(struct tmpfile_pool *p);
void tmpfile_pool_free(struct tmpfile_pool *p);

/*
 * An empty file without a name in @dir, mode 0600, open for reading and
 * writing; -1 when none is ready. The pool is filled from the second request
 * in a row for the same directory on.
 */
int tmpfile_pool_take(struct tmpfile_pool *p, int dir);

/*
 * Close a replaced file, whose inode goes with it: on the thread if that is
 * running, else here. With @large the thread is started if need be and closes
 * it at once, as the disk may need the space (0.25 ms for each MiB).
 */
void tmpfile_pool_close_later(struct tmpfile_pool *p, int *fd, bool large);

#endif
