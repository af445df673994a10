/*
 * linefile.h - an append-only file of lines that others read while we write.
 *
 * Each line is one write() with O_APPEND, so that several processes can share
 * the file. A line that cannot be written is lost without an error, because the
 * event it reports has happened all the same. A line cut short by a full disk
 * is terminated before the next one. Thread-safe.
 */
#ifndef STET_LINEFILE_H
#define STET_LINEFILE_H

#include "base/buf.h"

#include <pthread.h>

struct linefile {
	int fd;
	pthread_mutex_t lock;
	bool incomplete; /* under lock: the last line lacks its newline */
};

/*
 * Open or create the file at @path, with mode 0600. Returns 0 or an errno
 * value; EINVAL when it is our stdout.
 */
must_check int linefile_open(struct linefile *l, const char *path);
void linefile_close(struct linefile *l);

/* Append @line and a newline; @line is cleared. */
void linefile_add(struct linefile *l, struct buf *line);

#endif
