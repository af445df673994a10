/*
 * linefile.h - a file that others read line by line while we add to it.
 *
 * Each line is one write at the end, so that several processes can share the
 * file. A line that cannot be written is lost, and nobody waits for it: what
 * it tells of has happened all the same. One that was cut short by a full
 * disk is ended before the next. Safe for several threads at once.
 */
#ifndef STET_LINEFILE_H
#define STET_LINEFILE_H

#include "base/buf.h"

#include <pthread.h>

struct linefile {
	int fd;
	pthread_mutex_t lock;
	bool torn; /* under the lock: the last line has no end */
};

/*
 * Open the file at @path, or make it, for its owner alone. 0, or an errno
 * value; EINVAL when that is what we have as stdout.
 */
must_check int linefile_open(struct linefile *l, const char *path);
void linefile_close(struct linefile *l);

/* @line without its end, which it gets; used up. */
void linefile_add(struct linefile *l, struct buf *line);

#endif
