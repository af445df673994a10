/*
 * spare.h - files without a name, made ahead for those who replace one.
 *
 * To make a file is the dearest part of a small write. ext4 passes over every
 * inode that was freed in the last seconds, and each replace frees one, so
 * that it takes the longer the more is written. Where a directory is written
 * to again and again, a thread has the next few ready; they have no name, so
 * nothing is left behind whatever happens, and go when they are not wanted
 * for a while. There are none where the system cannot make them. The same
 * thread closes what was replaced, which frees an inode: where there is
 * fsync, that takes as long as a third of it.
 */
#ifndef STET_SPARE_H
#define STET_SPARE_H

#include "base/base.h"

#include <pthread.h>
#include <sys/types.h>

enum { SPARES = 8 };

struct spares {
	pthread_t thread;

	pthread_mutex_t lock; /* for all below */
	pthread_cond_t work;
	bool running, ending;
	bool wanted; /* there are to be more; else they may go soon */
	bool none;   /* they cannot be made there */
	bool hurry;  /* something is to be closed now */
	int dir;     /* where they are; -1 = there are none */
	dev_t dev;   /* the directory that was asked for last */
	ino_t ino;
	int fd[SPARES];
	size_t count;
	int left[SPARES]; /* to be closed */
	size_t left_count;
};

void spares_init(struct spares *s);
void spares_free(struct spares *s);

/*
 * One for a neighbour in @dir: empty, mode 0600, open for reading and
 * writing; -1 = none is ready. The second time somebody asks for the same
 * directory more are made.
 */
int spare_take(struct spares *s, int dir);

/*
 * Close a file that has been replaced, and that its inode goes with, which
 * takes a while: the thread does it if there is one, in its own time. With
 * @large it does so at once, as the disk may need the room, and is started
 * for that: a quarter of a millisecond for each MiB.
 */
void spare_leave(struct spares *s, int *fd, bool large);

#endif
