/*
 * stat_data.h - the part of struct stat that identifies a state of a file.
 *
 * Equal stat data mean equal content, so that a cached result need not read
 * the file again; but only once they are old enough. The kernel's clock for
 * file times is coarse: a write right after the stat() may leave them as they
 * were (git calls such an entry "racy").
 */
#ifndef STET_STAT_DATA_H
#define STET_STAT_DATA_H

#include "base/base.h"

#include <sys/stat.h>

struct stat_data {
	uint64_t dev, ino, size;
	int64_t mtime, ctime; /* nanoseconds */
};

struct stat_data stat_data_of(const struct stat *st);
bool stat_data_eq(const struct stat_data *a, const struct stat_data *b);

/* The time of the clock that file times come from, in nanoseconds. */
int64_t stat_data_now(void);

/* False when it was racy at @now: a later write might not show. */
bool stat_data_settled(const struct stat_data *s, int64_t now);

#endif
